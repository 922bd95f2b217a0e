"""Write a value as text in the syntax of a language: Python, YAML, JSON, TOML, the overrides of Hydra.

Each text is read back as the same value of the same type, and has no line ends.
"""

import ast
import json
import math
import re
from collections.abc import Callable
from pathlib import PurePosixPath

from pydantic import JsonValue

# Words that YAML 1.1, YAML 1.2 or Hydra read as something other than text.
_NOT_TEXT = {"true", "false", "yes", "no", "on", "off", "y", "n", "null", "none", "nan", "inf"}
_PLAIN = re.compile(r"[A-Za-z_/][\w/.+-]*(?<!\.)")
_KEY = re.compile(r"[A-Za-z_]\w*")


def python(value: JsonValue) -> str:
    """Return a literal. `nan` and infinite numbers have none, so an expression is returned for them."""
    match value:
        case float() if not math.isfinite(value):
            return f'float("{value}")'
        case list():
            return f"[{', '.join(map(python, value))}]"
        case dict():
            return "{" + ", ".join(f"{k!r}: {python(v)}" for k, v in value.items()) + "}"
    return repr(value)


def python_word(value: JsonValue) -> str:
    """Return a word for a reader that takes what is no literal as text: nanoGPT's configurator, sacred."""
    if not isinstance(value, str):
        return python(value)
    try:
        ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value
    return repr(value)


def as_json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def yaml(value: JsonValue) -> str:
    """Return one line of YAML that versions 1.1 and 1.2 read alike: `1e-05` is text in 1.1, `1.0e-05` a number."""
    match value:
        case float():
            return _yaml_float(value)
        case list():
            return f"[{', '.join(map(yaml, value))}]"
        case dict():
            return "{" + ", ".join(f"{as_json(k)}: {yaml(v)}" for k, v in value.items()) + "}"
    return as_json(value)


def _yaml_float(value: float) -> str:
    if not math.isfinite(value):
        return ".nan" if math.isnan(value) else f"{'-' * (value < 0)}.inf"
    mantissa, e, exponent = repr(value).partition("e")
    exponent = exponent if not e or exponent[0] in "+-" else f"+{exponent}"
    return f"{mantissa}{'.0' * (e != '' and '.' not in mantissa)}{e}{exponent}"


def yaml_word(value: JsonValue) -> str:
    """Return YAML without quotes where text needs none, for `name=value` words that people read."""
    plain = isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _NOT_TEXT
    return str(value) if plain else yaml(value)


def hydra(value: JsonValue) -> str:
    """Return a value in the grammar of Hydra's overrides. There a backslash means itself, but not before a quote."""
    match value:
        case list():
            return f"[{','.join(map(hydra, value))}]"
        case dict():
            return "{" + ",".join(f"{k if _KEY.fullmatch(k) else hydra(k)}:{hydra(v)}" for k, v in value.items()) + "}"
        case str() if not _PLAIN.fullmatch(value) or value.lower() in _NOT_TEXT:
            inside = re.sub(r"(\\*)'", r"\1\1\\'", value)
            return "'" + re.sub(r"(\\+)$", r"\1\1", inside) + "'"
        case str():
            return value
        case float():
            return repr(value)
    return as_json(value)


def toml(value: JsonValue) -> str:
    match value:
        case float():
            return repr(value)
        case list():
            return f"[{', '.join(map(toml, value))}]"
        case dict():
            return "{" + ", ".join(f"{as_json(k)} = {toml(v)}" for k, v in value.items()) + "}"
        case None:
            raise ValueError("TOML has no null")
    return as_json(value).replace("\x7f", "\\u007f")


_BY_SUFFIX: dict[str, Callable[[JsonValue], str]] = {
    ".py": python, ".yaml": yaml, ".yml": yaml, ".json": as_json, ".toml": toml,
}  # fmt: skip
CONFIG_SUFFIXES = (".yaml", ".yml", ".json", ".toml")


def in_file(path: str, value: JsonValue) -> str:
    """Return a value as it is written in a file of this name."""
    return _BY_SUFFIX[PurePosixPath(path).suffix.lower()](value)

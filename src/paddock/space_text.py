"""Values and conditions in the short text form that `space.py` tells of: read, and written."""

import json
import math
import re
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

NAME = r"[A-Za-z_][A-Za-z0-9_.\-]{0,99}"
RANGE = re.compile(r"\s*(?P<low>[-+\d.eE]+?)\.\.(?P<high>[-+\d.eE]+?)(?::(?P<how>[^:]*))?\s*")
INT = re.compile(r"[-+]?\d+")
FLOAT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|[-+]?(inf|nan)")
_WORDS: dict[str, JsonValue] = {"true": True, "false": False, "none": None, "null": None}
_IF = re.compile(rf"\s+if\s+({NAME})\s*==?")
_AND = re.compile(rf"\s+and\s+({NAME})\s*==?")
_HALF = re.compile(r"\s*[-+]?\.?\d[-+\d.eE]*\.\.[-+\d.eE]+\s+if\b")


def conditions(text: str) -> tuple[str, dict[str, list[JsonValue]]]:
    """Split `0..1 if a=1 and b=x,y` into `0..1` and {a: [1], b: [x, y]}."""
    found = _found(_IF, text)
    if found is None:
        if _HALF.match(text):
            raise ValueError("after `if` comes a condition, NAME=VALUE: for example 0.5..0.99 if optimizer=sgd")
        return text, {}
    base, when = text[: found.start()], {}
    while found is not None:
        name, rest = found[1], found.string[found.end() :]
        found = _found(_AND, rest)
        values = rest[: found.start()] if found else rest
        if name in when:
            raise ValueError(f"there are two conditions on {name}: write its values with commas, {name}=x,y")
        if not values.strip():
            raise ValueError(f"there is no value after {name}=")
        when[name] = [_word(part) for part in split(values)]
    return base, when


def _found(mark: re.Pattern[str], text: str) -> re.Match[str] | None:
    return next((found for at in _free(text) if text[at].isspace() and (found := mark.match(text, at))), None)


def _word(text: str) -> JsonValue:
    return scalar(text.strip())


def text_of_conditions(when: Mapping[str, list[JsonValue]]) -> str:
    one = (f"{name}={','.join(text_of_value(value, _AND) for value in values)}" for name, values in when.items())
    return f" if {' and '.join(one)}" if when else ""


def split(text: str) -> list[str]:
    """Split at commas that are in no quotes and no brackets."""
    ends = [at for at in _free(text) if text[at] == ","]
    parts = [text[begin:end] for begin, end in zip([0, *(at + 1 for at in ends)], [*ends, len(text)], strict=True)]
    if len(parts) > 1 and not parts[-1].strip():
        raise ValueError("there is a comma with nothing after it")
    if len(parts) > 1 and any(not part.strip() for part in parts):
        raise ValueError("there is a comma with nothing before it")
    return parts


def _free(text: str) -> Iterator[int]:
    """The places in no quotes and no brackets; in brackets, quotes are those of JSON."""
    depth, quote, begin, escaped = 0, "", 0, False
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote and not escaped else quote
            escaped = char == "\\" and depth > 0 and not escaped
        elif char in "\"'" and _opens(char, text[begin:at], depth):
            quote = char
        elif char in "[{":
            depth += 1
        elif char in "]}":
            depth -= 1
        elif depth <= 0:
            yield at
            begin = at + 1 if char == "," else begin


def _opens(char: str, before: str, depth: int) -> bool:
    if depth > 0:
        return char == '"'
    doubled = before.endswith(char) and before.lstrip().startswith(char)
    return not before.strip() or doubled


def scalar(text: str) -> JsonValue:
    word = text.strip()
    if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'":
        return word[1:-1].replace(word[0] * 2, word[0])
    if word.lower() in _WORDS:
        return _WORDS[word.lower()]
    if INT.fullmatch(word):
        return int(word)
    if FLOAT.fullmatch(word) and math.isfinite(float(word)):
        return float(word)
    if word[:1] in ("[", "{"):
        try:
            parsed: JsonValue = json.loads(word)
        except ValueError as error:
            raise ValueError(f"{word!r} is not valid JSON ({error})") from None
        return parsed
    return text


def text_of_value(value: JsonValue, mark: re.Pattern[str] = _IF) -> str:
    if isinstance(value, str):
        plain = value and _split_safe(value) and scalar(value) == value and not _reads_as_more(value, mark)
        quote = "'" if '"' in value and "'" not in value else '"'
        return value if plain else f"{quote}{value.replace(quote, quote * 2)}{quote}"
    return json.dumps(value)


def _split_safe(value: str) -> bool:
    return not any(char in value for char in ",\"'[]{}") and value == value.strip()


def _reads_as_more(value: str, mark: re.Pattern[str]) -> bool:
    """As a range or a condition, or as the second half of `==`."""
    return bool(RANGE.fullmatch(value) or _HALF.match(value) or mark.search(value)) or value.startswith("=")

"""YAML as people expect it (the core schema of YAML 1.2): `1e-3` is a number, `on` and `2024-01-01` are text.

PyYAML follows YAML 1.1, where `[1e-3]` is a list of text, `off` is false and `1:30` is 90.
"""

import re
from typing import Any

import yaml

_NULL = re.compile(r"^(?:~|null|Null|NULL|)$")
_BOOL = re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$")
_INT = re.compile(r"^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$")
_FLOAT = re.compile(
    r"^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"
)
MAX_DEPTH = 100
TOO_DEEP = f"it is nested more than {MAX_DEPTH} levels deep"
_OTHER_LINE_ENDS = set("\r\x85\u2028\u2029")


class Loader(yaml.SafeLoader):
    """Reads the core schema, and refuses a key that a mapping contains twice: PyYAML would keep the last."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012

    def fetch_more_tokens(self) -> None:
        if self.flow_level + len(self.indents) > MAX_DEPTH:  # PyYAML takes long, and ends with a RecursionError
            raise yaml.scanner.ScannerError(None, None, TOO_DEEP, self.get_mark())
        super().fetch_more_tokens()

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                if key.value in seen:
                    message = f"the key {key.value!r} is given twice"
                    raise yaml.constructor.ConstructorError(None, None, message, key.start_mark)
                seen.add(key.value)
        return super().construct_mapping(node, deep)


class Dumper(yaml.SafeDumper):
    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _construct_int(loader: Loader, node: yaml.ScalarNode) -> int:
    text = loader.construct_scalar(node)
    return int(text, 0) if text[:2] in ("0x", "0o") else int(text)


def _construct_float(loader: Loader, node: yaml.ScalarNode) -> float:
    return float(loader.construct_scalar(node).lower().replace(".inf", "inf").replace(".nan", "nan"))


def _represent_text(dumper: Dumper, text: str) -> yaml.ScalarNode:
    # A block keeps a description readable; the emitter falls back to quotes where a block cannot hold the text.
    # Line ends other than \n it would write as they are, and read back as \n: only escapes keep them.
    style = '"' if _OTHER_LINE_ENDS & set(text) else "|" if "\n" in text.strip("\n") else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_RESOLVERS: list[tuple[str, re.Pattern[str], list[str] | None]] = [
    ("null", _NULL, ["~", "n", "N", ""]),
    ("bool", _BOOL, list("tTfF")),
    ("int", _INT, list("-+0123456789")),
    ("float", _FLOAT, list("-+.0123456789")),
    ("merge", re.compile(r"^(?:<<)$"), ["<"]),
]
for _tag, _pattern, _first in _RESOLVERS:
    Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", _pattern, _first)
    Dumper.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", _pattern, _first)
Loader.add_constructor("tag:yaml.org,2002:int", _construct_int)
Loader.add_constructor("tag:yaml.org,2002:float", _construct_float)
Dumper.add_representer(str, _represent_text)


def load(text: str) -> Any:
    return yaml.load(text, Loader)  # noqa: S506 - a SafeLoader


def dump(data: Any) -> str:
    made: str = yaml.dump(data, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100, default_flow_style=None)
    return made

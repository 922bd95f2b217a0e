"""Read configuration files (YAML, JSON, TOML): each value, and where it stands, so that it can be changed in a copy."""

import ast
import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import yaml as pyyaml
from pydantic import JsonValue, TypeAdapter, ValidationError

from paddock.models import ScriptParam, ValuePlace
from paddock.models.base import ParamName
from paddock.models.yaml12 import Loader
from paddock.models.yaml12 import load as load_yaml
from paddock.program import value_text
from paddock.program.inspection.values import kind_of

MAX_CHARACTERS = 128 * 1024
MAX_DEPTH = 20
_NAME = TypeAdapter(ParamName)


@dataclass(frozen=True)
class Leaf:
    """A value that is no mapping. Offsets are in bytes."""

    path: tuple[str, ...]
    value: JsonValue
    start: int
    end: int

    @property
    def name(self) -> str:
        return ".".join(self.path)


def params(path: str, text: str) -> list[ScriptParam] | None:
    """Return the values of a file as parameters; None if it cannot be read, or not be changed safely."""
    if len(text) > MAX_CHARACTERS:
        return None
    try:
        leaves = [leaf for leaf in _leaves(path, text) if _is_name(leaf.name)]
        if not leaves or not _can_be_changed(path, text, leaves):
            return None
    except (ValueError, SyntaxError, RecursionError, MemoryError, pyyaml.YAMLError, AttributeError):
        return None
    data = text.encode()
    return [
        ScriptParam(
            name=leaf.name,
            type=kind_of(leaf.value),
            default=leaf.value,
            group=leaf.path[0] if len(leaf.path) > 1 else None,
            place=ValuePlace(file=path, start=leaf.start, end=leaf.end, lines=data[leaf.start : leaf.end].count(b"\n")),
        )
        for leaf in leaves
    ]


def values(path: str, text: str) -> Any:
    """Return the contents of a file. Raises one of several errors if it cannot be read."""
    suffix = PurePosixPath(path).suffix.lower()
    return json.loads(text) if suffix == ".json" else tomllib.loads(text) if suffix == ".toml" else load_yaml(text)


def changed(data: bytes, changes: list[tuple[int, int, str]]) -> bytes:
    """Return the bytes with other texts at these places, which do not overlap."""
    for start, end, text in sorted(changes, reverse=True):
        data = data[:start] + text.encode() + data[end:]
    return data


def _is_name(name: str) -> bool:
    try:
        _NAME.validate_python(name)
    except ValidationError:
        return False
    return True


def _can_be_changed(path: str, text: str, leaves: list[Leaf]) -> bool:
    """Return True if writing each value in its own place again leaves the contents as they are."""
    same = [(leaf.start, leaf.end, value_text.in_file(path, leaf.value)) for leaf in leaves]
    return bool(values(path, changed(text.encode(), same).decode()) == values(path, text))


def _leaves(path: str, text: str) -> Iterator[Leaf]:
    match PurePosixPath(path).suffix.lower():
        case ".json":
            tree = ast.parse(text.strip("\ufeff \t\r\n"), mode="eval").body  # JSON is an expression of Python
            yield from _json_leaves(tree, json.loads(text), _Offsets(text), ())
        case ".toml":
            yield from _toml_leaves(text)
        case _:
            node = pyyaml.compose(text, Loader)
            contents = load_yaml(text)
            yield from _yaml_leaves(node, contents, text, (), set())


class _Offsets:
    """Turn the lines and columns of a syntax tree into offsets; leading space was cut off before parsing."""

    def __init__(self, text: str) -> None:
        self._skipped = len(text.encode()) - len(text.lstrip("\ufeff \t\r\n").encode())
        self._lines = [0]
        for line in text.lstrip("\ufeff \t\r\n").encode().split(b"\n"):
            self._lines.append(self._lines[-1] + len(line) + 1)

    def of(self, node: ast.expr) -> tuple[int, int]:
        last, column = node.end_lineno or node.lineno, node.end_col_offset or 0
        first = self._lines[node.lineno - 1] + node.col_offset
        return first + self._skipped, self._lines[last - 1] + column + self._skipped


def _json_leaves(node: ast.expr, value: Any, offsets: _Offsets, path: tuple[str, ...]) -> Iterator[Leaf]:
    if isinstance(node, ast.Dict) and isinstance(value, dict) and len(path) < MAX_DEPTH:
        for (key, inner), part in zip(value.items(), node.values, strict=True):
            yield from _json_leaves(part, inner, offsets, (*path, key))
    elif path:
        yield Leaf(path, value, *offsets.of(node))


def _yaml_leaves(
    node: pyyaml.Node, value: Any, text: str, path: tuple[str, ...], seen: set[pyyaml.Node]
) -> Iterator[Leaf]:
    if node in seen or len(path) > MAX_DEPTH:  # an alias: a change would be one of the other place too
        return
    seen.add(node)
    if isinstance(node, pyyaml.MappingNode) and isinstance(value, dict) and (node.value or not path):
        for key, inner in node.value:
            if isinstance(key, pyyaml.ScalarNode) and key.value in value:
                yield from _yaml_leaves(inner, value[key.value], text, (*path, key.value), seen)
    elif path and isinstance(value, str | int | float | list | dict | None):
        start, end = len(text[: node.start_mark.index].encode()), len(text[: _end(node)].encode())
        if start < end:
            yield Leaf(path, value, start, end)


def _end(node: pyyaml.Node) -> int:
    """Return where a node ends. The mark of a block is after the empty lines and comments that follow it."""
    if not isinstance(node, pyyaml.CollectionNode) or node.flow_style:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(last[1] if isinstance(last, tuple) else last)


def _toml_leaves(text: str) -> Iterator[Leaf]:
    """Yield the values of `key = value` lines. Arrays of tables and what is inside of an inline table are left out."""
    table: tuple[str, ...] | None = ()
    lines = text.split("\n")
    offset, skip = 0, 0
    for number, line in enumerate(lines):
        begin, offset = offset, offset + len(line.encode()) + 1
        if number < skip or not line.strip() or line.lstrip().startswith("#"):
            continue
        if line.lstrip().startswith("["):
            table = None if line.lstrip().startswith("[[") else _toml_path(tomllib.loads(line))
            continue
        found = _toml_value(lines[number:])
        skip = number + 1 + (found[2].count("\n") if found else 0)
        if found is None or table is None:
            continue
        keys, value, written = found
        start = begin + len(line.partition("=")[0].encode()) + 1 + len(written) - len(written.lstrip())
        yield Leaf((*table, *keys), value, start, start + len(written.strip().encode()))


def _toml_path(data: Any) -> tuple[str, ...]:
    path: list[str] = []
    while isinstance(data, dict) and data:
        key, data = next(iter(data.items()))
        path.append(key)
    return tuple(path)


def _toml_value(lines: list[str]) -> tuple[tuple[str, ...], JsonValue, str] | None:
    """Return the keys, the value, and its text without the comment; it may have several lines."""
    for count in range(1, min(len(lines), 200) + 1):
        key, _, rest = "\n".join(lines[:count]).partition("=")
        for cut in [*(at for at, sign in enumerate(rest) if sign == "#"), len(rest)]:
            try:
                data = tomllib.loads(f"{key}={rest[:cut]}")
            except tomllib.TOMLDecodeError:
                continue
            path: list[str] = []
            while isinstance(data, dict) and len(data) == 1 and not rest.lstrip().startswith("{"):
                name, data = next(iter(data.items()))
                path.append(name)
            plain = isinstance(data, str | int | float | list) and bool(path)
            return (tuple(path), data, rest[:cut].rstrip()) if plain else None
    return None

"""What an agent answers, as types. The far end is not trusted: everything else than what was asked for is BadFrame."""

import json
import math
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from paddock.common.files import NotPlain
from paddock.common.frames import BadFrame, Frame

MOST_NAME = 4096  # of a text in an answer
_KINDS = ("file", "folder", "link", "other")


@dataclass(frozen=True)
class AgentInfo:
    """What an agent reports of itself. All of it is what the person's process says, not what is known."""

    user: str
    uid: int
    host: str
    boot: str  # the id of the machine's present boot: processes of another one are gone
    root: str  # the absolute path of its folder
    home: str
    python: str  # the interpreter that it runs on
    program: str  # the absolute path of its runner.pyz, for `run` and `start`
    version: str  # of that Python


@dataclass(frozen=True)
class FileRange:
    """A part of a file."""

    start: int
    size: int  # of the whole file
    data: bytes


@dataclass(frozen=True)
class FarEntry:
    """A file or folder behind an agent."""

    name: str
    kind: str  # file, folder, link or other
    size: int
    modified: float
    executable: bool = False
    target: str | None = None  # of a symbolic link


@dataclass(frozen=True)
class FolderPage:
    """Some entries of a folder: folders first, then by name."""

    total: int
    entries: list[FarEntry]
    more: bool  # there are more names than were looked at


@dataclass(frozen=True)
class FarProcess:
    """A process behind an agent, distinguished from later ones with the same id."""

    pid: int
    start: int  # clock ticks since boot


@dataclass(frozen=True)
class FarResult:
    """How a command ended. `code` is None if it was killed because its time was over."""

    code: int | None
    out: bytes
    err: bytes
    cut: bool = False  # it wrote more than was kept


class AgentAnswer:
    """The answer to one request."""

    def __init__(self, frame: Frame) -> None:
        self._header, self.data = frame

    def check(self) -> "AgentAnswer":
        """Return this answer; raise the OSError that it reports, if it reports one."""
        if "error" not in self._header:
            return self
        text, path = self.text("error"), self.text("path") if "path" in self._header else None
        if self._header.get("kind") == "request":
            raise BadFrame(f"the complaint {text!r}")  # versions that do not fit, or a forged one
        code = self.number("errno")
        raise NotPlain(code, text, path) if self._header.get("kind") == "not plain" else OSError(code, text, path)

    def number(self, name: str) -> int:
        return _number(self._header.get(name))

    def text(self, name: str) -> str:
        return _text(self._header.get(name))

    def flag(self, name: str) -> bool:
        value = self._header.get(name)
        if not isinstance(value, bool):
            raise BadFrame(f"an answer without {name}")
        return value

    def flags(self, name: str, count: int) -> list[bool]:
        value = self._header.get(name)
        if not isinstance(value, list) or len(value) != count or not all(isinstance(one, bool) for one in value):
            raise BadFrame(f"an answer without {name}")
        return value

    def info(self) -> AgentInfo:
        texts = ("user", "host", "boot", "root", "home", "python", "program", "version")
        given = {name: self.text(name) for name in texts}
        for name in ("root", "home", "python", "program"):
            if not given[name].startswith("/") or not given[name].isprintable():
                raise BadFrame(f"a wrong path as its {name}")
        return AgentInfo(uid=self.number("uid"), **given)

    def those_of(self, asked: Collection[str]) -> set[str]:
        value = self._header.get("names")
        if not isinstance(value, list) or not all(isinstance(one, str) and one in asked for one in value):
            raise BadFrame("names that nobody asked for")
        return set(value)

    def holders(self, asked: Collection[str]) -> dict[str, str | None]:
        value = self._header.get("held")
        if not isinstance(value, dict) or not all(one in asked for one in value):
            raise BadFrame("names that nobody asked for")
        return {name: None if key is None else _text(key) for name, key in value.items()}

    def range(self, at: int, most: int) -> FileRange:
        start, size = self.number("start"), self.number("size")
        if len(self.data) > most or start > size or (at >= 0 and start != min(at, size)):
            raise BadFrame("another part of the file")
        return FileRange(start, size, self.data)

    def entry(self) -> FarEntry:
        return _entry(json_object(self.data))

    def page(self, limit: int) -> FolderPage:
        given = _json(self.data, list)
        if len(given) > limit:
            raise BadFrame("more entries than it was asked for")
        return FolderPage(self.number("total"), [_entry(one) for one in given], self.flag("more"))

    def process(self) -> FarProcess:
        return _process([self._header.get("pid"), self._header.get("start")])

    def processes(self) -> list[FarProcess]:
        value = self._header.get("processes")
        if not isinstance(value, list):
            raise BadFrame("an answer without processes")
        return [_process(one) for one in value]

    def result(self, most: int) -> FarResult:
        end = self.number("out")
        out, err = self.data[:end], self.data[end:]
        if end > len(self.data) or len(out) > most or len(err) > most:
            raise BadFrame("more output than it was asked for")
        code = None if self._header.get("code") is None else _number(self._header["code"], -255)
        return FarResult(code, out, err, self.flag("cut"))


def json_object(data: bytes) -> dict[str, Any]:
    """Return the object that these bytes are as JSON."""
    found: dict[str, Any] = _json(data, dict)
    return found


def _json(data: bytes, kind: type) -> Any:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, kind):
        raise BadFrame("an answer that is not JSON")
    return found


def _number(value: Any, least: int = 0) -> int:
    if type(value) is not int or not least <= value < 2**63:
        raise BadFrame("an answer without a number")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > MOST_NAME:
        raise BadFrame("an answer without a text")
    return value


def _entry(given: Any) -> FarEntry:
    if not isinstance(given, Mapping) or given.get("kind") not in _KINDS:
        raise BadFrame("an entry of a folder that is none")
    name, modified, target = _text(given.get("name")), given.get("modified"), given.get("target")
    if not name or "/" in name or "\0" in name or name in (os.curdir, os.pardir):
        raise BadFrame("an entry of a folder with a wrong name")
    if not isinstance(modified, int | float) or not math.isfinite(modified):
        raise BadFrame("an entry of a folder without a time")
    return FarEntry(
        name,
        given["kind"],
        _number(given.get("size")),
        float(modified),
        given.get("executable") is True,
        None if target is None else _text(target),
    )


def _process(given: Any) -> FarProcess:
    if not isinstance(given, list) or len(given) != 2:
        raise BadFrame("an answer without a process")
    return FarProcess(_number(given[0], 1), _number(given[1]))

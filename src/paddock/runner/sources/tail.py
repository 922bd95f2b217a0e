"""Read what is appended to a file, in bounded slices, and detect that it was rewritten."""

from __future__ import annotations

import os
from typing import BinaryIO, Callable, NamedTuple, Tuple

from ...common import files

SLICE = 64 * 1024
HEAD = 1024
LAST = 64
MAX_LINE = 1024 * 1024

Key = Tuple[int, int, int, int, int]


class Mark(NamedTuple):
    """The state of a file at one moment, to find out later whether that part is still there."""

    key: Key
    head: bytes
    last: bytes

    @property
    def size(self) -> int:
        return self.key[2]


class Chunk(NamedTuple):
    data: bytes = b""
    restarted: bool = False
    more: bool = False


NOTHING = Chunk()
SAME, WAIT, REWRITTEN = range(3)


def open_file(path: str) -> BinaryIO:
    """Open a plain file. A pipe would block until another process writes into it, and a link may lead anywhere."""
    return os.fdopen(files.open_plain(path), "rb")


def mark(path: str) -> Mark | None:
    try:
        with open_file(path) as f:
            key = _key(os.fstat(f.fileno()))
            head = f.read(min(HEAD, key[2]))
            return Mark(key, head, _before(f, key[2]))
    except OSError:
        return None


class Tail:
    """A file that is read from its beginning. `old` is how much of it was there before (see `Mark`)."""

    def __init__(self, path: str, before: Mark | None = None) -> None:
        self.path = path
        self.old = before.size if before else 0
        self._before = before
        self._key: Key | None = before.key if before else None
        self._shrunk: Key | None = None
        self._size = 0
        self.rewind()

    def rewind(self) -> None:
        self.offset = 0
        self._head = b""
        self._last = b""

    def move(self, place: Callable[[int], int]) -> None:
        """Adapt to a file that was shortened on purpose: `place` gives the new offset of what has been read."""
        self.offset = place(self.offset)
        self._key = self._shrunk = None
        with open_file(self.path) as f:
            self._last = _before(f, self.offset)

    def read(self, final: bool = False) -> Chunk:
        """Return the next slice. Raises OSError if the file exists but cannot be read."""
        try:
            key = _key(os.lstat(self.path))
            if key == self._key and (self._before or self.offset >= self._size):
                return NOTHING
            with open_file(self.path) as f:
                return self._read(f, final)
        except FileNotFoundError:
            return NOTHING

    def _read(self, f: BinaryIO, final: bool) -> Chunk:
        key = _key(os.fstat(f.fileno()))
        found = self._check(f, key, final)
        if found == WAIT:
            return NOTHING
        if found == REWRITTEN:
            self.rewind()
            self.old = 0
        self._before = self._shrunk = None
        self._key, self._size = key, key[2]
        f.seek(self.offset)
        data = f.read(SLICE)
        self.offset += len(data)
        if len(self._head) < HEAD:
            self._head += data[: HEAD - len(self._head)]
        self._last = (self._last + data[-LAST:])[-LAST:]
        return Chunk(data, found == REWRITTEN, bool(data) and self.offset < self._size)

    def _check(self, f: BinaryIO, key: Key, final: bool) -> int:
        """Check by content whether what was read is still there: a log may be rewritten with more lines each time."""
        size = key[2]
        if self._before:
            return self._check_mark(f, key, self._before)
        if not self.offset:
            return SAME
        if not size:
            return WAIT  # being rewritten: its content will show whether it is the same
        head = f.read(min(len(self._head), size))
        if head != self._head[: len(head)]:
            return REWRITTEN
        if size < self.offset:
            settled = final or key == self._shrunk
            self._shrunk = key
            return REWRITTEN if settled else WAIT  # it may be half rewritten
        return SAME if _before(f, self.offset) == self._last else REWRITTEN

    def _check_mark(self, f: BinaryIO, key: Key, before: Mark) -> int:
        """Check a file from before this attempt, more strictly: another file in its place is another log."""
        if not key[2] and before.size:
            return WAIT
        same = key[:2] == before.key[:2] and key[2] >= before.size
        same = same and f.read(len(before.head)) == before.head and _before(f, before.size) == before.last
        return SAME if same else REWRITTEN


class Lines:
    """Divides slices into lines, each with its offset in the file. An incomplete line is kept for later."""

    def __init__(self) -> None:
        self._rest = b""
        self._start = 0
        self._skipping = False
        self.overlong = False

    def feed(self, data: bytes, end: bool) -> list[tuple[int, bytes, bool]]:
        """Return (offset, line without its end, whether it is complete)."""
        parts = (self._rest + data).split(b"\n")
        rest = parts.pop()
        found = []
        for part in parts:
            if not self._skipping:
                found.append((self._start, part.rstrip(b"\r"), True))
            self._skipping = False
            self._start += len(part) + 1
        if end and rest and not self._skipping:
            found.append((self._start, rest.rstrip(b"\r"), False))
            self._start += len(rest)
            rest = b""
        if len(rest) > MAX_LINE:
            self._start += len(rest)
            self._skipping = self.overlong = True
            rest = b""
        self._rest = rest
        return found


def _key(st: os.stat_result) -> Key:
    return st.st_dev, st.st_ino, st.st_size, st.st_mtime_ns, st.st_ctime_ns


def _before(f: BinaryIO, offset: int) -> bytes:
    """Return the last bytes before an offset."""
    f.seek(max(0, offset - LAST))
    return f.read(min(LAST, offset))

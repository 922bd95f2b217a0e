"""Look into folders that users' programs write: list them, walk through them, and read their files.

Everything is opened from an open folder, without following links; nothing is read in whole, and nothing is sorted that
is larger than `MOST_NAMES`. These functions may block: call them in a thread (see file_threads.py).
"""

import errno
import itertools
import math
import os
import re
import stat
import tarfile
import time
import zlib
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from paddock.agents.answers import FarEntry
from paddock.common import files
from paddock.errors import InvalidInput, NotFound
from paddock.models.files import FileEntry, FilePage
from paddock.server.outposts.away import MOST_ENTRIES, FarFolder

MOST_NAMES = 200_000
DEPTH = 32
PART = 1_000_000
STEP_SECONDS = 0.5
LEFT_OUT = "paddock-left-out.txt"
_MOST_LEFT_OUT = 1000
_ESCAPED = re.compile(rb"\\(\\|x[0-9a-f]{2})")
_NUMBERS = re.compile(r"\d{1,18}")
_BLOCK = tarfile.BLOCKSIZE


# --- names ------------------------------------------------------------------------------------------------------------


def shown(name: str) -> str:
    """Return a name as text that JSON can contain; `named` returns the name again."""
    try:
        raw = os.fsencode(name)
    except UnicodeEncodeError:  # no file system has such a name, but an agent can report it
        raw = name.encode("utf-8", errors="replace")
    return raw.replace(b"\\", b"\\\\").decode("utf-8", errors="backslashreplace")


def named(text: str) -> str:
    """Return the name that `shown` has made a text of."""
    raw = text.encode("utf-8", errors="replace")
    return os.fsdecode(_ESCAPED.sub(lambda one: b"\\" if one[1] == b"\\" else bytes([int(one[1][1:], 16)]), raw))


@dataclass(frozen=True)
class FilePlace:
    """A path that somebody asks for, in a folder of a job."""

    trusted: str  # no link is followed below it
    folder: str
    path: str  # relative to `folder`; empty: the folder itself
    away: FarFolder | None = None  # in whose home it is; None: in the server's

    @classmethod
    def of(cls, trusted: str, folder: str, text: str, away: FarFolder | None = None) -> "FilePlace":
        """Return the place of a path as a request contains it. Raise InvalidInput if it leads elsewhere."""
        name = named(text)
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if "\0" in name or name.startswith("/") or ".." in parts or len(parts) > DEPTH:
            raise InvalidInput.at("path", f"{text[:200]!r} is not a path inside this folder")
        return cls(trusted, folder, "/".join(parts), away)

    def inner(self, path: str) -> "FilePlace":
        """Return the place of something in this folder."""
        return replace(self, path=f"{self.path}/{path}" if self.path else path)

    @property
    def whole(self) -> str:
        return os.path.join(self.folder, self.path) if self.path else self.folder  # noqa: PTH118

    @property
    def text(self) -> str:
        return shown(self.path)

    def not_begun(self, error: OSError) -> bool:
        """Return True if the folder itself does not exist: its task has not started."""
        return not self.path and isinstance(error, FileNotFoundError)

    def missing(self, error: OSError) -> NotFound:
        """Return the error to answer when this place cannot be opened."""
        why = "it does not exist" if isinstance(error, FileNotFoundError) else error.strerror or "it cannot be read"
        return NotFound(f"{self.text or 'The folder'} cannot be shown: {why}.")


# --- listing ----------------------------------------------------------------------------------------------------------


def listed(place: FilePlace, offset: int, limit: int) -> FilePage:
    """Return entries of one folder. Only those of this page are looked at closely."""
    if place.away is not None:
        return _listed_away(place, place.away, offset, limit)
    try:
        with files.in_folder(place.whole, below=place.trusted) as folder:
            with os.scandir(folder) as entries:
                known = [
                    (not one.is_dir(follow_symlinks=False), one.name)
                    for one in itertools.islice(entries, MOST_NAMES + 1)
                ]
            names = sorted(known[:MOST_NAMES], key=lambda one: (one[0], _natural(one[1])))
            wanted = (_entry(folder, name, place.path) for _, name in names[offset : offset + limit])
            items = [one for one in wanted if one is not None]
    except OSError as error:
        if place.not_begun(error):
            return FilePage(path="", total=0, offset=offset, items=[])
        raise place.missing(error) from None
    return FilePage(path=place.text, total=len(names), offset=offset, items=items, more=len(known) > MOST_NAMES)


def _listed_away(place: FilePlace, away: FarFolder, offset: int, limit: int) -> FilePage:
    try:
        page = away.entries(Path(place.whole), offset, limit)
    except OSError as error:
        if place.not_begun(error):
            return FilePage(path="", total=0, offset=offset, items=[])
        raise place.missing(error) from None
    items = [_entry_away(one, place.path) for one in page.entries]
    return FilePage(path=place.text, total=page.total, offset=offset, items=items, more=page.more)


def _entry_away(one: FarEntry, inside: str) -> FileEntry:
    return FileEntry(
        name=shown(one.name),
        path=shown(f"{inside}/{one.name}" if inside else one.name),
        kind=one.kind,
        size=one.size if one.kind == "file" else None,
        modified_at=moment(one.modified),
        target=None if one.target is None else shown(one.target),
    )


def _natural(name: str) -> str:
    """Return a key that sorts step_9 before step_10."""
    return _NUMBERS.sub(lambda one: one[0].zfill(18), name)


def _entry(folder: int, name: str, inside: str) -> FileEntry | None:
    """Return an entry of an open folder; None if it vanished."""
    target = None
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISLNK(found.st_mode):
            target = shown(os.readlink(name, dir_fd=folder))
    except OSError:
        return None
    path = f"{inside}/{name}" if inside else name
    return FileEntry(
        name=shown(name),
        path=shown(path),
        kind=(kind := _kind(found)),
        size=found.st_size if kind == "file" else None,
        modified_at=moment(found.st_mtime),
        target=target,
    )


def _kind(found: os.stat_result) -> str:
    if stat.S_ISDIR(found.st_mode):
        return "folder"
    if stat.S_ISREG(found.st_mode):
        return "file" if found.st_nlink == 1 else "link"
    return "link" if stat.S_ISLNK(found.st_mode) else "other"


def moment(modified: float) -> datetime | None:
    """Return when a file was changed; None for times that no calendar has, which everybody can give to a file."""
    with suppress(ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(modified, UTC)
    return None


class WalkEntry(NamedTuple):
    """An entry on a walk. Its folder is open until the next one; -1: it is in somebody's home."""

    folder: int
    name: str
    path: str
    is_folder: bool
    is_file: bool


def walk(place: FilePlace, depth: int = DEPTH) -> Iterator[WalkEntry]:
    """Yield what is in a folder and in those below it, in no order. Folders that cannot be read are left out."""
    try:
        if place.away is not None:
            yield from _walk_away(place.away, place.whole, "", depth)
            return
        with files.in_folder(place.whole, below=place.trusted) as folder:
            yield from _walk(folder, "", depth)
    except OSError as error:
        if not place.not_begun(error):
            raise place.missing(error) from None


def _walk(folder: int, inside: str, depth: int) -> Iterator[WalkEntry]:
    with os.scandir(folder) as entries:
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            path = f"{inside}{entry.name}"
            yield WalkEntry(folder, entry.name, path, is_folder, entry.is_file(follow_symlinks=False))
            if not is_folder or depth <= 1:
                continue
            with suppress(OSError):
                inner = files.open_in(folder, entry.name, inner=True)
                try:
                    yield from _walk(inner, f"{path}/", depth - 1)
                finally:
                    os.close(inner)


def _walk_away(away: FarFolder, folder: str, inside: str, depth: int) -> Iterator[WalkEntry]:
    offset, total = 0, 1
    while offset < total:
        page = away.entries(Path(folder), offset, MOST_ENTRIES)
        offset, total = offset + len(page.entries), page.total if page.entries else 0
        for one in page.entries:
            path, is_folder = f"{inside}{one.name}", one.kind == "folder"
            yield WalkEntry(-1, one.name, path, is_folder, one.kind == "file")
            if is_folder and depth > 1:
                with suppress(OSError):
                    yield from _walk_away(away, f"{folder}/{one.name}", f"{path}/", depth - 1)


def all_files(place: FilePlace, most: int) -> tuple[list[FileEntry], bool]:
    """Return the plain files in a folder and below it, by path, and whether there are more than `most` entries.

    What Python adds to code when tasks run it is left out.
    """
    found: list[FileEntry] = []
    for count, one in enumerate(walk(place)):
        if count >= most:
            return sorted(found, key=lambda entry: entry.path), True
        if "__pycache__" in one.path.split("/"):
            continue
        entry = _entry(one.folder, one.name, one.path.rpartition("/")[0]) if one.is_file else None
        if entry is not None and entry.kind == "file":
            found.append(entry)
    return sorted(found, key=lambda entry: entry.path), False


# --- reading ----------------------------------------------------------------------------------------------------------


class OpenFile:
    """A plain file that is read to the size that it had when it was opened."""

    def __init__(self, place: FilePlace) -> None:
        self.place = place
        self._descriptor: int | None = None
        self._at = 0
        try:
            if place.away is not None:
                self._look(place.away.stat(Path(place.whole)))
                return
            self._descriptor = files.open_plain(place.whole, below=place.trusted)
        except OSError as error:
            raise place.missing(error) from None
        about = os.fstat(self._descriptor)
        self.size, self.modified = about.st_size, about.st_mtime
        self.executable = bool(about.st_mode & stat.S_IXUSR)

    def _look(self, about: FarEntry) -> None:
        if about.kind != "file":
            raise files.NotPlain(errno.EINVAL, "not a plain file (a link, folder, pipe or device)")
        self.size, self.modified, self.executable = about.size, about.modified, about.executable

    def head(self, count: int, offset: int = 0) -> bytes:
        """Return up to `count` bytes from `offset`."""
        if self.place.away is None and self._descriptor is not None:
            return os.pread(self._descriptor, count, offset)
        if self.place.away is None or count <= 0:
            return b""
        try:
            return self.place.away.read(Path(self.place.whole), offset, count)[2]
        except OSError as error:
            raise self.place.missing(error) from None

    def read(self) -> bytes | None:
        """Return the next part; None at the end, or when the file has become shorter than it was."""
        data = self.head(min(PART, self.size - self._at), self._at)
        self._at += len(data)
        return data or None

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)


class Archive:
    """A folder as a compressed tar file, made while it is read: it is nowhere as a whole.

    Links, pipes, devices and what cannot be read are left out; a file in the archive names them.
    """

    size = None

    def __init__(self, place: FilePlace, name: str) -> None:
        try:  # what cannot be opened is a proper error
            if place.away is not None:
                place.away.entries(Path(place.whole), 0, 1)
            else:
                os.close(files.open_folder(place.whole, below=place.trusted))
        except OSError as error:
            raise place.missing(error) from None
        self._left_out: list[str] = []
        self._packed = self._pack(place, name)

    def read(self) -> bytes | None:
        """Return the next part, which is empty if there is none yet; None at the end."""
        parts: list[bytes] = []
        size, until = 0, time.monotonic() + STEP_SECONDS
        for part in self._packed:
            parts.append(part)
            size += len(part)
            if size >= PART or time.monotonic() > until:
                return b"".join(parts)
        return b"".join(parts) or None

    def close(self) -> None:
        self._packed.close()

    def _pack(self, place: FilePlace, name: str) -> Generator[bytes]:
        packer = zlib.compressobj(1, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
        for block in self._blocks(place, name):
            yield packer.compress(block)
        yield packer.flush()

    def _blocks(self, place: FilePlace, name: str) -> Iterator[bytes]:
        yield _header(f"{name}/", tarfile.DIRTYPE, 0o755)
        for one in walk(place):
            if one.is_folder:
                yield _header(f"{name}/{one.path}/", tarfile.DIRTYPE, 0o755)
                if one.path.count("/") == DEPTH - 1:
                    self._leave_out(one.path, "what is in it is too deep")
            else:
                yield from self._file(place, one, f"{name}/{one.path}")
        if self._left_out:
            text = "".join(self._left_out[:_MOST_LEFT_OUT]).encode()
            yield _header(f"{name}/{LEFT_OUT}", tarfile.REGTYPE, 0o644, len(text), int(time.time()))
            yield _padded(text)
        yield b"\0" * 2 * _BLOCK

    def _file(self, place: FilePlace, one: WalkEntry, name: str) -> Iterator[bytes]:
        if place.away is not None:
            yield from self._file_away(place.inner(one.path), one, name)
            return
        try:
            descriptor = files.open_in(one.folder, one.name)
        except OSError as error:
            self._leave_out(one.path, error.strerror or "it cannot be read")
            yield b""
            return
        try:
            about = os.fstat(descriptor)
            mode = 0o755 if about.st_mode & stat.S_IXUSR else 0o644
            yield _header(name, tarfile.REGTYPE, mode, about.st_size, int(about.st_mtime))
            left = about.st_size
            while left and (data := _next(descriptor, about.st_size - left, left)):
                left -= len(data)
                yield data
            yield from self._padding(one, about.st_size, left)
        finally:
            os.close(descriptor)

    def _file_away(self, place: FilePlace, one: WalkEntry, name: str) -> Iterator[bytes]:
        try:
            file = OpenFile(place)
        except NotFound as error:
            self._leave_out(one.path, error.message)
            yield b""
            return
        yield _header(name, tarfile.REGTYPE, 0o755 if file.executable else 0o644, file.size, _seconds(file.modified))
        left = file.size
        with suppress(NotFound):
            while left and (data := file.read()):
                left -= len(data)
                yield data
        yield from self._padding(one, file.size, left)

    def _padding(self, one: WalkEntry, size: int, left: int) -> Iterator[bytes]:
        """Fill up what a file lacks of the size that its header names, and its last block."""
        if left:
            self._leave_out(one.path, f"it became shorter while it was read: zeros follow after {size - left:,} bytes")
        for at in range(0, left, PART):
            yield bytes(min(PART, left - at))
        yield bytes(-size % _BLOCK)

    def _leave_out(self, path: str, why: str) -> None:
        if len(self._left_out) <= _MOST_LEFT_OUT:
            self._left_out.append(f"{shown(path)}: {why}\n")


def _seconds(modified: float) -> int:
    """Return a time for an archive; an agent can report one that is no number."""
    return int(modified) if math.isfinite(modified) else 0


def _next(descriptor: int, at: int, left: int) -> bytes:
    """Return the next bytes of a file; none if it cannot be read any further."""
    with suppress(OSError):
        return os.pread(descriptor, min(PART, left), at)
    return b""


def _header(name: str, kind: bytes, mode: int, size: int = 0, modified: int = 0) -> bytes:
    about = tarfile.TarInfo(name)
    about.type, about.mode, about.size = kind, mode, size
    about.mtime = min(max(modified, 0), 8**11 - 1)
    return about.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % _BLOCK)

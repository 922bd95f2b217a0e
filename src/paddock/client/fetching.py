"""Bring the folder of a task here: all of it or nothing, without links, and never over something that exists.

The server sends it as one archive. What is in it was written by strangers, so it is unpacked by hand: only plain files
and folders, only below a new folder, which gets its name when everything has arrived.
"""

import io
import os
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from paddock.client.connection import Connection
from paddock.errors import InvalidInput, NotFound, ServerUnreachable

PART = 1_000_000
LEFT_OUT = "paddock-left-out.txt"
NOT_A_FOLDER = "{} is a file: `paddock get` saves it."


@dataclass
class Fetched:
    """How much of a task has arrived."""

    folder: Path
    files: int = 0
    bytes: int = 0
    left_out: int = 0  # links and the like, which `paddock-left-out.txt` in the folder names


Progress = Callable[[Fetched], None]


def fetch(
    connection: Connection, address: str, path: str, name: str, to: Path, *, replace: bool, progress: Progress
) -> Fetched:
    """Save the folder at this address as `to`/`name`. `replace`: instead of one that exists."""
    target = to / name
    if not replace and os.path.lexists(target):
        raise InvalidInput(f"{target} already exists: give another folder with --to, or replace it with --force.")
    try:
        to.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{name}.", suffix=".part", dir=to) as place:
            new, found = Path(place) / "new", Fetched(target)
            new.mkdir()
            with connection.stream(address, path=path) as answer:
                if answer.headers.get("Content-Type") != "application/gzip":
                    raise NotFound(NOT_A_FOLDER.format(path))
                _unpack(answer.parts(), new, found, progress)
            if os.path.lexists(target):
                target.rename(Path(place) / "old")  # a folder cannot be replaced at once
            new.rename(target)
    except OSError as error:
        raise InvalidInput(f"{target} cannot be written ({error.strerror}): give another folder.") from None
    return found


def _unpack(parts: Iterator[bytes], folder: Path, found: Fetched, progress: Progress) -> None:
    source = _Parts(parts)
    try:
        with tarfile.open(fileobj=source, mode="r|gz", encoding="utf-8", errors="surrogateescape") as archive:
            for member in archive:
                inside = _inside(member.name)
                if member.isdir():
                    (folder / inside).mkdir(parents=True, exist_ok=True)
                elif member.isreg() and inside:
                    _write(archive, member, folder / inside, found, progress)
        while source.read(PART):  # only the end of the answer shows that it is whole
            pass
    except (tarfile.TarError, EOFError) as error:
        raise ServerUnreachable(f"What arrived is not a whole folder ({error}): try again.") from None
    left_out = folder / LEFT_OUT
    if left_out.is_file():
        found.left_out = len(left_out.read_bytes().splitlines())


def _write(archive: tarfile.TarFile, member: tarfile.TarInfo, path: Path, found: Fetched, progress: Progress) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = archive.extractfile(member)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o777 if member.mode & 0o100 else 0o666), "wb") as file:
        while data is not None and (part := data.read(PART)):
            file.write(part)
            found.bytes += len(part)
            progress(found)
    os.utime(path, (member.mtime, member.mtime))
    found.files += 1
    progress(found)


def _inside(name: str) -> str:
    """Return the path of a member below the folder that the archive contains. Raise if it leads elsewhere."""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if name.startswith("/") or ".." in parts or "\0" in name:
        raise tarfile.TarError(f"it contains {name[:200]!r}")
    return "/".join(parts[1:])


class _Parts(io.RawIOBase):
    """An answer as a file to read from."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts, self._left = parts, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._left:
            part = next(self._parts, None)
            if part is None:
                return 0
            self._left = memoryview(part)
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count

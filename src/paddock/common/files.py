"""Open files that other people's programs can replace by anything: links, pipes, devices, the file of another user.

Everything that is read or written below a job's folder goes through here: only plain files with one name; no link is
followed below the trusted folder; no call blocks or reads more than requested.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import Iterator, Optional

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_SAFE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_CHUNK = 1_000_000


class NotPlain(OSError):
    """Something other than a plain file is in its place."""


def open_plain(path: str, flags: int = os.O_RDONLY, *, below: Optional[str] = None, mode: int = 0o644) -> int:
    """Open a plain file with exactly one name and return its descriptor; raise NotPlain for anything else.

    `below` is a trusted folder: no folder between it and the file may be a link. Without it, only the file itself is
    checked. A file that does not exist raises FileNotFoundError, unless `flags` creates it.
    """
    create = flags & os.O_CREAT
    flags = (flags | _SAFE) & ~os.O_TRUNC  # nothing is truncated before it is known to be a plain file
    try:
        if below is None:
            descriptor = os.open(path, flags, mode)
        else:
            folder = _folder_of(path, below)
            try:
                descriptor = os.open(os.path.basename(path), flags, mode, dir_fd=folder)
            finally:
                os.close(folder)
    except OSError as error:
        raise _plainly(error, path) from None
    try:
        found = os.fstat(descriptor)
        _check(found, path)
        if found.st_nlink == 0 and create:
            raise FileNotFoundError(errno.ENOENT, "removed while it was opened", path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _plainly(error: OSError, path: str) -> OSError:
    """Return the same error with the whole path, or NotPlain if that is what it means."""
    if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR, errno.ENOTDIR, errno.ENODEV):
        return NotPlain(error.errno, "not a plain file (a link, folder, pipe or device)", path)
    return type(error)(error.errno, error.strerror, path)


def _check(found: os.stat_result, path: str) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise NotPlain(errno.EINVAL, "not a plain file (a folder, pipe or device)", path)
    if found.st_nlink > 1:
        raise NotPlain(errno.EMLINK, "a file with a second name (a hard link)", path)


def _folder_of(path: str, below: str) -> int:
    """Open the folder of a file, one step at a time, from a trusted one."""
    relative = os.path.relpath(os.path.dirname(path), below)
    parts = [] if relative == os.curdir else relative.split(os.sep)
    if os.pardir in parts:
        raise NotPlain(errno.EINVAL, "outside of " + below, path)
    if not parts:
        return os.open(below, _FOLDER & ~os.O_NOFOLLOW)
    current = os.open(os.path.join(below, parts[0]), _FOLDER)
    for part in parts[1:]:
        try:
            further = os.open(part, _FOLDER, dir_fd=current)
        finally:
            os.close(current)
        current = further
    return current


def open_folder(path: str, *, below: str) -> int:
    """Open a folder and return its descriptor; raise NotPlain if it, or one on the way from `below`, is none."""
    try:
        return _folder_of(os.path.join(path, "any"), below)
    except OSError as error:
        raise _plainly(error, path) from None


@contextlib.contextmanager
def in_folder(path: str, *, below: str) -> Iterator[int]:
    """Open a folder as `open_folder` does, and close it afterwards."""
    folder = open_folder(path, below=below)
    try:
        yield folder
    finally:
        os.close(folder)


def open_in(folder: int, name: str, *, inner: bool = False) -> int:
    """Open a plain file in an open folder, or with `inner` a folder, and return its descriptor."""
    try:
        descriptor = os.open(name, _FOLDER if inner else os.O_RDONLY | _SAFE, dir_fd=folder)
    except OSError as error:
        raise _plainly(error, name) from None
    try:
        if not inner:
            _check(os.fstat(descriptor), name)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


class Folder:
    """A folder in which many files are read one after the other: the path to it is opened once.

    Open it anew for each round: on network file systems, only that shows what others have written.
    """

    def __init__(self, path: str, below: str) -> None:
        self._path = path
        self._descriptor = open_folder(path, below=below)

    def close(self) -> None:
        os.close(self._descriptor)

    def read(self, inner: str, name: str, limit: int, offset: int) -> bytes:
        """Return up to `limit` bytes of a plain file in a folder in this one."""
        try:
            folder = os.open(inner, _FOLDER, dir_fd=self._descriptor)
            try:
                descriptor = os.open(name, os.O_RDONLY | _SAFE, dir_fd=folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise _plainly(error, os.path.join(self._path, inner, name)) from None
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
                _check(found, os.path.join(self._path, inner, name))
            return os.pread(descriptor, limit, offset)
        finally:
            os.close(descriptor)


def read_plain(path: str, limit: int, *, offset: int = 0, below: Optional[str] = None) -> bytes:
    """Return up to `limit` bytes of a plain file from `offset`; a negative one counts from the end."""
    descriptor = open_plain(path, below=below)
    try:
        start = offset if offset >= 0 else max(os.fstat(descriptor).st_size + offset, 0)
        parts = []
        left = limit
        while left > 0:
            part = os.pread(descriptor, min(left, _CHUNK), start)
            if not part:
                break
            parts.append(part)
            start += len(part)
            left -= len(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)


def append_plain(path: str, data: bytes, *, below: Optional[str] = None, seal: bool = False, mode: int = 0o644) -> None:
    """Append to a plain file, which is created if it does not exist, and sync it to the disk.

    `seal`: if the last line has no end (the writer was killed), end it first.
    """
    descriptor = open_plain(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, below=below, mode=mode)
    try:
        end = os.fstat(descriptor).st_size
        if seal and end and os.pread(descriptor, 1, end - 1) != b"\n":
            data = b"\n" + data
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_plain(path: str, data: bytes, *, below: str, mode: int = 0o666) -> None:
    """Replace a file at once: readers see all of it or nothing. For files that have one writer."""
    name = os.path.basename(path)
    temporary = name + ".tmp"
    with in_folder(os.path.dirname(path), below=below) as folder:
        try:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=folder)  # left by a writer that was killed, or put there by a user
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE, mode, dir_fd=folder)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError as error:
            raise _plainly(error, path) from None

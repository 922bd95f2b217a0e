"""Files below the agent's root folder. No link is followed on the way to them, and only plain files are opened."""

from __future__ import annotations

import errno
import itertools
import os
import re
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Dict, List, Tuple

from ...common import claims, files, folders

MOST_NAMES = 200_000
MOST_ENTRIES = 1_000
REMOVE_SECONDS = 0.5  # other requests wait that long at most
MEASURE_SECONDS = 5.0  # the same
TARGET = 150  # characters of a link's target; all entries must fit into one frame
_SAFE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NUMBERS = re.compile(r"\d{1,18}")


class Tree:
    """The operations on files. Paths are relative to the root."""

    def __init__(self, root: str) -> None:
        self.root = root

    def whole(self, path: str, *, or_root: bool = False) -> str:
        """Return the absolute path. Raise NotPlain for one that is not below the root."""
        parts = path.split("/") if path or not or_root else []
        if "\0" in path or any(part in ("", os.curdir, os.pardir) for part in parts):
            raise files.NotPlain(errno.EINVAL, "not a path below the folder of Paddock", path.replace("\0", "?"))
        return os.path.join(self.root, *parts)

    # --- writing ------------------------------------------------------------------------------------------------------

    def put(self, path: str, at: int, whole: int, executable: bool, data: bytes) -> None:
        """Write a part of a file beside its place; the last part puts the file there."""
        target = self.whole(path)
        name = os.path.basename(target)
        temporary = name + ".tmp"
        with files.in_folder(os.path.dirname(target), below=self.root) as folder:
            if at == 0:
                with suppress(FileNotFoundError):
                    os.unlink(temporary, dir_fd=folder)  # left by an agent that was killed
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            elif self._is_done(folder, name, temporary, at, whole, data):
                return
            else:
                flags = os.O_WRONLY
            descriptor = os.open(temporary, flags | _SAFE, 0o700 if executable else 0o600, dir_fd=folder)
            try:
                found = os.fstat(descriptor)
                if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1 or found.st_size < at:
                    raise OSError(errno.ESTALE, "the file has changed while it was written", path)
                os.ftruncate(descriptor, at)  # half of this part may be there from an agent that was killed
                os.lseek(descriptor, at, os.SEEK_SET)
                _write(descriptor, data)
                if at + len(data) >= whole:
                    os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            finally:
                os.close(descriptor)

    @staticmethod
    def _is_done(folder: int, name: str, temporary: str, at: int, whole: int, data: bytes) -> bool:
        """Return True if the last part was written already, and only the answer was lost."""
        with suppress(FileNotFoundError):
            os.stat(temporary, dir_fd=folder, follow_symlinks=False)
            return False
        descriptor = files.open_in(folder, name)
        try:
            return os.fstat(descriptor).st_size == whole and os.pread(descriptor, len(data), at) == data
        finally:
            os.close(descriptor)

    def append(self, path: str, at: int, data: bytes) -> int:
        """Append what a file has not yet of `data`, which begins at `at`; return the size of the file."""
        target = self.whole(path)
        descriptor = files.open_plain(target, os.O_RDWR | os.O_APPEND | os.O_CREAT, below=self.root, mode=0o600)
        try:
            size = os.fstat(descriptor).st_size
            if not at <= size < at + len(data):
                return size
            if os.pread(descriptor, size - at, at) != data[: size - at]:
                raise OSError(errno.ESTALE, "the file contains something else than was sent", path)
            _write(descriptor, data[size - at :])
            os.fsync(descriptor)
            return at + len(data)
        finally:
            os.close(descriptor)

    def mkdir(self, path: str) -> None:
        """Make a folder with those above it."""
        self.whole(path)
        current = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for part in path.split("/"):
                with suppress(FileExistsError):
                    os.mkdir(part, 0o700, dir_fd=current)
                further = files.open_in(current, part, inner=True)
                os.close(current)
                current = further
        finally:
            os.close(current)

    def remove(self, path: str) -> bool:
        """Delete what is at a path, as much as there is time for. Return True if nothing is left."""
        target = self.whole(path)
        name, until = os.path.basename(target), time.monotonic() + REMOVE_SECONDS
        try:
            with files.in_folder(os.path.dirname(target), below=self.root) as folder:
                if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                    for _, inner, names, place in os.fwalk(name, topdown=False, follow_symlinks=False, dir_fd=folder):
                        for one in (*names, *inner):
                            if time.monotonic() > until:
                                return False
                            folders.delete_entry(one, place)
                folders.delete_entry(name, folder)
                os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return True
        raise OSError(errno.ENOTEMPTY, "cannot be deleted", path)

    # --- claims -------------------------------------------------------------------------------------------------------

    def withdraw(self, folder: str, names: List[str]) -> List[str]:
        """Withdraw claims, and return those that no runner has."""
        target = self.whole(folder)
        for name in names:
            self.whole(folder + "/" + name)
        try:
            with files.in_folder(os.path.dirname(target), below=self.root):
                pass
        except FileNotFoundError:
            return names  # without its folder nothing of a job can begin
        self.mkdir(folder)
        with files.in_folder(target, below=self.root) as inside:
            return [name for name in names if claims.withdraw_in(inside, name)]

    def held(self, folder: str, names: List[str]) -> Dict[str, Any]:
        """Return the claims that runners have, each with the allocation that it names."""
        try:
            with files.in_folder(self.whole(folder), below=self.root) as inside:
                return claims.held_in(inside, names)
        except FileNotFoundError:
            return {}

    # --- reading ------------------------------------------------------------------------------------------------------

    def read(self, path: str, at: int, most: int) -> Tuple[int, int, bytes]:
        """Return the start, the size of the file, and bytes."""
        descriptor = files.open_plain(self.whole(path), below=self.root)
        try:
            size = os.fstat(descriptor).st_size
            start = min(at if at >= 0 else max(size + at, 0), size)
            return start, size, os.pread(descriptor, most, start)
        finally:
            os.close(descriptor)

    def entries(self, path: str, offset: int, limit: int) -> Tuple[int, bool, List[Dict[str, Any]]]:
        """Return the number of entries of a folder, whether there are more, and some of them."""
        with files.in_folder(self.whole(path, or_root=True), below=self.root) as folder:
            with os.scandir(folder) as found:
                known = [
                    (not one.is_dir(follow_symlinks=False), one.name) for one in itertools.islice(found, MOST_NAMES + 1)
                ]
            names = sorted(known[:MOST_NAMES], key=lambda one: (one[0], _natural(one[1])))
            page = [_entry(folder, name) for _, name in names[offset : offset + min(limit, MOST_ENTRIES)]]
        return len(names), len(known) > MOST_NAMES, [one for one in page if one is not None]

    def stat(self, path: str) -> Dict[str, Any]:
        """Return what is at a path."""
        target = self.whole(path)
        with files.in_folder(os.path.dirname(target), below=self.root) as folder:
            found = _entry(folder, os.path.basename(target))
        if found is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return found

    def measure(self, path: str, seconds: float) -> folders.Size:
        """Return the size of a folder."""
        until = time.monotonic() + min(seconds, MEASURE_SECONDS)
        return folders.measure(Path(self.whole(path)), below=Path(self.root), until=until)


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _natural(name: str) -> str:
    """Return a key that sorts step_9 before step_10."""
    return _NUMBERS.sub(lambda one: one[0].zfill(18), name)


def _entry(folder: int, name: str) -> "Dict[str, Any] | None":
    """Return an entry of an open folder; None if it vanished."""
    target = None
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISLNK(found.st_mode):
            target = os.readlink(name, dir_fd=folder)[:TARGET]
    except OSError:
        return None
    mode = found.st_mode
    kind = "folder" if stat.S_ISDIR(mode) else "link" if stat.S_ISLNK(mode) else "other"
    if stat.S_ISREG(mode):
        kind = "file" if found.st_nlink == 1 else "link"
    return {
        "name": name,
        "kind": kind,
        "size": found.st_size,
        "modified": found.st_mtime,
        "executable": bool(mode & stat.S_IXUSR),
        "target": target,
    }

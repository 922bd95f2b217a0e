"""Measure and delete folders that users can write. No link is followed."""

from __future__ import annotations

import os
import stat
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from . import files


@dataclass
class Size:
    """The bytes on the disk and the files that were found. `whole` is False if there was no time for all of them."""

    bytes: int = 0
    files: int = 0
    whole: bool = True

    def add(self, other: Size) -> None:
        self.bytes += other.bytes
        self.files += other.files
        self.whole = self.whole and other.whole


def on_disk(found: os.stat_result) -> int:
    """Return the bytes that a file takes on the disk, as `du` counts: a small file takes a block."""
    return found.st_blocks * 512


def measure(path: Path, *, below: Path, until: float) -> Size:
    """Return the size of a file, or of a folder with everything in it; zero if it does not exist.

    If a folder between `below` and this one is a link, the size is zero. `until` is when to give up, by
    time.monotonic().
    """
    size = Size()
    with suppress(OSError), files.in_folder(str(path.parent), below=str(below)) as folder:
        found = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
        size.bytes, size.files = on_disk(found), 1
        if not stat.S_ISDIR(found.st_mode):
            return size
        for _, _, names, inner in os.fwalk(path.name, follow_symlinks=False, dir_fd=folder):
            for name in names:
                if time.monotonic() > until:
                    size.whole = False
                    return size
                with suppress(OSError):
                    size.bytes += on_disk(os.stat(name, dir_fd=inner, follow_symlinks=False))
                    size.files += 1
    return size


def delete(path: Path, over: Callable[[], bool] = lambda: False) -> bool:
    """Delete a folder with everything in it, or whatever is in its place. Return True if nothing of it is left.

    When `over` returns True, deleting stops; what is left can be deleted later in the same way.
    """
    with suppress(OSError):
        if path.is_symlink() or not path.is_dir():
            path.unlink(missing_ok=True)
            return True
        for _, folders, names, inner in os.fwalk(path, topdown=False, follow_symlinks=False):
            for name in (*names, *folders):
                if over():
                    return False
                delete_entry(name, inner)
        path.rmdir()
    return not os.path.lexists(path)


def delete_entry(name: str, folder: int) -> None:
    """Delete a file, a link or an empty folder."""
    with suppress(OSError):
        is_folder = stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
        remove = os.rmdir if is_folder else os.unlink
        try:
            remove(name, dir_fd=folder)
        except PermissionError:
            os.fchmod(folder, 0o700)  # a folder without write permission, such as a cache
            remove(name, dir_fd=folder)

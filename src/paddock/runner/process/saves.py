"""Notices when a task has saved something from which it can go on."""

from __future__ import annotations

import os
from typing import List, Tuple

MOST_FILES = 200  # that are looked at
MOST_LOOKS = 4  # after something was written for the first time: a task that saves very often is never seen at rest

Stamp = Tuple[int, int, int]


class SaveWatch:
    """Compares the files in the folder for checkpoints with those that were there when the attempt began."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._first = self._last = stamp(folder)
        self._changed = 0  # looks since then
        self._told = False

    def look(self) -> bool:
        """Return True once: when something was saved, and nothing was written since the last look or for some looks."""
        if self._told:
            return False
        before, self._last = self._last, stamp(self._folder)
        if self._last != self._first and self._last[1] > 0:
            self._changed += 1
            self._told = self._last == before or self._changed > MOST_LOOKS
        return self._told


def stamp(folder: str) -> Stamp:
    """Return when a file was changed last, how many there are and how large they are: of the first of them."""
    newest = count = size = 0
    folders: List[str] = [folder]
    while folders and count < MOST_FILES:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if count >= MOST_FILES:
                        break
                    count += 1
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                        continue
                    found = entry.stat(follow_symlinks=False)
                    newest, size = max(newest, found.st_mtime_ns), size + found.st_size
        except OSError:  # it may be gone by now
            continue
    return newest, size, count

"""Notices that the allocation was started a second time, maybe on another node: only the last start may go on."""

from __future__ import annotations

import os

from . import layout


class Fence:
    def __init__(self, allocation_dir: str, number: int) -> None:
        self._folder = allocation_dir
        self._next = os.path.basename(layout.journal(allocation_dir, number + 1))
        self.crossed = False

    def look(self) -> bool:
        """Whether there is a later start. A file system that does not answer has not said so."""
        # Opening makes a network file system ask its server; and that of the folder, whether new names are in it.
        try:
            folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            return self.crossed
        try:
            os.close(os.open(self._next, os.O_RDONLY, dir_fd=folder))
            self.crossed = True
        except OSError:
            pass
        finally:
            os.close(folder)
        return self.crossed

"""Detect that the allocation was started a second time, maybe on another node: only the last start may go on."""

from __future__ import annotations

import os

from ...common import files, layout


class Fence:
    def __init__(self, allocation_dir: str, number: int) -> None:
        self._folder = allocation_dir
        self._next = layout.journal(allocation_dir, number + 1)
        self.crossed = False

    def check(self) -> bool:
        """Return True if there is a later start. An error of the file system does not count as one."""
        # Opening the folder and the file makes a network file system ask its server whether there is a new one.
        try:
            os.close(files.open_plain(self._next, below=self._folder))
            self.crossed = True
        except files.NotPlain:  # whatever it is, a later start would have taken the next number
            self.crossed = True
        except OSError:
            pass
        return self.crossed

"""Notices that the allocation was started a second time, maybe on another node: only the last start may go on."""

from __future__ import annotations

import os

from ...common import files, layout


class Fence:
    def __init__(self, allocation_dir: str, number: int) -> None:
        self._folder = allocation_dir
        self._next = layout.journal(allocation_dir, number + 1)
        self.crossed = False

    def check(self) -> bool:
        """Whether there is a later start. A file system that does not answer has not said so."""
        # Opening makes a network file system ask its server; and that of the folder, whether new names are in it.
        try:
            os.close(files.open_plain(self._next, below=self._folder))
            self.crossed = True
        except files.NotPlain:  # whatever it is: a later start would have stepped over it, and not be seen
            self.crossed = True
        except OSError:
            pass
        return self.crossed

"""Limit the size of a task's log: its beginning and its end stay, and a line between them reports what was dropped.

The task writes to the file itself, always at its end (O_APPEND), and never waits for the runner: so the file is
truncated after its first half, and its last part is appended again. What the task prints in
between is lost with the middle.
"""

from __future__ import annotations

import os
import time
from typing import Callable, Optional

from ...common.files import open_plain
from ...common.size import size_text

LEAST = 64 * 1024
# It is checked again when it can be too large, if it grows at most by this many bytes per second.
FASTEST = 100_000_000
RARELY, SOON = 10.0, 0.1  # seconds


class LogLimit:
    def __init__(self, path: str, below: str, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._path, self._below = path, below
        self._most = max(most, LEAST)
        self._dropped = 0
        self._due = 0.0
        self._tail_at = 0  # where the part after the line begins

    def check(self) -> Optional[Callable[[int], int]]:
        """Shorten the log if it is too large. Then return a function from old offsets in the file to new ones."""
        now = self._clock()
        if now < self._due:
            return None
        try:
            found = os.stat(self._path)
        except FileNotFoundError:
            return None
        # A program that does not append leaves a hole where the log was truncated: holes take no space.
        size = min(found.st_size, found.st_blocks * 512)
        if size <= self._most:
            pause = min((self._most - size) / FASTEST, RARELY)
            self._due = now + pause if pause > SOON else 0.0
            return None
        descriptor = open_plain(self._path, os.O_RDWR | os.O_APPEND, below=self._below)
        try:
            return self._cut(descriptor)
        finally:
            os.close(descriptor)

    def _cut(self, descriptor: int) -> Callable[[int], int]:
        size = os.fstat(descriptor).st_size
        head = self._most // 2
        before = os.pread(descriptor, 4096, head - 4096)
        head -= len(before) - (before.rfind(b"\n") + 1 or len(before))  # at the end of a line, if lines are short
        tail = os.pread(descriptor, self._most // 16, size - self._most // 16)
        tail = tail[tail.find(b"\n", 0, 4096) + 1 :]
        kept_from = size - len(tail)
        self._dropped += kept_from - max(self._tail_at, head)
        line = "\n[paddock] this log was larger than %s: %s were dropped here\n"
        text = (line % (size_text(self._most), size_text(self._dropped))).encode()
        os.ftruncate(descriptor, head)
        view = memoryview(text + tail)
        while view:
            view = view[os.write(descriptor, view) :]
        self._tail_at = begins = head + len(text)

        def moved(place: int) -> int:
            return place if place <= head else begins + max(place - kept_from, 0)

        return moved

"""The runner's report: one JSON object per line. See docs/job-folder.md."""

from __future__ import annotations

import json
import os
import time
from typing import Any, Callable

from ..common import layout
from ..common.files import open_plain

_CHUNK = 1 << 20


class Journal:
    """Appends whole records; what cannot be written stays in memory and is tried again."""

    def __init__(self, path: str, number: int = 1, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self.path = path
        self.number = number
        self._pending = bytearray()
        self._offset = 0
        self.wrote_at = time.monotonic()

    @classmethod
    def create(cls, allocation_dir: str, now: Callable[[], float] = time.time) -> Journal:
        """Create a new journal for this start of the allocation, even if two start at the same moment."""
        number = 1
        while True:
            path = layout.journal(allocation_dir, number)
            try:
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
                return cls(path, number, now)
            except FileExistsError:
                number += 1

    def write(self, kind: str, **fields: Any) -> None:
        """Add a record; `flush` writes it to the disk."""
        record = {"e": kind, "at": round(self._now(), 3)}
        record.update(fields)
        self.wrote_at = time.monotonic()
        self._pending += json.dumps(record, separators=(",", ":")).encode() + b"\n"

    def flush(self) -> bool:
        """Write all records, and return True if everything is on the disk now."""
        try:
            while self._pending:
                written = self._store(bytes(self._pending[:_CHUNK]))
                del self._pending[:written]
                self._offset += written
        except OSError:
            return False
        return True

    def drain(self, seconds: float) -> bool:
        """Flush until everything is written, for up to this many seconds; return True if it is."""
        deadline = time.monotonic() + seconds
        while not self.flush():
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.2)
        return True

    def _store(self, data: bytes) -> int:
        # Only on closing does a network file system send the data and report errors, so only then it counts as written.
        # The offset of every byte is fixed: writing one again changes nothing.
        fd = open_plain(self.path, os.O_WRONLY)
        try:
            return os.pwrite(fd, data, self._offset)
        finally:
            os.close(fd)

"""Keeps what was computed of a job until something changes in it: every change is reported by an event."""

import time
from collections.abc import Callable, Sized
from dataclasses import dataclass
from threading import Lock
from typing import Generic, TypeVar

from paddock.server.store import events
from paddock.server.store.db import Connection

T = TypeVar("T", bound=Sized)


@dataclass
class _Entry(Generic[T]):
    value: T
    seen: int  # the newest event that the value takes into account, or that does not concern the job
    until: float


class Kept(Generic[T]):
    """Values by job, together up to `most` by `len`; those that were not asked for longest are dropped first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._entries: dict[str, _Entry[T]] = {}
        self._locks = [Lock() for _ in range(16)]  # a value that takes long is computed once for all who ask
        self._changing = Lock()

    def get(self, c: Connection, job: str, compute: Callable[[], tuple[T, float]]) -> T:
        """Return the value of a job.

        `compute` returns the value, and for how many seconds it holds if there is no event of the job.
        """
        newest = events.newest(c)
        with self._locks[hash(job) % len(self._locks)]:
            entry = self._entries.get(job)
            if entry is None or time.monotonic() > entry.until or events.concern(c, job, entry.seen):
                value, seconds = compute()
                entry = _Entry(value, newest, time.monotonic() + seconds)
            entry.seen = max(entry.seen, newest)
            self._keep(job, entry)
            return entry.value

    def _keep(self, job: str, entry: _Entry[T]) -> None:
        with self._changing:
            self._entries.pop(job, None)
            self._entries[job] = entry
            size = sum(len(one.value) for one in self._entries.values())
            for other in list(self._entries)[:-1]:
                if size > self._most:
                    size -= len(self._entries.pop(other).value)

"""Keeps large answers for a few seconds: many pages ask for the same."""

import time
from collections.abc import Callable, Hashable
from threading import Lock

MOST = 16


class RecentAnswers:
    """The last answers by what was asked. Only one is computed at a time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[Hashable, tuple[float, bytes]] = {}
        self._lock = Lock()

    def get(self, asked: Hashable, seconds: float, compute: Callable[[], bytes]) -> bytes:
        """Return the answer, which holds for this many seconds."""
        with self._lock:
            until, answer = self._known.pop(asked, (0.0, b""))
            if self._clock() >= until:
                answer = compute()
                until = self._clock() + seconds
            self._known[asked] = until, answer
            while len(self._known) > MOST:
                del self._known[next(iter(self._known))]
            return answer

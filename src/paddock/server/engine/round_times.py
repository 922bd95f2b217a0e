"""How long the engine's rounds take, counted from its start."""

import threading
from bisect import bisect_left

BOUNDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds


class RoundTimes:
    """A histogram. The engine's thread adds; any thread may read."""

    def __init__(self) -> None:
        self._counts = [0] * (len(BOUNDS) + 1)
        self._seconds = 0.0
        self._lock = threading.Lock()

    def add(self, seconds: float) -> None:
        with self._lock:
            self._counts[bisect_left(BOUNDS, seconds)] += 1
            self._seconds += seconds

    def read(self) -> tuple[list[int], float]:
        """Return the number of rounds up to each bound, and then of all; and the seconds of all together."""
        with self._lock:
            counts, seconds = list(self._counts), self._seconds
        return [sum(counts[: n + 1]) for n in range(len(counts))], seconds

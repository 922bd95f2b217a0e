"""The follower of a task, with a guard: an error while reading a file must not end the runner."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, TypeVar

from ..process.log_limit import LogLimit
from .follower import Follower

Record = Dict[str, Any]
T = TypeVar("T")


class GuardedFollower:
    def __init__(self, make: Callable[[], Follower], limit: Optional[LogLimit] = None) -> None:
        self._limit = limit
        self._warnings: List[Record] = []
        self._failed = False
        self._follower: Optional[Follower] = self.guard(make, None)

    @property
    def behind(self) -> bool:
        return self._follower is not None and self._follower.behind

    def poll(self, long: bool = False) -> List[Record]:
        """`long`: take the time to catch up, as the process has ended."""
        follower = self._follower
        records = self._take((lambda: follower.poll(long)) if follower else list)
        self.guard(self._bound_log, None)
        return records

    def _bound_log(self) -> None:
        place = self._limit.check() if self._limit else None
        if place is not None and self._follower:
            self._follower.log_cut(place)

    def mark(self, patterns: List[str]) -> None:
        follower = self._follower
        if follower:
            self.guard(lambda: follower.mark(patterns), None)

    def close(self, well: bool = False) -> List[Record]:
        follower = self._follower
        return self._take((lambda: follower.close(well)) if follower else list)

    def warning(self, text: str) -> None:
        self._warnings.append({"e": "warning", "text": text})

    def guard(self, call: Callable[[], T], otherwise: T) -> T:
        """Call, and return `otherwise` on an error. Only the first error gives a warning."""
        try:
            return call()
        except Exception as error:
            if not self._failed:
                self._failed = True
                self.warning("Paddock could not read the metrics of this task: %s: %s" % (type(error).__name__, error))
            return otherwise

    def _take(self, call: Callable[[], List[Record]]) -> List[Record]:
        nothing: List[Record] = []
        records = self.guard(call, nothing)
        warnings, self._warnings = self._warnings, []
        return records + warnings

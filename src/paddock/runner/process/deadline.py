"""When the allocation ends, and what still fits before that."""

from __future__ import annotations

import time
from collections import deque
from typing import Any, Callable, Deque, Mapping, NamedTuple, Optional

# Time between the last grace period and the end of the allocation, to report and to exit.
SPARE_SECONDS = 3.0
# Shares of the allocation, so that even a short one works most of its time.
LARGEST_WARNING = 0.25
LARGEST_MARGIN = 0.15
# If it is not known how long tasks take, one is begun while this share of the allocation is left.
LEAST_SHARE = 0.1
# With this share of the allocation left, another allocation would offer no more time.
FRESH_SHARE = 0.95
# Slurm may announce the end this much too early, as it checks time limits only now and then.
EARLY_SECONDS = 90.0
LATELY = 10
CAUTION = 1.1
_FAR = 10 * 365 * 86400.0


_LATEST = 1e11
_LONGEST = 300  # characters of a reason
_YIELDS = "its devices are for others from then on"


class Yield(NamedTuple):
    """When the allocation has to leave its devices to others, and why."""

    at: Optional[float] = None  # in seconds since 1970; None: it may stay
    why: str = ""


class _End(NamedTuple):
    at: float
    wall: int  # the same in seconds since 1970


class Deadline:
    """Times are those of the monotonic clock, as the other one can be set."""

    def __init__(
        self,
        time_limit: Optional[float],
        warn_seconds: float,
        grace_seconds: float,
        environ: Mapping[str, str],
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
        yields: Yield = Yield(),
    ) -> None:
        self._clock = clock
        self._wall_clock = wall_clock
        self._warn_seconds = warn_seconds
        self._grace_seconds = grace_seconds
        self._started = self._clock()
        self._own: Optional[_End] = None  # by its time limit
        self._yield: Optional[_End] = None
        self._yields = Yield()
        self._announced = False
        self._took: Deque[float] = deque(maxlen=LATELY)
        self._limit = time_limit or _limit(environ)
        left = _left(environ, wall_clock())
        if left is None:
            left = time_limit
        if left is not None:
            self._ends_in(left)
        self.yield_at(yields)

    @property
    def ends_at(self) -> Optional[int]:
        """When it ends, in seconds since 1970."""
        end = self._next
        return end and end.wall

    @property
    def warning_due(self) -> bool:
        """True if the end is so near that no task begins any more."""
        return self._announced or self._within(self._warning)

    @property
    def cut_at(self) -> Optional[float]:
        """When tasks that still run are ended, by its clock."""
        return None if self._end is None else self._end - self._margin

    @property
    def cut_due(self) -> bool:
        return self._within(self._margin)

    @property
    def grace(self) -> float:
        """How long a task that is ended has to save its state."""
        return min(self._grace_seconds, max(self._margin - SPARE_SECONDS, 0.75 * self._margin))

    @property
    def cause(self) -> str:
        return "preempted" if self._makes_way else "time_limit"

    @property
    def reason(self) -> str:
        if self._makes_way:
            return "it made way: " + (self._yields.why or _YIELDS)
        limit = " (%s)" % _words(self._limit) if self._limit else ""
        return "ended by the time limit of its allocation" + limit

    def announced(self) -> None:
        """Note that the scheduler has announced the end. That may be early: an end that is known and near stays."""
        self._announced = True
        soon = self._clock() + self._warn_seconds
        if self._own is None or soon + EARLY_SECONDS < self._own.at:
            self._ends_in(self._warn_seconds)

    def limit(self, seconds: float) -> None:
        """Set another time limit, unless the scheduler has announced the end."""
        if not self._announced and seconds != self._limit:
            self._limit = seconds
            self._ends_in(self._started + seconds - self._clock())

    def yield_at(self, given: Yield) -> None:
        """Leave the devices to others at that time, in addition to any time limit."""
        if given != self._yields:
            self._yields = given
            self._yield = None if given.at is None else self._after(given.at - self._wall_clock())

    def learn(self, seconds: float) -> None:
        """Take note of how long a task took that ended with exit code 0."""
        self._took.append(seconds)

    def fits(self, estimate: Optional[float]) -> bool:
        """Return True if a task may begin now. `estimate` is how long this task will take, if that is known."""
        if self._end is None:
            return True
        ever = self._total - self._warning
        left = self._end - self._warning - self._clock()
        needed = self._needed(estimate)
        # A task that is longer than any allocation continues from its checkpoint in the next one.
        if needed is None or needed > ever:
            return left >= LEAST_SHARE * self._total
        return needed <= left or left >= FRESH_SHARE * ever

    def _ends_in(self, seconds: float) -> None:
        self._own = self._after(seconds)

    def _after(self, seconds: float) -> _End:
        return _End(self._clock() + seconds, round(self._wall_clock() + seconds))

    @property
    def _next(self) -> Optional[_End]:
        return self._yield if self._makes_way else self._own

    @property
    def _makes_way(self) -> bool:
        return self._yield is not None and (self._own is None or self._yield.at < self._own.at)

    @property
    def _end(self) -> Optional[float]:
        end = self._next
        return end and end.at

    def _needed(self, estimate: Optional[float]) -> Optional[float]:
        if estimate is not None:
            return estimate * CAUTION
        return max(self._took) * CAUTION if self._took else None

    def _within(self, seconds: float) -> bool:
        return self._end is not None and self._clock() >= self._end - seconds

    @property
    def _total(self) -> float:
        return 0.0 if self._end is None else self._end - self._started

    @property
    def _margin(self) -> float:
        return min(self._grace_seconds + SPARE_SECONDS, LARGEST_MARGIN * self._total)

    @property
    def _warning(self) -> float:
        # No task begins that would be ended at once.
        return max(self._margin, min(self._warn_seconds, LARGEST_WARNING * self._total))


def parse_yield(value: Any) -> Yield:
    """Return what an order or a manifest says; what is not a time means that the allocation may stay."""
    at, why = (value.get("at"), value.get("why")) if isinstance(value, dict) else (None, None)
    if not isinstance(at, (int, float)) or isinstance(at, bool) or not 0 < at < _LATEST:
        return Yield()
    return Yield(float(at), str(why)[:_LONGEST] if why else "")


def _left(environ: Mapping[str, str], now: float) -> Optional[float]:
    end = _moment(environ, "SLURM_JOB_END_TIME")
    left = None if end is None else end - now
    return left if left is not None and 0 < left < _FAR else None


def _limit(environ: Mapping[str, str]) -> Optional[float]:
    start, end = _moment(environ, "SLURM_JOB_START_TIME"), _moment(environ, "SLURM_JOB_END_TIME")
    if start is None or end is None or not 0 < end - start < _FAR:
        return None
    return float(end - start)


def _moment(environ: Mapping[str, str], name: str) -> Optional[int]:
    try:
        return int(environ.get(name, ""))
    except ValueError:
        return None


def _words(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return "%d:%02d:%02d" % (minutes // 60, minutes % 60, rest)

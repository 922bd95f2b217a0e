"""How many GPUs a job has had over time, and why that changed: from when its tasks ran where. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

WINDOW = 1.0  # seconds: where there are too many changes, those within it, or twice as long and so on, are one
MOST_REASONS = 2  # that are named of one change


@dataclass(frozen=True)
class GpuUse:
    """An attempt that ran. Attempts side by side in an allocation have its GPUs together."""

    allocation: str
    gpus: int  # of the allocation
    began: float
    ended: float | None
    began_why: str = ""
    ended_why: str = ""


@dataclass(frozen=True)
class GpuChange:
    """From this moment on there are so many."""

    at: float
    gpus: int
    why: str


def gpus_over_time(uses: Sequence[GpuUse], most: int) -> list[GpuChange]:
    """Return the changes, the oldest first. If there are more than `most`, those near each other become one."""
    window, found = WINDOW, list(_merged(uses, 0.0))
    while len(found) > most:
        found = list(_merged(uses, window))
        window *= 2
    return found


def _merged(uses: Sequence[GpuUse], window: float) -> Iterator[GpuChange]:
    gpus, told, open_until = 0, 0, None
    at, reasons = 0.0, list[str]()
    for when, change, why in _steps(uses):
        if open_until is not None and when > open_until:
            if gpus != told or reasons:
                yield GpuChange(at, gpus, _words(reasons))
            told, open_until = gpus, None
        if open_until is None:
            at, open_until, reasons = when, when + window, []
        gpus += change
        if why:
            reasons.append(why)
    if open_until is not None:
        yield GpuChange(at, gpus, _words(reasons))


def _steps(uses: Sequence[GpuUse]) -> Iterator[tuple[float, int, str]]:
    """Yield each moment, by how many GPUs the number changes then, and why. What ends comes before what begins."""
    moments = [(one.began, True, one) for one in uses]
    moments += [(one.ended, False, one) for one in uses if one.ended is not None]
    running = Counter[str]()
    for at, begins, one in sorted(moments, key=lambda step: (step[0], step[1], step[2].allocation)):
        if at == one.began == one.ended:
            continue
        before = running[one.allocation] > 0
        running[one.allocation] += 1 if begins else -1
        change = one.gpus * ((running[one.allocation] > 0) - before)
        if change:
            yield at, change, one.began_why if begins else one.ended_why


def _words(reasons: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(reasons))
    more = len(distinct) - MOST_REASONS
    return "; ".join(distinct[:MOST_REASONS]) + (f"; and {more} more" if more > 0 else "")

"""In which order a scheduler should start what jobs of this server wait for in its queue. Pure."""

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from statistics import median

from paddock.models.choices import JobOrder
from paddock.rules.pool import JobDemand, job_of


def with_median(left: Sequence[float | None], most: Sequence[float]) -> list[float]:
    """Return how much work each job has left; of whom that is not known, the median of others, and at most `most`."""
    known = [one for one in left if one is not None] or [one for one in most if math.isfinite(one)]
    usual = median(known) if known else 0.0
    return [min(usual, limit) if one is None else one for one, limit in zip(left, most, strict=True)]


def places(order: JobOrder, turns: Sequence[JobDemand], waiting: Collection[str]) -> dict[str, int]:
    """Return the place of each job that waits, by job; equal ones share a place, and 0 goes first.

    `turns`: demands in the order in which the policy serves them; `waiting`: the keys of those with something in the
    queue. Where owners share, their priorities are not compared: each has a first place.
    """
    there = list({job_of(one.job): one for one in reversed(turns) if one.job in waiting}.values())[::-1]
    if order is not JobOrder.FAIR:
        return {job_of(one.job): place for place, one in enumerate(there)}
    levels: dict[str, set[int]] = defaultdict(set)
    for one in there:
        levels[one.owner].add(-one.priority)
    return {job_of(one.job): sorted(levels[one.owner]).index(-one.priority) for one in there}

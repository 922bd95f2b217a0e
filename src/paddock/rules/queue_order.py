"""In which order a scheduler should start what jobs of this server wait for in its queue. Pure."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from paddock.models.choices import JobOrder
from paddock.rules.pool import JobDemand, job_of


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

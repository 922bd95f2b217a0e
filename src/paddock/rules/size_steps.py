"""Which of the sizes that were decided are carried out now: shrink first, enlarge only into what is free. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from paddock.rules.sizing import SizeRoom, room


@dataclass(frozen=True)
class Sized:
    """A task with a number of GPUs, and the number that was decided for it. `node`: the first of its nodes.

    None: it waits. More GPUs than a node has are those of several whole ones, with `whole` each.
    """

    task: str
    node: str | None
    has: int
    to: int
    on: frozenset[str] = field(default_factory=frozenset)  # nodes where it can run
    whole: int | None = None  # None: it has one node in all sizes

    @property
    def grows(self) -> int:
        return self.to - self.has


def steps(tasks: Sequence[Sized], free: Mapping[str, int], promised: int, most: int) -> list[Sized]:
    """Return those that are resized now: all that wait, and at most so many of those that run.

    `free`: GPUs that nobody uses, by node. `promised`: those of them that tasks will take which wait, as they are.
    """
    smaller = sorted((one for one in tasks if one.grows < 0), key=lambda one: (one.grows, one.task))
    found = [one for one in smaller if one.node is None]
    found += [one for one in smaller if one.node is not None][: max(most, 0)]
    running = sum(one.node is not None for one in found)
    left, spare = dict(free), sum(free.values()) - promised
    for one in sorted((one for one in tasks if one.grows > 0), key=lambda one: (one.grows, one.task)):
        if one.node is not None and running >= most:
            continue
        mine = {node: gpus for node, gpus in left.items() if node in one.on}
        where = room(one.to, mine, one.node, one.has, one.whole)
        if one.grows > spare or where is SizeRoom.NONE:
            continue
        _take(left, mine, one, beside=where is SizeRoom.BESIDE)
        spare -= one.grows
        running += one.node is not None
        found.append(one)
    return found


def _take(left: dict[str, int], mine: Mapping[str, int], one: Sized, *, beside: bool) -> None:
    """Take what a task needs more from what is left: the fullest nodes that suffice, and what it leaves itself."""
    several = one.whole is not None and one.to > one.whole
    each, nodes = (one.whole, one.to // one.whole) if one.whole and several else (one.to, 1)
    if not beside:
        nodes -= max(one.has // each, 1)  # of its own
        if one.node is not None and one.has < each:
            left[one.node] -= each - one.has
    for _, node in sorted((gpus, node) for node, gpus in mine.items() if gpus >= each)[:nodes]:
        left[node] -= each

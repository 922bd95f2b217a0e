"""Which of the sizes that were decided are carried out now: shrink first, enlarge only into what is free. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from paddock.rules.sizing import SizeRoom, room


@dataclass(frozen=True)
class Sized:
    """A task with a number of GPUs of one node (None: it waits), and the number that was decided for it."""

    task: str
    node: str | None
    has: int
    to: int
    on: frozenset[str] = field(default_factory=frozenset)  # nodes where it can run

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
        where = room(one.to, mine, one.node, one.has)
        if one.grows > spare or where is SizeRoom.NONE:
            continue
        if where is SizeRoom.BESIDE:
            node = min((gpus, node) for node, gpus in mine.items() if gpus >= one.to)[1]
            left[node] -= one.to
        elif one.node is not None:
            left[one.node] -= one.grows
        spare -= one.grows
        running += one.node is not None
        found.append(one)
    return found

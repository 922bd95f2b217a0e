"""Where a task that is resized can go on: what is free, and what it leaves itself. Pure."""

from collections.abc import Mapping
from enum import Enum

from paddock.rules.pool import Pool


class SizeRoom(Enum):
    BESIDE = "as many devices as it wants are free beside those that it has"
    AFTER = "they are once it has left its own"
    NONE = "others have to end first"


def room(wanted: int, free: Mapping[str, int], node: str | None, has: int, whole: int | None = None) -> SizeRoom:
    """Return where a task finds this many devices. `free`: by node; it has some on `node`.

    They are of one node, or, if a node has `whole` and that is less, of several whole ones.
    """
    several = whole is not None and 0 < whole < wanted
    each, nodes = (whole, wanted // whole) if whole and several else (wanted, 1)
    beside = sum(count >= each for count in free.values())
    if beside >= nodes:
        return SizeRoom.BESIDE
    if whole and has > whole:
        own = has // whole
    else:
        there = free.get(node) if node is not None else None
        own = int(there is not None and there < each <= there + has)
    return SizeRoom.AFTER if beside + own >= nodes else SizeRoom.NONE


def free_devices(pool: Pool, key: str) -> dict[str, int]:
    """Return by node how many devices the tasks of a demand could use that no allocation has."""
    need = next(one.need for one in pool.demands if one.job == key)
    taken = {(name, device) for one in pool.holdings for name in one.nodes for device in one.devices}
    return {
        node.name: sum((node.name, device) not in taken for device in node.devices(need))
        for node in pool.nodes
        if node.usable and node.name in need.on
    }

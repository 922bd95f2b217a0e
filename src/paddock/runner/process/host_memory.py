"""How much memory is left on this node and for this allocation."""

from __future__ import annotations

import os
from typing import Iterator, NamedTuple, Optional, Tuple

from ...common import node_stats
from .usage import cgroup_folders, count


class HostMemory(NamedTuple):
    total: int
    available: int


def read() -> Optional[HostMemory]:
    """Return the memory of the node, or of the allocation where that is less."""
    total, free = node_stats.memory()
    bounds = [] if total is None or free is None else [HostMemory(total, free)]
    bounds += [HostMemory(limit, max(0, limit - used)) for limit, used in _limits()]
    return min(bounds, key=lambda one: one.available, default=None)


def _limits() -> Iterator[Tuple[int, int]]:
    """Yield limit and use of each of our memory cgroups. What the kernel could drop at once does not count as used."""
    for folder, old in cgroup_folders():
        limit = _number(folder, "memory.limit_in_bytes" if old else "memory.max")
        used = _number(folder, "memory.usage_in_bytes" if old else "memory.current")
        if limit is not None and used is not None and limit < 1 << 60:
            cache = count(os.path.join(folder, "memory.stat"), "inactive_file ", "total_inactive_file ") or 0
            yield limit, used - cache


def _number(folder: str, name: str) -> Optional[int]:
    try:
        with open(os.path.join(folder, name), encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):  # `max`: there is no limit
        return None

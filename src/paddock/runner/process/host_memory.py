"""How much memory there is left, on this machine and for this allocation."""

from __future__ import annotations

import os
from typing import Iterator, NamedTuple, Optional, Tuple

from .usage import cgroup_folders


class HostMemory(NamedTuple):
    total: int
    available: int


def read() -> Optional[HostMemory]:
    """The machine's, or the allocation's where that is less."""
    node = _of_node()
    bounds = [node] if node is not None else []
    bounds += [HostMemory(limit, max(0, limit - used)) for limit, used in _limits()]
    return min(bounds, key=lambda one: one.available, default=None)


def _of_node() -> Optional[HostMemory]:
    found = {}
    try:
        with open("/proc/meminfo", encoding="ascii", errors="replace") as file:
            for line in file:
                name, _, rest = line.partition(":")
                if name in ("MemTotal", "MemAvailable"):
                    found[name] = int(rest.split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        return None
    return HostMemory(found["MemTotal"], found["MemAvailable"]) if len(found) == 2 else None


def _limits() -> Iterator[Tuple[int, int]]:
    """(limit, in use) of every memory cgroup that we are in. What the kernel could drop at once is not in use."""
    for folder, old in cgroup_folders():
        limit = _number(folder, "memory.limit_in_bytes" if old else "memory.max")
        used = _number(folder, "memory.usage_in_bytes" if old else "memory.current")
        if limit is not None and used is not None and limit < 1 << 60:
            yield limit, used - _cache(folder)


def _number(folder: str, name: str) -> Optional[int]:
    try:
        with open(os.path.join(folder, name), encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):  # `max`: there is none
        return None


def _cache(folder: str) -> int:
    try:
        with open(os.path.join(folder, "memory.stat"), encoding="ascii") as file:
            for line in file:
                if line.startswith(("inactive_file ", "total_inactive_file ")):
                    return int(line.split()[1])
    except (OSError, ValueError):
        pass
    return 0

"""What a task uses, and whether the kernel killed a process for lack of memory."""

from __future__ import annotations

import os
import time
from typing import Callable, Dict, Iterable, Iterator, NamedTuple, Optional, Tuple

from ...common import processes

_NODE = "/proc/vmstat"


class ProcessUsage(NamedTuple):
    memory: int
    cpu: float


class Sampler:
    """Measures memory and busy cores of a process, its descendants, and those that belong to it in another way."""

    def __init__(self, pid: int, more: Callable[[], Iterable[int]] = tuple) -> None:
        self._pid = pid
        self._more = more
        self._at = time.monotonic()
        self._cpu: Dict[int, float] = {}
        self.peak_memory = 0

    def sample(self) -> Optional[ProcessUsage]:
        found = {pid: processes.stat(pid) for pid in {*processes.tree(self._pid), *self._more()}}
        stats = {pid: stat for pid, stat in found.items() if stat is not None}
        if not stats:
            return None
        now = time.monotonic()
        # By process: the sum over a tree falls when one of its processes ends.
        busy = sum(max(0.0, stat.cpu_seconds - self._cpu.get(pid, 0.0)) for pid, stat in stats.items())
        memory = sum(stat.memory for stat in stats.values())
        cores = busy / max(now - self._at, 0.001)
        self._at = now
        self._cpu = {pid: stat.cpu_seconds for pid, stat in stats.items()}
        self.peak_memory = max(self.peak_memory, memory)
        return ProcessUsage(memory, round(cores, 3))


class OomCounter:
    """Counts how often the kernel has killed in our memory cgroup or, if that does not report it, on this node.

    `everywhere`: on this node in any case, for what may run in another cgroup than we do.
    """

    def __init__(self, everywhere: bool = False) -> None:
        paths = [_NODE] if everywhere else [*_counters(), _NODE]
        self._path = next((path for path in paths if count(path, "oom_kill ") is not None), None)

    def read(self) -> int:
        return (self._path and count(self._path, "oom_kill ")) or 0


def _counters() -> Iterator[str]:
    for folder, old in cgroup_folders():
        yield os.path.join(folder, "memory.oom_control" if old else "memory.events")


def cgroup_folders() -> Iterator[Tuple[str, bool]]:
    """Yield our memory cgroups, the innermost first, and whether each is of version 1."""
    try:
        with open("/proc/self/cgroup", encoding="utf-8", errors="replace") as file:
            lines = [line.rstrip("\n").split(":", 2) for line in file]
    except OSError:
        lines = []
    groups = {fields[1]: fields[2] for fields in lines if len(fields) == 3}
    if "" in groups:
        for folder in _upwards("/sys/fs/cgroup", groups[""]):
            yield folder, False
    for controllers, path in groups.items():
        if "memory" in controllers.split(","):
            for folder in _upwards("/sys/fs/cgroup/memory", path):
                yield folder, True


def _upwards(mount: str, group: str) -> Iterator[str]:
    # In a container the path may be one of the node's; then a folder above it is the one that is visible here.
    group = group.strip("/")
    while group:
        yield os.path.join(mount, group)
        group = os.path.dirname(group)
    yield mount


def count(path: str, *names: str) -> Optional[int]:
    """Return the number after one of these names in a file of the kernel."""
    try:
        with open(path, encoding="ascii") as file:
            for line in file:
                if line.startswith(names):
                    return int(line.split()[1])
    except (OSError, ValueError):
        pass
    return None

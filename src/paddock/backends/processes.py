"""Processes of this node, distinguished from later ones with the same id."""

import signal

from paddock.common.processes import all_pids, signal_process, started, variable

__all__ = ["MARK", "alive", "kill_marked", "marked", "started"]

MARK = "PADDOCK_ALLOCATION"


def alive(pid: int, start: int | None) -> bool:
    return start is not None and started(pid) == start


def marked(key: str) -> list[int]:
    """Return all processes that were started for this allocation, also those that left its process groups."""
    return [pid for pid in all_pids() if variable(pid, MARK) == key and started(pid) is not None]


def kill_marked(key: str) -> None:
    """Kill all processes that an allocation left behind. The next round finds those that were forked meanwhile."""
    for _ in range(20):
        remaining = marked(key)
        if not remaining:
            break
        for pid in remaining:
            signal_process(pid, signal.SIGKILL)

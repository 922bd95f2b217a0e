"""Processes of this node, distinguished from later ones with the same id."""

import os
import signal
from pathlib import Path

from paddock.common.processes import started

__all__ = ["MARK", "alive", "kill_marked", "marked", "started"]

MARK = "PADDOCK_ALLOCATION"


def alive(pid: int, start: int | None) -> bool:
    return start is not None and started(pid) == start


def marked(key: str) -> list[int]:
    """Return all processes that were started for this allocation, also those that left its process groups."""
    wanted = f"{MARK}={key}".encode()
    found = []
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            environment = Path(f"/proc/{entry.name}/environ").read_bytes()
        except OSError:
            continue  # gone meanwhile, or another user's
        if wanted in environment.split(b"\0") and started(int(entry.name)) is not None:
            found.append(int(entry.name))
    return found


def kill_marked(key: str) -> list[int]:
    """Kill all processes that an allocation left behind. The next round finds those that were forked meanwhile."""
    killed: list[int] = []
    for _ in range(20):
        remaining = marked(key)
        if not remaining:
            break
        for pid in remaining:
            try:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
            except (ProcessLookupError, PermissionError):
                pass
    return killed

"""Decide what follows when a task failed because of the tasks beside it: more memory, then alone, then an error. Pure.

Each retry adds one demand to those of the attempt before it: memory on its GPU, memory of its node, or that no other
task is beside it. There are no more than these three, so there are no more than MAX_RETRIES, and none is ever lowered.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

MAX_RETRIES = 3
GPU, HOST, FAULT = "gpu", "host", "fault"  # what a task failed of: memory on its GPU, of its node, a fault under MPS
_LARGEST = 0.9  # of the memory that there is: a task that needs more than this cannot share it


class MemoryNeeded(NamedTuple):
    """What an attempt has to wait for. JSON in tasks.jsonl (`room`) and in journals (`again`)."""

    gpu: Optional[int] = None  # bytes on its GPU
    host: Optional[int] = None  # bytes of its node
    alone: bool = False  # no other task on its GPU; if `host` is set, or it has no GPU, none in its allocation

    @property
    def retries(self) -> int:
        """How many retries have led to these demands."""
        return (self.gpu is not None) + (self.host is not None) + self.alone


def parse(given: Any) -> MemoryNeeded:
    """Read what a file contains; what is no valid demand is none."""
    if not isinstance(given, dict):
        return MemoryNeeded()
    gpu, host = (one if type(one) is int and one > 0 else None for one in (given.get("gpu"), given.get("host")))
    return MemoryNeeded(gpu, host, given.get("alone") is True)


def next_memory_needed(
    before: MemoryNeeded, failed_of: str, shared: bool, need: int = 0, total: int = 0
) -> Optional[MemoryNeeded]:
    """Return the demands of the next attempt; None if more memory cannot help: then the task has failed.

    `before` is what the attempt that failed had waited for, `shared` is whether others were beside it, `need` is how
    many bytes it would have needed, and `total` how many there are (0 each: not known).
    """
    if not shared:
        return None
    had = {GPU: before.gpu, HOST: before.host}
    tried = had.get(failed_of) is not None
    if failed_of != FAULT:
        had[failed_of] = max(had[failed_of] or 0, min(need, int(total * _LARGEST)) if total else need) or None
    alone = before.alone or tried or failed_of == FAULT or need > total * _LARGEST or not (need and total)
    found = MemoryNeeded(had[GPU], had[HOST], alone)
    return found if is_further(before, found) else None


def is_further(before: MemoryNeeded, after: MemoryNeeded) -> bool:
    """Return True if these demands may follow those: a retry has to add one."""
    return before.retries < after.retries <= MAX_RETRIES

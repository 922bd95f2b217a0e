"""Tasks that have started before it is known whether there is room for them on a GPU.

To start a task takes seconds of a processor (imports, data) and no GPU memory. So while nothing is known yet of what
the tasks of a job need, further ones start, on the cores that the first leave, and are stopped where they begin to use
the GPU. They go on as soon as they fit, the largest first. Those for which there is no room soon are given back.
"""

from __future__ import annotations

import signal
from typing import Callable, Dict, List, Optional, Set

from ...common import processes
from ...common.gpus import GpuReading
from ..mailbox import Identity
from .occupants import Occupant

WAIT_SECONDS = 60.0  # after this it is given back: others may have room, and it holds memory of the node
UNKNOWN_SECONDS = 900.0  # the same, if by then nothing is known: the tasks before it hang
MOST_PASSED = 2  # smaller ones that begin before a large one
LARGE = 0.25  # of a GPU's memory


class EarlyStarts:
    """The tasks that wait for room on one GPU."""

    def __init__(self) -> None:
        self.waiting: Dict[Identity, Occupant] = {}
        self._stopped: Dict[Identity, Set[int]] = {}
        self._passed: Dict[Identity, int] = {}
        self._since: Optional[float] = None  # when it became known what tasks need

    def __len__(self) -> int:
        return len(self.waiting)

    def add(self, occupant: Occupant) -> None:
        self.waiting[occupant.attempt.identity] = occupant

    def remove(self, identity: Identity) -> None:
        for known in (self.waiting, self._stopped, self._passed):
            known.pop(identity, None)

    def stop_users(self, reading: GpuReading, owner: Callable[[int], Optional[Identity]]) -> None:
        """Stop the processes of these tasks that have begun to use the GPU, unless others may wait for them."""
        self._free_locks()
        for pid in reading.processes:
            whose = owner(pid)
            if whose is not None and whose in self.waiting and pid not in self._stopped.setdefault(whose, set()):
                self._stopped[whose].add(pid)
                processes.signal_process(pid, signal.SIGSTOP)

    def _free_locks(self) -> None:
        """Let those go on for a moment that hold a lock on a file: the tasks before them may need it."""
        stopped = set().union(*self._stopped.values())
        for pid in stopped and stopped & processes.lock_holders():
            processes.signal_process(pid, signal.SIGCONT)
            for pids in self._stopped.values():
                pids.discard(pid)

    def let_go(self, identity: Identity, now: float) -> Occupant:
        """Let a task use the GPU."""
        occupant = self.waiting[identity]
        for pid in self._stopped.get(identity, ()):
            processes.signal_process(pid, signal.SIGCONT)
        self.remove(identity)
        occupant.grew_at = now
        return occupant

    def admit(
        self,
        need: Callable[[Occupant], Optional[int]],
        fits: Callable[[Occupant], bool],
        begin: Callable[[Identity], None],
        total: int,
    ) -> None:
        """Call `begin` for each task that fits, the largest first. A large one is not passed by many."""
        for one in sorted(self.waiting.values(), key=lambda one: -(need(one) or 0)):
            identity = one.attempt.identity
            if identity not in self._passed and max(self._passed.values(), default=0) >= MOST_PASSED:
                return
            if fits(one):
                self._passed = {larger: count + 1 for larger, count in self._passed.items()}
                begin(identity)
            elif need(one) is None:
                return  # nothing is known, so no other fits either
            elif (need(one) or 0) > total * LARGE:
                self._passed.setdefault(identity, 0)

    def overdue(self, known: bool, now: float) -> List[Identity]:
        """Return the tasks for which there has been no room for long, since it is known what tasks need."""
        if not self.waiting:
            return []
        first = min(one.began for one in self.waiting.values())
        self._since = now if known and self._since is None else self._since
        waited = known and now - (self._since or now) >= WAIT_SECONDS
        return list(self.waiting) if waited or now - first >= UNKNOWN_SECONDS else []

"""Find the processes that a task has left when its own process has ended."""

from __future__ import annotations

import os
from typing import Collection, List, NamedTuple, Optional

from ...common import processes


class Leftover(NamedTuple):
    pid: int
    in_group: bool


class Leftovers:
    """Orphans become children of the runner, so only those have to be checked.

    They are assigned to tasks by their group or session or, if they have left these, by PADDOCK_TASK in their
    environment. One that has nothing of this ends with the last task that runs.
    """

    def __init__(self) -> None:
        self._me = os.getpid()
        # A runner that was started by `exec` in a shell has the children of the shell.
        self._strangers = frozenset(processes.children(self._me))

    def of(
        self, leader: int, task: str, leaders: Collection[int], others: Collection[str], service: Optional[int] = None
    ) -> List[Leftover]:
        """Return what a task has left.

        `leaders` are the processes of running tasks, `others` the names of all other tasks, and `service` is the leader
        of a group that serves all tasks.
        """
        found = []
        for pid in processes.children(self._me):
            if pid in leaders or pid in self._strangers:
                continue
            group = _group(pid)
            if service is not None and group == service:
                continue
            mine = leader in (group, processes.session(pid))
            if mine or not others or processes.variable(pid, "PADDOCK_TASK") == task:
                found.append(Leftover(pid, group == leader))
        return found


def _group(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except OSError:
        return 0

"""Finds what a task has left behind when its own process has ended."""

from __future__ import annotations

import os
from typing import Collection, List, NamedTuple, Optional

from ...common import processes


class Leftover(NamedTuple):
    pid: int
    in_group: bool


class Leftovers:
    """Orphans come to the runner as its own children: no other process has to be looked at.

    They are told apart by their group and, if they have left that, by PADDOCK_TASK in their environment. One that has
    hidden both is everybody's: it goes with the last task that runs.
    """

    def __init__(self) -> None:
        self._me = os.getpid()
        # A runner that replaced a shell has the shell's children.
        self._strangers = frozenset(processes.children(self._me))

    def of(
        self, leader: int, task: str, leaders: Collection[int], others: Collection[str], service: Optional[int] = None
    ) -> List[Leftover]:
        """`leaders` are the processes of running tasks, `others` the names of all tasks but this one.

        `service` leads a group that serves all of them.
        """
        found = []
        for pid in processes.children(self._me):
            if pid in leaders or pid in self._strangers:
                continue
            group = _group(pid)
            if service is not None and group == service:
                continue
            in_group = group == leader
            if in_group or _owned(pid, task, others):
                found.append(Leftover(pid, in_group))
        return found


def _owned(pid: int, task: str, others: Collection[str]) -> bool:
    return not others or processes.variable(pid, "PADDOCK_TASK") == task


def _group(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except OSError:
        return 0

"""The container of an attempt, where its engine starts it apart from the attempt's own processes, as Podman does."""

from __future__ import annotations

import os
from typing import List, Optional

from ...common import containers, processes
from ..mailbox import QueuedAttempt
from ..manifest import Manifest
from .guard import MARK


class Apart:
    """Knows the container by its name, and its processes by their environment."""

    def __init__(self, key: str, task: str, attempt: int) -> None:
        self._wanted = {"PADDOCK_TASK": task, "PADDOCK_ATTEMPT": str(attempt), MARK: os.environ.get(MARK, "")}
        self.name = containers.name_of({"PADDOCK_ALLOCATION": key, **self._wanted})

    def pids(self) -> List[int]:
        return processes.with_variables(self._wanted)

    def remove(self) -> None:
        containers.remove(self.name)


def of(manifest: Manifest, attempt: QueuedAttempt) -> Optional[Apart]:
    """Return the container of an attempt if it is apart from what the runner starts."""
    given = manifest.container
    if given is None or not containers.is_apart(given):
        return None
    return Apart(manifest.key, attempt.task, attempt.number)

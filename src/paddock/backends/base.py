"""The protocol of a backend."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from paddock.models import AllocationSpec, AllocationStatus, Node


class Backend(Protocol):
    """Runs allocations somewhere. Knows nothing of jobs, sweeps, users or the database.

    Every call may be slow or raise BackendUnavailable: callers keep what they knew and ask again later.
    A backend remembers what it was given across a restart of the server.
    """

    name: str

    def submit(self, spec: AllocationSpec) -> str:
        """Ask for an allocation; the id that the backend knows it by. Idempotent on spec.key."""
        ...

    def poll(self, ids: Sequence[str]) -> Mapping[str, AllocationStatus]:
        """One call for all. What is absent in the answer is missing: never take it for ended well.

        `ids` are all that the caller still cares about; the backend may forget ended ones that are not among them.
        An allocation is reported as ended only when nothing of it runs any more.
        """
        ...

    def cancel(self, ids: Sequence[str]) -> None:
        """End these, waiting or running; unknown and ended ones are ignored."""
        ...

    def nodes(self) -> Sequence[Node]:
        """The machines, their devices and what is on them."""
        ...

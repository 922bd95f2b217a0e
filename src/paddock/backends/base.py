"""The protocol of a backend."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from paddock.models import AllocationBatch, AllocationChange, AllocationStatus, Check, Node


@dataclass(frozen=True)
class PollPace:
    """How often a backend may be asked, in seconds."""

    fastest: float = 0.0  # while things change
    slowest: float = 0.0  # when nothing has changed for a while
    nodes: float = 5.0


class Backend(Protocol):
    """Runs allocations somewhere. Knows nothing of jobs, sweeps, users or the database.

    Every call may be slow or raise BackendUnavailable: callers keep what they knew and ask again later.
    A backend remembers what it was given across a restart of the server.
    """

    name: str
    pace: PollPace
    sure: bool  # what it says has ended has ended; else a runner may go on, on a node that the scheduler has given up
    queued: int | None
    """How many the backend has of this user, waiting or running, as last seen; None where nobody counts."""

    def submit(self, batch: AllocationBatch) -> Sequence[str]:
        """Ask for allocations; the ids that the backend knows them by, in their order. Idempotent on batch.key.

        Fewer than asked for when it takes no more at once: the others will never be. Raises BackendBusy when it
        takes none for now, BackendClosed when it takes none of these for now, and any other BackendError when it
        never will.
        """
        ...

    def poll(self, ids: Sequence[str]) -> Mapping[str, AllocationStatus]:
        """One call for all. What is absent in the answer is missing: never take it for ended well.

        `ids` are all that the caller still cares about; the backend may forget ended ones that are not among them.
        An allocation is reported as ended only when nothing of it runs any more, as far as the backend can know.
        """
        ...

    def trace(self, ids: Sequence[str]) -> Mapping[str, AllocationStatus]:
        """What became of allocations that `poll` no longer lists; slow, and nothing where it cannot be known."""
        ...

    def cancel(self, ids: Sequence[str], *, waiting_only: bool = False) -> None:
        """End these, waiting or running; unknown and ended ones are ignored.

        `waiting_only` leaves those alone that run by now: what the caller knows of them may be old.
        """
        ...

    def change(self, ids: Sequence[str], change: AllocationChange) -> None:
        """Hold, release or give other limits; ended ones are ignored. Raises BackendError with what was refused."""
        ...

    def nodes(self) -> Sequence[Node]:
        """The machines, their devices and what is on them."""
        ...

    def script(self, batch: AllocationBatch) -> str | None:
        """Exactly what would be submitted, where that is a text. Asks nobody."""
        ...

    def check(self, batch: AllocationBatch) -> Check:
        """Would it be accepted, and when would it start?"""
        ...

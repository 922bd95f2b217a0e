"""The protocol of a backend."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from paddock.models import AllocationBatch, AllocationChange, AllocationStatus, Check, HostInfo, Node, Traits
from paddock.rules.giving_way import Others


@dataclass(frozen=True)
class PollPace:
    """How often a backend may be asked, in seconds."""

    fastest: float = 0.0  # while things change
    slowest: float = 0.0  # when nothing has changed for a while
    nodes: float = 5.0


@dataclass(frozen=True)
class WantedReservation:
    """What a scheduler should keep free: these nodes for these people, from one time until another."""

    id: str
    nodes: Mapping[str, int | None]  # with the number of GPUs to reserve on each; None: all of the node
    users: Collection[str]  # Unix accounts; none: the account that the server's own allocations belong to
    starts_at: float
    ends_at: float
    maintenance: bool = False  # nobody may use them, and what runs there is left alone

    @property
    def name(self) -> str:
        """Return the name by which the scheduler knows it."""
        return f"{RESERVATION_PREFIX}{self.id}"


RESERVATION_PREFIX = "paddock-"


@dataclass(frozen=True)
class Enforcement:
    """Whether a scheduler keeps others away from what is reserved; if not, why not, in its own words."""

    state: Literal["yes", "no"]
    why: str | None = None


PROTECT_SECONDS = 2.0  # at least this often processes on GPUs are looked at, where they are protected


class Backend(Protocol):
    """A place where allocations run. It knows no jobs, users or database.

    Every call may be slow or raise BackendUnavailable: callers keep what they know and ask again later.
    A backend remembers its allocations across a restart of the server.
    """

    name: str
    traits: Traits
    pace: PollPace
    sure: bool  # False: a runner may continue after `ended`, on a node that the scheduler has given up
    hides_others: bool
    """What others wait for cannot be seen: then allocations leave after a while, so that others have their turn."""
    queue_length: int | None
    """How many the backend has of this user, waiting or running, as last seen; None where nobody counts."""

    def submit(self, batch: AllocationBatch) -> Sequence[str]:
        """Request allocations and return the backend's ids of them, in their order. Idempotent on batch.key.

        There are fewer ids than requested if the backend accepts no more at once: the others will never exist. Raises
        BackendBusy if it accepts none at the moment, BackendClosed if it accepts none of this kind at the moment, and
        any other BackendError if it never will.
        """
        ...

    def poll(self, ids: Sequence[str]) -> Mapping[str, AllocationStatus]:
        """Return the states of all these allocations. One without a state is missing, which does not mean ended.

        `ids` are all that the caller still needs: the backend may forget others that have ended. An allocation is
        reported as ended only when nothing of it runs any more, as far as the backend can know.
        """
        ...

    def trace(self, ids: Sequence[str]) -> Mapping[str, AllocationStatus]:
        """Return what became of allocations that `poll` does not list any more, as far as it can be known. Slow."""
        ...

    def cancel(self, ids: Sequence[str], *, waiting_only: bool = False) -> None:
        """End these allocations, waiting or running. Unknown and ended ones are ignored.

        `waiting_only`: those that run by now continue, as the caller's knowledge may be old.
        """
        ...

    def change(self, ids: Sequence[str], change: AllocationChange) -> None:
        """Hold or release these allocations, or change their limits. Ended ones are ignored.

        Raises BackendError with what was refused.
        """
        ...

    def nodes(self) -> Sequence[Node]:
        """Return the nodes, their devices and what runs on them."""
        ...

    def script(self, batch: AllocationBatch) -> str | None:
        """Return the text that would be submitted; None if the backend submits no text."""
        ...

    def check(self, batch: AllocationBatch) -> Check:
        """Return whether the batch would be accepted, and when it would start."""
        ...

    def reserve(self, wanted: Sequence[WantedReservation], known: Collection[str]) -> Mapping[str, Enforcement]:
        """Make the scheduler's reservations what is wanted, and return what became of each, by id.

        `known`: the ids of all that the caller has made. Of those that the scheduler has and that are not wanted
        any more, it is made to forget them; others are somebody else's, and left alone.
        """
        ...

    def others(self) -> Others | None:
        """Return what others have and wait for where this server has something; None: there are no others to see."""
        ...

    def hosts(self) -> Sequence[HostInfo]:
        """Return the hosts, where people can add some; none elsewhere."""
        ...

    def close(self) -> None:
        """Ask nothing any more. What runs goes on."""
        ...

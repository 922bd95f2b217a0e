"""Allocations: what the engine requests from backends, and what backends report."""

from pydantic import Field

from paddock.models.base import Cause, Model
from paddock.models.resources import Resources
from paddock.models.states import AllocationState as AllocationState


class Place(Model):
    """Where an allocation runs, on a backend without a queue."""

    node: str
    devices: list[str] = Field(description="ids of GPUs if it needs GPUs, else numbers of CPU slots")


class AllocationBatch(Model):
    """Equal allocations that are requested in one call. The n-th, from 0, has the key `KEY.n`.

    `key` is unique and makes submit idempotent.
    """

    key: str
    count: int = Field(1, ge=1)
    name: str
    folder: str = Field(description="the folder without the number of the allocation; the backend may write there")
    mirror: str | None = Field(
        None, description="the same on the server's side, where the backend keeps notes; none: `folder` itself"
    )
    user: str | None = Field(None, description="the Unix account that it runs as; none: the server's own")
    runner: list[str] = Field(description="the command that starts the runner; {folder} is the allocation's folder")
    resources: Resources = Field(description="what the whole allocation needs on each of its nodes")
    grace_seconds: float = 10.0
    entered: str | None = Field(
        None, description="the reservation of the scheduler for which they are requested, as their owner has it"
    )
    places: list[Place] = Field(
        default_factory=list, description="one per allocation; none where the backend has a queue and chooses the node"
    )

    @property
    def keys(self) -> list[str]:
        return [f"{self.key}.{number}" for number in range(self.count)]

    def folder_of(self, number: int) -> str:
        return f"{self.folder}.{number}"

    def command_of(self, number: int) -> list[str]:
        return [self.folder_of(number) if part == FOLDER else part for part in self.runner]


FOLDER = "{folder}"


class AllocationStatus(Model):
    state: AllocationState
    node: str | None = None
    others: tuple[str, ...] = Field((), description="its further nodes, where it has several")
    reason: str | None = Field(None, description="why it waits, or why it ended")
    starts_at: float | None = Field(None, description="when it is expected to start, seconds since 1970")
    never: bool = Field(False, description="it will not start by itself")
    cause: Cause | None = Field(None, description="why it ended, where the backend knows")
    by_hand: bool = Field(False, description="a person ended it on the backend itself, such as with scancel")
    held: bool = Field(False, description="the owner held it on the backend; may also be set while it runs")


class AllocationChange(Model):
    """Changes of an allocation; fields that are not given stay as they are."""

    held: bool | None = None
    time_limit: int | None = Field(None, description="seconds")
    nice: int | None = None

"""The queue of the server: what runs and waits, and when it is expected to begin and to end."""

from datetime import datetime

from pydantic import Field

from paddock.models.base import Model
from paddock.models.sizes import SizeChange
from paddock.models.tasks import Expected, Waits


class QueuedTask(Model):
    """A task that waits."""

    id: str
    expected_start: Expected | None = None
    expected_end: Expected | None = None


class QueuedJob(Model):
    """A job with tasks that run or wait."""

    id: str
    owner: str
    name: str
    backend: str
    priority: int = 0
    created_at: datetime
    running: int = Field(description="number of its tasks that run")
    waiting: int = Field(description="number of its tasks that wait")
    held: bool = False
    place: int | None = Field(
        None,
        description="which turn its next task has among the jobs that wait for devices of the backend, from 1 on; "
        "null: it waits for something else, or a scheduler decides",
    )
    waits: Waits | None = Field(None, description="why its tasks wait")
    expected_start: Expected | None = Field(None, description="when the next of its tasks starts; null: not known")
    expected_end: Expected | None = Field(None, description="when all of its tasks will have ended; null: not known")
    tasks: list[QueuedTask] = Field(default_factory=list, description="the next of its tasks that wait, if asked for")


class QueuePage(Model):
    items: list[QueuedJob] = Field(
        description="first the jobs that wait, by backend and in the order in which they go on; up to 500"
    )
    next: list[SizeChange] = Field(
        default_factory=list, description="which trainings the policy would give other numbers of GPUs next"
    )
    team: bool = Field(False, description="people have accounts here: show whose each job is")

"""What a cluster would do with some jobs."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from paddock.models.base import Model, Name
from paddock.models.spec import Submission

MOST_JOBS, MOST_TASKS = 50, 5_000
MOST_SECONDS = 10 * 365 * 86400.0  # of a task


class PlannedSubmission(Submission):
    """A job as it would be submitted, and how long its tasks take where the server does not know it."""

    task_seconds: float | None = Field(
        None, gt=0, le=MOST_SECONDS, description="of a task, where no earlier job of its program shows it"
    )
    after: float = Field(0.0, ge=0, le=MOST_SECONDS, description="submitted this many seconds from now")


class MadeNodes(Model):
    """Equal nodes that are made up."""

    count: int = Field(ge=1, le=512)
    gpus: int = Field(ge=1, le=64, description="per node")


class PlanRequest(Model):
    """The jobs to plan, in the order in which they are submitted."""

    jobs: list[PlannedSubmission] = Field(min_length=1, max_length=MOST_JOBS)
    nodes: MadeNodes | None = Field(None, description="in place of the server's nodes")
    backend: Name | None = Field(None, description="where jobs run that name none; the server's default when not given")


class PlannedJob(Model):
    """What would become of a job."""

    name: str
    tasks: int
    ended: int = Field(description="tasks that have ended in the time that was simulated")
    task_seconds: float = Field(description="mean of its tasks, as supposed")
    known: int = Field(description="earlier tasks of its program from which that is known; 0: as given")
    starts_at: datetime | None = Field(None, description="when its first task begins")
    ends_at: datetime | None = Field(None, description="when its last task ends; none: not in the simulated time")
    most_slots: int = Field(description="GPUs, or CPU slots, that it has at most at a time")
    slot_hours: float
    waits: str | None = Field(None, description="why tasks of it still wait at the end")


class SlotUse(Model):
    """How many GPUs, or CPU slots, are in use from some time on."""

    at: datetime
    slots: int


class JobsPlan(Model):
    """What a cluster would do with some jobs, if nothing else ran there."""

    at: datetime
    jobs: list[PlannedJob]
    complete: bool = Field(description="all jobs have ended in the time that was simulated")
    ends_at: datetime = Field(description="until when was simulated")
    nodes: int
    kind: Literal["gpu", "cpu"] = Field(description="what is counted: GPUs, or CPU slots where no node has a GPU")
    slots: int
    slot_hours: float = Field(description="of the allocations of all jobs")
    full: float = Field(description="share of them that is in use on average, from the beginning to the end")
    use: list[SlotUse] = Field(description="at most 200 steps")
    warnings: list[str] = Field(default_factory=list)

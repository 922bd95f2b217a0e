"""How many GPUs jobs have had, and what is about to change."""

from datetime import datetime

from pydantic import Field

from paddock.models.base import Model


class SizeChange(Model):
    """A task that the policy wants to go on with another number of GPUs."""

    task: str
    now: int = Field(description="GPUs that it has")
    to: int = Field(description="GPUs that it is to have")
    why: str
    begun: bool = Field(False, description="it is under way; otherwise it follows in a later round, if nothing changes")


class GpusPoint(Model):
    """From this moment on a job has so many GPUs."""

    at: datetime
    gpus: int
    why: str = Field("", description="what began or ended, or who resized a task and why")


class JobGpus(Model):
    points: list[GpusPoint] = Field(description="the GPUs in use by its tasks, the oldest first, up to 1,000")
    next: list[SizeChange] = Field(default_factory=list, description="what the policy would change next")

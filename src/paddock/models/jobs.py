"""Jobs as the server shows them, and what may be asked of them."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from paddock.models.base import MOST_SECONDS, Model, Name, Params, RelativePath, Seconds, Text
from paddock.models.script import ScriptReport
from paddock.models.spec import CodeInfo, JobSpec, Objective, Submission
from paddock.models.tasks import Page


class TaskCounts(Model):
    submitted: int = 0
    running: int = 0
    finished: int = 0
    error: int = 0
    stopped: int = 0
    pruned: int = 0

    @property
    def total(self) -> int:
        return self.submitted + self.running + self.finished + self.error + self.stopped + self.pruned

    @property
    def unended(self) -> int:
        return self.submitted + self.running


class Job(Model):
    id: str
    owner: str
    name: str
    description: str
    tags: list[str]
    created_at: datetime
    ended_at: datetime | None = None
    objective: Objective
    counts: TaskCounts
    ended: bool = Field(description="no task is waiting or running, and none is to come, of a search or to reduce")
    searching: bool = Field(False, description="further tasks are to come: the search is not over")
    to_come: int | None = Field(None, description="how many, where it is known")
    best_task: str | None = None
    best_value: float | None = None
    sparkline: list[float] = Field(default_factory=list, description="the objective of the best task, some 30 points")
    seconds_left: float | None = None
    held: bool = Field(False, description="no further task is begun until the job is released")
    waits: "Waits | None" = Field(None, description="why tasks wait that have not started, as the backend says")
    no_word: "NoWord | None" = Field(None, description="of some of its tasks that run nothing is heard")
    warnings: list[str] = Field(default_factory=list)


class NoWord(Model):
    """Tasks that run, as far as is known, and whose runners have said nothing for a while."""

    tasks: int
    since: datetime = Field(description="when the first of these runners was last heard of")


class Waits(Model):
    """Why allocations of a job wait, and until when."""

    reason: str
    starts_at: datetime | None = Field(None, description="when the backend expects the first of them to start")
    never: bool = Field(False, description="it will not start by itself")
    seen_at: datetime | None = Field(None, description="when the backend last said so")


class JobDetail(Job):
    spec: JobSpec
    packing: list["Packing"] = Field(default_factory=list, description="how its tasks share GPUs, by kind of GPU")
    script: ScriptReport | None = None
    code: CodeInfo = CodeInfo()
    folder: str
    mapped: bool = Field(False, description="a map, a command for each of many files: `parts` tells which")


class MapPart(Model):
    """What a task of a map does."""

    part: int = Field(description="the parameter `part` of the task")
    files: int
    input: str = Field(description="the first of them, relative to the folder that the map was called in")
    output: str | None = Field(None, description="what is made of it; null where the command decides that")


class Packing(Model):
    """How many tasks of a job share a GPU, and why not more."""

    gpu: str = Field(description="the kind of GPU")
    tasks: int = Field(description="so many at a time on each, as chosen last")
    target: int | None = Field(None, description="so many were to be, had there been as many tasks, and room for them")
    auto: bool = Field(description="Paddock chooses; else it is as asked, or less where memory is short")
    limit: Literal["asked", "tasks", "memory", "host_memory", "cores", "gain"] | None = Field(
        None, description="what keeps it from more; null: it is still growing"
    )
    need: int | None = Field(None, description="bytes of GPU memory that a task is expected to need")
    total: int | None = Field(None, description="bytes that the GPU has")
    load: float | None = Field(None, description="share of the time in which the GPU was busy")
    speedup: float | None = Field(None, description="tasks done in a time, compared with one at a time")
    known: bool = Field(False, description="it began with what an earlier job of the same script had learned")
    at: datetime


class Preview(Model):
    """What a submission would do."""

    spec: JobSpec
    count: int | None = Field(description="of tasks; null: as many as there is time for")
    adaptive: bool = Field(False, description="configurations are chosen as results come in: these are the first ones")
    columns: list[str] = Field(description="the parameters that differ between tasks")
    tasks: list[Params] = Field(description="the first tasks, at most 1,000")
    commands: list[list[str]] = Field(description="the exact command of each of these tasks")
    script: ScriptReport | None = None
    warnings: list[str] = Field(default_factory=list)
    backend: str
    allocations: int = Field(0, description="how many allocations would be asked for at first")
    slots: int = Field(1, description="tasks that run at a time in each of them, at most")
    batch_script: str | None = Field(None, description="exactly what would be submitted to the scheduler")
    check: "Check | None" = Field(None, description="what the scheduler says about it, when it was asked")


class FolderNames(Model):
    """What is in a folder that somebody wants to submit."""

    names: list[RelativePath] = Field(max_length=200_000, description="paths; those of folders end with a slash")
    ignore_files: dict[RelativePath, str] = Field(
        default_factory=dict, description="the text of each .gitignore and .paddockignore, by its path"
    )


class LeftOut(Model):
    names: list[str] = Field(description="the paths that a submission does not take along")


class Check(Model):
    """What a backend says about a request before it is made."""

    accepted: bool
    message: str = ""
    starts_at: datetime | None = None


class LimitsRequest(Model):
    """What can be changed of a job that waits or runs."""

    time_limit: Seconds | None = Field(None, ge=60, le=MOST_SECONDS, description="of its allocations, such as 4h")
    nice: int | None = Field(None, ge=0, le=2_147_483_645)


class JobPatch(Model):
    name: Name | None = None
    description: Annotated[Text, Field(max_length=20_000)] | None = None
    tags: list[Annotated[Name, StringConstraints(min_length=1)]] | None = Field(None, max_length=50)


class Facets(Model):
    """What jobs can be filtered by."""

    owners: list[str]
    tags: list[str]


class Sample(Model):
    """A sweep to try out, ready to be submitted."""

    name: str
    description: str
    submission: Submission


class JobPage(Page):
    items: list[Job]

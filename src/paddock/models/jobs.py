"""Jobs as the server shows them, and the requests that concern them."""

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
    ended: bool = Field(description="no task waits or runs, and none will be added, neither by a search nor to reduce")
    searching: bool = Field(False, description="the search is not over: further tasks will come")
    to_come: int | None = Field(None, description="number of further tasks, where it is known")
    best_task: str | None = None
    best_value: float | None = None
    sparkline: list[float] = Field(default_factory=list, description="the objective of the best task, about 30 points")
    seconds_left: float | None = None
    held: bool = Field(False, description="no further task starts until the job is released")
    waits: "Waits | None" = Field(None, description="why tasks that have not started wait, as the backend reports it")
    no_word: "NoWord | None" = Field(None, description="set while runners of running tasks are silent")
    warnings: list[str] = Field(default_factory=list)


class NoWord(Model):
    """Running tasks whose runners have reported nothing for a while."""

    tasks: int
    since: datetime = Field(description="when the runner that has been silent longest last reported something")


class Waits(Model):
    """Why the allocations of a job wait, and when the first should start."""

    reason: str
    starts_at: datetime | None = Field(None, description="when the backend expects the first of them to start")
    never: bool = Field(False, description="it will not start by itself")
    seen_at: datetime | None = Field(None, description="when the backend last reported this")


class JobDetail(Job):
    spec: JobSpec
    packing: list["Packing"] = Field(default_factory=list, description="how its tasks share GPUs, by kind of GPU")
    script: ScriptReport | None = None
    code: CodeInfo = CodeInfo()
    folder: str
    mapped: bool = Field(False, description="the job is a map; `GET /jobs/{job}/parts` lists its files")


class MapPart(Model):
    """What a task of a map does."""

    part: int = Field(description="the parameter `part` of the task")
    files: int
    input: str = Field(description="the first file, relative to the folder in which the map was started")
    output: str | None = Field(None, description="the output file for it; null where the command chooses it")


class Packing(Model):
    """How many tasks of a job share a GPU, and why not more."""

    gpu: str = Field(description="the kind of GPU")
    tasks: int = Field(description="tasks at a time per GPU, as last chosen")
    target: int | None = Field(None, description="tasks per GPU that the controller aims at, if memory suffices")
    auto: bool = Field(
        description="true: Paddock chooses the number; false: it is as requested, or less where memory is short"
    )
    limit: Literal["asked", "tasks", "memory", "host_memory", "cores", "gain"] | None = Field(
        None, description="what limits the number; null: it is still growing"
    )
    need: int | None = Field(None, description="bytes of GPU memory that a task is expected to need")
    total: int | None = Field(None, description="bytes of memory of the GPU")
    load: float | None = Field(None, description="share of the time in which the GPU was busy")
    speedup: float | None = Field(None, description="throughput compared with one task at a time")
    known: bool = Field(False, description="the number began with what an earlier job of the same script had found out")
    at: datetime


class Preview(Model):
    """What a submission would do."""

    spec: JobSpec
    count: int | None = Field(description="number of tasks; null: as many as the time budget allows")
    adaptive: bool = Field(False, description="configurations are chosen while results come in: these are the first")
    columns: list[str] = Field(description="the parameters that differ between tasks")
    tasks: list[Params] = Field(description="the first tasks, up to 1,000")
    commands: list[list[str]] = Field(description="the exact command of each of these tasks")
    script: ScriptReport | None = None
    warnings: list[str] = Field(default_factory=list)
    backend: str
    allocations: int = Field(0, description="number of allocations that would be requested at first")
    slots: int = Field(1, description="up to this many tasks run at a time per allocation")
    batch_script: str | None = Field(None, description="the exact script that would be submitted to the scheduler")
    check: "Check | None" = Field(None, description="the answer of the scheduler, where it was asked")


class FolderNames(Model):
    """What is in a folder that somebody wants to submit."""

    names: list[RelativePath] = Field(max_length=200_000, description="paths; those of folders end with a slash")
    ignore_files: dict[RelativePath, str] = Field(
        default_factory=dict, description="the text of each .gitignore and .paddockignore, by its path"
    )


class LeftOut(Model):
    names: list[str] = Field(description="the paths that a submission does not take along")


class Check(Model):
    """The answer of a backend to a request that is not made yet."""

    accepted: bool
    message: str = ""
    starts_at: datetime | None = None


class LimitsRequest(Model):
    """Limits of a job that can be changed while it waits or runs."""

    time_limit: Seconds | None = Field(
        None, ge=60, le=MOST_SECONDS, description="time limit of allocations, such as 4h"
    )
    nice: int | None = Field(None, ge=0, le=2_147_483_645)


class JobPatch(Model):
    name: Name | None = None
    description: Annotated[Text, Field(max_length=20_000)] | None = None
    tags: list[Annotated[Name, StringConstraints(min_length=1)]] | None = Field(None, max_length=50)


class Facets(Model):
    """The values that jobs can be filtered by."""

    owners: list[str]
    tags: list[str]


class Sample(Model):
    """A sweep to try out, ready to be submitted."""

    name: str
    description: str
    submission: Submission


class JobPage(Page):
    items: list[Job]

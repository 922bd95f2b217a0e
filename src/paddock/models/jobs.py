"""Jobs as the server shows them, and the requests that concern them."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from paddock.models.accounts import Visibility
from paddock.models.base import MOST_SECONDS, Cause, Model, Name, Params, RelativePath, Seconds, TaskState, Text
from paddock.models.notices import NoticeKind
from paddock.models.preflight import Preflight
from paddock.models.script import ScriptReport
from paddock.models.spec import CodeInfo, JobSpec, MetricPattern, Objective, ObjectiveChoice, Submission
from paddock.models.tasks import Expected, Page, Waits

MAX_TAGS = 50
Tag = Annotated[Name, StringConstraints(min_length=1)]


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
    objective: Objective = Field(
        description="the metric that counts now; an empty name: none is chosen yet, or there is none"
    )
    objective_choice: ObjectiveChoice = ObjectiveChoice()
    counts: TaskCounts
    ended: bool = Field(description="no task waits or runs, and none will be added, neither by a search nor to reduce")
    searching: bool = Field(False, description="the search is not over: further tasks will come")
    to_come: int | None = Field(None, description="number of further tasks, where it is known")
    best_task: str | None = Field(None, description="where configurations run several times, the best task of the best")
    best_value: float | None = Field(
        None, description="of the best task; where configurations run several times, the mean of the best configuration"
    )
    configurations: int | None = Field(
        None, description="number of configurations, where each runs several times (`repeat`)"
    )
    best_trial: int | None = Field(None, description="number of the best configuration, where each runs several times")
    best_spread: float | None = Field(None, description="standard deviation over the tasks of the best configuration")
    sparkline: list[float] = Field(
        default_factory=list, description="the objective of the best task or configuration, about 30 points"
    )
    seconds_left: float | None = Field(
        None, description="until the likely time of `expected_end`; null where that is not known"
    )
    expected_end: Expected | None = Field(None, description="when all of its tasks will have ended; null: not known")
    reported_at: datetime | None = Field(
        None, description="when one of its running tasks last reported a metric; the last start if none has"
    )
    quiet_after: datetime | None = Field(
        None, description="after this time, and without a further report, show that no running task reports anything"
    )
    priority: int = Field(0, description="among the jobs of the same owner, the highest goes first")
    held: bool = Field(False, description="no further task starts until the job is released")
    waits: Waits | None = Field(None, description="why tasks that have not started wait, as the backend reports it")
    no_word: "NoWord | None" = Field(None, description="set while runners of running tasks are silent")
    warnings: list[str] = Field(default_factory=list)
    pinned: bool = Field(False, description="listed before all jobs that are not")
    visibility: Visibility = Field(Visibility.TEAM, description="private: only its owner and admins see it")
    failure: "Failure | None" = Field(None, description="why its tasks failed")


class Failure(Model):
    """The most frequent reason of up to 200 tasks in error."""

    reason: str
    cause: Cause | None = None
    tasks: int = Field(description="number of tasks with this reason, numbers in it apart")
    others: int = Field(0, description="number of tasks with other reasons")


class NoWord(Model):
    """Running tasks whose runners have reported nothing for a while."""

    tasks: int
    since: datetime = Field(description="when the runner that has been silent longest last reported something")


class JobDetail(Job):
    spec: JobSpec
    packing: list["Packing"] = Field(default_factory=list, description="how its tasks share GPUs, by kind of GPU")
    script: ScriptReport | None = None
    code: CodeInfo = CodeInfo()
    folder: str
    giving_way: str | None = Field(
        None, description="for whom its allocations leave: `bob's job 38: 4 of 8 allocations leave after their tasks`"
    )
    mapped: bool = Field(False, description="the job is a map; `GET /jobs/{job}/parts` lists its files")

    @property
    def objectives(self) -> list[Objective]:
        """Return the objectives that count now."""
        return [self.objective, *self.spec.other_objectives]


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
    processor: float | None = Field(None, description="share of the allocation's cores that its tasks kept busy")
    startup: float | None = Field(None, description="share of the tasks' time before their first step or epoch")
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
    preflight: Preflight | None = Field(None, description="modules and files that are missing, where that was asked")


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
    priority: int | None = Field(
        None, ge=-100, le=100, description="among the jobs of the same owner, the highest goes first"
    )


class MarkRequest(Model):
    """A number in a log that is to be a metric: the line and where the number is in it, or a pattern."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_]\w{0,63}$")] | None = None
    line: str = Field("", max_length=4000)
    start: int = Field(0, ge=0)
    end: int = Field(0, ge=0)
    pattern: MetricPattern | None = None
    task: str | None = Field(None, max_length=64, description="only count the lines of this task's log that match")


class Marked(Model):
    """The pattern of a marked number, and how many lines of the end of a log match it."""

    pattern: str
    matches: int | None = None


class JobPatch(Model):
    name: Name | None = None
    description: Annotated[Text, Field(max_length=20_000)] | None = None
    tags: list[Tag] | None = Field(None, max_length=MAX_TAGS)
    pinned: bool | None = None
    visibility: Visibility | None = None
    notify: list[NoticeKind] | None = Field(
        None, max_length=10, description="of what its owner is told outside the page"
    )


class BulkRequest(Model):
    """The same for several jobs. Each job is done by itself: what fails for one does not keep the others."""

    jobs: list[str] = Field(min_length=1, max_length=500, description="ids of jobs")
    act: Literal["stop", "remove", "hold", "release", "pin", "unpin", "tag", "untag"]
    tag: Tag | None = Field(None, description="the tag to add or to take away")


class BulkResult(Model):
    job: str
    done: bool
    message: str = Field("", description="why it is not done")


class SavedView(Model):
    """A named filter of the list of jobs."""

    name: Tag
    q: Annotated[Text, Field(max_length=200)] = ""
    state: TaskState | None = None
    tag: Annotated[Text, Field(max_length=200)] = ""
    owner: Annotated[Text, Field(max_length=200)] = ""
    sort: str = Field("-created", pattern="^-?(created|name|owner)$")


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
    team: bool = Field(False, description="people have accounts here: show whose each job is")

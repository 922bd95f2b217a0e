"""Tasks and their attempts, as the server shows them."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, JsonValue, field_validator

from paddock.models.allocations import AllocationState
from paddock.models.base import Cause, Model, Params, TaskState
from paddock.models.metric_names import Goal


class Waits(Model):
    """Why the allocations of a job wait, and when the first should start."""

    reason: str
    starts_at: datetime | None = Field(None, description="when the backend expects the first of them to start")
    never: bool = Field(False, description="it will not start by itself")
    seen_at: datetime | None = Field(None, description="when the backend last reported this")


class Expected(Model):
    """When something will probably happen: in four of five cases between `early` and `late`."""

    early: datetime
    likely: datetime
    late: datetime
    unsure: bool = Field(False, description="little is known, or cases differ much: do not rely on it")


class Task(Model):
    id: str
    job: str
    number: int
    owner: str
    params: Params
    state: TaskState
    stopping: bool = Field(False, description="a stop was requested and is not done yet")
    no_word_since: datetime | None = Field(
        None, description="the task runs, but its runner has reported nothing since then: its node may be down"
    )
    waits: Waits | None = Field(None, description="why it waits, as its job does; events do not contain it")
    cause: Cause | None = None
    reason: str | None = None
    attempt: int
    trial: int = Field(description="number of the configuration, from 1 on; several tasks may have the same")
    reduces: bool = Field(False, description="the task runs the job's `reduce` after all others, and has no parameters")
    values: list[float | None] = Field(default_factory=list, description="the best value of each of several objectives")
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    epoch: float | None = Field(None, description="the last reported epoch (or step), as the script counts")
    epochs: int | None = Field(None, description="number of epochs that it trains, where that is known")
    epochs_done: float | None = Field(
        None, description="how many of `epochs` are done, whether the script counts from 0 or from 1"
    )
    progress: float | None = Field(None, ge=0, le=1)
    seconds_left: float | None = Field(None, description="null where it is not known, and of a task that is overdue")
    expected_start: Expected | None = Field(None, description="of a task that waits; null where it is not known")
    expected_end: Expected | None = Field(
        None, description="of a task that waits or runs; null where it is not known; events do not contain it"
    )
    reported_at: datetime | None = Field(
        None, description="of a running task: when it last reported a metric, or its start if it has reported none"
    )
    quiet_after: datetime | None = Field(
        None, description="after this time, and without a further report, show that nothing is reported"
    )
    last_value: float | None = None
    best_value: float | None = None
    best_epoch: float | None = None
    best_at: datetime | None = None
    node: str | None = None
    device: str | None = None
    exit_code: int | None = None
    peak_memory: int | None = Field(None, description="bytes")
    peak_gpu_memory: int | None = Field(None, description="bytes on all GPUs of the task")
    seat: "Seat | None" = Field(None, description="its share of the allocation, if several tasks run in one allocation")
    cpu_seconds: float | None = None
    warnings: list[str] = Field(default_factory=list)
    noted: bool = Field(False, description="people have written a note about it")
    measured: dict[str, float | None] = Field(
        default_factory=dict, description="values of metrics that were requested, such as `last.val_loss`"
    )


class Seat(Model):
    """The share of an allocation that a task has."""

    gpus: list[str] = Field(default_factory=list, description="ids of its GPUs, as in CUDA_VISIBLE_DEVICES")
    gpu_name: str | None = None
    cores: list[int] = Field(default_factory=list, description="the cores that it may use; empty: all that there are")
    threads: int | None = Field(None, description="number of threads that numerical libraries are set to")
    sharing: Literal["mps", "turns"] | None = Field(
        None, description="how the task shares its GPU with others: through NVIDIA MPS, or by taking turns"
    )
    why: str | None = Field(None, description="why the GPU is not shared through MPS")


class FreeMemory(Model):
    """The free memory that an attempt waits for, after an attempt that ran out of memory."""

    gpu: int | None = Field(None, description="bytes that must be free on its GPU")
    host: int | None = Field(None, description="bytes that must be free on its node")
    alone: bool = Field(False, description="no other task may run on the same GPU")


class Attempt(Model):
    task: str
    number: int
    state: TaskState
    cause: Cause | None = None
    reason: str | None = None
    resumed: bool = Field(False, description="continues from the checkpoint of the attempt before")
    source: str | None = Field(None, description="the task from whose checkpoint it continues (pbt)")
    source_step: float | None = Field(None, description="the step of that checkpoint")
    params: Params | None = Field(None, description="the parameters of this attempt, where attempts differ (pbt)")
    allocation: str | None = None
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    node: str | None = None
    device: str | None = None
    pid: int | None = None
    exit_code: int | None = None
    signal: int | None = None
    peak_memory: int | None = None
    peak_gpu_memory: int | None = None
    seat: Seat | None = None
    room: FreeMemory | None = Field(None, description="what it had to wait for, after an attempt ran out of memory")
    size: int | None = Field(None, description="its GPUs, if those of its task can change in number")
    pause_seconds: float | None = Field(
        None, description="what a resize cost: seconds from the end of the attempt before until this one started"
    )
    cpu_seconds: float | None = None
    warnings: list[str] = Field(default_factory=list)


class Allocation(Model):
    """What was requested from a backend, and what the backend last reported."""

    key: str
    backend: str
    backend_id: str | None = Field(None, description="the scheduler's own id, such as 123_4")
    state: AllocationState
    node: str | None = None
    reason: str | None = None
    never: bool = Field(False, description="it will not start by itself")
    starts_at: datetime | None = None
    leaves_at: datetime | None = Field(
        None, description="when it makes way for a reservation: its tasks are warned, end, and go on elsewhere or later"
    )
    created_at: datetime
    seen_at: datetime | None = None
    ended_at: datetime | None = None
    cause: Cause | None = None
    script: str | None = Field(None, description="the exact script that was submitted to the scheduler")

    @field_validator("backend_id")
    @classmethod
    def _without_owner(cls, value: str | None) -> str | None:
        """Return the id as the scheduler's commands take it: see backends/slurm/owners.py."""
        return value and value.partition("@")[0]


class TaskDetail(Task):
    command: list[str]
    allocation: Allocation | None = Field(
        None, description="where the task runs or ran; while it waits, the next allocation of its job"
    )
    attempts: list[Attempt]
    metrics: list[str]
    log_bytes: int
    folder: str
    size_wanted: int | None = Field(None, description="GPUs that it is being resized to; null: no resize is under way")
    resize_by: str | None = Field(None, description="who asked for that; `the policy`: the server itself")
    resize_why: str | None = Field(None, description="why the policy did")
    sized_by: str | None = Field(
        None, description="the person who chose its number of GPUs, which the policy leaves alone then"
    )
    size_why: str | None = Field(None, description="why it has the number of GPUs that it has, where that can change")
    note: str = Field("", description="what people write about it, in Markdown")


class Curve(Model):
    """One metric of one task, in the order of its steps. A value that is not a number is null."""

    task: str
    metric: str
    steps: list[float]
    values: list[float | None]
    times: list[float] = Field(default_factory=list, description="seconds since 1970, where they were requested")
    total: int = Field(description="number of points before decimation")
    goal: Goal | None = Field(
        None, description="which is better, as the name of the metric reveals it; null where it does not"
    )


class StopRequest(Model):
    tasks: list[str] | None = Field(None, description="ids or numbers of tasks; all that have not ended when not given")


class RestartRequest(Model):
    tasks: list[str] | None = Field(None, description="ids or numbers of tasks; when not given, all that have ended")
    failed: bool = Field(False, description="only tasks in error")
    resume: bool = Field(False, description="keep the checkpoint and continue from it")


class ResizeRequest(Model):
    gpus: Annotated[int, Field(ge=1, le=1024)] | Literal["auto"] = Field(
        description="GPUs of the next attempt, within the range of the job, which it keeps then; auto: the policy "
        "chooses from now on"
    )


class Changed(Model):
    tasks: list[str] = Field(description="ids of the tasks that were changed")


class Page(Model):
    total: int
    offset: int


class TaskPage(Page):
    items: list[Task]


class TaskColumns(Model):
    """Columns of many tasks of one job, in the same order. A column of one value has it for all of them."""

    job: str
    total: int = Field(description="number of tasks, and of values in each other column")
    columns: dict[str, list[JsonValue]] = Field(description="a parameter that a task does not have is null")

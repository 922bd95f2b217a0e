"""Every type that crosses a boundary: REST, the job folder, the command line, the database's columns."""

import math
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, StringConstraints

from paddock.space import ParamSpace

Params = dict[str, JsonValue]


class TaskState(StrEnum):
    """Where a task stands; also the state of its current attempt."""

    SUBMITTED = "submitted"
    RUNNING = "running"
    FINISHED = "finished"
    ERROR = "error"
    STOPPED = "stopped"
    PRUNED = "pruned"

    @property
    def ended(self) -> bool:
        return self not in (TaskState.SUBMITTED, TaskState.RUNNING)


class Cause(StrEnum):
    """Why an attempt did not finish."""

    USER_ERROR = "user_error"
    GPU_OOM = "gpu_oom"
    HOST_OOM = "host_oom"
    TIME_LIMIT = "time_limit"
    NODE_FAILURE = "node_failure"
    PREEMPTED = "preempted"
    LAUNCH_FAILED = "launch_failed"
    LOST = "lost"


class Goal(StrEnum):
    MIN = "min"
    MAX = "max"


class Convention(StrEnum):
    """How the parameters reach the script."""

    AUTO = "auto"
    FLAGS = "flags"
    POSITIONAL = "positional"
    STFMANAGER = "stfmanager"
    ENV = "env"


class FlagStyle(StrEnum):
    """How one flag takes its value."""

    VALUE = "value"  # --name value
    EQUALS = "equals"  # --name=value (absl)
    SWITCH = "switch"  # --name, or nothing
    SWITCH_OFF = "switch_off"  # nothing, or --name (argparse's store_false)
    ON_OFF = "on_off"  # --name / --no-name


class Model(BaseModel):
    """Values are replaced, not changed; unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _no_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("a NUL character cannot be passed on to a process")
    return text


Text = Annotated[str, AfterValidator(_no_nul)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200), AfterValidator(_no_nul)]
ParamName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_.\-]{0,99}$")]
EnvName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
RelativePath = Annotated[str, StringConstraints(min_length=1, max_length=1000), AfterValidator(_no_nul)]


# --- what a person submits ------------------------------------------------------------------------------------------


class Objective(Model):
    """What makes one configuration better than another. Text form: `val_loss`, `val_acc:max`."""

    metric: Annotated[str, StringConstraints(min_length=1, max_length=200)] = "val_loss"
    goal: Goal = Goal.MIN

    def better(self, value: float, than: float | None) -> bool:
        if not math.isfinite(value):
            return False
        return than is None or (value < than if self.goal is Goal.MIN else value > than)


def _objective(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    metric, colon, goal = given.rpartition(":")
    if colon and goal not in set(Goal):
        raise ValueError(f"write METRIC, METRIC:min or METRIC:max, not {given!r}")
    return {"metric": metric, "goal": goal} if colon else {"metric": given}


class Search(Model):
    method: Literal["auto", "grid", "random"] = "auto"
    trials: int | None = Field(
        None, ge=1, le=100_000, description="how many configurations, where the method draws them"
    )
    seed: int = Field(0, ge=0, le=2**31 - 1)


class Resources(Model):
    """What one task needs."""

    backend: Name | None = Field(None, description="name of the backend; the server's default when not given")
    gpus: int | None = Field(None, ge=0, le=1024, description="none given: one where the machine has GPUs, else none")
    cpus: int = Field(1, ge=1, le=4096)


class Environment(Model):
    """Where the script's Python comes from: at most one of python, venv and conda."""

    python: Text | None = Field(None, description="path or name of an interpreter")
    venv: Text | None = Field(None, description="folder of a virtual environment")
    conda: Text | None = Field(None, description="name or folder of a conda environment")
    setup: list[Text] = Field(default_factory=list, description="shell lines run before, such as `module load cuda`")
    variables: dict[EnvName, Text] = Field(default_factory=dict)


class MetricFiles(Model):
    """Where metrics are looked for, beyond what is found by itself."""

    files: list[RelativePath] = Field(default_factory=list, description="patterns relative to the task's folder")
    stdout: bool = Field(True, description="read `name: value` lines on standard output when no file has metrics")


class JobSpec(Model):
    """A whole job, as given in a file, a form or flags."""

    name: Name = ""
    description: Text = Field("", max_length=20_000)
    tags: list[Annotated[Name, StringConstraints(min_length=1)]] = Field(default_factory=list, max_length=50)
    script: RelativePath | None = Field(None, description="the script, relative to the folder submitted")
    command: Text | None = Field(None, description="a shell command with {parameter} fields, in place of a script")
    convention: Convention = Convention.AUTO
    params: dict[ParamName, ParamSpace] = Field(default_factory=dict)
    objective: Annotated[Objective, BeforeValidator(_objective, json_schema_input_type=Objective | str)] = Objective()
    search: Search = Search()
    parallel: int | None = Field(None, ge=1, description="at most this many tasks at a time")
    resources: Resources = Resources()
    environment: Environment = Environment()
    metrics: MetricFiles = MetricFiles()
    retries: dict[Cause, Annotated[int, Field(ge=0, le=100)]] = Field(
        default_factory=dict, description="how often a task is tried again, by cause; the settings have the defaults"
    )
    grace_seconds: float | None = Field(None, ge=0, le=3600, description="between SIGTERM and SIGKILL")


class CodeInfo(Model):
    """What the snapshot was taken from."""

    files: int = Field(0, ge=0)
    bytes: int = Field(0, ge=0)
    source: Annotated[Text, Field(max_length=4000)] | None = None
    git_commit: Annotated[Text, Field(max_length=100)] | None = None
    git_dirty: bool | None = None


class Submission(Model):
    """Body of a JSON submission: the spec and the text of its files by relative path."""

    spec: JobSpec
    files: dict[RelativePath, str] = Field(default_factory=dict)
    code: CodeInfo = CodeInfo()


class Interpreter(Model):
    """How a job's Python is started: found and tried at submission."""

    argv: list[str]
    env: dict[str, str] = Field(default_factory=dict)
    version: str | None = None
    has_paddock: bool = False


# --- what was found in a script -------------------------------------------------------------------------------------


class ScriptParam(Model):
    name: str
    type: Literal["int", "float", "bool", "str", "list"] | None = None
    default: JsonValue = None
    required: bool = False
    choices: list[JsonValue] | None = None
    help: str | None = None
    flag: str | None = Field(None, description="the option string, such as --learning-rate")
    off_flag: str | None = Field(None, description="the option that switches it off, such as --no-augment")
    style: FlagStyle = FlagStyle.VALUE
    position: int | None = Field(None, description="index in sys.argv, for positional arguments")


class ScriptReport(Model):
    """What reading a script (never running it) told."""

    convention: Convention
    params: list[ScriptParam] = Field(default_factory=list)
    open_ended: bool = Field(False, description="the script may take parameters that reading it cannot tell")
    metrics: list[str] = Field(
        default_factory=list, description="metric sources in sight: csv, tensorboard, stdout, ..."
    )
    warnings: list[str] = Field(default_factory=list)


class InspectRequest(Model):
    source: str = Field(max_length=5_000_000)
    filename: str = "train.py"
    params: list[str] = Field(default_factory=list, description="parameters that will be given, to check them")


# --- what the server shows ------------------------------------------------------------------------------------------


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
    ended: bool = Field(description="no task is waiting or running")
    best_task: str | None = None
    best_value: float | None = None
    sparkline: list[float] = Field(default_factory=list, description="the objective of the best task, some 30 points")
    seconds_left: float | None = None
    warnings: list[str] = Field(default_factory=list)


class JobDetail(Job):
    spec: JobSpec
    script: ScriptReport | None = None
    code: CodeInfo = CodeInfo()
    folder: str


class Task(Model):
    id: str
    job: str
    number: int
    owner: str
    params: Params
    state: TaskState
    stopping: bool = Field(False, description="a stop was asked for and is under way")
    cause: Cause | None = None
    reason: str | None = None
    attempt: int
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    epoch: float | None = Field(None, description="the last epoch (or step) seen, as the script counts")
    progress: float | None = Field(None, ge=0, le=1)
    seconds_left: float | None = None
    last_value: float | None = None
    best_value: float | None = None
    best_epoch: float | None = None
    best_at: datetime | None = None
    node: str | None = None
    device: str | None = None
    exit_code: int | None = None
    peak_memory: int | None = Field(None, description="bytes")
    cpu_seconds: float | None = None
    warnings: list[str] = Field(default_factory=list)


class Attempt(Model):
    task: str
    number: int
    state: TaskState
    cause: Cause | None = None
    reason: str | None = None
    resumed: bool = Field(False, description="goes on from the checkpoint of the attempt before")
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
    cpu_seconds: float | None = None
    warnings: list[str] = Field(default_factory=list)


class TaskDetail(Task):
    command: list[str]
    attempts: list[Attempt]
    metrics: list[str]
    log_bytes: int
    folder: str


class Curve(Model):
    """One metric of one task, in the order of its steps. A value that is not a number is null."""

    task: str
    metric: str
    steps: list[float]
    values: list[float | None]
    times: list[float] = Field(default_factory=list, description="seconds since the epoch, when asked for")
    total: int = Field(description="how many points there are before decimation")


class Preview(Model):
    """What a submission would do."""

    spec: JobSpec
    count: int
    columns: list[str] = Field(description="the parameters that differ between tasks")
    tasks: list[Params] = Field(description="the first tasks, at most 1,000")
    commands: list[list[str]] = Field(description="the exact command of each of these tasks")
    script: ScriptReport | None = None
    warnings: list[str] = Field(default_factory=list)


class JobPatch(Model):
    name: Name | None = None
    description: Annotated[Text, Field(max_length=20_000)] | None = None
    tags: list[Annotated[Name, StringConstraints(min_length=1)]] | None = Field(None, max_length=50)


class StopRequest(Model):
    tasks: list[str] | None = Field(None, description="ids or numbers; all that have not ended when not given")


class RestartRequest(Model):
    tasks: list[str] | None = Field(None, description="ids or numbers; all that have ended when not given")
    failed: bool = Field(False, description="only tasks in error")
    resume: bool = Field(False, description="keep the checkpoint and go on from it")


class Changed(Model):
    tasks: list[str] = Field(description="the tasks concerned")


class Page(Model):
    total: int
    offset: int


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


class TaskPage(Page):
    items: list[Task]


class Event(Model):
    """A change, as it is sent over the event stream."""

    id: int
    at: datetime
    job: str | None = None
    kind: Literal["job", "tasks", "removed", "nodes"]
    data: dict[str, Any] = Field(default_factory=dict)


class Device(Model):
    id: str
    kind: Literal["gpu", "cpu"]
    name: str = ""
    memory: int | None = Field(None, description="bytes")
    used_by: list[str] = Field(default_factory=list, description="keys of the allocations on it")
    tasks: list[str] = Field(default_factory=list, description="ids of the tasks that run on it")


class Node(Model):
    name: str
    backend: str
    state: str = "up"
    cpus: int
    load: float | None = Field(None, description="processes that run or wait for a core, over the last minute")
    memory: int | None = Field(None, description="bytes")
    memory_free: int | None = Field(None, description="bytes that could be had")
    slots: int = Field(description="how many tasks run at a time when each asks for one device")
    slots_used: int = 0
    devices: list[Device] = Field(default_factory=list)


class Health(Model):
    ok: bool
    engine_beat: datetime | None = Field(None, description="when the engine's last round ended")
    database: str
    backends: dict[str, str] = Field(description="name -> ok, or what is wrong")
    problems: list[str] = Field(default_factory=list)


class Version(Model):
    version: str
    api: str = "v1"


class ErrorBody(Model):
    code: str
    message: str
    fields: dict[str, str] = Field(default_factory=dict)


class ErrorReply(Model):
    error: ErrorBody


# --- between engine and backends ------------------------------------------------------------------------------------


class AllocationState(StrEnum):
    PLANNED = "planned"  # in the database, perhaps already known to the backend
    PENDING = "pending"
    RUNNING = "running"
    ENDED = "ended"


class AllocationSpec(Model):
    """What the engine asks a backend for. `key` is unique and makes submit idempotent."""

    key: str
    name: str
    folder: str = Field(description="the allocation's folder; the backend may write there")
    runner: list[str] = Field(description="the command that starts the runner")
    gpus: int = 0
    cpus: int = 1


class AllocationStatus(Model):
    state: AllocationState
    node: str | None = None
    reason: str | None = None
    cause: Cause | None = Field(None, description="why it ended, where the backend knows")

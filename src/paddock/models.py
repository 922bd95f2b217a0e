"""Every type that crosses a boundary: REST, the job folder, the command line, the database's columns."""

import math
import re
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    model_validator,
)

from paddock import units
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


def _free_option(option: str) -> str:
    """Options of sbatch that Paddock sets itself would break its allocations."""
    given = option.partition("=")[0].removeprefix("--")
    name = next((ours for ours in (given, *_OUR_OPTIONS) if ours in _OUR_OPTIONS and ours.startswith(given)), None)
    if name:  # or an abbreviation of it, which sbatch takes as well
        raise ValueError(f"--{name} is set by Paddock" + (f": use {_OUR_OPTIONS[name]}" if _OUR_OPTIONS[name] else ""))
    if given in _NO_JOB:
        raise ValueError(f"--{given} submits nothing here")
    return option


_OUR_OPTIONS = {
    "array": "", "job-name": "", "comment": "", "output": "", "error": "", "input": "", "chdir": "", "wrap": "",
    "open-mode": "", "signal": "", "parsable": "", "test-only": "", "wait": "", "export": "", "export-file": "",
    "dependency": "", "uid": "", "gid": "", "hold": "", "ntasks": "", "ntasks-per-node": "", "overcommit": "",
    "partition": "the field partition", "gres": "the field gpus", "gpus": "the field gpus",
    "gpus-per-node": "the field gpus", "gpus-per-task": "the field gpus", "cpus-per-task": "the field cpus",
    "mem": "the field memory", "time": "the field time_limit", "nodes": "the field nodes",
    "account": "the field account", "qos": "the field qos", "constraint": "the field constraint",
    "nodelist": "the field nodelist", "exclude": "the field exclude", "reservation": "the field reservation",
    "nice": "the field nice",
}  # fmt: skip
_NO_JOB = {"help", "usage", "version", "cluster", "clusters"}


# --- what a person submits ------------------------------------------------------------------------------------------


class Objective(Model):
    """What makes one configuration better than another. Text form: `val_loss`, `val_acc:max`."""

    metric: Annotated[str, StringConstraints(max_length=200)] = Field(
        "val_loss", description="empty: there is none, and no task is better than another"
    )
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


ObjectiveLike = Annotated[Objective, BeforeValidator(_objective, json_schema_input_type=Objective | str)]


def _by_method(given: Any) -> Any:
    return {"method": given} if isinstance(given, str) else given


Seconds = Annotated[int, BeforeValidator(units.seconds, json_schema_input_type=int | str)]
MOST_SECONDS = 10 * 365 * 86_400


class Method(StrEnum):
    """How configurations are chosen."""

    AUTO = "auto"  # a grid where only values are listed, tpe where there are ranges
    GRID = "grid"
    RANDOM = "random"
    SOBOL = "sobol"
    TPE = "tpe"
    GP = "gp"
    CMAES = "cmaes"
    EVOLUTION = "evolution"
    NSGA2 = "nsga2"
    PBT = "pbt"


class Search(Model):
    method: Method = Method.AUTO
    trials: int | None = Field(
        None,
        ge=1,
        le=100_000,
        description="how many configurations, where the method draws them; of pbt: how many live",
    )
    time_budget: Seconds | None = Field(
        None, ge=1, le=MOST_SECONDS, description="no further task is begun so long after the submission, such as 2h"
    )
    seed: int = Field(0, ge=0, le=2**31 - 1)
    repeat: int = Field(
        1, ge=1, le=100, description="tasks for each configuration, with seeds of their own; their mean counts"
    )
    warm_start: list[Annotated[str, StringConstraints(min_length=1, max_length=32)]] = Field(
        default_factory=list, max_length=20, description="past jobs to learn from"
    )
    interval: float | None = Field(
        None, gt=0, le=1e9, allow_inf_nan=False, description="pbt: steps from one change of parameters to the next"
    )


class StopEarly(Model):
    """When tasks are stopped that are not promising. Text form: `asha`, `median`."""

    method: Literal["none", "median", "asha", "hyperband"] = "none"
    min_steps: float | None = Field(None, gt=0, le=1e9, description="no task is stopped before this step (epoch)")
    max_steps: float | None = Field(
        None, gt=0, le=1e9, description="steps of a task that is not stopped; the script's epochs when not given"
    )
    eta: float = Field(3.0, ge=2, le=100, description="asha, hyperband: one of so many goes on past a rung")
    min_trials: int = Field(5, ge=1, le=100_000, description="median: so many others must have come as far")
    interval: float | None = Field(None, gt=0, le=1e9, description="median: steps from one comparison to the next")


class Launcher(StrEnum):
    """How the processes of a task that has several find each other."""

    TORCHRUN = "torchrun"
    TENSORFLOW = "tensorflow"
    SRUN = "srun"


def _like(pattern: str, example: str, most: int = 500) -> AfterValidator:
    """Text that Slurm reads as it stands: what could mean something else to it, or to a shell, is refused."""
    allowed = re.compile(pattern)

    def check(text: str) -> str:
        stripped = text.strip()
        if len(stripped) > most or not allowed.fullmatch(stripped):
            raise ValueError(f"{text!r} cannot be used: write it like {example}")
        return stripped

    return AfterValidator(check)


SlurmNames = Annotated[str, _like(r"[A-Za-z0-9_.,+@:\-]+", "volta or gpu,cpu")]
SlurmNodes = Annotated[str, _like(r"[A-Za-z0-9_.,\[\]\-]+", "node[01-04],node7", 2000)]
SlurmFeatures = Annotated[str, _like(r"[A-Za-z0-9_.,:=+&|*()\[\]\-]+", "a100|v100")]
SlurmOption = Annotated[
    str,
    _like(r"--[a-z][a-z0-9-]*(=[^\x00-\x1f\x7f\"'\\`$]*)?", "--licenses=matlab:1, without quotes"),
    AfterValidator(_free_option),
]
Bytes = Annotated[int, BeforeValidator(units.size, json_schema_input_type=int | str)]


class Triple(Model):
    """Nodes, tasks at a time on each of them, threads of each task. Text form: `2,8,4`."""

    nodes: int = Field(ge=1, le=10_000)
    tasks: int = Field(ge=1, le=1024)
    threads: int = Field(ge=1, le=4096)


def _triple(given: Any) -> Any:
    parts = given.strip("[]() ").split(",") if isinstance(given, str) else given
    if not isinstance(parts, list | tuple):
        return given
    try:
        nodes, tasks, threads = (int(part) for part in parts)
    except (TypeError, ValueError):
        raise ValueError(
            f"write NODES,TASKS_PER_NODE,THREADS_PER_TASK: three numbers such as 2,8,4, not {given!r}"
        ) from None
    return {"nodes": nodes, "tasks": tasks, "threads": threads}


MOST_PER_GPU = 256


def _sharing(given: Any) -> Any:
    """`auto`, or a number also as text."""
    text = given.strip() if isinstance(given, str) else given
    number = int(text) if isinstance(text, str) and text.isdecimal() else text
    if number is None or number == "auto":
        return number
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MOST_PER_GPU:
        raise ValueError(f"write a number from 1 to {MOST_PER_GPU}, or auto, not {given!r}")
    return number


class Resources(Model):
    """What one task needs. What is not given comes from the profile, then from the backend's settings."""

    backend: Name | None = Field(None, description="name of the backend; the server's default when not given")
    profile: Name | None = Field(None, description="name of a profile in the settings: resources with a name")
    gpus: int | None = Field(
        None, ge=0, le=1024, description="GPUs on each node; none given: one where there are GPUs, else none"
    )
    gpu_type: SlurmNames | None = Field(None, description="the kind of GPU, as the cluster calls it")
    cpus: int | None = Field(None, ge=1, le=4096, description="cores on each node; one when not given")
    memory: Bytes | None = Field(None, ge=1, le=2**53, description="on each node, such as 16G")
    time_limit: Seconds | None = Field(
        None,
        ge=60,
        le=MOST_SECONDS,
        description="of an allocation, such as 4h or 1-00:00:00; tasks that are cut off go on in the next",
    )
    nodes: int | None = Field(None, ge=1, le=10_000, description="nodes of one task; one when not given")
    launcher: Launcher | None = Field(None, description="how the processes of one task are started")
    slots: int | None = Field(None, ge=1, le=1024, description="tasks side by side in one allocation; one by default")
    per_gpu: Annotated[
        Annotated[int, Field(ge=1, le=MOST_PER_GPU)] | Literal["auto"] | None, BeforeValidator(_sharing)
    ] = Field(None, description="tasks that share a GPU at a time, as far as its memory goes; auto: as many as pay")
    triple: Annotated[
        Triple | None, BeforeValidator(_triple, json_schema_input_type=Triple | str | list[int] | None)
    ] = Field(None, description="nodes, tasks at a time on each, threads of each: in place of slots, cpus and gpus")
    partition: SlurmNames | None = Field(None, description="partition, or several with commas")
    account: SlurmNames | None = None
    qos: SlurmNames | None = None
    constraint: SlurmFeatures | None = Field(None, description="features that the nodes must have")
    nodelist: SlurmNodes | None = Field(None, description="only on these nodes")
    exclude: SlurmNodes | None = Field(None, description="not on these nodes")
    reservation: SlurmNames | None = None
    nice: int | None = Field(None, ge=0, le=2_147_483_645, description="how much priority to give up for others")
    options: list[SlurmOption] = Field(default_factory=list, max_length=50, description="other options of sbatch")

    @model_validator(mode="before")
    @classmethod
    def _part_of_a_gpu(cls, given: Any) -> Any:
        """`gpus: 0.25` is a quarter of a GPU: four tasks share one."""
        part = given.get("gpus") if isinstance(given, dict) else None
        if not isinstance(part, float) or part.is_integer():
            return given
        if not 0 < part < 1:
            raise ValueError(f"gpus: {part:g} cannot be had: write a whole number, or a part of one such as 0.25")
        if given.get("per_gpu") is not None:
            raise ValueError(f"gpus: {part:g} says how many share a GPU: leave per_gpu out")
        return {name: value for name, value in given.items() if name != "gpus"} | {"per_gpu": int(1 / part + 1e-9)}

    @model_validator(mode="after")
    def _one_way_to_say_it(self) -> "Resources":
        if self.triple is not None:
            twice = [
                name for name in ("slots", "cpus", "nodes", "per_gpu", "launcher") if getattr(self, name) is not None
            ]
            if self.gpus:
                twice.append("gpus")
            if twice:
                raise ValueError(f"triple says this already: leave {', '.join(twice)} out")
        if self.per_gpu is not None and self.gpus == 0:
            raise ValueError("per_gpu needs GPUs, and gpus is 0")
        if self.per_gpu is not None and (self.nodes or 1) > 1:
            raise ValueError("tasks over several nodes have their GPUs to themselves: leave per_gpu out")
        return self


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
    reduce: Text | None = Field(
        None, description="a shell command that runs as one more task when all others have finished"
    )
    convention: Convention = Convention.AUTO
    params: dict[ParamName, ParamSpace] = Field(default_factory=dict)
    objective: Annotated[
        ObjectiveLike,
        BeforeValidator(lambda given: given, json_schema_input_type=Objective | str | list[Objective | str]),
    ] = Objective()
    other_objectives: list[ObjectiveLike] = Field(
        default_factory=list, max_length=4, description="more of them: then there is no single best, but a Pareto front"
    )
    search: Annotated[Search, BeforeValidator(_by_method, json_schema_input_type=Search | str)] = Search()
    stop_early: Annotated[StopEarly, BeforeValidator(_by_method, json_schema_input_type=StopEarly | str)] = StopEarly()
    parallel: int | None = Field(None, ge=1, description="at most this many tasks at a time")
    resources: Resources = Resources()
    environment: Environment = Environment()
    metrics: MetricFiles = MetricFiles()
    retries: dict[Cause, Annotated[int, Field(ge=0, le=100)]] = Field(
        default_factory=dict, description="how often a task is tried again, by cause; the settings have the defaults"
    )
    grace_seconds: float | None = Field(None, ge=0, le=3600, description="between SIGTERM and SIGKILL")

    @model_validator(mode="before")
    @classmethod
    def _several_objectives(cls, given: Any) -> Any:
        """`objective` may be a list: the first one, and the others."""
        listed = given.get("objective") if isinstance(given, dict) else None
        if not isinstance(listed, list):
            return given
        if not listed or given.get("other_objectives"):
            raise ValueError("write one objective or several in a list, such as [val_loss, params:min]")
        return given | {"objective": listed[0], "other_objectives": listed[1:]}

    @model_validator(mode="after")
    def _different_objectives(self) -> "JobSpec":
        names = [objective.metric for objective in self.objectives]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"{twice} is an objective twice")
        if len(names) > 1 and "" in names:
            raise ValueError("one of the objectives has no name")
        return self

    @property
    def objectives(self) -> list[Objective]:
        return [self.objective, *self.other_objectives]


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
    ended: bool = Field(description="no task is waiting or running, and none is to come, of a search or to reduce")
    searching: bool = Field(False, description="further tasks are to come: the search is not over")
    to_come: int | None = Field(None, description="how many, where it is known")
    best_task: str | None = None
    best_value: float | None = None
    sparkline: list[float] = Field(default_factory=list, description="the objective of the best task, some 30 points")
    seconds_left: float | None = None
    held: bool = Field(False, description="no further task is begun until the job is released")
    waits: "Waits | None" = Field(None, description="why tasks wait that have not started, as the backend says")
    warnings: list[str] = Field(default_factory=list)


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
    trial: int = Field(description="tasks with the same configuration have the same, from 1 on")
    reduces: bool = Field(False, description="it runs the job's `reduce`, after all others; it has no parameters")
    values: list[float | None] = Field(
        default_factory=list, description="the best of each objective, where there are several"
    )
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
    peak_gpu_memory: int | None = Field(None, description="bytes on all its GPUs")
    seat: "Seat | None" = Field(None, description="its share of the allocation, where several tasks run in one")
    cpu_seconds: float | None = None
    warnings: list[str] = Field(default_factory=list)


class Seat(Model):
    """The part of an allocation that a task has."""

    gpus: list[str] = Field(default_factory=list, description="ids, as in CUDA_VISIBLE_DEVICES")
    gpu_name: str | None = None
    cores: list[int] = Field(default_factory=list, description="the cores it may use; none: all of the allocation")
    threads: int | None = Field(None, description="what numerical libraries are told")
    sharing: Literal["mps", "turns"] | None = Field(
        None, description="how it shares its GPU with other tasks: through NVIDIA MPS, or by taking turns"
    )
    why: str | None = Field(None, description="why not through MPS")


class Room(Model):
    """What an attempt waits for, after one that ran out of memory."""

    gpu: int | None = Field(None, description="bytes that have to be free on its GPU")
    host: int | None = Field(None, description="bytes that have to be free on its node")
    alone: bool = Field(False, description="beside no other task")


class Attempt(Model):
    task: str
    number: int
    state: TaskState
    cause: Cause | None = None
    reason: str | None = None
    resumed: bool = Field(False, description="goes on from the checkpoint of the attempt before")
    source: str | None = Field(None, description="the task whose checkpoint it goes on from (pbt)")
    source_step: float | None = Field(None, description="the step at which it was taken over")
    params: Params | None = Field(None, description="its parameters, where they differ between attempts (pbt)")
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
    room: Room | None = Field(None, description="what it had to wait for, after one that ran out of memory")
    cpu_seconds: float | None = None
    warnings: list[str] = Field(default_factory=list)


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


class Allocation(Model):
    """What was asked of a backend, and what it last said of it."""

    key: str
    backend: str
    backend_id: str | None = Field(None, description="the scheduler's own id, such as 123_4")
    state: "AllocationState"
    node: str | None = None
    reason: str | None = None
    never: bool = Field(False, description="it will not start by itself")
    starts_at: datetime | None = None
    created_at: datetime
    seen_at: datetime | None = None
    ended_at: datetime | None = None
    cause: Cause | None = None
    script: str | None = Field(None, description="exactly what was submitted to the scheduler")


class TaskDetail(Task):
    command: list[str]
    allocation: Allocation | None = Field(None, description="where it runs or ran; while it waits, the next of its job")
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


class Check(Model):
    """What a backend says about a request before it is made."""

    accepted: bool
    message: str = ""
    starts_at: datetime | None = None


class LimitsRequest(Model):
    """What can be changed of a job that waits or runs."""

    time_limit: Seconds | None = Field(None, ge=60, le=MOST_SECONDS, description="of its allocations, such as 4h")
    nice: int | None = Field(None, ge=0, le=2_147_483_645)


class ExtendRequest(Model):
    """More of a search: what is not given stays."""

    trials: int | None = Field(None, ge=1, le=100_000, description="so many more")
    time_budget: Seconds | None = Field(None, ge=1, le=MOST_SECONDS, description="so much longer from now on")
    params: dict[ParamName, ParamSpace] = Field(
        default_factory=dict, description="other values of these parameters from now on"
    )


class TrialReport(Model):
    """A configuration, and what came of it."""

    trial: int
    tasks: list[str]
    params: Params
    state: TaskState = Field(description="of the last of its tasks to end; while one has not: running or submitted")
    values: list[float | None] = Field(description="one an objective; the mean where it has several tasks")
    spread: list[float | None] = Field(default_factory=list, description="standard deviation over its tasks")
    count: int = Field(0, description="tasks that the values are of")
    ended_at: datetime | None = None
    best: float | None = Field(None, description="the best value of the first objective until then")
    front: bool = Field(False, description="no other one is better in all objectives")


class RungReport(Model):
    """What happened at one rung of early stopping."""

    step: float
    bracket: int = 0
    reached: int
    went_on: int
    cutoff: float | None = Field(None, description="a value as good as this would go on")


class Savings(Model):
    """What was not done because of early stopping."""

    steps: float = 0.0
    share: float = Field(0.0, description="of all steps that there would have been")
    seconds: float = 0.0


class Move(Model):
    """Population-based training: a task that went on from another's checkpoint."""

    task: str
    attempt: int
    source: str
    step: float
    before: Params
    after: Params
    at: datetime


class SearchReport(Model):
    """How the search of a job stands."""

    method: Method
    objectives: list[Objective]
    stop_early: StopEarly
    trials: int | None = Field(None, description="planned; null: until the time budget is over")
    searching: bool
    ended_why: str | None = Field(None, description="why no further ones come")
    ends_at: datetime | None = Field(None, description="when the time budget is over")
    history: list[TrialReport]
    importance: dict[str, float] = Field(description="share of each parameter, the largest first")
    rungs: list[RungReport] = Field(default_factory=list)
    saved: Savings = Savings()
    unjudged: list[str] = Field(
        default_factory=list, description="tasks that have ended or trained for long without the metric: never stopped"
    )
    moves: list[Move] = Field(default_factory=list)


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


class GpuProcess(Model):
    """A process on a GPU, whoever's it is."""

    pid: int
    owner: str | None = None
    command: str | None = None
    memory: int | None = Field(None, description="bytes on the GPU")
    task: str | None = Field(None, description="the task that it belongs to")


class Device(Model):
    id: str
    kind: Literal["gpu", "cpu"]
    name: str = ""
    memory: int | None = Field(None, description="bytes")
    busy: bool = Field(False, description="in use, by whomever")
    used_by: list[str] = Field(default_factory=list, description="keys of the allocations on it")
    tasks: list[str] = Field(default_factory=list, description="ids of the tasks that run on it")
    uuid: str | None = None
    load: float | None = Field(None, description="share of the time in which it is busy, as last measured")
    memory_used: int | None = Field(None, description="bytes, by whomever")
    processes: list[GpuProcess] = Field(default_factory=list, description="those on it, as far as they can be seen")


class Node(Model):
    name: str
    backend: str
    state: str = "up"
    cpus: int
    load: float | None = Field(None, description="processes that run or wait for a core, over the last minute")
    cpus_used: float | None = Field(None, description="cores that are busy; on Slurm: that are given away")
    cpus_busy: float | None = Field(None, description="cores that are busy, where somebody has looked")
    memory: int | None = Field(None, description="bytes")
    memory_free: int | None = Field(None, description="bytes that could be had")
    memory_used: int | None = Field(None, description="bytes in use, where somebody has looked")
    slots: int = Field(description="how many tasks run at a time when each asks for one device")
    slots_used: int = 0
    cpu_slots: int = Field(description="how many tasks of one core without a GPU run at a time")
    devices: list[Device] = Field(default_factory=list)
    tasks: list[str] = Field(default_factory=list, description="ids of the tasks that run on it")
    usable: bool = Field(True, description="takes new work")
    reason: str | None = Field(None, description="why it does not")
    partitions: list[str] = Field(default_factory=list)
    features: list[str] = Field(default_factory=list)


class BackendInfo(Model):
    """Where jobs can run."""

    name: str
    kind: Literal["local", "slurm"]
    default: bool = Field(description="for jobs that name none")
    state: str = Field(description="ok, or what is wrong")
    since: datetime | None = Field(None, description="since when it has been wrong")
    defaults: Resources = Field(description="what jobs get there that do not ask for something else")
    partitions: list[str] = Field(default_factory=list)


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


class AllocationBatch(Model):
    """Allocations that are asked for together, all alike. The n-th, from 0, has the key `KEY.n`.

    `key` is unique and makes submit idempotent.
    """

    key: str
    count: int = Field(1, ge=1)
    name: str
    folder: str = Field(description="without the number of the allocation; the backend may write there")
    runner: list[str] = Field(description="the command that starts the runner; {folder} is the allocation's folder")
    resources: Resources = Field(description="of the whole allocation, on each of its nodes")
    grace_seconds: float = 10.0

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
    reason: str | None = Field(None, description="why it waits, or why it ended")
    starts_at: float | None = Field(None, description="when it is expected to start, seconds since 1970")
    never: bool = Field(False, description="it will not start by itself")
    cause: Cause | None = Field(None, description="why it ended, where the backend knows")
    by_hand: bool = Field(False, description="somebody ended it on the backend itself")


class AllocationChange(Model):
    """What can be changed of an allocation; what is not given stays."""

    held: bool | None = None
    time_limit: int | None = Field(None, description="seconds")
    nice: int | None = None

"""A job as it is submitted."""

import math
from collections.abc import Sequence
from re import _parser  # the only way to see what a pattern repeats
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, model_validator

from paddock.common import patterns
from paddock.models.accounts import Visibility
from paddock.models.base import MOST_SECONDS, Cause, EnvName, Model, Name, ParamName, RelativePath, Seconds, Text
from paddock.models.choices import Convention, Giving, Method
from paddock.models.metric_names import Goal, goal_of
from paddock.models.notices import NoticeKind
from paddock.models.resources import Resources
from paddock.models.space import ParamSpace

AUTO = "auto"


class Objective(Model):
    """What makes one configuration better than another. Text form: `auto`, `val_loss`, `val_acc`, `reward:min`."""

    metric: Annotated[str, StringConstraints(max_length=200)] = Field(
        AUTO,
        description="name of the metric; `auto`: chosen from what the tasks report; "
        "empty: there is none, and no task is better than another",
    )
    goal: Goal = Field(
        default_factory=lambda given: goal_of(given.get("metric", "")),
        description="when not given, by the name of the metric: `val_acc` is to be large, `val_loss` small",
    )

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


def check_objectives(given: Sequence[Objective]) -> None:
    """Raise ValueError if these cannot be the objectives of one job."""
    names = [objective.metric for objective in given]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"{twice} is an objective twice")
    if len(names) > 1 and "" in names:
        raise ValueError("one of the objectives has no name")
    if len(names) > 1 and AUTO in names:
        raise ValueError("auto chooses one objective: name each of several")


class ObjectiveChoice(Model):
    """How the objective of a job was chosen."""

    by: Literal["spec", "auto", "person"] = Field(
        "spec", description="spec: as submitted; auto: from what the tasks report; person: changed later"
    )
    why: str = Field("as submitted", description="why this metric; while there is none, why none was chosen yet")
    final: bool = Field(True, description="false: it may change when tasks report further metrics")
    held: bool = Field(False, description="the job was held, as no task reports the objective")
    notice: str | None = Field(None, description="why the job was held; also among the warnings of the job")


def _by_method(given: Any) -> Any:
    return {"method": given} if isinstance(given, str) else given


class Search(Model):
    method: Method = Method.AUTO
    trials: int | None = Field(
        None,
        ge=1,
        le=100_000,
        description="number of configurations, for methods that draw them; with pbt: size of the population",
    )
    time_budget: Seconds | None = Field(
        None,
        ge=1,
        le=MOST_SECONDS,
        description="no further task starts after this time since the submission, such as 2h",
    )
    seed: int = Field(0, ge=0, le=2**31 - 1)
    repeat: int = Field(1, ge=1, le=100, description="tasks per configuration, each with another seed; the mean counts")
    warm_start: list[Annotated[str, StringConstraints(min_length=1, max_length=32)]] = Field(
        default_factory=list, max_length=20, description="past jobs to learn from"
    )
    interval: float | None = Field(
        None, gt=0, le=1e9, allow_inf_nan=False, description="pbt: steps between two changes of parameters"
    )


class StopEarly(Model):
    """How tasks that are not promising are stopped early. Text form: `asha`, `median`."""

    method: Literal["none", "median", "asha", "hyperband"] = "none"
    min_steps: float | None = Field(None, gt=0, le=1e9, description="no task is stopped before this step (epoch)")
    max_steps: float | None = Field(
        None, gt=0, le=1e9, description="steps of a task that is not stopped; the epochs of the script when not given"
    )
    eta: float = Field(3.0, ge=2, le=100, description="asha, hyperband: one of this many tasks goes on after a rung")
    min_trials: int = Field(5, ge=1, le=100_000, description="median: this many other tasks must have reached the step")
    interval: float | None = Field(None, gt=0, le=1e9, description="median: steps between two comparisons")


class Elastic(Model):
    """How a job makes room for others who wait, and keeps sizes. Text form: `never`, `between`, `now`."""

    give_way: Giving | None = Field(
        None,
        description="when its allocations leave for others who wait: never, between two tasks, or now, in the middle "
        "of one that has a checkpoint; as in the settings when not given",
    )
    keep: int | None = Field(
        None,
        ge=0,
        le=100_000,
        description="it keeps this many when other users of a cluster wait; as in the settings when not given",
    )
    keep_size: bool | None = Field(
        None,
        description="its tasks keep the number of GPUs that they begin with, or that people give them; otherwise it is "
        "chosen within the range, such as `gpus: 1..4`, if the settings let it",
    )


def _by_giving(given: Any) -> Any:
    return {"give_way": given} if isinstance(given, str) else given


class Environment(Model):
    """Where the script's Python comes from: at most one of python, venv and conda."""

    python: Text | None = Field(None, description="path or name of an interpreter")
    venv: Text | None = Field(None, description="folder of a virtual environment")
    conda: Text | None = Field(None, description="name or folder of a conda environment")
    setup: list[Text] = Field(default_factory=list, description="shell lines before the script: `module load cuda`")
    variables: dict[EnvName, Text] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _one_python(self) -> "Environment":
        given = [name for name in ("python", "venv", "conda") if getattr(self, name)]
        if len(given) > 1:
            raise ValueError(f"give one of {' and '.join(given)}, not both")
        return self


def _searchable(pattern: str) -> str:
    patterns.compiled(pattern)
    if _nested(_parser.parse(pattern)):
        raise ValueError("a repetition within a repetition can take forever: write it without the outer one")
    return pattern


def _nested(parsed: Any, repeated: bool = False) -> bool:
    """Return True if a part that may be repeated is itself of variable length, as in (a+)+ or (a|ab)*."""
    for op, argument in parsed:
        kind = str(op)
        if repeated and kind in ("BRANCH", "GROUPREF"):
            return True
        if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            low, high, inner = argument
            variable = low != high
            if (repeated and variable) or _nested(inner, repeated or (variable and high > MOST_REPEATS)):
                return True
        elif kind == "BRANCH":
            if any(_nested(one, repeated) for one in argument[1]):
                return True
        elif kind in ("SUBPATTERN", "ATOMIC_GROUP", "ASSERT", "ASSERT_NOT"):
            inner = argument[-1] if isinstance(argument, tuple) else argument
            if _nested(inner, repeated):
                return True
    return False


MOST_REPEATS = 10  # of a part of variable length; (a+){100} takes as long as (a+)*
MetricPattern = Annotated[
    str, StringConstraints(min_length=1, max_length=patterns.MAX_PATTERN), AfterValidator(_searchable)
]


class MetricFiles(Model):
    """Where Paddock looks for metrics, beyond what it finds by itself."""

    files: list[RelativePath] = Field(default_factory=list, description="patterns of file names in the task's folder")
    stdout: bool = Field(True, description="read metrics that the script prints when no file has metrics")
    patterns: list[MetricPattern] = Field(
        default_factory=list,
        max_length=50,
        description="regular expressions for lines that the script prints; each named group is a metric, `epoch` and "
        "`step` place it, and `name` with `value` give a metric that the line names",
    )


class JobSpec(Model):
    """A whole job, as it is written in a file, a form or flags."""

    name: Name = ""
    description: Text = Field("", max_length=20_000)
    tags: list[Annotated[Name, StringConstraints(min_length=1)]] = Field(default_factory=list, max_length=50)
    script: RelativePath | None = Field(None, description="path of the script, relative to the submitted folder")
    module: Annotated[str, StringConstraints(max_length=500, pattern=r"^[^\W\d]\w*(\.[^\W\d]\w*)*$")] | None = Field(
        None, description="run the script as this module of its package: `pkg.train`, as `python -m` does"
    )
    command: Text | None = Field(None, description="a shell command with {parameter} fields, in place of a script")
    workdir: Text | None = Field(
        None, description="absolute path of the folder in which tasks run; each has a folder of its own when not given"
    )
    reduce: Text | None = Field(None, description="a shell command that runs as one more task when all others finished")
    convention: Convention = Convention.AUTO
    params: dict[ParamName, ParamSpace] = Field(default_factory=dict, max_length=1000)
    objective: Annotated[
        ObjectiveLike,
        BeforeValidator(lambda given: given, json_schema_input_type=Objective | str | list[Objective | str]),
    ] = Objective()
    other_objectives: list[ObjectiveLike] = Field(
        default_factory=list,
        max_length=4,
        description="further objectives: then there is no single best task, but a Pareto front",
    )
    search: Annotated[Search, BeforeValidator(_by_method, json_schema_input_type=Search | str)] = Search()
    stop_early: Annotated[StopEarly, BeforeValidator(_by_method, json_schema_input_type=StopEarly | str)] = StopEarly()
    terminal: bool = Field(
        False, description="each task runs on a terminal, to which its owner can attach: for breakpoint() and input()"
    )
    yields: bool | None = Field(
        None,
        description="tasks go on from where they were when they have to make way for a reservation; when not given: "
        "if the script uses PADDOCK_CHECKPOINT_DIR",
    )
    elastic: Annotated[Elastic, BeforeValidator(_by_giving, json_schema_input_type=Elastic | str)] = Elastic()
    parallel: int | None = Field(None, ge=1, description="run up to this many tasks at a time")
    priority: int = Field(0, ge=-100, le=100, description="among the jobs of the same owner, the highest goes first")
    visibility: Visibility = Field(
        Visibility.TEAM, description="who sees the job where people have accounts: the team, or only its owner"
    )
    notify: list[NoticeKind] | None = Field(
        None,
        max_length=10,
        description="of what its owner is told outside the page, by mail and at their addresses; "
        "as they have chosen for all jobs when not given",
    )
    resources: Resources = Resources()
    environment: Environment = Environment()
    metrics: MetricFiles = MetricFiles()
    retries: dict[Cause, Annotated[int, Field(ge=0, le=100)]] = Field(
        default_factory=dict, description="how often a task is tried again, by cause; the settings contain the defaults"
    )
    grace_seconds: float | None = Field(None, ge=0, le=3600, description="seconds from SIGTERM to SIGKILL when stopped")

    @model_validator(mode="before")
    @classmethod
    def _several_objectives(cls, given: Any) -> Any:
        """Split a list of objectives into `objective`, the first, and `other_objectives`."""
        listed = given.get("objective") if isinstance(given, dict) else None
        if not isinstance(listed, list):
            return given
        if not listed or given.get("other_objectives"):
            raise ValueError("write one objective or several in a list, such as [val_loss, params:min]")
        return given | {"objective": listed[0], "other_objectives": listed[1:]}

    @model_validator(mode="before")
    @classmethod
    def _container_of_resources(cls, given: Any) -> Any:
        """Accept `container` beside the other fields: it belongs to the resources, as profiles may contain it."""
        if not isinstance(given, dict) or "container" not in given:
            return given
        resources = given.get("resources") or {}
        if not isinstance(resources, dict) or resources.get("container"):
            raise ValueError("container and resources.container are both given: leave one of them out")
        rest = {name: value for name, value in given.items() if name != "container"}
        return rest | {"resources": resources | {"container": given["container"]}}

    @model_validator(mode="after")
    def _different_objectives(self) -> "JobSpec":
        check_objectives(self.objectives)
        return self

    @property
    def objectives(self) -> list[Objective]:
        return [self.objective, *self.other_objectives]

    def with_objectives(self, objectives: Sequence[Objective]) -> "JobSpec":
        first, *others = objectives
        return self.model_copy(update={"objective": first, "other_objectives": others})


class CodeInfo(Model):
    """Where the files of a snapshot come from."""

    files: int = Field(0, ge=0)
    bytes: int = Field(0, ge=0)
    source: Annotated[Text, Field(max_length=4000)] | None = None
    git_commit: Annotated[Text, Field(max_length=100)] | None = None
    git_dirty: bool | None = None
    job: Annotated[Text, Field(max_length=64)] | None = Field(
        None, description="take the files of this job, as the server has them; files that are sent come in addition"
    )


class Submission(Model):
    """Body of a JSON submission: the spec and the text of its files by relative path."""

    spec: JobSpec
    files: dict[RelativePath, str] = Field(default_factory=dict)
    code: CodeInfo = CodeInfo()


class Interpreter(Model):
    """How the Python of a job is started; found and tried at submission."""

    argv: list[str]
    env: dict[str, str] = Field(default_factory=dict)
    version: str | None = None
    has_paddock: bool = False
    missing: list[str] = Field(default_factory=list, description="modules that were looked for and not found")

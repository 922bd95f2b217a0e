"""A job as it is submitted."""

import math
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, StringConstraints, model_validator

from paddock.models.base import MOST_SECONDS, Cause, EnvName, Model, Name, ParamName, RelativePath, Seconds, Text
from paddock.models.resources import Resources
from paddock.models.script import Convention
from paddock.models.space import ParamSpace


class Goal(StrEnum):
    MIN = "min"
    MAX = "max"


class Objective(Model):
    """What makes one configuration better than another. Text form: `val_loss`, `val_acc:max`."""

    metric: Annotated[str, StringConstraints(max_length=200)] = Field(
        "val_loss", description="name of the metric; empty: there is none, and no task is better than another"
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


class Method(StrEnum):
    """The methods by which configurations are chosen."""

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


class MetricFiles(Model):
    """Where Paddock looks for metrics, beyond what it finds by itself."""

    files: list[RelativePath] = Field(default_factory=list, description="patterns of file names in the task's folder")
    stdout: bool = Field(True, description="read `name: value` lines on standard output when no file has metrics")


class JobSpec(Model):
    """A whole job, as it is written in a file, a form or flags."""

    name: Name = ""
    description: Text = Field("", max_length=20_000)
    tags: list[Annotated[Name, StringConstraints(min_length=1)]] = Field(default_factory=list, max_length=50)
    script: RelativePath | None = Field(None, description="path of the script, relative to the submitted folder")
    command: Text | None = Field(None, description="a shell command with {parameter} fields, in place of a script")
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
    parallel: int | None = Field(None, ge=1, description="run up to this many tasks at a time")
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
    """Where the files of a snapshot come from."""

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
    """How the Python of a job is started; found and tried at submission."""

    argv: list[str]
    env: dict[str, str] = Field(default_factory=dict)
    version: str | None = None
    has_paddock: bool = False

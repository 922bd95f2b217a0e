"""The state of a search."""

from datetime import datetime
from typing import Any

from pydantic import Field, field_validator, model_validator

from paddock.models.base import MOST_SECONDS, Model, ParamName, Params, Seconds, TaskState
from paddock.models.choices import Method
from paddock.models.space import ParamSpace
from paddock.models.spec import Objective, ObjectiveChoice, ObjectiveLike, StopEarly, check_objectives


class ExtendRequest(Model):
    """A request to continue a search; fields that are not given stay as they are."""

    trials: int | None = Field(None, ge=1, le=100_000, description="number of further trials")
    time_budget: Seconds | None = Field(None, ge=1, le=MOST_SECONDS, description="time budget from now on, such as 2h")
    params: dict[ParamName, ParamSpace] = Field(default_factory=dict, description="other values of these parameters")


class TrialReport(Model):
    """A configuration and its results."""

    trial: int
    tasks: list[str]
    params: Params
    state: TaskState = Field(description="running or submitted until all its tasks have ended; then their best state")
    values: list[float | None] = Field(description="one value per objective; the mean over its tasks")
    spread: list[float | None] = Field(default_factory=list, description="standard deviation over its tasks")
    count: int = Field(0, description="number of tasks that the values come from")
    ended_at: datetime | None = None
    best: float | None = Field(None, description="the best value of the first objective up to this trial")
    front: bool = Field(False, description="no other trial is better in all objectives")


class RungReport(Model):
    """What happened at one rung of early stopping."""

    step: float
    bracket: int = 0
    reached: int
    went_on: int
    cutoff: float | None = Field(None, description="a trial with a value as good as this goes on")


class Savings(Model):
    """The steps and the time that early stopping saved."""

    steps: float = 0.0
    share: float = Field(0.0, description="share of all steps that would have been done without early stopping")
    seconds: float = 0.0


class Move(Model):
    """Population-based training: a task that continued from the checkpoint of another task."""

    task: str
    attempt: int
    source: str
    step: float
    before: Params
    after: Params
    at: datetime


class SearchReport(Model):
    """The state of the search of a job."""

    method: Method
    objectives: list[Objective]
    stop_early: StopEarly
    trials: int | None = Field(None, description="number of planned trials; null: until the time budget is over")
    searching: bool
    ended_why: str | None = Field(None, description="why no further trials come")
    ends_at: datetime | None = Field(None, description="when the time budget is over")
    history: list[TrialReport]
    importance: dict[str, float] = Field(description="share of each parameter in how good trials are, largest first")
    importance_from: int = Field(
        0,
        description="trials that the importance comes from: those that finished or were pruned, with a value",
    )
    rungs: list[RungReport] = Field(default_factory=list)
    saved: Savings = Savings()
    unjudged: list[str] = Field(
        default_factory=list,
        description="tasks that ended, or trained for long, without the objective: early stopping ignores them",
    )
    moves: list[Move] = Field(default_factory=list)


class ObjectiveReport(Model):
    """The objective of a job, and the metrics that it can be."""

    objectives: list[Objective] = Field(description="the first one has an empty name while none is chosen")
    choice: ObjectiveChoice
    metrics: list[Objective] = Field(description="the metrics that tasks report, each with its goal by its name")


class ObjectiveRequest(Model):
    """Another objective of a job. Text form of each: `val_loss`, `val_acc:max`, `auto`."""

    objective: list[ObjectiveLike] = Field(min_length=1, max_length=5, description="one, or several for a Pareto front")
    insist: bool = Field(False, description="accept a metric that no task has reported so far")

    @field_validator("objective", mode="before")
    @classmethod
    def _one_is_enough(cls, given: Any) -> Any:
        return given if isinstance(given, list) else [given]

    @model_validator(mode="after")
    def _different(self) -> "ObjectiveRequest":
        check_objectives(self.objective)
        return self

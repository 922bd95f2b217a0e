"""How a search stands."""

from datetime import datetime

from pydantic import Field

from paddock.models.base import MOST_SECONDS, Model, ParamName, Params, Seconds, TaskState
from paddock.models.space import ParamSpace
from paddock.models.spec import Method, Objective, StopEarly


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

"""Turn the tasks of a job into the trials that searchers and early stopping use. Pure."""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from paddock.errors import InvalidInput
from paddock.models import JobSpec, Objective, Params, StopEarly, TaskState
from paddock.search import dimensions
from paddock.search.base import Configuration, Outcome, Trial
from paddock.search.dimensions import Spaces

_OUTCOMES = {
    TaskState.SUBMITTED: Outcome.RUNNING,
    TaskState.RUNNING: Outcome.RUNNING,
    TaskState.FINISHED: Outcome.FINISHED,
    TaskState.PRUNED: Outcome.PRUNED,
}

Values = tuple[float | None, ...]
Points = NDArray[np.void]


@dataclass(frozen=True)
class Run:
    """The part of a task that a search needs."""

    task: str
    trial: int  # from 1 on
    params: Params
    state: TaskState
    values: Values  # the best of each objective
    epoch: float | None = None
    ended_at: float | None = None


@dataclass(frozen=True)
class Judged:
    """A task with its current attempt, for early stopping and population-based training."""

    task: str
    number: int
    attempt: int
    attempt_id: int
    state: TaskState
    ordered: bool
    params: Params
    epochs: int | None
    since: float  # pbt: the step of its last change
    began: float | None  # the first step of this attempt
    spared: bool  # a person has started it again after it had been pruned
    started_at: float | None = None


def by_trial(runs: Iterable[Run]) -> dict[int, list[Run]]:
    found: dict[int, list[Run]] = {}
    for run in runs:
        found.setdefault(run.trial, []).append(run)
    return found


def trials(runs: Iterable[Run], space: Spaces, count: int) -> list[Trial]:
    """Return one trial per configuration, numbered from 0. `count`: the number of objectives."""
    return [_trial(number - 1, one, space, count) for number, one in by_trial(runs).items()]


def warm(runs: Iterable[Run], space: Spaces, count: int, before: int = 0) -> list[Trial]:
    """Return the finished trials of other jobs that have values, numbered down from -1 (after `before` others)."""
    known = [_trial(0, one, space, count) for one in by_trial(runs).values()]
    able = [one for one in known if one.outcome is Outcome.FINISHED and one.values and one.params]
    return [replace(one, number=-1 - before - place) for place, one in enumerate(able)]


def _trial(number: int, runs: Sequence[Run], space: Spaces, count: int) -> Trial:
    outcome = outcome_of(runs)
    values = means(runs, count)
    curve: tuple[tuple[float, float], ...] = ()
    if outcome is Outcome.PRUNED:
        curve = tuple((run.epoch or 0.0, run.values[0]) for run in runs if run.values and run.values[0] is not None)[:1]
    whole = tuple(value for value in values if value is not None)
    finished = outcome is Outcome.FINISHED and len(whole) == count
    return Trial(number, _configuration(runs[0].params, space), outcome, whole if finished else (), curve)


def curve_trials(found: Iterable[Judged], series: Mapping[str, Points], space: Spaces) -> list[Trial]:
    """Return one trial per task with its curve. `series`: by task, points with step, value and time."""
    known = []
    for one in found:
        outcome = _OUTCOMES.get(one.state, Outcome.FAILED)
        trial = Trial(one.number - 1, _configuration(one.params, space), outcome)
        if (points := series.get(one.task)) is not None:
            curve = tuple(zip(points["step"].tolist(), points["value"].tolist(), strict=True))
            trial = replace(trial, curve=curve, times=tuple(points["time"].tolist()))
        known.append(trial)
    return known


def stop_early_of(spec: JobSpec, epochs: Sequence[int | None]) -> StopEarly:
    """Return the options of early stopping, with the epochs of the tasks as `max_steps` where all are known."""
    given = spec.stop_early
    most = max((one for one in epochs if one), default=None) if epochs and all(epochs) else None
    return given.model_copy(update={"max_steps": given.max_steps or most})


def outcome_of(runs: Sequence[Run]) -> Outcome:
    """Return the outcome of a configuration. What a person stopped counts as pruned if it has a value."""
    states = {run.state for run in runs}
    if any(not state.ended for state in states):
        return Outcome.RUNNING
    if TaskState.FINISHED in states:
        return Outcome.FINISHED
    got_somewhere = any(run.values and run.values[0] is not None for run in runs)
    if TaskState.PRUNED in states or (TaskState.STOPPED in states and got_somewhere):
        return Outcome.PRUNED
    return Outcome.FAILED


def means(runs: Sequence[Run], count: int) -> Values:
    """Return the mean of each objective over the finished tasks; over all tasks where none has finished."""
    columns = [_column(runs, place) for place in range(count)]
    return tuple(statistics.fmean(column) if column else None for column in columns)


def leading(means: Iterable[tuple[int, float | None, bool]], objective: Objective) -> int | None:
    """Return the number of the best configuration, given the number, the mean and whether all tasks ended of each.

    One of which tasks have not ended counts only while there is no other: a few lucky tasks make no good mean.
    """
    found: dict[bool, tuple[int, float]] = {}
    for number, mean, whole in means:
        if mean is not None and objective.better(mean, found[whole][1] if whole in found else None):
            found[whole] = (number, mean)
    return (found.get(True) or found.get(False) or (None,))[0]


def spreads(runs: Sequence[Run], count: int) -> Values:
    columns = [_column(runs, place) for place in range(count)]
    return tuple(statistics.stdev(column) if len(column) > 1 else None for column in columns)


def counted(runs: Sequence[Run]) -> list[Run]:
    finished = [run for run in runs if run.state is TaskState.FINISHED]
    return finished or list(runs)


def _column(runs: Sequence[Run], place: int) -> list[float]:
    values = [run.values[place] for run in counted(runs) if place < len(run.values)]
    return [value for value in values if value is not None and math.isfinite(value)]


def _configuration(params: Params, space: Spaces) -> Configuration:
    """Return the configuration without what is not in the space (seeds, parameters of other jobs)."""
    try:
        return dimensions.spread({name: value for name, value in params.items() if name in space}, space)
    except InvalidInput:  # of another shape, from before the space was changed
        return {}

"""Population-based training: a poor trial goes on from a copy of a good one, with changed hyperparameters. Pure.

At each interval (in steps) those that have come so far are ranked by their value there: by the last one, not the best,
as it is today's weights that are copied. A trial of the bottom quantile takes over the weights and hyperparameters of
one of the top quantile, drawn at random, and changes each: drawn anew, or a factor up or down.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from paddock.models import Goal
from paddock.models.space import Choices, Range, is_number, same
from paddock.search.axes import Axis
from paddock.search.base import Configuration, Dimension, Outcome, Trial
from paddock.search.stopping import score, steps_done, walk

QUANTILE = 0.25
RESAMPLE = 0.25
FACTORS = (0.8, 1.2)


@dataclass(frozen=True)
class Exploit:
    """Go on from a copy of the source's checkpoint, with these parameters."""

    source: int
    params: Configuration
    step: float  # of the interval at which this was decided


def perturb(
    trial: Trial,
    history: Sequence[Trial],
    dimensions: Sequence[Dimension],
    goal: Goal,
    seed: int,
    interval: float,
    *,
    since: float = 0.0,
) -> Exploit | None:
    """Return what a running trial should do; None: go on as it is.

    It is judged at the last interval that it and enough others have reached: one that is ahead of the others is judged
    when they follow. `since` is the step of its last Exploit: at one interval a trial changes once.
    """
    if trial.outcome is not Outcome.RUNNING:
        return None
    index = math.floor(steps_done(trial) / interval)
    while index * interval > since:
        ranked = _ranked(history, index * interval, goal)
        size = math.floor(len(ranked) * QUANTILE)
        if size:
            source = random.Random(f"{seed}/{trial.number}/{index}")  # noqa: S311
            better = _better(trial, ranked, size, source)
            if better is None:
                return None
            return Exploit(better.number, explore(better.params, dimensions, source), index * interval)
        index -= 1
    return None


def _ranked(history: Sequence[Trial], step: float, goal: Goal) -> list[tuple[float, int, Trial]]:
    """Return the trials that have reached this step, the best first."""
    return sorted(
        (at, other.number, other)
        for other in history
        if other.outcome in (Outcome.RUNNING, Outcome.FINISHED) and (at := _score_at(other, step, goal)) is not None
    )


def _better(trial: Trial, ranked: Sequence[tuple[float, int, Trial]], size: int, source: random.Random) -> Trial | None:
    """Return one of the `size` best trials if this trial is one of the `size` worst."""
    top = [(at, other) for at, _, other in ranked[:size] if math.isfinite(at)]
    # A copy of one that has finished would have nothing to do.
    open_ = [other for _, other in top if other.outcome is Outcome.RUNNING]
    bottom = {number: at for at, number, _ in ranked[len(ranked) - size :]}
    if trial.number not in bottom or not open_ or bottom[trial.number] <= top[-1][0]:
        return None
    return source.choice(open_)


def explore(
    params: Configuration, dimensions: Sequence[Dimension], source: random.Random, resample: float = RESAMPLE
) -> Configuration:
    """Return changed parameters within their space. Those that no longer apply are left out, new ones are drawn."""
    known = {dimension.name for dimension in dimensions}
    changed: Configuration = {name: value for name, value in params.items() if name not in known}
    for dimension in dimensions:
        if not dimension.applies(changed):
            continue
        axis = Axis(dimension)
        # Drawn in any case, so that one dimension's luck does not depend on what the others were.
        anew, up, drawn = source.random() < resample, source.random() < 0.5, axis.at(source.random())
        near = _near(axis, params[dimension.name], up) if dimension.name in params else None
        changed[dimension.name] = drawn if anew or near is None else near[0]
    return changed


def _near(axis: Axis, value: JsonValue, up: bool) -> tuple[JsonValue] | None:
    """Return a value nearby: above or below, and the other way where the space ends. None: there is none."""
    for direction in (up, not up):
        found = (
            _neighbour(axis, value, direction) if isinstance(axis.space, Choices) else _scaled(axis, value, direction)
        )
        if found is not None and not same(found[0], value):
            return found
    return None


def _neighbour(axis: Axis, value: JsonValue, up: bool) -> tuple[JsonValue] | None:
    """Return the next value: numbers in their order, others in the order in which they are listed."""
    index = axis.index(value)
    if index is None or not 0 <= (found := index + (1 if up else -1)) < (axis.count or 0):
        return None
    return (axis.value(found),)


def _scaled(axis: Axis, value: JsonValue, up: bool) -> tuple[JsonValue] | None:
    if not is_number(value) or isinstance(axis.space, Choices):
        return None
    wanted = min(max(value * FACTORS[up], axis.low), axis.high)
    stepped = axis.whole or axis.space.step is not None
    return (_stepped(axis.space, float(value), wanted) if stepped else axis.readable(wanted),)


def _stepped(space: Range, value: float, wanted: float) -> int | float:
    """Return the value of the range that is nearest to the wanted one and at least one step away."""
    stride = space.step or 1.0
    old, new = (round((one - space.low) / stride) for one in (value, wanted))
    if new == old and wanted != value:
        new += 1 if wanted > value else -1
    last = math.floor((space.high - space.low) / stride + 1e-9)
    return space.value(min(max(new, 0), last))


def _score_at(trial: Trial, step: float, goal: Goal) -> float | None:
    """Return the score of the last value at or before this step; None: the trial has not reached it."""
    found: float | None = None
    for done, value, _ in walk(trial):
        if done > step:
            return found
        found = score(value, goal)
        if done == step:
            return found
    return None

"""How much each parameter influenced how good trials were."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from paddock.models import Goal
from paddock.search.axes import Axis, axes_of
from paddock.search.base import Dimension, Trial
from paddock.search.pareto import known, losses, ranks, standing

FEWEST = 10  # fewer trials give no result
MOST = 2000  # of more trials, this many are taken, spread evenly over all of them
STEPS = 400  # the order of all values is divided into up to this many: time grows with their square
WIDTH = 0.08  # values closer than this share of the order of all values are alike


def importance(trials: Sequence[Trial], dimensions: Sequence[Dimension], goals: Sequence[Goal]) -> dict[str, float]:
    """Return the share of each parameter in what parameters explain, the largest first; empty where it is unknown.

    The trials are ordered by how good they are; a parameter matters as far as the place of a trial can be guessed from
    those of the others with like values of it, better than by the mean of all: a share of the variance, each trial left
    out in turn.
    One that does not always apply counts by the share of trials in which it does. What two parameters do only together
    is not seen.
    """
    able = _spread(judged(trials, goals))
    if len(able) < FEWEST:
        return {}
    places = _places(able, goals)
    if not places.var():
        return {}
    found = {name: _explained(axis, able, places) for name, axis in axes_of(dimensions).items() if not axis.fixed}
    total = sum(found.values())
    if not total:
        return {}
    return {name: value / total for name, value in sorted(found.items(), key=lambda pair: -pair[1])}


def judged(trials: Sequence[Trial], goals: Sequence[Goal]) -> list[Trial]:
    """Return the trials that importance comes from: finished ones, and those that were pruned with a value.

    With several objectives a pruned trial cannot be compared with the others, so only finished ones count.
    """
    return [one for one in trials if known(one, goals) or (len(goals) == 1 and standing(one, goals)[0] == 1)]


def _spread(trials: list[Trial]) -> list[Trial]:
    """Return up to MOST trials, one from each of as many equal parts of all.

    Which one of its part is taken is drawn: every n-th trial of a grid would have the same value of some parameter.
    """
    if len(trials) <= MOST:
        return trials
    drawn = np.arange(MOST) + np.random.default_rng(0).random(MOST)
    return [trials[place] for place in (drawn * len(trials) / MOST).astype(int)]


def _places(trials: Sequence[Trial], goals: Sequence[Goal]) -> NDArray[np.float64]:
    """Return the ranks, the best first; equally good trials share one. With several objectives: ranks of domination."""
    if len(goals) > 1:
        inverse, counts = np.unique(ranks(losses(trials, goals)), return_inverse=True, return_counts=True)[1:]
    else:  # pruned trials come after those that finished
        keys = np.array([standing(trial, goals) for trial in trials])
        inverse, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)[1:]
    return _middles(inverse.reshape(-1), counts)


def _middles(inverse: NDArray[np.intp], counts: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the rank of each value, from 1 on, where equal ones share the mean of theirs."""
    found: NDArray[np.float64] = (np.cumsum(counts) - (counts - 1) / 2)[inverse].astype(np.float64)
    return found


def _explained(axis: Axis, trials: Sequence[Trial], places: NDArray[np.float64]) -> float:
    there = np.array([axis.name in trial.params and axis.holds(trial.params[axis.name]) for trial in trials])
    values = [trial.params[axis.name] for trial, is_there in zip(trials, there, strict=True) if is_there]
    applied = places[there]
    if len(values) < FEWEST // 2 or not applied.var():
        return 0.0
    group, likeness = _groups(axis, values)
    sums, sizes = np.bincount(group, applied), np.bincount(group)
    # What the others with like values came to: a trial does not count for itself.
    weights = (likeness @ sizes)[group] - 1
    totals = (likeness @ sums)[group] - applied
    blind = (applied.sum() - applied) / (len(applied) - 1)
    guessed = np.where(weights > 1e-6, totals / np.maximum(weights, 1e-6), blind)  # of a value of its own, nothing
    share = 1 - float(((applied - guessed) ** 2).sum() / ((applied - blind) ** 2).sum())
    return max(0.0, share) * len(applied) / len(trials)


def _groups(axis: Axis, values: Sequence[JsonValue]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the group of each value, and how much groups count for each other: fully for themselves."""
    where = np.array([axis.where(value) for value in values])
    _, group, counts = np.unique(where, return_inverse=True, return_counts=True)
    if not axis.ordered:
        return group, np.eye(len(counts))
    order = _middles(group, counts) / len(where)
    steps, group = np.unique(np.round(order * STEPS), return_inverse=True)
    kernel: NDArray[np.float64] = np.exp(-0.5 * (np.subtract.outer(steps, steps) / STEPS / WIDTH) ** 2)
    return group, np.where(kernel < 1e-6, 0.0, kernel)

"""How much each parameter influenced how good trials were."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from paddock.models import Goal
from paddock.search.axes import Axis, axes_of
from paddock.search.base import Dimension, Trial
from paddock.search.pareto import known, losses, ranks

FEWEST = 10  # fewer trials give no result
MOST = 600  # only the last trials count: time grows with their square
WIDTH = 0.08  # values closer than this share of the order of all values are alike


def importance(trials: Sequence[Trial], dimensions: Sequence[Dimension], goals: Sequence[Goal]) -> dict[str, float]:
    """Return the share of each parameter in what parameters explain, the largest first; empty where it is unknown.

    The trials are ordered by how good they are; a parameter matters as far as the place of a trial can be guessed from
    those of the others with like values of it, better than by the mean of all: a share of the variance, each trial left
    out in turn.
    One that does not always apply counts by the share of trials in which it does. What two parameters do only together
    is not seen.
    """
    able = [trial for trial in trials if known(trial, goals)][-MOST:]
    if len(able) < FEWEST:
        return {}
    places = _places(losses(able, goals))
    if not places.var():
        return {}
    found = {name: _explained(axis, able, places) for name, axis in axes_of(dimensions).items() if not axis.fixed}
    total = sum(found.values())
    if not total:
        return {}
    return {name: value / total for name, value in sorted(found.items(), key=lambda pair: -pair[1])}


def _places(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ranks, the best first; equal rows share one. With several objectives: ranks of domination."""
    column = rows[:, 0] if rows.shape[1] == 1 else ranks(rows)
    _, inverse, counts = np.unique(column, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse].astype(float)


def _explained(axis: Axis, trials: Sequence[Trial], places: NDArray[np.float64]) -> float:
    there = np.array([axis.name in trial.params and axis.holds(trial.params[axis.name]) for trial in trials])
    values = [trial.params[axis.name] for trial, is_there in zip(trials, there, strict=True) if is_there]
    applied = places[there]
    if len(values) < FEWEST // 2 or not applied.var():
        return 0.0
    weights = _likeness(axis, values)
    np.fill_diagonal(weights, 0.0)
    alone = weights.sum(axis=1) == 0
    weights[alone] = 1.0  # a value that no other trial has: nothing is known of it
    weights[alone, alone] = 0.0
    guessed = weights @ applied / weights.sum(axis=1)
    blind = (applied.sum() - applied) / (len(applied) - 1)
    share = 1 - float(((applied - guessed) ** 2).sum() / ((applied - blind) ** 2).sum())
    return max(0.0, share) * len(applied) / len(trials)


def _likeness(axis: Axis, values: Sequence[JsonValue]) -> NDArray[np.float64]:
    """Return the weights between trials: 1 for the same choice; for numbers, high for nearby values."""
    where = np.array([axis.where(value) for value in values])
    if not axis.ordered:
        same: NDArray[np.float64] = np.equal.outer(where, where).astype(np.float64)
        return same
    _, inverse, counts = np.unique(where, return_inverse=True, return_counts=True)
    order = (np.cumsum(counts) - (counts - 1) / 2)[inverse] / len(where)
    kernel: NDArray[np.float64] = np.exp(-0.5 * (np.subtract.outer(order, order) / WIDTH) ** 2)
    return np.where(kernel < 1e-6, 0.0, kernel)

"""Which trials are better, with one objective or several."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from paddock.models import Goal
from paddock.search.base import Outcome, Trial


def known(trial: Trial, goals: Sequence[Goal]) -> bool:
    """Return True if the trial has finished and every objective is a number."""
    finite = len(trial.values) == len(goals) and all(math.isfinite(value) for value in trial.values)
    return trial.outcome is Outcome.FINISHED and finite


def ended(trial: Trial, goals: Sequence[Goal]) -> bool:
    """Return True if a model can learn from the trial: stopped early, or finished with values, numbers or not.

    A trial that failed, or never reported its values, contains no information about its configuration.
    """
    finished = trial.outcome is Outcome.FINISHED and len(trial.values) == len(goals)
    return finished or trial.outcome is Outcome.PRUNED


def losses(trials: Sequence[Trial], goals: Sequence[Goal]) -> NDArray[np.float64]:
    """Return one row per trial, one column per objective; less is better. The trials must be `known`."""
    signs = np.array([1.0 if goal is Goal.MIN else -1.0 for goal in goals])
    rows = np.array([trial.values for trial in trials], dtype=np.float64).reshape(len(trials), len(goals))
    signed: NDArray[np.float64] = rows * signs
    return signed


def front(trials: Sequence[Trial], goals: Sequence[Goal]) -> list[int]:
    """Return the numbers of the trials that no other trial beats in all objectives, in their order."""
    able = [trial for trial in trials if known(trial, goals)]
    return [trial.number for trial, rank in zip(able, ranks(losses(able, goals), enough=1), strict=True) if rank == 0]


def ranks(rows: NDArray[np.float64], enough: int | None = None) -> NDArray[np.int64]:
    """Return rank 0 for rows that no other row beats, 1 for those that only these beat, and so on.

    Once `enough` rows have a rank, all others get the next one.
    """
    left = np.lexsort(rows.T[::-1]) if len(rows) else np.arange(0)  # whoever beats a row comes before it
    found = np.zeros(len(rows), dtype=np.int64)
    rank = 0
    while len(left) and (enough is None or len(rows) - len(left) < enough):
        left = _beaten(rows, left)
        rank += 1
        found[left] = rank
    return found


def _beaten(rows: NDArray[np.float64], left: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows, in order, that another row beats: nowhere worse and somewhere better."""
    beaten = np.zeros(len(rows), dtype=np.bool_)
    open_ = left
    while len(open_):
        first, open_ = rows[open_[0]], open_[1:]
        lost = np.all(first <= rows[open_], axis=1) & np.any(first < rows[open_], axis=1)
        beaten[open_[lost]] = True
        open_ = open_[~lost]
    return left[beaten[left]]


def crowding(rows: NDArray[np.float64], rank: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how far each row is from its neighbours of the same rank; rows far away are worth keeping."""
    found = np.zeros(len(rows))
    for one in np.unique(rank):
        members = np.flatnonzero(rank == one)
        for column in rows[members].T:
            order = np.argsort(column, kind="stable")
            ordered = column[order]
            span = ordered[-1] - ordered[0] or 1.0
            found[members[order[[0, -1]]]] = np.inf
            found[members[order[1:-1]]] += (ordered[2:] - ordered[:-2]) / span
    return found


def standing(trial: Trial, goals: Sequence[Goal]) -> tuple[int, float, float]:
    """Return a key that sorts by the first objective: finished trials, then pruned ones by the steps that they did."""
    sign = 1.0 if goals[0] is Goal.MIN else -1.0
    if trial.outcome is Outcome.FINISHED and trial.values and math.isfinite(trial.values[0]):
        return 0, 0.0, sign * trial.values[0]
    if trial.outcome is Outcome.PRUNED and trial.curve and math.isfinite(trial.curve[-1][1]):
        return 1, -trial.curve[-1][0], sign * trial.curve[-1][1]
    return 2, 0.0, 0.0

"""CMA-ES: a distribution of numbers that moves and stretches towards better values.

It moves the numbers that always apply and on which nothing else depends; TPE chooses the rest.
"""

from collections.abc import Sequence

import numpy as np
from cmaes import CMA, get_warm_start_mgd
from numpy.typing import NDArray

from paddock.errors import InvalidInput
from paddock.search.axes import PerTrial, SpaceSampler, complete, dice, key, next_number
from paddock.search.base import Configuration, Problem, Trial
from paddock.search.bayes import Tpe
from paddock.search.evolution import descendant, mutated
from paddock.search.pareto import ended, standing

WARM = 10  # with this many trials of other jobs, the distribution begins at the best of them


class Cmaes(SpaceSampler):
    def __init__(self, problem: Problem) -> None:
        if len(problem.goals) > 1:
            raise _unfit("cmaes has one objective only: use nsga2 or tpe for several")
        super().__init__(problem)
        asked = {condition.name for dimension in problem.dimensions for condition in dimension.when}
        self._moved = [
            axis
            for name, axis in self._axes.items()
            if axis.ordered and not axis.fixed and not axis.dimension.when and name not in asked
        ]
        if not self._moved:
            raise _unfit("cmaes needs at least one range, or list of numbers, that always applies: use tpe")
        self._rest = Tpe(problem) if any(not a.fixed for a in self._axes.values() if a not in self._moved) else None
        self._usable = PerTrial(self._can_use)
        self._before: list[Trial] = []  # trials of other jobs
        self._learnt: list[Trial] = []
        self._distribution = self._new()

    def suggest(self, history: Sequence[Trial]) -> Configuration | None:
        number, seen = next_number(history), self._seen(history)
        self._learn(sorted((trial for trial in history if self._usable(trial)), key=lambda trial: trial.number))
        chance = dice(self._seed, "cmaes", number)
        self._distribution._rng = np.random.RandomState(chance.getrandbits(32))
        rest = self._rest.suggest(history) if self._rest else {}
        if rest is None:
            return None
        place = self._distribution.ask()
        wish = {axis.name: axis.at(float(where)) for axis, where in zip(self._moved, place, strict=True)}
        config = complete(self._axes, {**rest, **wish}, chance)
        if key(config) not in seen:
            return config
        return descendant(self._axes, seen, chance, lambda: mutated(self._axes, config, chance))

    def _can_use(self, trial: Trial) -> bool:
        there = all(axis.name in trial.params and axis.holds(trial.params[axis.name]) for axis in self._moved)
        return there and ended(trial, self._goals)

    def _learn(self, trials: list[Trial]) -> None:
        """Update the distribution with all ended trials that it does not know, one generation at a time."""
        before = [trial for trial in trials if trial.number < 0]
        before = before if len(before) >= WARM else []
        trials = trials[len(before) :]
        if before != self._before or trials[: len(self._learnt)] != self._learnt:
            self._before, self._learnt = before, []
            self._distribution = self._new()
        size = self._distribution.population_size
        for start in range(len(self._learnt), len(trials) - size + 1, size):
            self._distribution.tell(self._ranked(trials[start : start + size]))
            self._learnt += trials[start : start + size]

    def _ranked(self, trials: Sequence[Trial]) -> list[tuple[NDArray[np.float64], float]]:
        """Return the points of these trials, the best first."""
        ordered = sorted(trials, key=lambda trial: standing(trial, self._goals))
        places = [np.array([axis.where(trial.params[axis.name]) for axis in self._moved]) for trial in ordered]
        return [(place, float(rank)) for rank, place in enumerate(places)]

    def _new(self) -> CMA:
        size = len(self._moved)
        mean, sigma, shape = np.full(size, 0.5), 1 / 6, None
        if self._before:
            mean, sigma, shape = get_warm_start_mgd(self._ranked(self._before))
        return CMA(mean=mean, sigma=sigma, cov=shape, bounds=np.tile([0.0, 1.0], (size, 1)), seed=0)


def _unfit(message: str) -> InvalidInput:
    return InvalidInput.at("search.method", message)

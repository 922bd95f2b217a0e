"""Regularised evolution and NSGA-II: new configurations are changed copies of good ones.

They have no state: which trials may be parents follows from the history alone.
"""

import random
import re
from collections.abc import Callable, Container, Mapping, Sequence

import numpy as np
from pydantic import JsonValue

from paddock.models.space import SKIP
from paddock.search.axes import NEARBY, Axis, SpaceSampler, complete, dice, key, next_number, unseen
from paddock.search.base import Configuration, Problem, Trial
from paddock.search.pareto import crowding, ended, known, losses, ranks, standing
from paddock.search.sobol import Sobol

POPULATION = 50
_SPREAD = 0.15  # how far a number moves, as a share of its range
_COUNT = ".count"  # `layers.count` is the number of `layers.0`, `layers.1`, ...


class PopulationSampler(SpaceSampler):
    def __init__(self, problem: Problem, budget: int | None = None) -> None:
        super().__init__(problem)
        self._start = Sobol(problem)
        self.population = POPULATION if budget is None else min(POPULATION, max(8, budget // 6))
        self.tournament = max(3, self.population // 3)


class Evolution(PopulationSampler):
    """Regularised evolution (Real et al., 2019): the best of a few of the last ones gets a descendant.

    The old ones leave, however good, so that one lucky value does not decide the rest of the search.
    """

    def suggest(self, history: Sequence[Trial]) -> Configuration | None:
        number, seen = next_number(history), self._seen(history)
        past = sorted((trial for trial in history if ended(trial, self._goals)), key=lambda trial: trial.number)
        living = past[-self.population :]
        if len(living) < self.population:
            return self._start.point(number, seen)
        chance = dice(self._seed, "evolution", number)
        parent = self._winner(chance.sample(living, min(self.tournament, len(living))), chance)
        return descendant(self._axes, seen, chance, lambda: mutated(self._axes, parent.params, chance))

    def _winner(self, group: list[Trial], chance: random.Random) -> Trial:
        if len(self._goals) == 1:
            return min(group, key=lambda trial: standing(trial, self._goals))
        able = [trial for trial in group if known(trial, self._goals)]
        if not able:
            return group[0]
        best = ranks(losses(able, self._goals)) == 0
        return chance.choice([trial for trial, one in zip(able, best, strict=True) if one])


class Nsga2(PopulationSampler):
    """NSGA-II (Deb et al., 2002), one descendant at a time: the parents are the best of all so far.

    A trial is better if fewer others beat it and, among equals, if it is further from its neighbours.
    """

    def suggest(self, history: Sequence[Trial]) -> Configuration | None:
        number, seen = next_number(history), self._seen(history)
        past = sorted(history, key=lambda trial: trial.number)
        able = [trial for trial in past if known(trial, self._goals)]
        if len(able) < self.population // 2:
            return self._start.point(number, seen)
        rows = losses(able, self._goals)
        rank = ranks(rows, self.population)
        order: list[int] = np.lexsort((-crowding(rows, rank), rank))[: self.population].tolist()  # the best first
        chance = dice(self._seed, "nsga2", number)

        def parent() -> Configuration:
            return able[order[min(chance.randrange(len(order)) for _ in range(2))]].params

        return descendant(self._axes, seen, chance, lambda: self._child(parent(), parent(), chance))

    def _child(self, one: Configuration, other: Configuration, chance: random.Random) -> Configuration:
        mixed = crossed(self._axes, one, other, chance) if chance.random() < 0.9 else dict(one)
        active = [axis for name, axis in self._axes.items() if name in mixed and not axis.fixed]
        wish = {
            axis.name: moved(axis, mixed[axis.name], chance) for axis in active if chance.random() < 1 / len(active)
        }
        return complete(self._axes, {**mixed, **wish}, chance)


def descendant(
    axes: Mapping[str, Axis], seen: Container[str], chance: random.Random, make: Callable[[], Configuration]
) -> Configuration | None:
    """Return a result of `make` that is not in `seen`, or a random configuration after some attempts."""
    for _ in range(NEARBY):
        config = make()
        if key(config) not in seen:
            return config
    return unseen(axes, seen, chance)


def mutated(axes: Mapping[str, Axis], parent: Configuration, chance: random.Random) -> Configuration:
    """Return a copy in which one dimension has another value, or one layer is doubled or removed."""
    moves: list[Callable[[], Configuration]] = []
    for name, axis in axes.items():
        if name not in parent or axis.fixed or not axis.holds(parent[name]):
            continue
        moves.append(lambda axis=axis: {**parent, axis.name: moved(axis, parent[axis.name], chance)})  # type: ignore[misc]
        count = parent[name]
        if name.endswith(_COUNT) and isinstance(count, int):
            stem = name.removesuffix(_COUNT)
            for change in (1, -1):
                if axis.holds(count + change) and count + min(change, 0) >= 0 and count:
                    moves.append(lambda s=stem, c=count, d=change: _relayered(parent, s, c, d, chance))  # type: ignore[misc]
    return complete(axes, chance.choice(moves)() if moves else parent, chance)


def moved(axis: Axis, value: JsonValue, chance: random.Random) -> JsonValue:
    """Return another value: any other choice, or a number nearby."""
    if axis.count is None:
        where = axis.where(value) + chance.gauss(0, _SPREAD)
        return axis.at(min(abs(where), 2 - abs(where)) if -1 < where < 2 else chance.random())
    index = axis.index(value) or 0
    if not axis.ordered:
        return axis.value((index + chance.randrange(1, axis.count)) % axis.count)
    step = round(chance.gauss(0, max(1.0, _SPREAD * axis.count))) or chance.choice((-1, 1))
    there = min(max(index + step, 0), axis.count - 1)
    if there == index:  # it was at the end already
        there = index + (-1 if index else 1)
    return axis.value(there)


def crossed(axes: Mapping[str, Axis], one: Configuration, other: Configuration, chance: random.Random) -> Configuration:
    """Return a mix: each dimension from one parent; numbers also from near either (simulated binary crossover)."""
    wish: Configuration = {**other, **one}
    for name in one:
        axis = axes.get(name)
        if axis is None or name not in other or not (axis.holds(one[name]) and axis.holds(other[name])):
            continue
        if axis.count is None and chance.random() < 0.5:
            spread = chance.random()
            beta = (2 * spread) ** (1 / 3) if spread < 0.5 else (1 / (2 * (1 - spread))) ** (1 / 3)
            left, right = axis.where(one[name]), axis.where(other[name])
            where = ((1 + beta) * left + (1 - beta) * right) / 2
            wish[name] = axis.at(min(max(where, 0.0), 1.0))
        elif chance.random() < 0.5:
            wish[name] = other[name]
    return complete(axes, wish, chance)


def _relayered(parent: Configuration, stem: str, count: int, change: int, chance: random.Random) -> Configuration:
    """Return a copy with one layer doubled or removed; the layers after it keep their values."""
    pick = chance.randrange(count)
    member = re.compile(rf"{re.escape(stem)}\.(\d+)(\..*)?")
    new: Configuration = {stem + _COUNT: count + change}
    for name, value in parent.items():
        found = member.fullmatch(name)
        if found is None:
            new.setdefault(name, value)
            continue
        layer, rest = int(found[1]), found[2] or ""
        if rest == f".{SKIP}" and isinstance(value, int) and value >= pick and (value > pick or change < 0):
            value = value + change if value > pick else None  # where the layer is now that it adds
        if layer < pick or (layer == pick and change > 0):
            new[name] = value
        if layer > pick or (layer == pick and change > 0):
            new[f"{stem}.{layer + change}{rest}"] = value
    return new

"""Configurations as points: dimensions as numbers, random draws, and configurations that are not in a history yet."""

import json
import math
import random
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from pydantic import JsonValue

from paddock.models.space import Choices, is_number, same
from paddock.search.base import Configuration, Dimension, Problem, Searcher, Trial
from paddock.search.dimensions import walk

DRAWS = 200  # this many draws without a new configuration, then all configurations are walked through
CLOSE = 0.01  # numbers closer than this share of their range are almost the same
NEARBY = 50  # how many neighbours of a configuration are tried

Result = TypeVar("Result")


class Axis:
    """One dimension: its values by index, where they can be counted, or on a scale from 0 to 1."""

    def __init__(self, dimension: Dimension) -> None:
        self.dimension, self.name = dimension, dimension.name
        space = self.space = dimension.space
        self.ordered = True
        self._values: list[JsonValue] = []
        if isinstance(space, Choices):
            numbers = [one for one in space.values if is_number(one)]
            self.ordered = len(numbers) == len(space.values)
            self._values = [*sorted(numbers)] if self.ordered else space.values
            self._index = {json.dumps(one, sort_keys=True): index for index, one in enumerate(self._values)}
            self.count: int | None = len(self._values)
        else:
            self.count = space.count()
            self.low, self.high, self.log, self.whole = space.low, space.high, space.log, space.type == "int"

    @property
    def fixed(self) -> bool:
        return self.count == 1

    def value(self, index: int) -> JsonValue:
        return self._values[index] if isinstance(self.space, Choices) else self.space.value(index)

    def index(self, value: JsonValue) -> int | None:
        """Return the index of a value, or None if it is not one of the values.

        1 and true are different; 1 and 1.0 only where both are listed.
        """
        if isinstance(self.space, Choices):
            found = self._index.get(json.dumps(value, sort_keys=True))
            if found is None and self.ordered and is_number(value):
                found = next((index for index, one in enumerate(self._values) if one == value), None)
            return found
        return self.space.index(value) if is_number(value) else None

    def holds(self, value: JsonValue) -> bool:
        if self.count is not None:
            return self.index(value) is not None
        return is_number(value) and self.low <= value <= self.high and (not self.whole or value == int(value))

    def at(self, where: float) -> JsonValue:
        """Return the value at this place of the scale from 0 to 1."""
        if self.count is not None:
            return self.value(min(int(where * self.count), self.count - 1))
        half = 0.5 if self.whole else 0.0
        low, high = self.low - half, self.high + half
        if self.log:
            number = math.exp(math.log(low) + where * (math.log(high) - math.log(low)))
        else:
            number = low + where * (high - low)
        return self.readable(number)

    def readable(self, number: float) -> int | float:
        """Return a number clamped to the range and rounded to 6 digits, as a person would write it."""
        number = min(max(number, self.low), self.high)
        if self.whole:
            return round(number)
        short = float(f"{number:.6g}")
        return short if self.low <= short <= self.high else number

    def where(self, value: JsonValue) -> float:
        """Return the place of a value on the scale from 0 to 1. The value must be one that `holds`."""
        if self.count is not None:
            return ((self.index(value) or 0) + 0.5) / self.count
        number = float(value)  # type: ignore[arg-type]
        half = 0.5 if self.whole else 0.0
        low, high = self.low - half, self.high + half
        if self.log:
            return (math.log(number) - math.log(low)) / (math.log(high) - math.log(low))
        return (number - low) / (high - low)

    def close(self, one: JsonValue, other: JsonValue) -> bool:
        """Return True if two values are the same, or numbers that are almost equal."""
        if not self.ordered or not (self.holds(one) and self.holds(other)):
            return same(one, other)
        return one == other or abs(self.where(one) - self.where(other)) < CLOSE


def axes_of(dimensions: Sequence[Dimension]) -> dict[str, Axis]:
    return {dimension.name: Axis(dimension) for dimension in dimensions}


def key(config: Configuration) -> str:
    """Return a text that is equal for equal configurations."""
    return json.dumps(config, sort_keys=True)


class PerTrial(Generic[Result]):
    """The results of a function of a trial, computed again only when a trial has changed."""

    def __init__(self, function: Callable[[Trial], Result]) -> None:
        self._function = function
        self._results: dict[int, tuple[Trial, Result]] = {}

    def __call__(self, trial: Trial) -> Result:
        before = self._results.get(trial.number)
        if before is None or (before[0] is not trial and before[0] != trial):
            before = self._results[trial.number] = trial, self._function(trial)
        return before[1]


class SpaceSampler(Searcher):
    """What all search methods have in common."""

    def __init__(self, problem: Problem) -> None:
        self._problem, self._goals, self._seed = problem, problem.goals, problem.seed
        self._axes = axes_of(problem.dimensions)
        self._key = PerTrial(lambda trial: key(trial.params))

    def _seen(self, history: Sequence[Trial]) -> set[str]:
        """Return the keys of all configurations of a history."""
        return set(map(self._key, history))


class PointSampler(SpaceSampler):
    """A method whose configurations depend only on the seed, their number, and what is in the history already."""

    def suggest(self, history: Sequence[Trial]) -> Configuration | None:
        return self.point(next_number(history), self._seen(history))

    def point(self, number: int, seen: Container[str]) -> Configuration | None:
        """Return the configuration of this number, or another one where it is in `seen`."""
        raise NotImplementedError


def next_number(history: Sequence[Trial]) -> int:
    """Return the number of the next trial, from 0 on. Trials of other jobs have negative numbers."""
    return max([-1, *(trial.number for trial in history)]) + 1


def dice(seed: int, *more: object) -> random.Random:
    """Return a random source that is always the same for the same seed and purpose."""
    return random.Random("/".join(str(one) for one in (seed, *more)))  # noqa: S311


def complete(axes: Mapping[str, Axis], wish: Configuration, chance: random.Random) -> Configuration:
    """Return a whole configuration: values of `wish` where they apply and are possible, the rest drawn at random."""
    config: Configuration = {}
    for name, axis in axes.items():
        if axis.dimension.applies(config):
            config[name] = wish[name] if name in wish and axis.holds(wish[name]) else axis.at(chance.random())
    return config


def close(axes: Mapping[str, Axis], one: Configuration, other: Configuration) -> bool:
    """Return True if two configurations are almost the same."""
    return one.keys() == other.keys() and all(axes[name].close(value, other[name]) for name, value in one.items())


def unseen(axes: Mapping[str, Axis], seen: Container[str], chance: random.Random) -> Configuration | None:
    """Return a random configuration that is not in `seen`, or None when all are."""
    for _ in range(DRAWS):
        config = complete(axes, {}, chance)
        if key(config) not in seen:
            return config
    # Most of the space is in `seen`: a walk soon finds a new one, or ends.
    dimensions = [axis.dimension for axis in axes.values()]
    everything = walk(dimensions, lambda dimension: _values(axes[dimension.name], chance))
    return next((config for config in everything if key(config) not in seen), None)


def _values(axis: Axis, chance: random.Random) -> Iterator[JsonValue]:
    if axis.count is not None:
        start = chance.randrange(axis.count)
        for step in range(axis.count):
            yield axis.value((start + step) % axis.count)
    elif axis.whole:
        yield from range(round(axis.low), round(axis.high) + 1)
    else:
        for _ in range(DRAWS):
            yield axis.at(chance.random())

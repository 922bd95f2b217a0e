"""Configurations as points: each dimension as numbers, drawing at random, keeping what fits, what is not there yet."""

import json
import math
import random
from collections.abc import Container, Iterator, Mapping, Sequence

from pydantic import JsonValue

from paddock.models.space import Choices, is_number, same
from paddock.search.base import Dim, Flat, Trial
from paddock.search.dimensions import walk

DRAWS = 200  # how often a configuration is drawn that is there already, before all are gone through
CLOSE = 0.01  # so far apart, as a share of a range, two numbers are almost the same
NEARBY = 50  # how many neighbours of a configuration are tried


class Axis:
    """One dimension: its values by index, where there are so many, or on a scale from 0 to 1."""

    def __init__(self, dim: Dim) -> None:
        self.dim, self.name = dim, dim.name
        space = self.space = dim.space
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
        """None where it is not one of the values (1 and true are two; 1 and 1.0 only where both are listed)."""
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
        """The value at this place of 0 to 1: as likely as its share of the scale."""
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
        """A number of a continuous range, within it, as a person would write it."""
        number = min(max(number, self.low), self.high)
        if self.whole:
            return round(number)
        short = float(f"{number:.6g}")
        return short if self.low <= short <= self.high else number

    def where(self, value: JsonValue) -> float:
        """The middle of the places at which this value is. It must be one that `holds`."""
        if self.count is not None:
            return ((self.index(value) or 0) + 0.5) / self.count
        number = float(value)  # type: ignore[arg-type]
        half = 0.5 if self.whole else 0.0
        low, high = self.low - half, self.high + half
        if self.log:
            return (math.log(number) - math.log(low)) / (math.log(high) - math.log(low))
        return (number - low) / (high - low)

    def close(self, one: JsonValue, other: JsonValue) -> bool:
        """Whether they are the same, or numbers that are almost so."""
        if not self.ordered or not (self.holds(one) and self.holds(other)):
            return same(one, other)
        return one == other or abs(self.where(one) - self.where(other)) < CLOSE


def axes_of(dims: Sequence[Dim]) -> dict[str, Axis]:
    return {dim.name: Axis(dim) for dim in dims}


def key(flat: Flat) -> str:
    """The same for the same configuration."""
    return json.dumps(flat, sort_keys=True)


class SeenConfigurations:
    """The keys of all configurations of a history; those that it has seen before are not made again."""

    def __init__(self) -> None:
        self._keys: dict[int, tuple[Flat, str]] = {}

    def of(self, history: Sequence[Trial]) -> set[str]:
        return {self._key(trial) for trial in history}

    def _key(self, trial: Trial) -> str:
        before = self._keys.get(trial.number)
        if before is None or before[0] is not trial.params:
            before = self._keys[trial.number] = trial.params, key(trial.params)
        return before[1]


def next_number(history: Sequence[Trial]) -> int:
    """From 0 on: numbers below are those of trials from elsewhere."""
    return max([-1, *(trial.number for trial in history)]) + 1


def dice(seed: int, *more: object) -> random.Random:
    """Chance that is the same every time for the same seed and occasion."""
    return random.Random("/".join(str(one) for one in (seed, *more)))  # noqa: S311


def complete(axes: Mapping[str, Axis], wish: Flat, chance: random.Random) -> dict[str, JsonValue]:
    """A whole configuration: what is wished for where it applies and is possible, the rest drawn."""
    flat: dict[str, JsonValue] = {}
    for name, axis in axes.items():
        if axis.dim.applies(flat):
            flat[name] = wish[name] if name in wish and axis.holds(wish[name]) else axis.at(chance.random())
    return flat


def close(axes: Mapping[str, Axis], one: Flat, other: Flat) -> bool:
    """Whether two configurations are almost the same."""
    return one.keys() == other.keys() and all(axes[name].close(value, other[name]) for name, value in one.items())


def unseen(axes: Mapping[str, Axis], seen: Container[str], chance: random.Random) -> dict[str, JsonValue] | None:
    """One at random that is not there yet; None when all are."""
    for _ in range(DRAWS):
        flat = complete(axes, {}, chance)
        if key(flat) not in seen:
            return flat
    # Most are there: going through them comes soon upon one that is not, or to the end.
    dims = [axis.dim for axis in axes.values()]
    everything = walk(dims, lambda dim: _values(axes[dim.name], chance))
    return next((flat for flat in everything if key(flat) not in seen), None)


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

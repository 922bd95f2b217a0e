"""Functions with a known minimum, for the tests of search methods."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from paddock.errors import InvalidInput
from paddock.models import Goal, Params
from paddock.models.space import Choices, Range, key_of, parse
from paddock.search.axes import axes_of, dice, key, unseen
from paddock.search.base import Condition, Configuration, Dimension, Outcome, Problem, Searcher, Trial
from paddock.search.dimensions import Spaces, dimensions_of, spread

Function = Callable[[Configuration], tuple[float, ...]]


def number(config: Configuration, name: str) -> float:
    value = config[name]
    assert isinstance(value, (int, float)), name
    return float(value)


def numbers(config: Configuration) -> list[float]:
    return [number(config, name) for name in sorted(config)]


def leaf(text: str) -> Choices | Range:
    space = parse(text)
    assert isinstance(space, (Choices, Range))
    return space


def dimensions(**spaces: str) -> tuple[Dimension, ...]:
    return tuple(Dimension(name, leaf(text)) for name, text in spaces.items())


BRANIN = dimensions(x="-5..10.0", y="0..15.0")
SPHERE = dimensions(a="-5..5.0", b="-5..5.0", c="-5..5.0", d="-5..5.0")
ROSENBROCK = dimensions(a="-2..2.0", b="-2..2.0", c="-2..2.0", d="-2..2.0")
ZDT1 = dimensions(a="0..1.0", b="0..1.0", c="0..1.0", d="0..1.0", e="0..1.0")
MIXED = dimensions(lr="1e-5..1:log", width="16,32,64,128,256", layers="1..6", kind="a,b,c", flag="true,false,none")
CONDITIONAL = (
    Dimension("kind", leaf("adam,sgd")),
    Dimension("lr", leaf("1e-5..1e-1:log")),
    Dimension("momentum", leaf("0..1.0"), (Condition("kind", ("sgd",)),)),
    Dimension("layers.count", leaf("1..3")),
    *(
        Dimension(f"layers.{i}.width", leaf("8..256:8"), (Condition("layers.count", (*range(i + 1, 4),)),))
        for i in range(3)
    ),
)


def branin(config: Configuration) -> tuple[float, ...]:
    """Least: 0.398."""
    x, y = number(config, "x"), number(config, "y")
    inner = y - 5.1 * x**2 / (4 * math.pi**2) + 5 * x / math.pi - 6
    return (inner**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10,)


def sphere(config: Configuration) -> tuple[float, ...]:
    """Least: 0, off the middle."""
    return (sum((x - 1) ** 2 for x in numbers(config)),)


def rosenbrock(config: Configuration) -> tuple[float, ...]:
    """Least: 0, at the end of a bent valley."""
    xs = numbers(config)
    return (sum(100 * (after - x**2) ** 2 + (1 - x) ** 2 for x, after in pairwise(xs)),)


def mixed(config: Configuration) -> tuple[float, ...]:
    """Least: 0."""
    loss = (math.log10(number(config, "lr")) + 3) ** 2 + abs(math.log2(number(config, "width") / 64)) / 2
    loss += abs(number(config, "layers") - 4) / 2 + {"a": 1.0, "b": 0.0, "c": 0.5}[str(config["kind"])]
    return (loss + (0.0 if config["flag"] is None else 1.0),)


def conditional(config: Configuration) -> tuple[float, ...]:
    """Least: 0, with sgd and two layers."""
    loss = (math.log10(number(config, "lr")) + 2) ** 2 / 2 + abs(number(config, "layers.count") - 2)
    loss += abs(number(config, "momentum") - 0.9) * 2 if config["kind"] == "sgd" else 1.0
    widths = [number(config, name) for name in config if name.endswith("width")]
    return (loss + sum(abs(width - 128) for width in widths) / 128 / len(widths),)


def zdt1(config: Configuration) -> tuple[float, ...]:
    """The front: second = 1 - sqrt(first)."""
    first, *rest = numbers(config)
    g = 1 + 9 * sum(rest) / len(rest)
    return first, g * (1 - math.sqrt(first / g))


def run(
    searcher: Searcher, function: Function, trials: int, parallel: int = 1, before: Sequence[Trial] = ()
) -> list[Trial]:
    """Trials one after the other, or so many at the same time; with those from elsewhere before them."""
    history = list(before)
    number = 0
    while number < trials:
        for _ in range(min(parallel, trials - number)):
            config = searcher.suggest(history)
            if config is None:
                break
            history.append(Trial(number, config, Outcome.RUNNING))
            number += 1
        if all(one.outcome is not Outcome.RUNNING for one in history):
            return history
        history = [
            Trial(one.number, one.params, Outcome.FINISHED, function(one.params))
            if one.outcome is Outcome.RUNNING
            else one
            for one in history
        ]
    return history


def elsewhere(space: Sequence[Dimension], function: Function, trials: int) -> list[Trial]:
    """Different ones at random, as an earlier job may have had them: their numbers are below 0."""
    chance, axes = dice(8), axes_of(space)
    history: list[Trial] = []
    for number in range(trials):
        config = unseen(axes, {key(one.params) for one in history}, chance)
        assert config is not None
        history.append(Trial(-1 - number, config, Outcome.FINISHED, function(config)))
    return history


def best(trials: Sequence[Trial]) -> float:
    return min(trial.values[0] for trial in trials)


def missed(trials: Sequence[Trial]) -> float:
    """Return how far the points of ZDT1's front are from those found, on the mean."""
    found = np.array([one.values for one in trials])
    target = np.array([(x, 1 - x**0.5) for x in np.linspace(0, 1, 50)])
    return float(np.mean([np.min(np.linalg.norm(found - point, axis=1)) for point in target]))


def problem(space: Sequence[Dimension], seed: int = 0, goals: int = 1) -> Problem:
    return Problem(tuple(space), (Goal.MIN,) * goals, seed)


def fits(space: Sequence[Dimension], config: Configuration) -> bool:
    """Whether exactly those dimensions are there that apply."""
    return set(config) == {dimension.name for dimension in space if dimension.applies(config)}


def contains(params: Spaces, nested: Params) -> bool:
    """Return True if a nested configuration has exactly what applies, each with one of its values."""
    try:
        config = spread(nested, params)
        return fits(dimensions_of(params), config) and all(
            key_of(dimension.space.own(config[dimension.name])) == key_of(config[dimension.name])
            for dimension in dimensions_of(params)
            if dimension.name in config
        )
    except (InvalidInput, ValueError):
        return False

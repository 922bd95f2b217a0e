"""Grid and random search: all configurations are known at submission. Pure and seeded."""

import json
import math
import random
from collections.abc import Mapping
from itertools import product
from typing import Literal

from pydantic import JsonValue

from paddock.errors import InvalidInput
from paddock.models import Params, Search
from paddock.space import Choices, Range

DEFAULT_TRIALS = 20

Space = Mapping[str, Choices | Range]


def method_of(space: Space, search: Search) -> Literal["grid", "random"]:
    """`auto`: a grid where every value can be counted, random search where a range is continuous."""
    if search.method != "auto":
        return search.method
    if search.trials is not None or any(isinstance(p, Range) and p.count() is None for p in space.values()):
        return "random"
    return "grid"


def expand(space: Space, search: Search, limit: int) -> list[Params]:
    """The configurations in order, at most `limit`. Raises InvalidInput with the field at fault."""
    if method_of(space, search) == "grid":
        return _grid(space, search, limit)
    return _random(space, search, limit)


def varying(configurations: list[Params]) -> list[str]:
    """The names of the parameters that differ between configurations, in their order."""
    if not configurations:
        return []
    return [name for name in configurations[0] if len({json.dumps(c[name]) for c in configurations}) > 1]


def _grid(space: Space, search: Search, limit: int) -> list[Params]:
    if search.trials is not None:
        message = "a grid runs all combinations; --trials is for methods that draw, such as random"
        raise InvalidInput(f"{message[0].upper()}{message[1:]}.", fields={"search.trials": message})
    axes = {name: _axis(name, one) for name, one in space.items()}
    count = math.prod(len(values) for values in axes.values())
    if count > limit:
        sizes = " x ".join(str(len(values)) for values in axes.values() if len(values) > 1)
        raise InvalidInput(
            f"This grid has {count:,} configurations ({sizes}), more than the {limit:,} of the setting max_tasks: "
            "give fewer values, or draw some with --search random --trials N.",
            fields={"params": f"{count:,} configurations"},
        )
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


def _axis(name: str, space: Choices | Range) -> list[JsonValue]:
    if isinstance(space, Choices):
        return space.values
    try:
        values = space.values()
    except ValueError as error:
        raise _unfit(name, str(error)) from None
    if values is None:
        raise _unfit(
            name, "a continuous range has no end of values: give a step (0..1:0.1), a list, or use --search random"
        )
    return list(values)


def _unfit(name: str, message: str) -> InvalidInput:
    return InvalidInput(f"Parameter {name}: {message}.", fields={f"params.{name}": message})


def _random(space: Space, search: Search, limit: int) -> list[Params]:
    trials = search.trials or DEFAULT_TRIALS
    if trials > limit:
        message = f"more than the {limit:,} of the setting max_tasks"
        raise InvalidInput(f"{trials:,} trials are {message}.", fields={"search.trials": message})
    source = random.Random(search.seed)  # noqa: S311
    found: dict[str, Params] = {}
    # A space with fewer configurations than trials gives them all, not repetitions.
    for _ in range(trials * 20):
        drawn: Params = {name: _draw(one, source) for name, one in space.items()}
        found.setdefault(json.dumps(drawn, sort_keys=True), drawn)
        if len(found) == trials:
            break
    return list(found.values())


def _draw(space: Choices | Range, source: random.Random) -> JsonValue:
    if isinstance(space, Choices):
        return source.choice(space.values)
    count = space.count()
    if count is not None:
        return space.value(source.randrange(count))
    if space.log:
        drawn = math.exp(source.uniform(math.log(space.low), math.log(space.high)))
    else:
        drawn = source.uniform(space.low, space.high)
    drawn = min(max(drawn, space.low), space.high)
    if space.type == "int":
        return round(drawn)
    short = float(f"{drawn:.6g}")  # a person will read it
    return short if space.low <= short <= space.high else drawn

"""Grid and random search: all configurations are known at submission. Pure and seeded."""

import json
import random
from itertools import islice
from typing import Literal

from paddock.errors import InvalidInput
from paddock.models import Params, Search
from paddock.search import flat
from paddock.search.flat import Spaces

DEFAULT_TRIALS = 20


def method_of(space: Spaces, search: Search) -> Literal["grid", "random"]:
    """`auto`: a grid where every value can be counted, random search where a range is continuous."""
    if search.method != "auto":
        return search.method
    if search.trials is not None or not flat.countable(space):
        return "random"
    return "grid"


def expand(space: Spaces, search: Search, limit: int) -> list[Params]:
    """The configurations in order, at most `limit`. Raises InvalidInput with the field at fault."""
    if method_of(space, search) == "grid":
        return _grid(space, search, limit)
    return _random(space, search, limit)


def varying(configurations: list[Params]) -> list[str]:
    """The names of the parameters that differ between configurations or are not in all of them, in their order."""
    values: dict[str, list[str]] = {}
    for configuration in configurations:
        for name, value in configuration.items():
            values.setdefault(name, []).append(json.dumps(value))
    return [name for name, all_ in values.items() if len(set(all_)) > 1 or len(all_) < len(configurations)]


def _grid(space: Spaces, search: Search, limit: int) -> list[Params]:
    if search.trials is not None:
        message = "a grid runs all combinations; --trials is for methods that draw, such as random"
        raise InvalidInput(f"{message[0].upper()}{message[1:]}.", fields={"search.trials": message})
    walk = flat.grid(space)
    count = flat.size(space)
    found = list(islice(walk, limit + 1)) if count is None or count <= limit else []
    if (count or 0) > limit or len(found) > limit:
        raise _too_many(space, count, limit)
    return [flat.nest(one, space) for one in found]


def _too_many(space: Spaces, count: int | None, limit: int) -> InvalidInput:
    shown = f"{count:,}" if count is not None and count < 10**18 else "countless"
    leaves = flat.leaves(space)
    plain = leaves.keys() == space.keys() and not any(leaf.when for leaf in leaves.values())
    sizes = " x ".join(str(leaf.count()) for leaf in leaves.values() if leaf.count() != 1)
    return InvalidInput(
        f"This grid has {shown} configurations{f' ({sizes})' if plain else ''}, more than the {limit:,} of the setting "
        "max_tasks: give fewer values, or draw some with --search random --trials N.",
        fields={"params": f"{shown} configurations"},
    )


def _random(space: Spaces, search: Search, limit: int) -> list[Params]:
    trials = search.trials or DEFAULT_TRIALS
    if trials > limit:
        message = f"more than the {limit:,} of the setting max_tasks"
        raise InvalidInput(f"{trials:,} trials are {message}.", fields={"search.trials": message})
    source = random.Random(search.seed)  # noqa: S311
    order = flat.dims(space)
    found: dict[str, Params] = {}
    # A space with fewer configurations than trials gives them all, not repetitions.
    for _ in range(trials * 20):
        drawn = flat.nest(flat.sample(order, source), space)
        found.setdefault(json.dumps(drawn, sort_keys=True), drawn)
        if len(found) == trials:
            break
    return list(found.values())

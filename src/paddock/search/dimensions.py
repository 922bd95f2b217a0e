"""A space without its nesting: one dimension for each number or choice to be made, in an order in which conditions only
look back. Pure.

    layers = {"repeat": [1, 2], "block": {"type": [...]}}   becomes   layers.count, layers.0.type, layers.1.type
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import cast

from pydantic import JsonValue

from paddock.errors import InvalidInput
from paddock.models import Params
from paddock.models.space import SKIP, Block, Choices, Leaf, ParamSpace, Range, key_of, shortened
from paddock.search.base import Condition, Configuration, Dimension

MAX_DIMENSIONS = 1000
_MAX_STATES = 20_000  # that `size` distinguishes at a time
_MAX_STEPS = 2_000_000  # that `size` takes in total

Spaces = Mapping[str, ParamSpace]
_Asked = tuple[str, str]  # a condition: the dimension that it names, its values as JSON
_Known = Mapping[str, tuple[str, Leaf]]  # what a condition may name: its dimension and its values


# --- dimensions -----------------------------------------------------------------------------------------------------


def dimensions_of(params: Spaces) -> tuple[Dimension, ...]:
    """Return the dimensions, parents before children. Raises InvalidInput for conditions that cannot hold."""
    _refuse_too_many(params)
    fields: dict[str, str] = {}
    made: list[Dimension] = []
    known = _known(params)
    for name, space in params.items():
        for field, dimension in _of_parameter(name, space, known):
            if other := fields.get(dimension.name):
                raise _refused(name, f"`{dimension.name}` is also a part of `{other}`: give one of them another name")
            fields[dimension.name] = field
            made.append(dimension)
    return tuple(_ordered(made, fields))


def _of_parameter(name: str, space: ParamSpace, known: _Known) -> Iterator[tuple[str, Dimension]]:
    """Yield the dimensions of one parameter, each with the field that it comes from."""
    if not isinstance(space, Block):
        yield name, Dimension(name, _bare(space), _conditions(name, space, known))
        return
    count = f"{name}.count"
    yield name, Dimension(count, space.counts(), _conditions(name, space, known))
    for layer in range(space.repeat[1]):
        here = {member: (f"{name}.{layer}.{member}", one) for member, one in space.block.items()}
        there = Condition(count, tuple(range(max(layer + 1, space.repeat[0]), space.repeat[1] + 1)))
        for member, (own, one) in here.items():
            field = f"{name}.block.{member}"
            yield field, Dimension(own, _bare(one), (there, *_conditions(field, one, {**known, **here})))
        if space.skips and layer:
            yield f"{name}.skips", Dimension(f"{name}.{layer}.{SKIP}", Choices(values=[None, *range(layer)]), (there,))


def _bare(space: Leaf) -> Leaf:
    return space.model_copy(update={"when": {}}) if space.when else space


def _known(params: Spaces) -> _Known:
    tops = [(f"{name}.count", one.counts()) if isinstance(one, Block) else (name, one) for name, one in params.items()]
    return {name: (name, leaf) for name, leaf in tops}


def _conditions(field: str, space: ParamSpace, known: _Known) -> tuple[Condition, ...]:
    return tuple(_condition(field, name, values, known) for name, values in space.when.items())


def _condition(field: str, name: str, values: list[JsonValue], known: _Known) -> Condition:
    if name not in known:
        raise _refused(field, _unknown(name, known))
    dimension, parent = known[name]
    if isinstance(parent, Range) and parent.step is None and parent.type == "float":
        raise _refused(field, f"`{name}` is a continuous range: a condition needs a list, integers or a step")
    try:
        return Condition(dimension, tuple(parent.own(value) for value in values))
    except ValueError as error:
        raise _refused(field, f"its condition on `{name}` never holds: {error}") from None


def _unknown(name: str, known: _Known) -> str:
    if f"{name}.count" in known:
        return f"`{name}` is a block: a condition can name `{name}.count`"
    near = get_close_matches(name, known, 1)
    return f"its condition names `{name}`, which is not a parameter" + (f": did you mean `{near[0]}`?" if near else "")


def _ordered(made: Sequence[Dimension], fields: Mapping[str, str]) -> list[Dimension]:
    """Return the dimensions in the given order, but each one after those that its conditions name."""
    placed: dict[str, Dimension] = {}
    waiting = list(made)
    while waiting:
        left = []
        for dimension in waiting:
            if all(condition.name in placed for condition in dimension.when):
                placed[dimension.name] = dimension
            else:
                left.append(dimension)
        if len(left) == len(waiting):
            raise _circle(left, fields)
        waiting = left
    return list(placed.values())


def _circle(left: Sequence[Dimension], fields: Mapping[str, str]) -> InvalidInput:
    """Return the error for dimensions whose conditions form a circle."""
    waits = {dimension.name: dimension for dimension in left}
    path = [left[0].name]
    while path[-1] not in path[:-1]:
        path.append(next(condition.name for condition in waits[path[-1]].when if condition.name in waits))
    names = [fields[name] for name in path[path.index(path[-1]) :]]
    return _refused(names[0], f"its condition depends on itself: {' if '.join(names)}")


def _refuse_too_many(params: Spaces) -> None:
    count = sum(width(space) for space in params.values())
    if count > MAX_DIMENSIONS:
        message = f"{count:,} dimensions are more than {MAX_DIMENSIONS:,}; a block has one per member of each layer"
        raise InvalidInput.at("params", message, "The parameters cannot be searched")


def width(space: ParamSpace) -> int:
    """Return the number of dimensions of a parameter."""
    if not isinstance(space, Block):
        return 1
    layers = space.repeat[1]
    return 1 + layers * len(space.block) + (layers - 1 if space.skips else 0)


def _refused(field: str, message: str) -> InvalidInput:
    return InvalidInput.at(f"params.{field}", message, f"Parameter {field}")


# --- there and back -------------------------------------------------------------------------------------------------


def nest(config: Configuration, params: Spaces) -> Params:
    """Return the configuration as the script gets it, without the parameters that do not apply."""
    made: Params = {}
    for name, space in params.items():
        if not isinstance(space, Block):
            made |= {name: config[name]} if name in config else {}
        elif f"{name}.count" in config:
            layers = range(cast("int", config[f"{name}.count"]))
            made[name] = [_layer(config, f"{name}.{layer}", space) for layer in layers]
    return made


def _layer(config: Configuration, prefix: str, space: Block) -> JsonValue:
    members = {member: f"{prefix}.{member}" for member in _members(space)}
    return {member: config[dimension] for member, dimension in members.items() if dimension in config}


def _members(space: Block) -> list[str]:
    return [*space.block, SKIP] if space.skips else [*space.block]


def spread(nested: Params, params: Spaces) -> Configuration:
    """Return a configuration without its nesting; values are not checked. Raises InvalidInput for another shape."""
    found: Configuration = {}
    for name, value in nested.items():
        if name not in params:
            near = get_close_matches(name, params, 1)
            raise _refused(name, "there is no such parameter" + (f": did you mean `{near[0]}`?" if near else ""))
        space = params[name]
        found |= _layers(name, value, space) if isinstance(space, Block) else {name: value}
    return found


def _layers(name: str, value: JsonValue, space: Block) -> Configuration:
    if not isinstance(value, list):
        raise _refused(name, f"it is a list of layers, not {shortened(json.dumps(value))}")
    found: Configuration = {f"{name}.count": len(value)}
    for at, layer in enumerate(value):
        if not isinstance(layer, dict):
            raise _refused(f"{name}.{at}", f"a layer is an object, not {shortened(json.dumps(layer))}")
        unknown = [member for member in layer if member not in _members(space)]
        if unknown:
            raise _refused(f"{name}.{at}.{unknown[0]}", f"a layer has {', '.join(_members(space))}")
        found |= {f"{name}.{at}.{member}": one for member, one in layer.items()}
    return found


# --- all of it ------------------------------------------------------------------------------------------------------


def leaves(params: Spaces) -> dict[str, Leaf]:
    """Return every list and range by its field: `lr`, `layers.block.width`."""
    found: dict[str, Leaf] = {}
    for name, space in params.items():
        if isinstance(space, Block):
            found |= {f"{name}.block.{member}": one for member, one in space.block.items()}
        else:
            found[name] = space
    return found


def countable(params: Spaces) -> bool:
    return all(leaf.count() is not None for leaf in leaves(params).values())


def grid(params: Spaces) -> Iterator[Configuration]:
    """Yield every configuration once, the last dimension changing fastest. Raises InvalidInput if they are endless."""
    for field, leaf in leaves(params).items():
        _refuse_endless(field, leaf)
    order = dimensions_of(params)
    listed = {dimension.name: _values(dimension.space) for dimension in order}
    return walk(order, lambda dimension: iter(listed[dimension.name]))


def walk(order: Sequence[Dimension], values: Callable[[Dimension], Iterator[JsonValue]]) -> Iterator[Configuration]:
    """Yield every configuration of these values once, the last dimension changing fastest.

    `values` is called each time that a dimension begins anew, and must give at least one value.
    """
    config: Configuration = {}
    left: list[Iterator[JsonValue]] = []  # the values still to come, by dimension; none where it does not apply
    while True:
        for dimension in order[len(left) :]:
            left.append(values(dimension) if dimension.applies(config) else iter(()))
            _turn(config, dimension.name, left[-1])
        yield dict(config)
        while left and not _turn(config, order[len(left) - 1].name, left[-1]):
            left.pop()
        if not left:
            return


def _turn(config: Configuration, name: str, values: Iterator[JsonValue]) -> bool:
    """Give a dimension its next value. Return False, and remove its value, when there is none."""
    config.pop(name, None)
    for value in values:
        config[name] = value
        return True
    return False


def _values(space: Leaf) -> Sequence[JsonValue]:
    return space.values if isinstance(space, Choices) else list(space.values() or [])


def _refuse_endless(field: str, space: Leaf) -> None:
    try:
        values = space.values if isinstance(space, Choices) else space.values()
    except ValueError as error:
        raise _refused(field, str(error)) from None
    if values is None:
        raise _refused(
            field, "a continuous range has endless values: give a step (0..1:0.1), a list, or use --search random"
        )


def size(params: Spaces) -> int | None:
    """Return the number of configurations; None where they cannot be counted without walking through them all."""
    order = dimensions_of(params)
    if not countable(params):
        return None
    asks, last = _asked(order)
    # A choice matters only by the conditions that it fulfils, until the last dimension that has them.
    states: Counter[frozenset[_Asked]] = Counter({frozenset(): 1})
    steps = 0
    about: dict[str, set[_Asked]] = {}
    for one in last:
        about.setdefault(one[0], set()).add(one)
    for place, (dimension, asked) in enumerate(zip(order, asks, strict=True)):
        done = {one for one in asked if last[one] == place}
        kinds = _kinds(dimension, about.get(dimension.name, ()))
        following: Counter[frozenset[_Asked]] = Counter()
        for held, ways in states.items():
            for more, count in kinds.items() if asked <= held else [(frozenset[_Asked](), 1)]:
                following[(held | more) - done] += ways * count
        steps += sum(len(kinds) + len(held) for held in states)
        if len(following) > _MAX_STATES or steps > _MAX_STEPS:
            return None
        states = following
    return states.total()


def _asked(order: Sequence[Dimension]) -> tuple[list[frozenset[_Asked]], dict[_Asked, int]]:
    """Return the conditions of each dimension, and for each condition the last dimension that has it."""
    asks = [frozenset((c.name, json.dumps(c.values)) for c in dimension.when) for dimension in order]
    return asks, {one: place for place, asked in enumerate(asks) for one in asked}


def _kinds(dimension: Dimension, asked: Collection[_Asked]) -> Counter[frozenset[_Asked]]:
    """Count the values of a dimension by the conditions that they fulfil."""
    fulfilled: dict[Hashable, set[_Asked]] = {}
    for one in asked:
        for value in json.loads(one[1]):
            fulfilled.setdefault(key_of(value), set()).add(one)
    if isinstance(dimension.space, Choices):
        return Counter(frozenset(fulfilled.get(key_of(value), ())) for value in dimension.space.values)
    kinds = Counter(map(frozenset, fulfilled.values()))
    kinds[frozenset()] += (dimension.space.count() or 0) - len(fulfilled)
    return kinds

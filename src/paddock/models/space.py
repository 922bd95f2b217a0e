"""The values that a hyperparameter may have: a list, a range or a block; and the short text form of each.

64                  one value            32..256:32        32, 64, ... 256
64,32,16            three values         1e-4..1e-1:log    anything between, evenly in the logarithm
"1.10",'a,b'        quoted: text         0..0.5            anything between
[64,32],[128]       two lists            1..8              an integer between (both ends are integers)

A quote inside quotes of its own kind is written twice: "6"" x 9'".

0.5..0.99 if optimizer=sgd                              only where `optimizer` is sgd
0.5..0.99 if optimizer=sgd,rmsprop and nesterov=true    all must hold, each with one of its values

An ` if ` counts only where NAME= comes after it; text that has this in it is quoted.

{"repeat": [1, 6], "block": {"type": ["conv", "pool"], "width": "16..128:16 if type=conv"}, "skips": true}

is a block: a list of 1 to 6 layers, each with members of its own; with `skips`, each layer but the first may add the
output of an earlier one.
"""

import json
import math
from collections.abc import Hashable, Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, TypeGuard

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    JsonValue,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from paddock.errors import in_words
from paddock.models import space_text
from paddock.models.base import Model, ParamName
from paddock.models.space_text import shortened as shortened

MAX_VALUES = 100_000
MAX_LAYERS = 64
MAX_CONDITION = 100  # values of one condition
MAX_DEPTH = 50  # of lists and objects in a value


def _checked(values: list[JsonValue]) -> list[JsonValue]:
    _refuse_unusable(values)
    return values


_OneOrMore = Annotated[
    list[JsonValue],
    Field(min_length=1, max_length=MAX_CONDITION),
    BeforeValidator(lambda given: given if isinstance(given, list) else [given]),
    AfterValidator(_checked),
]
When = Annotated[
    dict[ParamName, _OneOrMore],
    Field(
        max_length=space_text.MAX_CONDITIONS,
        exclude_if=lambda when: not when,
        description="applies only where each of these parameters has one of these values",
    ),
]


class Choices(Model):
    """A list of values; a list of one is a fixed value."""

    values: list[JsonValue] = Field(min_length=1, max_length=MAX_VALUES)
    when: When = Field(default_factory=dict)

    @model_validator(mode="after")
    def _usable(self) -> "Choices":
        _refuse_unusable(self.values)
        return self

    @property
    def fixed(self) -> bool:
        return len(self.values) == 1 and not self.when

    def count(self) -> int:
        return len(self.values)

    def own(self, value: JsonValue) -> JsonValue:
        """Return the listed value that is the same: 1 for 1.0. Raise ValueError if there is none."""
        found = self._by_key.get(key_of(value), ())
        if not found:
            raise _not_in(self, value)
        return found[0]

    @cached_property
    def _by_key(self) -> dict[Hashable, tuple[JsonValue]]:
        return {key_of(one): (one,) for one in reversed(self.values)}


def _refuse_unusable(value: JsonValue, depth: int = 0) -> None:
    """Refuse what JSON or a command line cannot contain."""
    if depth > MAX_DEPTH:
        raise ValueError(f"a value is nested too deeply: more than {MAX_DEPTH} lists or objects in each other")
    match value:
        case float() if not math.isfinite(value):
            raise ValueError(f"{value} is not a finite number: write it in quotes to pass it as text")
        case str() if "\0" in value:
            raise ValueError("a value contains a NUL character, which cannot be passed to a process")
        case str() if any("\ud800" <= char <= "\udfff" for char in value):
            raise ValueError("a value is not valid text: it contains half of a surrogate pair")
        case list():
            for one in value:
                _refuse_unusable(one, depth + 1)
        case dict():
            for name, one in value.items():
                _refuse_unusable(name)
                _refuse_unusable(one, depth + 1)


class Range(Model):
    """All numbers from `low` to `high`, both included; in steps when `step` is given."""

    low: float
    high: float
    step: float | None = None
    log: bool = False
    type: Literal["int", "float"] = "float"
    when: When = Field(default_factory=dict)

    @model_validator(mode="after")
    def _consistent(self) -> "Range":
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise ValueError("the ends of a range must be finite numbers")
        if self.low >= self.high:
            raise ValueError(f"a range goes from the smaller to the larger value, not from {self.low} to {self.high}")
        if self.log and self.low <= 0:
            raise ValueError("a logarithmic range must start above 0")
        if self.step is not None and not 0 < self.step <= self.high - self.low:
            raise ValueError("the step of a range must be positive and fit into it")
        if self.step is not None and self.step < 4 * math.ulp(max(-self.low, self.high)):
            raise ValueError("the step of a range is too small for numbers of this size")
        if self.log and self.step is not None:
            raise ValueError("a range has either a step or `log`, not both")
        if self.type == "int" and not all(float(v).is_integer() for v in (self.low, self.high, self.step or 1)):
            raise ValueError("a range of integers has integer ends and an integer step")
        return self

    def count(self) -> int | None:
        """Return the number of values; None for continuous and logarithmic ranges."""
        if self.step is None and (self.type == "float" or self.log):
            return None
        return math.floor(self.high / self._stride - self.low / self._stride + 1e-9) + 1

    def value(self, index: int) -> int | float:
        """Return the value of this index, from 0 on, of a range that can be counted."""
        exact = min(self.low + index * self._stride, self.high)
        if self.type == "int":
            return int(exact)
        # 0.30000000000000004 is not what a person meant by 0.1..0.5:0.1.
        rounded = float(f"{exact:.12g}")
        fits = index and rounded <= self.high and abs(rounded - exact) < 1e-6 * self._stride
        return rounded if fits else exact

    def values(self) -> list[int | float] | None:
        """Return all values of a range that can be counted; None for others."""
        count = self.count()
        if count is not None and count > MAX_VALUES:
            raise ValueError(f"a range of {count:,} values is too fine: at most {MAX_VALUES:,}")
        return None if count is None else [self.value(index) for index in range(count)]

    def own(self, value: JsonValue) -> JsonValue:
        """Return the number of the range: 0.3 for 0.30000000000000004. Raise ValueError if it is not in the range."""
        if is_number(value) and self.step is not None and (index := self.index(value)) is not None:
            return self.value(index)
        if self.step is not None or not is_number(value) or not self.low <= value <= self.high:
            raise _not_in(self, value)
        if self.type == "int" and value != int(value):
            raise _not_in(self, value)
        return int(value) if self.type == "int" else float(value)

    def index(self, value: float) -> int | None:
        """Return the index of a number, with a tolerance for rounding; None if it is not one of the values."""
        if not self.low - self._stride <= value <= self.high + self._stride:
            return None
        at = round((value - self.low) / self._stride)
        near = {self.value(index): index for index in (at + 1, at - 1, at) if 0 <= index < (self.count() or 0)}
        close = (index for one, index in near.items() if abs(one - value) < 1e-6 * self._stride)
        return near[value] if value in near else next(close, None)

    @property
    def _stride(self) -> float:
        return self.step or 1.0


Leaf = Choices | Range


def same(one: JsonValue, other: JsonValue) -> bool:
    """Return True if two values are the same: 1 and 1.0 are, 1 and true are not."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return one == other and (type(one) is type(other) or (is_number(one) and is_number(other)))


def key_of(value: JsonValue) -> Hashable:
    """Return a key that is equal for two values exactly when they are the `same`."""
    match value:
        case bool():
            return bool, value
        case list():
            return list, tuple(map(key_of, value))
        case dict():
            return dict, frozenset((name, key_of(one)) for name, one in value.items())
    return value


def is_number(value: JsonValue) -> TypeGuard[int | float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _not_in(space: Leaf, value: JsonValue) -> ValueError:
    return ValueError(f"{shortened(json.dumps(value))} is not in {_glimpse(space)}")


def _glimpse(space: Leaf) -> str:
    if isinstance(space, Choices) and len(space.values) > 100:
        space = Choices(values=space.values[:100])  # only the beginning is shown
    return shortened(base_text(space))


def _no_block(space: Any) -> Any:
    if isinstance(space, Block):
        raise ValueError("a block cannot have blocks in it")
    return space


def _ends(given: Any) -> Any:
    """Read `repeat` of a block: a number, a text such as 1..6, or both ends."""
    space = parse(given) if isinstance(given, str) else None
    match given if space is None or space.when else space:
        case Range(low=low, high=high, type="int", step=None, log=False):
            ends = [int(low), int(high)]
        case Choices(values=[int() as number]) | int(number):
            ends = [number, number]
        case [low, high]:
            ends = [low, high]
        case _:
            ends = []
    if not ends or any(type(end) is not int for end in ends):
        raise ValueError('write how many layers there are: a number, "1..6" or [1, 6]')
    if not 0 <= ends[0] <= ends[1]:
        raise ValueError(f"write the smaller number of layers first, from 0 on, not {ends}")
    if not 1 <= ends[1] <= MAX_LAYERS:
        raise ValueError(f"the most can be 1 to {MAX_LAYERS} layers, not {ends[1]}")
    return ends


_Repeat = Annotated[
    tuple[int, int],
    BeforeValidator(_ends, json_schema_input_type=int | str | list[int]),
    WithJsonSchema({"type": "array", "items": {"type": "integer"}}, mode="serialization"),
]


class Block(Model):
    """A list of `repeat` layers that all have the same members; a value of it is a list of objects."""

    repeat: _Repeat = Field(description="how many layers: at least, at most")
    block: dict[ParamName, "MemberSpace"] = Field(min_length=1, max_length=100, description="the members of a layer")
    skips: bool = Field(
        False,
        strict=True,
        description="each layer but the first has a member `skip`: the index of an earlier layer, or null",
    )
    when: When = Field(default_factory=dict)

    @model_validator(mode="after")
    def _consistent(self) -> "Block":
        if self.skips and SKIP in self.block:
            raise ValueError("with `skips` a layer has a member `skip` already: call yours something else")
        return self

    def counts(self) -> Leaf:
        """Return the possible numbers of layers."""
        low, high = self.repeat
        return Choices(values=[low]) if low == high else Range(low=low, high=high, type="int")


SKIP = "skip"
Space = Choices | Range | Block


def parse(text: str) -> Space:
    """Read the short text form. Raise ValueError with what to write instead."""
    text, when = space_text.conditions(text)
    found = space_text.range_of(text)
    try:
        if found and all(space_text.FLOAT.fullmatch(end) for end in found[:2]):
            return _parse_range(*found, when)
        if (block := _block_in(text)) is not None:
            return Block.model_validate(_with_when(block, when))
        return Choices(values=[space_text.scalar(part) for part in space_text.split(text)], when=when)
    except ValidationError as error:  # its own text is for programmers
        raise ValueError("; ".join(_messages(error))) from None


def _messages(error: ValidationError) -> Iterator[str]:
    for one in error.errors():
        where = ".".join(map(str, one["loc"])) if error.title == Block.__name__ else ""
        yield (f"{where}: " if where else "") + in_words(one)


def _block_in(text: str) -> dict[str, Any] | None:
    """Return the JSON object of a block, if the text is one."""
    if not text.lstrip().startswith("{") or space_text.BLOCK_KEY not in text:
        return None
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return given if space_text.looks_like_block(given) else None


def _with_when(block: dict[str, Any], when: Mapping[str, list[JsonValue]]) -> dict[str, Any]:
    if when and "when" in block:
        raise ValueError("give its conditions once: as `when` or after `if`")
    return block | {"when": when} if when else block


def _parse_range(low: str, high: str, how: str | None, when: dict[str, list[JsonValue]]) -> Range:
    step: float | None = None
    if how and how != "log":
        if not space_text.FLOAT.fullmatch(how):
            raise ValueError(f"after the colon comes `log` or a step, not {how!r}: such as 1e-4..1e-1:log, 32..256:32")
        step = float(how)
    whole = all(space_text.INT.fullmatch(part) for part in (low, high, how if step is not None and how else "1"))
    kind: Literal["int", "float"] = "int" if whole else "float"
    return Range(low=float(low), high=float(high), step=step, log=how == "log", type=kind, when=when)


def text_of(space: Space) -> str:
    """Return the short text form, such that parse(text_of(space)) == space."""
    return base_text(space) + space_text.text_of_conditions(space.when)


def base_text(space: Space) -> str:
    """Return the short text form without conditions."""
    match space:
        case Range():
            return space_text.text_of_range(space)
        case Block():
            return json.dumps(_plain_block(space))
    return space_text.text_of_choices(space)


def plain(space: Space) -> JsonValue:
    """Return the shortest plain data for a job file that is read as the same space."""
    match space:
        case Block():
            return _plain_block(space) | ({"when": dict(space.when)} if space.when else {})
        case Choices(values=[value]) if space.fixed and not isinstance(value, (list, dict, str)):
            return value
        case Choices(values=[str() as text]) if space.fixed and _reads_as(text, space):
            return text
        case Choices() if not space.when:
            return list(space.values)
    return text_of(space)


def _plain_block(space: Block) -> dict[str, JsonValue]:
    low, high = space.repeat
    members: dict[str, JsonValue] = {name: plain(member) for name, member in space.block.items()}
    made: dict[str, JsonValue] = {"repeat": low if low == high else [low, high], "block": members}
    return made | ({"skips": True} if space.skips else {})


def _reads_as(text: str, expected: Space) -> bool:
    try:
        return parse(text) == expected
    except ValueError:
        return False


# --- what files and forms give --------------------------------------------------------------------------------------


def _coerce(given: Any) -> Any:
    """Read a list, range or block; errors name their own field, such as `block.width`."""
    match given:
        case str():
            return parse(given)
        case list():
            return Choices(values=given)
        case None | bool() | int() | float():
            return Choices(values=[given])
        case {"block": _} | {"repeat": _}:
            return Block.model_validate(given)
        case {"values": _}:
            return Choices.model_validate(given)
        case {"low": _} | {"high": _}:
            ends = [given.get("low"), given.get("high"), given.get("step") or 1]
            kind = "int" if all(isinstance(end, int) for end in ends) else "float"
            return Range.model_validate({"type": kind} | given)
        case dict():
            raise ValueError(
                "write a value, a list, a text such as '1e-4..1:log', {low, high, step, log} or {repeat, block}"
            )
    return given


_Plain = bool | int | float | str | list[JsonValue] | None
MemberSpace = Annotated[
    Leaf, BeforeValidator(lambda given: _no_block(_coerce(given)), json_schema_input_type=Leaf | _Plain)
]
ParamSpace = Annotated[Space, BeforeValidator(_coerce, json_schema_input_type=Space | _Plain)]
Block.model_rebuild()

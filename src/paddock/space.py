"""What a hyperparameter may be: a list of values or a range, and the short text form of both.

64                  one value            32..256:32        32, 64, ... 256
64,32,16            three values         1e-4..1e-1:log    anything between, evenly in the logarithm
"1.10",'a,b'        quoted: text         0..0.5            anything between
[64,32],[128]       two lists            1..8              an integer between (both ends are integers)

A quote inside quotes of its own kind is written twice: "6"" x 9'".
"""

import json
import math
import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, ValidationError, model_validator

MAX_VALUES = 100_000


class Choices(BaseModel):
    """A list of values; a list of one is a fixed value."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    values: list[JsonValue] = Field(min_length=1, max_length=MAX_VALUES)

    @model_validator(mode="after")
    def _usable(self) -> "Choices":
        _refuse_unusable(self.values)
        return self

    @property
    def fixed(self) -> bool:
        return len(self.values) == 1


def _refuse_unusable(value: JsonValue) -> None:
    """What neither JSON nor a command line can carry."""
    match value:
        case float() if not math.isfinite(value):
            raise ValueError(f"{value} is not a finite number: write it in quotes to pass it on as text")
        case str() if "\0" in value:
            raise ValueError("a value holds a NUL character, which cannot be passed on to a process")
        case str() if any("\ud800" <= char <= "\udfff" for char in value):
            raise ValueError("a value is not valid text: it holds half of a surrogate pair")
        case list():
            for one in value:
                _refuse_unusable(one)
        case dict():
            for name, one in value.items():
                _refuse_unusable(name)
                _refuse_unusable(one)


class Range(BaseModel):
    """All numbers from `low` to `high`, both included; in steps when `step` is given."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    low: float
    high: float
    step: float | None = None
    log: bool = False
    type: Literal["int", "float"] = "float"

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
        """How many values there are, where they can be counted: a step, or integers that are not logarithmic."""
        if self.step is None and (self.type == "float" or self.log):
            return None
        return math.floor(self.high / self._stride - self.low / self._stride + 1e-9) + 1

    def value(self, index: int) -> int | float:
        """One of those that can be counted, from 0 on."""
        exact = min(self.low + index * self._stride, self.high)
        if self.type == "int":
            return int(exact)
        # 0.30000000000000004 is not what a person meant by 0.1..0.5:0.1.
        rounded = float(f"{exact:.12g}")
        fits = index and rounded <= self.high and abs(rounded - exact) < 1e-6 * self._stride
        return rounded if fits else exact

    def values(self) -> list[int | float] | None:
        """All that can be counted."""
        count = self.count()
        if count is not None and count > MAX_VALUES:
            raise ValueError(f"a range of {count:,} values is too fine: at most {MAX_VALUES:,}")
        return None if count is None else [self.value(index) for index in range(count)]

    @property
    def _stride(self) -> float:
        return self.step or 1.0


_RANGE = re.compile(r"\s*(?P<low>[-+\d.eE]+?)\.\.(?P<high>[-+\d.eE]+?)(?::(?P<how>[^:]*))?\s*")
_INT = re.compile(r"[-+]?\d+")
_FLOAT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|[-+]?(inf|nan)")
_WORDS: dict[str, JsonValue] = {"true": True, "false": False, "none": None, "null": None}


def parse(text: str) -> Choices | Range:
    """Read the short text form. Raises ValueError with what to write instead."""
    found = _RANGE.fullmatch(text)
    try:
        if found and _FLOAT.fullmatch(found["low"]) and _FLOAT.fullmatch(found["high"]):
            return _parse_range(found["low"], found["high"], found["how"])
        return Choices(values=[_scalar(part) for part in _split(text)])
    except ValidationError as error:  # its own text is for programmers
        raise ValueError("; ".join(one["msg"].removeprefix("Value error, ") for one in error.errors())) from None


def _parse_range(low: str, high: str, how: str | None) -> Range:
    step: float | None = None
    if how and how != "log":
        if not _FLOAT.fullmatch(how):
            raise ValueError(
                f"after the colon comes `log` or a step, not {how!r}: for example 1e-4..1e-1:log, 32..256:32"
            )
        step = float(how)
    whole = all(_INT.fullmatch(part) for part in (low, high, how if step is not None and how else "1"))
    return Range(low=float(low), high=float(high), step=step, log=how == "log", type="int" if whole else "float")


def _split(text: str) -> list[str]:
    """Split at commas that are in no quotes and no brackets; in brackets, quotes are those of JSON."""
    parts, depth, quote, current, escaped = [], 0, "", "", False
    for char in text:
        if quote:
            quote = "" if char == quote and not escaped else quote
            escaped = char == "\\" and depth > 0 and not escaped
        elif _opens(char, current, depth):
            quote = char
        elif char in "[{":
            depth += 1
        elif char in "]}":
            depth -= 1
        elif char == "," and depth <= 0:
            parts.append(current)
            current = ""
            continue
        current += char
    parts.append(current)
    if len(parts) > 1 and not parts[-1].strip():
        raise ValueError("there is a comma with nothing after it")
    if len(parts) > 1 and any(not part.strip() for part in parts):
        raise ValueError("there is a comma with nothing before it")
    return parts


def _opens(char: str, before: str, depth: int) -> bool:
    if depth > 0:
        return char == '"'
    doubled = before.endswith(char) and before.lstrip().startswith(char)
    return char in "\"'" and (not before.strip() or doubled)


def _scalar(text: str) -> JsonValue:
    word = text.strip()
    if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'":
        return word[1:-1].replace(word[0] * 2, word[0])
    if word.lower() in _WORDS:
        return _WORDS[word.lower()]
    if _INT.fullmatch(word):
        return int(word)
    if _FLOAT.fullmatch(word) and math.isfinite(float(word)):
        return float(word)
    if word[:1] in ("[", "{"):
        try:
            parsed: JsonValue = json.loads(word)
        except ValueError as error:
            raise ValueError(f"{word!r} is not valid JSON ({error})") from None
        return parsed
    return text


def text_of(space: Choices | Range) -> str:
    """The short text form, such that parse(text_of(space)) == space."""
    if isinstance(space, Range):
        number = (lambda v: str(int(v))) if space.type == "int" else repr
        how = ":log" if space.log else "" if space.step is None else f":{number(space.step)}"
        return f"{number(space.low)}..{number(space.high)}{how}"
    return ",".join(_text_of_value(value) for value in space.values)


def _text_of_value(value: JsonValue) -> str:
    if isinstance(value, str):
        plain = value and _split_safe(value) and _scalar(value) == value and not _RANGE.fullmatch(value)
        quote = "'" if '"' in value and "'" not in value else '"'
        return value if plain else f"{quote}{value.replace(quote, quote * 2)}{quote}"
    return json.dumps(value)


def _split_safe(value: str) -> bool:
    return not any(char in value for char in ",\"'[]{}") and value == value.strip()


def _coerce(given: Any) -> Any:
    if isinstance(given, str):
        return parse(given)
    if isinstance(given, list):
        return Choices(values=given)
    if isinstance(given, dict) and not ({"low", "high", "values"} & set(given)):
        raise ValueError("write a value, a list, a text such as '1e-4..1e-1:log', or {low, high, step, log}")
    if isinstance(given, dict) and "low" in given and "type" not in given:
        ends = [given.get("low"), given.get("high"), given.get("step") or 1]
        return given | {"type": "int" if all(isinstance(end, int) for end in ends) else "float"}
    if given is None or isinstance(given, (bool, int, float)):
        return Choices(values=[given])
    return given


_Accepted = Choices | Range | bool | int | float | str | list[JsonValue] | None
ParamSpace = Annotated[Choices | Range, BeforeValidator(_coerce, json_schema_input_type=_Accepted)]

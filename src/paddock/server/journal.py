"""Reads journals: bytes in, typed records out. Pure.

Any program that runs in an allocation can write into its journal. So every field is checked and bounded here, before
any transaction: every record can be stored in every database. A line that is not a valid record becomes `Malformed`.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, PlainValidator, TypeAdapter, ValidationError

from paddock.models import Cause, FreeMemory, Packing, Seat
from paddock.models.load import NodeSample

LATEST = 1e11  # seconds since 1970: a later time is not valid
MAX_NAME = 200
MAX_TEXT = 2000
MAX_NAMES = 2000  # metrics per record; a runner reports up to 1,000 per task
MAX_PART = 100_000  # characters and numbers of a seat
_INT32, _INT64 = 2**31, 2**63
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_decode = json.JSONDecoder().raw_decode  # json.loads also looks for blanks around it, which takes as long again


# --- fields -----------------------------------------------------------------------------------------------------------


def _bytes(given: Any) -> int | None:
    """Return a number of bytes; some runners write it with a decimal point."""
    if given is None:
        return None
    if type(given) not in (int, float) or not 0 <= given < _INT64:
        raise ValueError("it is not a number of bytes")
    return min(int(given), _INT64 - 1)


def _values(given: Any) -> Mapping[str, float]:
    """Return the values that are numbers. They need not be finite."""
    if type(given) is not dict or len(given) > MAX_NAMES:
        raise ValueError("it is not an object, or has too many names")
    values = {
        name: float(value)
        for name, value in given.items()
        if 0 < len(name) <= MAX_NAME and (type(value) is float or (type(value) is int and abs(value) < _HUGE))
    }
    if given and not values:
        raise ValueError("no value is a number")
    return values


def _names(given: Any) -> frozenset[str]:
    if type(given) is not list or len(given) > MAX_NAMES or not all(type(name) is str for name in given):
        raise ValueError("it is not a list of names, or is too long")
    return frozenset(name for name in given if len(name) <= MAX_NAME)


def _part(kind: type[Seat | FreeMemory], given: Any) -> Seat | FreeMemory | None:
    """Return None if a runner of another version wrote it in another form."""
    try:
        found = kind.model_validate(given)
    except ValidationError:
        return None
    size, largest = _extent(found.model_dump(mode="json"))
    if size > MAX_PART or largest >= _INT64:
        raise ValueError("it is out of bounds")
    return found


def _packing(given: dict[str, Any]) -> Packing:
    found = Packing.model_validate({name: given[name] for name in Packing.model_fields.keys() & given.keys()})
    counts = (found.tasks, found.target)
    others = (found.need, found.total, found.load, found.processor, found.startup, found.speedup)
    bounded = all(abs(n or 0) < _INT32 for n in counts) and all(abs(n or 0) < _INT64 for n in others)
    if not bounded or not 0 < len(found.gpu) <= MAX_NAME:
        raise ValueError("it is out of bounds")
    return found


def _extent(value: Any) -> tuple[int, int]:
    """Return the number of characters and numbers in it, and the largest integer."""
    match value:
        case str():
            return len(value), 0
        case int():
            return 1, abs(value)
        case list() | dict():
            parts = [_extent(one) for one in (value.values() if isinstance(value, dict) else value)]
            return sum(size for size, _ in parts), max((largest for _, largest in parts), default=0)
    return 1, 0


_HUGE = 10**308
By = Literal["stop", "prune", "follow", "resize", "shutdown"]
_Time = Annotated[float, Field(strict=True, ge=0, lt=LATEST)]
_Int = Annotated[int, Field(strict=True, ge=-_INT32, lt=_INT32)]
_Count = Annotated[int, Field(strict=True, ge=1, lt=_INT32)]
_Float = Annotated[float, Field(strict=True, allow_inf_nan=False)]
_Bytes = Annotated[int | None, PlainValidator(_bytes)]
_Text = Annotated[str, Field(strict=True), AfterValidator(lambda text: text[:MAX_TEXT])]


# --- records ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RunnerStarted:
    at: _Time


@dataclass(frozen=True, slots=True)
class Bye:
    """The runner has ended by itself, and its tasks before it."""

    at: _Time


@dataclass(frozen=True, slots=True)
class NodeSeen:
    """How busy the runner's node is."""

    at: _Time
    node: Annotated[str, Field(strict=True, min_length=1, max_length=255)]
    sample: NodeSample


@dataclass(frozen=True, slots=True)
class Packed:
    """How many tasks share a GPU."""

    at: _Time
    packing: Annotated[Packing, PlainValidator(_packing)]


@dataclass(frozen=True, slots=True)
class AboutAttempt:
    at: _Time
    task: Annotated[str, Field(strict=True, min_length=1, max_length=64)]
    attempt: _Count
    start: int  # the start of the allocation whose journal contains this


@dataclass(frozen=True, slots=True)
class Started(AboutAttempt):
    pid: _Int | None = None
    node: _Text | None = None
    device: _Text | None = None
    seat: Annotated[Seat | None, PlainValidator(lambda given: _part(Seat, given))] = None


@dataclass(frozen=True, slots=True)
class Metric(AboutAttempt):
    step: _Float
    epoch: Annotated[_Float | None, Field(default=None)]
    values: Annotated[Mapping[str, float], PlainValidator(_values), Field(validation_alias="v")]


@dataclass(frozen=True, slots=True)
class Reset(AboutAttempt):
    names: Annotated[frozenset[str], PlainValidator(_names)]


@dataclass(frozen=True, slots=True)
class Total(AboutAttempt):
    epochs: _Count


@dataclass(frozen=True, slots=True)
class Usage(AboutAttempt):
    memory: _Bytes = None
    cpu: _Float | None = None
    gpu_memory: _Bytes = None
    gpu_load: _Float | None = None


@dataclass(frozen=True, slots=True)
class Saved(AboutAttempt):
    """The attempt has saved something from which its next one can go on."""


@dataclass(frozen=True, slots=True)
class Warned(AboutAttempt):
    text: Annotated[_Text, Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Ended(AboutAttempt):
    exit: _Int | None = None
    signal: _Int | None = None
    by: By | None = None
    cause: Cause | None = None
    reason: _Text | None = None
    peak_memory: _Bytes = None
    peak_gpu_memory: _Bytes = None
    gpu_need: _Bytes = None
    cpu_seconds: _Float | None = None
    made_way: bool = False  # for a reservation
    again: Annotated[FreeMemory | None, PlainValidator(lambda given: _part(FreeMemory, given))] = None


Record = RunnerStarted | Bye | NodeSeen | Packed | Started | Metric | Reset | Total | Usage | Saved | Warned | Ended


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that is not a valid record."""

    reason: str


KINDS: dict[str, TypeAdapter[Record]] = {
    name: TypeAdapter(kind)
    for name, kind in {
        "runner": RunnerStarted,
        "bye": Bye,
        "node": NodeSeen,
        "packing": Packed,
        "started": Started,
        "metric": Metric,
        "reset": Reset,
        "total": Total,
        "usage": Usage,
        "saved": Saved,
        "warning": Warned,
        "ended": Ended,
    }.items()
}


@dataclass(frozen=True)
class JournalBatch:
    """The result of parsing a part of a journal."""

    records: list[Record]
    malformed: list[Malformed]
    consumed: int  # bytes, always up to and including a newline


def parse(data: bytes, start: int = 1) -> JournalBatch:
    """Return the records of the complete lines of `data`, a part of the journal of this start of an allocation.

    A last line without a newline is left for the next time.
    """
    end = data.rfind(b"\n") + 1
    found = [record(line, start) for raw in data[:end].split(b"\n") if (line := raw.strip())]
    malformed = [one for one in found if isinstance(one, Malformed)]
    return JournalBatch([one for one in found if one is not None and not isinstance(one, Malformed)], malformed, end)


def record(line: bytes, start: int) -> Record | Malformed | None:
    """Return the record of a line. None: its kind is one of a newer version."""
    try:
        text = line.decode()
        given, length = _decode(text)
        if length != len(text):
            return Malformed("there is something after the record")
        return typed(storable(given) if "\\u" in text else given, start)
    except (ValueError, RecursionError) as error:
        return Malformed(str(error))


def typed(given: Any, start: int) -> Record | Malformed | None:
    """Return the record in decoded JSON of which every character can be stored. None: as for `record`."""
    if type(given) is not dict or type(kind := given.get("e")) is not str:
        return Malformed("it is not an object of some kind")
    if kind not in KINDS:
        return None
    try:
        given.update(start=start, sample=given, packing=given)  # a node and a packing stand in the record itself
        return KINDS[kind].validate_python(given)
    except ValidationError as error:
        return Malformed(str(error))


def storable(value: Any) -> Any:
    """Return the value without the characters that JSON can write and a database cannot store."""
    match value:
        case str():
            return _UNSTORABLE.sub("\ufffd", value)
        case list():
            return [storable(one) for one in value]
        case dict():
            return {storable(name): storable(one) for name, one in value.items()}
    return value

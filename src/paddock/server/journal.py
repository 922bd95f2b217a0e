"""Reads journals: from an offset, complete lines only, whatever is in them. Pure: bytes in, typed records out.

Anybody whose program runs in an allocation can write into its journal. So every field is checked and bounded here,
before any transaction: what is made of a line can be stored in every database.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from pydantic import ValidationError

from paddock.models import Cause, Packing, Room, Seat
from paddock.rules.load import NodeSample

LATEST = 1e11  # seconds since 1970: what comes later is no time
MAX_NAME = 200
MAX_TEXT = 2000
MAX_NAMES = 2000  # metrics of one record; a runner gives no more than 1,000 of a task
MAX_PART = 100_000  # a seat, as JSON
_INT32, _INT64 = 2**31, 2**63
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_read = json.JSONDecoder().raw_decode  # json.loads looks for blanks around it as well, which takes as long

By = Literal["stop", "prune", "follow", "shutdown"]
_BY = frozenset({"stop", "prune", "follow", "shutdown"})


class Wrong(ValueError):
    """A line is not a valid record."""


@dataclass(frozen=True, slots=True)
class RunnerStarted:
    """The runner has started."""

    at: float


@dataclass(frozen=True, slots=True)
class Bye:
    """It leaves in good order."""

    at: float


@dataclass(frozen=True, slots=True)
class NodeSeen:
    """How busy its node is."""

    at: float
    node: str
    look: NodeSample


@dataclass(frozen=True, slots=True)
class Packed:
    """How many tasks share a GPU."""

    at: float
    packing: Packing


@dataclass(frozen=True, slots=True)
class AboutAttempt:
    at: float
    task: str
    attempt: int
    start: int  # of the allocation: which of its journals this is from


@dataclass(frozen=True, slots=True)
class Started(AboutAttempt):
    pid: int | None = None
    node: str | None = None
    device: str | None = None
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class Metric(AboutAttempt):
    """Step and epoch are finite; values need not be."""

    step: float
    epoch: float | None
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Reset(AboutAttempt):
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Total(AboutAttempt):
    epochs: int


@dataclass(frozen=True, slots=True)
class Usage(AboutAttempt):
    memory: int | None = None
    cpu: float | None = None
    gpu_memory: int | None = None
    gpu_load: float | None = None


@dataclass(frozen=True, slots=True)
class Warned(AboutAttempt):
    text: str


@dataclass(frozen=True, slots=True)
class Ended(AboutAttempt):
    exit: int | None = None
    signal: int | None = None
    by: By | None = None
    cause: Cause | None = None
    reason: str | None = None
    peak_memory: int | None = None
    peak_gpu_memory: int | None = None
    cpu_seconds: float | None = None
    again: Room | None = None


Record = RunnerStarted | Bye | NodeSeen | Packed | AboutAttempt


@dataclass(frozen=True)
class JournalBatch:
    """What one reading gave."""

    records: list[Record]
    consumed: int  # bytes, always up to and including a newline
    wrong: int  # lines that are not valid records


def parse(data: bytes, start: int = 1) -> JournalBatch:
    """Take the complete lines of `data`, of the journal of this start of an allocation.

    A last line without a newline is left for the next time. Kinds that this version does not know are left out.
    """
    end = data.rfind(b"\n") + 1
    records: list[Record] = []
    wrong = 0
    for raw in data[:end].split(b"\n"):
        line = raw.strip()
        if not line:
            continue
        try:
            text = line.decode()
            given, length = _read(text)
            if length != len(text):
                raise Wrong("something after the record")
            record = typed(storable(given) if "\\u" in text else given, start)
        except (ValueError, RecursionError):
            wrong += 1
        else:
            if record is not None:
                records.append(record)
    return JournalBatch(records, end, wrong)


def typed(given: Any, start: int) -> Record | None:
    """Make a record of JSON without characters that cannot be stored. None: of a kind that is not known.

    Raises Wrong for what is not valid.
    """
    if type(given) is not dict:
        raise Wrong("not an object")
    kind: Any = given.get("e")
    at: Any = given.get("at")
    if type(kind) is not str or type(at) not in (int, float) or not 0 <= at < LATEST:
        raise Wrong("without a kind or a time")
    if kind in _ABOUT_ATTEMPTS:
        task, attempt = given.get("task"), given.get("attempt")
        if type(task) is not str or not 0 < len(task) <= 64 or type(attempt) is not int or not 0 < attempt < _INT32:
            raise Wrong("about no attempt")
        return _ABOUT_ATTEMPTS[kind]((float(at), task, attempt, start), given)
    if kind in _OTHERS:
        return _OTHERS[kind](float(at), given)
    return None


# --- one function a kind of record ------------------------------------------------------------------------------------

_About = tuple[float, str, int, int]


def _started(about: _About, given: dict[str, Any]) -> Started:
    seat = cast(Seat | None, _part(Seat, given.get("seat")))
    return Started(*about, _int(given, "pid", _INT32), _text(given, "node"), _text(given, "device"), seat)


def _metric(about: _About, given: dict[str, Any]) -> Metric:
    step, epoch, said = _finite(given, "step"), _finite(given, "epoch"), given.get("v")
    if step is None or type(said) is not dict or len(said) > MAX_NAMES:
        raise Wrong("a metric without a step or values")
    values = {
        name: number for name, one in said.items() if 0 < len(name) <= MAX_NAME and (number := _number(one)) is not None
    }
    if said and not values:
        raise Wrong("a metric of which no value is a number")
    return Metric(*about, step, epoch, values)


def _reset(about: _About, given: dict[str, Any]) -> Reset:
    names = given.get("names")
    if type(names) is not list or len(names) > MAX_NAMES or not all(type(name) is str for name in names):
        raise Wrong("a reset without names")
    return Reset(*about, frozenset(name for name in names if len(name) <= MAX_NAME))


def _total(about: _About, given: dict[str, Any]) -> Total:
    epochs = _int(given, "epochs", _INT32, least=1)
    if epochs is None:
        raise Wrong("a total without epochs")
    return Total(*about, epochs)


def _usage(about: _About, given: dict[str, Any]) -> Usage:
    return Usage(
        *about,
        memory=_bytes(given, "memory"),
        cpu=_finite(given, "cpu"),
        gpu_memory=_bytes(given, "gpu_memory"),
        gpu_load=_finite(given, "gpu_load"),
    )


def _warned(about: _About, given: dict[str, Any]) -> Warned:
    text = _text(given, "text")
    if not text:
        raise Wrong("a warning without a text")
    return Warned(*about, text)


def _ended(about: _About, given: dict[str, Any]) -> Ended:
    by, cause = given.get("by"), given.get("cause")
    if not (by is None or (type(by) is str and by in _BY)):
        raise Wrong("ended by somebody unknown")
    if not (cause is None or (type(cause) is str and cause in _CAUSES)):
        raise Wrong("ended of a cause that is not known")
    return Ended(
        *about,
        exit=_int(given, "exit", _INT32),
        signal=_int(given, "signal", _INT32),
        by=cast(By | None, by),
        cause=None if cause is None else Cause(cause),
        reason=_text(given, "reason"),
        peak_memory=_bytes(given, "peak_memory"),
        peak_gpu_memory=_bytes(given, "peak_gpu_memory"),
        cpu_seconds=_finite(given, "cpu_seconds"),
        again=cast(Room | None, _part(Room, given.get("again"))),
    )


def _node(at: float, given: dict[str, Any]) -> NodeSeen:
    node = given.get("node")
    if type(node) is not str or not 0 < len(node) <= 255:
        raise Wrong("a node without a name")
    try:
        return NodeSeen(at, node, NodeSample.model_validate(given))
    except ValidationError as error:
        raise Wrong(str(error)) from None


def _packing(at: float, given: dict[str, Any]) -> Packed:
    for name in ("tasks", "target"):
        _int(given, name, _INT32)
    for name in ("need", "total"):
        _bytes(given, name)
    for name in ("load", "speedup"):
        _finite(given, name)
    gpu = given.get("gpu")
    if type(gpu) is not str or not 0 < len(gpu) <= MAX_NAME:
        raise Wrong("a packing without a kind of GPU")
    try:
        packing = Packing.model_validate({name: value for name, value in given.items() if name in Packing.model_fields})
    except ValidationError as error:
        raise Wrong(str(error)) from None
    return Packed(at, packing)


_ABOUT_ATTEMPTS: dict[str, Callable[[_About, dict[str, Any]], AboutAttempt]] = {
    "started": _started,
    "metric": _metric,
    "reset": _reset,
    "total": _total,
    "usage": _usage,
    "warning": _warned,
    "ended": _ended,
}
_OTHERS: dict[str, Callable[[float, dict[str, Any]], Record]] = {
    "runner": lambda at, _: RunnerStarted(at),
    "bye": lambda at, _: Bye(at),
    "node": _node,
    "packing": _packing,
}
KINDS = frozenset(_ABOUT_ATTEMPTS) | frozenset(_OTHERS)
_CAUSES = frozenset(cause.value for cause in Cause)


# --- fields -----------------------------------------------------------------------------------------------------------


def _number(value: Any) -> float | None:
    if type(value) is float:
        return value
    if type(value) is not int:
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _finite(given: dict[str, Any], name: str) -> float | None:
    value = given.get(name)
    if value is None:
        return None
    number = _number(value)
    if number is None or not math.isfinite(number):
        raise Wrong(f"{name} is not a number")
    return number


def _int(given: dict[str, Any], name: str, most: int, least: int | None = None) -> int | None:
    value = given.get(name)
    if value is None:
        return None
    if type(value) is not int or not (-most if least is None else least) <= value < most:
        raise Wrong(f"{name} is not an integer, or out of bounds")
    return value


def _bytes(given: dict[str, Any], name: str) -> int | None:
    """A number of bytes, of which some are written with a point."""
    number = _finite(given, name)
    if number is None:
        return None
    if not 0 <= number < _INT64:
        raise Wrong(f"{name} is out of bounds")
    return min(int(given[name]), _INT64 - 1)


def _text(given: dict[str, Any], name: str) -> str | None:
    value = given.get(name)
    if value is None:
        return None
    if type(value) is not str:
        raise Wrong(f"{name} is not a text")
    return value[:MAX_TEXT]


def _part(kind: type[Seat | Room], value: Any) -> Seat | Room | None:
    """What a runner of another version may have written in another way counts as not written."""
    if value is None:
        return None
    try:
        found = kind.model_validate(value)
    except ValidationError:
        return None
    size, largest = _extent(found.model_dump(mode="json"))
    if size > MAX_PART or largest >= _INT64:
        raise Wrong("a seat or room out of bounds")
    return found


def _extent(value: Any) -> tuple[int, int]:
    """How many letters and numbers there are in it, and the largest integer."""
    match value:
        case str():
            return len(value), 0
        case int():
            return 1, abs(value)
        case list() | dict():
            parts = [_extent(one) for one in (value.values() if isinstance(value, dict) else value)]
            return sum(size for size, _ in parts), max((largest for _, largest in parts), default=0)
    return 1, 0


def storable(value: Any) -> Any:
    """Without the characters that JSON can write and a database cannot: one line must not hold up all others."""
    match value:
        case str():
            return _UNSTORABLE.sub("\ufffd", value)
        case list():
            return [storable(one) for one in value]
        case dict():
            return {storable(name): storable(one) for name, one in value.items()}
    return value

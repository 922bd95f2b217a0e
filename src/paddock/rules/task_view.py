"""Filter, order and choose tasks as people ask for it: `adam lr<0.01 best<=0.2`, sorted by a column. Pure."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import Any

from paddock.errors import InvalidInput
from paddock.models import Goal, Params, TaskState

MOST_NUMBERS = 20_000
_WORD = re.compile(r'(?:"[^"]*"|[^\s"]|"(?=[^"]*$))+')
_COMPARISON = re.compile(r'("[^"]+"|[A-Za-z_#][\w./-]*)(<=|>=|!=|=|<|>)(.+)')
_ALTERNATIVE = re.compile(r'(?:"[^"]*"|[^|"]|")+')
_OF_METRIC = re.compile(r"(last|best|min|max)\.(.+)")
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
_S = TaskState
_STATES = (_S.FINISHED, _S.RUNNING, _S.SUBMITTED, _S.PRUNED, _S.STOPPED, _S.ERROR)  # in this order


@dataclass(frozen=True, slots=True)
class Outline:
    """A task with what filters, orders and graphs of all tasks need."""

    number: int
    trial: int
    state: TaskState
    attempt: int
    reduces: bool
    params: Params
    best: float | None
    at: float | None
    last: float | None
    epoch: float | None
    progress: float | None
    others: Sequence[float | None]
    started: float | None
    ended: float | None
    node: str | None
    cause: str | None
    reason: str | None
    now: float  # when it was read
    mean: float | None = None  # over the tasks of its configuration, where there are several
    spread: float | None = None

    @property
    def duration(self) -> float | None:
        return None if self.started is None else (self.now if self.ended is None else self.ended) - self.started

    def value(self, column: str) -> Any:
        """Return the value in a column: one of COLUMNS, `param.NAME`, or `objective.N` for an objective."""
        if column.startswith("param."):
            return self.params.get(column[6:])
        if column.startswith("objective."):
            values = (self.best, *self.others)
            place = int(column[10:])
            return values[place] if place < len(values) else None
        return getattr(self, column)


COLUMNS = (
    "number", "trial", "state", "attempt", "reduces", "best", "at", "last", "epoch", "progress", "started", "ended",
    "duration", "node", "cause", "reason", "mean", "spread",
)  # fmt: skip
_COMPARED = {"#": "number"} | {name: name for name in COLUMNS}
Measured = Mapping[str, Mapping[int, float | None]]  # values by column of a metric and number of a task
UNMEASURED: Measured = {}


def with_means(tasks: Sequence[Outline]) -> list[Outline]:
    """Return tasks with the mean and the spread of their configurations, where a configuration has several tasks.

    The tasks that finished count; all, where none has.
    """
    groups: dict[int, list[Outline]] = defaultdict(list)
    for one in tasks:
        if not one.reduces:
            groups[one.trial].append(one)
    if all(len(group) == 1 for group in groups.values()):
        return list(tasks)
    found: dict[int, tuple[float | None, float | None]] = {}
    for trial, group in groups.items():
        counted = [one for one in group if one.state is TaskState.FINISHED] or group
        values = [one.best for one in counted if one.best is not None]
        found[trial] = fmean(values) if values else None, stdev(values) if len(values) > 1 else None
    means = ((one, *(found[one.trial] if not one.reduces else (None, None))) for one in tasks)
    return [replace(one, mean=mean, spread=spread) for one, mean, spread in means]


def check_column(name: str, field: str) -> str:
    """Return the name of a column; refuse one that tasks do not have."""
    known = name in COLUMNS or name.startswith("param.") or of_metric(name) or re.fullmatch(r"objective\.\d{1,3}", name)
    if not known:
        listed = ", ".join(COLUMNS)
        raise InvalidInput.at(
            field, f"{name!r} is no column: give one of {listed}, param.NAME, last.METRIC or best.METRIC"
        )
    return name


def of_metric(column: str) -> tuple[str, str] | None:
    """Return what a column such as `last.val_loss` shows of which metric: last, best, min or max; None for others."""
    found = _OF_METRIC.fullmatch(column)
    return (found[1], found[2]) if found else None


def measured_columns(text: str, columns: Iterable[str]) -> list[str]:
    """Return the columns of metrics among these, and those that a filter compares."""
    compared = (found[1].strip('"') for found in map(_COMPARISON.fullmatch, _WORD.findall(text)) if found)
    return [name for name in dict.fromkeys((*columns, *compared)) if of_metric(name)]


def view(
    tasks: Sequence[Outline], text: str, states: Collection[TaskState], sort: str, measured: Measured = UNMEASURED
) -> list[Outline]:
    """Return the tasks that match all words of a filter and are in one of the states, in this order.

    `sort` is the name of a column, after a minus for the largest value first. Tasks without a value come last.
    `measured` has the values of the `measured_columns` of the filter and the order.
    """
    tests = [_word(word, measured) for word in _WORD.findall(text)]
    found = [one for one in tasks if (not states or one.state in states) and all(matches(one) for matches in tests)]
    column = check_column(sort.removeprefix("-"), "sort")
    keys = {one.number: _order(_value(one, column, measured)) for one in found}
    having = [one for one in found if keys[one.number] is not None]
    having.sort(key=lambda one: keys[one.number] or (), reverse=sort.startswith("-"))
    return having + [one for one in found if keys[one.number] is None]


def _order(value: Any) -> tuple[Any, ...] | None:
    """Return what a value is ordered by: numbers before texts, and numbers inside texts by their size."""
    if value is None:
        return None
    if isinstance(value, TaskState):
        return 0, _STATES.index(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return 0, value
    parts = re.split(r"(\d+)", text_of(value).lower())
    return 1, [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part]


def text_of(value: Any) -> str:
    """Return a value as a person would write it."""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value) if type(value) is int else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _value(task: Outline, column: str, measured: Measured) -> Any:
    return measured.get(column, {}).get(task.number) if of_metric(column) else task.value(column)


def _word(text: str, measured: Measured) -> Callable[[Outline], bool]:
    found = _COMPARISON.fullmatch(text)
    if not found:
        part = text.replace('"', "").lower()
        return lambda task: _contains(task, part)
    name, sign = found[1].strip('"'), found[2]
    column = name if of_metric(name) else _COMPARED.get(name)
    # `optimizer=adam|sgd`: one of them; a value with spaces or bars is in quotation marks.
    wanted = (
        [one.replace('"', "").lower() for one in _ALTERNATIVE.findall(found[3])]
        if sign == "="
        else [found[3].replace('"', "").lower()]
    )

    def matches(task: Outline) -> bool:
        value = task.params[name] if name in task.params else _value(task, column, measured) if column else None
        return value is not None and any(_compares(value, sign, one) for one in wanted)

    return matches


def _compares(value: Any, sign: str, wanted: str) -> bool:
    a, b = value, _number(wanted)
    if b is None or isinstance(value, bool) or not isinstance(value, int | float):
        a, b = text_of(value).lower(), wanted
    return bool({"=": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[sign])


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return None


def _contains(task: Outline, part: str) -> bool:
    return (
        str(task.number) == part
        or part in f"{task.state}\n{task.reason or ''}\n{task.node or ''}".lower()
        or any(part in f"{name} {text_of(value)}".lower() for name, value in task.params.items())
    )


def columns(tasks: Sequence[Outline], names: Sequence[str], measured: Measured = UNMEASURED) -> dict[str, list[Any]]:
    """Return values by column; `params` stands for all parameters. A value that all tasks have is given once."""
    wanted: list[str] = []
    for name in names:
        if name == "params":
            wanted += [f"param.{key}" for key in dict.fromkeys(key for one in tasks for key in one.params)]
        else:
            wanted.append(check_column(name, "column"))
    found = {name: [_value(one, name, measured) for one in tasks] for name in dict.fromkeys(wanted)}
    return {name: values[:1] if _same(values) else values for name, values in found.items()}


def _same(values: list[Any]) -> bool:
    return all(value == values[0] and type(value) is type(values[0]) for value in values)


def numbers(text: str) -> list[int]:
    """Return the numbers that a text such as `1-3,7` stands for."""
    found: list[int] = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if not match:
            raise InvalidInput.at("numbers", f"{part!r} is no number or range: write such as 1-3,7")
        first, last = int(match[1]), int(match[2] or match[1])
        if len(found) + last - first >= MOST_NUMBERS:
            raise InvalidInput.at("numbers", f"they are more than {MOST_NUMBERS:,}: ask for fewer")
        found.extend(range(first, last + 1))
    return found


def sample(values: Sequence[tuple[int, float | None]], goal: Goal, count: int) -> list[int]:
    """Return the numbers of `count` tasks, which are given with their best values.

    Half are the best, the others are spread evenly: so a graph of few curves shows what matters, and the others.
    """
    known = [one for one in values if one[1] is not None]
    known.sort(key=lambda one: one[1] or 0.0, reverse=goal is Goal.MAX)
    order = [number for number, _ in known] + [number for number, value in values if value is None]
    if len(order) <= count:
        return sorted(order)
    best = count // 2
    rest = len(order) - best
    spread = [order[best + place * rest // (count - best)] for place in range(count - best)]
    return sorted(order[:best] + spread)

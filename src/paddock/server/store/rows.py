"""Helpers between rows, dataclasses and models."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from functools import cache
from itertools import starmap
from typing import Any, TypeVar, overload

import sqlalchemy as sa
from pydantic import BaseModel

from paddock.common.clock import Clock

CLOCK = "paddock_clock"  # names an option of a connection: the clock of its database
Silent = Mapping[str, float]  # allocation whose runner does not report -> when it last did
ALL_HEARD: Silent = {}
_BATCH = 400  # values in one statement: SQLite limits how many it may hold
T = TypeVar("T")
R = TypeVar("R")
M = TypeVar("M", bound=BaseModel)


def clock_of(c: sa.Connection) -> Clock:
    """Return the clock of the database that this is a connection of."""
    clock: Clock = c.get_execution_options()[CLOCK]
    return clock


def columns(kind: type[Any], named: Iterable[sa.ColumnElement[Any]]) -> list[sa.ColumnElement[Any]]:
    """Return the columns whose names are those of the fields of the dataclass `kind`, in the order of the fields."""
    known = {column.key: column for column in named}
    return [known[field.name] for field in fields(kind)]


def fetch(c: sa.Connection, kind: type[R], query: sa.Select[Any]) -> list[R]:
    """Return the rows of a query as objects of `kind`; the query selects `columns` of this kind."""
    return list(starmap(kind, c.execute(query).all()))  # row by row it takes longer


def model(kind: type[M], row: sa.Row[Any], **given: Any) -> M:
    """Return a model made of the columns of a row that are named like its fields, and of what is given besides.

    Columns named `..._at` are times in seconds, and become moments.
    """
    return kind(**values_of(kind, row._fields, row) | given)


def values_of(kind: type[BaseModel], names: tuple[str, ...], row: Sequence[Any]) -> dict[str, Any]:
    """Return the values of a row with these column names that are fields of a model, as `model` takes them."""
    plain, times = _places(kind, names)
    found = {name: row[place] for place, name in plain}
    for place, name in times:
        found[name] = None if (at := row[place]) is None else datetime.fromtimestamp(at, UTC)
    return found


@cache
def _places(kind: type[BaseModel], names: tuple[str, ...]) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Return where the fields of a model are in a row: first those that are no times."""
    found = [(place, name) for place, name in enumerate(names) if name in kind.model_fields]
    return [one for one in found if not one[1].endswith("_at")], [one for one in found if one[1].endswith("_at")]


def portions(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield the items in portions that one statement can hold."""
    return (items[start : start + _BATCH] for start in range(0, len(items), _BATCH))


@overload
def moment(seconds: float) -> datetime: ...
@overload
def moment(seconds: None) -> None: ...
@overload
def moment(seconds: float | None) -> datetime | None: ...
def moment(seconds: float | None) -> datetime | None:
    """Return seconds since 1970 as a time in UTC."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def many(c: sa.Connection, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Execute one statement with `?` for each value for many rows, without the cost of building it each time."""
    if rows:
        c.exec_driver_sql(statement if c.dialect.name == "sqlite" else statement.replace("?", "%s"), list(rows))


def storable(text: str) -> bool:
    """Return True if a database can store, and so find, this text."""
    return not any(char == "\0" or "\ud800" <= char <= "\udfff" for char in text)

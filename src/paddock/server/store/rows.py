"""Small helpers between rows and models."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, overload

import sqlalchemy as sa

Silent = Mapping[str, float]  # allocation of which nothing is heard -> when it last was
ALL_HEARD: Silent = {}


@overload
def moment(seconds: float) -> datetime: ...
@overload
def moment(seconds: None) -> None: ...
@overload
def moment(seconds: float | None) -> datetime | None: ...
def moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def many(c: sa.Connection, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """One statement for many rows, `?` for each value: where building the parameters takes most of the time."""
    if rows:
        c.exec_driver_sql(statement if c.dialect.name == "sqlite" else statement.replace("?", "%s"), list(rows))


def storable(text: str) -> bool:
    """Whether a database can hold, and so find, this text."""
    return not any(char == "\0" or "\ud800" <= char <= "\udfff" for char in text)

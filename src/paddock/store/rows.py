"""Small helpers between rows and models."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import overload

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


def storable(text: str) -> bool:
    """Whether a database can hold, and so find, this text."""
    return not any(char == "\0" or "\ud800" <= char <= "\udfff" for char in text)

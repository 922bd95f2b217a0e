"""Small helpers between rows and models."""

from datetime import UTC, datetime
from typing import overload


@overload
def moment(seconds: float) -> datetime: ...
@overload
def moment(seconds: None) -> None: ...
@overload
def moment(seconds: float | None) -> datetime | None: ...
def moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)

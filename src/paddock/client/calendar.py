"""What can be reserved, and who has it, for the SDK: `Client().calendar.reserve(gpus=2, seconds="4h")`.

Times are datetimes with a time zone, or texts in the form of ISO 8601. A refused reservation raises
`paddock.errors.Refused`, whose `booking` has the problems and the first slots that are free.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol
from urllib.parse import quote

from paddock import models

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from paddock.client.connection import Answer, Connection

Moment = datetime | str
Grouping = Literal["account", "group", "device", "week"]


class Send(Protocol):
    """Send a request, and return the answer as what `kind` returns; see `Client`."""

    def __call__(
        self, method: str, path: str, kind: Callable[[], type[Answer]], body: Any = None, **options: Any
    ) -> Answer: ...


class CalendarCalls:
    def __init__(self, send: Send, connection: Connection) -> None:
        self._send, self._connection = send, connection

    def devices(self) -> list[models.ReservableDevice]:
        """Return what can be reserved: GPUs, and whole nodes of Slurm."""
        return self._send("GET", "/devices", lambda: list[models.ReservableDevice])

    def reservations(
        self,
        *,
        since: Moment | None = None,
        until: Moment | None = None,
        mine: bool = False,
        series: str | None = None,
        cancelled: bool = False,
    ) -> list[models.Reservation]:
        """Return the reservations of a stretch of time, which begins now when not given, by their start.

        `mine`: only those that you have or are a guest of. `cancelled`: also those that were cancelled.
        """
        given = _given(since=since, until=until, mine=mine, series=series, cancelled=cancelled)
        return self._send("GET", "/reservations", lambda: models.ReservationPage, params=given).items

    def reservation(self, id: str) -> models.Reservation:
        return self._send("GET", _path(id), lambda: models.Reservation)

    def reserve(
        self,
        devices: Iterable[str] = (),
        *,
        gpus: int | None = None,
        seconds: int | str | None = None,
        starts_at: Moment | None = None,
        ends_at: Moment | None = None,
        **fields: Any,
    ) -> models.BookingResult:
        """Reserve these devices (by id), or any `gpus` that are free together, from now on or from `starts_at`.

        `fields` are those of ReservationRequest: title, guests, repeat_until, host, model and others.
        """
        times = {"seconds": seconds, "starts_at": starts_at, "ends_at": ends_at}
        body = _given(devices=list(devices), gpus=gpus, **times, **fields)
        return self._send("POST", "/reservations", lambda: models.BookingResult, body)

    def change(self, id: str, version: int, **changes: Any) -> models.Reservation:
        """Change a reservation as it was at this `version`; `changes` are fields of ReservationPatch."""
        return self._send("PATCH", _path(id), lambda: models.Reservation, _given(version=version, **changes))

    def cancel(self, id: str, *, why: str = "", series: bool = False) -> list[models.Reservation]:
        """Cancel a reservation that has not begun; `series`: and all others of its series that have not."""
        body = {"why": why, "series": series}
        return self._send("POST", f"{_path(id)}/cancel", lambda: list[models.Reservation], body)

    def release(self, id: str) -> models.Reservation:
        """End a reservation that runs: the rest of its time becomes free."""
        return self._send("POST", f"{_path(id)}/release", lambda: models.Reservation)

    def free(
        self,
        gpus: int = 1,
        seconds: int | str = 3600,
        *,
        model: str | None = None,
        host: str | None = None,
        backend: str | None = None,
        after: Moment | None = None,
    ) -> list[models.FreeSlot]:
        """Return the first slots in which so many GPUs of one host are free together, and yours to reserve."""
        length = seconds if isinstance(seconds, str) else f"{seconds}s"  # an address has no numbers, only text
        given = _given(gpus=gpus, seconds=length, model=model, host=host, backend=backend, after=after)
        return self._send("GET", "/reservations/free", lambda: list[models.FreeSlot], params=given)

    def wanted(self) -> list[models.WantedSlot]:
        """Return the slots that you get a notice about when they become free."""
        return self._send("GET", "/reservations/wanted", lambda: list[models.WantedSlot])

    def forget_wanted(self, id: int) -> None:
        """Do not wait for a slot any more."""
        self._connection.request("DELETE", f"/reservations/wanted/{id}")

    def usage(
        self,
        by: Grouping = "account",
        *,
        since: Moment | None = None,
        until: Moment | None = None,
        mine: bool = False,
    ) -> models.UsageReport:
        """Return GPU-hours reserved, used and idle, of the last 30 days or this time; `mine`: only your own."""
        given = _given(by=by, since=since, until=until, mine=mine or None)
        return self._send("GET", "/usage", lambda: models.UsageReport, params=given)

    def use(self, id: str) -> list[models.ReservationUse]:
        """Return how each device of a reservation was used so far, also while it runs."""
        return self._send("GET", f"{_path(id)}/use", lambda: list[models.ReservationUse])

    def overview(self, weeks: int = 4) -> models.Overview:
        """Return hour by hour who has reserved each device, and how busy it was."""
        return self._send("GET", "/overview", lambda: models.Overview, params={"weeks": weeks})


def _path(id: str) -> str:
    return f"/reservations/{quote(id, safe='')}"


def _given(**fields: Any) -> dict[str, Any]:
    """Return the fields that are given, as JSON takes them."""
    return {name: _plain(value) for name, value in fields.items() if value is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return list(value) if isinstance(value, (tuple, set, frozenset)) else value

"""The routes of reservations."""

import time
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import AwareDatetime

from paddock.models import (
    BookingResult,
    CancelRequest,
    FreeSlot,
    Reservation,
    ReservationPage,
    ReservationPatch,
    ReservationRequest,
    Role,
    WantedSlot,
)
from paddock.models.base import Seconds
from paddock.models.reservations import MOST_DEVICES
from paddock.server.api.caller import By
from paddock.server.api.server import At
from paddock.server.booking import ending, finding, making
from paddock.server.booking.judging import Judge
from paddock.server.store import reservations, wanted_slots

router = APIRouter(prefix="/reservations", tags=["reservations"])
Named = Annotated[str, Path(max_length=32, description="the id of a reservation, or the beginning of it")]
DAY = 86_400.0


@router.get("")
def list_reservations(
    at: At,
    by: By,
    since: Annotated[AwareDatetime | None, Query(description="now when not given")] = None,
    until: Annotated[AwareDatetime | None, Query(description="all that are to come when not given")] = None,
    mine: Annotated[bool, Query(description="only those that you have or are a guest of")] = False,
    series: Annotated[str | None, Query(max_length=16, description="only those of a series")] = None,
    cancelled: Annotated[bool, Query(description="also those that were cancelled")] = False,
) -> ReservationPage:
    """Return the reservations of a stretch of time, by their start."""
    first = since.timestamp() if since is not None else time.time()
    last = until.timestamp() if until is not None else first + 10 * 365 * DAY
    with at.db.read() as c:
        who = (by.name, by.groups) if mine else None
        return reservations.listed(c, first, last, mine=who, series=series, cancelled=cancelled)


@router.post("", status_code=201)
def make_reservation(what: ReservationRequest, at: At, by: By) -> BookingResult:
    """Reserve devices. If that is refused (409), the error's `booking` says why, and what is free instead.

    A series is reserved completely or not at all, unless `skip_conflicts` is given; then `problems` lists the weeks
    that were left out.
    """
    with at.db.write() as c:
        result = making.make(c, at.settings, by, what, time.time())
    if not result.reservations:
        raise making.refusal(result)
    at.changed()
    return result


@router.get("/free")
def first_free(
    at: At,
    by: By,
    gpus: Annotated[int, Query(ge=1, le=MOST_DEVICES)] = 1,
    seconds: Annotated[Seconds, Query(ge=60, description="how long: 4h, or seconds")] = 3600,
    model: Annotated[str | None, Query(max_length=200, description="a part of the name of the model")] = None,
    host: Annotated[str | None, Query(max_length=255)] = None,
    backend: Annotated[str | None, Query(max_length=200)] = None,
    after: Annotated[AwareDatetime | None, Query(description="not before this; now when not given")] = None,
) -> list[FreeSlot]:
    """Return the first slots with this many GPUs of one host that the caller may reserve."""
    with at.db.read() as c:
        now = time.time()
        judge = Judge(c, at.settings, now)
        begin = max(after.timestamp(), now) if after is not None else now
        wanted = finding.WantedDevices(gpus, model, host, backend)
        return finding.first(judge, by.name, wanted, float(seconds), begin)


@router.get("/wanted")
def list_wanted(at: At, by: By) -> list[WantedSlot]:
    """Return the slots that the caller wants to be told about when they become free."""
    with at.db.read() as c:
        return wanted_slots.listed(c, by.name)


@router.delete("/wanted/{id}", status_code=204)
def forget_wanted(id: Annotated[int, Path(ge=0, le=2**53)], at: At, by: By) -> None:
    """Do not wait for a slot any more."""
    with at.db.write() as c:
        wanted_slots.delete(c, None if by.role is Role.ADMIN else by.name, id)


@router.get("/{id}")
def show_reservation(id: Named, at: At) -> Reservation:
    """Return a reservation."""
    with at.db.read() as c:
        return reservations.get(c, id)


@router.patch("/{id}")
def change_reservation(id: Named, what: ReservationPatch, at: At, by: By) -> Reservation:
    """Change a reservation. Of one that has begun: its end, title, description and guests. What is over stays."""
    with at.db.write() as c:
        result = making.change(c, at.settings, by, id, what, time.time())
    if isinstance(result, BookingResult):
        raise making.refusal(result)
    at.changed()
    return result


@router.post("/{id}/cancel")
def cancel_reservation(id: Named, at: At, by: By, what: CancelRequest | None = None) -> list[Reservation]:
    """Cancel a reservation that has not begun, or all of its series that have not; return those."""
    with at.db.write() as c:
        found = ending.cancel(c, at.settings, by, id, what or CancelRequest(), time.time())
    at.changed()
    return found


@router.post("/{id}/release")
def release_reservation(id: Named, at: At, by: By) -> Reservation:
    """End a reservation that goes on: the rest of its time is free."""
    with at.db.write() as c:
        found = ending.release(c, at.settings, by, id, time.time())
    at.changed()
    return found

"""The routes of reservations."""

import time
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import AwareDatetime
from starlette.responses import Response

from paddock.errors import Refused
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
from paddock.server.api.server import At, Server
from paddock.server.booking import ending, finding, ical, making
from paddock.server.booking.judging import Judge
from paddock.server.store import devices, groups, reservations, wanted_slots

router = APIRouter(tags=["reservations"])
Named = Annotated[str, Path(max_length=32, description="the id of a reservation, or the beginning of it")]
DAY = 86_400.0
MONTH = 30 * DAY


@router.get("/reservations")
def list_reservations(
    at: At,
    by: By,
    since: Annotated[AwareDatetime | None, Query(description="now when not given")] = None,
    until: Annotated[AwareDatetime | None, Query(description="all that are to come when not given")] = None,
    mine: Annotated[bool, Query(description="only those that you have or are a guest of")] = False,
    series: Annotated[str | None, Query(max_length=16, description="only those of a series")] = None,
    cancelled: Annotated[bool, Query(description="also those that were cancelled")] = False,
    limit: Annotated[int | None, Query(ge=1, le=100_000, description="not more than the first ones")] = None,
) -> ReservationPage:
    """Return the reservations of a stretch of time, by their start."""
    first = since.timestamp() if since is not None else time.time()
    last = until.timestamp() if until is not None else first + 10 * 365 * DAY
    with at.db.read() as c:
        who = (by.name, by.groups) if mine else None
        return reservations.listed(c, first, last, mine=who, series=series, cancelled=cancelled, limit=limit)


@router.post("/reservations", status_code=201)
def make_reservation(what: ReservationRequest, at: At, by: By) -> BookingResult:
    """Reserve devices. If that is refused (409), the error's `booking` says why, and what is free instead.

    A series is reserved completely or not at all, unless `skip_conflicts` is given; then `problems` lists the weeks
    that were left out.
    """
    with at.db.write() as c:
        result = making.make(c, at.settings, by, what, time.time())
    if isinstance(result, making.Refusal):
        raise _refused(at, result)
    at.changed()
    return result


@router.get("/reservations/free")
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


@router.get("/reservations/wanted")
def list_wanted(at: At, by: By) -> list[WantedSlot]:
    """Return the slots that the caller wants to be told about when they become free."""
    with at.db.read() as c:
        return wanted_slots.listed(c, by.name)


@router.delete("/reservations/wanted/{id}", status_code=204)
def forget_wanted(id: Annotated[int, Path(ge=0, le=2**53)], at: At, by: By) -> None:
    """Do not wait for a slot any more."""
    with at.db.write() as c:
        wanted_slots.delete(c, None if by.role is Role.ADMIN else by.name, id)


@router.get("/reservations/{id}")
def show_reservation(id: Named, at: At) -> Reservation:
    """Return a reservation."""
    with at.db.read() as c:
        return reservations.get(c, id)


@router.patch("/reservations/{id}")
def change_reservation(id: Named, what: ReservationPatch, at: At, by: By) -> Reservation:
    """Change a reservation. Of one that has begun: its end, title, description and guests. What is over stays."""
    with at.db.write() as c:
        result = making.change(c, at.settings, by, id, what, time.time())
    if isinstance(result, making.Refusal):
        raise _refused(at, result)
    at.changed()
    return result


def _refused(at: Server, result: making.Refusal) -> Refused:
    with at.db.read() as c:
        return making.error(c, at.settings, result, time.time())


@router.post("/reservations/{id}/cancel")
def cancel_reservation(id: Named, at: At, by: By, what: CancelRequest | None = None) -> list[Reservation]:
    """Cancel a reservation that has not begun, or all of its series that have not; return those."""
    with at.db.write() as c:
        found = ending.cancel(c, at.settings, by, id, what or CancelRequest(), time.time())
    at.changed()
    return found


@router.post("/reservations/{id}/release")
def release_reservation(id: Named, at: At, by: By) -> Reservation:
    """End a reservation that goes on: the rest of its time is free."""
    with at.db.write() as c:
        found = ending.release(c, at.settings, by, id, time.time())
    at.changed()
    return found


@router.get("/calendar.ics", response_class=Response, responses={200: {"content": {"text/calendar": {}}}})
def calendar_feed(
    at: At,
    by: By,
    group: Annotated[str | None, Query(max_length=64, description="those of the members of a group")] = None,
    host: Annotated[str | None, Query(max_length=255, description="those of the devices of a host")] = None,
    token: Annotated[str | None, Query(max_length=200, description="one with the scope `feed` or `read`")] = None,
) -> Response:
    """Return reservations of the last month and all that are to come, for other calendars: one's own, if not told.

    Calendars cannot send headers, so this route takes a token in its address: one that can do nothing but read.
    """
    now = time.time()
    mine = (by.name, by.groups) if group is None and host is None else None
    with at.db.read() as c:
        found = reservations.listed(c, now - MONTH, now + 10 * 365 * DAY, mine=mine, cancelled=True).items
        rows = devices.by_ids(c, {id for one in found for id in one.devices})
        members = set(groups.get(c, group).members) if group is not None else set()
    if group is not None:
        found = [one for one in found if one.owner in members]
    if host is not None:
        found = [one for one in found if any(rows[id].host == host for id in one.devices)]
    named = {id: row.name for id, row in rows.items()}
    text = ical.feed(f"Paddock: {group or host or by.name}", found, named, at.page.rstrip("/"))
    return Response(text, media_type="text/calendar; charset=utf-8", headers={"Cache-Control": "no-store"})

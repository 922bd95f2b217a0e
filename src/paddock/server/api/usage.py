"""The routes of use: how well devices and reservations were used, and by whom."""

import csv
import io
import math
import time
from collections import defaultdict
from datetime import datetime
from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Query
from pydantic import AwareDatetime
from pydantic_core import to_json
from starlette.responses import Response

from paddock.errors import InvalidInput, NotAllowed
from paddock.models import DeviceHours, Overview, ReservationUse, Role, UsageReport
from paddock.rules.use import (
    HOUR,
    Grouping,
    KnownDevice,
    Question,
    Report,
    ReservedSums,
    as_table,
    owners_by_hour,
    week_of,
)
from paddock.server.api.caller import By, Caller
from paddock.server.api.replies import Reply
from paddock.server.api.server import At, Server
from paddock.server.store import device_use, devices, groups, reservations
from paddock.server.store.db import Connection
from paddock.server.store.device_use import BookedPart
from paddock.server.store.rows import moment

router = APIRouter(tags=["reservations"])

DAYS = 30.0
MOST_DAYS = 800.0
MOST_WEEKS = 12
OVERVIEW_SECONDS = 15.0  # an overview is given again for this long
FRESH_SECONDS = 300.0  # what was not looked at since is not called idle

Since = Annotated[AwareDatetime | None, Query(description="from this time on; 30 days ago when not given")]
Until = Annotated[AwareDatetime | None, Query(description="until this time; now when not given")]
Mine = Annotated[bool, Query(description="only the caller's own")]


@router.get("/usage")
def report_usage(
    at: At, by: By, kind: Annotated[Grouping, Query(alias="by")] = "account",
    since: Since = None, until: Until = None, mine: Mine = False,
) -> UsageReport:  # fmt: skip
    """Return GPU-hours reserved, used, and reserved without being used. People see all only as `team.ranking` says."""
    return _report(at, by, kind, since, until, mine=mine)


@router.get("/usage.csv", response_class=Response, responses={200: {"content": {"text/csv": {}}}})
def export_usage(
    at: At, by: By, kind: Annotated[Grouping, Query(alias="by")] = "account",
    since: Since = None, until: Until = None, mine: Mine = False,
) -> Response:  # fmt: skip
    """Return the same as a table."""
    report = _report(at, by, kind, since, until, mine=mine)
    text = io.StringIO()
    csv.writer(text).writerows(as_table(report))
    headers = {"Content-Disposition": f'attachment; filename="usage-by-{report.by}.csv"'}
    return Response(text.getvalue(), media_type="text/csv", headers=headers)


@router.get("/usage/reservations")
def list_use(at: At, by: By, since: Since = None, until: Until = None) -> list[ReservationUse]:
    """Return how the devices of the caller's reservations were used, of those in this stretch of time."""
    first, last = _stretch(since, until)
    with at.db.read() as c:
        return _uses(at, c, device_use.parts(c, first, last, owner=by.name))


@router.get("/reservations/{id}/use")
def show_use(id: str, at: At, by: By) -> list[ReservationUse]:
    """Return how the devices of a reservation were used so far: for its owner, and those who may see the use of all."""
    with at.db.read() as c:
        found = reservations.get(c, id)
        if found.owner != by.name and not _sees_all(at, by):
            raise NotAllowed(f"How reservation {found.id} is used is shown to its owner and to admins.")
        return _uses(at, c, device_use.parts(c, -math.inf, math.inf, reservation=found.id))


@router.get("/overview", response_model=Overview)
def overview(
    at: At,
    reply: Reply,
    weeks: Annotated[int, Query(ge=1, le=MOST_WEEKS, description="the last of which is this one")] = 4,
) -> Response:
    """Return who has reserved each device, and how busy it was, hour by hour."""
    return reply(at.histories.get(("overview", weeks), OVERVIEW_SECONDS, lambda: _overview(at, weeks)))


def _overview(at: Server, weeks: int) -> bytes:
    zone = ZoneInfo(at.settings.team.zone)
    monday = datetime.fromisoformat(week_of(time.time(), zone)).replace(tzinfo=zone)
    hours = weeks * 168
    first = int(monday.timestamp() // HOUR) - (weeks - 1) * 168
    with at.db.read() as c:
        rows = devices.in_use(c)
        within = (first * HOUR, (first + hours) * HOUR)
        booked = reservations.taken(c, [row.id for row in rows], within)
        loads: dict[str, list[float | None]] = {row.id: [None] * hours for row in rows}
        for device, hour, some in device_use.loads_between(c, first, first + hours - 1):
            if device in loads:
                begin, end = max(hour, first), min(hour + len(some), first + hours)
                loads[device][begin - first : end - first] = some[begin - hour : end - hour]
    of = defaultdict(list)
    for one in booked:
        of[one.device].append(one)
    made = [
        DeviceHours.model_construct(device=id, reserved=owners_by_hour(of[id], first, hours), load=load)
        for id, load in loads.items()
    ]
    return to_json(Overview.model_construct(since=moment(first * HOUR), hours=hours, devices=made))


def _sees_all(at: Server, by: Caller) -> bool:
    return by.role is Role.ADMIN or at.settings.team.ranking == "everybody"


def _stretch(since: datetime | None, until: datetime | None) -> tuple[float, float]:
    last = time.time() if until is None else until.timestamp()
    first = last - DAYS * 86_400 if since is None else since.timestamp()
    if first >= last:
        raise InvalidInput.at("since", "it must be before `until`")
    if last - first > MOST_DAYS * 86_400:
        raise InvalidInput.at("since", f"ask for {MOST_DAYS:g} days at most")
    return first, last


def _report(
    at: Server, by: Caller, kind: Grouping, since: datetime | None, until: datetime | None, *, mine: bool
) -> UsageReport:
    first, last = _stretch(since, until)
    mine_only = mine or not _sees_all(at, by)
    question = Question(kind, first, last, ZoneInfo(at.settings.team.zone), by.name if mine_only else None)
    with at.db.read() as c:
        known = {row.id: KnownDevice(row.name, row.gpus) for row in devices.every(c)}
        report = Report(question, known, groups.by_user(c) if kind == "group" else {})
        for hour in device_use.between(c, int(first // HOUR), int(last // HOUR)):
            report.add_hour(hour)
        for one in reservations.taken(c, known, (first, last)):
            report.add_booking(one)
    return UsageReport(
        by=kind, since=moment(first), until=moment(last), rows=report.rows(), mine_only=mine_only
    )  # fmt: skip


def _uses(at: Server, c: Connection, parts: list[BookedPart]) -> list[ReservationUse]:
    known = device_use.uses_of(c, {one.reservation for one in parts})
    return [_use(at, one, known.get((one.reservation, one.device), ReservedSums())) for one in parts]


def _use(at: Server, one: BookedPart, sums: ReservedSums) -> ReservationUse:
    now = time.time()
    goes_on = one.starts_at <= now < one.ends_at
    fresh = sums.seen_at is not None and now - sums.seen_at < FRESH_SECONDS
    idle_since = sums.idle_since if goes_on and fresh else None
    long = idle_since is not None and now - idle_since >= at.settings.reservations.idle_minutes * 60
    return ReservationUse(
        reservation=one.reservation,
        device=one.device,
        seen=sums.seen,
        busy=sums.busy,
        idle=sums.seen - sums.busy,
        load_mean=sums.load_mean,
        load_peak=sums.load_peak,
        memory_mean=sums.memory_mean,
        memory_peak=sums.memory_peak,
        first_used_at=moment(sums.first_used_at),
        last_used_at=moment(sums.last_used_at),
        foreign=sums.foreign,
        idle_since=moment(idle_since),
        release=long,
    )

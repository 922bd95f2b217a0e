"""Reservations, and what they take of which device. Two live bookings of one device never overlap.

`server/booking` decides what may be reserved, inside the transaction in which this module writes it.
"""

import secrets
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import sqlalchemy as sa

from paddock.errors import Conflict, NotFound
from paddock.models import AllocationState, Reservation, ReservationPage
from paddock.models.events import CalendarChanged
from paddock.rules.booking import Booked, Interval
from paddock.server.store import events
from paddock.server.store.kept import fetch_kept
from paddock.server.store.rows import columns, model, portions
from paddock.server.store.tables import UNCLOSED, allocations, batches, bookings, devices, jobs, reservations

MOST_LISTED = 5_000


@dataclass(frozen=True, slots=True)
class OpenReservation:
    """A reservation that is not over: it is to come, goes on, or has just ended."""

    id: str
    kind: str
    owner: str | None
    title: str
    starts_at: float
    ends_at: float
    planned_end: float
    guests: list[str]
    guest_groups: list[str]
    created_at: float
    cancelled_at: float | None
    released_at: float | None
    outside_since: float | None
    told: dict[str, float]
    version: int


def _booked(_key: str, *values: Any) -> Booked:
    reservation, kind, device, owner, guests, guest_groups, *rest = values
    return Booked(reservation, kind, device, owner, tuple(guests), tuple(guest_groups), *rest)


_KEY = bookings.c.reservation + "/" + bookings.c.device
_BOOKED = (
    sa.select(
        _KEY,
        reservations.c.id,
        reservations.c.kind,
        bookings.c.device,
        reservations.c.owner,
        reservations.c.guests,
        reservations.c.guest_groups,
        bookings.c.starts_at,
        bookings.c.ends_at,
        reservations.c.end_intruders_minutes,
        reservations.c.version,
    )
    .join_from(bookings, reservations, reservations.c.id == bookings.c.reservation)
    .where(bookings.c.live)
)
_OPEN_BOOKED = _BOOKED.where(reservations.c.over.is_(False)).order_by(bookings.c.starts_at, bookings.c.device)
_OPEN = sa.select(*columns(OpenReservation, reservations.c)).where(reservations.c.over.is_(False))


def live(c: sa.Connection, now: float, until: float) -> list[Booked]:
    """Return what is booked at some time of this stretch, which begins now, by start; as far as possible from memory.

    For what is in the past, see `taken`.
    """
    return [one for one in fetch_kept(c, _booked, _OPEN_BOOKED) if one.ends_at > now and one.starts_at < until]


def taken(c: sa.Connection, of: Collection[str], within: Interval, ignore: str | None = None) -> list[Booked]:
    """Return what is booked of these devices at some time of an interval, but by one reservation."""
    since, until = within
    query = _BOOKED.where(bookings.c.ends_at > since, bookings.c.starts_at < until)
    if ignore is not None:
        query = query.where(bookings.c.reservation != ignore)
    found = []
    for some in portions(sorted(set(of))):
        found += [_booked(*row) for row in c.execute(query.where(bookings.c.device.in_(some)))]
    return sorted(found, key=lambda one: (one.starts_at, one.device))


def running(c: sa.Connection) -> dict[str, str]:
    """Return the devices on which work runs that Paddock has placed there, and whose it is."""
    query = (
        sa.select(allocations.c.key, allocations.c.backend, batches.c.spec, jobs.c.owner)
        .join_from(allocations, batches, batches.c.key == allocations.c.batch)
        .join(jobs, jobs.c.id == allocations.c.job_id)
        .where(UNCLOSED, allocations.c.state == AllocationState.RUNNING)
    )
    places = {
        (row.backend, place["node"], device): row.owner
        for row in c.execute(query)
        for place in row.spec.get("places", ())[int(row.key.rpartition(".")[2]) :][:1]
        for device in (place["devices"] if row.spec["resources"].get("gpus") else ())
    }
    if not places:
        return {}
    named = sa.select(devices.c.id, devices.c.backend, devices.c.host, devices.c.place).where(
        devices.c.retired_at.is_(None)
    )
    found = {row.id: places.get((row.backend, row.host, row.place)) for row in c.execute(named)}
    return {device: owner for device, owner in found.items() if owner is not None}


def unfinished(c: sa.Connection) -> list[OpenReservation]:
    """Return the reservations that are not over, with those of which the engine has yet to record that they are."""
    return fetch_kept(c, OpenReservation, _OPEN)


# --- reading ----------------------------------------------------------------------------------------------------------


def get(c: sa.Connection, id: str) -> Reservation:
    """Return a reservation; raise NotFound if there is none of this id, or whose id begins so."""
    query = sa.select(reservations).where(reservations.c.id.startswith(id, autoescape=True)).limit(2)
    rows = c.execute(query if id else query.where(sa.false())).all()
    exact = [row for row in rows if row.id == id] or rows
    if len(exact) != 1:
        what = "Several reservations begin with" if exact else "There is no reservation"
        raise NotFound(f"{what} {id!r}: `paddock reservations` lists them.")
    return _models(c, exact)[0]


def listed(
    c: sa.Connection,
    since: float,
    until: float,
    *,
    mine: tuple[str, Collection[str]] | None = None,
    series: str | None = None,
    cancelled: bool = False,
    limit: int | None = None,
) -> ReservationPage:
    """Return the reservations of a stretch of time by start, or the first ones of them.

    `mine`: only those that a person, with these groups, has or is a guest of.
    """
    most = min(limit or MOST_LISTED, MOST_LISTED)
    query = sa.select(reservations).where(reservations.c.ends_at > since, reservations.c.starts_at < until)
    if series is not None:
        query = query.where(reservations.c.series == series)
    if not cancelled:
        query = query.where(reservations.c.cancelled_at.is_(None))
    if mine is None:
        query = query.limit(most + 1)
    found = c.execute(query.order_by(reservations.c.starts_at, reservations.c.id))
    rows = list(islice((row for row in found if mine is None or _is_for(row, *mine)), most + 1))
    return ReservationPage(items=_models(c, rows[:most]), more=len(rows) > most)


def _is_for(row: sa.Row[Any], name: str, member_of: Collection[str]) -> bool:
    return name == row.owner or name in row.guests or not set(row.guest_groups).isdisjoint(member_of)


def in_series(c: sa.Connection, series: str) -> list[Reservation]:
    query = sa.select(reservations).where(reservations.c.series == series).order_by(reservations.c.starts_at)
    return _models(c, c.execute(query).all())


def _models(c: sa.Connection, rows: Sequence[sa.Row[Any]]) -> list[Reservation]:
    of: dict[str, list[str]] = defaultdict(list)
    for some in portions([row.id for row in rows]):
        query = sa.select(bookings.c.reservation, bookings.c.device).where(bookings.c.reservation.in_(some))
        for reservation, device in c.execute(query.order_by(bookings.c.device)):
            of[reservation].append(device)
    return [model(Reservation, row, devices=of[row.id]) for row in rows]


# --- writing ----------------------------------------------------------------------------------------------------------


def new_series() -> str:
    """Return an id for reservations that are made together."""
    return secrets.token_hex(4)


def add(c: sa.Connection, devices: Collection[str], within: Interval, now: float, **values: Any) -> str:
    """Store a reservation, and return its id. Whoever calls this has checked that the devices are free."""
    id = secrets.token_hex(4)
    starts_at, ends_at = within
    times = {"starts_at": starts_at, "ends_at": ends_at}
    c.execute(sa.insert(reservations).values(id=id, planned_end=ends_at, created_at=now, told={}, **times, **values))
    _book(c, id, devices, within)
    announce(c)
    return id


def join(c: sa.Connection, ids: Collection[str], series: str) -> None:
    """Record that these were made together."""
    c.execute(sa.update(reservations).where(reservations.c.id.in_(ids)).values(series=series))


def change(
    c: sa.Connection, id: str, within: Interval | None = None, devices: Collection[str] | None = None, **values: Any
) -> None:
    """Store other values of a reservation, and count its version; with other devices or times, book these."""
    if within is not None:
        values |= {"starts_at": within[0], "ends_at": within[1], "planned_end": within[1]}
    values["version"] = reservations.c.version + 1
    c.execute(sa.update(reservations).where(reservations.c.id == id).values(**values))
    mine = bookings.c.reservation == id
    if devices is not None:
        row = c.execute(sa.select(reservations).where(reservations.c.id == id)).one()
        c.execute(sa.delete(bookings).where(mine))
        _book(c, id, devices, (row.starts_at, row.ends_at))
    elif within is not None:
        c.execute(sa.update(bookings).where(mine).values(starts_at=within[0], ends_at=within[1]))
    announce(c)


def cancel(c: sa.Connection, id: str, by: str, why: str, now: float) -> None:
    """Record that a reservation is cancelled: its devices are free."""
    values = {"cancelled_at": now, "cancelled_by": by, "cancelled_why": why or None}
    c.execute(
        sa.update(reservations).where(reservations.c.id == id).values(version=reservations.c.version + 1, **values)
    )
    c.execute(sa.update(bookings).where(bookings.c.reservation == id).values(live=False))
    announce(c)


def release(c: sa.Connection, id: str, now: float) -> None:
    """End a reservation that goes on: the rest of its time is free."""
    values = {"ends_at": now, "released_at": now, "version": reservations.c.version + 1}
    c.execute(sa.update(reservations).where(reservations.c.id == id).values(**values))
    c.execute(sa.update(bookings).where(bookings.c.reservation == id).values(ends_at=now))
    announce(c)


def claim(c: sa.Connection, id: str, what: str, now: float) -> bool:
    """Record that something is told or done about a reservation; False if that was done before.

    Its version stays: nothing changes for people.
    """
    told = c.scalar(sa.select(reservations.c.told).where(reservations.c.id == id))
    if told is None or what in told:
        return False
    c.execute(sa.update(reservations).where(reservations.c.id == id).values(told=told | {what: now}))
    return True


def flag(c: sa.Connection, id: str, since: float | None) -> None:
    """Record since when a rule no longer allows a reservation; None: one does again."""
    c.execute(sa.update(reservations).where(reservations.c.id == id).values(outside_since=since))
    announce(c)


def close(c: sa.Connection, ids: Iterable[str], now: float) -> None:
    """Record that these have ended and all was done about it: from now on, they are history."""
    for some in portions(list(ids)):
        ended = sa.or_(reservations.c.cancelled_at.is_not(None), reservations.c.ends_at <= now)
        which = sa.and_(reservations.c.id.in_(some), reservations.c.over.is_(False), ended)
        c.execute(sa.update(reservations).where(which).values(over=True))


def announce(c: sa.Connection) -> None:
    """Record that the calendar has changed, for everybody who shows it."""
    events.write_for_all(c, CalendarChanged(what=["reservations"]))


def _book(c: sa.Connection, id: str, devices: Collection[str], within: Interval) -> None:
    rows = [{"reservation": id, "device": one, "starts_at": within[0], "ends_at": within[1]} for one in devices]
    c.execute(sa.insert(bookings), rows)


def check_version(found: Reservation, version: int | None) -> None:
    """Raise Conflict if a reservation was changed since somebody saw this version of it."""
    if version is not None and found.version != version:
        raise Conflict(
            f"Reservation {found.id} was changed in the meantime (version {found.version}): look at it again."
        )

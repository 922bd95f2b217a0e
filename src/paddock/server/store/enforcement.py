"""Reservations of what a scheduler of its own gives out, and whether that scheduler keeps others away."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from paddock.models.events import CalendarChanged
from paddock.server.store import events
from paddock.server.store.rows import fetch
from paddock.server.store.tables import bookings, devices, reservations, users

FORGET_SECONDS = 86_400.0  # a scheduler may have one for this long after its end: its own end may have been later


@dataclass(frozen=True, slots=True)
class BookedPlace:
    """A node, or a GPU of one, that a reservation has."""

    reservation: str
    kind: str
    owner: str | None
    title: str
    guests: list[str]
    guest_groups: list[str]
    starts_at: float
    ends_at: float
    enforced: str
    enforced_why: str | None
    backend: str
    host: str
    number: int | None


_PLACES = (
    sa.select(
        reservations.c.id,
        reservations.c.kind,
        reservations.c.owner,
        reservations.c.title,
        reservations.c.guests,
        reservations.c.guest_groups,
        bookings.c.starts_at,
        bookings.c.ends_at,
        reservations.c.enforced,
        reservations.c.enforced_why,
        devices.c.backend,
        devices.c.host,
        devices.c.number,
    )
    .select_from(reservations)
    .join(bookings, bookings.c.reservation == reservations.c.id)
    .join(devices, devices.c.id == bookings.c.device)
    # One that was released a moment ago may end a little later than the engine's clock shows: nobody is to leave then.
    .where(bookings.c.live, reservations.c.released_at.is_(None))
    .order_by(bookings.c.starts_at, reservations.c.id, devices.c.host, devices.c.number)
)


def places(c: sa.Connection, backends: Collection[str], now: float) -> list[BookedPlace]:
    """Return what is reserved of these backends, now or later."""
    query = _PLACES.where(reservations.c.ends_at > now, devices.c.backend.in_(backends), devices.c.retired_at.is_(None))
    return fetch(c, BookedPlace, query)


def known(c: sa.Connection, now: float) -> frozenset[str]:
    """Return all reservations that a scheduler may have, also those that were cancelled, released or moved."""
    query = sa.select(reservations.c.id).where(reservations.c.planned_end > now - FORGET_SECONDS)
    return frozenset(c.scalars(query))


def unix_names(c: sa.Connection) -> Mapping[str, str]:
    """Return the Unix accounts of all people who have one."""
    query = sa.select(users.c.name, users.c.unix_name).where(users.c.unix_name.is_not(None), users.c.active)
    return {row.name: row.unix_name for row in c.execute(query)}


def record(c: sa.Connection, id: str, enforced: str, why: str | None) -> None:
    """Store whether a reservation is enforced, for everybody who shows it."""
    c.execute(sa.update(reservations).where(reservations.c.id == id).values(enforced=enforced, enforced_why=why))
    events.write_for_all(c, CalendarChanged(what=["reservations"]))

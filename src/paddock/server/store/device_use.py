"""How devices and reservations were used. The engine is the only one who writes it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa

from paddock.rules.use import HourOfDevice, HourSums, ReservedSums
from paddock.server.store.rows import columns, fetch, portions
from paddock.server.store.tables import bookings, device_hours, reservation_use, reservations

HourKey = tuple[str, int]  # device, hours since 1970
UseKey = tuple[str, str]  # reservation, device
Key = tuple[str, int | str]


@dataclass(frozen=True)
class BookedPart:
    """The part of a reservation on one device; it was not cancelled."""

    reservation: str
    device: str
    starts_at: float
    ends_at: float


def parts(
    c: sa.Connection, since: float, until: float, *, owner: str | None = None, reservation: str | None = None
) -> list[BookedPart]:
    """Return what somebody, or one reservation, has booked at some time of this stretch, the newest first."""
    query = (
        sa.select(*columns(BookedPart, bookings.c))
        .join_from(bookings, reservations, reservations.c.id == bookings.c.reservation)
        .where(bookings.c.live, bookings.c.ends_at > since, bookings.c.starts_at < until)
        .order_by(bookings.c.starts_at.desc(), bookings.c.reservation, bookings.c.device)
    )
    if owner is not None:
        query = query.where(reservations.c.owner == owner)
    if reservation is not None:
        query = query.where(bookings.c.reservation == reservation)
    return fetch(c, BookedPart, query)


def hours_of(c: sa.Connection, keys: Collection[HourKey]) -> dict[HourKey, HourSums]:
    """Return what is stored of these hours."""
    wanted = {hour for _, hour in keys}
    found = c.execute(sa.select(device_hours).where(device_hours.c.hour.in_(wanted)))
    return {key: HourSums(**values) for key, values in _by_key(found, ("device", "hour")) if key in keys}


def uses_of(c: sa.Connection, ids: Collection[str]) -> dict[UseKey, ReservedSums]:
    """Return how the devices of these reservations were used."""
    made: dict[UseKey, ReservedSums] = {}
    for some in portions(sorted(set(ids))):
        found = c.execute(sa.select(reservation_use).where(reservation_use.c.reservation.in_(some)))
        made |= {key: ReservedSums(**values) for key, values in _by_key(found, ("reservation", "device"))}
    return made


def _by_key(found: sa.CursorResult[Any], names: tuple[str, str]) -> Iterator[tuple[tuple[Any, Any], dict[str, Any]]]:
    for row in found:
        values = dict(row._mapping)
        yield (values.pop(names[0]), values.pop(names[1])), values


def store_hours(c: sa.Connection, hours: Mapping[HourKey, HourSums], known: Collection[Key]) -> None:
    """Store hours as they are now; `known`: those of them that are stored already."""
    rows = [{"device": device, "hour": hour, **asdict(sums)} for (device, hour), sums in hours.items()]
    _store(c, device_hours, ("device", "hour"), rows, known)


def store_uses(c: sa.Connection, uses: Mapping[UseKey, ReservedSums], known: Collection[Key]) -> None:
    """Store the use of reservations as it is now; `known`: those of them that are stored already."""
    rows = [{"reservation": id, "device": device, **asdict(sums)} for (id, device), sums in uses.items()]
    _store(c, reservation_use, ("reservation", "device"), rows, known)


def _store(
    c: sa.Connection,
    table: sa.Table,
    names: tuple[str, str],
    rows: Sequence[dict[str, Any]],
    known: Collection[Key],
) -> None:
    first, second = names
    old = [row for row in rows if (row[first], row[second]) in known]
    new = [row for row in rows if (row[first], row[second]) not in known]
    if old:
        others: dict[str, Any] = {
            column.name: sa.bindparam(f"new_{column.name}") for column in table.c if column.name not in names
        }
        where = (table.c[first] == sa.bindparam("of_first"), table.c[second] == sa.bindparam("of_second"))
        given = [
            {"of_first": row[first], "of_second": row[second]} | {f"new_{name}": row[name] for name in others}
            for row in old
        ]
        c.execute(sa.update(table).where(*where).values(**others), given)
    if new:
        c.execute(sa.insert(table), new)


def between(c: sa.Connection, first: int, last: int) -> Iterator[HourOfDevice]:
    """Yield the stored hours from the first to the last, with whoever used them."""
    of = device_hours.c
    query = sa.select(of.device, of.hour, of.busy, of.by, of.held).where(of.hour.between(first, last))
    for row in c.execute(query):
        yield HourOfDevice(*row)


def loads_between(c: sa.Connection, first: int, last: int) -> Sequence[sa.Row[str, int, float]]:
    """Return device, hour and mean load of the hours from the first to the last that were measured."""
    of = device_hours.c
    query = sa.select(of.device, of.hour, of.load_sum / of.seen).where(
        of.hour.between(first, last), of.load_peak.is_not(None), of.seen > 0
    )
    return c.execute(query).all()


def forget_hours(c: sa.Connection, before: int) -> None:
    """Delete what is older than this hour."""
    c.execute(sa.delete(device_hours).where(device_hours.c.hour < before))


def claim(c: sa.Connection, reservation: str, what: str, now: float) -> bool:
    """Record that something was told about a reservation. Returns False if it was told before, or if it is over."""
    query = sa.select(reservations.c.told).where(
        reservations.c.id == reservation, reservations.c.ends_at > now, reservations.c.cancelled_at.is_(None)
    )
    told = c.scalar(query)
    if told is None or what in told:
        return False
    c.execute(sa.update(reservations).where(reservations.c.id == reservation).values(told=told | {what: now}))
    return True

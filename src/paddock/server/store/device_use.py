"""How devices and reservations were used. The engine is the only one who writes it."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa

from paddock.rules.use import HourOfDevice, HourSums, ReservedSums
from paddock.server.store.rows import columns, fetch, portions
from paddock.server.store.tables import bookings, device_days, reservation_use, reservations

DAY = 24  # hours
HourKey = tuple[str, int]  # device, hours since 1970
DayKey = tuple[str, int]  # device, days since 1970
UseKey = tuple[str, str]  # reservation, device
Packed = list[Any]  # the fields of `HourSums`


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


def uses_of(c: sa.Connection, ids: Collection[str]) -> dict[UseKey, ReservedSums]:
    """Return how the devices of these reservations were used."""
    made: dict[UseKey, ReservedSums] = {}
    for some in portions(sorted(set(ids))):
        for row in c.execute(sa.select(reservation_use).where(reservation_use.c.reservation.in_(some))):
            values = dict(row._mapping)
            key = (values.pop("reservation"), values.pop("device"))
            made[key] = ReservedSums(**values)
    return made


def store_uses(c: sa.Connection, uses: Mapping[UseKey, ReservedSums]) -> None:
    """Store the use of reservations as it is now."""
    known = uses_of(c, {id for id, _ in uses}).keys()
    rows = {key: {"reservation": key[0], "device": key[1], **asdict(sums)} for key, sums in uses.items()}
    _store(c, reservation_use, ("reservation", "device"), rows, known)


# --- hours of devices ---------------------------------------------------------------------------------------------


def hours_of(c: sa.Connection, keys: Collection[HourKey]) -> dict[HourKey, HourSums]:
    """Return what is stored of these hours."""
    days = _days(c, {(device, hour // DAY) for device, hour in keys})
    found = {key: days[key[0], key[1] // DAY][key[1] % DAY] for key in keys if (key[0], key[1] // DAY) in days}
    return {key: HourSums(*packed) for key, packed in found.items() if packed is not None}


def store_hours(c: sa.Connection, hours: Mapping[HourKey, HourSums]) -> None:
    """Store hours as they are now; the other hours of their days stay."""
    known = _days(c, {(device, hour // DAY) for device, hour in hours})
    changed: dict[DayKey, list[Packed | None]] = {}
    for (device, hour), sums in hours.items():
        key = (device, hour // DAY)
        changed.setdefault(key, known.get(key) or [None] * DAY)[hour % DAY] = _packed(sums)
    rows = {
        key: {"device": key[0], "day": key[1], "hours": whole, "loads": [_mean_load(one) for one in whole]}
        for key, whole in changed.items()
    }
    _store(c, device_days, ("device", "day"), rows, known.keys())


def _days(c: sa.Connection, keys: Collection[DayKey]) -> dict[DayKey, list[Packed | None]]:
    of = device_days.c
    query = sa.select(of.device, of.day, of.hours).where(of.day.in_({day for _, day in keys}))
    return {(row.device, row.day): row.hours for row in c.execute(query) if (row.device, row.day) in keys}


def _packed(one: HourSums) -> Packed:
    """Return the sums of an hour in the order of the fields, rounded: there are many."""
    seconds = {user: round(value, 2) for user, value in one.by.items()}
    held = {owner: [round(value, 2) for value in values] for owner, values in one.held.items()}
    sums = [round(one.seen, 2), round(one.busy, 2), round(one.load_sum, 3), one.load_peak, round(one.memory_sum)]
    return [*sums, one.memory_peak, seconds, held]


def _mean_load(packed: Packed | None) -> float | None:
    mean = None if packed is None else HourSums(*packed).load_mean
    return None if mean is None else round(mean, 3)


def _store(
    c: sa.Connection,
    table: sa.Table,
    names: tuple[str, str],
    rows: Mapping[Any, dict[str, Any]],
    known: Collection[Any],
) -> None:
    first, second = names
    others: dict[str, Any] = {
        column.name: sa.bindparam(f"new_{column.name}") for column in table.c if column.name not in names
    }
    where = (table.c[first] == sa.bindparam("of_first"), table.c[second] == sa.bindparam("of_second"))
    old = [
        {"of_first": row[first], "of_second": row[second]} | {f"new_{name}": row[name] for name in others}
        for key, row in rows.items()
        if key in known
    ]
    if old:
        c.execute(sa.update(table).where(*where).values(**others), old)
    if new := [row for key, row in rows.items() if key not in known]:
        c.execute(sa.insert(table), new)


def between(c: sa.Connection, first: int, last: int) -> Iterator[HourOfDevice]:
    """Yield the stored hours from the first to the last, with whoever used them."""
    of = device_days.c
    query = sa.select(of.device, of.day, of.hours).where(of.day.between(first // DAY, last // DAY))
    for device, day, hours in c.execute(query):
        for hour, packed in enumerate(hours, day * DAY):
            if packed is not None and first <= hour <= last:
                yield HourOfDevice(device, hour, packed[1], packed[6], packed[7])


def loads_between(c: sa.Connection, first: int, last: int) -> list[tuple[str, int, list[float | None]]]:
    """Return device, hour and the mean loads from then on of the days of these hours."""
    of = device_days.c
    query = sa.select(of.device, of.day, of.loads).where(of.day.between(first // DAY, last // DAY))
    return [(device, day * DAY, loads) for device, day, loads in c.execute(query)]


def forget_hours(c: sa.Connection, before: int) -> None:
    """Delete the days that were over at this hour."""
    c.execute(sa.delete(device_days).where(device_days.c.day < before // DAY))


# --- what was told ------------------------------------------------------------------------------------------------


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

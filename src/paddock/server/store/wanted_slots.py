"""Slots that somebody wants to be told about when they become free."""

from collections.abc import Collection
from dataclasses import dataclass

import sqlalchemy as sa

from paddock.errors import Conflict, NotFound
from paddock.models import WantedSlot
from paddock.rules.booking import Interval
from paddock.server.store.kept import fetch_kept
from paddock.server.store.rows import columns, model
from paddock.server.store.tables import wanted_slots

MOST = 20  # of a person


@dataclass(frozen=True, slots=True)
class WantedRow:
    id: int
    owner: str
    devices: list[str]
    gpus: int | None
    starts_at: float
    ends_at: float


_OPEN = sa.select(*columns(WantedRow, wanted_slots.c)).where(wanted_slots.c.told_at.is_(None))


def add(c: sa.Connection, owner: str, devices: Collection[str], gpus: int | None, within: Interval, now: float) -> int:
    """Store a wish, and return its number; raise Conflict if somebody has too many."""
    if len(listed(c, owner)) >= MOST:
        raise Conflict(f"You wait for {MOST} slots already: give up one of them first.")
    times = {"starts_at": within[0], "ends_at": within[1], "created_at": now}
    made = sa.insert(wanted_slots).values(owner=owner, devices=sorted(devices), gpus=gpus, **times)
    number: int = c.execute(made.returning(wanted_slots.c.id)).scalar_one()
    return number


def listed(c: sa.Connection, owner: str) -> list[WantedSlot]:
    """Return what somebody waits for, the earliest first."""
    mine = sa.and_(wanted_slots.c.owner == owner, wanted_slots.c.told_at.is_(None))
    query = sa.select(wanted_slots).where(mine).order_by(wanted_slots.c.starts_at, wanted_slots.c.id)
    return [model(WantedSlot, row) for row in c.execute(query)]


def open_ones(c: sa.Connection) -> list[WantedRow]:
    """Return what anybody waits for."""
    return fetch_kept(c, WantedRow, _OPEN)


def delete(c: sa.Connection, owner: str | None, id: int) -> None:
    """Forget a wish of somebody, or of anybody (None); raise NotFound if there is none."""
    which = wanted_slots.c.id == id
    mine = which if owner is None else sa.and_(which, wanted_slots.c.owner == owner)
    if not c.execute(sa.delete(wanted_slots).where(mine)).rowcount:
        raise NotFound(f"You do not wait for a slot {id}.")


def claim(c: sa.Connection, id: int, now: float) -> bool:
    """Record that somebody is told; False if that was done, or the wish was given up."""
    waits = sa.and_(wanted_slots.c.id == id, wanted_slots.c.told_at.is_(None))
    return c.execute(sa.update(wanted_slots).where(waits).values(told_at=now)).rowcount == 1

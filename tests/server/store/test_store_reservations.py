"""Bookings never overlap, whoever writes them; and what is over stays as it is."""

from typing import Any

import pytest
import sqlalchemy as sa

from paddock.server.store import reservations
from paddock.server.store.db import Database
from paddock.server.store.tables import bookings, devices
from paddock.server.store.tables import reservations as table

GPU = "gpu00000"
HOUR = 3600.0
OWN: dict[str, Any] = {"kind": "reservation", "title": "", "description": "", "guests": [], "guest_groups": []}


@pytest.fixture
def gpus(db: Database) -> list[str]:
    """Two devices; the first has the number 0."""
    ids = [GPU, "gpu00001"]
    with db.write() as c:
        for number, id in enumerate(ids):
            named = {"id": id, "backend": "local", "host": "here", "number": number, "partitions": []}
            c.execute(sa.insert(devices).values(**named, first_seen=0.0, last_seen=0.0))
    return ids


def reserve(db: Database, ids: list[str], since: float, until: float, owner: str = "alice") -> str:
    with db.write() as c:
        return reservations.add(c, ids, (since, until), 0.0, owner=owner, by=owner, **OWN)


def test_live_bookings_by_time(db: Database, gpus: list[str]) -> None:
    first = reserve(db, gpus, 0.0, HOUR)
    second = reserve(db, gpus[:1], HOUR, 2 * HOUR, "bob")  # begins as the other ends
    with db.read() as c:
        assert [one.reservation for one in reservations.live(c, 0.0, HOUR)] == [first, first]
        assert [one.reservation for one in reservations.live(c, HOUR, 9 * HOUR)] == [second]
        assert [one.device for one in reservations.taken(c, gpus, (0.0, HOUR))] == gpus
        assert reservations.taken(c, gpus, (0.0, HOUR), ignore=first) == []
    with db.write() as c:
        reservations.release(c, first, HOUR / 2)
        reservations.cancel(c, second, "bob", "", HOUR / 2)
    with db.read() as c:
        assert reservations.live(c, HOUR / 2, 9 * HOUR) == []
        found = reservations.get(c, first)
        assert (found.ends_at.timestamp(), found.planned_end.timestamp()) == (HOUR / 2, HOUR)
        assert found.devices == gpus
        assert [one.id for one in reservations.listed(c, 0.0, 9 * HOUR).items] == [first]
        assert [one.id for one in reservations.listed(c, 0.0, 9 * HOUR, cancelled=True).items] == [first, second]


def test_the_schema_alone_refuses_an_overlap(db: Database, gpus: list[str]) -> None:
    reserve(db, gpus, 0.0, HOUR)
    later = reserve(db, gpus, HOUR, 2 * HOUR, "bob")
    with pytest.raises(sa.exc.IntegrityError):
        reserve(db, gpus[1:], HOUR - 1, HOUR, "eve")
    with pytest.raises(sa.exc.IntegrityError), db.write() as c:
        reservations.change(c, later, (HOUR - 1, 2 * HOUR))
    with pytest.raises(sa.exc.IntegrityError):
        reserve(db, gpus, 10.0, 5.0)


def test_history_cannot_be_changed(db: Database, gpus: list[str]) -> None:
    past = reserve(db, gpus, 0.0, HOUR)
    with db.write() as c:
        reservations.close(c, [past], HOUR)
        reservations.close(c, [past], HOUR)  # again: nothing
    attempts = [
        sa.update(table).values(owner="eve"),
        sa.update(table).values(over=False),
        sa.update(table).values(ends_at=2 * HOUR),
        sa.delete(table),
        sa.update(bookings).values(ends_at=2 * HOUR),
        sa.delete(bookings),
    ]
    for one in attempts:
        with pytest.raises(sa.exc.DatabaseError, match="over cannot be changed"), db.write() as c:
            c.execute(one)
    with db.write() as c:
        assert reservations.claim(c, past, "end", 1.0)  # what is noted about it is no history
        assert not reservations.claim(c, past, "end", 2.0)

"""Test events: what changed, for clients that follow."""

import time

import sqlalchemy as sa

from paddock.server.store import events
from paddock.server.store.db import Database
from tests.server.store.given import announce, told


def fill(db: Database, *named: str) -> list[int]:
    with db.write() as c:
        for job in named:
            announce(c, job, tasks=len(job))
        return [event.id for event in told(c, 0)]


def test_after_gives_what_is_newer_in_order_up_to_a_limit(db: Database) -> None:
    ids = fill(db, "a", "b", "a", "c")
    assert ids == sorted(ids)
    with db.read() as c:
        assert [event.job for event in told(c, ids[0])] == ["b", "a", "c"]
        assert [event.job for event in told(c, ids[0], limit=2)] == ["b", "a"]
        assert [event.id for event in told(c, 0, "a")] == [ids[0], ids[2]]
        assert told(c, ids[-1]) == []
        [last] = told(c, ids[2])
    assert (last.kind, last.data) == ("job", {"change": "submitted", "tasks": 1})
    assert abs(last.at.timestamp() - time.time()) < 60


def test_bounds(db: Database) -> None:
    with db.read() as c:
        assert events.bounds(c) == (0, 0)
    ids = fill(db, "a", "b", "c")
    with db.read() as c:
        assert events.bounds(c) == (ids[0], ids[-1])


def test_forget_drops_the_old_but_never_the_newest(db: Database) -> None:
    ids = fill(db, "a", "b", "c", "d")
    with db.write() as c:
        c.execute(sa.text("UPDATE events SET at = 100 WHERE id <= :id"), {"id": ids[1]})
        events.forget(c, 50)
        assert len(told(c, 0)) == 4
        events.forget(c, 1000)
        assert [event.id for event in told(c, 0)] == ids[2:]
        events.forget(c, time.time() + 1000)
        assert events.bounds(c) == (ids[3], ids[3])


def test_ids_are_never_used_again(db: Database) -> None:
    ids = fill(db, "a", "b")
    with db.write() as c:
        c.execute(sa.text("DELETE FROM events"))
    assert fill(db, "c")[0] > ids[-1]

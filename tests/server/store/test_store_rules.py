"""Access rules and quotas in the database, and what they are judged by: people, and what is reserved."""

from typing import Any

import pytest
import sqlalchemy as sa

from paddock.errors import NotFound
from paddock.models import Role, SignInSource
from paddock.models.access import AccessRuleRequest, QuotaRequest
from paddock.rules.access import AccessPerson
from paddock.rules.quota import Held
from paddock.server.store import events, groups, quotas, rules, team, users
from paddock.server.store.db import Database
from paddock.server.store.tables import bookings, devices, reservations

NIGHTS = AccessRuleRequest.model_validate(
    {
        "name": "Nights",
        "effect": "allow",
        "who": {"groups": ["students"]},
        "what": {"hosts": ["gpu1"]},
        "windows": [{"days": [0, 6], "since": "20:00", "until": "06:00"}],
        "zone": "Europe/Warsaw",
        "until": "2027-01-01T00:00:00Z",
    }
)


def test_a_rule_is_read_as_it_was_written(db: Database) -> None:
    with db.write() as c:
        id = rules.add(c, NIGHTS, "ann", 5.0)
        rules.add(c, AccessRuleRequest(name="All", effect="deny"), "ann", 6.0)
    with db.read() as c:
        first, second = rules.listed(c)
        assert rules.listed(c)[1] is second  # nothing has changed: nothing is read
        changes = [one.data for one in events.after(c, 0)]
    assert (first.name, second.id, second.by) == ("All", id, "ann")
    assert AccessRuleRequest.model_validate(second.model_dump(include={*AccessRuleRequest.model_fields})) == NIGHTS
    assert len(changes) == 2 and "rules" in changes[0]
    with db.write() as c:
        rules.change(c, id, NIGHTS.model_copy(update={"active": False}), "bea", 7.0)
        rules.remove(c, first.id)
    with db.read() as c:
        (left,) = rules.listed(c)
    assert (left.active, left.by) == (False, "bea")
    with db.write() as c, pytest.raises(NotFound, match="paddock rules ls"):
        rules.remove(c, first.id)


def test_people_are_as_they_are_now(db: Database) -> None:
    def now(name: str) -> AccessPerson:
        with db.read() as c:
            return rules.people(c)[name]

    assert now("alice").admin  # nobody is bound while there are no accounts
    with db.write() as c:
        users.add(c, "ann", Role.ADMIN, SignInSource.PASSWORD, 1.0)
        users.add(c, "alice", Role.USER, SignInSource.PASSWORD, 1.0)
        groups.add(c, "students", 1.0)
        groups.set_members(c, "students", ["alice"])
        team.switch(c, True, 1.0)
    assert now("alice") == AccessPerson("alice", frozenset({"students"}))
    assert now("nobody") == AccessPerson("nobody")
    assert now("ann").admin and now("server").admin
    with db.write() as c:
        groups.set_members(c, "students", [])
        users.change(c, "alice", role=Role.ADMIN)
    assert now("alice") == AccessPerson("alice", admin=True)


def test_one_quota_for_the_same_people(db: Database) -> None:
    with db.write() as c:
        quotas.put(c, QuotaRequest(kind="account", subject="alice", gpu_hours_week=4), "ann", 1.0)
        quotas.put(c, QuotaRequest(kind="everyone", devices_at_once=0), "ann", 1.0)
        quotas.put(c, QuotaRequest(kind="group", subject="students", longest_hours=1.5), "ann", 1.0)
        again = quotas.put(c, QuotaRequest(kind="account", subject="alice", open_reservations=2), "bea", 2.0)
        found = quotas.listed(c)
    assert [one.kind for one in found] == ["everyone", "group", "account"]
    assert found[2] == again
    assert (again.gpu_hours_week, again.open_reservations, again.by) == (None, 2, "bea")
    assert found[0].devices_at_once == 0
    with db.write() as c:
        quotas.remove(c, again.id)
        assert len(quotas.listed(c)) == 2
    with db.write() as c, pytest.raises(NotFound, match="paddock quota ls"):
        quotas.remove(c, again.id)


def test_what_counts_for_a_quota(db: Database) -> None:
    device = {"backend": "lab", "partitions": [], "first_seen": 0.0, "last_seen": 0.0}
    plain = {
        "title": "",
        "description": "",
        "guests": [],
        "guest_groups": [],
        "by": "ann",
        "created_at": 0.0,
        "told": {},
    }

    def reserve(id: str, *on: str, owner: str | None = "alice", ends_at: float = 200.0, **about: Any) -> None:
        times = {"starts_at": 100.0, "ends_at": ends_at}
        values = plain | times | {"kind": "reservation", "planned_end": 200.0} | about
        c.execute(sa.insert(reservations).values(id=id, owner=owner, **values))
        live = "cancelled_at" not in about
        c.execute(sa.insert(bookings), [{"reservation": id, "device": one, "live": live, **times} for one in on])

    with db.write() as c:
        for id, gpus in (("gpu0", 1), ("gpu1", 1), ("node", 8), ("other", 1), ("third", 1)):
            c.execute(sa.insert(devices).values(id=id, host="gpu1", number=None, gpus=gpus, **device))
        reserve("two", "gpu0", "gpu1")
        reserve("whole", "node", ends_at=150.0, released_at=150.0)
        reserve("gone", "gpu0", cancelled_at=50.0)
        reserve("hers", "other", owner="bea")
        reserve("repair", "third", owner=None, kind="maintenance")
        assert sorted(quotas.held(c, "alice", 0.0), key=lambda one: one.reservation) == [
            Held("two", "alice", 2, 100.0, 200.0),
            Held("whole", "alice", 8, 100.0, 150.0),
        ]
        assert [one.reservation for one in quotas.held(c, "alice", 150.0)] == ["two"]

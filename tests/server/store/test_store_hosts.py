"""Hosts that people added, and hosts that were declared lost."""

import pytest

from paddock.errors import Conflict
from paddock.models import Role, SignInSource
from paddock.models.hosts import ListedHost
from paddock.server.store import audit, hosts, users
from paddock.server.store.db import Database
from paddock.server.store.hosts import StoredRoster


def test_hosts_of_the_settings_come_first_and_those_of_other_backends_never(db: Database) -> None:
    roster = StoredRoster(db, "lab", ["gpu2", "gpu1"])
    with db.write() as c:
        hosts.add(c, "lab", ["gpu9", "gpu8", "gpu1"], "anna", 1.0)
        hosts.add(c, "other", ["gpu7"], "anna", 1.0)
    expected = [ListedHost("gpu2"), ListedHost("gpu1"), ListedHost("gpu8", "anna"), ListedHost("gpu9", "anna")]
    assert roster.listed() == expected
    with db.write() as c:
        hosts.forget(c, "lab", "gpu9")
    assert [one.name for one in roster.listed()] == ["gpu2", "gpu1", "gpu8"]


def test_a_lost_host_is_lost_until_it_is_found(db: Database) -> None:
    roster = StoredRoster(db, "lab", ["gpu1"])
    with db.write() as c:
        users.add(c, "anna", Role.ADMIN, SignInSource.PASSWORD, 1.0)
        hosts.add(c, "lab", ["gpu9"], "anna", 1.0)
        for name in ("gpu1", "gpu9", "gone"):  # the last one was taken off the list before
            hosts.lose(c, "lab", name, "anna", 5.0)
    assert [(one.name, one.lost_at) for one in roster.listed()] == [("gpu1", 5.0), ("gone", 5.0), ("gpu9", 5.0)]
    for name in ("gpu1", "gpu9", "gone", "nobody"):
        roster.found(name)
    assert roster.listed() == [ListedHost("gpu1"), ListedHost("gpu9", "anna")]
    with db.read() as c:
        found = audit.page(c, act="host.found").entries
    assert {one.object for one in found} <= {"gpu1", "gpu9", "gone"}


def test_there_are_not_too_many(db: Database) -> None:
    with db.write() as c, pytest.raises(Conflict, match="at most 1000 hosts"):
        hosts.add(c, "lab", [f"gpu{number}" for number in range(1001)], "anna", 1.0)

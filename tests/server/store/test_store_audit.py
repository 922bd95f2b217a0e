"""Test that the audit can only grow, on every database."""

import time
from dataclasses import dataclass

import pytest
import sqlalchemy as sa

from paddock.server.store import audit, tables
from paddock.server.store.db import Database

DAY = 86_400.0


@dataclass(frozen=True)
class Somebody:
    name: str = "ann"
    via: str = "session"
    address: str = "127.0.0.1"
    team: bool = True


def _entries(db: Database) -> list[tuple[str, str]]:
    with db.read() as c:
        return [(one.who, one.act) for one in audit.page(c).entries]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET who = 'mallory'",
        "UPDATE audit SET at = 0",
        "DELETE FROM audit",
        "DELETE FROM audit WHERE act = 'job.stop'",
        "INSERT OR REPLACE INTO audit (id, at, who, via, address, act, kind, object, detail) "
        "SELECT id, 0, 'mallory', via, address, act, kind, object, detail FROM audit",
        "TRUNCATE audit",
    ],
)
def test_no_statement_changes_or_removes_an_entry(db: Database, statement: str) -> None:
    if ("REPLACE" in statement) != db.sqlite and ("TRUNCATE" in statement or "REPLACE" in statement):
        pytest.skip("this database has no such statement")
    with db.write() as c:
        audit.write(c, Somebody(), "job.stop", "job", "k3v9x2ab", {"tasks": 3})
    with pytest.raises(sa.exc.DBAPIError, match="cannot be changed"), db.write() as c:
        c.execute(sa.text(statement))
    assert _entries(db) == [("ann", "job.stop")]


def test_entries_go_by_age(db: Database) -> None:
    with db.write() as c:
        for days in (500, 401, 399, 0):
            values = {"at": time.time() - days * DAY, "who": "ann", "via": "", "address": "", "act": f"day.{days}"}
            c.execute(sa.insert(tables.audit).values(**values, kind="", object="", detail={}))
    with db.write() as c:
        audit.forget(c, time.time() - 400 * DAY)
    assert [act for _, act in _entries(db)] == ["day.0", "day.399"]


def test_an_entry_is_written_with_what_it_reports_or_not_at_all(db: Database) -> None:
    with pytest.raises(RuntimeError), db.write() as c:
        audit.write(c, Somebody(), "job.stop", "job", "k3v9x2ab")
        raise RuntimeError
    assert _entries(db) == []


def test_nothing_is_written_while_accounts_are_not_in_use(db: Database) -> None:
    with db.write() as c:
        audit.write(c, Somebody(team=False), "job.stop")
    assert _entries(db) == []


def test_pages_and_filters(db: Database) -> None:
    with db.write() as c:
        for number in range(5):
            audit.write(c, Somebody(name="ann" if number % 2 else "bob"), "job.stop", "job", str(number))
        audit.write(c, Somebody(), "jobs_other", "job", "x")
        audit.write(c, Somebody(), "session.begin" * 1, detail={"long": "x" * 10_000, "odd": "a\0b"})
    with db.read() as c:
        first = audit.page(c, limit=3)
        assert (len(first.entries), first.more) == (3, True)
        rest = audit.page(c, before=first.entries[-1].id, limit=10)
        assert (len(rest.entries), rest.more) == (4, False)
        assert {one.who for one in audit.page(c, who="bob").entries} == {"bob"}
        assert len(audit.page(c, act="job").entries) == 5
        assert [one.object for one in audit.page(c, object="3").entries] == ["3"]
        assert len(first.entries[0].detail["long"]) == audit.MAX_TEXT

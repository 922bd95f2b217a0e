"""Test the database itself: schema, transactions, writers side by side."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from paddock.errors import InvalidInput, NotFound
from paddock.server.store import events, jobs, metrics
from paddock.server.store.db import Database
from paddock.server.store.sight import EVERYTHING
from paddock.server.store.tables import metadata
from tests.server.store.given import add_job, announce, current, erase, told


def test_migrations_make_the_schema_that_the_code_expects(empty_db: Database) -> None:
    empty_db.migrate()
    with empty_db.read() as c:
        context = MigrationContext.configure(c, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_migrating_again_changes_nothing(db: Database) -> None:
    add_job(db)
    db.migrate()
    with db.read() as c:
        assert jobs.page(c, EVERYTHING).total == 1


def test_a_write_that_raises_leaves_nothing(db: Database) -> None:
    class Interrupted(BaseException):
        pass

    def half_a_job() -> None:
        with db.write() as c:
            announce(c)
            raise Interrupted

    with pytest.raises(Interrupted):
        half_a_job()
    with db.read() as c:
        assert events.bounds(c) == (0, 0)
    add_job(db)
    with pytest.raises(sa.exc.IntegrityError):
        add_job(db)  # the same id again: its tasks and its event must not stay either
    with db.read() as c:
        assert jobs.page(c, EVERYTHING).items[0].counts.total == 1
        assert len(told(c, 0)) == 1


def test_what_was_read_stays_the_same_until_the_reader_is_done(db: Database) -> None:
    add_job(db)
    with db.read() as c:
        before = jobs.page(c, EVERYTHING).total
        add_job(db, "zzzzzzzz")
        assert (before, jobs.page(c, EVERYTHING).total) == (1, 1)
    with db.read() as c:
        assert jobs.page(c, EVERYTHING).total == 2


def test_a_reader_does_not_wait_for_a_writer(db: Database) -> None:
    add_job(db)
    with db.write() as w, ThreadPoolExecutor(1) as pool:
        erase(w, "k3v9x2ab")
        assert pool.submit(_count, db).result(timeout=120) == 1
    assert _count(db) == 0


def _count(db: Database) -> int:
    with db.read() as c:
        return jobs.page(c, EVERYTHING).total


def test_writers_at_once_lose_nothing(db: Database) -> None:
    """Each reads what is there and writes it back with one more: the usual way to lose an update."""
    [task] = add_job(db)
    with db.read() as c:
        attempt = current(c, task).attempt_id
    start = threading.Barrier(2)

    def write(name: str) -> None:
        start.wait()
        for step in range(25):
            with db.write() as c:
                metrics.Appender().append(c, {attempt: {"both": [(step, 0.0, 0.0)], name: [(step, 1.0, 0.0)]}})
                announce(c)

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(write, name) for name in ("a", "b")]:
            done.result()
    with db.read() as c:
        lengths = {curve.metric: curve.total for curve in metrics.curves(c, [task], None, None)}
        assert lengths == {"a": 25, "b": 25, "both": 50}
        assert len(told(c, 0)) == 51


def test_events_appear_in_the_order_of_their_ids(db: Database) -> None:
    """A client asks for what came after the last id it has seen: a smaller one that appears later would be lost."""
    with ThreadPoolExecutor(1) as pool:
        with db.write() as slow:
            announce(slow, "first")
            other = pool.submit(_announce, db, "second")
            with pytest.raises(TimeoutError):
                other.result(timeout=0.3)
            with db.read() as c:
                assert told(c, 0) == []
        other.result(timeout=120)
    with db.read() as c:
        assert [event.job for event in told(c, 0)] == ["first", "second"]


def _announce(db: Database, job: str) -> None:
    with db.write() as c:
        announce(c, job)


@pytest.mark.parametrize("text", ["\0", "k3v\0", "\ud800", "", "'", '"; DROP TABLE jobs', "ß" * 500])
def test_no_text_can_do_more_than_not_be_found(db: Database, text: str) -> None:
    add_job(db)
    with db.read() as c:
        with pytest.raises(NotFound):
            jobs.resolve(c, text, EVERYTHING)
        assert jobs.page(c, EVERYTHING, q=text or "-").total == 0
        assert jobs.page(c, EVERYTHING, tag=text or "-").total == 0
        assert jobs.page(c, EVERYTHING, owner=text or "-").total == 0


@pytest.mark.parametrize("url", ["nonsense", "mysql://x/y", ""])
def test_a_url_of_nothing_we_know_is_refused_with_the_name_of_the_setting(url: str) -> None:
    with pytest.raises(InvalidInput, match="setting `database`"):
        Database(url)


def test_sqlite_keeps_foreign_keys(tmp_path: Any) -> None:
    db = Database(f"sqlite:///{tmp_path}/x.db")
    db.migrate()
    with pytest.raises(sa.exc.IntegrityError), db.write() as c:
        c.execute(sa.text("INSERT INTO metric_chunks VALUES (1, 'loss', 0, 0, x'')"))
    db.close()

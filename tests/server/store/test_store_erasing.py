"""Test that rows of a removed job are deleted in portions, each in a short transaction."""

import pytest
import sqlalchemy as sa

from paddock.models import AllocationBatch, Resources, TaskState
from paddock.server.store import allocations, attempts, erasing, jobs, metrics
from paddock.server.store.db import Database
from paddock.server.store.tables import metadata
from tests.server.store.given import add_job, current

JOB = "k3v9x2ab"
ROWS = 5


def filled(db: Database, job: str, tasks: int, points: int) -> None:
    ids = add_job(db, job, tasks)
    with db.write() as c:
        for task in ids:
            names = {f"m{number}": [(step, 1.0, 1.0) for step in range(points)] for number in range(3)}
            metrics.Appender().append(c, {current(c, task).attempt_id: names})
        batch = AllocationBatch(key=f"{job}-a1", name="a", folder="/f", runner=[], resources=Resources(), count=2)
        allocations.plan(c, job, "local", batch)


def counts(db: Database) -> dict[str, int]:
    wanted = [table for table in metadata.sorted_tables if table.name not in ("events", "sessions", "loads")]
    with db.read() as c:
        return {t.name: c.execute(sa.select(sa.func.count()).select_from(t)).scalar_one() for t in wanted}


@pytest.fixture
def removed(db: Database) -> dict[str, int]:
    """What is there of the other job alone; one job is being removed."""
    filled(db, "other", 2, 200)
    alone = counts(db)
    filled(db, JOB, 7, 200)
    with db.write() as c:
        jobs.mark_removing(c, JOB)
        erasing.detach(c, JOB)
    return alone


def test_no_portion_is_large_and_nothing_else_goes(db: Database, removed: dict[str, int]) -> None:
    before, more, portions = sum(counts(db).values()), True, 0
    while more:
        with db.write() as c:
            more = erasing.erase_some(c, JOB, ROWS)
        after = sum(counts(db).values())
        assert 0 < before - after <= 2 * ROWS
        before, portions = after, portions + 1
    assert portions > 10
    assert counts(db) == removed


def test_what_was_begun_is_finished_later(db: Database, removed: dict[str, int]) -> None:
    for _ in range(4):
        with db.write() as c:
            assert erasing.erase_some(c, JOB, ROWS)
    with db.read() as c:
        assert jobs.removing(c) == [JOB], "the job itself goes last: by it the next server knows"
    with db.write() as c:
        jobs.mark_removing(c, "other")
        erasing.detach(c, JOB)  # as the next server does
    while True:
        with db.write() as c:
            if not erasing.erase_some(c, JOB):
                break
    assert counts(db) == removed


def test_what_is_detached_is_none_of_the_engines_business(db: Database) -> None:
    """Whatever the engine looks for, it finds nothing of the job whose rows are being deleted."""
    [one, two, _] = add_job(db, JOB, 3)
    with db.write() as c:
        jobs.mark_removing(c, JOB)
        attempts.update_tasks(c, [{"id": one, "state": TaskState.RUNNING.value}])
        attempts.mark_published(c, [current(c, two).attempt_id])
        batch = AllocationBatch(key=f"{JOB}-a1", name="a", folder="/f", runner=[], resources=Resources())
        allocations.plan(c, JOB, "local", batch)
        erasing.detach(c, JOB)
    with db.read() as c:
        assert allocations.unclosed(c) == []
        assert attempts.stopping(c, JOB, 10) == []
        assert attempts.unpublished(c, 10) == []
        assert attempts.demands(c) == []
        assert attempts.ordered_to_stop(c) == []
        assert jobs.running(c) == []


def test_of_a_job_that_is_removed_nothing_is_published(db: Database) -> None:
    add_job(db, JOB)
    with db.write() as c:
        c.execute(sa.text("UPDATE jobs SET removing = true"))
    with db.read() as c:
        assert attempts.unpublished(c, 10) == []

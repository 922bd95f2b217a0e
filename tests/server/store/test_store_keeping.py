"""Test which jobs have ended, in every database: their age decides what is deleted."""

import time
from typing import Any

import pytest
import sqlalchemy as sa

from paddock.models import AllocationBatch, AllocationState, AllocationStatus, Cause, Resources, TaskState
from paddock.rules.keep import StoredAttempt, StoredJob
from paddock.server.store import allocations, attempts, jobs, keeping, tasks
from paddock.server.store.db import Database
from tests.server.store.given import add_job, current, move

JOB = "k3v9x2ab"
OLD = 5_000.0


def change(db: Database, table: str, **values: Any) -> None:
    listed = ", ".join(f"{name} = :{name}" for name in values)
    with db.write() as c:
        c.execute(sa.text(f"UPDATE {table} SET {listed}"), values)


def ended(db: Database, before: float = OLD, job: str | None = None) -> list[str]:
    with db.read() as c:
        found = [one.id for one in keeping.ended(c, before, job)]
        assert all(keeping.over(c, one) for one in found)
        assert before < time.time() - 60 or keeping.over(c, JOB) is (JOB in found)
        return found


def plan(db: Database, number: int = 1, runner: str = "/home/runners/aa.pyz", job: str = JOB) -> str:
    command = ["python", "-I", runner, "{folder}"]
    key = f"{job}-a{number}"
    with db.write() as c:
        batch = AllocationBatch(key=key, name=key, folder=f"/f/{key}", runner=command, resources=Resources())
        allocations.plan(c, job, "local", batch)
    return f"{key}.0"


def over(db: Database, key: str, *, close: bool = True) -> None:
    with db.write() as c:
        allocations.seen(c, key, AllocationStatus(state=AllocationState.ENDED))
        if close:
            allocations.close(c, key)


@pytest.fixture
def done(db: Database) -> list[str]:
    """A job that has ended, long ago."""
    ids = add_job(db, tasks=2)
    for task in ids:
        move(db, task, TaskState.FINISHED)
    change(db, "jobs", created_at=1000.0)
    change(db, "attempts", created_at=1000.0)
    return ids


def test_a_job_that_has_ended(db: Database, done: list[str]) -> None:
    with db.read() as c:
        assert keeping.ended(c, OLD) == [StoredJob(JOB, JOB, 2000.0)]
    assert ended(db, 1999.0) == []
    assert ended(db, 999.0) == []
    assert (ended(db, job=JOB), ended(db, job="other")) == ([JOB], [])


@pytest.mark.parametrize("state", [TaskState.SUBMITTED, TaskState.RUNNING])
def test_not_while_a_task_is_left(db: Database, done: list[str], state: TaskState) -> None:
    move(db, done[1], state)
    assert ended(db) == []


@pytest.mark.parametrize("column", ["searching", "removing"])
def test_not_while_more_is_to_come_or_it_is_removed(db: Database, done: list[str], column: str) -> None:
    change(db, "jobs", **{column: True})
    assert ended(db) == []


def test_not_before_its_reduce_has_run(db: Database) -> None:
    [task] = add_job(db, reduce="cat")
    move(db, task, TaskState.FINISHED)
    assert ended(db, time.time()) == []


def test_not_before_its_allocations_are_settled(db: Database, done: list[str]) -> None:
    key = plan(db)
    assert ended(db, time.time()) == []
    over(db, key, close=False)
    assert ended(db, time.time()) == []
    over(db, key)
    assert ended(db, time.time()) == [JOB]
    assert ended(db) == [], "the server saw its end a moment ago, whatever a runner's clock said"


def test_not_after_it_was_restarted(db: Database, done: list[str]) -> None:
    with db.write() as c:
        tasks.restart(c, JOB, [done[0]], failed=False, resume=False)
    assert ended(db, time.time()) == []
    move(db, done[0], TaskState.STOPPED)
    assert ended(db, time.time()) == [JOB]


def test_attempts_that_others_came_after(db: Database, done: list[str]) -> None:
    with db.write() as c:
        attempts.begin_next(c, JOB, [(done[0], 1)], resumed=True)
    move(db, done[0], TaskState.ERROR, Cause.USER_ERROR)
    with db.write() as c:
        attempts.begin_next(c, JOB, [(done[0], 2)], resumed=True)
    with db.read() as c:
        found = list(keeping.superseded(c, OLD))
        assert found == [StoredAttempt(JOB, done[0], 1, 2000.0)], "the second began a moment ago"
        assert [one.number for one in keeping.superseded(c, time.time() + 1)] == [1, 2]
        assert list(keeping.superseded(c, 1999.0)) == []
        assert current(c, done[0]).attempt_number == 3


def test_runners_that_something_uses(db: Database, done: list[str]) -> None:
    first = plan(db, 1, "/home/runners/aa.pyz")
    second = plan(db, 2, "/home/runners/bb.pyz")
    plan(db, 3, "/home/runners/cc.pyz")
    over(db, first)
    over(db, second)
    change(db, "batches", created_at=1000.0)
    with db.write() as c:
        c.execute(sa.text("UPDATE allocations SET ended_at = 3000 WHERE key = :key"), {"key": first})

    def used(since: float) -> set[str]:
        with db.read() as c:
            return set(keeping.runners_in_use(c, since))

    assert used(time.time() + 60) == {"cc.pyz"}, "one that is not settled needs its runner, however old it is"
    assert used(OLD) == {"bb.pyz", "cc.pyz"}
    assert used(2999.0) == {"aa.pyz", "bb.pyz", "cc.pyz"}


def test_a_job_whose_tasks_never_came(db: Database) -> None:
    add_job(db, tasks=0)
    with db.write() as c:
        jobs.hold(c, JOB)
    assert ended(db, time.time()) == [JOB]

"""Test attempts, as the engine changes them."""

import pytest
import sqlalchemy as sa

from paddock.models import Cause, TaskState
from paddock.server.store import attempts, jobs, tasks
from paddock.server.store.db import Database
from tests.server.store.given import add_job, current, move

S = TaskState
JOB = "k3v9x2ab"


def publish_all(db: Database) -> None:
    with db.write() as c:
        attempts.mark_published(c, [row.id for row in attempts.unpublished(c, 1000)])


def test_unpublished_oldest_job_first_up_to_a_limit(db: Database) -> None:
    add_job(db, "zzz", tasks=11)
    add_job(db, "aaa")
    with db.read() as c:
        rows = attempts.unpublished(c, 100)
        assert [row.task_id for row in rows] == [*(f"zzz-{n}" for n in range(1, 12)), "aaa-1"]
        assert [row.task_id for row in attempts.unpublished(c, 2)] == ["zzz-1", "zzz-2"]
        assert (rows[0].number, rows[0].resumed, rows[0].params) == (1, False, {"lr": 0.1})
    with db.write() as c:
        attempts.mark_published(c, [row.id for row in rows[:-1]])
        attempts.mark_published(c, [])
        assert [row.task_id for row in attempts.unpublished(c, 100)] == ["aaa-1"]


def test_what_is_to_be_stopped_is_not_published(db: Database) -> None:
    one, two = add_job(db, tasks=2)
    with db.write() as c:
        tasks.request_stop(c, JOB, [one])
        assert [row.task_id for row in attempts.unpublished(c, 100)] == [two]


def test_only_the_current_attempt_is_published(db: Database) -> None:
    [task] = add_job(db)
    with db.write() as c:
        attempts.begin_next(c, JOB, [(task, 1)], resumed=False)
        attempts.begin_next(c, JOB, [], resumed=False)
        assert [row.number for row in attempts.unpublished(c, 100)] == [2]


def test_an_attempt_is_begun_once(db: Database) -> None:
    [task] = add_job(db)
    with db.write() as c:
        attempts.begin_next(c, JOB, [(task, 1)], resumed=True)
    with pytest.raises(sa.exc.IntegrityError), db.write() as c:
        attempts.begin_next(c, JOB, [(task, 1)], resumed=True)


def test_demands_of_published_work_oldest_job_first(db: Database) -> None:
    ids = add_job(db, "zzz", tasks=4)
    add_job(db, "aaa", tasks=2)
    with db.read() as c:
        assert attempts.demands(c) == []
    publish_all(db)
    move(db, ids[0], S.RUNNING)
    move(db, ids[1], S.FINISHED)
    with db.write() as c:
        assert attempts.demands(c) == [attempts.Demand("zzz", 2, 1), attempts.Demand("aaa", 2, 0)]
        jobs.mark_removing(c, "aaa")
        assert [demand.job for demand in attempts.demands(c)] == ["zzz"]
        assert {row.id for row in attempts.waiting(c, "zzz")} == {ids[2], ids[3]}


def test_open_in_an_allocation(db: Database) -> None:
    one, two, three = add_job(db, tasks=3)
    moved = [move(db, one, S.RUNNING), move(db, two, S.RUNNING), move(db, three, S.FINISHED)]
    with db.write() as c:
        changes = [{"id": a, "allocation": key} for a, key in zip(moved, ("a1", "a2", "a1"), strict=True)]
        attempts.update_attempts(c, changes)
        assert [row.id for row in attempts.open_in(c, "a1")] == [one]


def test_lookup_of_many_by_task_and_number(db: Database) -> None:
    ids = add_job(db, tasks=900)
    with db.write() as c:
        attempts.begin_next(c, JOB, [(ids[0], 1)], resumed=True)
        keys = [(task, 1) for task in ids] + [(ids[0], 2)]
        found = attempts.lookup(c, [*keys, (ids[0], 3), ("nope-1", 1)])
        assert set(found) == set(keys)
        assert (found[ids[0], 1].attempt_state, found[ids[0], 2].resumed, found[ids[0], 1].resumed) == (
            "submitted",
            True,
            False,
        )
        assert found[ids[0], 1].attempt == 2
        assert attempts.lookup(c, []) == {}


def test_ended_with_counts_since_the_last_plain_start(db: Database) -> None:
    [task] = add_job(db)
    history = [(Cause.LOST, True), (Cause.LOST, True), (Cause.PREEMPTED, True), (Cause.LOST, False), (Cause.LOST, True)]
    counts = []
    with db.read() as c:
        assert attempts.ended_with(c, task, Cause.LOST) == 0
    for number, (cause, resumed) in enumerate(history, start=1):
        move(db, task, S.ERROR, cause)
        with db.write() as c:
            counts.append((attempts.ended_with(c, task, Cause.LOST), attempts.ended_with(c, task, Cause.PREEMPTED)))
            attempts.begin_next(c, JOB, [(task, number)], resumed=resumed)
    assert counts == [(1, 0), (2, 0), (2, 1), (3, 1), (1, 0)]


def test_updates_with_different_columns_each_reach_their_row(db: Database) -> None:
    one, two, three = add_job(db, tasks=3)
    with db.write() as c:
        attempts.update_tasks(c, [{"id": one, "epoch": 1.0}, {"id": two, "epoch": 2.0, "epochs": 5}, {"id": three}])
        attempts.update_tasks(c, [])
        attempts.update_attempts(c, [{"id": current(c, two).attempt_id, "warnings": ["ü"], "exit_code": -9}])
    with db.read() as c:
        assert [(current(c, t).epoch, current(c, t).epochs) for t in (one, two, three)] == [
            (1.0, None),
            (2.0, 5),
            (None, None),
        ]
        assert [tasks.get(c, task).warnings for task in (one, two)] == [[], ["ü"]]
        assert tasks.attempts_of(c, two)[0].exit_code == -9

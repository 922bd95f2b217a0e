"""Test when the reduce of a job is due, and what a restart means for it."""

import pytest

from paddock.errors import Conflict
from paddock.models import TaskState
from paddock.server.store import jobs, reduces, tasks, trials
from paddock.server.store.db import Database
from tests.server.store.given import add_job, move

S = TaskState
JOB = "k3v9x2ab"


def begin(db: Database) -> str | None:
    with db.write() as c:
        return reduces.begin(c, JOB)


def restart(db: Database, *ids: str, failed: bool = False) -> list[str]:
    with db.write() as c:
        return tasks.restart(c, JOB, list(ids) or None, failed=failed, resume=True)


def ended(db: Database) -> bool:
    with db.read() as c:
        return jobs.detail(c, JOB, "").ended


def finish(db: Database, *ids: str) -> None:
    for one in ids:
        move(db, one, S.FINISHED)


def test_when_all_others_have_ended_well_and_once(db: Database) -> None:
    ids = add_job(db, tasks=3, reduce="true")
    add_job(db, "k3other", tasks=1)
    move(db, "k3other-1", S.FINISHED)
    finish(db, *ids[:2])
    assert begin(db) is None
    move(db, ids[2], S.PRUNED)
    assert not ended(db)
    with db.read() as c:
        assert reduces.due(c) == {JOB: None}
        assert reduces.due(c, ["k3other"]) == reduces.due(c, []) == {}
    assert begin(db) == f"{JOB}-4"
    assert begin(db) is None
    with db.read() as c:
        made = tasks.get(c, f"{JOB}-4")
        assert (made.reduces, made.params, made.trial, made.state) == (True, {}, 0, S.SUBMITTED)
        assert [run.task for run in trials.runs(c, JOB)] == ids
        assert [one.task for one in trials.judged(c, JOB)] == ids
    finish(db, f"{JOB}-4")
    assert begin(db) is None
    assert ended(db)


@pytest.mark.parametrize("state", [S.ERROR, S.STOPPED])
def test_not_when_one_has_ended_badly(db: Database, state: TaskState) -> None:
    ids = add_job(db, tasks=2, reduce="true")
    finish(db, ids[0])
    move(db, ids[1], state)
    assert begin(db) is None
    assert ended(db)
    restart(db, ids[1])
    finish(db, ids[1])
    assert begin(db) == f"{JOB}-3"


def test_not_while_a_search_goes_on_or_the_job_is_removed(db: Database) -> None:
    ids = add_job(db, reduce="true")
    finish(db, *ids)
    with db.write() as c:
        trials.go_on(c, JOB, jobs.launchable(c, [JOB])[JOB].spec, None, searching=True)
    assert begin(db) is None
    with db.write() as c:
        trials.end(c, JOB, None)
        assert list(reduces.due(c)) == [JOB]
        jobs.mark_removing(c, JOB)
    assert begin(db) is None


def test_again_when_another_task_was_run_again(db: Database) -> None:
    ids = add_job(db, tasks=2, reduce="true")
    last = f"{JOB}-3"
    finish(db, *ids)
    begin(db)
    move(db, last, S.ERROR)
    assert begin(db) is None, "it failed by itself"
    assert restart(db, failed=True) == [last]
    finish(db, last)
    assert restart(db) == ids, "not with the others, but after them"
    with pytest.raises(Conflict, match="runs by itself"):
        restart(db, last)
    finish(db, ids[0])
    assert begin(db) is None
    finish(db, ids[1])
    assert not ended(db)
    assert begin(db) == last
    with db.read() as c:
        assert [one.resumed for one in tasks.attempts_of(c, last)] == [False, True, False]
    finish(db, last)
    assert (begin(db), ended(db)) == (None, True)

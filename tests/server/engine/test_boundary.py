"""Test that what fails for one job stays with that job."""

import pytest
import sqlalchemy as sa

from paddock.server.engine import boundary
from paddock.server.engine.boundary import Boundary
from paddock.server.store import jobs
from paddock.server.store.db import Database
from tests.server.store.given import add_job

JOB = "k3v9x2ab"
DOING = "write its tasks"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def warnings(db: Database) -> list[str]:
    with db.read() as c:
        return [text for text in jobs.detail(c, JOB, "/jobs").warnings if text.startswith("Paddock cannot")]


def fail(at: Boundary, doing: str = DOING, error: Exception | None = None) -> None:
    with at.job(JOB, doing):
        raise error or OSError(20, "Not a directory", "/jobs/tasks.jsonl")


def test_a_failure_is_shown_on_the_job_and_gone_when_it_heals(db: Database) -> None:
    add_job(db, JOB, 1)
    at = Boundary(db)
    fail(at)
    (told,) = warnings(db)
    assert told.startswith("Paddock cannot write its tasks: Not a directory: '/jobs/tasks.jsonl'.")
    assert "remove the job" in told
    assert at.aside == {JOB: told}
    with at.job(JOB, DOING):
        pass
    assert warnings(db) == []
    assert at.aside == {}


def test_each_step_heals_by_itself(db: Database) -> None:
    add_job(db, JOB, 1)
    at = Boundary(db)
    fail(at)
    fail(at, "stop its tasks")
    with at.job(JOB, DOING):
        pass
    (told,) = warnings(db)
    assert "cannot stop its tasks" in told


def test_a_step_that_failed_rests_longer_each_time_and_only_for_this_job(db: Database) -> None:
    add_job(db, JOB, 1)
    clock = Clock()
    at = Boundary(db, clock)
    waits = []
    for _ in range(8):
        fail(at)
        began = clock.now
        while at.rests(JOB, DOING):
            clock.now += 0.5
        waits.append(clock.now - began)
    assert waits == [1, 2, 4, 8, 16, 30, 30, 30]
    fail(at)
    assert at.rests(JOB, DOING)
    assert not at.rests(JOB, "stop its tasks")
    assert not at.rests("other", DOING)


def test_a_database_that_is_away_is_everybodys(db: Database) -> None:
    add_job(db, JOB, 1)
    at = Boundary(db)
    with pytest.raises(sa.exc.OperationalError):
        fail(at, error=sa.exc.OperationalError("select", {}, Exception("away")))
    assert at.aside == {}


def test_what_a_hostile_error_says_is_bounded_and_storable(db: Database) -> None:
    add_job(db, JOB, 1)
    fail(Boundary(db), error=ValueError("\ud800" * 10_000))
    (told,) = warnings(db)
    assert len(told) < boundary.MAX_REASON + 300

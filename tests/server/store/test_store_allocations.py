"""Test batches of allocations: what was requested of a backend, and what it last reported."""

import time
from typing import Any

import pytest
import sqlalchemy as sa

from paddock.models import (
    AllocationBatch,
    AllocationState,
    AllocationStatus,
    Cause,
    LimitsRequest,
    Resources,
    SlurmResources,
    TaskState,
)
from paddock.server.store import allocations, attempts, jobs
from paddock.server.store.db import Database
from tests.server.store.given import add_job, move

JOB = "k3v9x2ab"


def batch(key: str, count: int = 1) -> AllocationBatch:
    resources = Resources(gpus=1, slurm=SlurmResources(partition="volta", options=["--mail-user=ü@x y"]))
    return AllocationBatch(
        key=key, count=count, name=key, folder=f"/f/{key}", runner=["run", "ü", "{folder}"], resources=resources
    )


@pytest.fixture
def key(db: Database) -> str:
    """The one allocation of a batch `a1`."""
    add_job(db)
    with db.write() as c:
        allocations.plan(c, JOB, "local", batch("a1"))
    return "a1.0"


def row(db: Database, key: str) -> allocations.AllocationRow:
    with db.read() as c:
        return next(row for row in allocations.last(c, JOB, 100) if row.key == key)


def keys(db: Database) -> list[str]:
    with db.read() as c:
        return [row.key for row in allocations.unclosed(c)]


def test_planned_with_all_that_is_needed_to_ask_again(db: Database, key: str) -> None:
    planned = row(db, key)
    assert (planned.state, planned.backend, planned.backend_id, planned.offsets) == ("planned", "local", None, [])
    assert (planned.closed, planned.ending, planned.never, planned.by_hand) == (False, False, False, False)
    with db.read() as c:
        assert allocations.planned(c) == [(planned.job_id, "local", batch("a1"))]
        assert allocations.batch_of(c, key) == batch("a1")
        assert allocations.batch_of(c, "nope") is None


def test_a_batch_of_several_is_one_request(db: Database, key: str) -> None:
    with db.write() as c:
        allocations.plan(c, JOB, "local", batch("a2", 3))
    assert keys(db) == ["a1.0", "a2.0", "a2.1", "a2.2"]
    with db.read() as c:
        assert [one.key for _, _, one in allocations.planned(c)] == ["a1", "a2"]


def test_a_key_is_planned_once(db: Database, key: str) -> None:
    with pytest.raises(sa.exc.IntegrityError), db.write() as c:
        allocations.plan(c, JOB, "local", batch("a1", 2))
    assert keys(db) == [key]


def test_numbers_count_up_by_job(db: Database, key: str) -> None:
    add_job(db, "other")
    with db.write() as c:
        assert (allocations.next_number(c, JOB), allocations.next_number(c, "other")) == (2, 1)
        allocations.plan(c, JOB, "local", batch("a2", 2))
        allocations.close(c, key)
        assert allocations.next_number(c, JOB) == 3
        assert [row.key for row in allocations.last(c, JOB, 1)] == ["a2.1"]
        assert [row.key for row in allocations.last(c, JOB, 5)] == ["a2.1", "a2.0", "a1.0"]
        allocations.submitted(c, "a2", [])
        assert allocations.next_number(c, JOB) == 3  # a key is never used again


def test_an_answer_that_comes_late_does_not_undo_what_was_seen(db: Database, key: str) -> None:
    with db.write() as c:
        allocations.submitted(c, "a1", ["77"])
    assert (row(db, key).state, row(db, key).backend_id) == ("pending", "77")
    with db.write() as c:
        allocations.seen(c, key, AllocationStatus(state=AllocationState.RUNNING, node="n1"))
        allocations.submitted(c, "a1", ["78"])
        allocations.refused(c, "a1", "no")
        assert not allocations.waits(c, "a1", "later")
    assert (row(db, key).state, row(db, key).backend_id, row(db, key).node) == ("running", "77", "n1")


def test_those_that_the_backend_did_not_take_are_gone(db: Database, key: str) -> None:
    with db.write() as c:
        allocations.plan(c, JOB, "local", batch("a2", 4))
        allocations.submitted(c, "a2", ["5_0", "5_1"])
    assert keys(db) == ["a1.0", "a2.0", "a2.1"]
    assert [row(db, f"a2.{n}").backend_id for n in range(2)] == ["5_0", "5_1"]
    assert row(db, key).state == "planned"
    with db.read() as c:
        assert [one.key for _, _, one in allocations.planned(c)] == ["a1"]


def test_a_refused_batch_has_ended_with_the_reason(db: Database, key: str) -> None:
    with db.write() as c:
        allocations.plan(c, JOB, "local", batch("a2", 2))
        allocations.refused(c, "a2", "no such account")
        assert [one.key for _, _, one in allocations.planned(c)] == ["a1"]
    ended = [row(db, f"a2.{n}") for n in range(2)]
    assert {(one.state, one.cause, one.reason) for one in ended} == {("ended", "launch_failed", "no such account")}
    assert row(db, key).state == "planned"


def test_waiting_for_the_backend_is_told_once(db: Database, key: str) -> None:
    with db.write() as c:
        assert allocations.waits(c, "a1", "it is full")
        assert not allocations.waits(c, "a1", "it is full")
        assert allocations.waits(c, "a1", "it does not answer")
        assert allocations.waiting(c, [JOB])[JOB].reason == "it does not answer"
        allocations.submitted(c, "a1", ["1"])
        assert allocations.waiting(c, [JOB]) == {}


def test_of_several_that_wait_the_one_expected_first_is_told(db: Database, key: str) -> None:
    said: dict[str, dict[str, Any]] = {
        "a2.0": {"reason": "late", "starts_at": 2e9},
        "a2.1": {"reason": "soon", "starts_at": 1e9},
        "a2.2": {"reason": "some day"},
        "a2.3": {"reason": "never", "starts_at": 1.0, "never": True},
    }
    with db.write() as c:
        allocations.plan(c, JOB, "local", batch("a2", 4))
        allocations.submitted(c, "a2", ["1", "2", "3", "4"])
        for one, about in said.items():
            status = AllocationStatus.model_validate({"state": "pending", **about})
            allocations.seen(c, one, status)
        [(job, waits)] = allocations.waiting(c, [JOB, "other"]).items()
        assert (job, waits.reason, waits.never) == (JOB, "soon", False)
        assert waits.starts_at is not None
        assert waits.starts_at.timestamp() == 1e9
        for one in list(said)[:3]:
            allocations.seen(c, one, AllocationStatus(state=AllocationState.RUNNING))
        allocations.seen(c, key, AllocationStatus(state=AllocationState.RUNNING))
        assert (allocations.waiting(c, [JOB])[JOB].reason, allocations.waiting(c, [JOB])[JOB].never) == ("never", True)


def test_where_a_task_runs_or_will(db: Database, key: str) -> None:
    with db.write() as c:
        allocations.plan(c, JOB, "local", batch("a2"))
        allocations.submitted(c, "a2", ["9_0"])
        allocations.seen(c, "a2.0", AllocationStatus(state=AllocationState.PENDING, starts_at=5e8, reason="full"))
        first = allocations.of_task(c, JOB, None)
        assert first is not None
        assert (first.key, first.backend_id, first.reason, first.state) == ("a2.0", "9_0", "full", "pending")
        named = allocations.of_task(c, JOB, key)
        assert named is not None
        assert (named.key, named.state) == (key, "planned")
        assert allocations.of_task(c, JOB, "nope") is None
        assert allocations.of_task(c, "other", None) is None


def test_the_end_has_a_time_and_a_cause(db: Database, key: str) -> None:
    before = time.time()
    with db.write() as c:
        allocations.failed(c, key, Cause.LAUNCH_FAILED, "no such file")
    ended = row(db, key)
    assert (ended.state, ended.cause, ended.reason) == ("ended", "launch_failed", "no such file")
    with db.read() as c:
        shown = allocations.of_task(c, JOB, key)
    assert shown is not None and shown.ended_at is not None
    assert before <= shown.ended_at.timestamp() <= time.time()


def test_what_is_seen_replaces_what_was_seen(db: Database, key: str) -> None:
    with db.write() as c:
        waits = AllocationStatus(state=AllocationState.PENDING, reason="full", starts_at=7.5, never=True)
        allocations.seen(c, key, waits)
        assert (row(db, key).reason, row(db, key).starts_at) != ("full", 7.5)  # not committed yet
    assert (row(db, key).reason, row(db, key).starts_at, row(db, key).never) == ("full", 7.5, True)
    with db.write() as c:
        allocations.seen(c, key, AllocationStatus(state=AllocationState.ENDED, by_hand=True))
    found = row(db, key)
    assert (found.reason, found.starts_at, found.never, found.by_hand, found.cause) == (None, None, False, True, None)


def test_touch_changes_the_time_only(db: Database, key: str) -> None:
    with db.write() as c:
        allocations.plan(c, JOB, "local", batch("a2"))
        allocations.touch(c, [])
        allocations.touch(c, [key])
    assert row(db, key).seen_at is not None
    assert row(db, key).state == "planned"
    assert row(db, "a2.0").seen_at is None


def test_unclosed_until_closed_in_the_order_planned(db: Database, key: str) -> None:
    with db.write() as c:
        allocations.plan(c, JOB, "local", batch("a0"))
        allocations.read_to(c, {key: [120, 2**40]}, 5.0)
        allocations.read_to(c, {}, 5.0)
        allocations.to_end(c, [key])
        found = allocations.unclosed(c)
        assert [row.key for row in found] == [key, "a0.0"]
        assert (found[0].offsets, found[0].ending, found[1].ending) == ([120, 2**40], True, False)
        allocations.close(c, key)
        assert [row.key for row in allocations.unclosed(c)] == ["a0.0"]


class TestAdjustments:
    def to_adjust(self, db: Database) -> list[tuple[str, bool, int]]:
        with db.read() as c:
            return [(row.key, row.held, row.adjusted) for row in allocations.to_adjust(c)]

    def test_are_for_those_that_the_backend_knows_and_that_have_not_ended(self, db: Database, key: str) -> None:
        with db.write() as c:
            allocations.plan(c, JOB, "local", batch("a2", 4))
            allocations.submitted(c, "a2", ["1", "2", "3", "4"])
            allocations.seen(c, "a2.1", AllocationStatus(state=AllocationState.ENDED))
            allocations.to_end(c, ["a2.2"])
            assert jobs.hold(c, JOB)
            assert not jobs.hold(c, JOB)
        assert self.to_adjust(db) == [("a2.0", True, 1), ("a2.3", True, 1)]
        with db.write() as c:
            allocations.adjusted(c, ["a2.0"], 1)
        assert self.to_adjust(db) == [("a2.3", True, 1)]
        with db.write() as c:
            assert jobs.hold(c, JOB, held=False)
        assert self.to_adjust(db) == [("a2.0", False, 2), ("a2.3", False, 2)]

    def test_those_planned_later_have_it_already(self, db: Database, key: str) -> None:
        with db.write() as c:
            jobs.limit(c, JOB, LimitsRequest(nice=3))
            allocations.plan(c, JOB, "local", batch("a2"))
            allocations.submitted(c, "a2", ["1"])
            allocations.submitted(c, "a1", ["2"])
        assert self.to_adjust(db) == [(key, False, 1)]

    def test_runners_are_told_once_of_each(self, db: Database) -> None:
        add_job(db)
        with db.write() as c:
            assert jobs.not_passed_on(c) == []
            jobs.hold(c, JOB)
            assert [(row.id, row.held, row.adjusted) for row in jobs.not_passed_on(c)] == [(JOB, True, 1)]
            jobs.mark_passed_on(c, JOB, 1)
            assert jobs.not_passed_on(c) == []
            jobs.hold(c, JOB, held=False)
            jobs.mark_removing(c, JOB)
            assert jobs.not_passed_on(c) == []  # its folder may be gone

    def test_a_job_shows_that_it_is_held_and_why_it_waits(self, db: Database) -> None:
        add_job(db)
        with db.write() as c:
            jobs.hold(c, JOB, warning="somebody did it")
        with db.read() as c:
            job = jobs.detail(c, JOB, "")
            assert (job.held, job.warnings[-1]) == (True, "somebody did it")
            assert job.waits is not None
            assert "held" in job.waits.reason
        move(db, f"{JOB}-1", TaskState.FINISHED)
        with db.read() as c:
            assert jobs.detail(c, JOB, "").waits is None

    def test_limits_are_those_of_the_spec_from_then_on(self, db: Database) -> None:
        add_job(db, resources={"gpus": 2, "time_limit": "1h", "partition": "volta"})
        with db.write() as c:
            jobs.limit(c, JOB, LimitsRequest.model_validate({"time_limit": "2h"}))
        with db.read() as c:
            resources = jobs.detail(c, JOB, "").spec.resources
        assert (resources.time_limit, resources.gpus, resources.slurm.partition) == (7200, 2, "volta")

    def test_warnings_are_kept_once_and_not_without_end(self, db: Database) -> None:
        add_job(db)
        with db.write() as c:
            for number in range(30):
                for _ in range(2):
                    jobs.warn(c, JOB, f"warning {number}")
            jobs.warn(c, "nope", "nobody")
        with db.read() as c:
            warnings = jobs.detail(c, JOB, "").warnings
        assert warnings == [f"warning {number}" for number in range(30 - jobs.MAX_WARNINGS, 30)]

    def test_demands_say_whether_the_job_is_held(self, db: Database) -> None:
        add_job(db)
        with db.write() as c:
            attempts.mark_published(c, [row.id for row in attempts.unpublished(c, 10)])
            jobs.hold(c, JOB)
            assert attempts.demands(c) == [attempts.Demand(JOB, 1, 0, held=True)]

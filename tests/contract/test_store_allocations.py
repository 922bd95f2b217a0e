"""Allocations: what was asked of a backend, and what it last said of it."""

import time
from typing import Any

import pytest
import sqlalchemy as sa

from paddock.models import AllocationSpec, AllocationState, AllocationStatus, Cause
from paddock.store import allocations
from paddock.store.db import Database
from tests.contract.given import add_job

JOB = "k3v9x2ab"


def spec(key: str) -> AllocationSpec:
    return AllocationSpec(key=key, name=key, folder="/f", runner=["run", "ü"], gpus=1)


@pytest.fixture
def key(db: Database) -> str:
    add_job(db)
    with db.write() as c:
        allocations.plan(c, JOB, "local", spec("a1"))
    return "a1"


def row(db: Database, key: str) -> sa.Row[Any]:
    with db.read() as c:
        return next(row for row in allocations.last(c, JOB, 100) if row.key == key)


def test_planned_with_all_that_is_needed_to_ask_again(db: Database, key: str) -> None:
    planned = row(db, key)
    assert (planned.state, planned.backend, planned.backend_id, planned.offsets) == ("planned", "local", None, [])
    assert (planned.closed, planned.cancelled) == (False, False)
    assert AllocationSpec.model_validate(planned.spec) == spec(key)


def test_a_key_is_planned_once(db: Database, key: str) -> None:
    with pytest.raises(sa.exc.IntegrityError), db.write() as c:
        allocations.plan(c, JOB, "local", spec(key))


def test_numbers_count_up_by_job(db: Database, key: str) -> None:
    add_job(db, "other")
    with db.write() as c:
        assert (allocations.next_number(c, JOB), allocations.next_number(c, "other")) == (2, 1)
        allocations.plan(c, JOB, "local", spec("a2"))
        allocations.close(c, key)
        assert allocations.next_number(c, JOB) == 3
        assert [row.key for row in allocations.last(c, JOB, 1)] == ["a2"]
        assert [row.key for row in allocations.last(c, JOB, 5)] == ["a2", "a1"]


def test_an_answer_that_comes_late_does_not_undo_what_was_seen(db: Database, key: str) -> None:
    with db.write() as c:
        allocations.submitted(c, key, "77")
    assert (row(db, key).state, row(db, key).backend_id) == ("pending", "77")
    with db.write() as c:
        allocations.seen(c, key, AllocationStatus(state=AllocationState.RUNNING, node="n1"))
        allocations.submitted(c, key, "78")
    assert (row(db, key).state, row(db, key).backend_id, row(db, key).node) == ("running", "77", "n1")


def test_the_end_has_a_time_and_a_cause(db: Database, key: str) -> None:
    before = time.time()
    with db.write() as c:
        allocations.failed(c, key, Cause.LAUNCH_FAILED, "no such file")
    ended = row(db, key)
    assert (ended.state, ended.cause, ended.reason) == ("ended", "launch_failed", "no such file")
    assert before <= ended.ended_at <= time.time()


def test_touch_changes_the_time_only(db: Database, key: str) -> None:
    with db.write() as c:
        allocations.plan(c, JOB, "local", spec("a2"))
        allocations.touch(c, [])
        allocations.touch(c, [key])
    assert row(db, key).seen_at is not None
    assert row(db, key).state == "planned"
    assert row(db, "a2").seen_at is None


def test_unclosed_until_closed_in_the_order_planned(db: Database, key: str) -> None:
    with db.write() as c:
        allocations.plan(c, JOB, "local", spec("a0"))
        allocations.read_to(c, {key: [120, 2**40]})
        allocations.read_to(c, {})
        allocations.cancelled(c, [key])
        found = allocations.unclosed(c)
        assert [row.key for row in found] == [key, "a0"]
        assert (found[0].offsets, found[0].cancelled, found[1].cancelled) == ([120, 2**40], True, False)
        allocations.close(c, key)
        assert [row.key for row in allocations.unclosed(c)] == ["a0"]

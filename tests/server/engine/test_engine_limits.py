"""Test the engine with a job that is held or gets other limits while it runs."""

import pytest

from paddock.errors import BackendError, BackendUnavailable
from paddock.models import (
    AllocationChange,
    AllocationState,
    AllocationStatus,
    LimitsRequest,
    TaskState,
)
from paddock.runner import manifest
from paddock.server.engine import observe
from paddock.server.store import jobs
from tests.server.engine.engine_rig import JOB, Rig

S = TaskState


class TestAdjust:
    @pytest.fixture
    def ids(self, rig: Rig) -> list[str]:
        """Of two allocations, one of which runs."""
        one, *_ = rig.job(tasks=2)
        rig.step()
        rig.started(f"{JOB}-a1.0", one)
        return [f"id-{JOB}-a1.0", f"id-{JOB}-a1.1"]

    def hold(self, rig: Rig, held: bool = True) -> None:
        with rig.db.write() as c:
            jobs.hold(c, JOB, held=held)
        rig.step(5)

    def test_hold_is_told_once_to_runners_and_backend(self, rig: Rig, ids: list[str]) -> None:
        self.hold(rig)
        self.hold(rig)
        assert rig.control() == [{"op": "hold"}]
        assert rig.backend.changes == [(ids, AllocationChange(held=True))]
        assert rig.backend.cancelled == []
        self.hold(rig, False)
        assert rig.control() == [{"op": "hold"}, {"op": "release"}]
        assert rig.backend.changes[1:] == [(ids, AllocationChange(held=False))]

    def test_a_held_job_asks_for_no_more(self, rig: Rig) -> None:
        one, _ = rig.job(tasks=2, parallel=1)
        rig.step()
        rig.started(f"{JOB}-a1.0", one)
        self.hold(rig)
        rig.say(f"{JOB}-a1.0", {"e": "ended", "task": one, "exit": 0, "signal": None, "by": None}, {"e": "bye"})
        rig.backend.end(f"id-{JOB}-a1.0")
        rig.step(5)
        assert (rig.task(one).state, len(rig.backend.batches)) == (S.FINISHED, 1)
        self.hold(rig, False)
        assert len(rig.backend.batches) == 2

    def test_other_limits_are_passed_on_and_used_from_then_on(self, rig: Rig, ids: list[str]) -> None:
        with rig.db.write() as c:
            jobs.limit(c, JOB, LimitsRequest(time_limit=7200, nice=5))
        rig.step(5)
        assert rig.backend.changes == [(ids, AllocationChange(held=False, time_limit=7200, nice=5))]
        rig.backend.end(ids[0])
        rig.backend.end(ids[1])
        rig.step(6)
        later = rig.backend.batches[1:]
        assert sum(len(batch.keys) for batch in later) == 2
        assert {(batch.resources.time_limit, batch.resources.slurm.nice) for batch in later} == {(7200, 5)}
        assert {manifest.load(batch.folder_of(0)).time_limit for batch in later} == {7200}

    def test_a_refusal_becomes_a_warning_and_is_not_asked_again(self, rig: Rig, ids: list[str]) -> None:
        rig.backend.trouble["change"] = BackendError("only an administrator may do that")
        self.hold(rig)
        rig.step(5)
        assert rig.backend.calls.count("change") == 1
        assert rig.detail().warnings[-1] == "only an administrator may do that"
        assert rig.detail().held

    def test_one_that_does_not_get_through_is_asked_again(self, rig: Rig, ids: list[str]) -> None:
        rig.backend.trouble["change"] = BackendUnavailable("down")
        self.hold(rig)
        assert rig.backend.changes == []
        assert "down" not in rig.detail().warnings
        del rig.backend.trouble["change"]
        rig.step(5)
        assert rig.backend.changes == [(ids, AllocationChange(held=True))]

    def test_it_outlives_the_server(self, rig: Rig, ids: list[str]) -> None:
        rig.backend.trouble["change"] = BackendUnavailable("down")
        self.hold(rig)
        del rig.backend.trouble["change"]
        rig.reopen()
        rig.step(5)
        assert rig.backend.changes == [(ids, AllocationChange(held=True))]
        assert rig.control() == [{"op": "hold"}]

    def test_one_that_is_submitted_while_others_are_told_is_told_too(self, rig: Rig) -> None:
        """Two batches, the second of which has no ids yet when the job is held."""
        rig.job(tasks=2)
        rig.backend.takes = 1
        rig.step(1)
        assert {row.state for row in rig.rows()} == {"pending", "planned"}
        rig.backend.open.clear()
        with rig.db.write() as c:
            jobs.hold(c, JOB)
        rig.engine.wake()
        rig.engine.round()
        rig.backend.open.set()
        rig.step(6)
        told = sorted(one for ids, _ in rig.backend.changes for one in ids)
        assert told == [f"id-{JOB}-a1.0", f"id-{JOB}-a2.0"]
        assert {change for _, change in rig.backend.changes} == {AllocationChange(held=True)}

    def test_a_release_that_the_backend_has_forgotten_is_told_again_once(self, rig: Rig, ids: list[str]) -> None:
        """As a controller does that crashes before it has written it down."""
        self.hold(rig)
        self.hold(rig, False)
        for one, state in zip(ids, (AllocationState.RUNNING, AllocationState.PENDING), strict=True):
            rig.backend.statuses[one] = AllocationStatus(state=state, node="n1", held=True)
        rig.step(5)
        assert len(rig.backend.changes) == 2, "it may only be that the answer is older than the release"
        rig.step(5, seconds=observe.HELD_SECONDS + 1)
        assert rig.backend.changes[2:] == [(ids, AllocationChange(held=False))]
        for _ in range(3):  # then somebody holds it on the backend itself
            rig.step(5, seconds=observe.HELD_SECONDS + 1)
        assert len(rig.backend.changes) == 3
        self.hold(rig)
        rig.step(5, seconds=observe.HELD_SECONDS + 1)
        assert [change.held for _, change in rig.backend.changes[3:]] == [True]

    def test_what_somebody_else_holds_stays_held(self, rig: Rig, ids: list[str]) -> None:
        rig.backend.statuses[ids[1]] = AllocationStatus(state=AllocationState.PENDING, held=True)
        rig.step(5)
        rig.step(5, seconds=observe.HELD_SECONDS + 1)
        assert rig.backend.changes == []

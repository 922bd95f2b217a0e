"""Test what becomes of tasks when allocations end, are lost or start again."""

from typing import Any

import pytest

from paddock.errors import BackendUnavailable
from paddock.models import (
    AllocationState,
    AllocationStatus,
    Cause,
    TaskState,
)
from paddock.server.engine import observe
from paddock.server.store import jobs, tasks
from tests.server.engine.engine_rig import JOB, Rig

S = TaskState


def shutdown(task: str, **more: Any) -> dict[str, Any]:
    return {"e": "ended", "task": task, "exit": None, "signal": 15, "by": "shutdown", **more}


class TestShutdown:
    """A runner that is told to end does not know why: its backend does, when all is over."""

    @pytest.fixture
    def task(self, rig: Rig) -> str:
        [task] = rig.job()
        rig.step()
        rig.started(f"{JOB}-a1.0", task)
        assert rig.task(task).state is S.RUNNING
        rig.say(f"{JOB}-a1.0", {**shutdown(task), "at": 2_000_000_100.0}, {"e": "bye"})
        rig.step()
        assert (rig.task(task).state, rig.task(task).attempt) == (S.RUNNING, 1)  # not judged yet
        return task

    @pytest.mark.parametrize("cause", [Cause.TIME_LIMIT, Cause.PREEMPTED, Cause.NODE_FAILURE])
    def test_is_judged_with_the_cause_of_the_backend(self, rig: Rig, task: str, cause: Cause) -> None:
        rig.backend.end(f"id-{JOB}-a1.0", cause, reason="so it was")
        rig.step()
        first, second = rig.attempts(task)
        assert (first.state, first.cause, first.reason, first.signal) == (S.ERROR, cause, "so it was", 15)
        assert first.ended_at is not None
        assert first.ended_at.timestamp() == 2_000_000_100.0  # when its runner saw it end
        assert (second.state, second.resumed) == (S.SUBMITTED, True)
        assert rig.keys() == [f"{JOB}-a1.0", f"{JOB}-a2.0"]

    def test_without_one_it_had_to_make_room(self, rig: Rig, task: str) -> None:
        rig.backend.end(f"id-{JOB}-a1.0")
        rig.step()
        first = rig.attempts(task)[0]
        assert (first.cause, first.reason) == (Cause.PREEMPTED, "its runner was told to end")

    def test_also_when_the_backend_has_forgotten_it(self, rig: Rig, task: str) -> None:
        del rig.backend.statuses[f"id-{JOB}-a1.0"]
        rig.round()  # what it was asked before is heard now, not later
        rig.step(seconds=observe.MISSING_SECONDS + 5)
        assert rig.attempts(task)[0].cause is Cause.PREEMPTED

    def test_ended_by_hand_it_is_stopped_and_the_job_held(self, rig: Rig, task: str) -> None:
        rig.backend.end(f"id-{JOB}-a1.0", by_hand=True, reason="cancelled by user 7 (scancel)")
        rig.step()
        [only] = rig.attempts(task)
        assert (only.state, only.cause, only.reason) == (S.STOPPED, None, "cancelled by user 7 (scancel)")
        job = rig.detail()
        assert job.held
        assert job.warnings[-1] == "Held, because an allocation was ended by hand: cancelled by user 7 (scancel)"
        assert rig.control() == [{"op": "hold"}]

    def test_by_hand_the_other_tasks_are_not_begun_elsewhere(self, rig: Rig) -> None:
        one, two = rig.job(tasks=2, parallel=1)
        rig.step()
        rig.started(f"{JOB}-a1.0", one)
        rig.backend.end(f"id-{JOB}-a1.0", by_hand=True, reason="scancel")
        rig.step(6)
        assert (rig.task(one).state, rig.task(two).state) == (S.STOPPED, S.SUBMITTED)
        assert rig.keys() == [f"{JOB}-a1.0"]
        waits = rig.detail().waits
        assert waits is not None
        assert "held" in waits.reason
        with rig.db.write() as c:
            jobs.hold(c, JOB, held=False)
        rig.step()
        assert rig.keys() == [f"{JOB}-a1.0", f"{JOB}-a2.0"]

    def test_what_we_cancelled_ourselves_was_not_ended_by_hand(self, rig: Rig) -> None:
        one, two = rig.job(tasks=2)
        rig.step()
        rig.started(f"{JOB}-a1.0", one)
        with rig.db.write() as c:
            tasks.request_stop(c, JOB, [two])
        rig.step()
        assert rig.backend.cancelled == [f"id-{JOB}-a1.1"]
        rig.backend.end(f"id-{JOB}-a1.1", by_hand=True, reason="scancel")
        rig.step()
        assert not rig.detail().held
        assert rig.rows()[1].closed

    def test_a_stop_that_was_asked_for_is_a_stop_at_once(self, rig: Rig) -> None:
        [task] = rig.job()
        rig.step()
        rig.started(f"{JOB}-a1.0", task)
        with rig.db.write() as c:
            tasks.request_stop(c, JOB, [task])
        rig.say(f"{JOB}-a1.0", shutdown(task))
        rig.step()
        assert rig.task(task).state is S.STOPPED

    def test_a_stop_that_is_asked_for_meanwhile_counts(self, rig: Rig, task: str) -> None:
        with rig.db.write() as c:
            tasks.request_stop(c, JOB, [task])
        rig.backend.end(f"id-{JOB}-a1.0", Cause.PREEMPTED)
        rig.step()
        assert [one.state for one in rig.attempts(task)] == [S.STOPPED]

    def test_a_runner_that_knows_the_cause_is_believed_at_once(self, rig: Rig) -> None:
        [task] = rig.job()
        rig.step()
        rig.started(f"{JOB}-a1.0", task)
        rig.say(f"{JOB}-a1.0", shutdown(task, cause="time_limit", reason="cut off (1:00:00)"))
        rig.step()
        first, second = rig.attempts(task)
        assert (first.state, first.cause, first.reason) == (S.ERROR, Cause.TIME_LIMIT, "cut off (1:00:00)")
        assert second.resumed

    def test_the_retries_of_its_cause_count(self, rig: Rig) -> None:
        [task] = rig.job(retries={"preempted": 1})
        for number in (1, 2):
            rig.step()
            rig.started(f"{JOB}-a{number}.0", task, number)
            rig.say(f"{JOB}-a{number}.0", {**shutdown(task), "attempt": number})
            rig.backend.end(f"id-{JOB}-a{number}.0", Cause.PREEMPTED)
            rig.step()
        assert [one.cause for one in rig.attempts(task)] == [Cause.PREEMPTED] * 2
        assert rig.task(task).state is S.ERROR


class TestFence:
    """An allocation that is started again has a journal more; what its first start ran is over."""

    def again(self, rig: Rig) -> tuple[str, str]:
        one, two = rig.job(tasks=2, parallel=1)
        rig.step()
        key = f"{JOB}-a1.0"
        rig.started(key, one)
        rig.say(key, {"e": "runner"}, {"e": "started", "task": two, "pid": 9}, start=2)
        rig.step(25)
        assert len(rig.rows()[0].offsets) == 2
        return one, two

    def test_what_the_first_start_ran_is_tried_again_and_the_second_goes_on(self, rig: Rig) -> None:
        one, two = self.again(rig)
        assert (rig.task(one).state, rig.task(two).state) == (S.RUNNING, S.RUNNING)
        rig.step(seconds=observe.FENCE_SECONDS + 1)
        first, second = rig.attempts(one)
        assert (first.state, first.cause) == (S.ERROR, Cause.NODE_FAILURE)
        assert "started again" in (first.reason or "")
        assert (second.state, second.resumed) == (S.SUBMITTED, True)
        assert [attempt.state for attempt in rig.attempts(two)] == [S.RUNNING]

    def test_not_before_its_runner_must_know(self, rig: Rig) -> None:
        one, _ = self.again(rig)
        rig.step(seconds=observe.FENCE_SECONDS - 5)
        assert rig.task(one).state is S.RUNNING
        rig.say(f"{JOB}-a1.0", {"e": "ended", "task": one, "exit": 0, "signal": None, "by": None})
        rig.step()
        assert rig.task(one).state is S.FINISHED
        rig.step(seconds=100)
        assert [attempt.state for attempt in rig.attempts(one)] == [S.FINISHED]

    def test_a_task_of_the_second_start_ends_as_usual(self, rig: Rig) -> None:
        _, two = self.again(rig)
        rig.step(seconds=observe.FENCE_SECONDS + 1)
        rig.say(f"{JOB}-a1.0", {"e": "ended", "task": two, "exit": 0, "signal": None, "by": None}, start=2)
        rig.step()
        assert rig.task(two).state is S.FINISHED

    def test_one_start_is_left_alone(self, rig: Rig) -> None:
        [task] = rig.job()
        rig.step()
        rig.started(f"{JOB}-a1.0", task)
        rig.step(25, seconds=1000)
        assert rig.task(task).state is S.RUNNING


class TestMissing:
    @pytest.fixture
    def task(self, rig: Rig) -> str:
        [task] = rig.job()
        rig.step()
        rig.started(f"{JOB}-a1.0", task)
        del rig.backend.statuses[f"id-{JOB}-a1.0"]
        rig.step()
        assert "trace" not in rig.backend.calls
        assert rig.task(task).state is S.RUNNING
        return task

    def test_its_records_tell_what_became_of_it(self, rig: Rig, task: str) -> None:
        rig.backend.records[f"id-{JOB}-a1.0"] = AllocationStatus(
            state=AllocationState.ENDED, cause=Cause.HOST_OOM, reason="too little memory"
        )
        rig.step(6, seconds=observe.MISSING_SECONDS + 5)
        assert rig.backend.calls.count("trace") == 1
        assert (rig.task(task).state, rig.task(task).cause) == (S.ERROR, Cause.HOST_OOM)
        assert rig.task(task).reason == "too little memory"

    def test_without_records_it_is_lost(self, rig: Rig, task: str) -> None:
        rig.step(6, seconds=observe.MISSING_SECONDS + 5)
        first, second = rig.attempts(task)
        assert (first.state, first.cause) == (S.ERROR, Cause.LOST)
        assert first.reason == "the backend does not know its allocation any more"
        assert second.resumed

    def test_records_of_an_end_by_hand_hold_the_job(self, rig: Rig, task: str) -> None:
        rig.backend.records[f"id-{JOB}-a1.0"] = AllocationStatus(
            state=AllocationState.ENDED, by_hand=True, reason="scancel"
        )
        rig.step(6, seconds=observe.MISSING_SECONDS + 5)
        assert rig.task(task).state is S.STOPPED
        assert rig.detail().held

    def test_listed_again_it_goes_on(self, rig: Rig, task: str) -> None:
        rig.backend.trouble["trace"] = BackendUnavailable("the database is down")
        rig.step(6, seconds=observe.MISSING_SECONDS + 5)
        assert rig.engine.context.notes[f"{JOB}-a1.0"].missing_since is not None
        rig.backend.run(f"id-{JOB}-a1.0")
        rig.step(6)
        assert rig.engine.context.notes[f"{JOB}-a1.0"].missing_since is None
        rig.step(seconds=observe.GIVE_UP_SECONDS + 5)
        assert rig.task(task).state is S.RUNNING

    def test_records_that_cannot_be_had_for_long_are_given_up(self, rig: Rig, task: str) -> None:
        rig.backend.trouble["trace"] = BackendUnavailable("the database is down")
        rig.step(6, seconds=observe.MISSING_SECONDS + 5)
        assert rig.task(task).state is S.RUNNING
        rig.step(6, seconds=observe.GIVE_UP_SECONDS + 5)
        assert rig.attempts(task)[0].cause is Cause.LOST

    def test_while_the_backend_does_not_answer_nothing_is_missing(self, rig: Rig) -> None:
        [task] = rig.job()
        rig.step()
        rig.started(f"{JOB}-a1.0", task)
        rig.backend.trouble["poll"] = BackendUnavailable("down for the night")
        rig.step(6, seconds=50_000)
        assert rig.task(task).state is S.RUNNING
        assert rig.engine.backends == {"fake": "down for the night"}
        del rig.backend.trouble["poll"]
        rig.step(6)
        assert rig.task(task).state is S.RUNNING
        assert rig.engine.backends == {"fake": "ok"}


class TestWaitsAgain:
    """An allocation that was put back into the queue."""

    def back(self, rig: Rig) -> str:
        [task] = rig.job()
        rig.step()
        rig.started(f"{JOB}-a1.0", task)
        rig.backend.statuses[f"id-{JOB}-a1.0"] = AllocationStatus(state=AllocationState.PENDING)
        return task

    def test_without_a_task_it_is_given_up(self, rig: Rig) -> None:
        """It may wait for ever, as one that is held."""
        task = self.back(rig)
        rig.say(f"{JOB}-a1.0", {"e": "ended", "task": task, "exit": 0, "signal": None, "by": None}, {"e": "bye"})
        rig.step(5)
        assert rig.task(task).state is S.FINISHED
        assert rig.backend.withdrawn == [f"id-{JOB}-a1.0"]

    def test_also_after_a_runner_that_was_killed(self, rig: Rig) -> None:
        task = self.back(rig)
        rig.say(f"{JOB}-a1.0", {"e": "ended", "task": task, "exit": 0, "signal": None, "by": None})
        rig.step(5)
        assert rig.backend.withdrawn == [], "it may only be that the backend was asked before it ran"
        rig.step(5, seconds=rig.settings.runner.silence_seconds + 1)
        assert rig.backend.withdrawn == [f"id-{JOB}-a1.0"]

    def test_not_while_its_task_may_still_run(self, rig: Rig) -> None:
        task = self.back(rig)
        rig.step(5)
        assert rig.task(task).state is S.RUNNING
        assert rig.backend.cancelled == []


class TestForgotten:
    """A controller that crashes has forgotten what it accepted in its last seconds."""

    def forget(self, rig: Rig, *, began: bool) -> None:
        for _ in range(observe.FAILED_STARTS + 1):
            for key in [row.key for row in rig.rows()]:
                if began:
                    (rig.home.job(JOB).allocation(key) / "out.log").write_text("no such interpreter")
                rig.backend.statuses.pop(f"id-{key}", None)
            rig.round()  # what it was asked before is heard now, not later
            rig.step(6, seconds=observe.MISSING_SECONDS + 5)

    def test_again_and_again_it_is_asked_again(self, rig: Rig) -> None:
        tasks = rig.job(tasks=3)
        rig.step()
        self.forget(rig, began=False)
        assert {rig.task(one).state for one in tasks} == {S.SUBMITTED}
        assert len(rig.backend.batches) > observe.FAILED_STARTS

    def test_what_begins_and_says_nothing_is_given_up(self, rig: Rig) -> None:
        tasks = rig.job(tasks=3)
        rig.step()
        self.forget(rig, began=True)
        assert {rig.task(one).cause for one in tasks} == {Cause.LAUNCH_FAILED}

    def test_its_number_is_given_to_another(self, rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
        """Or what is said of the new one would be taken for the old one's, and a cancel would end the wrong one."""
        [old] = rig.job()
        rig.step()
        rig.started(f"{JOB}-a1.0", old)
        rig.backend.sure = False  # its runner may go on
        monkeypatch.setattr(rig.backend, "submit", lambda batch: [f"id-{JOB}-a1.0"])
        other = "other123"
        [new] = rig.job(job=other)
        rig.step()
        [row] = rig.rows()
        assert (row.state, row.cause) == (AllocationState.ENDED, Cause.LOST)
        assert {"op": "drain", "allocation": f"{JOB}-a1.0", "now": True} in rig.control()
        rig.say(f"{other}-a1.0", {"e": "runner"}, {"e": "started", "task": new, "pid": 8})
        rig.step()
        assert [(row.key, row.state) for row in rig.rows(other)] == [(f"{other}-a1.0", AllocationState.RUNNING)]
        assert rig.task(new).state is S.RUNNING

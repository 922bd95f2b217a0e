"""Test that no task runs twice: what is given up is withdrawn, and what may still run is waited for."""

import os
from typing import Any

import pytest

from paddock.common import layout
from paddock.errors import BackendError
from paddock.models import Cause, TaskState
from paddock.runner.mailbox import Mailbox
from paddock.server.engine import ending, linger
from paddock.server.store import jobs, tasks
from paddock.settings import Settings
from tests.server.engine.engine_rig import JOB, Rig

S = TaskState
SILENCE = Settings().runner.silence_seconds


def take_all(rig: Rig, key: str) -> list[tuple[str, int]]:
    """What a runner would take now, in its order, all of it."""
    box = Mailbox(str(rig.home.job(JOB).root), key)
    box.read()
    taken = []
    while (attempt := box.claim(float("inf"), lambda _: True)) is not None:
        taken.append(attempt.identity)
    return taken


def restart(rig: Rig, resume: bool = False) -> None:
    with rig.db.write() as c:
        tasks.restart(c, JOB, None, failed=True, resume=resume)


class TestLaunchFailed:
    def test_after_a_refusal_a_restart_runs_each_task_once(self, rig: Rig) -> None:
        ids = rig.job(tasks=4)
        rig.backend.trouble["submit"] = BackendError("the partition is inactive")
        rig.step(8)
        assert {rig.task(one).cause for one in ids} == {Cause.LAUNCH_FAILED}
        del rig.backend.trouble["submit"]
        restart(rig)
        rig.step()
        assert sorted(take_all(rig, f"{JOB}-a2.0")) == [(one, 2) for one in ids]

    def test_also_where_an_older_version_has_not_withdrawn(self, rig: Rig) -> None:
        [task] = rig.job()
        rig.backend.trouble["submit"] = BackendError("no")
        rig.step(8)
        os.unlink(rig.home.job(JOB).claim(task, 1))
        del rig.backend.trouble["submit"]
        restart(rig)
        rig.step()
        assert take_all(rig, f"{JOB}-a2.0") == [(task, 2)]

    def test_what_a_runner_has_taken_is_not_ended(self, rig: Rig) -> None:
        one, two = rig.job(tasks=2)
        rig.backend.open.clear()
        rig.backend.trouble["submit"] = BackendError("no")
        rig.engine.round()
        rig.home.job(JOB).claim(one, 1).write_text("another\n")
        rig.backend.open.set()
        rig.step(3)
        assert rig.task(two).state is S.ERROR
        assert rig.task(one).cause is not Cause.LAUNCH_FAILED or rig.task(one).attempt > 1

    def test_what_was_written_before_a_crash_is_withdrawn_too(self, rig: Rig) -> None:
        """The line stands in the file, and the database does not know it."""
        [task] = rig.job()
        with rig.db.write() as c:
            tasks.request_stop(c, JOB, [task])
        rig.step()
        assert rig.task(task).state is S.STOPPED
        rig.home.job(JOB).tasks.write_text(f'{{"task":"{task}","attempt":1,"argv":["true"]}}\n')
        assert take_all(rig, f"{JOB}-a1.0") == []


class TestLingering:
    """An allocation is said to be over, and its runner lives."""

    KEY = f"{JOB}-a1.0"

    @pytest.fixture
    def task(self, rig: Rig) -> str:
        rig.backend.sure = False
        [task] = rig.job()
        rig.step()
        rig.started(self.KEY, task)
        rig.home.job(JOB).claim(task, 1).write_text(f"{self.KEY}\n")
        rig.backend.end(f"id-{self.KEY}", Cause.NODE_FAILURE, reason="a node failed")
        rig.step()
        return task

    def ended(self, task: str, **more: Any) -> dict[str, Any]:
        return {"e": "ended", "task": task, "exit": 0, "signal": None, "by": None, **more}

    def test_it_is_told_to_end_and_the_next_attempt_waits(self, rig: Rig, task: str) -> None:
        assert rig.control() == [{"op": "drain", "allocation": self.KEY, "now": True}]
        assert (rig.task(task).state, rig.task(task).attempt) == (S.RUNNING, 1)
        rig.step(seconds=SILENCE - 5)
        assert (rig.task(task).state, rig.task(task).attempt) == (S.RUNNING, 1)
        assert len(rig.control()) == 1

    def test_a_silent_one_is_waited_for_no_longer_than_that(self, rig: Rig, task: str) -> None:
        rig.step(seconds=SILENCE + 5)
        first, second = rig.attempts(task)
        assert (first.state, first.cause, second.state) == (S.ERROR, Cause.NODE_FAILURE, S.SUBMITTED)

    def test_one_that_speaks_is_waited_for(self, rig: Rig, task: str) -> None:
        for _ in range(5):
            rig.say(self.KEY, {"e": "usage", "task": task, "memory": 5})
            rig.step()
            rig.step(seconds=SILENCE / 2)
        assert (rig.task(task).state, rig.task(task).attempt) == (S.RUNNING, 1)

    def test_what_ended_well_has_finished(self, rig: Rig, task: str) -> None:
        rig.step(seconds=SILENCE / 2)
        rig.say(self.KEY, self.ended(task), {"e": "bye"})
        rig.step()
        assert [one.state for one in rig.attempts(task)] == [S.FINISHED]
        assert rig.rows()[0].closed

    def test_what_was_told_to_end_is_tried_again_at_once(self, rig: Rig, task: str) -> None:
        rig.say(self.KEY, self.ended(task, exit=None, signal=15, by="shutdown"), {"e": "bye"})
        rig.step()
        first, second = rig.attempts(task)
        assert (first.cause, second.resumed) == (Cause.NODE_FAILURE, True)

    def test_a_restarted_server_waits_anew(self, rig: Rig, task: str) -> None:
        rig.ahead += 10 * SILENCE
        rig.reopen()
        rig.step()
        assert (rig.task(task).state, rig.task(task).attempt) == (S.RUNNING, 1)
        rig.step(seconds=SILENCE + 5)
        assert rig.task(task).attempt == 2

    def test_other_tasks_of_the_job_need_not_wait(self, rig: Rig) -> None:
        rig.backend.sure = False
        rig.backend.slots = 1
        rig.reopen()
        one, _ = rig.job(tasks=2, parallel=1)
        rig.step()
        rig.started(self.KEY, one)
        rig.backend.end(f"id-{self.KEY}", Cause.NODE_FAILURE)
        rig.step(6)
        assert rig.task(one).attempt == 1
        assert rig.keys() == [self.KEY, f"{JOB}-a2.0"]

    def test_what_its_scheduler_has_seen_end_is_waited_for_a_moment(self, rig: Rig) -> None:
        rig.backend.sure = False
        [task] = rig.job()
        rig.step()
        rig.started(self.KEY, task)
        rig.backend.end(f"id-{self.KEY}", Cause.TIME_LIMIT)
        rig.step()
        assert rig.task(task).attempt == 1
        rig.step(seconds=linger.QUIET_SECONDS + 1)
        assert rig.task(task).attempt == 2


class TestWhoseClaim:
    def two(self, rig: Rig) -> tuple[str, str]:
        one, two = rig.job(tasks=2)
        rig.step()
        rig.started(f"{JOB}-a1.1", two)
        rig.backend.run(f"id-{JOB}-a1.0")
        rig.say(f"{JOB}-a1.0", {"e": "runner"})
        rig.step()
        return one, two

    def test_a_claim_of_a_closed_allocation_is_settled_while_others_run(self, rig: Rig) -> None:
        one, two = self.two(rig)
        rig.home.job(JOB).claim(one, 1).write_text(f"{JOB}-a1.0\n")
        rig.backend.end(f"id-{JOB}-a1.0", Cause.NODE_FAILURE, reason="it failed")
        rig.step()
        first, second = rig.attempts(one)
        assert (first.state, first.cause, second.state) == (S.ERROR, Cause.NODE_FAILURE, S.SUBMITTED)
        assert rig.task(two).state is S.RUNNING

    @pytest.mark.parametrize("kind", ["folder", "empty", "another's"])
    def test_one_that_may_be_anothers_is_left_alone(self, rig: Rig, kind: str) -> None:
        one, _ = self.two(rig)
        claim = rig.home.job(JOB).claim(one, 1)
        if kind == "folder":  # of an older runner
            claim.mkdir()
        else:
            claim.write_text(f"{JOB}-a1.1\n" if kind == "another's" else "")
        rig.backend.end(f"id-{JOB}-a1.0")
        rig.step()
        assert [attempt.state for attempt in rig.attempts(one)] == [S.SUBMITTED]

    def test_a_claim_names_its_allocation(self, rig: Rig) -> None:
        [task] = rig.job()
        rig.step()
        assert take_all(rig, f"{JOB}-a1.0") == [(task, 1)]
        claim = layout.claim(str(rig.home.job(JOB).root), task, 1)
        with open(claim) as file:
            assert file.read() == f"{JOB}-a1.0\n"


def test_a_runner_that_does_not_obey_is_ended_but_not_before_it_had_the_time_to(rig: Rig) -> None:
    [task] = rig.job()
    rig.step()
    rig.started(f"{JOB}-a1.0", task)
    rig.step()
    rig.step(seconds=600)  # it has nothing to say
    with rig.db.write() as c:
        tasks.request_stop(c, JOB, None)
    rig.step()
    assert "cancel" not in rig.backend.calls
    runner = rig.settings.runner
    rig.step(seconds=runner.grace_seconds + runner.stuck_seconds + 1)
    assert "cancel" in rig.backend.calls


def test_a_cancel_that_does_nothing_is_asked_again(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scheduler took the order and forgot it: the allocation is still there."""
    monkeypatch.setattr(ending, "AGAIN_SECONDS", 0.0)
    rig.job(1)
    rig.step()
    with rig.db.write() as c:
        jobs.hold(c, JOB)
        jobs.mark_removing(c, JOB)
    rig.step()
    asked = rig.backend.calls.count("cancel")
    assert asked > 0
    rig.step()
    assert rig.backend.calls.count("cancel") > asked

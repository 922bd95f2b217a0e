"""Test the engine with a scripted backend: how many allocations it requests, and when it stops."""

import time
from typing import Any

import pytest
import sqlalchemy as sa

from paddock.errors import BackendBusy, BackendClosed, BackendError, BackendUnavailable
from paddock.models import (
    AllocationState,
    AllocationStatus,
    Cause,
    TaskState,
)
from paddock.runner import manifest
from paddock.server.engine import ending, observe
from paddock.server.engine.engine import pause
from paddock.server.store import erasing, jobs, tasks
from tests.server.engine.engine_rig import JOB, Rig

S = TaskState


class TestSubmission:
    def test_one_batch_for_all_that_can_be_of_use(self, rig: Rig) -> None:
        rig.job(tasks=6)
        rig.step()
        [batch] = rig.backend.batches
        assert (batch.key, batch.count, batch.resources.gpus, batch.resources.cpus) == (f"{JOB}-a1", 4, 0, 1)
        assert rig.keys() == batch.keys
        assert {(row.state, row.backend_id) for row in rig.rows()} == {("pending", f"id-{key}") for key in batch.keys}
        for number, key in enumerate(batch.keys):
            assert manifest.load(batch.folder_of(number))[:2] == (JOB, key)
        assert batch.command_of(2)[-1] == str(rig.home.job(JOB).allocation(f"{JOB}-a1.2"))
        rig.step(5)
        assert len(rig.backend.batches) == 1

    def test_what_a_backend_did_not_take_is_planned_again(self, rig: Rig) -> None:
        rig.job(tasks=4)
        rig.backend.takes = 1
        rig.step(2)
        assert [batch.count for batch in rig.backend.batches][:2] == [4, 3]
        rig.step(4)
        assert [batch.count for batch in rig.backend.batches] == [4, 3, 2, 1]
        assert rig.keys() == [f"{JOB}-a{n}.0" for n in range(1, 5)]
        assert {row.state for row in rig.rows()} == {"pending"}
        assert rig.detail().counts.submitted == 4

    def test_a_full_backend_is_left_alone_and_the_job_says_why_it_waits(
        self, rig: Rig, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rig.job(tasks=4)
        rig.backend.trouble["submit"] = BackendBusy("takes no more of yours")
        rig.step(6)
        assert rig.backend.calls.count("submit") == 1
        assert {(row.state, row.reason) for row in rig.rows()} == {("planned", "takes no more of yours")}
        waits = rig.detail().waits
        assert waits is not None
        assert waits.reason == "takes no more of yours"
        del rig.backend.trouble["submit"]
        monkeypatch.setattr(rig.engine.context.workers["fake"], "_full_until", 0.0)
        rig.step()
        assert [batch.key for batch in rig.backend.batches] == [f"{JOB}-a1"]
        assert rig.detail().waits is None

    def test_a_second_job_says_so_too_and_all_go_on_once_there_are_fewer(self, rig: Rig) -> None:
        rig.job(tasks=1)
        rig.backend.queue_length = 5
        rig.backend.trouble["submit"] = BackendBusy("takes no more of yours")
        rig.step()
        rig.job(tasks=2, job="m3v9x2ab")
        rig.step(6)
        assert rig.backend.calls.count("submit") == 1
        waits = rig.detail("m3v9x2ab").waits
        assert waits is not None
        assert waits.reason == "takes no more of yours"
        assert len(rig.rows("m3v9x2ab")) == 2, "planned once"
        del rig.backend.trouble["submit"]
        rig.backend.queue_length = 6
        rig.step()
        assert rig.backend.calls.count("submit") == 1
        rig.backend.queue_length = 4
        rig.step()
        assert [batch.key for batch in rig.backend.batches] == [f"{JOB}-a1", "m3v9x2ab-a1"]
        assert rig.detail("m3v9x2ab").waits is None

    def test_what_asks_for_a_closed_partition_waits_and_others_do_not(self, rig: Rig) -> None:
        rig.job(tasks=1)
        rig.backend.trouble["submit"] = BackendClosed("waits until partition volta accepts jobs again")
        rig.step(6)
        assert rig.backend.calls.count("submit") == 1
        waits = rig.detail().waits
        assert waits is not None
        assert "volta" in waits.reason
        del rig.backend.trouble["submit"]
        rig.job(tasks=1, job="m3v9x2ab")
        rig.step()
        assert [batch.key for batch in rig.backend.batches] == ["m3v9x2ab-a1"]
        rig.engine.context.workers["fake"]._closed_until.clear()  # as after half a minute
        rig.step()
        assert [batch.key for batch in rig.backend.batches] == ["m3v9x2ab-a1", f"{JOB}-a1"]

    def test_one_that_does_not_answer_is_asked_again_with_the_same_key(self, rig: Rig) -> None:
        rig.job()
        rig.backend.trouble["submit"] = BackendUnavailable("timed out")
        rig.step()
        waits = rig.detail().waits
        assert waits is not None
        assert waits.reason == "waits for fake to answer: timed out"
        assert rig.engine.backends == {"fake": "timed out"} or rig.engine.backends == {"fake": "ok"}
        del rig.backend.trouble["submit"]
        rig.step()
        assert rig.keys() == [f"{JOB}-a1.0"]
        assert rig.rows()[0].state == "pending"

    def test_a_server_that_was_killed_before_the_answer_asks_again_with_the_same_key(self, rig: Rig) -> None:
        rig.job(tasks=2)
        rig.backend.open.clear()
        rig.engine.wake()
        rig.engine.round()
        assert {row.state for row in rig.rows()} == {"planned"}
        rig.backend.open.set()
        rig.reopen()
        rig.step()
        assert {batch.key for batch in rig.backend.batches} == {f"{JOB}-a1"}
        assert rig.keys() == [f"{JOB}-a1.0", f"{JOB}-a1.1"]
        assert {row.state for row in rig.rows()} == {"pending"}

    def test_a_refusal_ends_the_tasks_at_once_with_its_reason(self, rig: Rig) -> None:
        ids = rig.job(tasks=6)
        rig.backend.trouble["submit"] = BackendError("Invalid account specified")
        rig.step(8)
        assert rig.backend.calls.count("submit") == 1
        for one in map(rig.task, ids):
            assert (one.state, one.cause, one.attempt) == (S.ERROR, Cause.LAUNCH_FAILED, 1)
            assert one.reason == "fake refused its allocation: Invalid account specified"
        assert rig.detail().ended

    def test_after_some_that_ran_a_few_refusals_are_the_end(self, rig: Rig) -> None:
        one, two = rig.job(tasks=2, parallel=1)
        rig.step()
        rig.started(f"{JOB}-a1.0", one)
        rig.backend.trouble["submit"] = BackendError("no more")
        rig.say(f"{JOB}-a1.0", {"e": "ended", "task": one, "exit": 0, "signal": None, "by": None}, {"e": "bye"})
        rig.backend.end(f"id-{JOB}-a1.0")
        rig.step(20)
        assert rig.task(one).state is S.FINISHED
        assert (rig.task(two).state, rig.task(two).cause) == (S.ERROR, Cause.LAUNCH_FAILED)
        assert rig.backend.calls.count("submit") <= 1 + observe.FAILED_STARTS

    def test_what_is_remembered_of_an_allocation_goes_when_it_is_closed(self, rig: Rig) -> None:
        [one] = rig.job()
        rig.step()
        rig.started(f"{JOB}-a1.0", one)
        assert rig.engine.context.notes.keys() == {f"{JOB}-a1.0"}
        rig.say(f"{JOB}-a1.0", {"e": "ended", "task": one, "exit": 0, "signal": None, "by": None}, {"e": "bye"})
        rig.backend.end(f"id-{JOB}-a1.0")
        rig.step(6)
        assert rig.task(one).state is S.FINISHED
        assert not rig.engine.context.notes

    def test_nothing_is_asked_for_before_the_nodes_are_known(self, rig: Rig) -> None:
        """How many GPUs a task gets, and how many fit, would be a guess."""
        rig.job(tasks=2)
        rig.engine.context.workers["fake"].nodes = []
        rig.engine.context.workers["fake"]._nodes_at = time.monotonic()
        rig.step()
        assert rig.backend.batches == []
        rig.engine.context.workers["fake"].refresh_nodes()
        rig.step()
        assert [batch.count for batch in rig.backend.batches] == [2]

    def test_what_waits_keeps_its_place_while_the_nodes_are_not_known(self, rig: Rig) -> None:
        """A server that is restarted while its backend does not answer."""
        rig.job(tasks=3)
        rig.step()
        rig.backend.trouble["nodes"] = BackendUnavailable("down")
        rig.reopen()
        assert rig.engine.nodes() == []
        rig.step(5)
        assert (rig.backend.cancelled, len(rig.backend.batches)) == ([], 1)

    def test_and_while_machines_are_down(self, rig: Rig) -> None:
        rig.job(tasks=3)
        rig.step()
        rig.backend.slots = 1
        rig.engine.context.workers["fake"].refresh_nodes()
        rig.step(5)
        assert (rig.backend.cancelled, len(rig.backend.batches)) == ([], 1)

    def test_what_is_no_longer_of_use_is_cancelled(self, rig: Rig) -> None:
        ids = rig.job(tasks=3)
        rig.step()
        with rig.db.write() as c:
            tasks.request_stop(c, JOB, ids[:2])
        rig.step()
        assert sorted(rig.backend.withdrawn) == [f"id-{JOB}-a1.1", f"id-{JOB}-a1.2"]
        assert rig.backend.cancelled == rig.backend.withdrawn  # one that has begun meanwhile goes on

    def test_one_that_begins_although_it_was_to_end_is_of_use_again(self, rig: Rig) -> None:
        one, two = rig.job(tasks=2)
        rig.step()
        with rig.db.write() as c:
            tasks.request_stop(c, JOB, [two])
        rig.step()
        assert [row.ending for row in rig.rows()] == [False, True]
        ids = [f"id-{row.key}" for row in rig.rows()]
        for backend_id in ids:
            rig.backend.run(backend_id)
        rig.step()
        with rig.db.write() as c:
            tasks.restart(c, JOB, [two], failed=False, resume=False)
        rig.step()
        assert [len(batch.keys) for batch in rig.backend.batches] == [2], "two allocations for two tasks"
        assert rig.task(one).state is TaskState.SUBMITTED
        with rig.db.write() as c:
            jobs.hold(c, JOB)
        rig.step()
        assert sorted(rig.backend.changes[-1][0]) == ids, "it is held like the others"

    def test_what_was_to_end_and_is_needed_again_is_replaced_at_once(self, rig: Rig) -> None:
        _, two = rig.job(tasks=2)
        rig.step()
        with rig.db.write() as c:
            tasks.request_stop(c, JOB, [two])
        rig.step()
        with rig.db.write() as c:
            tasks.restart(c, JOB, [two], failed=False, resume=False)
        rig.step()
        assert [len(batch.keys) for batch in rig.backend.batches] == [2, 1]
        assert set(rig.backend.cancelled) == {f"id-{JOB}-a1.1"}, "the new one is not ended in its place"

    def test_a_cancel_that_does_not_get_through_is_repeated(self, rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(ending, "AGAIN_SECONDS", 0.0)
        [task] = rig.job()
        rig.step()
        rig.backend.trouble["cancel"] = BackendUnavailable("down")
        with rig.db.write() as c:
            tasks.request_stop(c, JOB, [task])
        rig.step()
        assert (rig.backend.calls.count("cancel") > 0, rig.backend.cancelled) == (True, [])
        del rig.backend.trouble["cancel"]
        rig.step()
        assert set(rig.backend.cancelled) == {f"id-{JOB}-a1.0"}
        assert not rig.rows()[0].closed, "it has not ended because it was asked to"
        rig.backend.end(f"id-{JOB}-a1.0")
        rig.step()
        assert rig.rows()[0].closed

    def test_one_whose_runner_has_spoken_is_of_use_whatever_was_last_seen_of_it(self, rig: Rig) -> None:
        """As after a restart of the server: the journals are there before the backend was asked."""
        ids = rig.job(tasks=2)
        rig.step()
        rig.say(f"{JOB}-a1.1", {"e": "runner"}, {"e": "started", "task": ids[1], "pid": 7})
        rig.say(f"{JOB}-a1.0", {"e": "runner"}, {"e": "started", "task": ids[0], "pid": 8})
        rig.say(f"{JOB}-a1.0", {"e": "ended", "task": ids[0], "exit": 0, "signal": None, "by": None})
        rig.step()
        assert {row.state for row in rig.rows()} == {"pending"}
        assert rig.backend.cancelled == []

    def test_why_they_wait_and_until_when(self, rig: Rig) -> None:
        rig.job(tasks=2)
        rig.step()
        for number, at in ((0, 3e9), (1, 2.5e9)):
            rig.backend.statuses[f"id-{JOB}-a1.{number}"] = AllocationStatus(
                state=AllocationState.PENDING, reason=f"{number} jobs ahead", starts_at=at
            )
        rig.step()
        waits = rig.detail().waits
        assert waits is not None
        assert waits.starts_at is not None
        assert (waits.reason, waits.starts_at.timestamp()) == ("1 jobs ahead", 2.5e9)
        for number in range(2):
            rig.backend.run(f"id-{JOB}-a1.{number}")
        rig.step()
        assert rig.detail().waits is None


class TestDismissal:
    @pytest.mark.parametrize("spec", [{"search": {"method": "pbt", "trials": 2}}, {"reduce": "true"}])
    def test_runners_that_wait_for_more_are_told_when_there_is_no_more(self, rig: Rig, spec: dict[str, Any]) -> None:
        [task] = rig.job(tasks=1, retries={"user_error": 0}, **spec)
        rig.step()
        self.fail(rig, task, 1)
        assert rig.lines()[1:] == [{"end": True}]
        rig.step(5)
        assert len(rig.lines()) == 2, "once"
        with rig.db.write() as c:
            tasks.restart(c, JOB, [task], failed=False, resume=False)
        self.fail(rig, task, 2)
        assert [line.get("attempt") for line in rig.lines()] == [1, None, 2, None]

    def fail(self, rig: Rig, task: str, attempt: int) -> None:
        rig.step()
        key = rig.keys()[0]
        rig.started(key, task, attempt)
        assert "task" in rig.lines()[-1]
        rig.say(key, {"e": "ended", "task": task, "attempt": attempt, "exit": 1, "signal": None, "by": None})
        rig.step()
        assert rig.task(task).state is S.ERROR


def test_a_job_that_is_removed_is_cancelled_and_goes(rig: Rig) -> None:
    rig.job(tasks=2)
    rig.step()
    with rig.db.write() as c:
        jobs.hold(c, JOB)
        jobs.mark_removing(c, JOB)
    rig.step()
    assert set(rig.backend.cancelled) == {f"id-{JOB}-a1.0", f"id-{JOB}-a1.1"}
    for number in range(2):
        rig.backend.end(f"id-{JOB}-a1.{number}", by_hand=True)
    rig.step(6)
    assert not rig.home.job(JOB).root.exists()
    with rig.db.read() as c:
        assert jobs.removing(c) == []


def test_the_rows_of_a_removed_job_go_in_portions_also_after_a_kill(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others write in between; a server that is killed half way leaves what the next one finishes."""
    rig.job(tasks=30)
    written: list[int] = []

    def some(c: sa.Connection, job: str) -> bool:
        if len(written) == 2:
            raise InterruptedError("killed")
        written.append(1)
        return erase_some(c, job, rows=4)

    erase_some = erasing.erase_some
    monkeypatch.setattr(erasing, "erase_some", some)
    with rig.db.write() as c:
        jobs.mark_removing(c, JOB)
    rig.round()
    assert len(written) == 2
    assert not rig.home.job(JOB).root.exists()
    with rig.db.read() as c:
        assert jobs.removing(c) == [JOB]
        assert 0 < tasks.page(c, JOB).total <= 30
    monkeypatch.setattr(erasing, "erase_some", lambda c, job: erase_some(c, job, rows=4))
    rig.reopen()
    rig.step()
    with rig.db.read() as c:
        assert jobs.removing(c) == []
        assert tasks.page(c, JOB).total == 0
    assert rig.engine.set_aside == {}


def test_what_a_job_would_ask_for(rig: Rig) -> None:
    rig.job(tasks=3)
    spec = rig.detail().spec
    asked = rig.engine.request(spec, 3, check=True)
    assert (asked.count, asked.script) == (3, "# JOB-a1\n")
    assert asked.check is not None
    assert asked.check.accepted
    assert rig.engine.request(spec, 99, check=False).check is None
    assert rig.engine.request(spec, 99, check=False).count == 4
    rig.backend.trouble["check"] = BackendUnavailable("down")
    refused = rig.engine.request(spec, 3, check=True).check
    assert refused is not None
    assert (refused.accepted, refused.message) == (False, "down")
    assert rig.backend.batches == []


def test_the_pause_after_a_round_grows_with_its_work_and_has_an_end() -> None:
    assert [round(pause(used, 0.25), 3) for used in (0.0, 0.05, 0.1, 0.2, 60.0)] == [0.25, 0.25, 0.4, 0.5, 0.5]
    assert pause(60.0, 2.0) == 2.0

"""The engine and a backend that does as it is told: what becomes of allocations, and of the tasks in them."""

import json
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa

from paddock.engine import courier, engine, observe
from paddock.engine.engine import Engine
from paddock.errors import BackendBusy, BackendError, BackendUnavailable
from paddock.models import (
    AllocationChange,
    AllocationState,
    AllocationStatus,
    Attempt,
    Cause,
    JobDetail,
    LimitsRequest,
    Task,
    TaskState,
)
from paddock.paths import Home
from paddock.runner import manifest
from paddock.settings import Settings
from paddock.store import allocations, jobs, tasks
from paddock.store.db import Database
from tests.contract.given import add_job
from tests.unit.fake_backend import FakeBackend

JOB = "k3v9x2ab"
S = TaskState


class Rig:
    """An engine whose rounds and whose clock are ours."""

    def __init__(self, db: Database, home: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        self.db, self.home, self.settings = db, home, settings
        self.backend = FakeBackend()
        self.ahead = 0.0
        monkeypatch.setattr(engine, "time", SimpleNamespace(time=lambda: time.time() + self.ahead))
        monkeypatch.setattr(courier, "RETRY_SECONDS", 0.0)
        self.engine = self.open()

    def open(self) -> Engine:
        """As a server that is started."""
        made = Engine(self.db, self.home, self.settings, [self.backend], lambda: None)
        for one in made.context.couriers.values():
            one.begin()
        return made

    def reopen(self) -> None:
        self.engine.close()
        self.engine = self.open()

    def job(self, tasks: int = 1, job: str = JOB, **spec: Any) -> list[str]:
        folder = self.home.job(job)
        folder.claims.mkdir(parents=True)
        given = {"command": "echo {lr}", "resources": {"backend": "fake"}} | spec
        return add_job(self.db, job, tasks, **given)

    def step(self, rounds: int = 3, seconds: float = 0.0) -> None:
        """Rounds, with all answers in between."""
        self.ahead += seconds
        for _ in range(rounds):
            self.engine.wake()
            self.engine.tick()
            for one in self.engine.context.couriers.values():
                one._executor.submit(lambda: None).result(20)
        self.engine.wake()
        self.engine.tick()

    def say(self, key: str, *records: dict[str, Any], start: int = 1) -> None:
        """What the runner of an allocation would write."""
        path = self.home.job(JOB).journal(key, start)
        with open(path, "a") as file:
            for record in records:
                file.write(json.dumps({"at": 2e9, "attempt": 1, **record}) + "\n")

    def started(self, key: str, task: str, attempt: int = 1, start: int = 1) -> None:
        """The allocation runs, and the task in it."""
        self.backend.run(f"id-{key}")
        self.say(key, {"e": "runner"}, {"e": "started", "task": task, "attempt": attempt, "pid": 7}, start=start)
        self.step()

    def rows(self, job: str = JOB) -> list[sa.Row[Any]]:
        with self.db.read() as c:
            return list(reversed(allocations.last(c, job, 100)))

    def keys(self, job: str = JOB) -> list[str]:
        return [row.key for row in self.rows(job)]

    def detail(self, job: str = JOB) -> JobDetail:
        with self.db.read() as c:
            return jobs.detail(c, job, "")

    def task(self, task: str) -> Task:
        with self.db.read() as c:
            return tasks.get(c, task)

    def attempts(self, task: str) -> list[Attempt]:
        with self.db.read() as c:
            return tasks.attempts_of(c, task)

    def control(self, job: str = JOB) -> list[dict[str, Any]]:
        path = self.home.job(job).control
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def lines(self, job: str = JOB) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.home.job(job).tasks.read_text().splitlines()]

    def published(self, job: str = JOB) -> list[dict[str, Any]]:
        return [line for line in self.lines(job) if "task" in line]


@pytest.fixture
def rig(home: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    db = Database(f"sqlite:///{home.database}")
    db.migrate()
    made = Rig(db, home, settings, monkeypatch)
    yield made
    made.backend.open.set()
    made.engine.close()
    db.close()


def shutdown(task: str, **more: Any) -> dict[str, Any]:
    return {"e": "ended", "task": task, "exit": None, "signal": 15, "by": "shutdown", **more}


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
        monkeypatch.setattr(rig.engine.context.couriers["fake"], "_full_until", 0.0)
        rig.step()
        assert [batch.key for batch in rig.backend.batches] == [f"{JOB}-a1"]
        assert rig.detail().waits is None

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
        rig.engine.tick()
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

    def test_nothing_is_asked_for_before_the_nodes_are_known(self, rig: Rig) -> None:
        """How many GPUs a task gets, and how many fit, would be a guess."""
        rig.job(tasks=2)
        rig.engine.context.couriers["fake"].nodes = []
        rig.engine.context.couriers["fake"]._nodes_at = time.monotonic()
        rig.step()
        assert rig.backend.batches == []
        rig.engine.context.couriers["fake"].refresh_nodes()
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
        rig.engine.context.couriers["fake"].refresh_nodes()
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
        rig.step(seconds=observe.MISSING_SECONDS + 5)
        assert rig.backend.calls.count("trace") == 1
        assert (rig.task(task).state, rig.task(task).cause) == (S.ERROR, Cause.HOST_OOM)
        assert rig.task(task).reason == "too little memory"

    def test_without_records_it_is_lost(self, rig: Rig, task: str) -> None:
        rig.step(seconds=observe.MISSING_SECONDS + 5)
        first, second = rig.attempts(task)
        assert (first.state, first.cause) == (S.ERROR, Cause.LOST)
        assert first.reason == "the backend no longer knows its allocation"
        assert second.resumed

    def test_records_of_an_end_by_hand_hold_the_job(self, rig: Rig, task: str) -> None:
        rig.backend.records[f"id-{JOB}-a1.0"] = AllocationStatus(
            state=AllocationState.ENDED, by_hand=True, reason="scancel"
        )
        rig.step(seconds=observe.MISSING_SECONDS + 5)
        assert rig.task(task).state is S.STOPPED
        assert rig.detail().held

    def test_listed_again_it_goes_on(self, rig: Rig, task: str) -> None:
        rig.backend.trouble["trace"] = BackendUnavailable("the database is down")
        rig.step(seconds=observe.MISSING_SECONDS + 5)
        assert rig.engine.context.missing
        rig.backend.run(f"id-{JOB}-a1.0")
        rig.step(6)
        assert not rig.engine.context.missing
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
        batch = rig.backend.batches[-1]
        assert (batch.key, batch.resources.time_limit, batch.resources.nice) == (f"{JOB}-a2", 7200, 5)
        assert manifest.load(batch.folder_of(0)).time_limit == 7200

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
        rig.engine.tick()
        rig.backend.open.set()
        rig.step(6)
        told = sorted(one for ids, _ in rig.backend.changes for one in ids)
        assert told == [f"id-{JOB}-a1.0", f"id-{JOB}-a2.0"]
        assert {change for _, change in rig.backend.changes} == {AllocationChange(held=True)}


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


class TestSharing:
    def test_out_of_memory_beside_others_is_tried_again_with_more_room(self, rig: Rig) -> None:
        [task] = rig.job()
        rig.step()
        [key] = rig.keys()
        rig.started(key, task)
        room = {"gpu": 9_000_000_000, "host": None, "alone": False}
        rig.say(key, {"e": "ended", "task": task, "exit": 1, "cause": "gpu_oom", "reason": "no memory", "again": room})
        rig.step()
        first, second = rig.attempts(task)
        assert (first.cause, first.reason, second.resumed) == (Cause.GPU_OOM, "no memory", True)
        assert second.room is not None
        assert (second.room.gpu, second.room.alone) == (9_000_000_000, False)
        assert rig.published()[-1]["room"] == room
        rig.say(key, {"e": "started", "task": task, "attempt": 2, "pid": 8})
        rig.say(key, {"e": "ended", "task": task, "attempt": 2, "exit": 1, "cause": "gpu_oom", "reason": "alone"})
        rig.step()
        assert rig.task(task).state is S.ERROR, "it had been alone: nothing else is to be tried"

    def test_a_stop_is_a_stop_however_it_ended(self, rig: Rig) -> None:
        [task] = rig.job()
        rig.step()
        [key] = rig.keys()
        rig.started(key, task)
        with rig.db.write() as c:
            tasks.request_stop(c, JOB, None)
        rig.step()
        rig.say(key, {"e": "ended", "task": task, "exit": 1, "cause": "gpu_oom", "again": {"alone": True}})
        rig.step()
        assert rig.task(task).state is S.STOPPED

    def test_a_whole_allocation_out_of_memory_is_the_fault_of_all_its_tasks(self, rig: Rig) -> None:
        first, second = rig.job(2, resources={"backend": "fake", "slots": 2})
        rig.step()
        [key] = rig.keys()
        rig.started(key, first)
        rig.started(key, second)
        rig.say(key, {"e": "usage", "task": first, "memory": 7_000, "cpu": 1.0})
        rig.say(key, {"e": "usage", "task": second, "memory": 5_000, "cpu": 1.0})
        ended = AllocationStatus(state=AllocationState.ENDED, cause=Cause.HOST_OOM, reason="too much")
        rig.backend.statuses[f"id-{key}"] = ended
        rig.step(6)
        for task, held in ((first, 7_000), (second, 5_000)):
            before, after = rig.attempts(task)
            assert before.cause is Cause.HOST_OOM
            assert after.room is not None
            assert (after.room.host, after.room.alone) == (held, True)

    def test_where_a_task_sits_and_how_many_share(self, rig: Rig) -> None:
        [task] = rig.job()
        rig.step()
        [key] = rig.keys()
        rig.backend.run(f"id-{key}")
        seat = {
            "gpus": ["GPU-1"],
            "gpu_name": "H200",
            "cores": [0, 1],
            "threads": 2,
            "sharing": "turns",
            "why": "no MPS",
        }
        said = {
            "gpu": "H200",
            "tasks": 4,
            "auto": True,
            "limit": "cores",
            "need": 10**9,
            "speedup": 3.5,
            "known": False,
        }
        rig.say(key, {"e": "started", "task": task, "pid": 7, "seat": seat}, {"e": "packing", **said})
        rig.say(key, {"e": "usage", "task": task, "memory": 5, "cpu": 1.0, "gpu_memory": 7, "gpu_load": 0.5})
        rig.step()
        shown = rig.task(task)
        assert shown.seat is not None
        assert shown.seat.model_dump() == seat
        assert (shown.peak_memory, shown.peak_gpu_memory) == (5, 7)
        [packing] = rig.detail().packing
        assert (packing.tasks, packing.limit, packing.speedup) == (4, "cores", 3.5)

    @pytest.mark.parametrize("seat", [[], "x", {"gpus": 3}, {"strange": 1}])
    def test_a_seat_that_cannot_be_read_is_none(self, rig: Rig, seat: Any) -> None:
        [task] = rig.job()
        rig.step()
        [key] = rig.keys()
        rig.backend.run(f"id-{key}")
        rig.say(key, {"e": "started", "task": task, "pid": 7, "seat": seat}, {"e": "packing", "gpu": 7})
        rig.step()
        assert (rig.task(task).state, rig.task(task).seat, rig.detail().packing) == (S.RUNNING, None, [])

"""Test the reduce of a job in the engine, with a scripted backend and scripted runners."""

from collections.abc import Iterator
from typing import Any

import pytest

from paddock.models import TaskState as S
from paddock.paths import Home
from paddock.server.store import tasks
from paddock.settings import Settings
from tests.server.engine.engine_rig import JOB, Rig, rigged

REDUCE = f"{JOB}-3"


class ReduceRig(Rig):
    def end(self, task: str, attempt: int = 1, **ended: Any) -> None:
        self.started(self.keys()[0], task, attempt)
        record = {"e": "ended", "task": task, "attempt": attempt, "exit": 0, "signal": None, "by": None}
        self.say(self.keys()[0], record | ended)
        self.step(1)

    def restart(self, *ids: str) -> None:
        with self.db.write() as c:
            tasks.restart(c, JOB, list(ids), failed=False, resume=True)
        self.step(1)

    def numbers(self) -> list[int]:
        with self.db.read() as c:
            return [task.number for task in tasks.page(c, JOB).items]


@pytest.fixture
def rig(home: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[ReduceRig]:
    with rigged(ReduceRig, home, settings, monkeypatch) as made:
        yield made


def test_after_all_others_in_the_same_allocation(rig: ReduceRig) -> None:
    rig.job(tasks=2, reduce="echo {results}", environment={"variables": {"A": "b"}})
    rig.step()
    assert [line.get("task") for line in rig.lines()] == [f"{JOB}-1", f"{JOB}-2"], "no end: runners wait for more"
    rig.end(f"{JOB}-1")
    assert rig.numbers() == [1, 2]
    rig.end(f"{JOB}-2")
    line, end = rig.lines()[2:]
    assert (line["task"], line["params"], end) == (REDUCE, {}, {"end": True})
    assert line["argv"] == ["/bin/sh", "-c", 'echo "${PADDOCK_RESULTS}"']
    assert line["env"]["PADDOCK_RESULTS"] == str(rig.home.job(JOB).task(REDUCE).parent)
    assert line["env"]["A"] == "b"
    assert not rig.detail().ended
    assert len(rig.backend.batches) == 1
    rig.end(REDUCE)
    assert (rig.detail().ended, rig.detail().counts.finished) == (True, 3)
    rig.step()
    assert rig.numbers() == [1, 2, 3]


def test_what_it_reports_does_not_compete(rig: ReduceRig) -> None:
    rig.job(tasks=2, reduce="true", objective=["val_loss", "seconds"])
    rig.step()
    metric = {"e": "metric", "step": 1, "v": {"val_loss": 0.5}}
    for task in (f"{JOB}-1", f"{JOB}-2"):
        rig.started(rig.keys()[0], task)
        rig.say(rig.keys()[0], metric | {"task": task})
        rig.end(task)
    rig.started(rig.keys()[0], REDUCE)
    rig.say(rig.keys()[0], metric | {"task": REDUCE, "v": {"val_loss": 0.1}})
    rig.end(REDUCE)
    last = rig.task(REDUCE)
    assert (last.best_value, last.values, last.reduces) == (None, [], True)
    assert (rig.detail().best_task, rig.detail().best_value) == (f"{JOB}-1", 0.5)


def test_a_task_that_failed_is_waited_for(rig: ReduceRig) -> None:
    rig.job(tasks=2, reduce="true")
    rig.step()
    rig.end(f"{JOB}-1")
    rig.end(f"{JOB}-2", exit=1, cause="user_error", reason="x")
    rig.step()
    assert (rig.numbers(), rig.detail().ended, rig.detail().counts.error) == ([1, 2], True, 1)
    rig.restart(f"{JOB}-2")
    rig.end(f"{JOB}-2", 2)
    assert rig.numbers() == [1, 2, 3]


def test_a_crash_before_it_was_added(rig: ReduceRig, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.job(tasks=2, reduce="true")
    rig.step()
    rig.end(f"{JOB}-1")
    with monkeypatch.context() as patch:
        patch.setattr(rig.engine._reducer, "run", lambda: None)
        rig.end(f"{JOB}-2")
        assert (rig.numbers(), rig.detail().ended) == ([1, 2], False)
    rig.reopen()
    rig.step(1)
    assert rig.numbers() == [1, 2, 3]
    rig.reopen()
    rig.step(1)
    assert rig.numbers() == [1, 2, 3]


def test_again_after_a_task_that_was_restarted(rig: ReduceRig) -> None:
    rig.job(tasks=2, reduce="true")
    rig.step()
    for task in (f"{JOB}-1", f"{JOB}-2", REDUCE):
        rig.end(task)
    rig.restart(f"{JOB}-1")
    rig.end(f"{JOB}-1", 2)
    assert [one.state for one in rig.attempts(REDUCE)] == [S.FINISHED, S.SUBMITTED]
    assert rig.lines()[-2:] == [rig.lines()[-2] | {"task": REDUCE, "attempt": 2, "resume": False}, {"end": True}]

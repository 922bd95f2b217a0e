"""Test metrics that a task wrote and its dead runner did not report."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paddock.common import layout
from paddock.models import Cause
from paddock.models import TaskState as S
from paddock.paths import Home
from paddock.server.engine import recover_metrics
from paddock.server.outposts import here
from paddock.server.store import jobs, metrics
from paddock.settings import Settings
from tests.server.engine.engine_rig import JOB, Rig, rigged

TASK = f"{JOB}-1"


class UnreadRig(Rig):
    def begin(self, attempt: int = 1) -> None:
        self.step()
        self.started(self.keys()[-1], TASK, attempt)

    def told(self, *points: tuple[int, float], attempt: int = 1) -> None:
        records = [
            {"e": "metric", "task": TASK, "attempt": attempt, "step": s, "v": {"val_loss": v}} for s, v in points
        ]
        self.say(self.keys()[-1], *records)
        self.step(1)

    def log(self, text: str, attempt: int = 1) -> None:
        path = Path(layout.log(layout.attempt(str(self.folder), attempt)))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    @property
    def folder(self) -> Path:
        return self.home.job(JOB).task(TASK)

    def lose(self) -> None:
        self.backend.end(f"id-{self.keys()[-1]}", Cause.NODE_FAILURE)
        self.step()

    def curve(self) -> list[tuple[float, float | None]]:
        with self.db.read() as c:
            [found] = metrics.curves(c, [TASK], ["val_loss"], None)
        return list(zip(found.steps, found.values, strict=True))


@pytest.fixture
def rig(home: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[UnreadRig]:
    with rigged(UnreadRig, home, settings, monkeypatch) as made:
        made.job(retries={"node_failure": 5})
        made.begin()
        yield made


def test_it_counts_before_the_task_goes_on(rig: UnreadRig) -> None:
    rig.told((1, 0.9), (2, 0.8))
    rig.log("epoch: 1 val_loss: 7\nepoch: 2 val_loss: 7\nepoch: 3 val_loss: 0.7\nepoch: 4 val_loss: 0.6\nepo")
    rig.lose()
    assert rig.curve() == [(1, 0.9), (2, 0.8), (3, 0.7), (4, 0.6)]
    task = rig.task(TASK)
    assert (task.attempt, task.epoch, task.best_value, task.best_epoch) == (2, 4, 0.6, 4)
    first, second = rig.attempts(TASK)
    assert (first.state, first.cause, second.resumed) == (S.ERROR, Cause.NODE_FAILURE, True)


def test_of_a_log_that_attempts_go_on_with_what_is_new(rig: UnreadRig) -> None:
    log = rig.folder / "work" / "log.csv"
    log.parent.mkdir(parents=True)
    rig.log("epoch: 1 val_loss: 7\n")
    log.write_text("epoch,val_loss\n1,0.9\n2,0.8\n")
    rig.lose()
    assert rig.curve() == [(1, 0.9), (2, 0.8)], "the file gives it, not standard output"
    rig.begin(2)
    rig.told((2, 0.81), (3, 0.7), attempt=2)
    rig.log("", attempt=2)
    log.write_text("epoch,val_loss\n1,0.9\n2,0.8\n2,0.81\n3,0.7\n4,0.6\n")
    rig.lose()
    assert rig.curve() == [(1, 0.9), (2, 0.81), (3, 0.7), (4, 0.6)]


def test_patterns_of_the_job_are_searched_for(rig: UnreadRig) -> None:
    with rig.db.write() as c:
        jobs.mark_metric(c, JOB, r"turn (?P<epoch>\d+) gave (?P<val_loss>\S+)")
    rig.told((1, 0.9))
    rig.log("turn 1 gave 0.9\nturn 2 gave 0.8\nepoch 2 val_loss: 7\nturn 3 gave 0.7\n")
    rig.lose()
    assert rig.curve() == [(1, 0.9), (2, 0.8), (3, 0.7)], "they count more than what is found without them"


def test_a_long_log_is_read_in_a_process_of_its_own(rig: UnreadRig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(here, "LONG_LOG", 10)
    rig.told((1, 0.9))
    rig.log("epoch: 1 val_loss: 0.9\nepoch: 2 val_loss: 0.8\n")
    rig.lose()
    assert rig.curve() == [(1, 0.9), (2, 0.8)]


@pytest.mark.parametrize("what", ["nothing was written", "nothing can be read"])
def test_the_end_is_told_in_any_case(rig: UnreadRig, what: str) -> None:
    rig.told((1, 0.9))
    if what == "nothing can be read":
        Path(layout.log(layout.attempt(str(rig.folder), 1))).mkdir(parents=True)
    rig.lose()
    assert rig.curve() == [(1, 0.9)]
    assert rig.task(TASK).attempt == 2


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Files are read when this is set."""
    may_go_on = threading.Event()
    written = recover_metrics._written

    def waiting(*given: Any) -> Any:
        assert may_go_on.wait(120)
        return written(*given)

    monkeypatch.setattr(recover_metrics, "_written", waiting)
    yield may_go_on
    may_go_on.set()


def test_it_is_not_waited_for_in_the_engines_thread(rig: UnreadRig, slow: threading.Event) -> None:
    rig.job(job="zzz")
    rig.log("epoch: 1 val_loss: 0.8\n")
    rig.backend.end(f"id-{rig.keys()[-1]}", Cause.NODE_FAILURE)
    for _ in range(3):
        rig.round()
    assert rig.keys("zzz") == ["zzz-a1.0"], "others go on"
    assert (rig.task(TASK).state, rig.task(TASK).attempt) == (S.RUNNING, 1)
    slow.set()
    rig.step()
    assert rig.curve() == [(1, 0.8)]
    assert rig.task(TASK).attempt == 2


def test_a_crash_in_between_loses_and_doubles_nothing(rig: UnreadRig, slow: threading.Event) -> None:
    rig.told((1, 0.9))
    rig.log("epoch: 1 val_loss: 7\nepoch: 2 val_loss: 0.8\n")
    rig.backend.end(f"id-{rig.keys()[-1]}", Cause.NODE_FAILURE)
    for _ in range(3):
        rig.round()
    assert rig.task(TASK).attempt == 1
    rig.reopen()
    slow.set()
    rig.step()
    rig.step()
    assert rig.curve() == [(1, 0.9), (2, 0.8)]
    assert rig.task(TASK).attempt == 2


def test_what_takes_too_long_is_left_out(
    rig: UnreadRig, slow: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.told((1, 0.9))
    rig.log("epoch: 2 val_loss: 0.8\n")
    monkeypatch.setattr(recover_metrics, "SECONDS", 0.0)
    rig.lose()
    assert rig.curve() == [(1, 0.9)]
    assert rig.task(TASK).attempt == 2

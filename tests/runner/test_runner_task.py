"""Test how the end of a process is reported."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

from paddock.runner import manifest
from paddock.runner.mailbox import QueuedAttempt
from paddock.runner.process import task
from paddock.runner.process.leftovers import Leftover
from paddock.runner.process.prepare import Preparer
from paddock.runner.process.usage import OomCounter
from tests.runner.folder import Folder


class Striking(OomCounter):
    """A kernel that has killed once more at every look."""

    count = 0

    def read(self) -> int:
        self.count += 1
        return self.count


def run(folder: Folder, oom: OomCounter, *argv: str) -> dict[str, Any]:
    order = manifest.load(str(folder.allocate()))
    attempt = QueuedAttempt("t-1", 1, {"argv": list(argv)})
    running = task.start(order, Preparer(order.job_dir, order.job), oom, attempt, {})
    os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOWAIT)
    running.reap()
    return running.ended()


@pytest.mark.parametrize(
    ("text", "struck"), [("kill -9 $$", True), ("exit 137", True), ("kill -15 $$", False), ("exit 1", False)]
)
def test_out_of_memory(folder: Folder, monkeypatch: pytest.MonkeyPatch, text: str, struck: bool) -> None:
    seen = []

    def explain(log: str, code: int | None, signal: int | None, oom: bool) -> tuple[str, str]:
        seen.append(oom)
        return "host_oom", Path(log).name

    monkeypatch.setattr(task, "explain", explain)
    end = run(folder, Striking(), "sh", "-c", text)
    assert seen == [struck]
    assert (end["cause"], end["reason"]) == ("host_oom", "out.log")


def test_a_kernel_that_did_not_kill(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task, "explain", lambda log, code, signal, oom: (str(oom), None))
    assert run(folder, OomCounter(), "sh", "-c", "kill -9 $$")["cause"] == "False"


def test_an_explanation_that_fails(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    def explain(*_: object) -> tuple[str, str]:
        raise OSError("no log")

    monkeypatch.setattr(task, "explain", explain)
    end = run(folder, OomCounter(), "sh", "-c", "exit 4")
    assert (end["exit"], end["cause"], end["reason"]) == (4, "user_error", "exit code 4")


def test_what_cannot_be_killed_is_reported_in_the_end(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task, "KILL_SECONDS", 0.05)
    order = manifest.load(str(folder.allocate()))
    running = task.start(
        order, Preparer(order.job_dir, order.job), OomCounter(), QueuedAttempt("t-1", 1, {"argv": ["true"]}), {}
    )
    os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOWAIT)
    running.reap()
    hanging = [Leftover(2**22 + 1, False)]
    assert not running.settled(hanging)
    time.sleep(0.1)
    assert running.settled(hanging)
    assert [r["text"] for r in running.watch.poll() if r["e"] == "warning"] == [
        f"process {2**22 + 1} could not be killed: end it by hand, or restart the node"
    ]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("kill -9 $$", task.KILLED_SECONDS), ("exit 137", task.KILLED_SECONDS), ("kill -15 $$", task.TERM_SECONDS)],
)
def test_who_was_ended_from_outside_waits_for_the_runner_to_be_ended_too(
    folder: Folder, text: str, seconds: float
) -> None:
    """Whoever ends all of them at once may get to the task first: that is not to be told as an error of the task."""
    order = manifest.load(str(folder.allocate()))
    attempt = QueuedAttempt("t-1", 1, {"argv": ["sh", "-c", text]})
    now = time.monotonic()
    running = task.start(order, Preparer(order.job_dir, order.job), OomCounter(), attempt, {}, clock=lambda: now)
    os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOWAIT)
    running.reap()
    assert not running.settled([])
    now += seconds - 0.01
    assert not running.settled([])
    now += 0.02
    assert running.settled([])


def test_who_ended_by_itself_does_not_wait(folder: Folder) -> None:
    order = manifest.load(str(folder.allocate()))
    attempt = QueuedAttempt("t-1", 1, {"argv": ["sh", "-c", "exit 1"]})
    running = task.start(order, Preparer(order.job_dir, order.job), OomCounter(), attempt, {})
    os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOWAIT)
    running.reap()
    assert running.settled([])

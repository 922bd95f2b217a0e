"""Test ending tasks and runners: nothing is left behind, and the journal reports what happened."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.runner.folder import Folder, ended, is_running, kinds, wait_for

POLITE = """
import signal, sys, time
def leave(*_):
    print("saving"); time.sleep(0.3); print("saved"); sys.exit(3)
signal.signal(signal.SIGTERM, leave)
print("ready"); time.sleep(60)
"""
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready'); time.sleep(60)"
FORKS = """
import os, time
for _ in range(3):
    if os.fork() == 0:
        {child}
        open("pids", "a").write("%d\\n" % os.getpid())
        time.sleep(60)
        os._exit(0)
while not os.path.exists("pids") or len(open("pids").readlines()) < 3: time.sleep(0.01)
print("ready")
{parent}
"""
DAEMON = """os.setsid()
        if os.fork(): os._exit(0)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)"""


def ready(folder: Folder, task: str = "t-1") -> None:
    folder.await_record("started", task)
    wait_for(lambda: "ready" in folder.log(task))


def left(folder: Folder, task: str) -> list[int]:
    pids = [int(line) for line in (folder.results(task) / "work" / "pids").read_text().split()]
    assert pids
    return [pid for pid in pids if is_running(pid)]


@pytest.mark.parametrize("op", ["stop", "prune", "follow"])
def test_stop_leaves_time_to_save(folder: Folder, op: str, python: str) -> None:
    folder.python = python
    folder.python_task("t-1", POLITE)
    folder.end()
    folder.allocate()
    runner = folder.start()
    ready(folder)
    folder.order(op, task="t-1", attempt=1)
    folder.order("stop", task="t-1", attempt=1)
    assert runner.wait(120) == 0
    end = ended(folder.records(), "t-1")
    assert (end["exit"], end["signal"], end["by"]) == (3, None, op)
    assert (end["cause"], end["reason"]) == (None, None)
    assert folder.log("t-1").endswith("saved\n")


def test_stop_leaves_time_to_what_a_shell_started(folder: Folder) -> None:
    script = folder.code("polite.py", POLITE)
    folder.add("t-1", "sh", "-c", f"'{sys.executable}' '{script}'; true")
    folder.end()
    folder.allocate()
    runner = folder.start()
    ready(folder)
    folder.order("stop", task="t-1", attempt=1)
    assert runner.wait(120) == 0
    assert folder.log("t-1").endswith("saved\n")
    assert ended(folder.records(), "t-1")["by"] == "stop"


def test_one_that_ignores_sigterm_is_killed(folder: Folder) -> None:
    folder.python_task("t-1", STUBBORN)
    folder.end()
    folder.allocate(grace_seconds=0.3)
    runner = folder.start()
    ready(folder)
    folder.order("stop", task="t-1", attempt=1)
    assert runner.wait(120) == 0
    end = ended(folder.records(), "t-1")
    assert (end["exit"], end["signal"], end["by"]) == (None, signal.SIGKILL, "stop")


@pytest.mark.parametrize("child", ["pass", DAEMON], ids=["children", "daemons"])
@pytest.mark.parametrize("slots", [1, 2])
def test_nothing_is_left_after_the_end(folder: Folder, child: str, slots: int) -> None:
    folder.python_task("t-1", "import signal\n" + FORKS.format(child=child, parent="raise SystemExit(0)"))
    if slots == 2:
        folder.python_task("t-2", "import time; print('ready'); time.sleep(1.5)")
    folder.end()
    folder.allocate(slots=slots)
    runner = folder.start()
    end = folder.await_record("ended", "t-1")
    assert left(folder, "t-1") == []
    assert end["exit"] == 0
    assert runner.wait(120) == 0
    if slots == 2:
        assert ended(folder.records(), "t-2")["exit"] == 0


@pytest.mark.parametrize("child", ["pass", DAEMON], ids=["children", "daemons"])
def test_nothing_is_left_after_a_stop(folder: Folder, child: str) -> None:
    folder.python_task("t-1", "import signal\n" + FORKS.format(child=child, parent="time.sleep(60)"))
    folder.end()
    folder.allocate(grace_seconds=0.5)
    runner = folder.start()
    ready(folder)
    folder.order("stop", task="t-1", attempt=1)
    folder.await_record("ended", "t-1")
    assert left(folder, "t-1") == []
    assert runner.wait(120) == 0


def test_a_daemon_with_another_environment_goes_too(folder: Folder) -> None:
    folder.add(
        "t-1", "sh", "-c", "setsid env -i sh -c 'echo $$ > pids; exec sleep 60' & while [ ! -s pids ]; do :; done"
    )
    folder.end()
    folder.allocate()
    assert ended(folder.run(), "t-1")["exit"] == 0
    assert left(folder, "t-1") == []


def test_children_of_the_shell_before_are_left_alone(folder: Folder, pyz: Path) -> None:
    folder.add("t-1", "true")
    folder.end()
    allocation = folder.allocate()
    pid = folder.root / "pid"
    text = f"sleep 60 & echo $! > '{pid}'; exec '{sys.executable}' -I -S '{pyz}' '{allocation}'"
    subprocess.run(["sh", "-c", text], check=True)
    stranger = int(pid.read_text())
    assert is_running(stranger)
    os.kill(stranger, signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_shutdown(folder: Folder, number: int) -> None:
    folder.python_task("t-1", POLITE)
    folder.python_task("t-2", STUBBORN)
    folder.add("t-3", "true")
    folder.allocate(slots=2, grace_seconds=1.0)
    runner = folder.start()
    ready(folder, "t-1")
    ready(folder, "t-2")
    runner.send_signal(signal.SIGHUP)
    runner.send_signal(number)
    assert runner.wait(120) == 0
    records = folder.records()
    assert records[-1]["e"] == "bye"
    polite, stubborn = ended(records, "t-1"), ended(records, "t-2")
    assert (polite["exit"], polite["by"]) == (3, "shutdown")
    assert (stubborn["signal"], stubborn["by"]) == (signal.SIGKILL, "shutdown")
    assert not (folder.root / "claims" / "t-3.1").exists()


def test_a_scheduler_that_signals_the_task_first(folder: Folder) -> None:
    folder.add("t-1", "sleep", "60")
    folder.allocate(poll_seconds=0.5)
    runner = folder.start()
    pid = folder.await_record("started", "t-1")["pid"]
    os.kill(pid, signal.SIGTERM)
    time.sleep(0.05)
    runner.send_signal(signal.SIGTERM)
    assert runner.wait(120) == 0
    end = ended(folder.records(), "t-1")
    assert (end["signal"], end["by"]) == (signal.SIGTERM, "shutdown")


def test_killed_runner_leaves_a_good_journal_and_no_task(folder: Folder) -> None:
    for i in range(3):
        folder.python_task(f"t-{i}", "import time\nfor i in range(6000): print('loss', i); time.sleep(0.01)")
    folder.allocate(slots=3)
    runner = folder.start()
    pids = [folder.await_record("started", f"t-{i}")["pid"] for i in range(3)]
    runner.kill()
    runner.wait()
    assert kinds(folder.records())[0] == "runner"
    assert not [r for r in folder.records() if r["e"] in ("ended", "bye")]
    wait_for(lambda: not any(map(is_running, pids)))


def test_warning_before_the_time_limit(folder: Folder) -> None:
    folder.python_task(
        "t-1",
        "import signal, sys, time\n"
        "signal.signal(signal.SIGUSR1, lambda *_: (print('warned'), sys.exit(0)))\nprint('ready')\ntime.sleep(60)",
    )
    folder.add("t-2", "sh", "-c", "echo ready; sleep 0.7")
    folder.add("t-3", "true")
    folder.allocate(slots=2)
    runner = folder.start()
    ready(folder, "t-1")
    ready(folder, "t-2")
    runner.send_signal(signal.SIGUSR1)
    assert runner.wait(120) == 0
    records = folder.records()
    assert folder.log("t-1") == "ready\nwarned\n"
    assert ended(records, "t-2")["exit"] == 0
    assert not (folder.root / "claims" / "t-3.1").exists()


def test_job_removed(folder: Folder) -> None:
    folder.python_task("t-1", STUBBORN)
    folder.allocate(grace_seconds=60.0)
    runner = folder.start()
    ready(folder)
    pid = folder.await_record("started", "t-1")["pid"]
    (folder.root / "job.json").unlink()
    shutil.rmtree(folder.root)
    assert runner.wait(120) == 0
    assert not is_running(pid)


SAVES = """
import os, signal, sys, time
def leave(*_):
    print("saved"); sys.exit(3)
signal.signal(signal.SIGTERM, leave)
open(os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "step"), "w").close()
print("ready"); time.sleep(600)
"""
UNSAVED = """
import os, time
print("ready", flush=True)
while not os.path.exists("go"): time.sleep(0.05)
"""


def test_what_has_a_checkpoint_makes_room_at_once_and_the_rest_goes_on(folder: Folder) -> None:
    folder.python_task("t-1", SAVES)
    folder.python_task("t-2", UNSAVED)
    folder.allocate(slots=2)
    runner = folder.start()
    ready(folder, "t-1")
    ready(folder, "t-2")
    folder.order("drain", allocation="a2.0", saved=True, why="not for this one")
    folder.order("drain", allocation="a1.0", saved=True, why="made room for bob's job 38")
    end = folder.await_record("ended", "t-1")
    assert (end["by"], end["cause"], end["reason"]) == ("shutdown", "yielded", "made room for bob's job 38")
    assert end["made_way"] is True
    assert folder.log("t-1").endswith("saved\n")
    folder.add("t-3", "true")
    (folder.results("t-2") / "work" / "go").touch()
    assert runner.wait(120) == 0
    records = folder.records()
    assert (ended(records, "t-2")["exit"], ended(records, "t-2")["by"]) == (0, None)
    assert not (folder.root / "claims" / "t-3.1").exists()
    assert kinds(records)[-1] == "bye"


def test_others_have_their_turn_after_a_while(folder: Folder) -> None:
    folder.python_task("t-1", UNSAVED)
    folder.allocate(turn_seconds=0.5)
    runner = folder.start()
    ready(folder)
    folder.add("t-2", "true")
    time.sleep(0.5)
    (folder.results("t-1") / "work" / "go").touch()
    assert runner.wait(120) == 0
    assert ended(folder.records(), "t-1")["exit"] == 0
    assert not (folder.root / "claims" / "t-2.1").exists()

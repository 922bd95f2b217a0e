"""Test that the tasks of a runner die with it, and no others."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from paddock.common import processes
from tests.runner.folder import Folder, is_running, wait_for

FAMILY = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    open("child", "w").write(str(os.getpid()))
else:
    while not os.path.exists("child"): time.sleep(0.01)
    print("ready", flush=True)
time.sleep(300)
"""


def _pids(folder: Folder, task: str) -> list[int]:
    leader: int = folder.await_record("started", task)["pid"]
    wait_for(lambda: (folder.results(task) / "work" / "child").exists() and "ready" in folder.log(task))
    return [leader, int((folder.results(task) / "work" / "child").read_text())]


def test_a_killed_runner_takes_its_tasks_and_their_children_along(folder: Folder, python: str) -> None:
    folder.python = python
    folder.python_task("t-1", FAMILY)
    folder.allocate()
    runner = folder.start()
    pids = _pids(folder, "t-1")
    assert all(map(is_running, pids))
    runner.send_signal(signal.SIGKILL)
    wait_for(lambda: not any(map(is_running, pids)))


def test_also_what_left_the_group_and_has_no_mark(folder: Folder, python: str) -> None:
    """As what Apptainer mounts its images with; it does not end when its parent is killed."""
    folder.python = python
    text = """
import os, subprocess, time
found = subprocess.Popen(["sleep", "300"], env={}, process_group=0)
open("child", "w").write(str(found.pid))
print("ready", flush=True)
time.sleep(300)
"""
    folder.python_task("t-1", text)
    folder.allocate()
    runner = folder.start()
    pids = _pids(folder, "t-1")
    runner.kill()
    wait_for(lambda: not any(map(is_running, pids)))


def test_the_guard_removes_the_containers_that_are_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    podman = tmp_path / "podman"
    podman.write_text(f'#!/bin/sh\necho "$5" >> {tmp_path}/removed\n')
    podman.chmod(0o755)
    text = """
import os, signal
from paddock.runner.process.guard import Guard
guard = Guard("a1.0")
guard.watch(1 << 22, "ended")
guard.watch(1 << 22 | 1, "left")
guard.forget(1 << 22)
os.kill(os.getpid(), signal.SIGKILL)
"""
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    subprocess.run([sys.executable, "-c", text], env=env, check=False)
    wait_for(lambda: (tmp_path / "removed").exists() and (tmp_path / "removed").read_text())
    assert (tmp_path / "removed").read_text() == "left\n"


def test_also_a_task_that_emptied_its_environment(folder: Folder) -> None:
    folder.add("t-1", "env", "-i", "sleep", "300")
    folder.allocate()
    runner = folder.start()
    pid = folder.await_record("started", "t-1")["pid"]
    wait_for(lambda: b"sleep" in Path(f"/proc/{pid}/cmdline").read_bytes())
    runner.kill()
    wait_for(lambda: not is_running(pid))


def test_the_tasks_of_another_runner_and_strangers_are_left_alone(folder: Folder) -> None:
    folder.python_task("t-1", FAMILY)
    folder.python_task("t-2", FAMILY)
    folder.allocate("a1.0")
    folder.allocate("a2.0")
    first = folder.start("a1.0")
    pids = _pids(folder, "t-1")
    folder.start("a2.0")
    other = folder.await_record("started", "t-2", "a2.0")["pid"]
    stranger = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
    try:
        first.kill()
        wait_for(lambda: not any(map(is_running, pids)))
        assert is_running(stranger.pid)
        assert is_running(other)
    finally:
        stranger.kill()
        stranger.wait()


def _guard(runner: int, task: int) -> int | None:
    """The child of the runner that is not its task."""
    found = [pid for pid in processes.children(runner) if pid != task and is_running(pid)]
    return found[0] if found else None


def test_a_guard_that_dies_is_replaced(folder: Folder) -> None:
    folder.python_task("t-1", FAMILY)
    folder.allocate()
    runner = folder.start()
    pids = _pids(folder, "t-1")
    for _ in range(2):
        guard = wait_for(lambda: _guard(runner.pid, pids[0]))
        os.kill(guard, signal.SIGKILL)
        wait_for(lambda: _guard(runner.pid, pids[0]) not in (None, guard))  # noqa: B023
    assert all(map(is_running, pids))
    runner.kill()
    wait_for(lambda: not any(map(is_running, pids)))


OWNER = """
import os, signal, sys
from paddock.runner.process.guard import Guard
guard = Guard("a1.0")
guard.remove(sys.argv[1])
if len(sys.argv) > 2:  # it goes to the next one, too
    os.kill(guard._pid, signal.SIGKILL)
    os.waitpid(guard._pid, 0)
    guard.ended(guard._pid)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("more", [[], ["replaced"]])
def test_a_folder_of_a_killed_runner_goes_as_well(tmp_path: Path, more: list[str]) -> None:
    """As that of MPS, in the folder for temporary files."""
    folder = tmp_path / "paddock-mps-é"
    folder.mkdir()
    (folder / "out.log").write_text("")
    subprocess.run([sys.executable, "-c", OWNER, str(folder), *more], check=False)
    wait_for(lambda: not folder.exists())
    assert tmp_path.exists()


ENDING = """
import os, sys
from paddock.runner.process.guard import Guard
guard = Guard("a1.0")
guard.remove(sys.argv[1])
guard.end(120)
print(os.path.exists(sys.argv[1]), os.path.exists("/proc/%d" % guard._pid))
"""


def test_a_runner_that_ends_leaves_no_guard_behind(tmp_path: Path) -> None:
    """Slurm would wait a second for it, before it gives the GPUs to others."""
    folder = tmp_path / "terminals"
    folder.mkdir()
    argv = [sys.executable, "-c", ENDING, str(folder)]
    assert subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split() == ["False", "False"]

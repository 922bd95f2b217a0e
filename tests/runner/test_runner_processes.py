"""Test the reading of /proc, with and without files that not every kernel has."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from paddock.common import processes
from paddock.runner.process import usage
from tests.runner.folder import wait_for


@pytest.fixture(params=[True, False], ids=["children files", "scan"])
def family(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    if request.param and not processes.HAS_CHILDREN_FILES:
        pytest.skip("this kernel has no /proc/PID/task/TID/children")
    monkeypatch.setattr(processes, "HAS_CHILDREN_FILES", request.param)
    with subprocess.Popen(["sh", "-c", "sleep 60 & sleep 60 & wait"], start_new_session=True) as shell:
        wait_for(lambda: len(processes.children(shell.pid)) == 2)
        yield shell
        os.killpg(shell.pid, signal.SIGKILL)


def test_tree(family: subprocess.Popen[bytes]) -> None:
    assert family.pid in processes.children(os.getpid())
    assert next(processes.tree(family.pid)) == family.pid
    assert set(processes.tree(family.pid)) == {family.pid, *processes.children(family.pid)}


def test_stat_of_a_hostile_name(tmp_path: Path) -> None:
    program = tmp_path / ") (x) 1 2"
    program.symlink_to("/bin/sleep")
    with subprocess.Popen([program, "60"]) as process:
        wait_for(lambda: Path(f"/proc/{process.pid}/comm").read_text().startswith(")"))
        # The name is there a moment before the memory.
        stat = wait_for(lambda: now if (now := processes.stat(process.pid)) and now.memory else None)
        process.kill()
    assert stat.parent == os.getpid()


def test_a_process_that_is_gone() -> None:
    gone = 2**22 + 1
    assert processes.stat(gone) is None
    assert processes.children(gone) == []
    assert processes.variable(gone, "PATH") is None
    assert not processes.catches(gone, signal.SIGUSR1)
    assert usage.Sampler(gone).sample() is None


def test_variable_and_catches() -> None:
    text = "import signal, time; signal.signal(signal.SIGUSR1, print); print(flush=True); time.sleep(60)"
    env = {**os.environ, "A": "1=2 x"}
    with subprocess.Popen([sys.executable, "-c", text], env=env, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert processes.variable(process.pid, "A") == "1=2 x"
        assert processes.variable(process.pid, "B") is None
        assert processes.catches(process.pid, signal.SIGUSR1)
        assert not processes.catches(process.pid, signal.SIGUSR2)
        process.kill()


@pytest.mark.parametrize(
    ("content", "count"), [("low 0\noom 1\noom_kill 3\n", 3), ("oom_kill_disable 0\noom_kill 2\n", 2), ("x", None)]
)
def test_oom_count(tmp_path: Path, content: str, count: int | None) -> None:
    path = tmp_path / "memory.events"
    path.write_text(content)
    assert usage.count(str(path), "oom_kill ") == count
    assert usage.count(str(tmp_path / "missing"), "oom_kill ") is None


def test_oom_counter_reads_something() -> None:
    assert usage.OomCounter().read() >= 0

"""Test that a runner looks rarely at files that do not change: on a network file system, every look asks its server."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

from paddock.runner.process.log_limit import LogLimit
from paddock.runner.sources.follower import Follower
from tests.runner.folder import Folder, wait_for
from tests.runner.follow_rig import Rig

# Starts the runner, and writes down each call that names a file: when, and which.
COUNTING = """
import os, runpy, sys, time
_, counted, pyz, folder = sys.argv
out = os.open(counted, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def counting(name, call):
    def counted(*args, **options):
        os.write(out, f"{time.monotonic()} {name} {args[0]}\\n".encode())
        return call(*args, **options)
    return counted
for name in ("open", "stat", "lstat", "scandir", "mkdir"):
    setattr(os, name, counting(name, getattr(os, name)))
sys.argv = [pyz, folder]
runpy.run_path(pyz, run_name="__main__")
"""


class Watched:
    """A follower on a made clock, and how often it looked at each file."""

    def __init__(self, rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.looks: list[str] = []
        self.rig = rig
        real = os.lstat

        def lstat(path: Any, **options: Any) -> os.stat_result:
            self.looks.append(os.path.basename(path))
            return real(path, **options)

        monkeypatch.setattr(os, "lstat", lstat)
        folders = (str(rig.task), str(rig.work), str(rig.attempt))
        rig.follower = Follower(*folders, [], True, False, None, clock=lambda: self.now)

    def poll(self, seconds: float) -> list[str]:
        """Poll as often as a runner does; return the files that were looked at."""
        self.looks = []
        end = self.now + seconds
        while self.now < end:
            self.now += 0.2
            self.rig.poll()
        return self.looks


def test_a_quiet_file_is_looked_at_once_per_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig(tmp_path)
    watched = Watched(rig, monkeypatch)
    rig.append("log.csv", "epoch,loss\n0,1\n")
    rig.say("hello\n")
    assert watched.poll(4).count("log.csv") >= 18
    watched.poll(6)
    looks = watched.poll(10)
    assert all(8 <= looks.count(name) <= 11 for name in ("log.csv", "out.log"))
    rig.append("log.csv", "1,0.5\n")
    watched.poll(1.2)
    assert rig.curves == {"loss": [(0, 1), (1, 0.5)]}
    assert watched.poll(2).count("log.csv") >= 9, "it may go on now"


def test_a_file_that_was_never_written_is_looked_at_even_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig(tmp_path)
    watched = Watched(rig, monkeypatch)
    watched.poll(100)
    assert watched.poll(50).count("report.jsonl") <= 11
    rig.append("../attempts/1/report.jsonl", '{"step": 1, "a": 2}\n')
    watched.poll(5.4)
    assert rig.curves == {"a": [(1, 2)]}


def test_the_end_is_read_whenever_it_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig(tmp_path)
    watched = Watched(rig, monkeypatch)
    rig.say("epoch 1 loss: 0.5\n")
    watched.poll(20)
    rig.say("epoch 2 loss: 0.25\n")
    rig.close()
    assert rig.curves == {"loss": [(1, 0.5), (2, 0.25)]}


def test_a_small_log_is_measured_rarely(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, looks, real = tmp_path / "out.log", [], os.stat
    log.write_text("x\n")
    limit = LogLimit(str(log), str(tmp_path), 1024**3)

    def stat(path: Any, **options: Any) -> os.stat_result:
        looks.append(path)
        return real(path, **options)

    monkeypatch.setattr(os, "stat", stat)
    for _ in range(10):
        limit.check()
    assert len(looks) == 1


def test_a_runner_with_a_quiet_task_makes_few_calls(folder: Folder, pyz: Path, tmp_path: Path) -> None:
    (folder.root / "control.jsonl").touch()
    folder.add("t-1", "sleep", "600")
    for number in range(2, 30):
        folder.add(f"t-{number}", "true")
    folder.allocate(poll_seconds=0.2, usage_seconds=2.0)
    script, counted = tmp_path / "counting.py", tmp_path / "counted"
    script.write_text(COUNTING)
    folder.launch([str(script), str(counted), str(pyz)])
    folder.await_record("started", "t-1")
    begin = time.monotonic() + 7  # by then nothing has happened for a while
    wait_for(lambda: time.monotonic() > begin + 8)
    text = counted.read_text()
    at = [float(line.split()[0]) for line in text.splitlines() if str(folder.root) in line]
    assert at, "it counts"
    # 47 per second before; later there are fewer still, as it searches for logs more rarely.
    assert len([one for one in at if begin <= one <= begin + 8]) < 8 * 7, text
    folder.order("stop", task="t-1", attempt=1)
    folder.await_record("ended", "t-1")

"""Test that the journal keeps every record complete, and once, whatever the disk does."""

import contextlib
import errno
import itertools
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from paddock.runner.journal import Journal
from tests.runner.folder import Folder, ended, wait_for


def lines(path: str) -> list[int]:
    return [json.loads(line)["n"] for line in Path(path).read_text().splitlines()]


def test_every_start_has_its_own(tmp_path: Path) -> None:
    assert [os.path.basename(Journal.create(str(tmp_path)).path) for _ in range(3)] == [
        "journal.1.jsonl",
        "journal.2.jsonl",
        "journal.3.jsonl",
    ]


@pytest.mark.parametrize("problem", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.ESTALE])
def test_short_and_failing_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: int) -> None:
    journal = Journal.create(str(tmp_path))
    real, calls = os.pwrite, iter(range(10_000))

    def pwrite(fd: int, data: bytes, offset: int) -> int:
        if next(calls) % 3 == 2:
            raise OSError(problem, "no")
        return real(fd, data[:7], offset)

    monkeypatch.setattr(os, "pwrite", pwrite)
    for n in range(20):
        journal.write("x", n=n)
        journal.flush()
    while not journal.flush():
        pass
    assert lines(journal.path) == list(range(20))


def test_an_error_at_close_loses_and_doubles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal.create(str(tmp_path))
    real, fails = os.close, [True, False, True, False]

    def close(fd: int) -> None:
        real(fd)
        if fails and fails.pop():
            raise OSError(errno.EDQUOT, "the server says so only now")

    monkeypatch.setattr(os, "close", close)
    for n in range(5):
        journal.write("x", n=n)
        journal.flush()
    assert journal.drain(5)
    assert lines(journal.path) == list(range(5))


def test_draining_has_an_end(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path / "gone" / "journal.1.jsonl"))
    journal.write("x", n=1)
    assert not journal.drain(0.1)


@pytest.mark.parametrize("poll_seconds", [0.05, 60])
def test_a_runner_with_nothing_to_say_says_that_it_is_there(
    folder: Folder, tmp_path: Path, poll_seconds: float
) -> None:
    """However seldom it is to measure, and whatever the script does not print."""
    go = tmp_path / "go"
    folder.add("t-1", "sh", "-c", f"while [ ! -e '{go}' ]; do sleep 0.05; done")
    folder.end()
    folder.allocate(usage_seconds=3600, poll_seconds=poll_seconds, word_seconds=0.2)
    runner = folder.start()
    wait_for(lambda: [r["e"] for r in folder.records()].count("here") >= 5)
    assert "usage" not in [r["e"] for r in folder.records()]
    go.touch()
    assert runner.wait(120) == 0


def test_a_runner_that_speaks_anyway_does_not_say_that_it_is_there(folder: Folder) -> None:
    folder.python_task("t-1", "import time\nfor n in range(30): print('loss:', n, flush=True); time.sleep(0.05)")
    folder.end()
    folder.allocate(usage_seconds=0.2)
    assert "here" not in [r["e"] for r in folder.run()]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.geteuid() != 0:
        pytest.skip("needs root to mount a small file system")
    command = ["mount", "-t", "tmpfs", "-o", "size=200k,nr_inodes=100", "none", str(disk)]
    mounted = subprocess.run(command, check=False, capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"cannot mount a small file system: {mounted.stderr.strip()}")
    yield disk
    # The runner's guard has its output there for a moment longer.
    wait_for(lambda: subprocess.run(["umount", disk], check=False, capture_output=True).returncode == 0)


def test_full_disk(small_disk: Path, tmp_path: Path, pyz: Path) -> None:
    folder = Folder(small_disk / "job", pyz)
    with contextlib.closing(folder):
        go = tmp_path / "go"
        # Its own output goes to the full disk too: it must not need that.
        wait = f"while [ ! -e '{go}' ]; do sleep 0.05; done"
        folder.add("t-1", "sh", "-c", wait)
        folder.end()
        folder.allocate(usage_seconds=0.1)
        runner = folder.start()
        folder.await_record("usage", "t-1")
        ballast = small_disk / "ballast"
        with contextlib.suppress(OSError), open(ballast, "wb", buffering=0) as file:
            while file.write(b"x" * 512):
                pass
        # The journal's last page has room for some records; after these it stands still.
        wait_for(lambda: os.statvfs(small_disk).f_bavail == 0)
        before = -1
        while before != (before := (folder.root / "allocations/a1.0/journal.1.jsonl").stat().st_size):
            with contextlib.suppress(subprocess.TimeoutExpired):
                runner.wait(1.0)
        go.touch()
        with contextlib.suppress(subprocess.TimeoutExpired):
            runner.wait(0.5)
        assert runner.poll() is None, "it must not leave before its journal is written"
        ballast.unlink()
        assert runner.wait(120) == 0
        content = (folder.root / "allocations/a1.0/journal.1.jsonl").read_bytes()
        records = [json.loads(line) for line in content.splitlines()]
        assert content.endswith(b"\n")
        assert records[-1]["e"] == "bye"
        assert ended(records, "t-1")["exit"] == 0
        times = [r["at"] for r in records if r["e"] == "usage"]
        assert times == sorted(times)
        assert max(b - a for a, b in itertools.pairwise(times)) < 1.0, "a record is missing"


def test_no_room_for_the_folders_of_a_task(small_disk: Path, pyz: Path) -> None:
    folder = Folder(small_disk / "job", pyz)
    with contextlib.closing(folder):
        folder.append("tasks.jsonl", "")
        folder.allocate()
        runner = folder.start()
        wait_for(folder.records)
        spare = [small_disk / f"spare{i}" for i in range(100)]
        with contextlib.suppress(OSError):
            for path in spare:
                path.touch()
        # Enough for the claim, not for the rest.
        spare[0].unlink()
        folder.add("t-1", "true")
        end = folder.await_record("ended", "t-1")
        assert (end["exit"], end["cause"]) == (None, "launch_failed")
        assert "No space left on device: " in end["reason"]
        for path in spare:
            path.unlink(missing_ok=True)
        folder.add("t-2", "true")
        folder.end()
        assert runner.wait(120) == 0
        assert ended(folder.records(), "t-2")["exit"] == 0

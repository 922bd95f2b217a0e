"""Test what `paddock doctor` reports about the disk space of a home."""

import json
import re
import time
from pathlib import Path

import pytest

from paddock.cli.doctor import space
from paddock.cli.doctor.finding import Status
from paddock.paths import Home

MIB = 1024**2
JOB = "k3v9x2ab"


def write(path: Path, size: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)


@pytest.fixture
def filled(home: Home, tmp_path: Path) -> Home:
    """A job with something of each kind, and a link to what is not its own."""
    folder = home.job(JOB)
    write(folder.spec, 1)
    folder.spec.write_text(json.dumps({"name": "mnist \x1b[31m sweep"}))
    write(folder.allocation("a1.0") / "journal.1.jsonl", MIB)
    write(folder.claims / f"{JOB}-1.1", 10)
    write(folder.tasks, 10)
    task = folder.task(f"{JOB}-1")
    write(task / "checkpoint" / "model.pt", 8 * MIB)
    write(task / "attempts" / "1" / "kept" / "work" / "old.h5", 4 * MIB)
    write(task / "attempts" / "2" / "out.log", 2 * MIB)
    write(task / "work" / "model.h5", MIB)
    write(tmp_path / "theirs" / "large", 64 * MIB)
    (task / "work" / "data").symlink_to(tmp_path / "theirs")
    write(home.runners / "aaaaaaaa.pyz", MIB)
    write(home.backups / "daily-1.db", 3 * MIB)
    return home


def test_what_takes_the_space(filled: Home) -> None:
    found = space.look(filled, time.monotonic() + 60)
    mib = {name: round(size.bytes / MIB) for name, size in found.parts.items()}
    assert mib == {"journals": 1, "logs and earlier attempts": 6, "checkpoints": 8, "results and code": 1}
    assert round(found.jobs[JOB].bytes / MIB) == 16, "what a link leads to does not count"
    assert {name: round(size.bytes / MIB) for name, size in found.others.items()} | {"database": 0} == {
        "database": 0,
        "backups": 3,
        "old runners": 1,
        "uploads and what is being deleted": 0,
    }
    assert found.whole


def test_it_is_told_with_the_largest_jobs(filled: Home) -> None:
    said = space.space(filled)
    assert said.status is Status.OK
    first, second = said.detail.splitlines()
    assert re.search(r": jobs 16\.?\d? MiB \(checkpoints 8.* MiB, logs and earlier attempts 6.* MiB, ", first)
    assert "backups 3 MiB" in first
    assert "uploads" not in first
    assert re.fullmatch(rf"largest: {JOB} 16\.?\d? MiB", second)


def test_it_says_when_there_was_no_time(filled: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(space, "SECONDS", -1.0)
    said = space.space(filled)
    assert said.detail.startswith("at least ")
    assert "1 of 1 jobs are not counted" in said.detail


def test_links_to_other_folders_are_not_followed(filled: Home, tmp_path: Path) -> None:
    (filled.job(JOB).task(f"{JOB}-1").parent / f"{JOB}-2").symlink_to(tmp_path / "theirs")
    (filled.jobs / "zzzzzzzz").symlink_to(tmp_path / "theirs")
    assert round(sum(size.bytes for size in space.look(filled, time.monotonic() + 60).jobs.values()) / MIB) == 16


def test_a_home_that_is_not_there(tmp_path: Path) -> None:
    assert space.space(Home(tmp_path / "none")).detail == "nothing yet"

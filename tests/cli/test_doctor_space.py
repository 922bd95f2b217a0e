"""Test what `paddock doctor` reports about the disk space of a home."""

import json
import re
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from paddock.cli.doctor import space
from paddock.cli.doctor.finding import Status
from paddock.models import TaskState
from paddock.paths import Home
from paddock.server.store import attempts
from paddock.server.store.db import Database
from paddock.settings import Settings
from tests.server.store.given import add_job, move

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
    db = Database(f"sqlite:///{home.database}")
    db.migrate()
    [task_id] = add_job(db, JOB)
    for number in (1, 2):
        move(db, task_id, TaskState.ERROR)
        if number == 1:
            with db.write() as c:
                attempts.begin_next(c, JOB, [(task_id, 1)], resumed=False)
    with db.write() as c:
        for table in ("jobs", "attempts"):
            c.execute(sa.text(f"UPDATE {table} SET created_at = 1000"))
    db.close()
    return home


def test_what_takes_the_space(filled: Home, settings: Settings) -> None:
    found = space.look(filled, space._past(filled, settings), time.monotonic() + 60)
    mib = {name: round(size.bytes / MIB) for name, size in found.parts.items()}
    assert mib == {"journals": 1, "logs": 2, "earlier attempts": 4, "checkpoints": 8, "results and code": 1}
    assert round(found.jobs[JOB].bytes / MIB) == 16, "what a link leads to does not count"
    assert {name: round(size.bytes / MIB) for name, size in found.others.items()} | {"database": 0} == {
        "database": 0,
        "backups": 3,
        "old runners": 1,
        "uploads and what is being deleted": 0,
    }
    assert found.whole


def test_it_is_told_with_the_largest_jobs_and_what_could_go(
    filled: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = space.space(filled, settings)
    assert said.status is Status.OK
    first, second = said.detail.splitlines()
    assert re.search(r": jobs 16\.?\d? MiB \(checkpoints 8.* MiB, earlier attempts 4.* MiB, logs 2.* MiB, ", first)
    assert "backups 3 MiB" in first
    assert "uploads" not in first
    assert re.fullmatch(rf"largest: {JOB} \(mnist \x1b\[31m sweep\) 16\.?\d? MiB", second)
    assert said.fix == "", "it is not much"
    monkeypatch.setattr(space, "MUCH_BYTES", MIB)
    assert space.space(filled, settings).fix.startswith("`paddock prune --jobs-older-than 90d` would free about 16")
    with_db(filled, "UPDATE jobs SET created_at = 9e9")
    assert space.space(filled, settings).fix == "", "a job of the future is no old one, nor are its attempts"
    with_db(filled, f"UPDATE jobs SET created_at = {time.time() - 40 * 86400}")
    assert space.space(filled, settings).fix.startswith("`paddock prune --attempts-older-than 30d` would free")


def with_db(home: Home, statement: str) -> None:
    db = Database(f"sqlite:///{home.database}")
    with db.write() as c:
        c.execute(sa.text(statement))
    db.close()


def test_it_says_when_there_was_no_time(filled: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(space, "SECONDS", -1.0)
    said = space.space(filled, settings)
    assert said.detail.startswith("at least ")
    assert "1 of 1 jobs are not counted" in said.detail


def test_a_home_that_is_not_there_or_whose_database_is_none(home: Home, settings: Settings, tmp_path: Path) -> None:
    assert space.space(Home(tmp_path / "none"), None).detail == "nothing yet"
    home.database.write_text("this is no database")
    assert space.space(home, settings).status is Status.OK

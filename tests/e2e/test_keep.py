"""Test the deletion of old things on a real server: running jobs lose nothing, and no task runs twice."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.server import ServerProcess, running, wait_for

LONG_AGO = 1_000_000.0
# Each run of a task leaves a line where Paddock does not look.
SCRIPT = """
import os, pathlib, sys, time
with open({witness!r}, "a") as file:
    file.write(os.environ["PADDOCK_TASK"] + " " + os.environ["PADDOCK_ATTEMPT"] + "\\n")
pathlib.Path("model.h5").write_text("x" * 100_000)
print("val_loss: 0.5", flush=True)
time.sleep(float(sys.argv[1]) if len(sys.argv) > 1 else 0)
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    with running(tmp_path / "home", local__slots=2, runner__grace_seconds=1, keep__jobs_days=3) as made:
        yield made


def age(server: ServerProcess, job: str) -> None:
    """As if it had ended long ago."""
    with closing(sqlite3.connect(server.home.database, timeout=60)) as db, db:
        db.execute("UPDATE jobs SET created_at = ? WHERE id = ?", (LONG_AGO, job))
        db.execute("UPDATE attempts SET created_at = ?, ended_at = ? WHERE job_id = ?", (LONG_AGO, LONG_AGO, job))
        db.execute("UPDATE allocations SET ended_at = ? WHERE job_id = ?", (LONG_AGO, job))


def prune(server: ServerProcess, **asked: Any) -> set[tuple[str, str]]:
    report = server.post("/prune", asked)
    assert report["problems"] == []
    return {(one["kind"], one["what"]) for one in report["items"]}


def settled(server: ServerProcess, job: str) -> None:
    """Its allocations are closed a moment after its tasks have ended."""
    server.wait(job)
    wait_for(lambda: ("job", job) in prune(server, jobs_days=0, dry_run=True), what="the job to be settled")


def files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if "allocations" not in path.parts}  # its runner writes there


def test_from_the_first_run_to_the_last_trace(server: ServerProcess, tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    script = SCRIPT.format(witness=str(witness))
    old = server.submit(script, params={"number": "1,2"}, command="python3 train.py 0 {number}", script=None)
    server.wait(old)
    server.post(f"/tasks/{old}-1/restart")
    settled(server, old)
    runs = server.submit(script, command="python3 train.py 600", script=None)
    server.wait_state(runs, "running")
    wait_for(lambda: "model.h5" in {path.name for path in files(server.home.job(runs).root)})
    server.kill()  # and what was asked of it before is known to the next one
    age(server, old)
    age(server, runs)
    server.start()

    running_files = files(server.home.job(runs).root)
    folder = server.home.job(old)
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "data").write_text("mine")
    (folder.task(f"{old}-1") / "attempts" / "1" / "kept" / "link").symlink_to(theirs)
    assert prune(server, jobs_days=36_500, attempts_days=1, journals_days=1) == {("attempts", old), ("journals", old)}
    assert not folder.claims.exists()
    assert [path.name for path in (folder.task(f"{old}-1") / "attempts").iterdir()] == ["2"]
    assert server.log_of(old) == "val_loss: 0.5\n"
    assert (server.log_of(old, attempt=1), server.log_of(old, attempt=2)) == ("", "val_loss: 0.5\n")
    assert (theirs / "data").read_text() == "mine"

    server.post(f"/jobs/{old}/restart")
    assert [(task["state"], task["attempt"]) for task in server.wait(old)] == [("finished", 3), ("finished", 2)]
    ran = sorted(line for line in witness.read_text().splitlines() if line.startswith(old))
    assert ran == [f"{old}-1 1", f"{old}-1 2", f"{old}-1 3", f"{old}-2 1", f"{old}-2 2"], "each once"
    assert server.get("/health")["set_aside"] == 0

    settled(server, old)
    age(server, old)
    assert prune(server) == {("job", old)}, "as the settings say"
    server.kill()  # whatever it had come to: the next one finishes it
    server.start()
    wait_for(
        lambda: not folder.root.exists() and not list(server.home.incoming.iterdir()), what="its folder to be gone"
    )
    assert (theirs / "data").read_text() == "mine"
    assert [job["id"] for job in server.get("/jobs")["items"]] == [runs]
    assert files(server.home.job(runs).root) == running_files
    assert server.task(runs)["state"] == "running"
    with closing(sqlite3.connect(server.home.database)) as db:
        wait_for(lambda: db.execute("SELECT count(*) FROM tasks").fetchone() == (1,), what="its rows to be gone")
    assert server.get("/health")["ok"]

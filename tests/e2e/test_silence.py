"""Test a runner that is stopped, as on a lost node: everybody is told that nothing is heard of its tasks."""

import json
import os
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from paddock.cli import follow
from paddock.client.client import Client
from tests.support.server import ServerProcess, running, wait_for
from tests.support.up import Cli

QUIET = "import time; print('begun', flush=True); time.sleep(600)"  # it prints nothing more


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """Usage is measured far too seldom to count as a word."""
    settings = {"local__slots": 2, "runner__silence_seconds": 4, "runner__usage_seconds": 3600}
    with running(tmp_path_factory.mktemp("silence") / "home", runner__grace_seconds=1, **settings) as server:
        yield server


def runner_of(server: ServerProcess, job: str) -> int:
    pid = server.wait_state(job, "running")["attempts"][-1]["pid"]
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def test_what_is_shown_while_a_runner_stands_still(server: ServerProcess, tmp_path: Path) -> None:
    cli = Cli(server.home.root, tmp_path)
    job = server.submit(QUIET, name="still")
    runner = runner_of(server, job)
    os.kill(runner, signal.SIGSTOP)
    try:
        wait_for(lambda: server.task(job)["no_word_since"], what="that there is no word")
        task = server.task(job)
        assert task["state"] == "running", "a state is never a guess"
        assert [one["no_word_since"] for one in server.tasks(job)] == [task["no_word_since"]]
        shown = {"tasks": 1, "since": task["no_word_since"]}
        assert server.get(f"/jobs/{job}")["no_word"] == shown
        assert [one["no_word"] for one in server.get("/jobs")["items"] if one["id"] == job] == [shown]

        for call in ("tasks", job), ("show", f"{job}-1"):
            assert "no word since" in cli.quick(*call).out, call
        for about in ["ls"], ["show", job]:
            assert "no word from 1 since" in cli.quick(*about, COLUMNS="160").out, about
        assert "no word since" in picture_of(server, job)
    finally:
        os.kill(runner, signal.SIGCONT)
    wait_for(lambda: server.task(job)["no_word_since"] is None, what="a word")
    assert server.get(f"/jobs/{job}")["no_word"] is None
    assert "no word" not in cli.quick("tasks", job).out + cli.quick("ls").out
    assert server.task(job)["attempt"] == 1


def picture_of(server: ServerProcess, job: str) -> str:
    """What `paddock follow` draws."""
    screen = Console(width=100)
    with Client(home=server.home.root) as client, screen.capture() as drawn:
        screen.print(follow.view(client.detail(job), client.tasks(job), 40))
    return drawn.get()


def test_a_long_epoch_in_which_nothing_is_printed_is_no_silence(server: ServerProcess) -> None:
    """More than twice as long as a runner may be silent: it says itself that it is there."""
    job = server.submit(QUIET)
    server.wait_state(job, "running")
    journal = next(server.home.job(job).root.glob("allocations/*/journal.1.jsonl"))
    wait_for(lambda: journal.read_text().count('"here"') > 9, what="that the runner is there")
    with sqlite3.connect(f"file:{server.home.database}?mode=ro", uri=True) as db:
        told = [data for (data,) in db.execute("SELECT data FROM events WHERE job_id = ?", (job,))]
    assert told
    assert not [data for data in told if "no_word_since" in json.loads(data).get("live", {}).get(f"{job}-1", {})]

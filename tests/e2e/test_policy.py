"""Test that jobs share this node: a small one does not wait for a large one, whatever happens to the server."""

import json
from pathlib import Path
from typing import Any

from tests.support.server import ServerProcess, running, wait_for

# Tells a witness of its start, and runs until it may end.
PATIENT = """
import os, time
with open(os.environ["PADDOCK_PARAM_WITNESS"], "a") as file:
    file.write(os.environ["PADDOCK_TASK"] + "\\n")
while not os.path.exists(os.environ["PADDOCK_PARAM_GO"] + os.environ["PADDOCK_PARAM_N"]):
    time.sleep(0.05)
"""


def large(server: ServerProcess, folder: Path, tasks: int = 6) -> str:
    params = {"go": str(folder / "go"), "witness": str(folder / "witness"), "n": list(range(1, tasks + 1))}
    return server.submit(PATIENT, params=params)


def let_end(folder: Path, *numbers: int) -> None:
    for number in numbers:
        (folder / f"go{number}").touch()


def running_tasks(server: ServerProcess, job: str) -> int:
    found: int = server.get(f"/jobs/{job}")["counts"]["running"]
    return found


def leaving(server: ServerProcess, job: str) -> list[Any]:
    path = server.home.job(job).control
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [line for line in lines if line["op"] == "drain"]


def test_a_small_job_does_not_wait_for_a_large_one(server: ServerProcess, tmp_path: Path) -> None:
    first = large(server, tmp_path)
    try:
        wait_for(lambda: running_tasks(server, first) == 2, what="the node to be full")
        second = server.submit("print(1)")
        wait_for(lambda: server.get(f"/jobs/{second}")["waits"], what="why it waits")
        assert "when tasks that run there have ended" in server.get(f"/jobs/{second}")["waits"]["reason"]
        assert running_tasks(server, first) == 2, "no running task is ended for it"
        wait_for(lambda: leaving(server, first), what="one to give way")
        let_end(tmp_path, 1, 2)
        assert server.wait(second)[0]["state"] == "finished"
        counts = server.get(f"/jobs/{first}")["counts"]
        assert (counts["finished"], counts["submitted"] + counts["running"]) == (2, 4)
    finally:
        let_end(tmp_path, 1, 2, 3, 4, 5, 6)
    assert [task["state"] for task in server.wait(first)] == ["finished"] * 6
    assert sorted((tmp_path / "witness").read_text().split()) == [f"{first}-{n}" for n in range(1, 7)], "each once"


def test_also_if_the_server_is_killed_when_one_gives_way(tmp_path: Path) -> None:
    with running(tmp_path / "home", local__slots=2) as server:
        first = large(server, tmp_path)
        try:
            wait_for(lambda: running_tasks(server, first) == 2, what="the node to be full")
            second = server.submit("print(1)")
            wait_for(lambda: leaving(server, first), what="one to give way")
            server.kill()
            let_end(tmp_path, 1, 2)
            server.start()
            assert server.wait(second)[0]["state"] == "finished"
        finally:
            let_end(tmp_path, 1, 2, 3, 4, 5, 6)
        assert [task["state"] for task in server.wait(first)] == ["finished"] * 6
        assert sorted((tmp_path / "witness").read_text().split()) == [f"{first}-{n}" for n in range(1, 7)]


def test_a_task_that_waits_says_why_and_when(server: ServerProcess, tmp_path: Path) -> None:
    job = large(server, tmp_path, 3)
    try:
        wait_for(lambda: running_tasks(server, job) == 2, what="the node to be full")
        found = wait_for(lambda: server.get(f"/jobs/{job}")["waits"], what="why it waits")
        assert found["reason"] == "the next task starts when one of those that run has ended"
    finally:
        let_end(tmp_path, 1, 2, 3)
    server.wait(job)
    assert server.get(f"/jobs/{job}")["waits"] is None

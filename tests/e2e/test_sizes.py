"""The policy gives trainings more GPUs when others leave, and takes them back when others come. Nothing is lost."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.server import ServerProcess, running, wait_for

# Saves after every epoch, and ends when it is told to. What it repeats after a resize is the epoch that was not saved.
TRAINS = """
import json, os, sys, time
state = os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "state")
stop = os.path.join(os.environ["PADDOCK_RESULTS_DIR"], "stop")
epoch = int(open(state).read()) if os.path.exists(state) else 0
gpus = len(os.environ["CUDA_VISIBLE_DEVICES"].split(","))
assert gpus == int(os.environ["PADDOCK_GPUS"]), os.environ
while not os.path.exists(stop):
    time.sleep(0.4 / gpus)
    epoch += 1
    with open(state + ".new", "w") as file:
        file.write(str(epoch))
    os.replace(state + ".new", state)
    print(json.dumps({"epoch": epoch, "gpus": gpus, "loss": 1 / epoch}), flush=True)
"""
FIXED = """
import os, time
while not os.path.exists(os.path.join(os.environ["PADDOCK_RESULTS_DIR"], "stop")):
    time.sleep(0.1)
"""
EVERY = {"elastic__sizes_seconds": 1.0, "runner__usage_seconds": 0.3, "runner__grace_seconds": 5}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    """Four pretended GPUs."""
    named = json.dumps([str(number) for number in range(4)])
    with running(tmp_path / "home", local__gpus=named, local__slots=4, **EVERY) as server:
        yield server


def gpus_of(server: ServerProcess, job: str, number: int = 1) -> int:
    task = server.task(job, number)
    return task["attempts"][-1]["size"] if task["state"] == "running" else 0


def has(server: ServerProcess, job: str, gpus: int) -> None:
    wait_for(lambda: gpus_of(server, job) == gpus, what=f"{job} to train on {gpus} GPUs", seconds=90)


def finish(server: ServerProcess, job: str, number: int = 1) -> dict[str, Any]:
    Path(server.task(job, number)["folder"], "stop").touch()
    return server.wait_state(job, "finished", number)


def epochs(server: ServerProcess, job: str) -> list[float]:
    [curve] = server.get(f"/tasks/{job}-1/metrics", metric="loss")
    found: list[float] = curve["steps"]
    return found


def test_it_grows_when_others_end_and_shrinks_when_others_arrive(server: ServerProcess) -> None:
    other = server.submit(FIXED, resources={"gpus": 2})
    server.wait_state(other, "running")
    job = server.submit(TRAINS, resources={"gpus": "1..4"})
    has(server, job, 2)
    finish(server, other)
    has(server, job, 4)
    assert "resized from 2 to 4 GPUs by the policy: " in server.task(job)["size_why"]
    late = [server.submit(FIXED, resources={"gpus": 1}) for _ in range(2)]
    for one in late:
        server.wait_state(one, "running")
    has(server, job, 2)
    task = finish(server, job)
    *resized, last = task["attempts"]
    assert {one["cause"] for one in resized} == {"resized"} and last["cause"] is None
    assert "resized from 1 to 2 GPUs by the policy: " in resized[0]["reason"] and " free" in resized[0]["reason"]
    assert any("makes room for job" in one["reason"] for one in resized)
    seen = epochs(server, job)
    assert seen == sorted(set(seen)) and seen[0] == 1 and len(seen) == seen[-1], "the curve goes on, without gaps"
    points = server.get(f"/jobs/{job}/gpus")["points"]
    assert {one["gpus"] for one in points} >= {0, 1, 2, 4}
    assert any("by the policy: " in one["why"] for one in points)
    for one in late:
        finish(server, one)

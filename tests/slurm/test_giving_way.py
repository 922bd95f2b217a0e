"""Test that a sweep makes room for other users of a cluster, and takes their place again when they are gone."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.slurm.cluster import Cluster
from tests.slurm.support import PATIENCE, STEPS, TRAIN, Lab, lab
from tests.support.server import wait_for

SOON = {"rules.giving_way.AFTER_SECONDS": 3.0}
HOLD = "sleep 1000"
RESOURCES = {"gpus": 1, "cpus": 1}


@pytest.fixture
def at(cluster: Cluster, tmp_path: Path) -> Iterator[Lab]:
    with lab(tmp_path / "lab", cluster, waits=SOON, elastic__others_seconds=1) as made:
        yield made


def running(at: Lab, job: str) -> int:
    return len(at.queue(job, "-t", "RUNNING"))


def full(at: Lab, job: str) -> None:
    gpus = len(at.cluster.nodes) * at.cluster.gpus
    wait_for(lambda: running(at, job) == gpus, PATIENCE, "the sweep to use all GPUs")


def orders(at: Lab, job: str) -> list[dict[str, Any]]:
    """Return which allocations were told to leave between two tasks."""
    path = at.server.home.job(job).control
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [line for line in lines if line["op"] == "drain" and "now" not in line]


def end_of_sweep(at: Lab, job: str) -> None:
    """Nothing is lost, and nothing runs twice."""
    tasks = at.server.wait(job, PATIENCE)
    assert [task["state"] for task in tasks] == ["finished"] * len(tasks), tasks
    assert [task["attempt"] for task in tasks] == [1] * len(tasks), "each was begun once"
    assert len(at.witness.said("done")) == len(tasks)
    assert not at.witness.said("doubled")


def test_others_get_what_they_need_up_to_an_equal_share(at: Lab) -> None:
    job = at.submit(RESOURCES, number=list(range(1, 61)), seconds=0.15)
    full(at, job)
    one = at.cluster.submit(HOLD, "--gres=gpu:1", user="bob")
    told = wait_for(lambda: at.server.get(f"/jobs/{job}")["giving_way"], PATIENCE, "who it makes room for")
    at.cluster.wait_job(one, "RUNNING")
    assert told == f"bob's job {one}: 1 of 6 allocations leaves after its task"
    node = at.cluster.submit(HOLD, "--exclusive", "--gpus=2", user="bob")
    at.cluster.wait_job(node, "RUNNING")
    assert running(at, job) == 3, "an equal share stays"
    at.cluster.run("scancel", one, node)
    full(at, job)
    array = at.cluster.submit(HOLD, "--array=0-9", "--gpus=1", user="bob")

    def begun() -> int:
        return len(at.cluster.run("squeue", "-h", "-r", "-t", "RUNNING", "-j", array).splitlines())

    wait_for(lambda: begun() == 3, PATIENCE, "three of bob's array to run")
    assert running(at, job) == 3
    at.cluster.run("scancel", array)
    end_of_sweep(at, job)
    assert len(orders(at, job)) == 6, "what they needed, and nothing else"


def test_a_promise_outlives_the_server(at: Lab) -> None:
    job = at.submit(RESOURCES, number=list(range(1, 19)), seconds=0.3)
    full(at, job)
    one = at.cluster.submit(HOLD, "--gres=gpu:1", user="bob")
    wait_for(lambda: at.server.get(f"/jobs/{job}")["giving_way"], PATIENCE, "one to leave")
    at.server.kill()
    at.server.start()
    at.cluster.wait_job(one, "RUNNING")
    end_of_sweep(at, job)
    assert len(orders(at, job)) == 1, "it is promised once"


def test_a_job_that_never_gives_way(at: Lab) -> None:
    params = {"number": list(range(1, 13)), "seconds": 0.1, "steps": STEPS, "witness": str(at.witness.folder)}
    job = at.server.submit(TRAIN, params=params, objective="loss", resources=RESOURCES, elastic="never")
    full(at, job)
    one = at.cluster.submit("true", "--gres=gpu:1", user="bob")
    end_of_sweep(at, job)
    assert orders(at, job) == []
    at.cluster.wait_job(one, "COMPLETED")


def test_long_tasks_leave_at_once_and_go_on_from_their_checkpoint(at: Lab) -> None:
    params = {"number": list(range(1, 7)), "seconds": 0.3, "steps": 60, "witness": str(at.witness.folder)}
    job = at.server.submit(TRAIN, params=params, objective="loss", resources=RESOURCES, elastic="now")
    full(at, job)
    for number in range(1, 7):
        at.wait_steps(job, 1, number)
    one = at.cluster.submit(HOLD, "--gres=gpu:1", user="bob")
    at.cluster.wait_job(one, "RUNNING")
    assert at.server.get(f"/jobs/{job}")["counts"]["finished"] == 0, "no task had to end for it"
    at.cluster.run("scancel", one)
    at.assert_finished(job, 6, steps=60)
    tries = [at.attempts(job, number) for number in range(1, 7)]
    assert sorted(map(len, tries)) == [1, 1, 1, 1, 1, 2]
    first, second = max(tries, key=len)
    assert (first["cause"], first["reason"]) == ("yielded", f"made room for bob's job {one}")
    assert second["resumed"]

"""Test that two jobs of one person share a partition that nobody else uses."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.test_policy import PATIENT, let_end
from tests.slurm.cluster import Cluster
from tests.slurm.support import PATIENCE, Lab, lab
from tests.support.server import wait_for

ONE = {"partition": "one", "gpus": 0, "cpus": 1}


@pytest.fixture
def at(cluster: Cluster, tmp_path: Path) -> Iterator[Lab]:
    with lab(tmp_path, cluster) as made:
        yield made


def test_a_small_job_does_not_wait_for_a_large_one(at: Lab, tmp_path: Path) -> None:
    server, numbers = at.server, list(range(1, 13))
    params = {"go": str(tmp_path / "go"), "witness": str(tmp_path / "seen"), "n": numbers}
    first = server.submit(PATIENT, params=params, resources=ONE)

    def counts() -> dict[str, int]:
        found: dict[str, int] = server.get(f"/jobs/{first}")["counts"]
        return found

    try:
        [node] = [one for one in server.get("/nodes") if "one" in one["partitions"]]
        wait_for(lambda: counts()["running"] == node["cpu_slots"], PATIENCE, "the partition to be full")
        second = server.submit("print(1)", resources=ONE)
        control = server.home.job(first).control
        wait_for(lambda: control.exists() and "drain" in control.read_text(), PATIENCE, "one to give way")
        orders = [json.loads(line) for line in control.read_text().splitlines()]
        assert [(one["op"], "now" in one) for one in orders] == [("drain", False)], "after its task, and no other one"
        assert counts()["running"] == node["cpu_slots"], "no running task is ended for it"
        let_end(tmp_path, *range(1, node["cpu_slots"] + 1))
        assert server.wait(second, PATIENCE)[0]["state"] == "finished"
        assert counts()["submitted"] + counts()["running"] > 0
    finally:
        let_end(tmp_path, *numbers)
    assert [task["state"] for task in server.wait(first, PATIENCE)] == ["finished"] * len(numbers)
    assert sorted((tmp_path / "seen").read_text().split()) == sorted(f"{first}-{n}" for n in numbers), "each once"

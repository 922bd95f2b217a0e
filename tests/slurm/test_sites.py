"""Test real sites' habits: partitions closed for a while, limits on submissions, configurations that change."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.slurm.cluster import Cluster
from tests.slurm.support import PATIENCE, Lab, end_jobs
from tests.slurm.support import lab as new_lab
from tests.support.server import wait_for


@pytest.fixture(scope="module")
def shared(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    never = {"server.engine.backend_worker.BUSY_SECONDS": 3600.0}  # by themselves, submissions are not tried again
    with new_lab(Path(tmp_path_factory.mktemp("sites")), cluster, waits=never) as made:
        yield made


@pytest.fixture
def lab(shared: Lab) -> Iterator[Lab]:
    yield shared
    end_jobs(shared)


def waits(lab: Lab, job: str) -> str:
    found = lab.server.get(f"/jobs/{job}")["waits"]
    return found["reason"] if found else ""


def test_partitions_that_are_closed_for_a_while_are_waited_for(cluster: Cluster, tmp_path: Path) -> None:
    closed = {"cpu": "DRAIN", "one": "INACTIVE"}
    with new_lab(tmp_path / "lab", cluster) as lab:
        for partition, state in closed.items():
            cluster.run("scontrol", "update", f"PartitionName={partition}", f"State={state}")
        jobs = {one: lab.submit({"partition": one, "gpus": 0}, number=[1, 2]) for one in closed}
        for partition, job in jobs.items():
            wait_for(lambda: f"partition {partition}" in waits(lab, job), PATIENCE, "a reason to wait")  # noqa: B023
            assert "(Batch job submission failed: Required partition not available" in waits(lab, job)
        other = lab.submit({"partition": "gpu", "gpus": 0}, steps=1)
        lab.assert_finished(other, steps=1)  # what asks for another partition is not held up
        for partition, job in jobs.items():
            assert {task["state"] for task in lab.server.tasks(job)} == {"submitted"}
            cluster.run("scontrol", "update", f"PartitionName={partition}", "State=UP")
        for job in jobs.values():
            lab.assert_finished(job, 2)


def test_places_that_become_free_are_used_at_once_and_all_say_why_they_wait(cluster: Cluster, lab: Lab) -> None:
    others = [cluster.submit("sleep 300", "--qos=few", "--hold") for _ in range(5)]
    jobs = [lab.submit({"qos": "few", "gpus": 0}, steps=2) for _ in range(2)]
    wait_for(lambda: all("QOSMaxSubmitJobPerUserLimit" in waits(lab, job) for job in jobs), PATIENCE, "why they wait")
    cluster.run("scancel", *others[:2])
    wait_for(lambda: not any(waits(lab, job) for job in jobs), PATIENCE, "a place for both")
    for job in jobs:
        lab.assert_finished(job, steps=2)


def test_a_dry_run_knows_what_a_partition_gives(cluster: Cluster, lab: Lab) -> None:
    def said(**resources: object) -> dict[str, object]:
        spec = {"script": "train.py", "resources": {"gpus": 0, **resources}}
        body = {"spec": spec, "files": {"train.py": "print(1)"}}
        answer = lab.server.client.post("/jobs/preview", params={"check": True}, json=body)
        check: dict[str, object] = answer.json()["check"]
        return check

    assert said(partition="tiny", time_limit="1m")["accepted"]
    refused = said(partition="tiny", time_limit="2h")
    assert not refused["accepted"]
    assert refused["message"] == (
        "partition tiny allows at most 1 min, so the job would never start: set the time limit to 1 min or less"
    )
    cluster.run("scontrol", "update", "PartitionName=cpu", "State=DRAIN")
    closed = said(partition="cpu")
    assert closed["accepted"]
    assert closed["message"] == "partition cpu is drained: the job would wait until it is available again"

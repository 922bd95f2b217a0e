"""Sweeps through a real server on a real control plane: what is killed on the way loses nothing."""

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kubernetes import kubelet
from tests.kubernetes.cluster import NAMESPACE, NODES, Cluster
from tests.support.server import ServerProcess, running, wait_for

# Each task writes that it has begun and ended, and goes on from its checkpoint.
TRAIN = """
import json, os, sys, time
from pathlib import Path
steps, gate = 8, os.environ.get("GATE")
log = Path(os.environ["PADDOCK_RESULTS_DIR"]) / "steps"
saved = Path(os.environ["PADDOCK_CHECKPOINT_DIR"]) / "step"
first = int(saved.read_text()) if saved.exists() else 0
for step in range(first, steps):
    with log.open("a") as file:
        file.write("%d\\n" % step)
    saved.with_suffix(".new").write_text(str(step + 1))
    saved.with_suffix(".new").replace(saved)
    print(json.dumps({"step": step, "loss": 1.0 / (step + 1)}), flush=True)
    time.sleep(0.25)
    while gate and step == 4 and not os.path.exists(gate):
        time.sleep(0.05)
"""


@pytest.fixture
def server(cluster: Cluster, tmp_path: Path) -> Iterator[ServerProcess]:
    pods = cluster.settings.model_dump(mode="json", exclude_defaults=True) | {"kind": "kubernetes"}
    waits = {"backends.kubernetes.reading.OVERDUE_SECONDS": 2.0}
    given = {
        "backends": json.dumps({"pods": pods}),
        "backend": "pods",
        "runner__grace_seconds": 1,
        "runner__silence_seconds": 3,
    }
    with running(tmp_path / "home", waits=waits, **given) as made:
        wait_for(lambda: {one["name"] for one in made.get("/nodes") if one["usable"]} >= set(NODES), what="the nodes")
        yield made
    cluster.admin("delete", "pods", "--all", "-n", NAMESPACE, "--force", "--grace-period=0")


def steps_of(server: ServerProcess, task: str) -> list[int]:
    found = list(server.home.jobs.glob(f"*/**/{task}/**/steps"))
    return [int(line) for path in found for line in path.read_text().split()]


def gated(path: Path) -> dict[str, object]:
    """Return the environment of tasks that stop at their fifth step until the file is there."""
    return {"variables": {"GATE": str(path)}}


def begun(server: ServerProcess, job: str) -> list[str]:
    return [one["id"] for one in server.tasks(job) if steps_of(server, one["id"])]


def pods_of(cluster: Cluster, job: str) -> list[str]:
    return [one for one in cluster.admin("get", "pods", "-n", NAMESPACE, "-o", "name").stdout.split() if job in one]


def test_a_sweep_during_which_the_api_and_a_kubelet_are_killed(server: ServerProcess, cluster: Cluster) -> None:
    job = server.submit(TRAIN, params={"number": "1,2,3,4,5,6,7,8"}, resources={"cpus": 1, "gpus": 0})
    wait_for(lambda: len(begun(server, job)) >= 2, what="two tasks to have begun")
    cluster.kill("api")
    cluster.kill("kubelet-alpha")
    time.sleep(2)
    cluster.start_api()
    wait_for(lambda: cluster.admin("get", "--raw", "/readyz", check=False).returncode == 0, what="the API server")
    cluster.start_kubelet("alpha")
    tasks = server.wait(job)
    assert [one["state"] for one in tasks] == ["finished"] * 8
    assert [one["attempt"] for one in tasks] == [1] * 8
    for one in tasks:
        assert steps_of(server, one["id"]) == list(range(8)), "each step once"
        assert server.task(job, one["number"])["node"] in NODES
    wait_for(lambda: not pods_of(cluster, job), what="no pod to be left")


def test_what_runs_on_a_node_that_fails_goes_on_elsewhere(server: ServerProcess, cluster: Cluster) -> None:
    gate = cluster.folder / "failing"
    spec = {"resources": {"cpus": 2, "gpus": 0}, "retries": {"node_failure": 3, "lost": 3}, "environment": gated(gate)}
    job = server.submit(TRAIN, params={"number": "1,2"}, **spec)
    wait_for(lambda: len(begun(server, job)) == 2, what="a task on each node")
    cluster.kill("kubelet-beta")
    for shim in (cluster.folder / "kubelets" / "beta").glob("*.shim"):
        for pid in kubelet.marked(shim.stem):
            os.kill(pid, signal.SIGKILL)
    gate.touch()
    try:
        tasks = server.wait(job)
    finally:
        cluster.start_kubelet("beta")
    assert [one["state"] for one in tasks] == ["finished"] * 2
    assert sorted(one["attempt"] for one in tasks) == [1, 2]
    for one in tasks:
        found = steps_of(server, one["id"])
        assert set(found) == set(range(8)) and len(found) <= 9, "it went on from its checkpoint"


def test_an_image_that_cannot_be_pulled_is_told(server: ServerProcess, cluster: Cluster) -> None:
    job = server.submit(TRAIN, params={"number": "1"}, resources={"cpus": 1, "gpus": 0, "container": "missing/image"})
    waits = wait_for(lambda: server.get(f"/jobs/{job}").get("waits") or {}, what="the reason")
    wait_for(lambda: "ImagePullBackOff" in json.dumps(server.get(f"/jobs/{job}").get("waits")), what=f"not {waits}")
    assert server.get(f"/jobs/{job}")["waits"]["never"]
    server.post(f"/jobs/{job}/stop")
    wait_for(lambda: not pods_of(cluster, job), what="no pod to be left")


def test_a_job_is_stopped_of_which_some_tasks_wait(server: ServerProcess, cluster: Cluster) -> None:
    gate = gated(cluster.folder / "never")
    job = server.submit(TRAIN, params={"number": "1,2,3,4"}, resources={"cpus": 2, "gpus": 0}, environment=gate)
    wait_for(lambda: len(begun(server, job)) == 2, what="a task on each node")
    server.post(f"/jobs/{job}/stop")
    assert {one["state"] for one in server.wait(job)} == {"stopped"}
    wait_for(lambda: not pods_of(cluster, job), what="no pod to be left")

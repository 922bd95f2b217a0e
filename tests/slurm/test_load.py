"""Test the load of nodes of a cluster: what runners measure on theirs, and what Slurm reports of the others."""

from tests.slurm.cluster import Cluster
from tests.slurm.support import PATIENCE, Lab
from tests.support.server import wait_for

SLEEP = "import time; time.sleep(300)"


def test_runners_tell_of_their_nodes(cluster: Cluster, at: Lab) -> None:
    where = {"nodelist": cluster.nodes[0], "cpus": 2, "memory": "500M", "time_limit": "10m", "gpus": 0}
    job = at.server.submit(SLEEP, resources=where)
    at.server.wait_state(job, "running", seconds=PATIENCE)

    def looked() -> bool:
        nodes = {node["name"]: node for node in at.server.get("/load")["nodes"]}
        return nodes[cluster.nodes[0]]["cpus_busy"] is not None

    wait_for(looked, what="a look of the runner")
    report = at.server.get("/load")
    nodes = {node["name"]: node for node in report["nodes"] if node["backend"] == "slurm"}
    mine = nodes.pop(cluster.nodes[0])
    assert mine["tasks"] == [f"{job}-1"]
    assert mine["memory_used"] > 0
    assert mine["cpus_used"] in (0, 2), "as Slurm last said"
    assert {node["cpus_busy"] for node in nodes.values()} == {None}, "nobody of ours is there"
    assert [one["job"] for one in report["jobs"]] == [job]
    history = at.server.get("/load/history", node=cluster.nodes[0])
    assert history[0]["load"], "also before the runner came"


def test_tasks_are_shown_on_the_gpu_that_slurm_gave_them(cluster: Cluster, at: Lab) -> None:
    """Nobody tells of these cards but Slurm itself."""
    where = {"nodelist": cluster.nodes[0], "gpus": 1, "cpus": 1, "memory": "500M", "time_limit": "10m"}
    jobs = [at.server.submit(SLEEP, resources=where) for _ in range(2)]
    for job in jobs:
        at.server.wait_state(job, "running", seconds=PATIENCE)
    given = {}
    for job in jobs:
        shown = cluster.run("scontrol", "-d", "-o", "show", "job", at.allocation(job))
        given[shown.partition("(IDX:")[2].partition(")")[0]] = [f"{job}-1"]
    assert sorted(given) == ["0", "1"]

    def placed() -> bool:
        [node] = [one for one in at.server.get("/load")["nodes"] if one["name"] == cluster.nodes[0]]
        return {device["id"]: device["tasks"] for device in node["devices"]} == given

    wait_for(placed, 60, f"the tasks on their GPUs: {given}")

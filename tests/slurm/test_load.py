"""How busy the nodes of a cluster are: what its runners see of theirs, and what Slurm says of the others."""

from pathlib import Path

from tests.slurm.cluster import Cluster
from tests.slurm.support import PATIENCE, lab
from tests.support.server import wait_for

SLEEP = "import time; time.sleep(300)"


def test_runners_tell_of_their_nodes(cluster: Cluster, tmp_path: Path) -> None:
    with lab(tmp_path, cluster) as at:
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

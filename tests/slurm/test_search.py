"""Test searches on Slurm: allocations wait for the next configuration, and a pruned task makes room for it."""

from pathlib import Path

from tests.slurm.cluster import Cluster
from tests.slurm.support import PATIENCE, lab


def test_a_search_with_early_stopping_stays_in_its_allocations(tmp_path: Path, cluster: Cluster) -> None:
    with lab(tmp_path, cluster) as at:
        job = at.server.submit(
            # The loss is the number, and falls a little with the steps.
            (Path(__file__).parent / "searched.py").read_text(),
            params={"x": "-1.0..1.0", "epochs": 6},
            objective="loss",
            search={"method": "tpe", "trials": 14, "seed": 1},
            stop_early={"method": "asha", "min_steps": 1, "max_steps": 6},
            parallel=2,
            resources={"gpus": 0, "partition": "cpu"},
        )
        tasks = at.server.wait(job, PATIENCE)
        assert {task["state"] for task in tasks} == {"finished", "pruned"}
        assert (len(tasks), {task["attempt"] for task in tasks}) == (14, {1})
        assert len(at.queue(job, "-t", "all")) == 2, "no allocation was asked for again"
        at.wait_gone(job)
        report = at.server.get(f"/jobs/{job}/search")
        assert (report["searching"], len(report["history"])) == (False, 14)
        assert report["rungs"][0]["reached"] > report["rungs"][0]["went_on"]

"""On a real Slurm the policy gives a training more GPUs when others leave, and takes them back when others come."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.slurm.cluster import Cluster
from tests.slurm.conftest import started_cluster
from tests.slurm.support import PATIENCE, Lab, lab
from tests.support.server import wait_for


@pytest.fixture(scope="module")
def shared(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab(tmp_path_factory.mktemp("lab"), cluster, elastic__sizes_seconds=1.0) as made:
        yield made


def has(at: Lab, job: str, gpus: int) -> None:
    def there() -> bool:
        return bool(at.server.task(job, 1)["state"] == "running" and at.attempts(job)[-1]["size"] == gpus)

    wait_for(there, 2 * PATIENCE, f"the training to have {gpus} GPUs")


def test_it_grows_when_others_end_and_shrinks_when_others_arrive(at: Lab) -> None:
    others = [at.submit({"gpus": 2}, steps=100_000) for _ in range(2)]
    others.append(at.submit({"gpus": 1}, steps=100_000))
    for one in others:
        at.wait_attempt(one, 1)
    job = at.submit({"gpus": "1..2", "cpus": 1}, steps=1_000_000)
    at.wait_attempt(job, 1)
    at.server.post(f"/jobs/{others[-1]}/stop", {})
    has(at, job, 2)
    late = at.submit({"gpus": 1}, steps=100_000)
    has(at, job, 1)
    at.wait_attempt(late, 1)
    began = len(at.steps(job))
    at.wait_steps(job, began + 1)
    *resized, last = at.attempts(job)
    assert {one["cause"] for one in resized} == {"resized"} and last["cause"] is None
    assert "by the policy: " in resized[0]["reason"]
    assert any(f"makes room for job {late}" in one["reason"] for one in resized)
    steps = at.steps(job)
    assert steps == sorted(set(steps)) == list(range(len(steps))), "it went on from its checkpoint, without gaps"
    assert not at.witness.said("doubled")


# The first process trains and saves; the others only live.
SPREAD = """
import json, os, time
state = os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "state")
epoch = int(open(state).read()) if os.path.exists(state) else 0
while True:
    time.sleep(0.5)
    epoch += 1
    if os.environ["RANK"] == "0":
        with open(state + ".new", "w") as file:
            file.write(str(epoch))
        os.replace(state + ".new", state)
        print(json.dumps({"epoch": epoch, "loss": 1 / epoch, "world": int(os.environ["WORLD_SIZE"])}), flush=True)
"""


def test_it_grows_over_two_whole_nodes_and_gives_one_back(tmp_path: Path) -> None:
    with (
        started_cluster(nodes=2, gpus=2, accounting=False) as cluster,
        lab(tmp_path / "lab", cluster, elastic__sizes_seconds=1.0) as at,
    ):
        job = at.server.submit(SPREAD, resources={"gpus": "2..4", "launcher": "srun", "cpus": 2})
        has(at, job, 4)
        late = at.submit({"gpus": 2}, steps=100_000)
        has(at, job, 2)
        at.wait_attempt(late, 1)
        attempts = at.attempts(job)
        assert [one["size"] for one in attempts] == [2, 4, 2]
        assert f"makes room for job {late}" in attempts[1]["reason"]
        for one in (job, late):
            at.server.post(f"/jobs/{one}/stop", {})
            at.server.wait(one, PATIENCE)
        [curve] = at.server.get(f"/tasks/{job}-1/metrics", metric="loss")
        assert curve["steps"] == [float(number) for number in range(1, len(curve["steps"]) + 1)], "no gap"

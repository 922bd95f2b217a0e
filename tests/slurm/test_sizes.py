"""On a real Slurm the policy gives a training more GPUs when others leave, and takes them back when others come."""

from collections.abc import Iterator

import pytest

from tests.slurm.cluster import Cluster
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

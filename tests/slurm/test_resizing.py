"""A training on a real Slurm goes on with another number of GPUs: another allocation, the same task."""

from collections.abc import Iterator

import pytest

from tests.slurm.cluster import Cluster
from tests.slurm.support import Lab, lab

RANGE = {"gpus": "1..2", "cpus": 1}


@pytest.fixture(scope="module")
def shared(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Only people resize."""
    with lab(tmp_path_factory.mktemp("lab"), cluster, elastic__sizes=False) as made:
        yield made


def resize(at: Lab, job: str, gpus: int) -> None:
    assert at.server.post(f"/tasks/{job}-1/resize", {"gpus": gpus})["tasks"] == [f"{job}-1"]


def test_a_training_grows_and_shrinks(at: Lab) -> None:
    job = at.submit(RANGE, steps=100_000)
    at.wait_attempt(job, 1)
    for attempt, gpus in ((2, 2), (3, 1)):
        resize(at, job, gpus)
        at.wait_attempt(job, attempt)
        began = len(at.steps(job))
        at.wait_steps(job, began + 1)
    attempts = at.attempts(job)
    assert [one["size"] for one in attempts] == [1, 2, 1]
    assert [one["cause"] for one in attempts] == ["resized", "resized", None]
    assert all(one["pause_seconds"] < 60 for one in attempts[1:])
    assert len({one["allocation"] for one in attempts}) == 3
    steps = at.steps(job)
    assert steps == sorted(set(steps)) == list(range(len(steps))), "it went on from its checkpoint, without gaps"
    assert not at.witness.said("doubled")


def test_where_only_its_own_node_has_room_it_ends_first(at: Lab) -> None:
    blockers = [at.submit({"gpus": 2}, steps=100_000) for _ in range(2)]
    for other in blockers:
        at.wait_attempt(other, 1)
    job = at.submit(RANGE, steps=100_000)
    at.wait_attempt(job, 1)
    resize(at, job, 2)
    at.wait_attempt(job, 2)
    assert [one["size"] for one in at.attempts(job)] == [1, 2]
    assert not at.witness.said("doubled")

"""A training on a real Slurm goes on with another number of GPUs: another allocation, the same task."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.frameworks.test_resizing import SECONDS, TRAIN, trains
from tests.slurm.cluster import Cluster
from tests.slurm.conftest import started_cluster
from tests.slurm.support import Lab, lab
from tests.slurm.test_multi_node import train_python  # noqa: F401  (a fixture)
from tests.support.server import wait_for

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


@pytest.mark.frameworks
def test_a_training_goes_on_over_two_nodes_and_back(tmp_path: Path, train_python: str) -> None:  # noqa: F811
    """Two nodes with four GPUs each: a plain DDP script in four processes, in eight, in four."""
    with (
        started_cluster(nodes=2, gpus=4, accounting=False) as cluster,
        lab(tmp_path / "lab", cluster, elastic__sizes=False) as at,
    ):
        environment = {"python": train_python, "variables": {"OMP_NUM_THREADS": "1"}}
        resources = {"gpus": "4..8", "launcher": "torchrun", "memory": "6G", "cpus": 4}
        job = at.server.submit(TRAIN, environment=environment, resources=resources, grace_seconds=30)
        trains(at.server, job, 4)
        for gpus in (8, 4):
            resize(at, job, gpus)
            trains(at.server, job, gpus)
        refused = at.server.post(f"/tasks/{job}-1/resize", {"gpus": 6}, 422)
        assert "multiple of 4" in str(refused)
        Path(at.server.task(job)["folder"], "last").touch()
        at.server.wait_state(job, "finished", seconds=SECONDS)
        attempts = at.attempts(job)
        assert [(one["size"], one["cause"]) for one in attempts] == [(4, "resized"), (8, "resized"), (4, None)]
        [curve] = at.server.get(f"/tasks/{job}-1/metrics", metric="val_loss")
        assert curve["steps"] == [float(number) for number in range(1, len(curve["steps"]) + 1)], "no gap"
        again = at.server.submit(TRAIN, environment=environment, resources=resources | {"gpus": 4})
        wait_for(lambda: (at.server.task(again)["epoch"] or 0) >= len(curve["steps"]), SECONDS, "it in one size")
        at.server.post(f"/tasks/{again}-1/stop")
        [plain] = at.server.get(f"/tasks/{again}-1/metrics", metric="val_loss")
        assert curve["values"] == pytest.approx(plain["values"][: len(curve["values"])], abs=1e-5)

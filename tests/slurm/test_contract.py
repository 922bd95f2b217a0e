"""Test the contract of every backend with Slurm."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from paddock.backends.base import Backend
from paddock.backends.slurm.backend import SlurmBackend
from paddock.models import Resources, SlurmResources
from paddock.settings import SlurmSettings
from tests.backends.contract import BackendContract, BatchContract, QueuedContract, RestartContract
from tests.backends.rig import ENDED, RUNNING, Rig, states
from tests.slurm.cluster import Cluster


class SlurmRig(Rig):
    """One node of the cluster, with room for two: what is asked for takes half of it."""

    patience = 60.0
    settling = 1.5
    unknown = ("999999_0", "999998_3")

    def __init__(self, folder: Path, cluster: Cluster) -> None:
        super().__init__(folder)
        self.cluster = cluster

    def make(self, slots: int, gpus: list[str]) -> Backend:
        return SlurmBackend("lab", SlurmSettings(conf=str(self.cluster.conf), poll_seconds=0.3))

    def open_forgetful(self, forgotten: str) -> Backend:
        """One whose commands leave out all lines with this in it."""
        prefix = ["/bin/sh", "-c", f"\"$@\" | grep -v '{forgotten}'", "sh"]
        return SlurmBackend("lab", SlurmSettings(conf=str(self.cluster.conf), prefix=prefix))

    def node_names(self) -> set[str]:
        return set(self.cluster.nodes)

    def resources(self, gpus: int, cpus: int) -> Resources:
        half = self.cluster.cpus // 2
        one = SlurmResources(partition="one")
        return Resources(gpus=gpus or cpus, cpus=cpus * half, time_limit=600, slurm=one)


class OnSlurm:
    @pytest.fixture
    def rig(self, tmp_path: Path, cluster: Cluster) -> Iterator[Rig]:
        rig = SlurmRig(tmp_path, cluster)
        yield rig
        rig.close()

    @pytest.fixture
    def backend(self, rig: Rig) -> Backend:
        return rig.open()


class TestBackend(OnSlurm, BackendContract):
    pass


class TestBatch(OnSlurm, BatchContract):
    def test_an_array_whose_id_never_came_back_is_found_again(self, rig: Rig, backend: Backend) -> None:
        """Also when Slurm has forgotten those of it that have ended."""
        text = 'echo x >> ran; [ "$SLURM_ARRAY_TASK_ID" != 1 ] || while [ ! -e ../go ]; do sleep 0.05; done'
        batch = rig.shell("a1", text, count=3)
        ids = rig.submit(backend, batch)
        rig.eventually(lambda: states(backend, *ids) == [ENDED, RUNNING, ENDED])
        assert isinstance(rig, SlurmRig)
        for forgotten in ("no such line", "_[02]|"):
            Path(f"{batch.folder}.id").unlink()
            assert rig.submit(rig.open_forgetful(forgotten), batch) == ids
        (rig.folder / "go").touch()
        rig.eventually(lambda: states(backend, *ids) == [ENDED] * 3)
        assert [(rig.of("a1", number) / "ran").read_text() for number in range(3)] == ["x\n"] * 3


class TestQueue(OnSlurm, QueuedContract):
    pass


class TestRestart(OnSlurm, RestartContract):
    pass

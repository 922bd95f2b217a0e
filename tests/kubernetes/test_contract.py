"""Test the Kubernetes backend on a real control plane: the contract of every backend."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from paddock.backends.base import Backend
from paddock.backends.kubernetes.backend import KubernetesBackend
from paddock.models import Container, Resources
from tests.backends.contract import BackendContract, BatchContract, QueuedContract, RestartContract
from tests.backends.rig import ENDED, PENDING, Rig, states
from tests.kubernetes.cluster import NODES, Cluster


class KubernetesRig(Rig):
    patience = 60.0
    settling = 1.5

    def __init__(self, folder: Path, cluster: Cluster) -> None:
        super().__init__(folder)
        self.cluster = cluster

    def make(self, slots: int, gpus: list[str]) -> Backend:
        return KubernetesBackend("pods", self.folder / "notes", self.cluster.settings, self.folder)

    def node_names(self) -> set[str]:
        return set(NODES)

    def resources(self, gpus: int, cpus: int) -> Resources:
        return Resources(gpus=gpus, cpus=cpus, container=Container(image="python:3.11", engine="pod"))


class TestKubernetesBackend(BackendContract, BatchContract, QueuedContract, RestartContract):
    @pytest.fixture
    def rig(self, tmp_path: Path, cluster: Cluster) -> Iterator[Rig]:
        made = KubernetesRig(tmp_path, cluster)
        yield made
        made.close()

    def test_what_waits_starts_in_the_order_in_which_it_came(self, rig: Rig, backend: Backend) -> None:
        """Weaker than elsewhere: of pods with the same priority, Kubernetes first tries the one that it has not tried
        for the longest time. So all run, each once, but a later one may overtake."""
        others, go = rig.fill(backend)
        ids = [rig.one(backend, rig.shell(name, f"echo {name} >> {rig.folder}/order", cpus=2)) for name in "cab"]
        assert states(backend, *ids) == [PENDING] * 3
        go()
        rig.eventually(lambda: states(backend, *others, *ids) == [ENDED] * (len(others) + 3))
        assert sorted((rig.folder / "order").read_text().split()) == list("abc")

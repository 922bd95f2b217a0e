"""Test `paddock doctor` on a real control plane."""

from pathlib import Path

import pytest

from paddock.cli.doctor import kubernetes
from paddock.cli.doctor.finding import Finding, Scope, Status
from paddock.paths import Home
from paddock.settings import KubernetesSettings, PodVolume, Settings
from tests.kubernetes.cluster import Cluster


def found(settings: Settings, pods: KubernetesSettings, home: Home, wait: float = 60) -> dict[str, Finding]:
    given = settings.model_copy(update={"backends": {"pods": pods}})
    return {one.name: one for one in kubernetes.run_all(given, home, Scope(wait=wait))}


@pytest.fixture
def pods(cluster: Cluster, home: Home) -> KubernetesSettings:
    volume = cluster.settings.volumes[0].model_copy(update={"path": str(home.root.parent)})
    return cluster.settings.model_copy(update={"volumes": [volume]})


def test_all_is_well(settings: Settings, pods: KubernetesSettings, home: Home, cluster: Cluster) -> None:
    answers = found(settings, pods, home)
    assert {one.status for one in answers.values()} == {Status.OK}, answers
    assert "2 of 2 take pods, with 2 GPUs" in answers["pods: nodes"].detail
    assert "wrote into Paddock's home" in answers["pods: tiny pod"].detail
    left = cluster.admin("get", "pods", "-o", "name", "-n", "ml").stdout
    assert "doctor" not in left
    assert not list(home.root.glob("doctor-*"))


def test_what_is_wrong(settings: Settings, pods: KubernetesSettings, home: Home) -> None:
    volumes = [PodVolume(claim="nothing", path="/elsewhere")]
    wrong = pods.model_copy(update={"volumes": volumes, "image": "missing/image", "node_selector": {"pool": "none"}})
    answers = found(settings, wrong, home, wait=2)
    assert {one.status for name, one in answers.items() if name != "pods: rights"} == {Status.ERROR}
    assert "nothing" in answers["pods: storage"].detail
    strange = pods.model_copy(update={"namespace": "kube-system"})
    [rights] = found(settings, strange, home).values()
    assert (rights.status, "may not create" in rights.detail) == (Status.ERROR, True)
    unreachable = pods.model_copy(update={"kubeconfig": Path("/nowhere"), "command_seconds": 5})
    assert [one.status for one in found(settings, unreachable, home).values()] == [Status.ERROR]


def test_an_image_that_is_missing(settings: Settings, pods: KubernetesSettings, home: Home) -> None:
    tiny = found(settings, pods.model_copy(update={"image": "missing/image"}), home)["pods: tiny pod"]
    assert tiny.status is Status.ERROR and "ImagePullBackOff" in tiny.detail

"""Test which pods are made for requests."""

import json
from pathlib import PurePosixPath

import pytest

from paddock.backends.kubernetes import pods
from paddock.backends.kubernetes.pods import PodPlan, PodUser
from paddock.backends.kubernetes.quantities import quantity
from paddock.models import FOLDER, AllocationBatch, Container, Resources
from paddock.settings import KubernetesSettings, PodToleration, PodVolume

USER = PodUser(1001, 1002, (1002, 1003), "alice", "/home/alice", "/shared/paddock")


def batch(**resources: object) -> AllocationBatch:
    asked = {"cpus": 2, "container": Container(image="docker://lab/torch:2.1", engine="pod"), **resources}
    return AllocationBatch(
        key="k7-a1",
        count=2,
        name="paddock-k7-a1",
        folder="/shared/paddock/jobs/k7/a1",
        runner=["python3", "-I", "runner.pyz", FOLDER],
        resources=Resources.model_validate(asked),
        grace_seconds=10.5,
    )


def plan(user: PodUser = USER, **settings: object) -> PodPlan:
    given = {"volumes": [PodVolume(claim="home", path="/shared")], **settings}
    return PodPlan(KubernetesSettings.model_validate(given), user, {"a100": "A100"})


def test_a_pod_of_a_small_request() -> None:
    made = pods.pod(batch(memory=2**30, gpus=1, time_limit=3600), 1, plan())
    assert made["metadata"] == {
        "name": "paddock-k7-a1.1",
        "labels": {"app.kubernetes.io/managed-by": "paddock"},
        "annotations": {"paddock/folder": "/shared/paddock/jobs/k7/a1.1"},
    }
    spec, [container] = made["spec"], made["spec"]["containers"]
    assert (spec["restartPolicy"], spec["automountServiceAccountToken"]) == ("Never", False)
    assert (spec["activeDeadlineSeconds"], spec["terminationGracePeriodSeconds"]) == (3660, 16)
    assert spec["securityContext"]["runAsUser"] == 1001
    assert spec["securityContext"]["supplementalGroups"] == [1003]
    assert container["image"] == "lab/torch:2.1"
    assert container["workingDir"] == "/shared/paddock/jobs/k7/a1.1"
    assert container["command"][-4:] == ["python3", "-I", "runner.pyz", "/shared/paddock/jobs/k7/a1.1"]
    limits = {"cpu": "2", "memory": str(2**30), "nvidia.com/gpu": "1"}
    assert container["resources"] == {"limits": limits, "requests": limits}
    assert container["volumeMounts"][0] == {"name": "volume-0", "mountPath": "/shared"}
    assert spec["volumes"] == [
        {"name": "volume-0", "persistentVolumeClaim": {"claimName": "home"}},
        {"name": "shm", "emptyDir": {"medium": "Memory"}},
    ]
    assert json.dumps(made) == json.dumps(pods.pod(batch(memory=2**30, gpus=1, time_limit=3600), 1, plan()))


def test_what_the_settings_add() -> None:
    made = pods.pod(
        batch(gpus=1, gpu_type="a100"),
        0,
        plan(
            queue="gpus",
            priority_class="low",
            scheduler="other",
            labels={"team": "vision"},
            node_selector={"pool": "a"},
            tolerations=[PodToleration(key="gpu", operator="Exists", effect="NoSchedule")],
            image_pull_secrets=["lab"],
            shared_memory="1G",
            gpu="amd.com/gpu",
            lost_seconds=60,
            volumes=[{"claim": "data", "sub_path": "me", "path": "/data", "read_only": True}, {"host_path": "/home"}],
        ),
    )
    assert made["metadata"]["labels"] == {
        "team": "vision",
        "kueue.x-k8s.io/queue-name": "gpus",
        "app.kubernetes.io/managed-by": "paddock",
    }
    spec = made["spec"]
    assert (spec["priorityClassName"], spec["schedulerName"]) == ("low", "other")
    assert spec["nodeSelector"] == {"pool": "a", "nvidia.com/gpu.product": "A100"}, "as the label of the node has it"
    assert spec["tolerations"][-1] == {"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}
    assert {one["tolerationSeconds"] for one in spec["tolerations"][:2]} == {60}
    assert spec["imagePullSecrets"] == [{"name": "lab"}]
    assert spec["volumes"][1:] == [
        {"name": "volume-1", "hostPath": {"path": "/home"}},
        {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": str(2**30)}},
    ]
    mounts = spec["containers"][0]["volumeMounts"]
    assert mounts[0] == {"name": "volume-0", "mountPath": "/data", "subPath": "me", "readOnly": True}
    assert spec["containers"][0]["resources"]["limits"]["amd.com/gpu"] == "1"


def variables(made: dict[str, object]) -> dict[str, str]:
    listed = made["spec"]["containers"][0]["env"]  # type: ignore[index]
    return {one["name"]: one.get("value", "") for one in listed}


def test_the_environment_is_that_of_the_account_and_nothing_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    found = variables(pods.pod(batch(), 0, plan(variables={"PRICE": "$(HOME) costs $$5"})))
    assert found == {
        "HOME": "/shared/paddock",
        "LOGNAME": "alice",
        "USER": "alice",
        "PRICE": "$$(HOME) costs $$$$5",
        "PADDOCK_NODE": "",
    }
    seen = plan(volumes=[PodVolume(host_path="/home"), PodVolume(claim="home", path="/shared")])
    assert variables(pods.pod(batch(), 0, seen))["HOME"] == "/home/alice", "pods see it"


def test_root_keeps_what_root_can_do() -> None:
    """Without capabilities it could not read files of others, which it may on a node."""
    made = pods.pod(batch(), 0, plan(PodUser(0, 0, (0,), "root", "/root", "/shared/paddock")))
    assert "capabilities" not in made["spec"]["containers"][0]["securityContext"]
    assert "runAsNonRoot" not in made["spec"]["securityContext"]
    ordinary = pods.pod(batch(), 0, plan())["spec"]
    assert ordinary["containers"][0]["securityContext"]["capabilities"] == {"drop": ["ALL"]}


@pytest.mark.parametrize(
    ("path", "read_only", "shown"),
    [
        ("/shared", False, True),
        ("/shared/paddock", False, True),
        ("/shared/pad", False, False),
        ("/shared", True, False),
    ],
)
def test_whether_pods_see_the_home(path: str, read_only: bool, shown: bool) -> None:
    settings = KubernetesSettings(volumes=[PodVolume(claim="home", path=path, read_only=read_only)])
    assert pods.shows_home(settings, USER) is shown


def test_a_claim_without_a_path_is_for_the_home() -> None:
    made = pods.pod(batch(), 0, plan(volumes=[PodVolume(claim="home")]))
    assert made["spec"]["containers"][0]["volumeMounts"][0]["mountPath"] == str(PurePosixPath("/shared/paddock"))


@pytest.mark.parametrize(
    ("given", "number"),
    [
        ("2", 2.0),
        (4, 4.0),
        ("500m", 0.5),
        ("3920m", 3.92),
        ("16Gi", 16 * 2**30),
        ("1k", 1000.0),
        ("65812532Ki", 65812532 * 1024),
        ("1e3", 1000.0),
        ("12E", 2.0**60),
        ("1e99", 2.0**60),
        ("-1", None),
        ("1_000", None),
        ("١", None),
        ("", None),
        ("9" * 60, None),
        (True, None),
        ([], None),
        (None, None),
    ],
)
def test_quantities(given: object, number: float | None) -> None:
    assert quantity(given) == pytest.approx(number) if number is not None else quantity(given) is None

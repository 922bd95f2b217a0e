"""Test how pods and nodes are read: recorded answers of a cluster, and answers that no cluster should give."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.backends.kubernetes import reading
from paddock.backends.kubernetes.reading import PodView, pod_views
from paddock.models import AllocationState, AllocationStatus, Cause
from paddock.settings import KubernetesSettings, PodToleration
from tests.backends.rig import ENDED, PENDING, RUNNING

RECORDED = json.loads((Path(__file__).parent / "golden" / "kubernetes.json").read_text())
NOW = 1_800_000_000.0
SETTINGS = KubernetesSettings()


def listed(*pods: object) -> dict[str, object]:
    return {"kind": "List", "items": list(pods)}


def pod(phase: str, node: str | None = "alpha", about: Any = None, **status: Any) -> dict[str, Any]:
    container = {"name": "runner", "state": status.pop("state", {})}
    return {
        "metadata": {"name": "paddock-k7-a1.0", **(about or {})},
        "spec": {"nodeName": node} if node else {},
        "status": {"phase": phase, "containerStatuses": [container], **status},
    }


def status(one: object) -> AllocationStatus:
    [view] = pod_views(listed(one), NOW).values()
    return view.status


@pytest.mark.parametrize(
    ("name", "state", "reason"),
    [
        ("unschedulable", PENDING, "waits for a node: 0/1 nodes are available: 1 Insufficient cpu."),
        ("running", RUNNING, None),
        ("succeeded", ENDED, None),
        ("failed", ENDED, None),
    ],
)
def test_recorded_pods(name: str, state: AllocationState, reason: str | None) -> None:
    one = RECORDED[name]
    [view] = pod_views(listed(one), NOW).values()
    assert (view.name, view.folder) == (one["metadata"]["name"], one["metadata"]["annotations"]["paddock/folder"])
    assert (view.status.state, view.status.reason, view.status.cause) == (state, reason, None)
    assert view.status.node == (None if state is PENDING else "alpha")
    assert view.version == one["metadata"]["resourceVersion"]
    assert view.requests["cpu"] >= 1


def test_a_recorded_node() -> None:
    [running] = pod_views(listed(RECORDED["running"]), NOW).values()
    [node] = reading.nodes(listed(RECORDED["node"]), [running], "pods", SETTINGS)
    assert (node.name, node.backend, node.usable, node.cpu_slots, node.memory) == ("alpha", "pods", True, 2, 4 * 2**30)
    assert (node.slots, [one.kind for one in node.devices]) == (2, ["gpu", "gpu"])
    assert node.cpus_used == running.requests["cpu"]


@pytest.mark.parametrize(
    ("given", "cause", "word"),
    [
        (pod("Succeeded"), None, ""),
        (pod("Failed", state={"terminated": {"reason": "Error", "exitCode": 3}}), None, ""),
        (pod("Failed", state={"terminated": {"reason": "OOMKilled", "exitCode": 137}}), Cause.HOST_OOM, "more memory"),
        (pod("Failed", reason="DeadlineExceeded"), Cause.TIME_LIMIT, "time limit"),
        (pod("Failed", reason="Evicted", message="The node was low on resource: memory."), Cause.PREEMPTED, "low on"),
        (
            pod("Failed", reason="Evicted", message='Usage of EmptyDir volume "shm" exceeds the limit "1Gi".'),
            Cause.HOST_OOM,
            "shm",
        ),
        (pod("Failed", reason="NodeLost"), Cause.NODE_FAILURE, "NodeLost"),
        (pod("Failed", reason="Shutdown", message="Node is shutting down"), Cause.NODE_FAILURE, "shutting down"),
        (pod("Failed", reason="OutOfcpu"), Cause.NODE_FAILURE, "OutOfcpu"),
        (pod("Failed", reason="Preempting"), Cause.PREEMPTED, "in favour of another"),
        (
            pod(
                "Failed", conditions=[{"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}]
            ),
            Cause.PREEMPTED,
            "make room",
        ),
        (
            pod("Failed", conditions=[{"type": "DisruptionTarget", "status": "True", "reason": "DeletionByPodGC"}]),
            Cause.NODE_FAILURE,
            "DeletionByPodGC",
        ),
        (
            pod("Failed", state={"terminated": {"reason": "StartError", "message": 'exec: "sh": not found'}}),
            Cause.LAUNCH_FAILED,
            'exec: "sh": not found',
        ),
        (pod("Failed", state={"terminated": {"reason": "ContainerStatusUnknown"}}), Cause.NODE_FAILURE, "lost track"),
    ],
)
def test_why_a_pod_has_ended(given: object, cause: Cause | None, word: str) -> None:
    found = status(given)
    assert (found.state, found.cause, found.node) == (ENDED, cause, "alpha")
    assert word in (found.reason or "")


@pytest.mark.parametrize("why", ["ImagePullBackOff", "ErrImagePull", "InvalidImageName", "CreateContainerConfigError"])
def test_what_never_starts_by_itself(why: str) -> None:
    found = status(pod("Pending", state={"waiting": {"reason": why, "message": "manifest unknown"}}))
    assert (found.state, found.never) == (PENDING, True)
    assert why in (found.reason or "") and "manifest unknown" in (found.reason or "")


def test_why_others_wait() -> None:
    gated = {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}
    assert "queue" in (status(pod("Pending", None, conditions=[gated])).reason or "")
    assert status(pod("Pending", None)).reason == "waits for the scheduler of the cluster"
    creating = status(pod("Pending", state={"waiting": {"reason": "ContainerCreating"}}))
    assert (creating.reason, creating.never) == ("its pod is being started on alpha (ContainerCreating)", False)


def test_a_pod_whose_node_is_gone() -> None:
    """The cluster keeps a pod that it has deleted until its node answers, or is removed."""
    late = {"deletionTimestamp": "2027-01-15T07:50:00Z"}
    found = status(pod("Running", about=late))
    assert (found.state, found.cause) == (ENDED, Cause.NODE_FAILURE)
    assert status(pod("Running", about={"deletionTimestamp": "2027-01-15T08:00:00Z"})).state is RUNNING
    unknown = status(pod("Unknown"))
    assert (unknown.state, unknown.reason) == (RUNNING, "node alpha does not answer")


def test_nodes_that_take_nothing() -> None:
    def one(name: str, spec: Any = None, ready: str = "True", **labels: str) -> dict[str, Any]:
        conditions = [{"type": "Ready", "status": ready, "message": "kubelet is posting ready status"}]
        there = {"cpu": "3920m", "memory": "1Gi", "nvidia.com/gpu": "1"}
        about = {"name": name, "labels": labels}
        return {"metadata": about, "spec": spec or {}, "status": {"allocatable": there, "conditions": conditions}}

    tainted = {"taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]}
    soft = {"taints": [{"key": "gpu", "effect": "PreferNoSchedule"}]}
    answer = listed(
        one("good", **{"nvidia.com/gpu.product": "A100"}),
        one("soft", soft),
        one("tainted", tainted),
        one("cordoned", {"unschedulable": True}),
        one("down", ready="Unknown"),
    )
    found = {node.name: node for node in reading.nodes(answer, [], "pods", SETTINGS)}
    assert {name: node.usable for name, node in found.items()} == {
        "good": True, "soft": True, "tainted": False, "cordoned": False, "down": False,
    }  # fmt: skip
    assert (found["good"].cpu_slots, found["good"].devices[0].name) == (3, "A100")
    assert "taint gpu" in (found["tainted"].reason or "")
    assert reading.gpu_types(found.values()) == {"a100": "A100"}
    tolerant = KubernetesSettings(tolerations=[PodToleration(key="gpu", value="yes")])
    assert all(node.usable for node in reading.nodes(listed(one("tainted", tainted)), [], "pods", tolerant))
    chosen = KubernetesSettings(node_selector={"pool": "a"})
    assert [node.name for node in reading.nodes(listed(one("x", pool="a"), one("y")), [], "pods", chosen)] == ["x"]


def test_the_smallest_quota_counts() -> None:
    answer = listed(
        {"spec": {"hard": {"requests.cpu": "8", "limits.memory": "32Gi", "pods": "10"}}},
        {"spec": {"hard": {"limits.cpu": "4", "requests.nvidia.com/gpu": "2", "cpu": "many"}}},
    )
    found = reading.of_quotas(answer, SETTINGS)
    assert found == {"cpu": 4.0, "memory": 32 * 2.0**30, "nvidia.com/gpu": 2.0}
    made = reading.pretended({kind: int(number) for kind, number in found.items()}, [], "pods", "pods", SETTINGS)
    assert (made.slots, made.cpu_slots, made.memory) == (2, 4, 32 * 2**30)


FIELDS = """
    items metadata name spec status phase nodeName conditions type containers resources requests cpu containerStatuses
    state waiting terminated reason message deletionTimestamp allocatable taints annotations labels hard nvidia.com/gpu
""".split()  # noqa: SIM905
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(FIELDS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=30,
)


@given(anything)
def test_no_answer_breaks_the_reading(answer: object) -> None:
    for text in (
        answer,
        {"items": [answer]},
        {"items": [{"metadata": {"name": "x"}, "spec": answer, "status": answer}]},
    ):
        views = pod_views(text, NOW)
        assert all(isinstance(view, PodView) and len(view.status.reason or "") <= 300 for view in views.values())
        reading.nodes(text, views.values(), "pods", SETTINGS)
        reading.of_quotas(text, SETTINGS)


def test_texts_of_strangers_are_short_and_in_one_line() -> None:
    found = status(pod("Failed", reason="Evicted", message="a\x1b[31m\nb" + "x" * 10_000))
    assert "\n" not in (found.reason or "") and "\x1b" not in (found.reason or "")
    assert len(found.reason or "") <= 300
    assert pod_views(listed({"metadata": {"name": "../etc"}}), NOW) == {}

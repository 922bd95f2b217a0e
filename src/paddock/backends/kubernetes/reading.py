"""What pods and nodes of the cluster's answers mean. Pure.

The answers are input from a stranger: fields may be missing or of any type, and texts of any length.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from paddock.backends.kubernetes.pods import CONTAINER, FOLDER_NOTE, UNREACHABLE
from paddock.backends.kubernetes.quantities import quantity
from paddock.models import AllocationState, AllocationStatus, Cause, Device, Node
from paddock.settings import KubernetesSettings, PodToleration

_LONGEST = 300  # characters of a reason
_MOST_GPUS = 1024  # of a node
OVERDUE_SECONDS = 60.0  # a pod that should be gone for this long has a node that does not answer
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?", re.ASCII)
_ENDED = ("Succeeded", "Failed")
_SCHEDULED, _GATED = "PodScheduled", "SchedulingGated"

# Why a container does not start, and will not before somebody does something.
_IMAGE = ("ImagePullBackOff", "ErrImagePull", "ErrImageNeverPull", "InvalidImageName", "ImageInspectError")
_BROKEN = ("CreateContainerConfigError", "CreateContainerError", "RunContainerError", "CrashLoopBackOff")
_CANNOT_START = ("ContainerCannotRun", "StartError", "CreateContainerError", "RunContainerError")

_NODE_REASONS = ("NodeLost", "NodeShutdown", "Shutdown", "Terminated", "NodeAffinity", "UnexpectedAdmissionError")
_NODE_DISRUPTIONS = ("DeletionByTaintManager", "DeletionByPodGC", "TerminationByKubelet")
_OWN_LIMIT = re.compile(r"exceeds the (total )?limit|exceeded its local ephemeral storage limit", re.IGNORECASE)


@dataclass(frozen=True)
class PodView:
    """What is read of one pod. `ending` is when it has to be gone, if somebody has deleted it."""

    name: str
    folder: str | None
    status: AllocationStatus
    ending: float | None = None
    version: str = ""
    uid: str = ""
    node: str | None = None
    requests: Mapping[str, float] = field(default_factory=dict)

    @property
    def waiting(self) -> bool:
        return self.status.state is AllocationState.PENDING


def pod_views(answer: object, now: float) -> dict[str, PodView]:
    """Return the pods of a list by name."""
    found = (_pod_view(one, now) for one in _items(answer))
    return {one.name: one for one in found if one is not None}


def _pod_view(given: Mapping[str, Any], now: float) -> PodView | None:
    about, spec, status = (_map(given.get(name)) for name in ("metadata", "spec", "status"))
    name = _name(about.get("name"))
    if name is None:
        return None
    ending = _moment(about.get("deletionTimestamp"))
    node = _name(spec.get("nodeName"))
    container = next((one for one in _maps(spec.get("containers")) if one.get("name") == CONTAINER), {})
    asked = _map(_map(container.get("resources")).get("requests"))
    folder = _map(about.get("annotations")).get(FOLDER_NOTE)
    return PodView(
        name=name,
        folder=folder if isinstance(folder, str) else None,
        status=_status(status, node, ending, now),
        ending=ending,
        version=_text(about.get("resourceVersion")),
        uid=_text(about.get("uid")),
        node=node,
        requests={kind: number for kind, text in asked.items() if (number := quantity(text)) is not None},
    )


def _status(status: Mapping[str, Any], node: str | None, ending: float | None, now: float) -> AllocationStatus:
    phase = status.get("phase")
    if phase in _ENDED:
        cause, reason = _why_ended(status)
        return AllocationStatus(state=AllocationState.ENDED, node=node, cause=cause, reason=reason)
    if ending is not None and now - ending > OVERDUE_SECONDS and node is not None:
        reason = f"node {node} does not answer: the cluster cannot say whether its pod has ended"
        return AllocationStatus(state=AllocationState.ENDED, node=node, cause=Cause.NODE_FAILURE, reason=reason)
    if phase in ("Running", "Unknown") and node is not None:
        lost = phase == "Unknown" or _text(status.get("reason")) == "NodeLost"
        return AllocationStatus(
            state=AllocationState.RUNNING, node=node, reason=f"node {node} does not answer" if lost else None
        )
    reason, never = _why_waits(status, node)
    return AllocationStatus(state=AllocationState.PENDING, reason=reason, never=never)


def _why_ended(status: Mapping[str, Any]) -> tuple[Cause | None, str | None]:
    """Return the cause of an end, where it is not the runner's own."""
    if status.get("phase") == "Succeeded":
        return None, None
    reason, message = _text(status.get("reason")), _text(status.get("message"))
    if reason == "DeadlineExceeded":
        return Cause.TIME_LIMIT, "its pod reached its time limit"
    if reason == "Evicted":
        cause = Cause.HOST_OOM if _OWN_LIMIT.search(message) else Cause.PREEMPTED
        return cause, _joined("its pod was evicted", message)
    if reason in _NODE_REASONS or reason.startswith("OutOf"):
        return Cause.NODE_FAILURE, _joined(f"its node gave it up ({reason})", message)
    if reason in ("Preempting", "Preempted"):
        return Cause.PREEMPTED, _joined("its pod was ended in favour of another", message)
    disruption = disrupted(status)
    if disruption is not None:
        return disruption
    ended = _map(_map(_own_container(status).get("state")).get("terminated"))
    why = _text(ended.get("reason"))
    if why == "OOMKilled":
        return Cause.HOST_OOM, "its pod needed more memory than it had asked for"
    if why in _CANNOT_START:
        return Cause.LAUNCH_FAILED, _joined(f"its container did not start ({why})", _text(ended.get("message")))
    if why == "ContainerStatusUnknown":
        return Cause.NODE_FAILURE, "its node has lost track of its container"
    return None, None


def disrupted(status: Mapping[str, Any]) -> tuple[Cause, str] | None:
    """Return why the cluster ends a pod, as versions from 1.26 on say it."""
    found = _condition(status, "DisruptionTarget")
    if found.get("status") != "True":
        return None
    reason, message = _text(found.get("reason")), _text(found.get("message"))
    if reason in _NODE_DISRUPTIONS:
        return Cause.NODE_FAILURE, _joined(f"its node failed or was shut down ({reason})", message)
    return Cause.PREEMPTED, _joined("its pod was ended to make room, or its node is being emptied", message)


def _why_waits(status: Mapping[str, Any], node: str | None) -> tuple[str, bool]:
    """Return why a pod does not run yet, and whether it never will by itself."""
    waiting = _map(_map(_own_container(status).get("state")).get("waiting"))
    why, message = _text(waiting.get("reason")), _text(waiting.get("message"))
    if why in _IMAGE:
        return _joined(f"its image cannot be had ({why})", message), True
    if why in _BROKEN:
        return _joined(f"its container cannot be started ({why})", message), True
    if node is not None:
        return f"its pod is being started on {node}" + (f" ({why})" if why else ""), False
    scheduled = _condition(status, _SCHEDULED)
    if scheduled.get("reason") == _GATED:
        return "waits in the queue of the cluster, which has not let it in yet", False
    if scheduled.get("status") == "False":
        return _joined("waits for a node", _text(scheduled.get("message"))), False
    return "waits for the scheduler of the cluster", False


def _own_container(status: Mapping[str, Any]) -> Mapping[str, Any]:
    return next((one for one in _maps(status.get("containerStatuses")) if one.get("name") == CONTAINER), {})


def _condition(status: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    return next((one for one in _maps(status.get("conditions")) if one.get("type") == kind), {})


# --- nodes ------------------------------------------------------------------------------------------------------------


def nodes(answer: object, pods: Iterable[PodView], backend: str, settings: KubernetesSettings) -> list[Node]:
    """Return the nodes that pods may run on, with what our own running pods have of them."""
    used: dict[str, list[PodView]] = {}
    for one in pods:
        if one.node is not None and one.status.state is not AllocationState.ENDED:
            used.setdefault(one.node, []).append(one)
    found = []
    for given in _items(answer):
        name, labels = _name(_map(given.get("metadata")).get("name")), _map(_map(given.get("metadata")).get("labels"))
        if name is not None and all(labels.get(key) == value for key, value in settings.node_selector.items()):
            there = _map(_map(given.get("status")).get("allocatable"))
            made = pretended(there, used.get(name, []), name, backend, settings, _text(labels.get(settings.gpu_label)))
            bad = _unusable(given, settings.tolerations)
            found.append(made.model_copy(update={"usable": bad is None, "reason": bad, "state": bad or "ready"}))
    return found


def pretended(
    there: Mapping[str, Any],
    pods: Sequence[PodView],
    name: str,
    backend: str,
    settings: KubernetesSettings,
    gpu_type: str = "",
) -> Node:
    """Return a node that has these resources."""
    gpus = min(int(quantity(there.get(settings.gpu)) or 0), _MOST_GPUS)
    cpus, memory = int(quantity(there.get("cpu")) or 0), int(quantity(there.get("memory")) or 0)
    taken = {kind: sum(one.requests.get(kind, 0.0) for one in pods) for kind in ("cpu", "memory", settings.gpu)}
    slots, busy = (gpus, int(taken[settings.gpu])) if gpus else (cpus, int(taken["cpu"]))
    return Node(
        name=name,
        backend=backend,
        cpus=cpus,
        cpus_used=taken["cpu"],
        memory=memory or None,
        memory_free=max(memory - int(taken["memory"]), 0) if memory else None,
        slots=slots,
        slots_used=min(busy, slots),
        cpu_slots=cpus,
        devices=[
            Device(id=str(number), kind="gpu", name=gpu_type, busy=number < taken[settings.gpu])
            for number in range(gpus)
        ],
    )


def of_quotas(answer: object, settings: KubernetesSettings) -> dict[str, float]:
    """Return the smallest limits of the namespace's quotas, by resource."""
    found: dict[str, float] = {}
    for one in _items(answer):
        for key, text in _map(_map(one.get("spec")).get("hard")).items():
            kind, number = key.removeprefix("requests.").removeprefix("limits."), quantity(text)
            if kind in ("cpu", "memory", settings.gpu) and number is not None:
                found[kind] = min(number, found.get(kind, number))
    return found


def gpu_types(found: Iterable[Node]) -> dict[str, str]:
    """Return the kinds of GPU by their names in lower case."""
    return {one.name.lower(): one.name for node in found for one in node.devices if one.name}


def _unusable(given: Mapping[str, Any], tolerations: Sequence[PodToleration]) -> str | None:
    """Return why a node takes no new pods of ours."""
    ready = _condition(_map(given.get("status")), "Ready")
    if ready.get("status") != "True":
        return _joined("not ready", _text(ready.get("message")))
    spec = _map(given.get("spec"))
    if spec.get("unschedulable") is True:
        return "takes no new pods (cordoned)"
    for taint in _maps(spec.get("taints")):
        strict = taint.get("effect") in ("NoSchedule", "NoExecute") and taint.get("key") not in UNREACHABLE
        if strict and not any(_tolerates(one, taint) for one in tolerations):
            return f"has the taint {_text(taint.get('key'))}, which the settings do not tolerate"
    return None


def _tolerates(one: PodToleration, taint: Mapping[str, Any]) -> bool:
    if one.effect is not None and one.effect != taint.get("effect"):
        return False
    if one.key is not None and one.key != taint.get("key"):
        return False
    return one.operator == "Exists" or (one.value or "") == (taint.get("value") or "")


# --- fields of any type -----------------------------------------------------------------------------------------------


def _items(answer: object) -> list[Mapping[str, Any]]:
    return _maps(_map(answer).get("items"))


def _map(given: object) -> Mapping[str, Any]:
    return given if isinstance(given, dict) else {}


def _maps(given: object) -> list[Mapping[str, Any]]:
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []


def _name(given: object) -> str | None:
    return given if isinstance(given, str) and _NAME.fullmatch(given) else None


def _text(given: object) -> str:
    """Return a text in one line, not too long; nothing if it is none."""
    return _CONTROL.sub(" ", given[: 2 * _LONGEST]).strip()[:_LONGEST] if isinstance(given, str) else ""


def _joined(what: str, message: str) -> str:
    return (f"{what}: {message}" if message else what)[:_LONGEST]


def _moment(given: object) -> float | None:
    """Return a time in seconds since 1970."""
    try:
        return datetime.fromisoformat(given).timestamp() if isinstance(given, str) else None
    except (ValueError, OverflowError, OSError):
        return None

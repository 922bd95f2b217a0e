"""What a pod for an allocation looks like. Pure: the same request gives the same pod."""

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from paddock.models import AllocationBatch
from paddock.settings import KubernetesSettings, PodVolume

MANAGED = {"app.kubernetes.io/managed-by": "paddock"}
FOLDER_NOTE = "paddock/folder"  # the annotation by which a pod with the same name as ours is known to be ours
CONTAINER = "runner"
QUEUE = "kueue.x-k8s.io/queue-name"
UNREACHABLE = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
SHM, SHM_PATH = "shm", "/dev/shm"  # noqa: S108
SPARE_SECONDS = 5  # from the end of a runner's own grace period until its container is killed
PULL_SECONDS = 60  # the cluster counts from before the image is pulled, the runner from its own start
# The runner's output goes where it goes on other backends. The shell becomes the runner.
_SHELL = ["/bin/sh", "-c", 'exec "$@" >> out.log 2>&1', "paddock"]


@dataclass(frozen=True)
class PodUser:
    """Whose processes those in a pod are, and where things are for them."""

    uid: int
    gid: int
    groups: tuple[int, ...]
    name: str
    user_home: str
    paddock_home: str


@dataclass(frozen=True)
class PodPlan:
    """All that is needed to write pods for one backend. `gpu_types`: lower case -> as the cluster's labels have it."""

    settings: KubernetesSettings
    user: PodUser
    gpu_types: Mapping[str, str] = field(default_factory=dict)


def name_of(batch: AllocationBatch, number: int) -> str:
    return f"{batch.name}.{number}"


def pod(batch: AllocationBatch, number: int, plan: PodPlan) -> dict[str, Any]:
    """Return the pod of one allocation."""
    settings = plan.settings
    queue = {QUEUE: settings.queue} if settings.queue else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name_of(batch, number),
            "labels": {**settings.labels, **queue, **MANAGED},
            "annotations": {FOLDER_NOTE: batch.folder_of(number)},
        },
        "spec": _given(
            restartPolicy="Never",
            containers=[_container(batch, number, plan)],
            volumes=_volumes(settings),
            activeDeadlineSeconds=_deadline(batch),
            terminationGracePeriodSeconds=math.ceil(batch.grace_seconds) + SPARE_SECONDS,
            automountServiceAccountToken=False,
            enableServiceLinks=False,
            securityContext=_security(plan.user),
            nodeSelector=_selector(batch, plan),
            tolerations=_tolerations(settings),
            priorityClassName=settings.priority_class,
            schedulerName=settings.scheduler,
            imagePullSecrets=[{"name": name} for name in settings.image_pull_secrets] or None,
        ),
    }


def image_of(batch: AllocationBatch) -> str:
    """Return the image as Kubernetes writes it."""
    container = batch.resources.container
    return container.image.removeprefix("docker://") if container else ""


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _container(batch: AllocationBatch, number: int, plan: PodPlan) -> dict[str, Any]:
    limits = _limits(batch, plan.settings)
    return {
        "name": CONTAINER,
        "image": image_of(batch),
        "command": [_literal(part) for part in (*_SHELL, *batch.command_of(number))],
        "workingDir": batch.folder_of(number),
        "env": _variables(plan),
        "resources": {"limits": limits, "requests": limits},
        "volumeMounts": [
            *(_mount(number, one, plan.user) for number, one in enumerate(plan.settings.volumes)),
            {"name": SHM, "mountPath": SHM_PATH},
        ],
        # Without more than the user has: the same as on a node where they have signed in.
        "securityContext": {"allowPrivilegeEscalation": False}
        | ({"capabilities": {"drop": ["ALL"]}} if plan.user.uid else {}),
    }


def _limits(batch: AllocationBatch, settings: KubernetesSettings) -> dict[str, str]:
    asked = batch.resources
    limits = {"cpu": str(asked.cpus or 1)}
    if asked.memory:
        limits["memory"] = str(asked.memory)
    if asked.gpus:
        limits[settings.gpu] = str(asked.gpus)
    return limits


def _variables(plan: PodPlan) -> list[dict[str, Any]]:
    """Return the environment: nothing of the server's own, but what an account has on a node."""
    user, seen = plan.user, [_path(one, plan.user) for one in plan.settings.volumes]
    home = user.user_home if any(_is_below(user.user_home, path) for path in seen) else user.paddock_home
    given = {"HOME": home, "USER": user.name, "LOGNAME": user.name, **plan.settings.variables}
    node = {"name": "PADDOCK_NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}
    return [*({"name": name, "value": _literal(value)} for name, value in sorted(given.items())), node]


def _literal(text: str) -> str:
    """Return a text that Kubernetes reads as this one: $(NAME) would be a variable, and $$ is $."""
    return text.replace("$", "$$")


def _volumes(settings: KubernetesSettings) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = []
    for number, one in enumerate(settings.volumes):
        source = (
            {"persistentVolumeClaim": {"claimName": one.claim}} if one.claim else {"hostPath": {"path": one.host_path}}
        )
        listed.append({"name": f"volume-{number}", **source})
    memory = _given(medium="Memory", sizeLimit=str(settings.shared_memory) if settings.shared_memory else None)
    return [*listed, {"name": SHM, "emptyDir": memory}]


def _mount(number: int, volume: PodVolume, user: PodUser) -> dict[str, Any]:
    return _given(
        name=f"volume-{number}",
        mountPath=_path(volume, user),
        subPath=volume.sub_path,
        readOnly=volume.read_only or None,
    )


def _path(volume: PodVolume, user: PodUser) -> str:
    return volume.path or volume.host_path or user.paddock_home


def shows_home(settings: KubernetesSettings, user: PodUser) -> bool:
    """Return True if pods see Paddock's home."""
    return any(not one.read_only and _is_below(user.paddock_home, _path(one, user)) for one in settings.volumes)


def _is_below(path: str, above: str) -> bool:
    return os.path.commonpath([path, above]) == os.path.normpath(above)


def _deadline(batch: AllocationBatch) -> int | None:
    limit = batch.resources.time_limit
    return limit + PULL_SECONDS if limit else None


def _security(user: PodUser) -> dict[str, Any]:
    groups = [group for group in user.groups if group != user.gid]
    made: dict[str, Any] = {"runAsUser": user.uid, "runAsGroup": user.gid}
    if groups:
        made["supplementalGroups"] = groups
    if user.uid:
        made |= {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    return made


def _selector(batch: AllocationBatch, plan: PodPlan) -> dict[str, str] | None:
    wanted = dict(plan.settings.node_selector)
    kind = batch.resources.gpu_type
    if kind and batch.resources.gpus:
        wanted[plan.settings.gpu_label] = plan.gpu_types.get(kind.lower(), kind)
    return wanted or None


def _tolerations(settings: KubernetesSettings) -> list[dict[str, Any]]:
    lost = [
        {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": settings.lost_seconds}
        for key in UNREACHABLE
    ]
    return [*lost, *(one.model_dump(exclude_none=True) for one in settings.tolerations)]

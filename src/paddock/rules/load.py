"""How busy nodes are at one moment, and what users and jobs use of them. Pure."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from paddock.models import Device, Node, Traits
from paddock.models.load import GpuSample, JobLoad, NodeSample, UserLoad
from paddock.rules.advice import advice, mean
from paddock.rules.running import Gpu, Running

# --- at one moment ---------------------------------------------------------------------------------------------------


def with_measurements(node: Node, sample: NodeSample) -> Node:
    """Return a node with what was measured on it. GPUs that its backend does not know come last."""
    gpus: dict[str, GpuSample] = {}
    for gpu in sample.cards:
        name = str(gpu.number) if gpu.place is None else gpu.place
        gpus[gpu.id if name in gpus else name] = gpu
    devices = [
        _with_sample(device, gpus.pop(device.id)) if device.kind == "gpu" and device.id in gpus else device
        for device in node.devices
    ]
    devices += [_with_sample(Device(id=name, kind="gpu"), gpu) for name, gpu in gpus.items() if gpu.place is None]
    load = first_known(sample.load, node.load)
    changes = {
        "devices": devices,
        "load": load,
        "cpus_busy": sample.busy,
        "memory_used": sample.used,
        "processes": first_known(sample.processes, node.processes),
        "people": sample.people or node.people,
    }
    return node.model_copy(update=changes)


def first_known(first: float | None, second: float | None) -> float | None:
    return second if first is None else first


def _with_sample(device: Device, gpu: GpuSample) -> Device:
    changes = {
        "name": gpu.name if gpu.name and device.name in ("", "as set") else device.name,
        "uuid": gpu.id,
        "memory": gpu.memory or device.memory,
        "memory_used": gpu.used,
        "load": gpu.load,
        "temperature": gpu.temperature,
        "power": gpu.power,
        "power_limit": gpu.power_limit,
        "processes": gpu.processes,
        "busy": device.busy or bool(gpu.processes),
    }
    return device.model_copy(update=changes)


def memory_used(node: Node) -> int | None:
    """Return the bytes in use, as measured, or as far as the backend knows."""
    if node.memory_used is None and node.memory is not None and node.memory_free is not None:
        return node.memory - node.memory_free
    return node.memory_used


# --- who uses it ------------------------------------------------------------------------------------------------------


def users(running: Sequence[Running], gpus: Mapping[str, Sequence[Gpu]]) -> list[UserLoad]:
    """Return what the running tasks of each user use, by the user's name."""
    parts = groupby(sorted(running, key=lambda one: one.user), key=lambda one: one.user)
    return [UserLoad(user=user, **_share(list(part), gpus)) for user, part in parts]


def jobs(
    running: Sequence[Running], nodes: Sequence[Node], gpus: Mapping[str, Sequence[Gpu]], traits: Mapping[str, Traits]
) -> list[JobLoad]:
    """Return what the running tasks of each job use, and advice for its owner, in the order of the tasks."""
    parts: dict[str, list[Running]] = {}
    for one in running:
        parts.setdefault(one.job, []).append(one)
    return [
        JobLoad(
            job=job,
            name=part[0].name,
            user=part[0].user,
            gpu_load=first_known(mean(list(_gpu_loads(part, gpus).values())), mean([one.gpu_load for one in part])),
            advice=advice(part, nodes, gpus, traits),
            **_share(part, gpus),
        )
        for job, part in parts.items()
    ]


def _share(part: Sequence[Running], gpus: Mapping[str, Sequence[Gpu]]) -> dict[str, Any]:
    return {
        "tasks": len(part),
        "cores": round(sum(one.cores or 0 for one in part), 3),
        "memory": int(sum(one.memory or 0 for one in part)),
        "gpus": len(_gpu_loads(part, gpus)),
        "gpu_memory": int(sum(one.gpu_memory or 0 for one in part)),
    }


def _gpu_loads(part: Sequence[Running], gpus: Mapping[str, Sequence[Gpu]]) -> dict[tuple[str, str, str], float | None]:
    """Return the load of each GPU that one of these tasks is on."""
    on = (gpu for one in part for gpu in gpus.get(one.task, ()))
    return {(gpu.node.backend, gpu.node.name, gpu.device.id): gpu.device.load for gpu in on}

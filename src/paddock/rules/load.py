"""How busy nodes are, now and over time, and what users and jobs use of them. Pure."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from statistics import fmean
from typing import Any

from paddock.models import Device, Node, Traits
from paddock.models.load import GpuSample, JobLoad, LoadSeries, NodeSample, UserLoad
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
    load = _first_known(sample.load, node.load)
    changes = {
        "devices": devices,
        "load": load,
        "cpus_busy": sample.busy,
        "memory_used": sample.used,
        "processes": _first_known(sample.processes, node.processes),
        "people": sample.people or node.people,
    }
    return node.model_copy(update=changes)


def _first_known(first: float | None, second: float | None) -> float | None:
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


# --- over time --------------------------------------------------------------------------------------------------------

Sample = dict[str, Any]  # as it is kept: load, memory, processes, gpus: id -> values of `GPU_VALUES`
NODE_VALUES = ("load", "memory", "processes")
GPU_VALUES = ("load", "memory", "temperature", "power", "processes")  # older rows have only the first two


def sample(node: Node) -> Sample | None:
    """Return what is stored of a node at one moment; None when nothing is known."""
    cores = _first_known(node.cpus_busy, node.cpus_used)
    memory = node.memory_used
    if memory is None and node.memory is not None and node.memory_free is not None:
        memory = node.memory - node.memory_free
    gpus = {device.id: kept for device in node.devices if device.kind == "gpu" and (kept := _gpu_values(device))}
    if cores is None and memory is None and not gpus:
        return None
    load = None if cores is None else round(min(cores / max(node.cpus, 1), 1.0), 4)
    counted = {} if node.processes is None else {"processes": node.processes}
    return {"load": load, "memory": memory, **counted, **({"gpus": gpus} if gpus else {})}


def _gpu_values(device: Device) -> list[float | None]:
    """Return what is stored of a GPU; nothing when nothing is known."""
    values = [device.load, device.memory_used, device.temperature, device.power]
    return [*values, len(device.processes)] if any(value is not None for value in values) else []


def series(backend: str, node: str, samples: Sequence[tuple[float, Sample]], points: int) -> list[LoadSeries]:
    """Return the series of the node, then of its GPUs, with up to `points` points each."""
    of_node = [(at, [kept.get(name) for name in NODE_VALUES]) for at, kept in samples]
    of_gpus: dict[str, list[Row]] = {}
    for at, kept in samples:
        for gpu, values in kept.get("gpus", {}).items():
            of_gpus.setdefault(gpu, []).append((at, values))
    found = [_series(backend, node, None, NODE_VALUES, of_node, points)]
    for gpu in sorted(of_gpus, key=lambda one: (len(one), one)):
        found.append(_series(backend, node, gpu, GPU_VALUES, of_gpus[gpu], points))
    return found


Row = tuple[float, Sequence[float | None]]


def _series(
    backend: str, node: str, device: str | None, names: Sequence[str], rows: Sequence[Row], points: int
) -> LoadSeries:
    times, columns = decimate(rows, names, points)
    known: dict[str, list[float | None]] = {"temperature": [], "power": [], "processes": []}
    for name, values in columns.items():
        if name in ("load", "memory") or any(value is not None for value in values):
            known[name] = values
    return LoadSeries(node=node, backend=backend, device=device, times=times, **known)


def decimate(
    rows: Sequence[Row], names: Sequence[str], points: int
) -> tuple[list[float], dict[str, list[float | None]]]:
    """Reduce rows to one per stretch of time: means of load and power, the most of everything else.

    Return the times, and the values of each name. Values that a row does not have are None.
    """
    stretches: list[Sequence[Row]] = [[row] for row in rows]
    if len(rows) > points:
        first, width = rows[0][0], (rows[-1][0] - rows[0][0]) / points
        stretches = [
            list(part) for _, part in groupby(rows, lambda row: min(int((row[0] - first) / width), points - 1))
        ]
    times = [round(fmean(at for at, _ in part), 1) for part in stretches]
    return times, {name: [_joined(name, n, part) for part in stretches] for n, name in enumerate(names)}


def _joined(name: str, n: int, part: Sequence[Row]) -> float | None:
    values = [value for _, row in part if n < len(row) and (value := row[n]) is not None]
    if not values:
        return None
    return round(fmean(values), 4) if name in ("load", "power") else max(values)


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
            gpu_load=_first_known(mean(list(_gpu_loads(part, gpus).values())), mean([one.gpu_load for one in part])),
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

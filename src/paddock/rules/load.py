"""How busy nodes are, now and over time, and what users and jobs use of them. Pure."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from statistics import fmean
from typing import Any

from paddock.models import Device, Node
from paddock.models.load import GpuSample, JobLoad, LoadSeries, NodeSample, UserLoad
from paddock.rules.advice import advice, mean
from paddock.rules.running import Gpu, Running

# --- at one moment ---------------------------------------------------------------------------------------------------


def with_measurements(node: Node, sample: NodeSample) -> Node:
    """Return a node with what was measured on it. GPUs that its backend does not know come last."""
    cards: dict[str, GpuSample] = {}
    for card in sample.cards:
        name = str(card.number) if card.place is None else card.place
        cards[card.id if name in cards else name] = card
    devices = [
        _with_card(device, cards.pop(device.id)) if device.kind == "gpu" and device.id in cards else device
        for device in node.devices
    ]
    devices += [_with_card(Device(id=name, kind="gpu"), card) for name, card in cards.items() if card.place is None]
    return node.model_copy(
        update={
            "devices": devices,
            "load": node.load if sample.load is None else sample.load,
            "cpus_busy": sample.busy,
            "memory_used": sample.used,
        }
    )


def _with_card(device: Device, card: GpuSample) -> Device:
    name = {"name": card.name} if card.name and device.name in ("", "as set") else {}
    return device.model_copy(
        update={
            **name,
            "uuid": card.id,
            "memory": card.memory or device.memory,
            "memory_used": card.used,
            "load": card.load,
            "processes": card.processes,
            "busy": device.busy or bool(card.processes),
        }
    )


# --- over time --------------------------------------------------------------------------------------------------------

Sample = dict[str, Any]  # as it is kept: load, memory, gpus: id -> [load, memory]


def sample(node: Node) -> Sample | None:
    """Return what is stored of a node at one moment; None when nothing is known."""
    cores = node.cpus_used if node.cpus_busy is None else node.cpus_busy
    memory = node.memory_used
    if memory is None and node.memory is not None and node.memory_free is not None:
        memory = node.memory - node.memory_free
    gpus = {
        device.id: [device.load, device.memory_used]
        for device in node.devices
        if device.kind == "gpu" and (device.load is not None or device.memory_used is not None)
    }
    if cores is None and memory is None and not gpus:
        return None
    load = None if cores is None else round(min(cores / max(node.cpus, 1), 1.0), 4)
    return {"load": load, "memory": memory, **({"gpus": gpus} if gpus else {})}


def series(backend: str, node: str, samples: Sequence[tuple[float, Sample]], points: int) -> list[LoadSeries]:
    """Return the series of the node, then of its GPUs, with up to `points` points each."""
    devices = list(dict.fromkeys(gpu for _, kept in samples for gpu in kept.get("gpus", {})))
    found = []
    for device in [None, *sorted(devices, key=lambda one: (len(one), one))]:
        rows = [
            (at, *((kept["load"], kept["memory"]) if device is None else kept["gpus"][device]))
            for at, kept in samples
            if device is None or device in kept.get("gpus", {})
        ]
        times, load, memory = decimate(rows, points)
        found.append(LoadSeries(node=node, backend=backend, device=device, times=times, load=load, memory=memory))
    return found


Row = tuple[float, float | None, float | None]


def decimate(rows: Sequence[Row], points: int) -> tuple[list[float], list[float | None], list[float | None]]:
    """Reduce rows to one per stretch of time, with the mean load and the most memory."""
    if len(rows) > points:
        first, width = rows[0][0], (rows[-1][0] - rows[0][0]) / points
        stretches: dict[int, list[Row]] = {}
        for row in rows:
            stretches.setdefault(min(int((row[0] - first) / width), points - 1), []).append(row)
        rows = [
            (
                fmean(at for at, _, _ in part),
                mean([load for _, load, _ in part]),
                max((memory for _, _, memory in part if memory is not None), default=None),
            )
            for part in stretches.values()
        ]
    times = [round(at, 1) for at, _, _ in rows]
    return times, [load if load is None else round(load, 4) for _, load, _ in rows], [memory for *_, memory in rows]


# --- who uses it ------------------------------------------------------------------------------------------------------


def users(running: Sequence[Running], gpus: Mapping[str, Sequence[Gpu]]) -> list[UserLoad]:
    parts = groupby(sorted(running, key=lambda one: one.user), key=lambda one: one.user)
    return [UserLoad(user=user, **_share(list(part), gpus)) for user, part in parts]


def jobs(running: Sequence[Running], nodes: Sequence[Node], gpus: Mapping[str, Sequence[Gpu]]) -> list[JobLoad]:
    parts: dict[str, list[Running]] = {}
    for one in running:
        parts.setdefault(one.job, []).append(one)
    return [
        JobLoad(
            job=job,
            name=part[0].name,
            user=part[0].user,
            gpu_load=_gpu_load(part, gpus),
            advice=advice(part, nodes, gpus),
            **_share(part, gpus),
        )
        for job, part in parts.items()
    ]


def _share(part: Sequence[Running], gpus: Mapping[str, Sequence[Gpu]]) -> dict[str, Any]:
    on = {(gpu.node.backend, gpu.node.name, gpu.device.id) for one in part for gpu in gpus.get(one.task, ())}
    return {
        "tasks": len(part),
        "cores": round(sum(one.cores or 0 for one in part), 3),
        "memory": int(sum(one.memory or 0 for one in part)),
        "gpus": len(on),
        "gpu_memory": int(sum(one.gpu_memory or 0 for one in part)),
    }


def _gpu_load(part: Sequence[Running], gpus: Mapping[str, Sequence[Gpu]]) -> float | None:
    on = {
        (gpu.node.backend, gpu.node.name, gpu.device.id): gpu.device.load
        for one in part
        for gpu in gpus.get(one.task, ())
    }
    measured_there = mean(list(on.values()))
    return mean([one.gpu_load for one in part]) if measured_there is None else measured_there

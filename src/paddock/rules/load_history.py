"""How busy nodes were over time: what is stored, and what is shown of it. Pure."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.models import Device, Node
from paddock.models.load import LoadSeries
from paddock.rules.load import first_known, memory_used

Sample = dict[str, Any]  # as it is stored: load, memory, processes, gpus: id -> values of `GPU_VALUES`
NODE_VALUES = ("load", "memory", "processes")
GPU_VALUES = ("load", "memory", "temperature", "power", "processes")  # older rows have only the first two
MEANS = ("load", "power")  # of an interval; of everything else the largest value is shown
Values = NDArray[np.float64]  # a row per moment, a column per value; nan: it is not known


def sample(node: Node) -> Sample | None:
    """Return what is stored of a node at one moment; None when nothing is known."""
    cores = first_known(node.cpus_busy, node.cpus_used)
    memory = memory_used(node)
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


def joined(samples: Sequence[Sample]) -> Sample:
    """Return one sample of an interval in place of several."""
    of_node = {name: _one(name, [kept.get(name) for kept in samples]) for name in NODE_VALUES}
    gpus: dict[str, list[list[float | None]]] = {}
    for kept in samples:
        for gpu, values in kept.get("gpus", {}).items():
            gpus.setdefault(gpu, []).append(_padded(values))
    of_gpus = {
        gpu: [_one(name, column) for name, column in zip(GPU_VALUES, zip(*rows, strict=True), strict=True)]
        for gpu, rows in gpus.items()
    }
    if of_node["processes"] is None:
        del of_node["processes"]
    return {**of_node, **({"gpus": of_gpus} if of_gpus else {})}


def _one(name: str, values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    if not known:
        return None
    return round(fmean(known), 4) if name in MEANS else max(known)


def _padded(values: list[float | None]) -> list[float | None]:
    return values if len(values) == len(GPU_VALUES) else [*values, *[None] * (len(GPU_VALUES) - len(values))]


def series(backend: str, node: str, samples: Sequence[tuple[float, Sample]], points: int) -> list[LoadSeries]:
    """Return the series of the node, then of its GPUs, with up to `points` points each."""
    times = [at for at, _ in samples]
    of_node = [[kept.get(name) for name in NODE_VALUES] for _, kept in samples]
    of_gpus: dict[str, tuple[list[float], list[list[float | None]]]] = {}
    for at, kept in samples:
        for gpu, values in kept.get("gpus", {}).items():
            known = of_gpus.setdefault(gpu, ([], []))
            known[0].append(at)
            known[1].append(_padded(values))
    found = [_series(backend, node, None, NODE_VALUES, times, of_node, points)]
    for gpu in sorted(of_gpus, key=lambda one: (len(one), one)):
        found.append(_series(backend, node, gpu, GPU_VALUES, *of_gpus[gpu], points))
    return found


def _series(
    backend: str,
    node: str,
    device: str | None,
    names: Sequence[str],
    times: Sequence[float],
    rows: Sequence[Sequence[float | None]],
    points: int,
) -> LoadSeries:
    at, values = decimate(np.array(times, dtype=float), np.array(rows, dtype=float), names, points)
    shown: dict[str, list[float | None]] = {"temperature": [], "power": [], "processes": []}
    missing = np.isnan(values)
    for n, name in enumerate(names):
        if name in ("load", "memory") or not missing[:, n].all():
            shown[name] = np.where(missing[:, n], None, values[:, n]).tolist()  # type: ignore[call-overload]
    return LoadSeries(node=node, backend=backend, device=device, times=at.round(1).tolist(), **shown)


def decimate(times: Values, values: Values, names: Sequence[str], points: int) -> tuple[Values, Values]:
    """Reduce rows to one per interval, up to `points`, where there are more."""
    if len(times) <= points:
        return times, values
    width = (times[-1] - times[0]) / points or 1.0
    intervals = np.minimum(((times - times[0]) / width).astype(int), points - 1)
    starts = np.flatnonzero(np.diff(intervals, prepend=-1))
    known = np.add.reduceat(~np.isnan(values), starts, axis=0, dtype=float)
    with np.errstate(invalid="ignore"):  # 0 / 0: nothing is known of an interval
        means = (np.add.reduceat(np.nan_to_num(values), starts, axis=0) / known).round(4)
    largest = np.fmax.reduceat(values, starts, axis=0)
    counts = np.diff(starts, append=len(times))
    is_mean = [name in MEANS for name in names]
    return np.add.reduceat(times, starts) / counts, np.where(is_mean, means, largest)

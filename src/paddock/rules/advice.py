"""Find out from the running tasks of a job what its owner could change. Pure."""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean

from paddock.models import Device, Node, Traits, units
from paddock.models.load import Hint
from paddock.rules.running import Gpu, Running

ENOUGH_SECONDS = 60.0  # a task that has run for less is not judged
IDLE_SECONDS = 120.0
FULL = 0.92
SPARE = 0.9  # share of a GPU or node that advice plans with
MOST_TASKS = 16
MANY_CORES = 4


def advice(
    part: Sequence[Running], nodes: Sequence[Node], gpus: Mapping[str, Sequence[Gpu]], traits: Mapping[str, Traits]
) -> list[Hint]:
    """Return what the owner of a job could change, given its running tasks (at least one). `traits` are by backend."""
    settled = [one for one in part if one.seconds >= ENOUGH_SECONDS]
    if not settled:
        return []
    of_gpus = _idle_gpu(settled, gpus) or _near_gpu_memory(settled, gpus) or _share_gpu(part, gpus)
    hints = [of_gpus, _near_memory(settled, nodes, traits), _idle_cores(settled)]
    return [hint for hint in hints if hint is not None]


def _idle_gpu(part: Sequence[Running], gpus: Mapping[str, Sequence[Gpu]]) -> Hint | None:
    with_some = [one for one in part if gpus.get(one.task) and one.seconds > IDLE_SECONDS]
    idle = [one for one in with_some if _never_used(one, gpus[one.task])]
    if not idle:
        return None
    minutes = int(max(one.seconds for one in idle) / 60)
    who = "has a GPU and has" if len(with_some) == 1 else f"{len(idle)} of {len(with_some)} tasks have a GPU and have"
    text = f"{who} not used it in {minutes} min: does the script find it? --gpus 0 runs without one"
    return Hint(kind="idle_gpu", text=text)


def _never_used(one: Running, on: Sequence[Gpu]) -> bool:
    if one.gpu_load is None or one.gpu_load >= 0.01 or one.peak_gpu_memory or one.gpu_memory:
        return False
    # Without figures per process, the memory in use on the GPU may belong to this task.
    return one.gpu_memory is not None or all(_fullness(gpu.device) < 0.03 for gpu in on)


def _fullness(device: Device) -> float:
    return (device.memory_used or 0) / device.memory if device.memory else 0.0


def _near_gpu_memory(part: Sequence[Running], gpus: Mapping[str, Sequence[Gpu]]) -> Hint | None:
    on = (gpu for one in part for gpu in gpus.get(one.task, ()))
    fullest = max(on, key=lambda gpu: _fullness(gpu.device), default=None)
    if fullest is None or _fullness(fullest.device) <= FULL:
        return None
    device = fullest.device
    text = (
        f"GPU {device.id} of {fullest.node.name} has {_of(device.memory_used, device.memory)} in use "
        f"({_percent(_fullness(device))}): little is left, should the tasks need more. TensorFlow takes all of it "
        "whether it needs it or not, unless TF_FORCE_GPU_ALLOW_GROWTH=true"
    )
    return Hint(kind="near_gpu_memory", text=text)


def _share_gpu(part: Sequence[Running], gpus: Mapping[str, Sequence[Gpu]]) -> Hint | None:
    asked = part[0].resources
    if asked.per_gpu is not None or asked.triple is not None or (asked.nodes or 1) > 1:
        return None
    on = [(one, gpu) for one in part for gpu in gpus.get(one.task, ()) if one.seconds >= ENOUGH_SECONDS]
    if not on or not all(_alone(one, gpu.device) for one, gpu in on):
        return None
    load = mean([one.gpu_load for one, _ in on])
    total = min(gpu.device.memory or 0 for _, gpu in on)
    memory = max(_need(one, gpus[one.task]) for one, _ in on)
    if load is None or not total or not memory:
        return None
    fits = [MOST_TASKS, int(SPARE / max(load, 0.01)), int(SPARE * total / (1.1 * memory))]
    for one, gpu in on:
        fits += _on_node(one, gpu.node)
    count = min(fits)
    if count < 2:
        return None
    text = (
        f"uses {_percent(load)} of the GPU and {_of(memory, total)}: "
        f"could run {count} tasks per GPU (--per-gpu {count} or auto)"
    )
    return Hint(kind="share_gpu", text=text, per_gpu=count)


def _need(one: Running, on: Sequence[Gpu]) -> float:
    """Return the bytes that the task needs on each of its GPUs."""
    whole = one.peak_gpu_memory or one.gpu_memory or sum(gpu.device.memory_used or 0 for gpu in on)
    return whole / len(on)


def _alone(one: Running, device: Device) -> bool:
    others = [process for process in device.processes if process.owner is not None and process.task != one.task]
    return device.tasks == [one.task] and not others


def _on_node(one: Running, node: Node) -> list[int]:
    """Return how many such tasks per GPU the cores and the memory of its node allow."""
    count = max(sum(device.kind == "gpu" for device in node.devices), 1)
    fits = []
    if one.cores:
        fits.append(int(node.cpus / count / max(one.cores, 0.1)))
    if one.memory and node.memory:
        fits.append(int(SPARE * node.memory / count / one.memory))
    return fits


def _near_memory(part: Sequence[Running], nodes: Sequence[Node], traits: Mapping[str, Traits]) -> Hint | None:
    limit = part[0].resources.memory
    own = [node for node in nodes if any(one.node == node.name for one in part)]
    if limit and any(traits[node.backend].counts_memory for node in own):
        most = max(one.memory or 0 for one in part)
        if most > FULL * limit:
            text = (
                f"uses {_of(most, limit)} that a task asked for ({_percent(most / limit)}): "
                "with more it is killed; --memory asks for more"
            )
            return Hint(kind="near_memory", text=text)
    for node in own:
        if node.memory and node.memory_used is not None and node.memory_used > FULL * node.memory:
            left = _of(node.memory - node.memory_used, node.memory)
            text = f"{node.name} has {left} of memory left: what needs more will be killed"
            return Hint(kind="near_memory", text=text)
    return None


def _idle_cores(part: Sequence[Running]) -> Hint | None:
    asked = part[0].resources.cpus or 1
    measured = [one.cores for one in part if one.cores is not None]
    if asked < MANY_CORES or not measured:
        return None
    most = max(measured)
    enough = max(math.ceil(1.25 * most), 1)
    if enough > asked / 2:
        return None
    text = f"asks for {asked} cores per task and uses {most:.1f}: --cpus {enough} would do"
    return Hint(kind="idle_cores", text=text)


def _of(part: float | None, whole: float | None) -> str:
    return units.size_of(part or 0, whole or 0)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def mean(values: Sequence[float | None]) -> float | None:
    """Return the mean of the values that are known; None if none is."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None

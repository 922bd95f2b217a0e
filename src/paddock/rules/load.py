"""How busy machines are, by node, user and job, and a word of advice for what runs. Models and pure functions."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field

from paddock.models import Device, GpuProcess, Model, Node, Resources, Seat, units


class Share(Model):
    """What running tasks use together."""

    tasks: int = 0
    cores: float = Field(0.0, description="busy cores, as measured")
    memory: int = Field(0, description="bytes")
    gpus: int = Field(0, description="GPUs that they are on")
    gpu_memory: int = Field(0, description="bytes")


class Hint(Model):
    """Something that the owner of a job could change."""

    kind: Literal["share_gpu", "near_gpu_memory", "near_memory", "idle_cores", "idle_gpu"]
    text: str
    per_gpu: int | None = Field(None, description="share_gpu: so many tasks could share a GPU")


class UserLoad(Share):
    user: str


class JobLoad(Share):
    job: str
    name: str
    user: str
    gpu_load: float | None = Field(None, description="mean over the GPUs that its tasks are on, 0 to 1")
    advice: list[Hint] = Field(default_factory=list)


class LoadReport(Model):
    """All of it, at one moment."""

    at: datetime
    nodes: list[Node]
    users: list[UserLoad]
    jobs: list[JobLoad]


class LoadSeries(Model):
    """How busy a node, or one GPU of it, was over time. What was not measured is null."""

    node: str
    backend: str
    device: str | None = Field(None, description="id of a GPU; null: the node itself")
    times: list[float] = Field(description="seconds since 1970")
    load: list[float | None] = Field(description="0 to 1: of the cores, or of the GPU")
    memory: list[float | None] = Field(description="bytes in use")


# --- what a look at a machine gave ------------------------------------------------------------------------------------


MOST_CARDS = 128  # of a node
MOST_PROCESSES = 64  # of a card: a runner tells of no more


def _short(processes: list[GpuProcess]) -> list[GpuProcess]:
    for one in processes:
        if any(len(text or "") > 200 for text in (one.owner, one.command, one.task)):
            raise ValueError("what is said of a process is too long")
        if not (0 <= one.pid < 2**31 and 0 <= (one.memory or 0) <= 2**63):
            raise ValueError("a number of a process is out of bounds")
    return processes


class GpuSample(Model):
    """A GPU, as paddock.common.node_stats tells of it."""

    model_config = ConfigDict(extra="ignore")

    id: str = Field(max_length=200)
    number: int = Field(ge=0, lt=2**31)
    place: str | None = Field(None, max_length=200, description="what the scheduler calls it")
    name: str = Field("", max_length=200)
    memory: int | None = Field(None, ge=0, le=2**63)
    used: int | None = Field(None, ge=0, le=2**63)
    load: float | None = Field(None, ge=0, le=1)
    processes: Annotated[list[GpuProcess], AfterValidator(_short)] = Field(
        default_factory=list, max_length=MOST_PROCESSES
    )


class NodeSample(Model):
    model_config = ConfigDict(extra="ignore")

    cores: int = Field(ge=1, le=2**20)
    busy: float | None = Field(None, ge=0, le=1e6)
    load: float | None = Field(None, ge=0, le=1e6)
    memory: int | None = Field(None, ge=0, le=2**63)
    free: int | None = Field(None, ge=0, le=2**63)
    cards: list[GpuSample] = Field(default_factory=list, max_length=MOST_CARDS)

    @property
    def used(self) -> int | None:
        return None if self.memory is None or self.free is None else max(self.memory - self.free, 0)


def with_look(node: Node, look: NodeSample) -> Node:
    """A node with what was measured on it. GPUs that its backend does not know of come last."""
    cards: dict[str, GpuSample] = {}
    for card in look.cards:
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
            "load": node.load if look.load is None else look.load,
            "cpus_busy": look.busy,
            "memory_used": look.used,
        }
    )


def _with_card(device: Device, card: GpuSample) -> Device:
    told = {"name": card.name} if card.name and device.name in ("", "as set") else {}
    return device.model_copy(
        update={
            **told,
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
    """What is kept of a node at a moment; nothing when nothing is known."""
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
    """The node first, then its GPUs: at most so many points each."""
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
    """Of each stretch of time: the mean load, and the most memory."""
    if len(rows) > points:
        first, width = rows[0][0], (rows[-1][0] - rows[0][0]) / points
        stretches: dict[int, list[Row]] = {}
        for row in rows:
            stretches.setdefault(min(int((row[0] - first) / width), points - 1), []).append(row)
        rows = [
            (
                fmean(at for at, _, _ in part),
                _mean([load for _, load, _ in part]),
                max((memory for _, _, memory in part if memory is not None), default=None),
            )
            for part in stretches.values()
        ]
    times = [round(at, 1) for at, _, _ in rows]
    return times, [load if load is None else round(load, 4) for _, load, _ in rows], [memory for *_, memory in rows]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


# --- who uses it ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Running:
    """A task that runs, and where. What was measured is of the last minutes, or None."""

    task: str
    job: str
    name: str  # of the job
    user: str
    resources: Resources
    seconds: float  # since it began
    node: str | None = None
    device: str | None = None  # as its runner said: `gpu 0,1`
    allocation: str | None = None
    seat: Seat | None = None
    cores: float | None = None
    memory: float | None = None
    gpu_memory: float | None = None
    gpu_load: float | None = None
    peak_gpu_memory: int | None = None


@dataclass(frozen=True)
class Gpu:
    """A GPU that a task is on."""

    node: Node
    device: Device


def place(nodes: Sequence[Node], running: Sequence[Running]) -> list[Node]:
    """Nodes with the tasks on them and on their devices."""
    return [_with_tasks(node, running) for node in nodes]


def _with_tasks(node: Node, running: Sequence[Running]) -> Node:
    here = [one for one in running if one.node == node.name]
    names = {name for device in node.devices if device.kind == "gpu" for name in (device.id, device.uuid)}
    devices = []
    for device in node.devices:
        ids = sorted(one.task for one in here if _is_on(one, device, names))
        devices.append(device.model_copy(update={"tasks": ids, "processes": _of_ours(device, running)}))
    return node.model_copy(update={"devices": devices, "tasks": sorted(one.task for one in here)})


def _is_on(one: Running, device: Device, names: set[str | None]) -> bool:
    """By its seat, where that names GPUs that are known here; else by its allocation; else by what it said itself."""
    seats = one.seat.gpus if one.seat is not None and device.kind == "gpu" else []
    if any(seat in names for seat in seats):
        return device.id in seats or device.uuid in seats
    if device.used_by:
        return one.allocation in device.used_by
    kind, _, ids = (one.device or "").partition(" ")
    return kind == device.kind and device.id in ids.split(",")


def _of_ours(device: Device, running: Sequence[Running]) -> list[GpuProcess]:
    """A task that is not one of ours, or has ended, is not told of."""
    known = {one.task for one in running} if device.processes else set()
    return [one if one.task in known else one.model_copy(update={"task": None}) for one in device.processes]


def gpus_of(nodes: Sequence[Node]) -> dict[str, list[Gpu]]:
    """Task -> the GPUs that it is on, on nodes with their tasks."""
    found: dict[str, list[Gpu]] = {}
    for node in nodes:
        for device in node.devices:
            for task in device.tasks if device.kind == "gpu" else ():
                found.setdefault(task, []).append(Gpu(node, device))
    return found


def users(running: Sequence[Running], gpus: Mapping[str, Sequence[Gpu]]) -> list[UserLoad]:
    parts: dict[str, list[Running]] = {}
    for one in running:
        parts.setdefault(one.user, []).append(one)
    return [UserLoad(user=user, **_share(part, gpus)) for user, part in sorted(parts.items())]


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
    mean = _mean(list(on.values()))
    return _mean([one.gpu_load for one in part]) if mean is None else mean


# --- advice -----------------------------------------------------------------------------------------------------------

ENOUGH_SECONDS = 60.0  # a task that has not run for so long says nothing yet
IDLE_SECONDS = 120.0
FULL = 0.92
SPARE = 0.9  # of a GPU, or of a node: more is not planned with
MOST_TASKS = 16
MANY_CORES = 4


def advice(part: Sequence[Running], nodes: Sequence[Node], gpus: Mapping[str, Sequence[Gpu]]) -> list[Hint]:
    """What the owner of a job could change, as its running tasks (at least one) look."""
    settled = [one for one in part if one.seconds >= ENOUGH_SECONDS]
    if not settled:
        return []
    of_gpus = _idle_gpu(settled, gpus) or _near_gpu_memory(settled, gpus) or _share_gpu(part, gpus)
    hints = [of_gpus, _near_memory(settled, nodes), _idle_cores(settled)]
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
    # Where nobody tells which process has how much, what the GPU has in use may be this task's.
    return one.gpu_memory is not None or all(_fullness(gpu.device) < 0.03 for gpu in on)


def _fullness(device: Device) -> float:
    return (device.memory_used or 0) / device.memory if device.memory else 0.0


def _near_gpu_memory(part: Sequence[Running], gpus: Mapping[str, Sequence[Gpu]]) -> Hint | None:
    fullest = max(
        (gpu for one in part for gpu in gpus.get(one.task, ())), key=lambda g: _fullness(g.device), default=None
    )
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
    load = _mean([one.gpu_load for one, _ in on])
    total = min(gpu.device.memory or 0 for _, gpu in on)
    memory = max(_need(one, gpus[one.task]) for one, _ in on)
    if load is None or not total or not memory:
        return None
    fits = [MOST_TASKS, int(SPARE / max(load, 0.01)), int(SPARE * total / (1.1 * memory))]
    for one, gpu in on:
        fits += _on_host(one, gpu.node)
    count = min(fits)
    if count < 2:
        return None
    text = (
        f"uses {_percent(load)} of the GPU and {_of(memory, total)}: "
        f"could run {count} tasks a GPU (--per-gpu {count} or auto)"
    )
    return Hint(kind="share_gpu", text=text, per_gpu=count)


def _need(one: Running, on: Sequence[Gpu]) -> float:
    """Bytes on each of its GPUs."""
    whole = one.peak_gpu_memory or one.gpu_memory or sum(gpu.device.memory_used or 0 for gpu in on)
    return whole / len(on)


def _alone(one: Running, device: Device) -> bool:
    others = [process for process in device.processes if process.owner is not None and process.task != one.task]
    return device.tasks == [one.task] and not others


def _on_host(one: Running, node: Node) -> list[int]:
    """How many such tasks a GPU its node has cores and memory for."""
    count = max(sum(device.kind == "gpu" for device in node.devices), 1)
    fits = []
    if one.cores:
        fits.append(int(node.cpus / count / max(one.cores, 0.1)))
    if one.memory and node.memory:
        fits.append(int(SPARE * node.memory / count / one.memory))
    return fits


def _near_memory(part: Sequence[Running], nodes: Sequence[Node]) -> Hint | None:
    limit = part[0].resources.memory
    hosts = [node for node in nodes if any(one.node == node.name for one in part)]
    if limit and any(node.partitions for node in hosts):  # on one's own machine nobody sees to it
        most = max(one.memory or 0 for one in part)
        if most > FULL * limit:
            text = (
                f"uses {_of(most, limit)} that a task asked for ({_percent(most / limit)}): "
                "with more it is killed; --memory asks for more"
            )
            return Hint(kind="near_memory", text=text)
    for node in hosts:
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
    text = f"asks for {asked} cores a task and uses {most:.1f}: --cpus {enough} would do"
    return Hint(kind="idle_cores", text=text)


def _of(part: float | None, whole: float | None) -> str:
    return units.size_of(part or 0, whole or 0)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"

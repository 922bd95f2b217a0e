"""Tasks that run, and the nodes and GPUs that they are on. Pure."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from paddock.models import Device, GpuProcess, Node, Resources, Seat


@dataclass(frozen=True)
class Running:
    """A running task and where it runs. Measurements are of the last minutes, or None."""

    task: str
    job: str
    name: str  # of the job
    user: str
    resources: Resources
    seconds: float  # since it began
    node: str | None = None
    device: str | None = None  # as its runner reported it: `gpu 0,1`
    allocation: str | None = None
    seat: Seat | None = None
    pid: int | None = None  # of its first process, which begins a session
    unix_name: str | None = None  # as whom it runs, if not as the server or whoever signs in on a host
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
    """Return the nodes with the tasks that run on them and on their devices."""
    by_node: dict[str | None, list[Running]] = {}
    for one in running:
        by_node.setdefault(one.node, []).append(one)
    ours = {one.task for one in running}
    return [_with_tasks(node, by_node.get(node.name, []), ours) for node in nodes]


def _with_tasks(node: Node, here: Sequence[Running], ours: Collection[str]) -> Node:
    names = {name for device in node.devices if device.kind == "gpu" for name in (device.id, device.uuid)}
    devices = []
    for device in node.devices:
        ids = sorted(one.task for one in here if _is_on(one, device, names))
        devices.append(device.model_copy(update={"tasks": ids, "processes": _of_ours(device, here, ours)}))
    return node.model_copy(update={"devices": devices, "tasks": sorted(one.task for one in here)})


def _is_on(one: Running, device: Device, names: set[str | None]) -> bool:
    """Return True if a task is on a device: by its seat, by its allocation, or by what its runner reported."""
    seats = one.seat.gpus if one.seat is not None and device.kind == "gpu" else []
    if any(seat in names for seat in seats):
        return device.id in seats or device.uuid in seats
    if device.used_by:
        return one.allocation in device.used_by
    kind, _, ids = (one.device or "").partition(" ")
    return kind == device.kind and device.id in ids.split(",")


def _of_ours(device: Device, here: Sequence[Running], ours: Collection[str]) -> list[GpuProcess]:
    """Return the processes on a device, each with its task if that is a running task of this server.

    Whoever looked may not read the environment of a process of somebody else, which names the task; but everybody sees
    its session. A runner reports any pid that its owner likes: of a process of another person, it is not believed.
    """
    sessions = {one.pid: one for one in here if one.pid is not None} if device.processes else {}
    found = []
    for one in device.processes:
        task = one.task if one.task in ours else None
        begun = sessions.get(one.session) if one.session else None
        if task is None and begun is not None and begun.unix_name in (None, one.owner):
            task = begun.task
        found.append(one if task == one.task else one.model_copy(update={"task": task}))
    return found


def jobs_on(nodes: Sequence[Node]) -> set[str]:
    """Return the jobs of which tasks or allocations are on these nodes."""
    devices = [device for node in nodes for device in node.devices]
    tasks = {task for node in nodes for task in node.tasks}
    tasks |= {process.task for device in devices for process in device.processes if process.task is not None}
    return {_job(one) for one in tasks.union(*(device.used_by for device in devices))}


def without_jobs(nodes: Sequence[Node], hidden: Collection[str]) -> list[Node]:
    """Return the nodes without what is known of tasks and allocations of these jobs: they are busy with something."""
    if not hidden:
        return list(nodes)

    def shown(ids: Iterable[str]) -> list[str]:
        return [one for one in ids if _job(one) not in hidden]

    def process(one: GpuProcess) -> GpuProcess:
        known = one.task is None or _job(one.task) not in hidden
        return one if known else one.model_copy(update={"task": None, "command": None})

    def device(one: Device) -> Device:
        found = {"tasks": shown(one.tasks), "used_by": shown(one.used_by), "processes": [*map(process, one.processes)]}
        return one.model_copy(update=found)

    return [
        node.model_copy(update={"devices": [*map(device, node.devices)], "tasks": shown(node.tasks)}) for node in nodes
    ]


def _job(of: str) -> str:
    """Return the job of a task, or of the key of an allocation."""
    return of.partition("-")[0]


def gpus_of(nodes: Sequence[Node]) -> dict[str, list[Gpu]]:
    """Return the GPUs of each task. The nodes must contain their tasks (`place`)."""
    found: dict[str, list[Gpu]] = {}
    for node in nodes:
        for device in node.devices:
            for task in device.tasks if device.kind == "gpu" else ():
                found.setdefault(task, []).append(Gpu(node, device))
    return found

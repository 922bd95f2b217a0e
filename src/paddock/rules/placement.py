"""What a task gets, and how many of them fit. Pure."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from paddock.errors import InvalidInput
from paddock.models import Node, Resources, Triple, units


@dataclass(frozen=True)
class Shape:
    """What an allocation has on each of its nodes, and how its tasks share that."""

    gpus: int
    cpus: int
    memory: int | None
    slots: int  # tasks at a time, at most
    task_gpus: int
    per_gpu: int | Literal["auto"]  # tasks that may share a GPU
    threads: int | None = None  # of a task; None: as its cores come to
    most: int | None = None  # allocations at a time

    def tasks_at_once(self, measured: int | None = None) -> int:
        """Return how many tasks an allocation runs at a time. `measured`: tasks per GPU, as an earlier job found."""
        if self.per_gpu != "auto":
            return self.slots
        return min(self.slots, measured or UNMEASURED)


UNMEASURED = 4  # tasks per GPU, as long as no job has measured them
MOST = 48  # clients of NVIDIA MPS
MEBI = 1024**2


def shape(resources: Resources, nodes: Sequence[Node]) -> Shape:
    """Of allocations for such tasks."""
    eligible = _in_partitions(resources, nodes)
    if resources.triple is not None:
        return _triple(resources, eligible)
    gpus, cpus, memory = gpus_of(resources, nodes), resources.cpus or 1, resources.memory
    if resources.per_gpu is None or not gpus:
        slots = resources.slots or 1
        return Shape(gpus * slots, cpus * slots, memory and memory * slots, slots, gpus, 1, resources.cpus)
    if resources.per_gpu == "auto":
        hosts = [node for node in eligible if len(_gpus(resources, node)) >= gpus]
        parts = [gpus / len(_gpus(resources, node)) for node in hosts]
        share = [int(node.cpu_slots * part) for node, part in zip(hosts, parts, strict=True)]
        bytes_ = [_rounded(node.memory * part) for node, part in zip(hosts, parts, strict=True) if node.memory]
        return Shape(
            gpus=gpus,
            cpus=max([cpus, *([min(share)] if share else [])]),
            memory=memory and max([memory, *([min(bytes_)] if bytes_ else [])]),
            slots=resources.slots or MOST,
            task_gpus=gpus,
            per_gpu="auto",
            threads=resources.cpus,
        )
    slots = resources.slots or resources.per_gpu
    groups = math.ceil(slots / resources.per_gpu)
    return Shape(gpus * groups, cpus * slots, memory and memory * slots, slots, gpus, resources.per_gpu, resources.cpus)


def _rounded(memory: float) -> int:
    """Down to what schedulers count in: all shares together are no more than there is."""
    return int(memory) // MEBI * MEBI


def _triple(resources: Resources, eligible: Sequence[Node]) -> Shape:
    """All GPUs of a node, dealt to its tasks."""
    triple = resources.triple or Triple(nodes=1, tasks=1, threads=1)
    counts = [len(_gpus(resources, node)) for node in eligible]
    gpus = 0 if resources.gpus == 0 else min((count for count in counts if count), default=0)
    memory = resources.memory and resources.memory * triple.tasks
    per_gpu = math.ceil(triple.tasks / gpus) if gpus else 1
    cpus, tasks = triple.tasks * triple.threads, triple.tasks
    return Shape(gpus, cpus, memory, tasks, min(gpus, 1), per_gpu, triple.threads, triple.nodes)


def resolved(resources: Resources, nodes: Sequence[Node]) -> Resources:
    """What is asked of the backend for one allocation: all of it on each node."""
    size = shape(resources, nodes)
    own = {"slots": None, "per_gpu": None, "triple": None}
    return resources.model_copy(update={"gpus": size.gpus, "cpus": size.cpus, "memory": size.memory, **own})


def gpus_of(resources: Resources, nodes: Sequence[Node]) -> int:
    """The GPUs that one task gets on each node: as asked; else one where there are GPUs."""
    if resources.gpus is not None:
        return resources.gpus
    eligible = _in_partitions(resources, nodes)
    return 1 if any(device.kind == "gpu" for node in eligible for device in node.devices) else 0


def width(resources: Resources, nodes: Sequence[Node]) -> int:
    """How many allocations for such tasks run at a time when nothing else does."""
    size = resolved(resources, nodes)
    each = [_on_node(size, node) for node in _in_partitions(resources, nodes) if node.usable]
    if (resources.nodes or 1) > 1:
        return sum(fits > 0 for fits in each) // (resources.nodes or 1)
    if resources.triple is not None:
        return min(sum(fits > 0 for fits in each), resources.triple.nodes)
    return sum(each)


def _in_partitions(resources: Resources, nodes: Iterable[Node]) -> list[Node]:
    wanted = set((resources.partition or "").split(",")) - {""}
    return [node for node in nodes if not wanted or not node.partitions or wanted & set(node.partitions)]


def _on_node(size: Resources, node: Node) -> int:
    """How many allocations of this size."""
    gpus, cpus = size.gpus or 0, size.cpus or 1
    fits = []
    if gpus:
        fits.append(len(_gpus(size, node)) // gpus)
    if not gpus or node.partitions:  # on one's own machine the cores of GPU tasks are not counted
        fits.append(node.cpu_slots // cpus)
    if size.memory and node.partitions and node.memory:
        fits.append(node.memory // size.memory)
    return min(fits)


def _gpus(size: Resources, node: Node) -> list[str]:
    wanted = size.gpu_type
    return [d.id for d in node.devices if d.kind == "gpu" and (wanted is None or d.name.lower() == wanted.lower())]


def refuse_impossible(resources: Resources, nodes: Sequence[Node]) -> None:
    """Raise InvalidInput for what can never run here. Without nodes nothing is known, and nothing refused."""
    if not nodes:
        return
    _refuse_unknown(resources, nodes)
    several = resources.nodes or 1
    if several > 1 and not any(node.partitions for node in nodes):
        raise _never("nodes", "tasks over several nodes need a Slurm backend")
    if resources.triple is not None and resources.triple.nodes > len(nodes):
        count = resources.triple.nodes
        raise _never("triple", f"{count} nodes are asked for, and there {_are(len(nodes))}")
    size = resolved(resources, nodes)
    who = "a task asks" if shape(resources, nodes).slots == 1 else "the tasks of an allocation ask"
    eligible = [node.model_copy(update={"usable": True}) for node in _in_partitions(resources, nodes)]
    if width(resources, eligible):
        return
    where = f"in partition {resources.partition}" if resources.partition else ""
    if size.gpus:
        most = max((len(_gpus(size, node)) for node in eligible), default=0)
        if most < size.gpus:
            kind = ("GPU" if size.gpus == 1 else "GPUs") + (f" of type {size.gpu_type}" if size.gpu_type else "")
            raise _never(
                "gpus",
                f"{who} for {size.gpus} {kind}, and {_nobody(where)} has {f'more than {most}' if most else 'any'}",
            )
    wanted = size.cpus or 1
    most = max((node.cpu_slots for node in eligible), default=0)
    if most < wanted:
        what = "cores" if any(node.partitions for node in nodes) else "CPU slots"
        fewer = ": ask for fewer tasks or threads" if resources.triple or resources.slots else ""
        raise _never("cpus", f"{who} for {wanted} {what}, and {_nobody(where)} has more than {most}{fewer}")
    memory = max((node.memory or 0 for node in eligible), default=0)
    if size.memory and memory < size.memory:
        asked, there = units.size_text(size.memory), units.size_text(memory)
        raise _never("memory", f"{who} for {asked}, and {_nobody(where)} has more than {there}")
    if several > 1:
        raise _never("nodes", f"a task asks for {several} nodes, and fewer are large enough {where}".rstrip())
    raise _never("gpus", f"no node has all that a task asks for {where}".rstrip())


def _refuse_unknown(resources: Resources, nodes: Sequence[Node]) -> None:
    known = sorted({name for node in nodes for name in node.partitions})
    if resources.partition and known:
        strange = sorted(set(resources.partition.split(",")) - set(known))
        if strange:
            raise _never("partition", f"there is no partition {strange[0]!r}; there are: {', '.join(known)}")
    types = sorted({d.name for node in nodes for d in node.devices if d.kind == "gpu" and d.name})
    if resources.gpu_type and known and resources.gpu_type.lower() not in {name.lower() for name in types}:
        listed = ", ".join(types) or "none has a type"
        raise _never("gpu_type", f"there are no GPUs of type {resources.gpu_type!r}; there are: {listed}")


def _are(count: int) -> str:
    return "is 1" if count == 1 else f"are {count}"


def _nobody(where: str) -> str:
    return f"no node {where}".rstrip()


def _never(field: str, message: str) -> InvalidInput:
    return InvalidInput.at(f"resources.{field}", message, "This can never run")

"""Decide what a task gets, and how many tasks fit on the nodes. Pure."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from paddock.errors import InvalidInput
from paddock.models import Node, Resources, Traits, Triple, units


@dataclass(frozen=True)
class Shape:
    """What an allocation has on each of its nodes, and how its tasks share that."""

    gpus: int
    cpus: int
    memory: int | None
    slots: int  # tasks at a time, at most
    task_gpus: int
    per_gpu: int | Literal["auto"]  # tasks that may share a GPU
    threads: int | None = None  # per task; None: as many as it has cores
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
    """Return the shape of allocations for tasks with these resources."""
    eligible = eligible_nodes(resources, nodes)
    if resources.triple is not None:
        return _whole_nodes(resources, resources.triple, eligible)
    gpus, cpus, memory = gpus_of(resources, nodes), resources.cpus or 1, resources.memory
    if resources.per_gpu is None or not gpus:
        slots = resources.slots or 1
        return Shape(gpus * slots, cpus * slots, memory and memory * slots, slots, gpus, 1, resources.cpus)
    if resources.per_gpu == "auto":
        parts = [(node, gpus / count) for node in eligible if (count := len(_gpus(resources, node))) >= gpus]
        cores = min((int(node.cpu_slots * part) for node, part in parts), default=0)
        # Rounded down to what schedulers count in: all shares together are no more than the node has.
        share = min((int(node.memory * part) // MEBI * MEBI for node, part in parts if node.memory), default=0)
        memory = memory and max(memory, share)
        return Shape(gpus, max(cpus, cores), memory, resources.slots or MOST, gpus, "auto", resources.cpus)
    slots = resources.slots or resources.per_gpu
    groups = math.ceil(slots / resources.per_gpu)
    return Shape(gpus * groups, cpus * slots, memory and memory * slots, slots, gpus, resources.per_gpu, resources.cpus)


def _whole_nodes(resources: Resources, triple: Triple, eligible: Sequence[Node]) -> Shape:
    """Return the shape of allocations that have all GPUs of a node, dealt to its tasks."""
    counts = [len(_gpus(resources, node)) for node in eligible]
    gpus = 0 if resources.gpus == 0 else min((count for count in counts if count), default=0)
    memory = resources.memory and resources.memory * triple.tasks
    per_gpu = math.ceil(triple.tasks / gpus) if gpus else 1
    cpus, tasks = triple.tasks * triple.threads, triple.tasks
    return Shape(gpus, cpus, memory, tasks, min(gpus, 1), per_gpu, triple.threads, triple.nodes)


def resolved(resources: Resources, nodes: Sequence[Node]) -> Resources:
    """Return the resources of one allocation, as requested from the backend: all of it on each node."""
    size = shape(resources, nodes)
    own = {"slots": None, "per_gpu": None, "triple": None}
    return resources.model_copy(update={"gpus": size.gpus, "cpus": size.cpus, "memory": size.memory, **own})


def gpus_of(resources: Resources, nodes: Sequence[Node]) -> int:
    """Return how many GPUs one task gets on each node: as requested; else one where nodes have GPUs."""
    if resources.gpus is not None:
        return resources.gpus
    eligible = eligible_nodes(resources, nodes)
    return 1 if any(device.kind == "gpu" for node in eligible for device in node.devices) else 0


def sized(resources: Resources, gpus: int | None, nodes: Sequence[Node], traits: Traits) -> Resources:
    """Return what a task needs with another number of GPUs: more than a node has are those of whole nodes."""
    return resources.of_size(gpus, gpus_of_a_node(resources, nodes) if traits.multi_node else None)


def gpus_of_a_node(resources: Resources, nodes: Sequence[Node]) -> int:
    """Return how many GPUs that it can use the largest node has."""
    return max((len(_gpus(resources, node)) for node in eligible_nodes(resources, nodes)), default=0)


def width(resources: Resources, nodes: Sequence[Node], traits: Traits) -> int:
    """Return how many allocations for such tasks run at a time when nothing else runs."""
    size = resolved(resources, nodes)
    each = [_on_node(size, node, traits) for node in eligible_nodes(resources, nodes) if node.usable]
    if (resources.nodes or 1) > 1:
        return sum(fits > 0 for fits in each) // (resources.nodes or 1)
    if resources.triple is not None:
        return min(sum(fits > 0 for fits in each), resources.triple.nodes)
    return sum(each)


def eligible_nodes(resources: Resources, nodes: Iterable[Node]) -> list[Node]:
    """Return the nodes in the partitions, or the hosts, that are asked for."""
    wanted, hosts = set((resources.slurm.partition or "").split(",")) - {""}, resources.hosts.names
    able = [node for node in nodes if not hosts or node.name in hosts]
    return [node for node in able if not wanted or not node.partitions or wanted & set(node.partitions)]


def _on_node(size: Resources, node: Node, traits: Traits) -> int:
    """Return how many allocations of this size fit on a node."""
    gpus, cpus = size.gpus or 0, size.cpus or 1
    fits = []
    if gpus:
        fits.append(len(_gpus(size, node)) // gpus)
    if not gpus or traits.counts_cores_of_gpu_tasks:
        fits.append(node.cpu_slots // cpus)
    if size.memory and traits.counts_memory and node.memory:
        fits.append(node.memory // size.memory)
    return min(fits)


def _gpus(size: Resources, node: Node) -> list[str]:
    wanted = size.gpu_type
    return [d.id for d in node.devices if d.kind == "gpu" and (wanted is None or d.name.lower() == wanted.lower())]


def refuse_impossible(resources: Resources, nodes: Sequence[Node], traits: Traits) -> None:
    """Raise InvalidInput for what can never run here. Nothing is refused while no nodes are known."""
    if not nodes:
        return
    _refuse_unknown(resources, nodes, traits)
    several = resources.nodes or 1
    if several > 1 and not traits.multi_node:
        raise _never("nodes", "tasks over several nodes need a backend with a scheduler, such as Slurm")
    if resources.triple is not None and resources.triple.nodes > len(nodes):
        raise _never("triple", f"it needs {resources.triple.nodes} nodes, more than there are ({len(nodes)})")
    size = resolved(resources, nodes)
    who = "a task asks" if shape(resources, nodes).slots == 1 else "the tasks of an allocation ask"
    eligible = [node.model_copy(update={"usable": True}) for node in eligible_nodes(resources, nodes)]
    if width(resources, eligible, traits):
        return
    where = f" in partition {resources.slurm.partition}" if resources.slurm.partition and traits.queued else ""
    if size.gpus:
        most = max((len(_gpus(size, node)) for node in eligible), default=0)
        if most < size.gpus:
            kind = ("GPU" if size.gpus == 1 else "GPUs") + (f" of type {size.gpu_type}" if size.gpu_type else "")
            more = f"more than {most}" if most else "any"
            raise _never("gpus", f"{who} for {size.gpus} {kind}, and no node{where} has {more}")
    wanted = size.cpus or 1
    most = max((node.cpu_slots for node in eligible), default=0)
    if most < wanted:
        what = "cores" if traits.queued else "CPU slots"
        fewer = ": ask for fewer tasks or threads" if resources.triple or resources.slots else ""
        raise _never("cpus", f"{who} for {wanted} {what}, and no node{where} has more than {most}{fewer}")
    memory = max((node.memory or 0 for node in eligible), default=0)
    if size.memory and memory < size.memory:
        asked, there = units.size_text(size.memory), units.size_text(memory)
        raise _never("memory", f"{who} for {asked}, and no node{where} has more than {there}")
    if several > 1:
        raise _never("nodes", f"a task asks for {several} nodes, and fewer are large enough{where}")
    raise _never("gpus", f"no node{where} has all that a task asks for")


def _refuse_unknown(resources: Resources, nodes: Sequence[Node], traits: Traits) -> None:
    known = sorted({name for node in nodes for name in node.partitions})
    if resources.slurm.partition and known:
        strange = sorted(set(resources.slurm.partition.split(",")) - set(known))
        if strange:
            raise _never("slurm.partition", f"there is no partition {strange[0]!r}; there are: {', '.join(known)}")
    strangers = sorted(resources.hosts.names - {node.name for node in nodes})
    if strangers:
        listed = ", ".join(node.name for node in nodes)
        raise _never("hosts.only", f"no host {strangers[0]!r} has answered so far; there are: {listed}")
    types = sorted({d.name for node in nodes for d in node.devices if d.kind == "gpu" and d.name})
    if resources.gpu_type and traits.queued and resources.gpu_type.lower() not in {name.lower() for name in types}:
        listed = ", ".join(types) or "none has a type"
        raise _never("gpu_type", f"there are no GPUs of type {resources.gpu_type!r}; there are: {listed}")


def _never(field: str, message: str) -> InvalidInput:
    return InvalidInput.at(f"resources.{field}", message, "This can never run")

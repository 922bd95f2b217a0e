"""What a task gets, and how many of them fit. Pure."""

from collections.abc import Iterable, Sequence

from paddock import units
from paddock.errors import InvalidInput
from paddock.models import Node, Resources
from paddock.settings import Settings


def resolve(given: Resources, settings: Settings) -> Resources:
    """With what the profile and the backend's settings say of all that was not given."""
    layers = [given]
    if given.profile:
        profile = settings.profiles.get(given.profile)
        if profile is None:
            known = ", ".join(sorted(settings.profiles)) or "none"
            message = f"there is no profile {given.profile!r} in the server's settings; there are: {known}"
            raise InvalidInput(f"{message[0].upper()}{message[1:]}.", fields={"resources.profile": message})
        layers.append(profile)
    backend = next((one.backend for one in layers if one.backend), settings.backend)
    cluster = settings.cluster(backend)
    if cluster:
        layers.append(cluster.resources)
    merged = {
        name: next((value for one in layers if (value := getattr(one, name)) not in (None, [])), None)
        for name in Resources.model_fields
    }
    return given.model_copy(update=merged | {"backend": backend, "options": merged["options"] or []})


def settled(resources: Resources, nodes: Sequence[Node]) -> Resources:
    """With the numbers of GPUs and cores that a task gets."""
    return resources.model_copy(update={"gpus": gpus_of(resources, nodes), "cpus": resources.cpus or 1})


def gpus_of(resources: Resources, nodes: Sequence[Node]) -> int:
    """The GPUs that one task gets on each node: as asked; else one where there are GPUs."""
    if resources.gpus is not None:
        return resources.gpus
    eligible = _in_partitions(resources, nodes)
    return 1 if any(device.kind == "gpu" for node in eligible for device in node.devices) else 0


def width(resources: Resources, nodes: Sequence[Node]) -> int:
    """How many allocations for such tasks run at a time when nothing else does."""
    size = settled(resources, nodes)
    each = [_on_node(size, node) for node in _in_partitions(resources, nodes) if node.usable]
    if (resources.nodes or 1) > 1:
        return sum(fits > 0 for fits in each) // (resources.nodes or 1)
    return sum(each)


def _in_partitions(resources: Resources, nodes: Iterable[Node]) -> list[Node]:
    wanted = set((resources.partition or "").split(",")) - {""}
    return [node for node in nodes if not wanted or not node.partitions or wanted & set(node.partitions)]


def _on_node(size: Resources, node: Node) -> int:
    slots = size.slots or 1
    gpus, cpus = (size.gpus or 0) * slots, (size.cpus or 1) * slots
    fits = []
    if gpus:
        fits.append(len(_gpus(size, node)) // gpus)
    if not gpus or node.partitions:  # on one's own machine the cores of GPU tasks are not counted
        fits.append(node.cpu_slots // cpus)
    if size.memory and node.partitions and node.memory:
        fits.append(node.memory // (size.memory * slots))
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
    slots = resources.slots or 1
    size = settled(resources, nodes)
    if slots > 1 and size.gpus:
        raise _never("slots", "tasks side by side in one allocation cannot have GPUs of their own yet")
    eligible = [node.model_copy(update={"usable": True}) for node in _in_partitions(resources, nodes)]
    if width(resources, eligible):
        return
    where = f"in partition {resources.partition}" if resources.partition else ""
    if size.gpus:
        most = max((len(_gpus(size, node)) for node in eligible), default=0)
        if most < size.gpus * slots:
            kind = f"GPUs of type {size.gpu_type}" if size.gpu_type else "GPUs"
            raise _never("gpus", f"a task asks for {size.gpus} {kind}, and {_nobody(where)} has more than {most}")
    wanted = (size.cpus or 1) * slots
    most = max((node.cpu_slots for node in eligible), default=0)
    if most < wanted:
        what = "cores" if any(node.partitions for node in nodes) else "CPU slots"
        raise _never("cpus", f"a task asks for {wanted} {what}, and {_nobody(where)} has more than {most}")
    memory = max((node.memory or 0 for node in eligible), default=0)
    if size.memory and memory < size.memory * slots:
        asked, there = units.gigabytes(size.memory * slots), units.gigabytes(memory)
        raise _never("memory", f"a task asks for {asked}, and {_nobody(where)} has more than {there}")
    if several > 1:
        raise _never("nodes", f"a task asks for {several} nodes, and fewer are large enough {where}".rstrip())
    raise _never("gpus", f"no machine has all that a task asks for {where}".rstrip())


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


def _nobody(where: str) -> str:
    return f"no machine {where}".rstrip()


def _never(field: str, message: str) -> InvalidInput:
    return InvalidInput(f"This can never run: {message}.", fields={f"resources.{field}": message})

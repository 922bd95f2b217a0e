"""How many allocations fit. Pure."""

from collections.abc import Sequence

from paddock.errors import InvalidInput
from paddock.models import Node, Resources


def gpus_of(resources: Resources, nodes: Sequence[Node]) -> int:
    """The GPUs that one task gets: as asked; else one where there are GPUs."""
    if resources.gpus is not None:
        return resources.gpus
    return 1 if any(device.kind == "gpu" for node in nodes for device in node.devices) else 0


def width(nodes: Sequence[Node], gpus: int, cpus: int) -> int:
    """How many tasks of this size run at a time when nothing else does."""
    return sum(_on_node(node, gpus, cpus) for node in nodes)


def _on_node(node: Node, gpus: int, cpus: int) -> int:
    kind, size = ("gpu", gpus) if gpus else ("cpu", cpus)
    return sum(device.kind == kind for device in node.devices) // max(size, 1)


def refuse_impossible(resources: Resources, nodes: Sequence[Node]) -> None:
    """Raise InvalidInput for what can never run here. Without nodes nothing is known, and nothing refused."""
    gpus = gpus_of(resources, nodes)
    if not nodes or width(nodes, gpus, resources.cpus):
        return
    kind, wanted, name = ("gpu", gpus, "gpus") if gpus else ("cpu", resources.cpus, "cpus")
    most = max(sum(device.kind == kind for device in node.devices) for node in nodes)
    what = "GPUs" if kind == "gpu" else "CPU slots"
    message = f"a task asks for {wanted} {what}, and no machine has more than {most}"
    raise InvalidInput(f"This can never run: {message}.", fields={f"resources.{name}": message})

"""Which devices of nodes can be reserved, and which of them are known already. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeVar

from paddock.models import Device, Node

Reservable = Literal["nodes", "gpus"]


@dataclass(frozen=True)
class SeenDevice:
    """A device as its node reports it."""

    number: int | None  # of the GPU on its node, from 0; None: the whole node
    place: str | None = None  # what the node calls it
    uuid: str | None = None
    model: str = ""
    memory: int | None = None
    gpus: int = 1
    partitions: tuple[str, ...] = ()


class StoredDevice(Protocol):
    """A device of a node that is known already."""

    @property
    def number(self) -> int | None: ...
    @property
    def uuid(self) -> str | None: ...
    @property
    def retired_at(self) -> float | None: ...


K = TypeVar("K", bound=StoredDevice)


def of_node(node: Node, what: Reservable) -> list[SeenDevice]:
    """Return what can be reserved of a node: its GPUs, or all of it if it has GPUs."""
    gpus = [device for device in node.devices if device.kind == "gpu"]
    partitions = tuple(node.partitions)
    if what == "nodes":
        return [_whole(gpus, partitions)] if gpus else []
    numbered = all(gpu.id.isdigit() for gpu in gpus)  # instances of GPUs are called by their ids
    return [
        SeenDevice(int(gpu.id) if numbered else at, gpu.id, gpu.uuid, _model(gpu), gpu.memory, 1, partitions)
        for at, gpu in enumerate(gpus)
    ]


def _whole(gpus: Sequence[Device], partitions: tuple[str, ...]) -> SeenDevice:
    sizes = [gpu.memory for gpu in gpus if gpu.memory is not None]
    memory = sum(sizes) if len(sizes) == len(gpus) else None
    models = ", ".join(dict.fromkeys(model for gpu in gpus if (model := _model(gpu))))
    return SeenDevice(None, None, None, models, memory, len(gpus), partitions)


def _model(gpu: Device) -> str:
    return "" if gpu.name == "as set" else gpu.name


def match(known: Sequence[K], seen: Sequence[SeenDevice]) -> tuple[list[tuple[K | None, SeenDevice]], list[K]]:
    """Return each device of a node with the one that it is, if that is known, and the known ones that are not there.

    A GPU is the one with its UUID, wherever it is now. Only where one of both has no UUID, its number counts. One that
    was retired is there again when it is seen again.
    """
    by_uuid = {one.uuid: one for one in known if one.uuid is not None}
    there = {one.uuid for one in seen if one.uuid is not None}
    taken = {id(one) for uuid, one in by_uuid.items() if uuid in there}
    # Those in use come last, and so count if a retired one had the same number.
    in_order = sorted(known, key=lambda one: one.retired_at is None)
    by_number = {one.number: one for one in in_order if id(one) not in taken}
    pairs: list[tuple[K | None, SeenDevice]] = []
    for one in seen:
        found = by_uuid.get(one.uuid) if one.uuid is not None else None
        if found is None:
            same = by_number.get(one.number)
            found = same if same is not None and (one.uuid is None or same.uuid is None) else None
        if found is not None and one.uuid is None:
            one = replace(one, uuid=found.uuid)  # it was not measured this time
        pairs.append((found, one))
    matched = {id(found) for found, _ in pairs}
    return pairs, [one for one in known if id(one) not in matched and one.retired_at is None]

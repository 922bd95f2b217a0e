"""Which devices can be reserved, and which of them are known already."""

from dataclasses import dataclass

from paddock.models import Device, Node
from paddock.rules.devices import SeenDevice, match, of_node


@dataclass(frozen=True)
class Known:
    name: str
    number: int | None
    uuid: str | None
    retired_at: float | None = None


def node(*devices: Device) -> Node:
    return Node(name="n1", backend="b", cpus=8, slots=1, cpu_slots=8, devices=list(devices), partitions=["gpu"])


def gpu(id: str, **given: object) -> Device:
    return Device.model_validate({"id": id, "kind": "gpu", "name": "H200", "memory": 100, **given})


def matched(known: list[Known], *seen: SeenDevice) -> tuple[list[str | None], list[str]]:
    pairs, gone = match(known, seen)
    return [one.name if one else None for one, _ in pairs], [one.name for one in gone]


def test_gpus_have_their_numbers_from_zero() -> None:
    found = of_node(node(gpu("0", uuid="GPU-a"), gpu("1"), Device(id="0", kind="cpu")), "gpus")
    assert [(one.number, one.place, one.uuid, one.model) for one in found] == [
        (0, "0", "GPU-a", "H200"),
        (1, "1", None, "H200"),
    ]


def test_instances_of_gpus_are_numbered_in_their_order() -> None:
    found = of_node(node(gpu("MIG-b"), gpu("MIG-a")), "gpus")
    assert [(one.number, one.place) for one in found] == [(0, "MIG-b"), (1, "MIG-a")]


def test_a_whole_node_counts_its_gpus_and_one_without_gpus_is_none() -> None:
    [found] = of_node(node(gpu("0"), gpu("1")), "nodes")
    assert found == SeenDevice(None, None, None, "H200", 200, 2, ("gpu",))
    [unknown] = of_node(node(gpu("0"), gpu("1", memory=None, name="as set")), "nodes")
    assert (unknown.memory, unknown.model) == (None, "H200")
    assert of_node(node(Device(id="0", kind="cpu")), "nodes") == []


def test_a_gpu_keeps_its_id_when_its_number_changes() -> None:
    known = [Known("a", 0, "GPU-a"), Known("b", 1, "GPU-b")]
    swapped = matched(known, SeenDevice(0, "0", "GPU-b"), SeenDevice(1, "1", "GPU-a"))
    assert swapped == (["b", "a"], [])


def test_a_replaced_gpu_is_another_one() -> None:
    assert matched([Known("a", 0, "GPU-a")], SeenDevice(0, "0", "GPU-new")) == ([None], ["a"])


def test_without_a_uuid_the_number_counts() -> None:
    assert matched([Known("a", 0, None)], SeenDevice(0, "0", "GPU-a")) == (["a"], []), "its driver answers at last"
    pairs, gone = match([Known("a", 0, "GPU-a")], [SeenDevice(0, "0", None)])
    assert (pairs[0][1].uuid, gone) == ("GPU-a", []), "its driver did not answer this time"
    assert matched([Known("n", None, None)], SeenDevice(None, None)) == (["n"], [])


def test_what_is_retired_comes_back_but_not_in_place_of_another() -> None:
    old, new = Known("old", 0, "GPU-old", 5.0), Known("new", 0, "GPU-new")
    assert matched([old, new], SeenDevice(0, "0", "GPU-old")) == (["old"], ["new"])
    assert matched([new, old], SeenDevice(0, "0", None)) == (["new"], [])
    assert matched([old], SeenDevice(1, "1", "GPU-x")) == ([None], []), "it is gone already"

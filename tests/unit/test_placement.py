"""How many allocations fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.errors import InvalidInput
from paddock.models import Device, Node, Resources
from paddock.placement import gpus_of, refuse_impossible, width


def node(gpus: int, cpus: int, name: str = "n") -> Node:
    devices = [Device(id=str(i), kind="gpu") for i in range(gpus)] + [
        Device(id=str(i), kind="cpu") for i in range(cpus)
    ]
    return Node(name=name, backend="local", cpus=cpus, slots=gpus or cpus, devices=devices)


_nodes = st.lists(st.builds(node, st.integers(0, 8), st.integers(1, 16)), max_size=4)


@pytest.mark.parametrize(
    ("asked", "nodes", "gpus"),
    [(None, [], 0), (None, [node(0, 4)], 0), (None, [node(0, 4), node(2, 4)], 1), (0, [node(2, 4)], 0), (3, [], 3)],
)
def test_gpus_of(asked: int | None, nodes: list[Node], gpus: int) -> None:
    assert gpus_of(Resources(gpus=asked), nodes) == gpus


@given(_nodes, st.integers(0, 4), st.integers(1, 8))
def test_width_is_what_really_fits(nodes: list[Node], gpus: int, cpus: int) -> None:
    """Dealing out devices one task at a time gives as many."""
    dealt = 0
    for one in nodes:
        free = sum(device.kind == ("gpu" if gpus else "cpu") for device in one.devices)
        while free >= (gpus or cpus):
            free -= gpus or cpus
            dealt += 1
    assert width(nodes, gpus, cpus) == dealt


@given(_nodes, _nodes, st.integers(0, 4), st.integers(1, 8))
def test_more_machines_never_hold_less_and_larger_tasks_never_fit_more(
    some: list[Node], others: list[Node], gpus: int, cpus: int
) -> None:
    assert width(some + others, gpus, cpus) == width(some, gpus, cpus) + width(others, gpus, cpus)
    assert width(some, gpus, cpus + 1) <= width(some, gpus, cpus)
    if gpus:
        assert width(some, gpus + 1, cpus) <= width(some, gpus, cpus)


@given(_nodes, st.none() | st.integers(0, 10), st.integers(1, 20))
def test_refused_exactly_when_it_can_never_run(nodes: list[Node], gpus: int | None, cpus: int) -> None:
    resources = Resources(gpus=gpus, cpus=cpus)
    runs = not nodes or width(nodes, gpus_of(resources, nodes), cpus) > 0
    try:
        refuse_impossible(resources, nodes)
    except InvalidInput as error:
        assert not runs
        assert list(error.fields) == ["resources.gpus" if gpus_of(resources, nodes) else "resources.cpus"]
    else:
        assert runs


def test_the_message_says_how_much_there_is() -> None:
    with pytest.raises(InvalidInput, match="asks for 3 GPUs, and no machine has more than 2"):
        refuse_impossible(Resources(gpus=3), [node(1, 4), node(2, 4)])  # three in all, but on two machines
    with pytest.raises(InvalidInput, match="asks for 5 CPU slots, and no machine has more than 4"):
        refuse_impossible(Resources(gpus=0, cpus=5), [node(1, 4)])

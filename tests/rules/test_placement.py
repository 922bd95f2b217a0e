"""Test what a task gets, and how many tasks fit."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.backends.local import LocalBackend
from paddock.backends.slurm.backend import SlurmBackend
from paddock.errors import InvalidInput
from paddock.models import Device, Node, Resources, Traits
from paddock.rules import placement
from paddock.rules.placement import MOST, UNMEASURED, Shape, gpus_of, resolved, shape

GIB = 1024**3


def node(gpus: int, cpus: int, name: str = "n") -> Node:
    """Of this machine."""
    devices = [Device(id=str(i), kind="gpu") for i in range(gpus)] + [
        Device(id=str(i), kind="cpu") for i in range(cpus)
    ]
    return Node(name=name, backend="local", cpus=cpus, slots=gpus or cpus, cpu_slots=cpus, devices=devices)


def member(
    gpus: int = 0, cpus: int = 16, kind: str = "v100", partitions: str = "all", memory: int = 64, **more: Any
) -> Node:
    """Of a cluster, with its GPUs of one kind and its memory in GiB."""
    devices = [Device(id=str(i), kind="gpu", name=kind) for i in range(gpus)]
    about = {"partitions": partitions.split(","), "memory": memory * GIB} | more
    return Node(name="n", backend="slurm", cpus=cpus, slots=gpus or cpus, cpu_slots=cpus, devices=devices, **about)


def traits_of(nodes: list[Node]) -> Traits:
    return SlurmBackend.traits if any(one.backend == "slurm" for one in nodes) else LocalBackend.traits


def width(resources: Resources, nodes: list[Node]) -> int:
    return placement.width(resources, nodes, traits_of(nodes))


def refuse_impossible(resources: Resources, nodes: list[Node]) -> None:
    placement.refuse_impossible(resources, nodes, traits_of(nodes))


def allocations(nodes: list[Node], gpus: int | None, cpus: int | None, **more: Any) -> int:
    return width(Resources(gpus=gpus, cpus=cpus, **more), nodes)


_nodes = st.lists(st.builds(node, st.integers(0, 8), st.integers(1, 16)), max_size=4)
_members = st.lists(st.builds(member, st.integers(0, 8), st.integers(1, 64), memory=st.integers(1, 512)), max_size=4)


@pytest.mark.parametrize(
    ("asked", "nodes", "gpus"),
    [
        (None, [], 0),
        (None, [node(0, 4)], 0),
        (None, [node(0, 4), node(2, 4)], 1),
        (0, [node(2, 4)], 0),
        (3, [], 3),
    ],
)
def test_gpus_of(asked: int | None, nodes: list[Node], gpus: int) -> None:
    assert gpus_of(Resources(gpus=asked), nodes) == gpus
    assert resolved(Resources(gpus=asked), nodes) == Resources(gpus=gpus, cpus=1)


def test_a_gpu_by_itself_only_where_the_partition_has_some() -> None:
    nodes = [member(4, partitions="volta,all"), member(0, partitions="cpu,all")]
    found = {
        one: gpus_of(Resources.model_validate({"partition": one}), nodes)
        for one in (None, "volta", "cpu", "all", "cpu,volta")
    }
    assert found == {None: 1, "volta": 1, "cpu": 0, "all": 1, "cpu,volta": 1}


@given(_nodes, st.integers(0, 4), st.integers(1, 8))
def test_width_is_what_really_fits(nodes: list[Node], gpus: int, cpus: int) -> None:
    """Dealing out devices one task at a time gives as many. Cores of GPU tasks are not counted on one's own machine."""
    dealt = 0
    for one in nodes:
        free = sum(device.kind == ("gpu" if gpus else "cpu") for device in one.devices)
        while free >= (gpus or cpus):
            free -= gpus or cpus
            dealt += 1
    assert allocations(nodes, gpus, cpus) == dealt


@given(_members, st.integers(0, 4), st.integers(1, 8), st.integers(1, 64), st.integers(1, 3))
def test_on_a_cluster_cores_and_memory_count_too(
    nodes: list[Node], gpus: int, cpus: int, memory: int, slots: int
) -> None:
    dealt = 0
    for one in nodes:
        free = [len(one.devices), one.cpu_slots, (one.memory or 0) // GIB]
        needs = [gpus * slots, cpus * slots, memory * slots]
        while all(have >= need for have, need in zip(free, needs, strict=True)):
            free = [have - need for have, need in zip(free, needs, strict=True)]
            dealt += 1
    assert allocations(nodes, gpus, cpus, memory=memory * GIB, slots=slots) == dealt


@given(_nodes, _nodes, st.integers(0, 4), st.integers(1, 8))
def test_more_machines_never_hold_less_and_larger_tasks_never_fit_more(
    some: list[Node], others: list[Node], gpus: int, cpus: int
) -> None:
    assert allocations(some + others, gpus, cpus) == allocations(some, gpus, cpus) + allocations(others, gpus, cpus)
    assert allocations(some, gpus, cpus + 1) <= allocations(some, gpus, cpus)
    if gpus:
        assert allocations(some, gpus + 1, cpus) <= allocations(some, gpus, cpus)


NODES = [
    member(4, 32, "v100", "volta,all"),
    member(4, 32, "v100", "volta,all"),
    member(2, 64, "A100", "ampere,all", 256),
    member(0, 48, partitions="cpu", memory=16),
]


@pytest.mark.parametrize(
    ("asked", "fit"),
    [
        ({}, 10),  # one GPU each
        ({"gpus": 0}, 32 + 32 + 64 + 48),
        ({"partition": "volta"}, 8),
        ({"partition": "volta,cpu"}, 8),
        ({"partition": "cpu"}, 48),
        ({"gpu_type": "a100"}, 2),  # whatever the case
        ({"gpu_type": "v100", "gpus": 2}, 4),
        ({"gpus": 1, "cpus": 32}, 1 + 1 + 2),
        ({"gpus": 1, "memory": "100G"}, 2),
        ({"gpus": 0, "cpus": 4, "slots": 4}, 2 + 2 + 4 + 3),
        ({"gpus": 3, "nodes": 2}, 1),
        ({"gpus": 0, "nodes": 2}, 2),
        ({"gpus": 0, "nodes": 3, "partition": "all"}, 1),
        ({"gpus": 4, "nodes": 3}, 0),
    ],
)
def test_widths_of_a_cluster(asked: dict[str, Any], fit: int) -> None:
    assert width(Resources.model_validate(asked), NODES) == fit


def test_what_is_down_takes_nothing_now_but_may_be_back() -> None:
    nodes = [*NODES[:1], NODES[1].model_copy(update={"usable": False, "reason": "drain"})]
    assert allocations(nodes, 1, None) == 4
    assert width(Resources(gpus=4, nodes=2), nodes) == 0
    refuse_impossible(Resources(gpus=4, nodes=2), nodes)
    refuse_impossible(Resources(gpus=4), [nodes[1]])


@given(_nodes, st.none() | st.integers(0, 10), st.integers(1, 20))
def test_refused_exactly_when_it_can_never_run(nodes: list[Node], gpus: int | None, cpus: int) -> None:
    resources = Resources(gpus=gpus, cpus=cpus)
    runs = not nodes or width(resources, nodes) > 0
    try:
        refuse_impossible(resources, nodes)
    except InvalidInput as error:
        assert not runs
        assert list(error.fields) == ["resources.gpus" if gpus_of(resources, nodes) else "resources.cpus"]
    else:
        assert runs


@given(_members, st.integers(0, 9), st.integers(1, 70), st.integers(1, 600), st.integers(1, 5))
def test_so_on_a_cluster(nodes: list[Node], gpus: int, cpus: int, memory: int, several: int) -> None:
    resources = Resources(gpus=gpus, cpus=cpus, memory=memory * GIB, nodes=several)
    try:
        refuse_impossible(resources, nodes)
    except InvalidInput as error:
        assert width(resources, nodes) == 0
        assert len(error.fields) == 1
        assert error.message.startswith("This can never run: ")
    else:
        assert not nodes or width(resources, nodes) > 0


def test_without_nodes_nothing_is_known_and_nothing_refused() -> None:
    asked = {"gpus": 99, "partition": "x", "gpu_type": "y", "nodes": 50, "slots": 9, "memory": "999T"}
    refuse_impossible(Resources.model_validate(asked), [])


@pytest.mark.parametrize(
    ("asked", "nodes", "field", "message"),
    [
        ({"gpus": 3}, [node(1, 4), node(2, 4)], "gpus", "asks for 3 GPUs, and no node has more than 2"),
        ({"gpus": 0, "cpus": 5}, [node(1, 4)], "cpus", "asks for 5 CPU slots, and no node has more than 4"),
        ({"gpus": 0, "cpus": 2, "slots": 3}, [node(0, 4)], "cpus", "ask for 6 CPU slots"),
        (
            {"nodes": 2},
            [node(0, 4)],
            "nodes",
            "tasks over several nodes need a backend with a scheduler, such as Slurm",
        ),
        (
            {"slots": 2},
            [node(1, 4)],
            "gpus",
            "the tasks of an allocation ask for 2 GPUs, and no node has more than 1",
        ),
        ({"gpu_type": "v100"}, [node(1, 4)], "gpus", "asks for 1 GPU of type v100, and no node has any"),
        (
            {"partition": "volta,moon"},
            NODES,
            "slurm.partition",
            "there is no partition 'moon'; there are: all, ampere, cpu, volta",
        ),
        ({"gpu_type": "h100"}, NODES, "gpu_type", "there are no GPUs of type 'h100'; there are: A100, v100"),
        ({"gpu_type": "h100"}, NODES[3:], "gpu_type", "there are no GPUs of type 'h100'; there are: none has a type"),
        ({"gpus": 5}, NODES, "gpus", "a task asks for 5 GPUs, and no node has more than 4"),
        (
            {"gpus": 3, "partition": "ampere"},
            NODES,
            "gpus",
            "a task asks for 3 GPUs, and no node in partition ampere has more than 2",
        ),
        (
            {"gpus": 3, "gpu_type": "A100"},
            NODES,
            "gpus",
            "a task asks for 3 GPUs of type A100, and no node has more than 2",
        ),
        (
            {"gpus": 0, "cpus": 49, "partition": "cpu"},
            NODES,
            "cpus",
            "a task asks for 49 cores, and no node in partition cpu has more than 48",
        ),
        ({"memory": "300G"}, NODES, "memory", "a task asks for 300 GiB, and no node has more than 256 GiB"),
        (
            {"gpus": 0, "memory": "10G", "slots": 2, "partition": "cpu"},
            NODES,
            "memory",
            "the tasks of an allocation ask for 20 GiB, and no node in partition cpu has more than 16 GiB",
        ),
        ({"gpus": 4, "nodes": 3}, NODES, "nodes", "a task asks for 3 nodes, and fewer are large enough"),
        (
            {"gpus": 1, "nodes": 3, "partition": "volta"},
            NODES,
            "nodes",
            "a task asks for 3 nodes, and fewer are large enough in partition volta",
        ),
        ({"gpus": 4, "memory": "100G"}, NODES, "gpus", "no node has all that a task asks for"),
    ],
)
def test_the_message_says_how_much_there_is(asked: dict[str, Any], nodes: list[Node], field: str, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        refuse_impossible(Resources.model_validate(asked), nodes)
    [(name, told)] = caught.value.fields.items()
    assert name == f"resources.{field}"
    assert message in told
    assert caught.value.message == f"This can never run: {told}."


class TestShape:
    """What an allocation has, and how its tasks share it."""

    def of(self, nodes: list[Node], **asked: Any) -> Shape:
        return shape(Resources(**asked), nodes)

    def test_so_many_share_a_gpu(self) -> None:
        found = self.of([member(4)], per_gpu=4, cpus=2, memory=GIB)
        assert (found.gpus, found.cpus, found.memory, found.slots) == (1, 8, 4 * GIB, 4)
        assert (found.task_gpus, found.per_gpu, found.threads, found.tasks_at_once()) == (1, 4, 2, 4)

    def test_over_several_gpus_of_one_allocation(self) -> None:
        found = self.of([member(4)], per_gpu=4, slots=10)
        assert (found.gpus, found.slots, found.per_gpu) == (3, 10, 4)

    def test_tasks_of_two_gpus_each_share_both(self) -> None:
        found = self.of([member(4)], per_gpu=2, gpus=2)
        assert (found.gpus, found.slots, found.task_gpus) == (2, 2, 2)

    def test_part_of_a_gpu(self) -> None:
        assert Resources.model_validate({"gpus": 0.25}) == Resources(per_gpu=4)
        assert Resources.model_validate({"gpus": 0.3}).per_gpu == 3

    def test_auto_gets_a_fair_share_of_the_node(self) -> None:
        found = self.of([member(4, cpus=48, memory=400)], per_gpu="auto", memory=2 * GIB)
        assert (found.gpus, found.cpus, found.memory, found.slots) == (1, 12, 100 * GIB, MOST)
        assert (found.tasks_at_once(), found.tasks_at_once(24)) == (UNMEASURED, 24)

    def test_fair_shares_are_no_more_than_there_is(self) -> None:
        odd = member(2, cpus=7).model_copy(update={"memory": 15999 * 1024**2})
        found = self.of([odd], per_gpu="auto", memory=GIB)
        assert (found.cpus, found.memory) == (3, 7999 * 1024**2)
        assert width(Resources(per_gpu="auto", memory=GIB), [odd]) == 2

    def test_without_gpus_nothing_is_shared(self) -> None:
        assert self.of([node(0, 4)], per_gpu="auto") == self.of([node(0, 4)])

    def test_a_triple_has_whole_nodes(self) -> None:
        nodes = [member(4, cpus=48), member(4, cpus=48), member(0, cpus=48)]
        found = self.of(nodes, triple="2,12,4")
        assert (found.gpus, found.cpus, found.slots, found.per_gpu, found.threads) == (4, 48, 12, 3, 4)
        assert width(Resources(triple="2,12,4"), nodes) == 2
        assert width(Resources(triple="1,12,4"), nodes) == 1
        assert self.of(nodes, triple="2,12,4", gpus=0).gpus == 0

    @pytest.mark.parametrize(
        "asked",
        [
            {"triple": "2,12"},
            {"triple": "a,b,c"},
            {"triple": "0,1,1"},
            {"triple": "1,2,3", "slots": 2},
            {"triple": "1,2,3", "gpus": 1},
            {"per_gpu": "many"},
            {"per_gpu": 0},
            {"per_gpu": 2, "gpus": 0},
            {"per_gpu": 2, "nodes": 2},
            {"gpus": 0.5, "per_gpu": 3},
            {"gpus": 1.5},
        ],
    )
    def test_what_cannot_be_meant(self, asked: dict[str, Any]) -> None:
        with pytest.raises(ValueError, match=r"."):
            Resources.model_validate(asked)

    def test_more_nodes_than_there_are(self) -> None:
        with pytest.raises(InvalidInput, match=r"it needs 3 nodes, more than there are \(2\)"):
            refuse_impossible(Resources.model_validate({"triple": "3,1,1"}), [member(1), member(1)])


class TestTraits:
    """Each trait alone decides; that nodes have partitions decides nothing."""

    NODES = (member(2, 8, memory=64).model_copy(update={"partitions": []}),)

    @pytest.mark.parametrize(
        ("asked", "traits", "fit"),
        [
            ({"gpus": 1, "cpus": 8}, Traits(queued=True, counts_memory=True), 2),
            ({"gpus": 1, "cpus": 8}, Traits(counts_cores_of_gpu_tasks=True), 1),
            ({"gpus": 1, "memory": "64G"}, Traits(queued=True, counts_cores_of_gpu_tasks=True), 2),
            ({"gpus": 1, "memory": "64G"}, Traits(counts_memory=True), 1),
        ],
    )
    def test_what_a_backend_counts(self, asked: dict[str, Any], traits: Traits, fit: int) -> None:
        assert placement.width(Resources.model_validate(asked), self.NODES, traits) == fit

    def test_several_nodes_and_the_words_of_a_refusal(self) -> None:
        several, large = Resources(nodes=2, gpus=0), Resources(gpus=0, cpus=9)
        placement.refuse_impossible(several, self.NODES * 2, Traits(multi_node=True))
        with pytest.raises(InvalidInput, match="need a backend with a scheduler, such as Slurm"):
            placement.refuse_impossible(several, self.NODES * 2, Traits(queued=True))
        with pytest.raises(InvalidInput, match="asks for 9 cores"):
            placement.refuse_impossible(large, self.NODES, Traits(queued=True))
        with pytest.raises(InvalidInput, match="asks for 9 CPU slots"):
            placement.refuse_impossible(large, self.NODES, Traits(multi_node=True))

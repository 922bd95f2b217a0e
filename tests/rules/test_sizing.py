"""Where a task that is resized can go on."""

from hypothesis import given
from hypothesis import strategies as st

from paddock.rules.pool import GpuDevice, Holding, JobDemand, Need, PolicyNode, Pool, demand_key, job_of
from paddock.rules.sizing import SizeRoom, free_devices, room

FREE = st.dictionaries(st.sampled_from(["n1", "n2", "n3"]), st.integers(0, 8), min_size=1)


@given(FREE, st.integers(1, 8), st.integers(1, 8), st.sampled_from(["n1", "n2", None]))
def test_a_task_ends_first_only_where_that_gives_it_what_it_wants(
    free: dict[str, int], wanted: int, has: int, node: str | None
) -> None:
    found = room(wanted, free, node, has)
    beside = max(free.values()) >= wanted
    after = any(count + has * (name == node) >= wanted for name, count in free.items())
    assert (found is SizeRoom.BESIDE) == beside
    assert (found is SizeRoom.AFTER) == (after and not beside)


@given(FREE, st.integers(1, 4), st.integers(1, 3), st.integers(2, 4))
def test_more_than_a_node_has_are_those_of_whole_nodes(free: dict[str, int], has: int, nodes: int, whole: int) -> None:
    """A task on one node, with at most what that has."""
    free, has, wanted = {name: min(count, whole) for name, count in free.items()}, min(has, whole), nodes * whole
    node = next(iter(free))
    free[node] = min(free[node], whole - has)
    found, others = room(wanted, free, node, has, whole), sum(count == whole for count in free.values())
    alone = free[node] + has == whole
    assert (found is SizeRoom.BESIDE) == (others >= nodes)
    assert (found is SizeRoom.AFTER) == (others < nodes <= others + alone)


def test_a_task_on_several_nodes() -> None:
    assert room(4, {"n1": 0, "n2": 0}, "n1", 8, 4) is SizeRoom.AFTER, "one of its nodes is enough"
    assert room(2, {"n1": 0, "n2": 0, "n3": 2}, "n1", 8, 4) is SizeRoom.BESIDE
    assert room(16, {"n1": 0, "n2": 0, "n3": 4, "n4": 4}, "n1", 8, 4) is SizeRoom.AFTER
    assert room(16, {"n1": 0, "n2": 0, "n3": 4, "n4": 3}, "n1", 8, 4) is SizeRoom.NONE


@given(FREE, st.integers(2, 8))
def test_who_gives_gpus_back_never_waits_for_others(free: dict[str, int], has: int) -> None:
    node = next(iter(free))
    assert all(room(wanted, free, node, has) is not SizeRoom.NONE for wanted in range(1, has))


def test_devices_of_others_and_of_nodes_that_are_down_are_not_free() -> None:
    gpus = tuple(GpuDevice(str(number), "a100" if number < 2 else "t4") for number in range(4))
    need = Need(frozenset({"n1", "n2", "n3"}), gpus=2, gpu_type="a100")
    pool = Pool(
        nodes=(PolicyNode("n1", gpus, 8), PolicyNode("n2", gpus, 8, usable=False), PolicyNode("n3", gpus, 8)),
        demands=(JobDemand("k3v@2", "ann", need, 1, 0.0),),
        holdings=(Holding("a1.0", "k3v", "ann", Need(frozenset(), gpus=1), ("n1",), ("1",)),),
    )
    assert free_devices(pool, "k3v@2") == {"n1": 1, "n3": 2}


def test_a_key_names_its_job() -> None:
    assert demand_key("k3v", None) == "k3v"
    assert job_of(demand_key("k3v", 4)) == job_of("k3v") == "k3v"
    assert demand_key("k3v", 4) != demand_key("k3v", 2)

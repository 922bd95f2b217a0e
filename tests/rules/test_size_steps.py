"""Which sizes are carried out now."""

from hypothesis import given
from hypothesis import strategies as st

from paddock.rules.size_steps import Sized, steps

NODES = ("n1", "n2")
ON = frozenset(NODES)


def test_what_shrinks_comes_first_and_what_grows_waits_until_that_is_free() -> None:
    small, large = Sized("a", "n1", 1, 2, ON), Sized("b", "n1", 3, 1, ON)
    assert steps([small, large], {"n1": 0}, 0, 5) == [large]
    assert steps([small], {"n1": 2}, 0, 5) == [small]
    assert steps([small], {"n1": 1}, 0, 5) == [small], "with its own it has enough"
    assert steps([small], {"n1": 0, "n2": 1}, 0, 5) == [], "they have to be on one node"
    assert steps([small], {"n2": 2}, 0, 5) == [small]
    assert steps([Sized("a", "n1", 1, 2, frozenset({"n1"}))], {"n2": 2}, 0, 5) == []
    assert steps([small], {"n1": 2}, 2, 5) == [], "those who wait get them"


def test_what_waits_is_no_change_of_what_runs() -> None:
    waits, runs = Sized("a", None, 1, 4, ON), Sized("b", "n1", 1, 2, ON)
    assert steps([waits, runs], {"n1": 4}, 1, 0) == [waits], "its own GPU is promised to it"
    assert steps([waits], {"n1": 3, "n2": 2}, 1, 5) == [], "they have to be on one node"
    assert steps([waits, runs], {"n1": 4, "n2": 2}, 1, 1) == [runs, waits]
    assert steps([Sized("a", None, 4, 1, ON), Sized("b", "n1", 4, 1, ON)], {}, 0, 0) == [Sized("a", None, 4, 1, ON)]


def test_more_than_a_node_has_are_whole_nodes() -> None:
    large = Sized("a", "n1", 2, 8, frozenset({"n1", "n2", "n3"}), whole=4)
    assert steps([large], {"n1": 2, "n2": 4}, 0, 1) == [large], "with its own node"
    assert steps([large], {"n1": 1, "n2": 4, "n3": 3}, 0, 1) == [], "n1 and n3 are not free as a whole"
    assert steps([large], {"n1": 2, "n2": 4}, 1, 1) == [], "one is promised"
    both = [large, Sized("b", "n2", 1, 2, frozenset({"n2", "n3"}))]
    assert steps(both, {"n2": 4, "n3": 4}, 0, 2) == [both[1]], "of two nodes one is not free as a whole any more"
    assert steps([large], {"n2": 4, "n3": 4}, 0, 1) == [large], "beside what it has"
    back = Sized("a", "n1", 8, 4, ON, whole=4)
    assert steps([back], {}, 0, 1) == [back]


SIZED = st.builds(
    lambda name, node, has, to: Sized(f"t{name}", node, has, to, ON),
    st.integers(0, 10_000),
    st.sampled_from(NODES),
    st.integers(1, 4),
    st.integers(1, 8),
)


@given(
    st.lists(SIZED, max_size=12, unique_by=lambda one: one.task),
    st.fixed_dictionaries({name: st.integers(0, 8) for name in NODES}),
    st.integers(0, 10),
    st.integers(-2, 6),
)
def test_never_more_than_is_free_and_never_too_many(
    tasks: list[Sized], free: dict[str, int], promised: int, most: int
) -> None:
    found = steps(tasks, free, promised, most)
    assert len(found) <= max(most, 0)
    assert all(one.grows for one in found)
    grown = sum(one.grows for one in found if one.grows > 0)
    assert grown <= max(sum(free.values()) - promised, 0)
    shrinking = [one for one in tasks if one.grows < 0]
    if any(one.grows > 0 for one in found):
        assert all(one in found for one in shrinking), "shrinking comes first"
    assert steps([Sized(one.task, one.node, one.to, one.to, ON) for one in tasks], free, promised, most) == []

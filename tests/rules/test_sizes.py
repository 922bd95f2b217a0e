"""The policy of sizes: what it decides in plain cases, and what holds in all."""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paddock.rules import sizes
from paddock.rules.sizes import PATIENCE, ElasticTraining, Place, changes, decide, possible_sizes, weight_of

FOUR = {"n1": 4}
NOW = 10_000.0


def one(name: str, speed: Mapping[int, float] | None = None, **more: object) -> ElasticTraining:
    given = {"arrived": NOW - 1000, "left": 1000.0, "speed": speed or {1: 1.0, 2: 1.8, 4: 3.0}} | more
    return ElasticTraining(name, **given)  # type: ignore[arg-type]


def counts(places: Mapping[str, Place]) -> dict[str, int]:
    return {who: sum(gpus for _, gpus in place) for who, place in places.items()}


def applied(
    trainings: Sequence[ElasticTraining], places: Mapping[str, Place], now: float = NOW
) -> list[ElasticTraining]:
    """Return the trainings after the decision was carried out."""
    return [
        replace(
            each,
            place=places[each.id],
            begun=each.begun or bool(places[each.id]),
            waits_since=now if each.place and not places[each.id] else each.waits_since,
        )
        for each in trainings
    ]


class TestPlain:
    def test_one_gets_the_size_that_is_fastest(self) -> None:
        assert counts(decide([one("a")], FOUR, NOW)) == {"a": 4}
        assert counts(decide([one("a", {1: 1.0, 2: 1.8, 4: 1.8})], FOUR, NOW)) == {"a": 2}

    def test_two_share(self) -> None:
        assert counts(decide([one("a"), one("b")], FOUR, NOW)) == {"a": 2, "b": 2}

    def test_tasks_of_a_sweep_beside_a_training_of_several_gpus(self) -> None:
        tasks = [one(f"s{number}", {1: 1.0}) for number in range(2)]
        assert counts(decide([one("a"), *tasks], FOUR, NOW)) == {"a": 2, "s0": 1, "s1": 1}

    def test_gpus_go_to_whom_they_speed_up_most(self) -> None:
        found = counts(decide([one("a", {1: 1.0, 2: 1.1}), one("b", {1: 1.0, 2: 1.9})], {"n1": 3}, NOW))
        assert found == {"a": 1, "b": 2}

    def test_the_short_one_first(self) -> None:
        found = counts(decide([one("a", {1: 1.0}, left=50_000.0), one("b", {1: 1.0})], {"n1": 1}, NOW))
        assert found == {"a": 0, "b": 1}

    def test_what_is_unknown_is_tried_first(self) -> None:
        found = counts(decide([one("a", {1: 1.0}, left=500.0), one("b", {1: 1.0}, left=None)], {"n1": 1}, NOW))
        assert found == {"a": 0, "b": 1}

    def test_what_cannot_be_stopped_stays(self) -> None:
        fixed = one("a", place=(("n1", 4),), fixed=True, weight=0.001)
        assert decide([fixed, one("b", weight=100.0)], FOUR, NOW) == {"a": (("n1", 4),), "b": ()}

    def test_what_can_only_be_resized_makes_room_down_to_its_fewest(self) -> None:
        held = one("a", place=(("n1", 4),), begun=True, stays=True, weight=0.001)
        many = [one(f"b{number}", {1: 1.0}, weight=100.0) for number in range(4)]
        assert counts(decide([held, *many], FOUR, NOW))["a"] == 1
        assert counts(decide([replace(held, stays=False), *many], FOUR, NOW))["a"] == 0
        assert counts(decide([replace(held, place=()), *many], FOUR, NOW))["a"] == 0, "one that waits may wait on"

    def test_what_ends_soon_is_not_started_anew(self) -> None:
        ending = one("a", place=(("n1", 2),), left=40.0, begun=True)
        assert counts(decide([ending], FOUR, NOW)) == {"a": 2}
        assert counts(decide([replace(ending, left=4000.0)], FOUR, NOW)) == {"a": 4}

    def test_what_has_no_end_in_sight_grows_once_it_has_been_there_for_long(self) -> None:
        """Its start takes 20 seconds; scripts that do not report how many epochs they have are common."""
        young, old = (
            one("a", {1: 1.0, 2: 2.0}, left=None, place=(("n1", 1),), cost=20.0, arrived=NOW - age) for age in (60, 600)
        )
        assert counts(decide([young], FOUR, NOW)) == {"a": 1}
        assert counts(decide([old], FOUR, NOW)) == {"a": 2}

    def test_what_has_kept_its_size_for_long_may_change_at_a_high_price(self) -> None:
        """It loses half an hour, as it saves only once an hour, and has four days left."""
        held = one("a", left=4e5, place=(("n1", 2),), begun=True, cost=1800.0, arrived=NOW - 20_000, kept=600.0)
        assert counts(decide([held], FOUR, NOW)) == {"a": 2}, "others may come soon"
        assert counts(decide([replace(held, kept=15_000.0)], FOUR, NOW)) == {"a": 4}, "nobody came for four hours"

    def test_several_nodes_are_whole_ones(self) -> None:
        nodes = {f"n{number}": 4 for number in range(4)}
        found = decide([one("a", {1: 1.0, 4: 3.5, 8: 7.0, 16: 13.0}), one("b", {1: 1.0}, weight=9.0)], nodes, NOW)
        assert counts(found)["b"] == 1
        assert all(gpus == 4 for _, gpus in found["a"])

    def test_lost_nodes(self) -> None:
        there = one("a", place=(("gone", 4),), begun=True)
        assert decide([there], FOUR, NOW) == {"a": (("n1", 4),)}

    def test_what_it_no_longer_allows_is_given_back(self) -> None:
        assert counts(decide([one("a", {1: 1.0}, place=(("n1", 4),), begun=True)], FOUR, NOW)) == {"a": 1}

    def test_nothing_to_decide(self) -> None:
        assert decide([], FOUR, NOW) == {}
        assert decide([one("a")], {}, NOW) == {"a": ()}

    def test_weights(self) -> None:
        assert weight_of(0, 0.25, 0.25) == 1
        assert weight_of(10, 0.25, 0.25) == 2
        assert weight_of(0, 1.0, 0.25) == 0.5
        assert weight_of(0, 0.0, 0.25) == 2


class TestPatience:
    def test_who_waited_too_long_gets_what_another_has_beyond_an_equal_share(self) -> None:
        large = one("a", {4: 4.0, 1: 1.0}, place=(("n1", 4),), begun=True, weight=50.0)
        waiting = one("b", {1: 0.01}, arrived=NOW - PATIENCE + 10)
        assert counts(decide([large, waiting], FOUR, NOW)) == {"a": 4, "b": 0}
        assert counts(decide([large, waiting], FOUR, NOW + 20)) == {"a": 1, "b": 1}

    def test_nobody_is_stopped_who_has_an_equal_share(self) -> None:
        held = [one(f"a{n}", {1: 1.0}, place=(("n1", 1),), begun=True, weight=50.0) for n in range(4)]
        waiting = one("b", {1: 1.0}, arrived=NOW - 2 * PATIENCE)
        assert counts(decide([*held, waiting], FOUR, NOW))["b"] == 0


class TestPlaces:
    def test_who_keeps_its_size_keeps_its_place(self) -> None:
        nodes = {"n1": 4, "n2": 4}
        there = one("a", {1: 1.0}, place=(("n2", 1),), begun=True)
        assert decide([there, one("b", {4: 4.0})], nodes, NOW) == {"a": (("n2", 1),), "b": (("n1", 4),)}

    def test_a_small_one_moves_when_a_large_one_has_no_room_else(self) -> None:
        nodes = {"n1": 4, "n2": 4}
        small = [one(f"a{n}", {1: 1.0}, place=((f"n{n}", 1),), begun=True) for n in (1, 2)]
        found = decide([*small, one("b", {4: 4.0})], nodes, NOW)
        assert counts(found) == {"a1": 1, "a2": 1, "b": 4}
        assert sum(found[each.id] != each.place for each in small) == 1

    def test_sizes(self) -> None:
        assert possible_sizes({"a": 4, "b": 4, "c": 4}) == {1: 1, 2: 1, 4: 1, 8: 2}
        assert possible_sizes({"a": 6, "b": 2}) == {1: 1, 2: 1, 4: 1, 6: 1}
        assert possible_sizes({}) == {}


SPEEDS = st.dictionaries(st.sampled_from([1, 2, 3, 4, 8, 16]), st.floats(0.1, 16), min_size=1)
NODES = st.dictionaries(st.sampled_from(["n1", "n2", "n3", "n4"]), st.sampled_from([1, 2, 4, 6]), min_size=1)


@st.composite
def clusters(draw: st.DrawFn, nodes: Mapping[str, int] | None = None) -> tuple[list[ElasticTraining], dict[str, int]]:
    """Return trainings, some of which run on the nodes."""
    there = dict(nodes or draw(NODES))
    free, found = dict(there), []
    for number in range(draw(st.integers(1, 8))):
        speed, name = draw(SPEEDS), draw(st.sampled_from(sorted(there)))
        size = draw(st.sampled_from([0, *sorted(speed)]))
        place: Place = ((name, size),) if 0 < size <= free[name] else ()
        free[name] -= sum(gpus for _, gpus in place)
        found.append(
            ElasticTraining(
                f"t{number}",
                speed,
                arrived=NOW - draw(st.floats(0, 6000)),
                place=place,
                left=draw(st.none() | st.floats(1, 1e5)),
                begun=bool(place) or draw(st.booleans()),
                weight=draw(st.sampled_from([0.5, 1.0, 3.0])),
                fixed=draw(st.integers(0, 4)) == 0,
            )
        )
    return found, there


class TestAlways:
    @given(clusters())
    @settings(max_examples=200)
    def test_capacity_sizes_and_changes(self, case: tuple[list[ElasticTraining], dict[str, int]]) -> None:
        trainings, nodes = case
        found = decide(trainings, nodes, NOW)
        used: Counter[str] = Counter()
        for place in found.values():
            used.update(dict(place))
        assert all(used[name] <= nodes[name] for name in nodes)
        assert used.keys() <= nodes.keys()
        assert found.keys() == {each.id for each in trainings}
        for each in trainings:
            assert counts(found)[each.id] in {0, *each.speed}
            assert not (each.fixed and each.place) or found[each.id] == each.place
        changed = [each for each in trainings if each.place and found[each.id] != each.place]
        assert len(changed) <= changes(each.size for each in trainings)

    @given(clusters())
    @settings(max_examples=100)
    def test_it_comes_to_rest_and_stays_there(self, case: tuple[list[ElasticTraining], dict[str, int]]) -> None:
        trainings, nodes = case
        for _ in range(40):
            found = decide(trainings, nodes, NOW)
            after = applied(trainings, found)
            if after == trainings:
                break
            trainings = after
        else:
            pytest.fail("sizes go to and fro although nothing changes")

    @given(clusters({"n1": 12}), st.integers(0, 7), st.sampled_from([1.1, 2.0, 20.0]))
    @settings(max_examples=200)
    def test_more_priority_never_fewer_gpus(
        self, case: tuple[list[ElasticTraining], dict[str, int]], which: int, factor: float
    ) -> None:
        trainings, nodes = case
        place = which % len(trainings)
        more = replace(trainings[place], weight=trainings[place].weight * factor)
        before = counts(decide(trainings, nodes, NOW))[more.id]
        after = counts(decide([*trainings[:place], more, *trainings[place + 1 :]], nodes, NOW))[more.id]
        assert after >= before

    @given(clusters({"n1": 12}))
    @settings(max_examples=100)
    def test_no_other_choice_is_worth_more(self, case: tuple[list[ElasticTraining], dict[str, int]]) -> None:
        trainings, nodes = case
        trainings = trainings[:5]
        grid = possible_sizes(nodes)
        options = [sizes._options(each, each.size, grid, False, NOW) for each in trainings]
        most = changes(each.size for each in trainings)
        chosen = sizes._knapsack(options, 12, most)
        every = itertools.product(*(list(zip(o.sizes, o.values, o.changed, strict=True)) for o in options))
        best = max(
            sum(value for _, value, _ in choice)
            for choice in every
            if sum(size for size, _, _ in choice) <= 12 and sum(changed for _, _, changed in choice) <= most
        )
        worth = sum(o.values[o.sizes.index(size)] for o, size in zip(options, chosen, strict=True))
        assert worth == pytest.approx(best)

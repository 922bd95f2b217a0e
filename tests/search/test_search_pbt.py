"""Test population-based training: which task continues from which, and with what parameters."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from paddock.models import Goal
from paddock.models.space import Choices, Range
from paddock.search.base import Condition, Configuration, Dimension, Outcome, Trial
from paddock.search.pbt import Exploit, explore, perturb

LR = Dimension("lr", Range(low=1e-4, high=1e-1, log=True))
DIMENSIONS = (LR, Dimension("batch", Choices(values=[16, 32, 64, 128])))


def trial(number: int, *values: float, outcome: Outcome = Outcome.RUNNING, **params: JsonValue) -> Trial:
    given: Configuration = params or {"lr": 0.01, "batch": 32}
    return Trial(number, given, outcome, curve=tuple((float(step + 1), value) for step, value in enumerate(values)))


POPULATION = [trial(number, 0.5, 0.1 * number) for number in range(1, 9)]


def asked(number: int, history: list[Trial], goal: Goal = Goal.MIN, seed: int = 0, since: float = 0) -> Exploit | None:
    one = next(trial for trial in history if trial.number == number)
    return perturb(one, history, DIMENSIONS, goal, seed, 2, since=since)


def test_the_bottom_quarter_continues_from_the_top_quarter() -> None:
    found = [asked(number, POPULATION) for number in range(1, 9)]
    assert [one is not None for one in found] == [False] * 6 + [True] * 2
    sources = {one.source for seed in range(30) if (one := asked(8, POPULATION, seed=seed))}
    assert sources == {1, 2}


def test_to_the_maximum_it_is_the_other_way_round() -> None:
    assert [n for n in range(1, 9) if asked(n, POPULATION, Goal.MAX)] == [1, 2]


def test_only_those_that_have_reached_the_same_interval_are_compared() -> None:
    """At step 4 trial 8 has nobody to compare with: it is judged by what all had at step 2, not by what they have."""
    behind = [trial(number, 0.5, 0.1 * number, 0.1) for number in range(1, 8)]
    for ahead in (trial(8, 0.9, 0.9, 0.9, 0.1), trial(8, 0.9, 0.9, 0.9)):
        found = asked(8, [*behind, ahead])
        assert found is not None
        assert found.step == 2
        assert asked(8, [*behind, ahead], since=2) is None
    caught_up = [trial(number, 0.5, 0.1 * number, 0.1, 0.5) for number in range(1, 8)]
    assert asked(8, [*caught_up, trial(8, 0.9, 0.9, 0.9, 0.1)]) is None
    assert asked(8, [trial(1, 0.1), trial(2, 0.1), trial(3, 0.1), trial(8, 0.9)]) is None  # before the first interval


def test_at_one_interval_a_trial_changes_once() -> None:
    assert asked(8, POPULATION, since=2) is None


def test_trials_that_have_ended() -> None:
    """A finished one is compared with, but not copied: there would be nothing left to do. Failed ones do not count."""
    finished = trial(1, 0.5, 0.01, outcome=Outcome.FINISHED)
    others = [trial(number, 0.5, 0.1 * number) for number in range(2, 9)]
    assert {one.source for seed in range(30) if (one := asked(8, [finished, *others], seed=seed))} == {2}
    assert asked(8, [*POPULATION[:7], trial(8, 0.5, 0.9, outcome=Outcome.FINISHED)]) is None
    failed = [trial(n, 0.5, 0.1 * n, outcome=Outcome.FAILED) for n in range(1, 6)]
    assert asked(8, [*failed, *POPULATION[5:]]) is None  # three are too few for a quarter


def test_a_diverged_trial_is_the_poorest_and_never_copied() -> None:
    population = [trial(1, 0.5, math.nan), *(trial(n, 0.5, 0.1) for n in range(2, 5))]
    assert asked(1, population) is not None
    assert all(asked(n, [trial(m, 0.5, math.nan) for m in range(1, 9)]) is None for n in range(1, 9))


def test_equals_are_left_alone() -> None:
    population = [trial(n, 0.5, 0.5) for n in range(1, 9)]
    assert all(asked(n, population) is None for n in range(1, 9))


def test_the_same_question_has_the_same_answer() -> None:
    assert asked(8, POPULATION, seed=3) == asked(8, POPULATION[::-1], seed=3)
    assert len({str(asked(8, POPULATION, seed=seed)) for seed in range(10)}) > 1


def test_each_parameter_is_a_step_away_or_drawn_anew() -> None:
    near = [
        explore({"lr": 0.01, "batch": 32, "other": "kept"}, DIMENSIONS, random.Random(n), resample=0) for n in range(20)
    ]
    assert {(one["lr"], one["batch"]) for one in near} == {(lr, batch) for lr in (0.008, 0.012) for batch in (16, 64)}
    assert all(one["other"] == "kept" for one in near)
    anew = {explore({"lr": 0.01, "batch": 32}, DIMENSIONS, random.Random(n), resample=1)["lr"] for n in range(20)}
    assert len(anew) == 20


@pytest.mark.parametrize(
    ("space", "value", "expected"),
    [
        (Range(low=1, high=8, type="int"), 2, {1, 3}),  # 1.6 and 2.4: at least one further on
        (Range(low=1, high=8, type="int"), 8, {6}),
        (Range(low=1, high=1000, log=True, type="int"), 2, {1, 3}),
        (Range(low=1, high=1000, log=True, type="int"), 1000, {800}),
        (Range(low=0, high=0.5, step=0.1), 0.3, {0.2, 0.4}),
        (Range(low=0, high=0.5), 0.5, {0.4}),
        (Choices(values=["a", "b", "c"]), "a", {"b"}),
        (Choices(values=[64, 16, 32]), 32, {16, 64}),
        (Choices(values=["only"]), "only", {"only"}),
        (Choices(values=[1, True, "1"]), True, {1, "1"}),
    ],
)
def test_a_step_away(space: Choices | Range, value: JsonValue, expected: set[JsonValue]) -> None:
    found = {explore({"x": value}, [Dimension("x", space)], random.Random(n), resample=0)["x"] for n in range(20)}
    assert found == expected


def test_where_no_step_leads_away_a_value_is_drawn() -> None:
    found = [explore({"x": 0.0}, [Dimension("x", Range(low=0, high=1))], random.Random(n), 0)["x"] for n in range(5)]
    assert len(set(found)) == 5


def test_conditions_stay_consistent() -> None:
    dimensions = (
        Dimension("optimizer", Choices(values=["sgd", "adam"])),
        Dimension("momentum", Range(low=0.1, high=0.9), (Condition("optimizer", ("sgd",)),)),
        Dimension("beta", Range(low=0.8, high=0.99), (Condition("optimizer", ("adam",)),)),
    )
    found = [explore({"optimizer": "sgd", "momentum": 0.5}, dimensions, random.Random(n)) for n in range(40)]
    assert {tuple(one) for one in found} == {("optimizer", "momentum"), ("optimizer", "beta")}


SPACES = st.one_of(
    st.builds(
        lambda low, width, log: Range(low=low, high=low + width, log=log),
        st.floats(1e-6, 10),
        st.floats(1e-3, 100),
        st.booleans(),
    ),
    st.builds(lambda low, width: Range(low=low, high=low + width), st.floats(-10, 10), st.floats(1e-3, 100)),
    st.builds(
        lambda low, width, log: Range(low=low, high=low + width, log=log, type="int"),
        st.integers(1, 100),
        st.integers(1, 1000),
        st.booleans(),
    ),
    st.builds(
        lambda low, n, step: Range(low=low, high=low + (n + 0.5) * step, step=step),
        st.integers(-5, 5),
        st.integers(1, 9),
        st.sampled_from([0.1, 0.25, 1.0]),
    ),
    st.builds(lambda values: Choices(values=list(values)), st.lists(st.integers(), min_size=1, unique=True)),
)


@given(SPACES, st.integers(0, 1000))
def test_what_is_explored_stays_in_the_space(space: Choices | Range, seed: int) -> None:
    source = random.Random(seed)
    params: Configuration = {}
    for _ in range(10):
        params = explore(params, [Dimension("x", space)], source)
        value = params["x"]
        if isinstance(space, Choices):
            assert value in space.values
            continue
        assert isinstance(value, int if space.type == "int" else (int, float))
        assert space.low <= value <= space.high
        countable = space.values()
        assert countable is None or value in countable

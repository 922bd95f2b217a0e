"""Test which search a job has, and which configurations are known at its submission."""

import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from paddock.errors import InvalidInput
from paddock.models import JobSpec, Method, Params, Search
from paddock.models.space import Choices, Range, Space, parse
from paddock.rules.varying import varying
from paddock.search import adaptive, resolved, trials_at_once
from paddock.search.expand import DEFAULT_TRIALS
from paddock.search.expand import expand as expand_resolved

LIMIT = 1000


def expand(spaces: dict[str, Space], search: Search, limit: int) -> list[Params]:
    return expand_resolved(spaces, resolved(spaces, search), limit)


def drawn(trials: int | None = None, seed: int = 0) -> Search:
    return Search(method=Method.RANDOM, trials=trials, seed=seed)


def space(**texts: str) -> dict[str, Space]:
    return {name: parse(text) for name, text in texts.items()}


_axes = st.dictionaries(
    st.sampled_from(["lr", "units", "opt", "x"]),
    st.lists(st.integers() | st.text("abÜ ,", max_size=4), min_size=1, max_size=4, unique=True),
)


@given(_axes)
def test_a_grid_has_every_combination_once_and_in_order(axes: dict[str, list[Any]]) -> None:
    configurations = expand({name: Choices(values=values) for name, values in axes.items()}, Search(), LIMIT)
    assert len(configurations) == math.prod(map(len, axes.values()))
    assert len({json.dumps(c) for c in configurations}) == len(configurations)
    assert all(list(c) == list(axes) for c in configurations)
    assert all(c[name] in axes[name] for c in configurations for name in axes)
    # The last parameter turns fastest, each in the order given.
    ranks = [[axes[name].index(value) for name, value in c.items()] for c in configurations]
    assert ranks == sorted(ranks)


def test_countable_ranges_are_axes_too() -> None:
    found = expand(space(a="1..3", b="0..1:0.5"), Search(), LIMIT)
    assert [tuple(c.values()) for c in found] == [(a, b) for a in (1, 2, 3) for b in (0, 0.5, 1)]
    assert all(isinstance(c["a"], int) for c in found)


def test_no_parameters_are_one_configuration() -> None:
    assert expand({}, Search(), LIMIT) == [{}]


@pytest.mark.parametrize(
    ("texts", "search", "method"),
    [
        ({"a": "1,2"}, Search(), "grid"),
        ({"a": ",".join(map(str, range(500)))}, Search(), "grid"),
        ({"a": "1..5"}, Search(), "grid"),
        ({"a": "1..8", "b": "1..8"}, Search(), "grid"),
        ({"a": "1..8", "b": "1..9"}, Search(), "tpe"),
        ({"a": "0.1..5"}, Search(), "tpe"),
        ({"a": "1..5:log"}, Search(), "tpe"),
        ({"a": "1,2", "b": "0..0.5"}, Search(), "tpe"),
        ({"a": "1,2"}, Search(trials=2), "tpe"),
        ({"a": "1,2"}, Search(method="random"), "random"),
        ({"a": "0..0.5"}, Search(method="grid"), "grid"),
        ({}, Search(), "grid"),
    ],
)
def test_the_method_that_fits(texts: dict[str, str], search: Search, method: str) -> None:
    assert resolved(space(**texts), search).method == method


@pytest.mark.parametrize(
    ("search", "trials", "is_adaptive"),
    [
        (Search(method="grid"), None, False),
        (Search(method="random"), 20, False),
        (Search(method="sobol", trials=7), 7, False),
        (Search(method="pbt"), 8, False),
        (Search(method="pbt", time_budget=60), 8, False),
        (Search(method="tpe"), 50, True),
        (Search(method="evolution", trials=9), 9, True),
        (Search(method="tpe", time_budget=60), None, True),
        (Search(method="random", time_budget=60), None, True),
        (Search(method="random", time_budget=60, trials=5), 5, False),
    ],
)
def test_how_many_and_when_they_are_chosen(search: Search, trials: int | None, is_adaptive: bool) -> None:
    found = resolved(space(a="1,2"), search)
    assert (found.trials, adaptive(found)) == (trials, is_adaptive)
    assert resolved(space(a="1,2"), found) == found


def test_a_search_learns_before_all_its_trials_run() -> None:
    def of(**more: Any) -> int:
        return trials_at_once(JobSpec(command="x", **more))

    assert of(search={"trials": 100}) == 20
    assert of(search={"trials": 3}) == 4
    assert of(search={"trials": 100}, parallel=64) == 64
    assert of(search={"trials": 100, "repeat": 3}, parallel=7) == 2
    assert of(search={"time_budget": "1h"}) == 16


def test_sobol_fills_the_space_evenly() -> None:
    found = expand(space(a="0..1.0", b="0..1.0"), Search(method=Method.SOBOL, trials=64), LIMIT)
    cells = {(int(float(str(c["a"])) * 4), int(float(str(c["b"])) * 4)) for c in found}
    assert (len(found), len(cells)) == (64, 16)
    assert found[:16] == expand(space(a="0..1.0", b="0..1.0"), Search(method=Method.SOBOL, trials=16), LIMIT)


_spaces = st.sampled_from(
    ["0.0..1.0", "1e-5..1e-1:log", "-3..3", "1..1000000", "1..500:log", "0..1:0.001", "a,b,c,d", "0.1234567..0.1234568"]
)


@given(st.lists(_spaces, min_size=1, max_size=3), st.integers(0, 2**31 - 1), st.integers(1, 30))
@example(["0.1234567..0.1234568"], 0, 20)
@example(["1..1000000"], 0, 30)
def test_random_is_seeded_within_bounds_and_distinct(texts: list[str], seed: int, trials: int) -> None:
    spaces = {f"p{i}": parse(text) for i, text in enumerate(texts)}
    search = Search(method="random", seed=seed, trials=trials)
    found = expand(spaces, search, LIMIT)
    assert found == expand(spaces, search, LIMIT)
    assert 1 <= len(found) <= trials
    assert len({json.dumps(c) for c in found}) == len(found)
    for configuration in found:
        for name, one in spaces.items():
            value = configuration[name]
            if isinstance(one, Choices):
                assert value in one.values
            else:
                assert isinstance(one, Range)
                assert isinstance(value, int if one.type == "int" else float)
                assert one.low <= value <= one.high
                assert one.step is None or math.isclose(value / one.step, round(value / one.step), abs_tol=1e-6)


def test_another_seed_draws_others() -> None:
    found = [expand(space(a="0..1.0"), drawn(5, seed), LIMIT) for seed in range(3)]
    assert found[0] != found[1] != found[2]


def test_as_many_as_asked_for() -> None:
    assert len(expand(space(a="0..1.0"), drawn(), LIMIT)) == DEFAULT_TRIALS[Method.RANDOM]
    assert len(expand(space(a="0..1.0"), drawn(300), LIMIT)) == 300


def test_a_small_space_is_given_whole_without_repetition() -> None:
    found = expand(space(a="1,2,3", b="x,y"), drawn(50), LIMIT)
    assert {(c["a"], c["b"]) for c in found} == {(a, b) for a in (1, 2, 3) for b in "xy"}
    assert len(found) == 6


def test_logarithmic_draws_are_even_in_the_logarithm() -> None:
    found = expand(space(a="1e-4..1:log"), drawn(400), LIMIT)
    below = sum(c["a"] < 1e-2 for c in found)  # type: ignore[operator]
    assert 140 < below < 260
    integers = expand(space(a="1..10000:log"), drawn(200), 10_000)
    assert 40 < sum(c["a"] <= 100 for c in integers) < 140  # type: ignore[operator]


def test_a_fine_range_is_drawn_from_quickly() -> None:
    """Without counting out all its values for each draw; this takes minutes otherwise."""
    assert len(expand(space(a="1..90000", b="0..1:0.00002"), drawn(900), LIMIT)) == 900


@pytest.mark.parametrize(
    ("texts", "search", "field", "message"),
    [
        ({"lr": "0..1.0"}, Search(method="grid"), "params.lr", "continuous range"),
        ({"lr": "1..9:log"}, Search(method="grid"), "params.lr", "continuous range"),
        ({"a": "1..40", "b": "1..40"}, Search(method="grid"), "params", r"1,600 configurations \(40 x 40\)"),
        ({"a": "1..200000"}, Search(method="grid"), "params.a", "200,000 values"),
        ({"a": "1,2"}, Search(method="grid", trials=3), "search.trials", "all combinations"),
        ({"a": "1,2"}, Search(trials=1001), "search.trials", "max_tasks"),
        ({"a": "1,2"}, Search(method="random", trials=501, repeat=2), "search.trials", "1,002 tasks"),
        ({"a": "1..400"}, Search(method="grid", repeat=3), "params", "400 configurations"),
        ({"a": "1,2"}, Search(interval=3), "search.interval", "Only pbt"),
        ({"a": "1,2"}, Search(method="pbt", repeat=2), "search.repeat", "learn from each other"),
    ],
)
def test_what_cannot_be_done_names_the_field(texts: dict[str, str], search: Search, field: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        expand(space(**texts), search, LIMIT)
    assert list(caught.value.fields) == [field]


def test_as_many_as_the_limit_is_not_too_many() -> None:
    assert len(expand(space(a="1..1000"), Search(method="grid"), LIMIT)) == 1000
    assert len(expand(space(a="0..1.0"), drawn(LIMIT), LIMIT)) == LIMIT


def test_a_huge_grid_is_refused_before_it_is_made() -> None:
    with pytest.raises(InvalidInput, match="configurations"):
        expand({f"p{i}": parse("1..1000") for i in range(9)}, Search(method="grid"), LIMIT)


def test_varying() -> None:
    assert varying(expand(space(a="1", b="1,2", c="x", d="[1],[2]"), Search(), LIMIT)) == ["b", "d"]
    assert varying(expand(space(a="1,true"), Search(), LIMIT)) == ["a"]
    assert varying([]) == []

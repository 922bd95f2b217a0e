"""Test the prediction of GPU memory from parameters."""

import json
import math
import random
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.runner.sharing import need_model
from paddock.runner.sharing.need_model import NeedModel, Sample, keep, parse, usable

GB = 10**9
Params = dict[str, Any]


def transformer(given: Params) -> float:
    weights = 16 * (48 * given["width"] ** 2 + 16384 * given["width"])
    return float(0.6 * GB + weights + given["batch"] * 256 * (8192 * 14 + given["width"] * 272))


def plain(given: Params) -> float:
    each = {"adam": 22, "sgd": 10}[given["optimizer"]]
    return float(0.6 * GB + given["width"] ** 2 * given["layers"] * each)


LAWS: dict[str, tuple[Callable[[Params], float], list[Params]]] = {
    "width and batch": (transformer, [{"width": w, "batch": b} for w in (256, 512, 1024, 2048) for b in (8, 32, 64)]),
    "an optimizer": (
        plain,
        [
            {"width": w, "layers": n, "optimizer": o}
            for w in (1024, 4096, 8192)
            for n in (4, 8, 16)
            for o in ("adam", "sgd")
        ],
    ),
    "one number": (lambda given: 2 * GB + given["size"] * 1e7, [{"size": size} for size in range(10, 400, 30)]),
}


def samples(law: str, noise: float = 0.0) -> list[Sample]:
    function, configurations = LAWS[law]
    dice = random.Random(law)
    return [(one, int(function(one) * dice.uniform(1, 1 + noise))) for one in configurations]


class TestPrediction:
    @pytest.mark.parametrize("law", LAWS)
    def test_exact_where_the_law_is(self, law: str) -> None:
        """Each task is predicted from all others: enough for it, and hardly more except beyond all of them."""
        known, found = samples(law), []
        for one in known:
            model = NeedModel.make([other for other in known if other is not one])
            assert model is not None
            found.append((model.need(one[0]) or 0) / one[1])
        assert min(found) >= 1.0, found
        assert sorted(found)[len(found) // 2] < 1.3, found

    @pytest.mark.parametrize("law", LAWS)
    def test_half_of_the_tasks_show_what_the_others_need(self, law: str) -> None:
        known = samples(law, noise=0.04)
        random.Random(1).shuffle(known)
        half = max(6, len(known) // 2)
        model = NeedModel.make(known[:half])
        assert model is not None
        found = [(model.need(params) or 10 * need) / need for params, need in known[half:]]
        assert min(found) > 0.9
        assert sorted(found)[len(found) // 2] < 2

    def test_a_task_like_one_before_needs_what_that_needed(self) -> None:
        known = samples("width and batch", noise=0.1)
        model = NeedModel.make(known)
        assert model is not None
        for params, need in known:
            assert model.need({**params, "lr": 0.1}) == pytest.approx(1.03 * need, rel=0.001)

    def test_never_less_than_a_smaller_task_needed(self) -> None:
        known = samples("width and batch", noise=0.3)
        model = NeedModel.make(known)
        assert model is not None
        for params, need in known:
            assert (model.need({"width": params["width"] + 1, "batch": params["batch"] + 1}) or 0) >= need

    def test_beyond_all_known_tasks_at_least_the_largest_need(self) -> None:
        model = NeedModel.make(samples("width and batch"))
        assert model is not None
        largest = max(need for _, need in samples("width and batch"))
        assert (model.need({"width": 257, "batch": 6400}) or 0) >= largest
        far = model.need({"width": 10**14, "batch": 10**14})
        assert far is not None
        assert largest < far <= need_model.LARGEST
        smallest = model.need({"width": 1, "batch": 1})
        assert (smallest or 0) >= min(need for _, need in samples("width and batch")), "no less than was ever seen"

    @pytest.mark.parametrize(
        "params",
        [
            {"width": 1024, "layers": 8, "optimizer": "lion"},
            {"width": 1024, "layers": 8},
            {"width": "1024", "layers": 8, "optimizer": "sgd"},
            {"width": -5, "layers": 8, "optimizer": "sgd"},
            {"width": math.nan, "layers": 8, "optimizer": "sgd"},
            {"layers": 8, "optimizer": "sgd"},
            {},
        ],
    )
    def test_what_is_unlike_all_known_tasks_is_not_predicted(self, params: Params) -> None:
        model = NeedModel.make(samples("an optimizer"))
        assert model is not None
        assert model.need(params) is None

    def test_two_values_show_nothing_of_those_between(self) -> None:
        known = [({"batch": batch, "lr": lr}, batch * GB) for batch in (2, 40) for lr in range(1, 6)]
        model = NeedModel.make(known)
        assert model is not None
        assert 2 * GB < (model.need({"batch": 2, "lr": 9}) or 0) < 2.2 * GB
        assert model.need({"batch": 20, "lr": 1}) is None

    @pytest.mark.parametrize("count", [0, 1, 5])
    def test_few_samples_allow_no_prediction(self, count: int) -> None:
        assert NeedModel.make(samples("one number")[:count]) is None

    def test_needs_that_no_parameter_explains_are_not_predicted(self) -> None:
        dice = random.Random(3)
        known = [({"a": dice.random(), "b": dice.choice("xyz")}, int(GB * 10 ** dice.uniform(0, 2))) for _ in range(60)]
        assert NeedModel.make(known) is None

    def test_many_samples_of_many_parameters_take_milliseconds(self) -> None:
        dice = random.Random(2)
        known = []
        for _ in range(need_model.MOST_SAMPLES):
            noise = {f"p{n}": dice.choice([1, 2, 3.5, "a"]) for n in range(need_model.MOST_PARAMS - 4)}
            size = {"w": 2 ** dice.randint(5, 11), "b": 2 ** dice.randint(3, 8), "n": dice.randint(1, 20)}
            need = GB + size["w"] ** 2 * size["n"] * 16 + size["b"] * size["w"] * 1000 * size["n"]
            known.append(({**noise, **size, "o": dice.choice("abc")}, need))
        costs = []
        for _ in range(3):
            before = time.process_time()
            model = NeedModel.make(known)
            costs.append(time.process_time() - before)
        assert model is not None
        assert min(costs) < 0.5, "0.03 s on a machine of 2024"


numbers = st.integers() | st.floats() | st.sampled_from([10**400, -(10**400), 1e300, 1e-300, 0, -0.0])
values = numbers | st.text(max_size=5) | st.booleans() | st.none() | st.lists(st.integers(), max_size=2)
strange = st.dictionaries(st.sampled_from("abcd") | st.text(max_size=3), values, max_size=5)


@given(st.lists(st.tuples(strange, st.integers(-5, 10**20)), max_size=40), strange)
def test_strange_parameters_raise_nothing(known: list[tuple[Params, int]], asked: Params) -> None:
    model = NeedModel.make([(usable(params), need) for params, need in known])
    found = None if model is None else model.need(usable(asked))
    assert found is None or (isinstance(found, int) and 0 < found <= need_model.LARGEST)


@given(
    st.lists(st.tuples(st.integers(1, 10**6), st.floats(1e-9, 1e12), st.integers(1, 10**12)), min_size=6, max_size=30)
)
def test_numbers_of_any_size_raise_nothing(known: list[tuple[int, float, int]]) -> None:
    made = [({"a": a, "b": b}, need) for a, b, need in known]
    model = NeedModel.make(made)
    for params, _ in made:
        found = None if model is None else model.need(params)
        assert found is None or 0 < found <= need_model.LARGEST


class TestBounds:
    def test_what_is_usable(self) -> None:
        given = {
            **{"width": 3, "lr": 0.1, "on": True, "name": "x", "nothing": None},
            **{"nan": math.nan, "inf": math.inf, "huge": 10**400, "long": "x" * 81, "y" * 81: 1, "list": [1]},
        }
        assert usable(given) == {"width": 3, "lr": 0.1, "on": True, "name": "x", "nothing": None}
        assert len(usable({str(n): n for n in range(10_000)})) == need_model.MOST_PARAMS

    def test_the_newest_of_alike_needs_and_all_that_are_rare(self) -> None:
        common = [({"n": n}, GB) for n in range(1000)]
        rare = [({"n": -1}, 50 * GB)]
        kept = keep([*rare, *common])
        assert len(kept) == need_model.MOST_SAMPLES
        assert kept[0] == rare[0]
        assert kept[-1] == common[-1]
        assert common[0] not in kept

    def test_of_equal_tasks_the_larger_need(self) -> None:
        assert keep([({"n": 1}, 5), ({"n": 2}, 7), ({"n": 1}, 3)]) == [({"n": 2}, 7), ({"n": 1}, 5)]

    def test_samples_of_a_file(self) -> None:
        good: list[Any] = [[{"n": 1, "bad": [1]}, 5], [{"n": 2}, 7]]
        bad: list[Any] = [7, None, [], [{"n": 1}], [{"n": 1}, -1], [{"n": 1}, 0.5], [{"n": 1}, True], ["n", 1]]
        assert parse(json.loads(json.dumps(bad + good))) == [({"n": 1}, 5), ({"n": 2}, 7)]
        assert parse(None) == parse({"n": 1}) == parse("x") == []
        assert len(parse([[{"n": 1}, 5]] * 10_000)) == need_model.MOST_SAMPLES

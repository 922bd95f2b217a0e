"""Test joining and decimating of metric series."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.server.store.metrics import POINT, Points, decimate, join

_values = st.floats(-1e6, 1e6) | st.sampled_from([math.nan, math.inf, -math.inf])


def series(steps: list[float], value: float = 0.0) -> Points:
    return np.array([(step, value, 0.0) for step in steps], dtype=POINT)


def valued(values: list[float]) -> Points:
    return np.array([(float(i), value, i / 2) for i, value in enumerate(values)], dtype=POINT)


class TestJoin:
    @pytest.mark.parametrize(
        ("parts", "steps", "values"),
        [
            ([[0, 1, 2]], [0, 1, 2], [0, 0, 0]),
            ([[0, 1, 2], [3, 4]], [0, 1, 2, 3, 4], [0, 0, 0, 1, 1]),
            ([[0, 1, 2], [2, 3]], [0, 1, 2, 3], [0, 0, 1, 1]),
            ([[0, 1, 2], [0]], [0], [1]),
            ([[0, 1, 2], [], [1]], [0, 1], [0, 2]),
            ([[], [1]], [1], [1]),
            ([[5], [3, 4], [4, 5]], [3, 4, 5], [1, 2, 2]),
        ],
    )
    def test_the_later_one_counts(self, parts: list[list[float]], steps: list[float], values: list[float]) -> None:
        whole = join([series(part, value) for value, part in enumerate(parts)])
        assert whole["step"].tolist() == steps
        assert whole["value"].tolist() == values

    @given(st.lists(st.lists(st.integers(0, 30), unique=True, max_size=10).map(sorted), min_size=1, max_size=4))
    def test_no_step_twice_and_all_of_the_last_part(self, parts: list[list[int]]) -> None:
        whole = join([series([float(s) for s in part], value) for value, part in enumerate(parts)])
        steps = whole["step"].tolist()
        assert steps == sorted(set(steps))
        filled = [part for part in parts if part]
        if filled:
            assert steps[-len(filled[-1]) :] == filled[-1]


class TestDecimate:
    @given(st.lists(_values, max_size=300), st.integers(0, 60))
    def test_at_most_so_many_in_order_and_out_of_the_series(self, values: list[float], points: int) -> None:
        whole = valued(values)
        thin = decimate(whole, points)
        assert len(thin) <= max(points, 0) or len(values) <= points
        steps = thin["step"].tolist()
        assert steps == sorted(set(steps))
        assert all(thin[i].tobytes() == whole[int(step)].tobytes() for i, step in enumerate(steps))

    @given(st.lists(_values, min_size=5, max_size=300), st.integers(4, 60))
    def test_keeps_both_ends_and_the_extremes(self, values: list[float], points: int) -> None:
        thin = decimate(valued(values), points)
        assert (thin["step"][0], thin["step"][-1]) == (0, len(values) - 1)
        finite = [value for value in values if not math.isnan(value)]
        if finite:
            kept = thin["value"][~np.isnan(thin["value"])]
            assert (kept.min(), kept.max()) == (min(finite), max(finite))

    def test_short_ones_are_left_alone(self) -> None:
        whole = valued([1, 2, 3])
        assert decimate(whole, 3) is whole
        assert decimate(whole, None) is whole

    @pytest.mark.parametrize(("points", "steps"), [(0, []), (1, [0]), (2, [0, 9]), (3, [0, 9])])
    def test_very_few(self, points: int, steps: list[float]) -> None:
        assert decimate(valued([float(i) for i in range(10)]), points)["step"].tolist() == steps

    def test_makes_good_use_of_what_is_allowed(self) -> None:
        assert len(decimate(valued([math.sin(i) for i in range(10_000)]), 1000)) > 900

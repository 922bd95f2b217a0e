"""Test when tasks and jobs are expected to end."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paddock.rules.durations import (
    FARTHEST,
    Band,
    Lengths,
    PastRun,
    Prediction,
    TaskWork,
    Underway,
    adjusted,
    outlook,
    queue,
)

NOW = 1_000_000.0
_number = st.floats(-1e6, 1e6) | st.integers(-(10**6), 10**6)
_value = st.none() | st.booleans() | _number | st.sampled_from(["sgd", "adam", "", "é"]) | st.just([1, {"a": 2}])
_params = st.dictionaries(st.sampled_from(["lr", "batch", "kind", "layers"]), _value, max_size=4)
_works = st.builds(TaskWork, _params, st.none() | st.integers(1, 1000), st.floats(0.02, 1.0))
_seconds = st.floats(0.01, 1e6)
_runs = st.builds(PastRun, _works, _seconds, st.none() | st.floats(0.01, 1.0))
_underway = st.builds(
    Underway, _works, st.floats(0, 1e6), st.none() | st.floats(0.01, 1e6), st.floats(0, 1), st.floats(0, 1e4)
)
_places = st.lists(st.floats(0, 1e5), max_size=3)
_few = settings(max_examples=60, deadline=None)


@_few
@given(
    st.lists(_runs, max_size=12),
    st.lists(_underway, max_size=4),
    st.lists(_works, max_size=8),
    _places,
    st.integers(0, 5),
)
def test_a_band_contains_its_likely_time_and_is_not_in_the_past(
    runs: list[PastRun], running: list[Underway], waiting: list[TaskWork], places: list[float], more: int
) -> None:
    found = outlook(NOW, Lengths(runs), running, waiting, places, more)
    bands = [found.done, *found.running, *found.begins, *found.ends]
    for band in (one for one in bands if one is not None):
        assert NOW <= band.early <= band.likely <= band.late < math.inf
    assert len(found.running) == len(running)
    assert len(found.begins) == len(found.ends) in (0, len(waiting))
    for begin, end in zip(found.begins, found.ends, strict=True):
        assert begin.likely <= end.likely
    if not runs:
        assert not found.begins, "nothing is known of how long tasks take"
        assert not (found.done and (waiting or more))


@_few
@given(
    st.lists(st.lists(st.floats(0.1, 1e4), min_size=5, max_size=5), min_size=1, max_size=3),
    st.lists(st.floats(0, 1e4), min_size=1, max_size=4),
    st.floats(0, 1e4),
)
def test_more_places_are_never_later(seconds: list[list[float]], places: list[float], other: float) -> None:
    draws = np.array(seconds)
    none = np.zeros((len(draws), 0))
    starts, ends = queue(none, places, draws)
    sooner, over = queue(none, [*places, other], draws)
    assert (sooner <= starts + 1e-6).all() and (over <= ends + 1e-6).all()
    assert np.allclose(ends - starts, draws)


def test_a_queue_by_hand() -> None:
    starts, ends = queue(np.array([[5.0]]), [2.0], np.array([[10.0, 1.0, 1.0]]))
    assert starts.tolist() == [[2.0, 5.0, 6.0]]
    assert ends.tolist() == [[12.0, 6.0, 7.0]]


def test_nothing_known_is_not_guessed() -> None:
    found = outlook(NOW, Lengths([]), [Underway(TaskWork({}), 50.0)], [TaskWork({})])
    assert (found.done, found.running, found.begins) == (None, [None], [])


def test_one_that_only_reported_once_is_unsure() -> None:
    [band] = outlook(NOW, Lengths([]), [Underway(TaskWork({}), 50.0, left=450.0)], []).running
    assert band is not None and band.unsure
    assert band.likely - NOW == pytest.approx(450, rel=0.3)


def test_a_steady_one_is_sure() -> None:
    [band] = outlook(NOW, Lengths([]), [Underway(TaskWork({}), 50.0, 450.0, 0.1, steps=10)], []).running
    assert band is not None and not band.unsure
    assert band.likely - NOW == pytest.approx(450, rel=0.05)


def test_one_that_runs_for_longer_than_all_others_is_not_guessed() -> None:
    runs = [PastRun(TaskWork({}), 10.0)] * 20
    found = outlook(NOW, Lengths(runs), [Underway(TaskWork({}), 1000.0)], [])
    assert (found.done, found.running) == (None, [None])
    others = outlook(NOW, Lengths(runs), [Underway(TaskWork({}), 1000.0)], [TaskWork({})], [0.0])
    assert others.done is not None and others.done.unsure


def grid(seconds: Any) -> list[PastRun]:
    sizes = [{"units": units, "kind": kind} for units in (16, 64, 256, 1024) for kind in ("a", "b", "c")]
    return [PastRun(TaskWork(params), seconds(**params)) for params in sizes]


def test_parameters_that_matter_are_learned() -> None:
    def truth(units: int, kind: str) -> float:
        return float(0.5 * units * {"a": 1, "b": 2, "c": 4}[kind])

    lengths = Lengths(grid(truth))
    waiting = [TaskWork({"units": 512, "kind": "c"}), TaskWork({"units": 32, "kind": "a"})]
    middle = np.median(lengths.draw(waiting, 200, np.random.default_rng(1)), axis=0)
    assert middle == pytest.approx([1024, 16], rel=0.25)


def test_what_differs_without_a_reason_gives_a_wide_band() -> None:
    noise = np.random.default_rng(3)
    even = Lengths([PastRun(TaskWork({}), 100.0) for _ in range(30)])
    wild = Lengths([PastRun(TaskWork({}), float(100 * np.exp(1.5 * noise.standard_normal()))) for _ in range(30)])
    one, other = (outlook(NOW, known, [], [TaskWork({})], [0.0]).done for known in (even, wild))
    assert one is not None and not one.unsure
    assert other is not None and other.unsure
    assert other.late - other.early > 10 * (one.late - one.early)


def test_tasks_that_stop_early_are_expected_to() -> None:
    half = Lengths([PastRun(TaskWork({}), 100.0, 0.5)] * 20)
    found = outlook(NOW, half, [Underway(TaskWork({}), 25.0, 75.0, 0.25, steps=25)], [])
    assert found.done is not None
    assert found.done.likely - NOW == pytest.approx(25, rel=0.1)
    assert half.at_most([TaskWork({})]) == [pytest.approx(50, rel=0.1)]


def test_a_resumed_task_takes_only_what_is_left() -> None:
    lengths = Lengths([PastRun(TaskWork({}), 100.0)] * 20)
    whole, rest = lengths.at_most([TaskWork({}), TaskWork({}, share=0.25)])
    assert rest == pytest.approx(whole / 4, rel=0.1)


def test_more_tasks_of_which_nothing_is_known_take_as_long_as_others() -> None:
    lengths = Lengths([PastRun(TaskWork({}), 100.0)] * 20)
    done = outlook(NOW, lengths, [], [], [0.0, 0.0], more=10).done
    assert done is not None and done.likely - NOW == pytest.approx(500, rel=0.1)


@given(st.floats(-1e4, 1e4), st.floats(0, 1e4), st.floats(0, 1e4), st.booleans())
def test_what_is_expected_is_never_in_the_past(early: float, more: float, still_more: float, unsure: bool) -> None:
    band = Band(NOW + early, NOW + early + more, NOW + early + more + still_more, unsure)
    found = band.at(NOW)
    assert NOW <= found.early <= found.likely <= found.late
    assert found.unsure or not unsure
    assert found == band or early < 0


BAND = Band(NOW + 80, NOW + 100, NOW + 130)


def test_scores_are_counted_in_half_bands() -> None:
    made = Prediction(NOW, BAND)
    assert made.score(NOW + 100) == 0
    assert made.score(NOW + 130) == pytest.approx(1)
    assert made.score(NOW + 80) == pytest.approx(-1)
    assert made.score(NOW + 1e9) == FARTHEST
    assert Prediction(NOW, Band(NOW + 100, NOW + 100, NOW + 100)).score(NOW + 1000) == FARTHEST


@given(st.lists(st.floats(-FARTHEST, FARTHEST), max_size=50))
def test_a_band_stays_in_order_whatever_was_before(scores: list[float]) -> None:
    found = adjusted(NOW, BAND, scores)
    assert NOW < found.early <= found.likely <= found.late


def test_a_program_that_is_always_later_than_expected_gets_later_bands() -> None:
    later = adjusted(NOW, BAND, [1.0] * 100)
    assert later.likely == pytest.approx(BAND.late)
    assert adjusted(NOW, BAND, [0.1, -0.1] * 50).late < BAND.late, "it is better than its bands"
    assert adjusted(NOW, BAND, []) == BAND
    assert adjusted(NOW, BAND._replace(unsure=True), [0.0] * 100).unsure


def test_four_of_five_are_inside_after_bands_that_were_far_too_narrow() -> None:
    noise = np.random.default_rng(0)
    ends = NOW + 100 * np.exp(0.5 * noise.standard_normal(200))
    scores = [Prediction(NOW, BAND).score(float(end)) for end in ends[:100]]
    found = adjusted(NOW, BAND, scores)
    inside = np.mean([found.early <= end <= found.late for end in ends[100:]])
    assert 0.7 <= inside <= 0.9

"""Test progress and time left of a task."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.rules.estimate import Pace, job_seconds_left

HALF = Pace(epochs=10, epoch=4, epoch_at=150, base=0, attempt_first=0, started_at=100)


@pytest.mark.parametrize(
    ("pace", "progress"),
    [
        (HALF, 0.5),
        (replace(HALF, base=1, epoch=5), 0.5),
        (replace(HALF, base=None), 0.5),
        (replace(HALF, base=3, epoch=5), 0.5),  # first seen late: it counts from 1
        (replace(HALF, base=-2), 0.5),
        (replace(HALF, epoch=9), 1.0),
        (replace(HALF, epoch=50), 1.0),
        (replace(HALF, epoch=-5), 0.0),
        (replace(HALF, epoch=None), None),
        (replace(HALF, epochs=None), None),
        (replace(HALF, epochs=0), None),
        (replace(HALF, epoch=math.nan), None),
    ],
)
def test_progress(pace: Pace, progress: float | None) -> None:
    assert pace.progress() == progress


@pytest.mark.parametrize(
    ("pace", "now", "left"),
    [
        (HALF, 150, 50.0),  # five epochs in 50 s, five to go
        (HALF, 170, 30.0),
        (HALF, 500, 0.0),
        (replace(HALF, base=1, attempt_first=1, epoch=5), 150, 50.0),
        (replace(HALF, epoch=6, attempt_first=5), 150, 75.0),  # resumed: two epochs in 50 s, three to go
        (replace(HALF, epoch=9), 150, 0.0),
        (replace(HALF, started_at=None), 150, None),
        (replace(HALF, epoch_at=None), 150, None),
        (replace(HALF, epochs=None), 150, None),
        (replace(HALF, epoch=None), 150, None),
        (replace(HALF, epoch_at=90), 150, None),  # clocks of two machines
        (replace(HALF, attempt_first=8), 150, None),
        (replace(HALF, epoch=math.inf), 150, None),
    ],
)
def test_seconds_left(pace: Pace, now: float, left: float | None) -> None:
    assert pace.seconds_left(now) == (None if left is None else pytest.approx(left))


_maybe = st.none() | st.floats(-1e9, 1e9) | st.sampled_from([math.nan, math.inf, -math.inf])


@given(st.none() | st.integers(0, 2**31), _maybe, _maybe, _maybe, _maybe, _maybe, st.floats(0, 2e9))
def test_it_is_a_sensible_number_or_none(
    epochs: int | None,
    epoch: float | None,
    at: float | None,
    base: float | None,
    first: float | None,
    started: float | None,
    now: float,
) -> None:
    pace = Pace(epochs, epoch, at, base, first, started)
    progress, left = pace.progress(), pace.seconds_left(now)
    assert progress is None or 0 <= progress <= 1
    assert left is None or (left >= 0 and math.isfinite(left))


@pytest.mark.parametrize(
    ("waiting", "running", "mean", "left"),
    [
        (0, [10.0, 30.0], None, 30.0),
        (0, [10.0, None], 99.0, None),
        (0, [], 10.0, None),
        (4, [], None, None),
        (4, [5.0], None, None),
        (4, [], 10.0, 40.0),
        (4, [10.0, 10.0], 10.0, 30.0),
        (4, [None, None], 10.0, 25.0),
    ],
)
def test_of_a_job(waiting: int, running: list[float | None], mean: float | None, left: float | None) -> None:
    assert job_seconds_left(waiting, running, mean) == left


@given(st.integers(0, 1000), st.lists(st.none() | st.floats(0, 1e6), max_size=20), st.none() | st.floats(0, 1e6))
def test_more_work_never_takes_less_time(waiting: int, running: list[float | None], mean: float | None) -> None:
    now, more = (job_seconds_left(count, running, mean) for count in (waiting, waiting + 1))
    assert now is None or now >= 0
    if waiting and now is not None:
        assert more is not None
        assert more >= now

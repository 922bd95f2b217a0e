"""Test progress and time left of a task."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.rules.estimate import Pace, whole_seconds

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
        (HALF, 199, 1.0),
        (HALF, 201, None),  # it is overdue: nobody knows
        (replace(HALF, epochs=100), 449, 651.0),
        (replace(HALF, epochs=100), 451, None),  # nothing reported for five minutes
        (replace(HALF, base=1, attempt_first=1, epoch=5), 150, 50.0),
        (replace(HALF, epoch=6, attempt_first=5), 150, 75.0),  # resumed: two epochs in 50 s, three to go
        (replace(HALF, epoch=9), 150, None),  # all epochs are done: what it does now is not known
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


@pytest.mark.parametrize(
    ("pace", "done"),
    [
        (replace(HALF, base=0, epoch=9), 10),  # 0 to 9
        (replace(HALF, base=1, epoch=10), 10),  # 1 to 10, also as `Epoch 10/10`
        (replace(HALF, base=0, epoch=0), 1),
        (replace(HALF, base=1, epoch=1), 1),
        (replace(HALF, base=0, epoch=0.5), 1.5),
        (replace(HALF, epochs=None), None),
    ],
)
def test_epochs_are_counted_in_one_way(pace: Pace, done: float | None) -> None:
    assert pace.epochs_done == done


@pytest.mark.parametrize(
    ("pace", "reported", "quiet"),
    [
        (HALF, 150, 450),  # after five minutes
        (replace(HALF, started_at=100, epoch_at=1100), 1100, 1500),  # after two of its epochs of 200 s
        (replace(HALF, epoch=None, epoch_at=None, attempt_first=None), 100, 400),
        (replace(HALF, attempt_first=None), 100, 400),  # it resumed another attempt, and has reported nothing itself
        (replace(HALF, started_at=None), None, None),
    ],
)
def test_when_a_task_counts_as_quiet(pace: Pace, reported: float | None, quiet: float | None) -> None:
    assert (pace.reported_at, pace.quiet_after) == (reported, quiet)


def test_the_start_up_is_not_counted_as_training() -> None:
    """Five epochs: 10 s each after 40 s of start-up. Two ways to see it, before and after the second report."""
    one = Pace(epochs=10, epoch=0, epoch_at=150, base=0, attempt_first=0, started_at=100, first_at=150)
    assert (one.steps, one.seconds_left(150)) == (0, 9 * 50), "nothing better is known"
    two = replace(one, epoch=1, epoch_at=160)
    assert (two.steps, two.seconds_left(160)) == (1, 80)
    assert replace(two, epoch=4, epoch_at=190).seconds_left(190) == 50
    resumed = replace(two, epoch=6, epoch_at=160, attempt_first=5)
    assert (resumed.steps, resumed.seconds_left(160)) == (1, 30)


@pytest.mark.parametrize(
    ("pace", "found"),
    [
        (HALF, (200 - 100 + 5 * 20, 0.5)),  # 5 of 10 epochs, then it stopped: each took a fifth of the time
        (replace(HALF, first_at=130), (100 + 5 * 5, 0.5)),  # four epochs in 20 s
        (replace(HALF, epoch=9), (100, 1.0)),
        (replace(HALF, epochs=None), (100, 1.0)),
        (replace(HALF, epoch=None), (100, 1.0)),
        (replace(HALF, started_at=None), None),
        (replace(HALF, started_at=300), None),
    ],
)
def test_how_long_all_epochs_would_have_taken(pace: Pace, found: tuple[float, float] | None) -> None:
    assert whole_seconds(pace, 200) == found


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
    done = pace.epochs_done
    assert done is None or 0 <= done <= (epochs or 0)
    assert pace.quiet_after is None or math.isfinite(pace.quiet_after)

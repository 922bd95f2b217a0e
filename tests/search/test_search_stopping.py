"""Test early stopping: cases worked out by hand, and properties that hold for any history."""

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from paddock.models import Goal, RungReport, Savings, StopEarly
from paddock.search.base import Outcome, Trial
from paddock.search.stopping import RungStopper, saved, steps_done, stopper

METHODS: list[Any] = ["median", "asha", "hyperband"]
NAN = math.nan


def trial(number: int, *values: float, first: int = 1, at: float | None = None, every: float = 100.0) -> Trial:
    """One point a step, the first at time `at` (else in the order of their numbers)."""
    start = float(number) if at is None else at
    return Trial(
        number,
        {},
        Outcome.RUNNING,
        curve=tuple((float(first + index), value) for index, value in enumerate(values)),
        times=tuple(start + every * index for index in range(len(values))),
    )


def asha(goal: Goal = Goal.MIN, **knobs: float) -> RungStopper:
    return stopper(StopEarly.model_validate({"method": "asha", "min_steps": 1, "eta": 3} | knobs), goal)


# ---- ASHA ----

BY_HAND = [
    trial(1, 0.90, 0.70, 0.60),
    trial(2, 0.80, 0.70, 0.65),
    trial(3, 0.85),
    trial(4, 0.70, 0.60, 0.50),
    trial(5, 0.75),
    trial(6, 0.72, 0.60, 0.50),
    trial(7, 0.74),
]


def test_asha_by_hand() -> None:
    """r = 1, eta = 3, so rungs at 1, 3, 9. Of n at a rung, itself counted, the best max(1, n // 3) go on.

    rung 1, in the order of arrival                      rung 3, those that went on
    trial  value  n  go on  place                        trial  value  n  go on  place
    1      0.90   1  1      1      goes on               1      0.60   1  1      1      goes on
    2      0.80   2  1      1      goes on               2      0.65   2  1      2      stopped
    3      0.85   3  1      2      stopped               4      0.50   3  1      1      goes on
    4      0.70   4  1      1      goes on               6      0.50   4  1      1 (as good as 4's) goes on
    5      0.75   5  1      2      stopped
    6      0.72   6  2      2      goes on
    7      0.74   7  2      3      stopped
    """
    judge = asha()
    assert judge.stopped(BY_HAND) == {3: 1, 5: 1, 7: 1, 2: 3}
    assert [judge.stop(one, BY_HAND) for one in BY_HAND] == [False, True, True, False, True, False, True]
    assert stopper(StopEarly(method="asha", min_steps=1), Goal.MIN).rungs(BY_HAND) == [
        RungReport(step=1, bracket=0, reached=7, went_on=4, cutoff=0.72),
        RungReport(step=3, bracket=0, reached=4, went_on=3, cutoff=0.5),
    ]


def test_asha_to_the_maximum() -> None:
    upside_down = [replace(one, curve=tuple((step, -value) for step, value in one.curve)) for one in BY_HAND]
    assert asha(Goal.MAX).stopped(upside_down) == asha().stopped(BY_HAND)
    assert [rung.cutoff for rung in asha(Goal.MAX).rungs(upside_down)] == [-0.72, -0.5]


def test_who_has_passed_a_rung_stays_whatever_comes_later() -> None:
    first = trial(1, 0.9, 0.9)
    later = [trial(number, 0.1 * number) for number in range(2, 8)]
    assert not asha().stop(first, [first, *later])
    # Had it come last, it would have been stopped.
    last = trial(1, 0.9, at=50.0)
    assert asha().stop(last, [last, *later])


def test_without_times_the_order_is_that_of_the_numbers() -> None:
    assert asha().stopped([replace(one, times=()) for one in BY_HAND]) == {3: 1, 5: 1, 7: 1, 2: 3}


def test_what_a_stopped_trial_still_reports_counts_for_nobody() -> None:
    one, two = trial(1, 0.5, 0.5, 0.5), trial(2, 0.6, 0.1, 0.01)
    three = trial(3, 0.4, 0.4, 0.4)
    assert asha().stopped([one, two, three]) == {2: 1}


def test_the_best_so_far_counts() -> None:
    noisy, steady = trial(1, 0.2, 0.9, 0.8), trial(2, 0.2, 0.3, 0.3)
    assert asha().stopped([noisy, steady]) == {}
    assert (
        asha(min_steps=3).stopped([replace(noisy, number=3, times=(7, 8, 9)), trial(2, 0.3, 0.3, 0.3, every=1)]) == {}
    )


def test_epochs_from_0_are_counted_as_done() -> None:
    from_0 = [replace(one, curve=tuple((step - 1, value) for step, value in one.curve)) for one in BY_HAND]
    assert asha().stopped(from_0) == asha().stopped(BY_HAND)
    assert steps_done(from_0[0]) == 3


def test_in_a_gap_the_last_value_before_counts() -> None:
    good = trial(1, 0.5, 0.5, 0.5)
    gap = Trial(2, {}, Outcome.RUNNING, curve=((1, 0.4), (2, 0.6), (5, 0.1)), times=(1000, 1001, 1002))
    late = Trial(3, {}, Outcome.RUNNING, curve=((5, 0.9),), times=(2000,))
    assert asha(min_steps=4).stopped([good, gap, late]) == {}  # nothing to compare with: `late` has no value there
    good = trial(1, 0.3, 0.3, 0.3, 0.3)
    assert asha(min_steps=4).stopped([good, gap]) == {2: 4}  # by the 0.4, not the 0.1


def test_a_trial_without_points_is_never_stopped() -> None:
    silent = Trial(9, {}, Outcome.RUNNING)
    for method in METHODS:
        judge = stopper(StopEarly(method=method, min_steps=1, min_trials=1), Goal.MIN)
        assert not judge.stop(silent, [*BY_HAND, silent])
        assert judge.rungs([silent]) == []
        assert judge.stopped([]) == {}


@pytest.mark.parametrize("bad", [NAN, math.inf, -math.inf])
def test_a_diverged_trial_is_worse_than_any_number(bad: float) -> None:
    """However few have a number: of six at the rung two would go on."""
    history = [trial(1, 0.5), *(trial(number, bad) for number in range(2, 8))]
    for goal in Goal:
        assert asha(goal).stopped(history) == dict.fromkeys(range(2, 8), 1)


def test_a_diverged_trial_goes_on_where_none_has_a_number() -> None:
    history = [trial(number, NAN) for number in range(1, 8)]
    assert asha().stopped(history) == {}
    assert asha().rungs(history) == [RungReport(step=1, bracket=0, reached=7, went_on=7, cutoff=None)]


def test_what_was_good_before_it_diverged_does_not_save_a_trial() -> None:
    history = [trial(1, 0.5, 0.5, 0.5), trial(2, 0.1, 0.01, NAN), trial(3, 0.1, NAN, 0.01)]
    assert asha(min_steps=3).stopped(history) == {2: 3}


def test_nothing_is_judged_at_the_end() -> None:
    history = [trial(1, 0.1, 0.1, 0.1), trial(2, 0.1, 0.2, 0.3), trial(3, 0.1, 0.2, 0.3)]
    assert [rung.step for rung in asha(max_steps=3).rungs(history)] == [1]


@pytest.mark.parametrize(
    ("epochs", "expected"),
    [(1, []), (2, [1]), (3, [1]), (10, [1, 3, 9]), (27, [3, 9]), (81, [9, 27]), (100, [11, 33, 99]), (None, [4])],
)
def test_default_rungs_follow_the_number_of_epochs(epochs: int | None, expected: list[int]) -> None:
    judge = stopper(StopEarly(method="asha", max_steps=epochs), Goal.MIN)
    assert [rung.step for rung in judge.rungs([trial(1, *[0.5] * (epochs or 11))])] == expected


# ---- median ----


def test_median_by_hand() -> None:
    """From step 2 on; at least 3 others. Best so far at step 2, in the order of arrival:

    trial 1: 0.5, trial 2: 0.7, trial 3: 0.4   nobody to judge by yet
    trial 4: 0.6 against the median of (0.4, 0.5, 0.7) = 0.5: stopped
    trial 5: 0.5 (its second value is worse) against that of (0.4, 0.5, 0.6, 0.7) = 0.55: goes on
    trial 6: 0.51 against that of (0.4, 0.5, 0.5, 0.6, 0.7) = 0.5: stopped
    """
    history = [
        trial(1, 0.9, 0.5),
        trial(2, 0.8, 0.7),
        trial(3, 0.9, 0.4),
        trial(4, 0.6, 0.9),
        trial(5, 0.5, 0.8),
        trial(6, 0.9, 0.51),
    ]
    judge = stopper(StopEarly(method="median", min_steps=2, min_trials=3, interval=2), Goal.MIN)
    assert judge.stopped(history) == {4: 2, 6: 2}
    assert judge.rungs(history) == [RungReport(step=2, bracket=0, reached=6, went_on=4, cutoff=0.505)]


def test_median_judges_at_intervals() -> None:
    history = [trial(1, *[0.5] * 20)]
    every_5 = stopper(StopEarly(method="median", min_steps=3, max_steps=20, interval=5), Goal.MIN)
    assert [rung.step for rung in every_5.rungs(history)] == [3, 8, 13, 18]
    growing = stopper(StopEarly(method="median", max_steps=20), Goal.MIN)
    assert [rung.step for rung in growing.rungs(history)] == [2, 3, 4, 5, 6, 8, 10, 12, 15, 18]


# ---- Hyperband ----


def test_hyperband_brackets() -> None:
    """27 epochs, eta 3: brackets that begin at 1, 3 and 9; 9, 5 and 3 of 17 trials, as Hyperband deals them."""
    judge = stopper(StopEarly(method="hyperband", max_steps=27), Goal.MIN)
    dealt = [judge.bracket(number) for number in range(17)]
    assert [dealt.count(bracket) for bracket in range(3)] == [9, 5, 3]
    assert set(dealt[:4]) == {0, 1, 2}
    assert [judge.bracket(number + 17) for number in range(17)] == dealt
    found = judge.rungs([trial(number, *[0.5] * 27) for number in range(17)])
    assert [(rung.bracket, rung.step, rung.reached) for rung in found] == [
        (0, 1, 9), (0, 3, 9), (0, 9, 9), (1, 3, 5), (1, 9, 5), (2, 9, 3),
    ]  # fmt: skip


def test_brackets_do_not_mix() -> None:
    judge = stopper(StopEarly(method="hyperband", min_steps=1, max_steps=27), Goal.MIN)
    one, two = (next(n for n in range(17) if judge.bracket(n) == bracket) for bracket in (0, 1))
    assert judge.stopped([trial(one, 0.1, 0.1, 0.1, at=1), trial(two, 0.9, 0.9, 0.9, at=2)]) == {}


def test_a_short_training_has_fewer_brackets() -> None:
    assert set(stopper(StopEarly(method="hyperband", max_steps=3), Goal.MIN).turns) == {0}
    assert set(stopper(StopEarly(method="hyperband", max_steps=5), Goal.MIN).turns) == {0, 1}


# ---- all ----


def test_none_stops_nothing() -> None:
    judge = stopper(StopEarly(), Goal.MIN)
    assert judge.stopped(BY_HAND) == {}
    assert judge.rungs(BY_HAND) == []


@pytest.mark.parametrize(
    "given", [{"eta": 1}, {"eta": NAN}, {"min_steps": 0}, {"max_steps": -1}, {"interval": 0}, {"min_trials": 0}]
)
def test_options_that_make_no_sense_are_refused(given: dict[str, float]) -> None:
    with pytest.raises(ValidationError, match=f"{next(iter(given))}\n"):
        StopEarly.model_validate({"method": "asha"} | given)


def test_saved() -> None:
    history = [
        replace(trial(1, *[0.5] * 10, every=2), outcome=Outcome.FINISHED),
        replace(trial(2, 0.9, 0.9, 0.9, every=2), outcome=Outcome.PRUNED),
        replace(trial(3, 0.9, every=2), outcome=Outcome.PRUNED),
        replace(trial(4, 0.9), outcome=Outcome.FAILED),
        Trial(5, {}, Outcome.RUNNING),
    ]
    assert saved(history, 10) == saved(history) == Savings(steps=16, share=16 / 31, seconds=14)
    assert saved([]) == saved(history[3:], 10) == Savings()


Arrivals = list[tuple[int, float]]  # trial and value, in the order in which they came
VALUES = st.one_of(st.sampled_from([0.1, 0.2, 0.3]), st.floats(0, 1), st.just(NAN))
ARRIVALS = st.lists(st.tuples(st.integers(0, 9), VALUES), max_size=90)
JUDGES = st.builds(
    lambda method, goal, least: stopper(StopEarly(method=method, min_steps=least, min_trials=2), goal),
    st.sampled_from(METHODS),
    st.sampled_from(Goal),
    st.integers(1, 2),
)


def grown(history: dict[int, Trial], number: int, value: float, now: float) -> None:
    one = history.get(number, Trial(number, {}, Outcome.RUNNING))
    point = (float(len(one.curve)), value)
    history[number] = replace(one, curve=(*one.curve, point), times=(*one.times, now))


@given(JUDGES, ARRIVALS)
def test_decisions_stay(judge: RungStopper, arrivals: Arrivals) -> None:
    """A point decides on its own trial only: who was stopped stays so, and who has passed a rung has passed it."""
    history: dict[int, Trial] = {}
    before: dict[int, float] = {}
    for now, (number, value) in enumerate(arrivals):
        grown(history, number, value, now)
        after = judge.stopped(list(history.values()))
        new = after.items() - before.items()
        assert after.items() >= before.items()
        assert new <= {(number, steps_done(history[number]))}
        before = after


@given(JUDGES, ARRIVALS)
def test_a_late_stop_changes_no_other_decision(judge: RungStopper, arrivals: Arrivals) -> None:
    """The same is decided whether trials end at once when they are stopped or run on for a while."""
    at_once: dict[int, Trial] = {}
    late: dict[int, Trial] = {}
    for now, (number, value) in enumerate(arrivals):
        grown(late, number, value, now)
        if number not in judge.stopped(list(at_once.values())):
            grown(at_once, number, value, now)
    assert judge.stopped(list(late.values())) == judge.stopped(list(at_once.values()))
    assert judge.stopped(list(late.values())[::-1]) == judge.stopped(list(late.values()))


@given(JUDGES, ARRIVALS)
def test_rungs_count_every_trial_once(judge: RungStopper, arrivals: Arrivals) -> None:
    history: dict[int, Trial] = {}
    for now, (number, value) in enumerate(arrivals):
        grown(history, number, value, now)
    found = judge.rungs(list(history.values()))
    assert sum(rung.reached - rung.went_on for rung in found) == len(judge.stopped(list(history.values())))
    for one, two in pairwise(found):
        assert one.bracket != two.bracket or (one.step < two.step and two.reached <= one.went_on)

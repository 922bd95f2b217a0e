"""The judge of the kill campaign finds the guilty, and nobody else."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.chaos.judge import (
    CHARGES,
    FALSE_STATE,
    FALSELY_FINISHED,
    LEFT_BEHIND,
    NOT_ENDED,
    TOO_FEW_TRIES,
    TWICE,
    WRONG_CURVE,
    Case,
    Told,
    judge,
)
from tests.chaos.witness import Line

STEPS = 4
CURVE = [(step, 1 / (step + 1)) for step in range(STEPS)]


def ran(attempt: int, at: float, first: int = 0, last: int = STEPS, end: bool = True) -> list[Line]:
    """One process: a step a second."""
    run = f"{attempt}-{at}"
    lines = [Line("start", attempt, run, at)]
    lines += [Line("step", attempt, run, at + 1 + step - first, step, 1 / (step + 1)) for step in range(first, last)]
    return [*lines, Line("end", attempt, run, lines[-1].at)] if end else lines


GOOD = Told("finished", None, [None], CURVE)
RESUMED = [*ran(1, 0, last=2, end=False), *ran(2, 10, first=2)]


def guilty(told: Told, lines: Sequence[Line], **more: Any) -> set[str]:
    found = judge(Case(STEPS, {"t": told}, {"t": lines}, **more))
    assert list(found) == list(CHARGES)
    return {charge for charge, who in found.items() if who}


def test_the_innocent() -> None:
    assert guilty(GOOD, ran(1, 0)) == set()
    assert guilty(GOOD, RESUMED) == set()
    told_again = [*ran(1, 0, last=3, end=False), *ran(2, 10, first=2)]  # died before it saved
    assert guilty(GOOD, told_again) == set()
    assert guilty(Told("error", "lost", ["lost"] * 3), ran(1, 0, last=2, end=False)) == set()
    assert guilty(GOOD, [*ran(1, 0), *ran(2, 10, first=STEPS)]) == set(), "killed between its last word and its end"


@pytest.mark.parametrize(
    ("told", "lines", "charge"),
    [
        (replace(GOOD, state="running"), RESUMED, NOT_ENDED),
        (replace(GOOD, state="submitted", curve=[]), [], NOT_ENDED),
        (GOOD, [*ran(1, 0), *ran(2, 1.5)], TWICE),
        (GOOD, [*ran(1, 0), *ran(1, 2)], TWICE),  # the same attempt, started twice
        (GOOD, [*ran(1, 0, last=2, end=False), *ran(2, 1.9, first=2)], TWICE),
        (GOOD, [*ran(1, 0), *ran(2, 1, last=1, end=False), *ran(3, 3)], TWICE),  # the second is over, the first is not
        (GOOD, ran(1, 0, end=False), FALSELY_FINISHED),
        (replace(GOOD, curve=CURVE[:-1]), ran(1, 0), WRONG_CURVE),
        (replace(GOOD, curve=[CURVE[0], *CURVE]), ran(1, 0), WRONG_CURVE),
        (replace(GOOD, curve=[*CURVE[:-1], (3, 0.7)]), ran(1, 0), WRONG_CURVE),
        (replace(GOOD, curve=[]), ran(1, 0), WRONG_CURVE),
        (Told("error", "lost", ["lost", "node_failure", "lost"]), [], TOO_FEW_TRIES),
        (Told("error", "launch_failed", ["launch_failed"]), [], FALSE_STATE),
        (Told("error", "user_error", ["user_error"]), ran(1, 0), FALSE_STATE),
        (Told("stopped", None, [None]), ran(1, 0, last=1, end=False), FALSE_STATE),
    ],
)
def test_the_guilty(told: Told, lines: list[Line], charge: str) -> None:
    assert guilty(told, lines) == {charge}


def test_nothing_at_all_was_said() -> None:
    assert guilty(GOOD, []) == {FALSELY_FINISHED, WRONG_CURVE}


def test_a_task_that_paddock_has_forgotten() -> None:
    found = judge(Case(STEPS, {}, {"t": ran(1, 0)}))
    assert found[NOT_ENDED] == ["t: Paddock does not know it"]


def test_what_is_left_behind() -> None:
    assert guilty(GOOD, ran(1, 0), left=["process 7: python train.py"]) == {LEFT_BEHIND}

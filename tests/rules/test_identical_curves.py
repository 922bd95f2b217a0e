"""Test which parameters are reported as ignored."""

import pytest

from paddock.models import Params
from paddock.rules.identical_curves import FinishedTask, notice

LOSS = (0.9, 0.52, 0.31)


def task(number: int, params: Params, values: tuple[float, ...] = LOSS) -> FinishedTask:
    return FinishedTask(number, params, tuple(enumerate(values, start=1)))


def test_tasks_with_different_values_and_one_curve() -> None:
    assert notice([task(n, {"lr": n / 10, "epochs": 3}) for n in (1, 2, 3)]) == (
        "Tasks 1, 2 and 3 have different values of lr but identical curves: the script probably ignores lr."
    )
    several = notice([task(n, {"lr": n / 10, "size": n}) for n in range(1, 41)])
    assert several is not None
    assert several.startswith("Tasks 1, 2, 3 and 37 others have different values of lr and size but")


def test_only_the_parameter_that_changes_nothing_is_named() -> None:
    grid = [(lr, size) for lr in (0.1, 0.2) for size in (1, 2)]
    found = [task(n, {"lr": lr, "size": size}, (*LOSS, float(size))) for n, (lr, size) in enumerate(grid, start=1)]
    assert notice(found) == (
        "Tasks 1 and 3 have different values of lr but identical curves: the script probably ignores lr."
    )


def test_a_parameter_that_matters_elsewhere_is_not_ignored() -> None:
    # Patience changes nothing in two tasks, and something in the third.
    found = [task(1, {"patience": 5}), task(2, {"patience": 9}), task(3, {"patience": 1}, LOSS[:2])]
    assert notice(found) is None


def test_repetitions_that_are_all_the_same() -> None:
    text = notice([task(n, {"lr": 0.1}) for n in (1, 2, 3)])
    assert text is not None
    assert "Tasks 1, 2 and 3 repeat one configuration and have identical curves" in text
    assert "fixed seed" in text


@pytest.mark.parametrize(
    "values", [(), (0.1135,), (0.5, 0.5, 0.5), (0.95, 0.96), (float("nan"), float("nan"), float("nan"))]
)
def test_what_may_be_the_same_by_chance(values: tuple[float, ...]) -> None:
    assert notice([task(n, {"lr": n}, values) for n in (1, 2)]) is None


def test_one_value_of_many_digits_is_enough() -> None:
    assert notice([task(n, {"lr": n}, (0.318452,)) for n in (1, 2)]) is not None


def test_different_curves_and_too_few_tasks() -> None:
    assert notice([task(1, {"lr": 1}), task(2, {"lr": 2}, (0.9, 0.52, 0.32))]) is None
    assert notice([task(1, {"lr": 1})]) is None
    assert notice([]) is None

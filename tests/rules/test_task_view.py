"""Test filters, orders and samples of tasks."""

from typing import Any

import pytest

from paddock.errors import InvalidInput
from paddock.models import Goal, Params, TaskState
from paddock.rules import task_view
from paddock.rules.task_view import Outline

S = TaskState


def task(number: int, params: Params | None = None, **more: Any) -> Outline:
    given: dict[str, Any] = dict.fromkeys(Outline.__slots__) | {
        "trial": number,
        "state": S.FINISHED,
        "attempt": 1,
        "reduces": False,
    }
    return Outline(**given | {"number": number, "params": params or {}, "others": (), "now": 9.0} | more)


TASKS = [
    task(1, {"lr": 0.1, "optimizer": "adam", "layers": [2, 3]}, best=0.5, at=3.0, node="node10", started=1, ended=4.0),
    task(2, {"lr": 0.01, "optimizer": "SGD"}, best=0.2, node="node9", state=S.RUNNING, started=2.0),
    task(3, {"lr": 1, "optimizer": "adam"}, state=S.ERROR, reason="RuntimeError", cause="user_error", others=(7.0,)),
    task(4, {"lr": None}, state=S.SUBMITTED),
]  # fmt: skip


MEASURED: task_view.Measured = {"last.loss": {1: 0.4, 2: 0.6, 3: 0.1}, "best.val/acc": {1: 0.9, 2: None, 3: 0.7}}


def seen(text: str = "", *states: TaskState, sort: str = "number") -> list[int]:
    return [one.number for one in task_view.view(TASKS, text, states, sort, MEASURED)]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", [1, 2, 3, 4]),
        ("adam", [1, 3]),
        ("sgd", [2]),
        ("2", [1, 2]),
        ("4", [4]),
        ("[2,3]", [1]),
        ("runtimeerror", [3]),
        ("node1", [1]),
        ("lr<0.1", [2]),
        ("lr<=0.1", [1, 2]),
        ("lr>=1e-1", [1, 3]),
        ("lr=1.0", [3]),
        ("lr!=0.1", [2, 3]),
        ("optimizer=sgd", [2]),
        ("optimizer>adam", [2]),
        ("optimizer=adam|sgd", [1, 2, 3]),
        ("lr=0.1|1", [1, 3]),
        ('optimizer="adam"', [1, 3]),
        ('"optimizer"=sgd', [2]),
        ('"runtimeerror', [3]),
        ("last.loss<0.5", [1, 3]),
        ("best.val/acc>0.8 adam", [1]),
        ("last.other>0", []),
        ("adam lr<1", [1]),
        ("best<=0.2", [2]),
        ("at>2", [1]),
        ("#>2", [3, 4]),
        ("state=error", [3]),
        ("cause=user_error", [3]),
        ("lr<small", [1, 2, 3]),
        ("nothing=1", []),
        ("lr<", []),
    ],
)
def test_filter(text: str, numbers: list[int]) -> None:
    assert seen(text) == numbers


def test_states_and_words_must_both_hold() -> None:
    assert seen("", S.ERROR, S.SUBMITTED) == [3, 4]
    assert seen("adam", S.ERROR, S.SUBMITTED) == [3]


@pytest.mark.parametrize(
    ("sort", "numbers"),
    [
        ("number", [1, 2, 3, 4]),
        ("-number", [4, 3, 2, 1]),
        ("param.lr", [2, 1, 3, 4]),
        ("-param.lr", [3, 1, 2, 4]),
        ("param.optimizer", [1, 3, 2, 4]),
        ("best", [2, 1, 3, 4]),
        ("-best", [1, 2, 3, 4]),
        ("objective.1", [3, 1, 2, 4]),
        ("node", [2, 1, 3, 4]),
        ("-duration", [2, 1, 3, 4]),
        ("-started", [2, 1, 3, 4]),
        ("state", [1, 2, 4, 3]),
        ("param.unknown", [1, 2, 3, 4]),
    ],
)
def test_order_with_unknown_values_last(sort: str, numbers: list[int]) -> None:
    assert seen(sort=sort) == numbers


@pytest.mark.parametrize("sort", ["", "size", "value", "objective.x", "--number", "__class__"])
def test_an_unknown_column_is_refused(sort: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        seen(sort=sort)
    assert "sort" in caught.value.fields


def test_values_of_different_kinds_have_an_order() -> None:
    values: list[Any] = [True, "b", 3, [1], 2.5, "a10", "a9", {"k": 1}]
    mixed = [task(n, {"x": value}) for n, value in enumerate(values, start=1)]
    found = [one.params["x"] for one in task_view.view(mixed, "", (), "param.x")]
    assert found[:2] == [2.5, 3]
    assert found.index("a9") < found.index("a10") < found.index("b")


def test_columns_name_a_value_of_all_once() -> None:
    only: Params = {"only": True}
    given: list[Params] = [{"lr": n / 10, "batch": 32} for n in (1, 2, 3)]
    same = [task(n, params | (only if n == 2 else {})) for n, params in enumerate(given, start=1)]
    assert task_view.columns(same, ["number", "attempt", "params"]) == {
        "number": [1, 2, 3],
        "attempt": [1],
        "param.lr": [0.1, 0.2, 0.3],
        "param.batch": [32],
        "param.only": [None, True, None],
    }
    assert task_view.columns([], ["number", "params"]) == {"number": []}
    assert task_view.columns([task(1, {"x": 1}), task(2, {"x": True})], ["params"]) == {"param.x": [1, True]}
    with pytest.raises(InvalidInput):
        task_view.columns(same, ["size"])


def test_numbers() -> None:
    assert task_view.numbers("1-3,7") == [1, 2, 3, 7]
    for wrong in ("", "x", "1-", "3--4", "1-99999999"):
        with pytest.raises(InvalidInput):
            task_view.numbers(wrong)


def test_a_sample_has_the_best_and_some_of_all_others() -> None:
    values: list[tuple[int, float | None]] = [(n, float(n)) for n in range(1, 101)] + [(n, None) for n in (101, 102)]
    assert task_view.sample(values, Goal.MIN, 200) == list(range(1, 103))
    low, high = task_view.sample(values, Goal.MIN, 10), task_view.sample(values, Goal.MAX, 10)
    assert len(low) == len(high) == 10
    assert low[:5] == [1, 2, 3, 4, 5]
    assert set(range(96, 101)) <= set(high)
    assert max(low[5:]) - min(low[5:]) > 60


def test_columns_of_metrics() -> None:
    assert task_view.measured_columns('last.loss<1 adam "best.a b">2 lr=3', ["max.f1", "best", "param.last.x"]) == [
        "max.f1",
        "last.loss",
        "best.a b",
    ]
    assert task_view.of_metric("last.val/acc") == ("last", "val/acc")
    assert task_view.of_metric("best") is None
    assert seen(sort="last.loss") == [3, 1, 2, 4]
    assert seen(sort="-best.val/acc") == [1, 3, 2, 4]
    columns = task_view.columns(TASKS, ["number", "last.loss"], MEASURED)
    assert columns == {"number": [1, 2, 3, 4], "last.loss": [0.4, 0.6, 0.1, None]}

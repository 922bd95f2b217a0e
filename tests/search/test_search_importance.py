"""Test which parameters mattered."""

import math
import statistics

import pytest

from paddock.models import Goal
from paddock.search.base import Condition, Configuration, Dimension, Outcome, Trial
from paddock.search.importance import FEWEST, importance, judged
from paddock.search.samplers import searcher
from tests.search import search_problems as known
from tests.search.search_problems import dimensions, leaf, number, problem, run

SPACE = (
    *dimensions(lr="1e-5..1e-1:log", kind="a,b,c", noise="0..1.0", more="1..8"),
    Dimension("momentum", leaf("0..1.0"), (Condition("kind", ("a",)),)),
)


def loss(config: Configuration) -> tuple[float, ...]:
    bowl = (math.log10(number(config, "lr")) + 3) ** 2
    return (bowl + {"a": 0.0, "b": 0.6, "c": 1.2}[str(config["kind"])] + 0.01 * number(config, "noise"),)


@pytest.mark.parametrize(("method", "trials"), [("random", 40), ("random", 200), ("tpe", 40)])
def test_what_matters_comes_first(method: str, trials: int) -> None:
    shares = [
        importance(run(searcher(method, problem(SPACE, seed)), loss, trials), SPACE, (Goal.MIN,)) for seed in range(5)
    ]
    for one in shares:
        assert sum(one.values()) == pytest.approx(1)
        assert list(one.values()) == sorted(one.values(), reverse=True)
        assert set(one) == {dimension.name for dimension in SPACE}
    assert sum(next(iter(one)) == "lr" for one in shares) >= 4
    assert statistics.median(one["lr"] + one["kind"] for one in shares) > 0.75


def test_a_hint_from_twenty_trials() -> None:
    shares = [
        importance(run(searcher("random", problem(SPACE, seed)), loss, 20), SPACE, (Goal.MIN,)) for seed in range(9)
    ]
    junk = statistics.fmean(one.get("noise", 0) + one.get("more", 0) + one.get("momentum", 0) for one in shares)
    assert junk < 0.35


def test_one_that_applies_seldom_counts_by_how_often_it_does() -> None:
    space = (*dimensions(kind="a,b,c,d"), Dimension("x", leaf("0..1.0"), (Condition("kind", ("a",)),)))
    trials = run(
        searcher("random", problem(space, 1)),
        lambda config: (float(known.number(config, "x")) if "x" in config else 0.5,),
        120,
    )
    shares = importance(trials, space, (Goal.MIN,))
    assert shares["x"] > 0.5


def test_too_little_to_say_anything() -> None:
    trials = run(searcher("random", problem(SPACE)), loss, FEWEST - 1)
    assert importance(trials, SPACE, (Goal.MIN,)) == {}
    assert importance([], SPACE, (Goal.MIN,)) == {}
    same = run(searcher("random", problem(SPACE)), lambda config: (1.0,), 50)
    assert importance(same, SPACE, (Goal.MIN,)) == {}
    failed = [Trial(one.number, one.params, Outcome.FAILED) for one in same]
    assert importance(failed, SPACE, (Goal.MIN,)) == {}


GRID = dimensions(a=",".join(map(str, range(10))), b="0..99")


def grid(size: float, rows: int = 10) -> list[Trial]:
    """Return the trials of a grid in their order: what `a` does is seen in the first four tenths only."""
    return [
        Trial(number, {"a": number // 100, "b": number % 100}, Outcome.FINISHED, (number % 100 + size * (a < 4),))
        for number in range(100 * rows)
        for a in [number // 100]
    ]


def test_all_trials_of_a_grid_of_a_thousand_count() -> None:
    shares = importance(grid(42.3), GRID, (Goal.MIN,))
    assert {name: round(100 * share) for name, share in shares.items()} == {"b": 69, "a": 31}
    last = importance(grid(42.3)[-600:], GRID, (Goal.MIN,))
    assert last["a"] == 0, "the last 600 alone would report a 0 %, b 100 %"


def test_a_large_grid_is_sampled_evenly_and_not_in_step_with_its_values(monkeypatch: pytest.MonkeyPatch) -> None:
    # Every second trial of this grid has the same value of `fast`.
    space = dimensions(fast="0,1", slow="0..1499")
    trials = [
        Trial(number, {"fast": number % 2, "slow": number // 2}, Outcome.FINISHED, (number % 2 + number / 2000,))
        for number in range(3000)
    ]
    sampled = importance(trials, space, (Goal.MIN,))
    monkeypatch.setattr("paddock.search.importance.MOST", 3000)
    whole = importance(trials, space, (Goal.MIN,))
    assert sampled != whole
    assert sampled == pytest.approx(whole, abs=0.03)


def test_pruned_trials_come_after_those_that_finished() -> None:
    trials = run(searcher("random", problem(SPACE)), loss, 60)
    good = sorted(trials, key=lambda one: one.values[0])[:20]
    pruned = [
        one if one in good else Trial(one.number, one.params, Outcome.PRUNED, (), ((1.0, one.values[0]),))
        for one in trials
    ]
    assert importance(pruned, SPACE, (Goal.MIN,)) == importance(trials, SPACE, (Goal.MIN,))
    assert len(judged(pruned, (Goal.MIN,))) == 60
    without_value = [Trial(one.number, one.params, Outcome.PRUNED) for one in trials]
    assert judged(without_value, (Goal.MIN,)) == []
    assert len(judged(pruned, (Goal.MIN, Goal.MIN))) == 0


def test_several_objectives() -> None:
    trials = run(
        searcher("random", problem(known.ZDT1, 1, goals=2)),
        lambda config: (number(config, "a"), 2 * number(config, "a")),
        80,
    )
    shares = importance(trials, known.ZDT1, (Goal.MIN, Goal.MIN))
    assert next(iter(shares)) == "a"
    assert shares["a"] > 0.8

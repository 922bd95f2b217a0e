"""Test evolution, NSGA-II and the Pareto front."""

import statistics

import numpy as np
import pytest

from paddock.models import Goal
from paddock.models.space import Choices
from paddock.search.axes import axes_of, dice
from paddock.search.base import Condition, Configuration, Dimension, Outcome, Problem, Trial
from paddock.search.evolution import Evolution, mutated
from paddock.search.pareto import crowding, front, ranks
from paddock.search.samplers import searcher
from tests.search import search_problems as known
from tests.search.search_problems import fits, leaf, problem, run

LAYERS = (
    Dimension("lr", leaf("0..1.0")),
    Dimension("net.count", leaf("1..4")),
    *(
        dimension
        for i in range(4)
        for dimension in (
            Dimension(f"net.{i}.kind", leaf("conv,pool"), (Condition("net.count", (*range(i + 1, 5),)),)),
            Dimension(
                f"net.{i}.width",
                leaf("8..64:8"),
                (Condition("net.count", (*range(i + 1, 5),)), Condition(f"net.{i}.kind", ("conv",))),
            ),
        )
    ),
)
PARENT: Configuration = {
    "lr": 0.5,
    "net.count": 3,
    "net.0.kind": "conv",
    "net.0.width": 8,
    "net.1.kind": "pool",
    "net.2.kind": "conv",
    "net.2.width": 64,
}


def trial(number: int, *values: float, outcome: Outcome = Outcome.FINISHED) -> Trial:
    return Trial(number, {}, outcome, values)


def layers(config: Configuration) -> list[object]:
    return [
        config.get(f"net.{i}.width", config.get(f"net.{i}.kind")) for i in range(int(known.number(config, "net.count")))
    ]


def test_mutations_change_little_and_keep_the_rest() -> None:
    axes, seen = axes_of(LAYERS), set()
    for seed in range(300):
        child = mutated(axes, PARENT, dice(seed))
        assert fits(LAYERS, child)
        changed = {name for name in child if name in PARENT and child[name] != PARENT[name]}
        seen.add(tuple(map(str, layers(child))))
        if "lr" in changed:
            assert changed == {"lr"}
    assert ("8", "8", "pool", "64") in seen  # the first doubled
    assert ("8", "pool", "64", "64") in seen  # the last
    assert {("pool", "64"), ("8", "64"), ("8", "pool")} <= seen  # any one taken out


def test_skips_follow_the_layers_that_they_add() -> None:
    counts = [Condition("net.count", (*range(i + 1, 5),)) for i in range(4)]
    space = (
        Dimension("net.count", leaf("1..4")),
        *(Dimension(f"net.{i}.w", leaf("1..9"), (counts[i],)) for i in range(4)),
        *(Dimension(f"net.{i}.skip", Choices(values=[None, *range(i)]), (counts[i],)) for i in range(1, 4)),
    )
    net: Configuration = {"net.count": 3, "net.0.w": 1, "net.1.w": 5, "net.2.w": 9, "net.1.skip": None, "net.2.skip": 1}
    children = [mutated(axes_of(space), net, dice(seed)) for seed in range(200)]
    assert all(fits(space, child) for child in children)
    made = {tuple(child.get(f"net.{i}.w") for i in range(4)): child for child in children}
    assert made[1, 1, 5, 9]["net.3.skip"] == 2  # the first doubled
    assert made[5, 9, None, None]["net.1.skip"] == 0  # the first taken out
    assert made[1, 5, 9, 9]["net.2.skip"] == 1  # the last doubled
    assert {child["net.1.skip"] for child in children if child["net.count"] == 2 and child["net.1.w"] == 9} == {0, None}


def test_the_old_leave_however_good() -> None:
    space = known.SPHERE
    asked = Evolution(problem(space), budget=60)
    lucky = Trial(0, dict.fromkeys("abcd", -5.0), Outcome.FINISHED, (-100.0,))
    drawn = run(searcher("random", problem(space)), known.sphere, 40)
    later = [Trial(1 + one.number, one.params, Outcome.FINISHED, one.values) for one in drawn]

    def near(history: list[Trial]) -> int:
        """How many of the descendants are those of the lucky one."""
        found = 0
        for number in range(100, 130):
            marker = Trial(number, {}, Outcome.FAILED)
            config = asked.suggest([*history, marker])
            assert config is not None
            found += sum(config[name] == -5.0 for name in "abcd") == 3
        return found

    assert near([lucky, *later[: asked.population - 1]]) > 3
    assert near([lucky, *later[: asked.population]]) == 0


def test_evolution_finds_a_network() -> None:
    """Three layers, conv 32 - pool - conv 64: of some 7,000 configurations beside lr."""

    def loss(config: Configuration) -> tuple[float, ...]:
        wanted = [32, "pool", 64]
        got = layers(config)
        wrong = sum(one != other for one, other in zip(got, wanted, strict=False)) + 2 * abs(len(got) - 3)
        return (wrong + abs(known.number(config, "lr") - 0.3),)

    def typical(method: str) -> float:
        runs = [run(searcher(method, problem(LAYERS, seed), 200), loss, 200, 4) for seed in range(5)]
        return statistics.median(known.best(one) for one in runs)

    assert typical("evolution") < 0.7 < typical("random")


@pytest.mark.parametrize(("method", "trials"), [("nsga2", 200), ("tpe", 60)])
def test_two_objectives_come_closer_to_the_whole_front_than_chance(method: str, trials: int) -> None:
    """With one seed each; `python -m benchmarks.search` has several seeds and more trials."""
    runs = [run(searcher(one, problem(known.ZDT1, goals=2), trials), known.zdt1, trials) for one in (method, "random")]
    assert known.missed(runs[0]) < 0.65 * known.missed(runs[1])


def test_evolution_with_two_objectives_gets_closer_than_chance() -> None:
    def nearest(name: str) -> float:
        trials = run(searcher(name, problem(known.ZDT1, 1, goals=2), 150), known.zdt1, 150)
        return statistics.fmean(sorted(sum(one.values) for one in trials)[:20])

    assert nearest("evolution") < 0.8 * nearest("random")


def test_the_front() -> None:
    trials = [
        trial(0, 1, 5),
        trial(1, 2, 2),
        trial(2, 2, 3),  # 1 is better
        trial(3, 5, 1),
        trial(4, 2, 2),  # as good as 1
        trial(5, 0, 0, outcome=Outcome.FAILED),
        trial(6, float("nan"), 0),
        trial(7, outcome=Outcome.RUNNING),
    ]
    assert front(trials, (Goal.MIN, Goal.MIN)) == [0, 1, 3, 4]
    assert front(trials, (Goal.MAX, Goal.MIN)) == [3]
    assert front(trials, (Goal.MAX, Goal.MAX)) == [0, 2, 3]
    assert front([], (Goal.MIN, Goal.MIN)) == []
    assert front([trial(3, 2), trial(4, 1), trial(5, 1)], (Goal.MIN,)) == [4, 5]


def test_ranks_are_those_of_the_definition() -> None:
    rows = np.random.default_rng(4).integers(0, 6, (60, 3)).astype(float)
    left, rank = set(range(60)), 0
    expected: dict[int, int] = {}

    def beats(a: int, b: int) -> bool:
        return bool(np.all(rows[a] <= rows[b]) and np.any(rows[a] < rows[b]))

    while left:
        best = {one for one in left if not any(beats(other, one) for other in left)}
        expected |= dict.fromkeys(best, rank)
        left, rank = left - best, rank + 1
    assert ranks(rows).tolist() == [expected[index] for index in range(60)]
    some = ranks(rows, enough=20)
    assert all(one == expected[index] or one > 0 for index, one in enumerate(some.tolist()))
    assert [index for index in range(60) if some[index] == 0] == [index for index in range(60) if expected[index] == 0]


def test_crowding_keeps_the_ends() -> None:
    rows = np.array([[0.0, 10.0], [1.0, 8.0], [1.1, 7.9], [10.0, 0.0]])
    found = crowding(rows, ranks(rows))
    assert np.isinf(found[[0, 3]]).all()
    assert found[2] > found[1]


def test_seeds_differ_and_repeat() -> None:
    def numbers(seed: int) -> list[Configuration]:
        return [one.params for one in run(searcher("nsga2", problem(known.ZDT1, seed, goals=2), 60), known.zdt1, 60)]

    assert numbers(1) == numbers(1) != numbers(2)


def test_goals_of_both_kinds() -> None:
    asked = searcher("nsga2", Problem(known.dimensions(x="0..1.0", y="0..1.0"), (Goal.MAX, Goal.MIN), 0), 100)
    trials = run(asked, lambda config: (known.number(config, "x"), known.number(config, "y")), 100)
    late = trials[70:]
    assert statistics.fmean(one.values[0] for one in late) > 0.75
    assert statistics.fmean(one.values[1] for one in late) < 0.25

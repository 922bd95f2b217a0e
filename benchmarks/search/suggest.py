"""Measure how long a suggestion takes with 2,000 past trials, and how long it takes to refill 100 slots."""

import random
import statistics
import time

from benchmarks.search.tables import goal
from paddock.models import Goal
from paddock.models.space import Choices, Range
from paddock.search.axes import axes_of, complete
from paddock.search.base import Condition, Dimension, Outcome, Problem, Trial
from paddock.search.samplers import searcher

PAST, SLOTS = 2000, 100
DIMENSIONS = (
    Dimension("lr", Range(low=1e-5, high=1e-1, log=True)),
    Dimension("decay", Range(low=1e-6, high=1e-2, log=True)),
    Dimension("dropout", Range(low=0, high=0.5)),
    Dimension("batch", Choices(values=[16, 32, 64, 128, 256])),
    Dimension("width", Range(low=16, high=512, type="int")),
    Dimension("epochs", Range(low=1, high=100, type="int")),
    Dimension("activation", Choices(values=["relu", "tanh", "gelu"])),
    Dimension("optimizer", Choices(values=["adam", "sgd", "rmsprop"])),
    Dimension("momentum", Range(low=0.1, high=0.99), (Condition("optimizer", ("sgd",)),)),
    Dimension("beta", Range(low=0.1, high=0.99), (Condition("optimizer", ("adam",)),)),
)


def past(goals: int) -> list[Trial]:
    chance, axes = random.Random(1), axes_of(DIMENSIONS)
    values = [tuple(chance.random() for _ in range(goals)) for _ in range(PAST)]
    return [Trial(n, complete(axes, {}, chance), Outcome.FINISHED, one) for n, one in enumerate(values)]


def main() -> bool:
    fine = True
    for method, goals in (
        ("random", 1),
        ("sobol", 1),
        ("evolution", 1),
        ("cmaes", 1),
        ("tpe", 1),
        ("tpe", 2),
        ("nsga2", 2),
    ):
        history = past(goals)
        problem = Problem(DIMENSIONS, (Goal.MIN,) * goals, 3)
        searcher(method, problem).suggest(history[:50])  # imports are not what is measured
        colds = []
        for _ in range(3):
            asked, began = searcher(method, problem), time.perf_counter()
            asked.suggest(history)
            colds.append(time.perf_counter() - began)
        began = time.perf_counter()
        for _ in range(SLOTS):
            config = asked.suggest(history)
            assert config is not None
            history.append(Trial(len(history), config, Outcome.RUNNING))
        refill = time.perf_counter() - began
        cold = statistics.median(colds)
        text = f"{method}, {goals} objective(s): {cold:.3f} s (under 0.5), {SLOTS} more in {refill:.2f} s (under 5)"
        fine &= goal(text, cold < 0.5 and refill < 5)
    return fine

"""What the methods reach on functions with a known best: at least as good as given, and better than random search."""

import statistics

from tests.search import search_problems as known

from paddock.search.base import Dimension
from paddock.search.samplers import searcher

SEEDS = range(3)
CASES = [
    ("tpe", known.BRANIN, known.branin, 80, 0.6),
    ("tpe", known.SPHERE, known.sphere, 120, 0.8),
    ("tpe", known.ROSENBROCK, known.rosenbrock, 150, 12),
    ("tpe", known.MIXED, known.mixed, 80, 0.5),
    ("tpe", known.CONDITIONAL, known.conditional, 100, 0.45),
    ("cmaes", known.BRANIN, known.branin, 80, 0.6),
    ("cmaes", known.SPHERE, known.sphere, 150, 0.15),
    ("cmaes", known.ROSENBROCK, known.rosenbrock, 300, 5),
    ("cmaes", known.MIXED, known.mixed, 100, 0.8),
    ("evolution", known.SPHERE, known.sphere, 200, 0.8),
    ("evolution", known.MIXED, known.mixed, 100, 0.6),
    ("evolution", known.CONDITIONAL, known.conditional, 150, 0.5),
]


def typical(
    method: str, space: tuple[Dimension, ...], function: known.Function, trials: int, parallel: int = 1
) -> float:
    """Return the median over seeds of the best value."""
    runs = [
        known.run(searcher(method, known.problem(space, seed), trials), function, trials, parallel) for seed in SEEDS
    ]
    return statistics.median(known.best(one) for one in runs)


def main() -> bool:
    good = True
    for method, space, function, trials, reached in CASES:
        found, random = typical(method, space, function, trials), typical("random", space, function, trials)
        good &= found <= reached and found < random
        print(f"{method:10} {function.__name__:12} {found:8.3f}  (at most {reached}; random search: {random:.3f})")
    for method in ("tpe", "cmaes"):
        found, random = (typical(name, known.SPHERE, known.sphere, 120, 8) for name in (method, "random"))
        good &= found < 0.5 * random
        print(f"{method:10} 8 at a time  {found:8.3f}  (less than half of random search: {random:.3f})")
    for method in ("nsga2", "tpe"):
        found, random = (
            statistics.median(
                known.missed(known.run(searcher(name, known.problem(known.ZDT1, seed, 2), 200), known.zdt1, 200))
                for seed in SEEDS
            )
            for name in (method, "random")
        )
        good &= found < 0.65 * random
        print(f"{method:10} zdt1         {found:8.3f}  (less than 65 % of random search: {random:.3f})")
    return good

"""The search methods by name."""

from collections.abc import Container

from paddock.errors import InvalidInput
from paddock.search.axes import PointSampler, dice, unseen
from paddock.search.base import Configuration, Problem, Searcher
from paddock.search.evolution import Evolution, Nsga2
from paddock.search.sobol import Sobol

METHODS = ("random", "sobol", "tpe", "gp", "cmaes", "evolution", "nsga2")


class Random(PointSampler):
    def point(self, number: int, seen: Container[str]) -> Configuration | None:
        return unseen(self._axes, seen, dice(self._seed, "random", number))


def searcher(method: str, problem: Problem, budget: int | None = None) -> Searcher:
    """Return the searcher of this method. `budget`: the expected number of trials, where it is known."""
    if method not in METHODS:
        raise InvalidInput.at("search.method", f"{method!r} is not a method that suggests: one of {', '.join(METHODS)}")
    if method in ("random", "sobol"):
        return Random(problem) if method == "random" else Sobol(problem)
    if method in ("evolution", "nsga2"):
        return Evolution(problem, budget) if method == "evolution" else Nsga2(problem, budget)
    from paddock.search import bayes, cma  # Optuna is loaded only when it is used

    return {"tpe": bayes.Tpe, "gp": bayes.Gp, "cmaes": cma.Cmaes}[method](problem)

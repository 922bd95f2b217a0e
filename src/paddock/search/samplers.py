"""The search methods by name."""

from collections.abc import Container, Sequence

from paddock.errors import InvalidInput
from paddock.search.axes import SeenConfigurations, axes_of, dice, next_number, unseen
from paddock.search.base import Flat, Problem, Searcher, Trial
from paddock.search.evolution import Evolution, Nsga2
from paddock.search.sobol import Sobol

METHODS = ("random", "sobol", "tpe", "gp", "cmaes", "evolution", "nsga2")


class Random:
    def __init__(self, problem: Problem) -> None:
        self._seed, self._axes, self._seen = problem.seed, axes_of(problem.dimensions), SeenConfigurations()

    def suggest(self, history: Sequence[Trial]) -> Flat | None:
        return self.point(next_number(history), self._seen.of(history))

    def point(self, number: int, seen: Container[str]) -> Flat | None:
        """Return the configuration of this number, which is none of those in `seen`."""
        return unseen(self._axes, seen, dice(self._seed, "random", number))


def searcher(method: str, problem: Problem, budget: int | None = None) -> Searcher:
    """Return the searcher of this method. `budget`: the expected number of trials, where it is known."""
    match method:
        case "random":
            return Random(problem)
        case "sobol":
            return Sobol(problem)
        case "evolution":
            return Evolution(problem, budget)
        case "nsga2":
            return Nsga2(problem, budget)
        case "tpe":  # what needs Optuna is loaded when it is used
            from paddock.search.bayes import Tpe

            return Tpe(problem)
        case "gp":
            from paddock.search.bayes import Gp

            return Gp(problem)
        case "cmaes":
            from paddock.search.cma import Cmaes

            return Cmaes(problem)
    raise InvalidInput.at("search.method", f"{method!r} is not a method that suggests: one of {', '.join(METHODS)}")

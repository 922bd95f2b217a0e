"""Which search a job has, and the configurations that are known at its submission. Pure and seeded."""

from collections.abc import Collection, Iterator
from itertools import islice

from paddock.errors import InvalidInput
from paddock.models import Goal, JobSpec, Method, Params, Search
from paddock.models.space import Choices
from paddock.search import dimensions
from paddock.search.base import Configuration, Problem, Searcher
from paddock.search.dimensions import Spaces

MAX_VALUES = 2_000_000  # of all configurations that are known at submission
SMALL = 64  # `auto` makes a grid of countable ranges with up to this many configurations
DEFAULT_TRIALS = {Method.RANDOM: 20, Method.SOBOL: 20, Method.PBT: 8}
DEFAULT_MODELLED = 50
ROUNDS = 5
MIN_AT_ONCE = 4
UNLIMITED_AT_ONCE = 16
_DRAWN = (Method.RANDOM, Method.SOBOL)
_MODELS = (Method.TPE, Method.GP, Method.CMAES, Method.EVOLUTION, Method.NSGA2)


def resolved(space: Spaces, search: Search) -> Search:
    """Return the search with its final method and number of trials. Raises InvalidInput with the field at fault.

    `auto`: a grid where only values are listed or there are few configurations, else TPE.
    """
    dimensions.dimensions_of(space)  # refuses conditions that make no sense
    method = search.method if search.method is not Method.AUTO else _fitting(space, search)
    if method is Method.GRID and search.trials is not None:
        raise _refused("trials", "a grid runs all combinations; trials are for methods that draw, such as random")
    if method is not Method.PBT and search.interval is not None:
        raise _refused("interval", f"only pbt has an interval, not {method}")
    if method is Method.PBT and search.repeat > 1:
        raise _refused("repeat", "the tasks of pbt learn from each other: none can be repeated")
    endless = search.time_budget is not None and method is not Method.PBT
    trials = search.trials
    if trials is None and method is not Method.GRID and not endless:
        trials = DEFAULT_TRIALS.get(method, DEFAULT_MODELLED)
    return search.model_copy(update={"method": method, "trials": trials})


def _fitting(space: Spaces, search: Search) -> Method:
    if search.trials is not None or not dimensions.countable(space):
        return Method.TPE
    if all(isinstance(leaf, Choices) for leaf in dimensions.leaves(space).values()):
        return Method.GRID
    count = dimensions.size(space)
    return Method.GRID if count is not None and count <= SMALL else Method.TPE


def adaptive(search: Search) -> bool:
    """Return True if configurations are chosen while tasks run. The search must be `resolved`."""
    return search.method in _MODELS or (search.method in _DRAWN and search.trials is None)


def trials_at_once(spec: JobSpec) -> int:
    """Return how many configurations of an adaptive search are tried at the same time, however wide the backend is.

    Without a number from a person: a fifth of them, as nothing is learnt from those that run at the same time.
    """
    if spec.parallel is not None:
        return max(spec.parallel // spec.search.repeat, 1)
    return max(spec.search.trials // ROUNDS, MIN_AT_ONCE) if spec.search.trials else UNLIMITED_AT_ONCE


def searcher(space: Spaces, search: Search, goals: Collection[Goal]) -> Searcher:
    """Return what chooses the configurations. Raises InvalidInput when the method cannot search this space."""
    from paddock.search.samplers import searcher as made

    return made(search.method, Problem(dimensions.dimensions_of(space), tuple(goals), search.seed), search.trials)


def expand(space: Spaces, search: Search, limit: int) -> list[Params]:
    """Return all configurations in order; none where the search is adaptive.

    The search must be `resolved`. Raises InvalidInput with the field at fault, also when there are more than `limit`.
    """
    if search.trials is not None and search.trials * search.repeat > limit:
        message = f"more than the {limit:,} of the setting max_tasks"
        raise InvalidInput(f"{search.trials * search.repeat:,} tasks are {message}.", fields={"search.trials": message})
    if adaptive(search):
        return []
    if search.method is Method.GRID:
        return _grid(space, search, limit)
    _refuse_vast(space, search.trials or 1)
    return [dimensions.nest(one, space) for one in islice(_drawn(space, search), search.trials)]


def _grid(space: Spaces, search: Search, limit: int) -> list[Params]:
    most = limit // search.repeat
    walk = dimensions.grid(space)
    count = dimensions.size(space)
    if count is not None and count <= most:
        _refuse_vast(space, count)
    widest = sum(map(dimensions.width, space.values()))
    enough = min(most + 1, MAX_VALUES // max(widest, 1) + 1)
    found = list(islice(walk, enough)) if count is None or count <= most else []
    if len(found) == enough <= most:
        _refuse_vast(space, len(found))
    if (count or 0) > most or len(found) > most:
        raise _too_many(space, count, most)
    return [dimensions.nest(one, space) for one in found]


def _refuse_vast(space: Spaces, count: int) -> None:
    """Refuse many configurations with many parameters each: they would fill memory and database."""
    widest = sum(map(dimensions.width, space.values()))
    if count * widest > MAX_VALUES:
        message = f"{count:,} configurations of up to {widest:,} values each are more than {MAX_VALUES:,} values"
        raise InvalidInput(f"{message}: give fewer trials, values or parameters.", fields={"params": message})


def _too_many(space: Spaces, count: int | None, limit: int) -> InvalidInput:
    shown = f"{count:,}" if count is not None and count < 10**18 else "countless"
    leaves = dimensions.leaves(space)
    plain = leaves.keys() == space.keys() and not any(leaf.when for leaf in leaves.values())
    sizes = " x ".join(str(leaf.count()) for leaf in leaves.values() if leaf.count() != 1)
    return InvalidInput(
        f"This grid has {shown} configurations{f' ({sizes})' if plain else ''}, more than the {limit:,} of the setting "
        "max_tasks: give fewer values, or try some of them with --search tpe --trials N.",
        fields={"params": f"{shown} configurations"},
    )


def _drawn(space: Spaces, search: Search) -> Iterator[Configuration]:
    """Yield different configurations, the same as the searcher of this method suggests one by one."""
    from paddock.search.axes import key
    from paddock.search.samplers import Random
    from paddock.search.sobol import Sobol

    problem = Problem(dimensions.dimensions_of(space), (), search.seed)
    source = Sobol(problem) if search.method is Method.SOBOL else Random(problem)
    seen: set[str] = set()
    while (found := source.point(len(seen), seen)) is not None:
        seen.add(key(found))
        yield found


def _refused(field: str, message: str) -> InvalidInput:
    return InvalidInput.at(f"search.{field}", message)

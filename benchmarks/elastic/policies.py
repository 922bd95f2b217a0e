"""The policies that are compared. All of them place trainings in one piece, and decide once a minute.

- first come: jobs keep the size that they asked for until they end; what comes later may start before those that do
  not fit, if it will be done before the first of these can start (backfill), as far as times left are told.
- in order: the same without overtaking; not compared, but run by the real engine as well (`engine.py`).
- shortest: whoever has the least left, times GPUs, runs at the size asked for; others are stopped.
- least served (like Tiresias): two queues; who has used less than an hour of GPUs goes first, then the others, in each
  the oldest first; others are stopped.
- goodput (like Pollux): sizes for which the mean with exponent -1 of `speed-up over an equal share x restart factor` is
  largest. The original searches by a genetic algorithm over GPUs per node; as the mean is a sum of terms of one job
  each, `GoodputPolicy` finds the best sizes exactly, of 1, 2, 4 GPUs and any number of whole nodes. It has the same
  profiles, noise and batches as ours. Time left it does not use: the original does not know it.
- goodput alone: the same, where each job learns its own profile, as in the original; ours keeps profiles per kind.
- ours: `rules/sizes.py`, as it is.
- ideal: ours in a world where restarts take no time and jobs know exactly how much they have left.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.elastic.simulator import CLUSTER, Policy, Running
from benchmarks.elastic.tables import NODE, NODES, SIZES
from paddock.rules.profiles import speed_ups
from paddock.rules.sizes import ElasticTraining, Place, Placing, decide

GPUS = NODE * NODES
SERVED = 3600.0  # GPU seconds of the first queue


def _left(one: Running) -> float:
    """Return the seconds that it has left at the size asked for, as far as it is told."""
    if not one.rates:
        return 60.0
    gpus = max((size for size in one.rates if size <= one.plan.gpus), default=1)
    return (one.plan.work - one.done) * one.plan.told / one.rates[gpus][0]


def first_come(jobs: Sequence[Running], now: float) -> dict[str, Place]:
    placing = Placing(CLUSTER)
    for one in jobs:
        if one.place:
            placing.take(one.plan.id, one.place)
    ends = sorted((now + _left(one), one.size) for one in jobs if one.place)
    until: float | None = None
    spare = 0
    for one in sorted((one for one in jobs if not one.place), key=lambda one: one.plan.arrives):
        free = sum(placing.free.values())
        fits = until is None or now + _left(one) <= until or one.plan.gpus <= spare
        if fits and placing.fit(one.plan.id, one.plan.gpus):
            if until is not None and now + _left(one) > until:
                spare -= one.plan.gpus
        elif until is None:
            until, spare = _room(one.plan.gpus, free, ends)
    return dict(placing.places)


def in_order(jobs: Sequence[Running], _now: float) -> dict[str, Place]:
    placing = Placing(CLUSTER)
    for one in sorted(jobs, key=lambda one: (not one.place, one.plan.arrives)):
        if not (placing.take(one.plan.id, one.place) if one.place else placing.fit(one.plan.id, one.plan.gpus)):
            break
    return dict(placing.places)


def _room(gpus: int, free: int, ends: Sequence[tuple[float, int]]) -> tuple[float, int]:
    """Return when this many GPUs will be free, and how many others will be then."""
    for at, given in ends:
        free += given
        if free >= gpus:
            return at, free - gpus
    return math.inf, 0


def _in_order(jobs: Sequence[Running], rank: Callable[[Running], tuple[float, float]]) -> dict[str, Place]:
    """Return the places when those of the best rank run at the size they asked for, and keep it where they have it."""
    free, chosen = GPUS, {one.plan.id: 0 for one in jobs}
    for one in sorted(jobs, key=rank):
        if one.plan.gpus <= free:
            free -= one.plan.gpus
            chosen[one.plan.id] = one.plan.gpus
    return _placed(jobs, chosen)


def _placed(jobs: Sequence[Running], chosen: Mapping[str, int]) -> dict[str, Place]:
    placing = Placing(CLUSTER)
    for one in jobs:
        if one.place:
            placing.take(one.plan.id, one.place)
    allowed = {one.plan.id: [size for size in SIZES if size <= chosen[one.plan.id]] for one in jobs}
    if not all(one.plan.elastic for one in jobs):
        allowed |= {one.plan.id: [one.plan.gpus] for one in jobs if not one.plan.elastic}
    return placing.place(chosen, allowed, set(), len(jobs))


def shortest(jobs: Sequence[Running], _now: float) -> dict[str, Place]:
    return _in_order(jobs, lambda one: (_left(one) * one.plan.gpus, one.plan.arrives))


def least_served(jobs: Sequence[Running], _now: float) -> dict[str, Place]:
    return _in_order(jobs, lambda one: (float(one.service >= SERVED), one.plan.arrives))


class GoodputPolicy:
    """Maximises the mean, with exponent `power`, of the speed-ups over an equal share."""

    def __init__(self, power: float = -1.0, uses_left: bool = False) -> None:
        self._power = power
        self._uses_left = uses_left
        self._from = np.arange(GPUS + 1)[:, None] - np.array([0, *SIZES])[None, :]
        self._outside = self._from < 0
        self._from = np.maximum(self._from, 0)

    def __call__(self, jobs: Sequence[Running], now: float) -> dict[str, Place]:
        share = max(size for size in SIZES if size <= max(-(-GPUS // len(jobs)), 1))
        best = np.zeros(GPUS + 1)
        took = []
        for one in jobs:
            worth = best[self._from] + self._values(one, share, now)[None, :]
            worth[self._outside] = -np.inf
            column = worth.argmax(axis=1)
            took.append(column)
            best = worth[np.arange(GPUS + 1), column]
        chosen, free = {}, GPUS
        for one, column in zip(reversed(jobs), reversed(took), strict=True):
            size = (0, *SIZES)[column[free]]
            chosen[one.plan.id] = size
            free -= size
        return _placed(jobs, chosen)

    def _values(self, one: Running, share: int, now: float) -> np.ndarray:
        rates = {size: rate for size, (rate, _) in one.rates.items()} or {1: 1.0}
        fair = rates[max(size for size in rates if size <= share)]
        age, delay = now - one.plan.arrives, one.plan.kind.restart
        factor = max(age - one.restarts * delay, 0.0) / (age + delay) if one.begun else 1.0
        speed = np.array([0.0, *(rates.get(size, 0.0) / fair for size in SIZES)])
        held = one.size
        speed *= np.where(np.array([0, *SIZES]) == held, 1.0, factor)
        values: np.ndarray = -((speed / NODE + 1e-3) ** self._power)
        if self._uses_left:
            values *= max(one.left or 60.0, 30.0) ** -0.25
        return values


def ours(jobs: Sequence[Running], now: float) -> dict[str, Place]:
    return decide([training(one, now) for one in jobs], CLUSTER, now)


def on_one_node(jobs: Sequence[Running], now: float) -> dict[str, Place]:
    """Decide as ours does, with the limits of the engine.

    What runs is not stopped, batches are those asked for, and half an epoch is lost in a change.
    """
    trainings = []
    for one in jobs:
        known = training(one, now)
        speed = {size: speed for size, speed in known.speed.items() if size <= NODE}
        cost = known.cost
        if one.rates and one.size:
            cost += one.epoch / one.rates[one.size][0] / 2
        trainings.append(replace(known, speed=speed, stays=True, fixed=not one.may_change, cost=cost))
    return decide(trainings, CLUSTER, now)


def training(one: Running, now: float) -> ElasticTraining:
    return ElasticTraining(
        id=one.plan.id,
        speed=speed_ups(one.rates) or {1: 1.0},
        arrived=one.plan.arrives,
        place=one.place,
        left=one.left,
        waits_since=one.waits_since,
        begun=one.begun,
        cost=one.plan.kind.restart,
        kept=max(now - one.since, 0.0) if one.place else 0.0,
    )


ON_ONE_NODE = Policy(on_one_node, prompt=True, fixed_batch=True, whole_epochs=True)
IN_ORDER = Policy(in_order, prompt=True)
POLICIES = {
    "first come": Policy(first_come),
    "shortest": Policy(shortest),
    "least served": Policy(least_served),
    "goodput": Policy(GoodputPolicy(), adapts=True),
    "goodput alone": Policy(GoodputPolicy(), adapts=True, kept=False),
    "ours each minute": Policy(ours, adapts=True),
    "ours": Policy(ours, adapts=True, prompt=True),
    "ideal": Policy(ours, adapts=True, prompt=True, ideal=True),
}

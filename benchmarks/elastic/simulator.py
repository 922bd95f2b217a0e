"""A cluster with a made clock: a policy decides on places, and trainings go on where they are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from benchmarks.elastic.tables import NODE, NODES, SIZES, nodes_of
from benchmarks.elastic.workload import JobPlan
from paddock.rules.profiles import Batch, Profile, Timing, fit, goodput, remember
from paddock.rules.sizes import Place

ROUND = 60.0
CLUSTER = {f"n{number:02}": NODE for number in range(NODES)}
GRID = {size: nodes_of(size) for size in SIZES}
NEARLY_DONE = 0.95
AT_ONCE = 0.1  # seconds of a restart that takes no time
MEASURED = 0.05  # spread of what is measured: step times and gradient noise


@dataclass
class Running:
    """A job in the simulation: how far it is, where it is, and what is known of it."""

    plan: JobPlan
    done: float = 0.0
    place: Place = ()
    ready: float = 0.0  # until then it starts
    batch: float = 0.0
    restarts: int = 0
    begun: bool = False
    began_with: float = 0.0  # what was done when it started or changed its place last
    since: float = 0.0  # when that was
    waits_since: float = 0.0
    service: float = 0.0  # GPU seconds so far
    ends: float | None = None
    rates: dict[int, tuple[float, float]] = field(default_factory=dict)  # goodput and batch per size, as believed
    known: tuple[int, int] = (-1, -1)  # what `rates` were made from

    @property
    def size(self) -> int:
        return sum(gpus for _, gpus in self.place)

    @property
    def epoch(self) -> float:
        """Return the samples of the first batch size that it trains until it saves again."""
        return self.plan.work / len(self.plan.kind.noise)

    @property
    def may_change(self) -> bool:
        """Return True if a training that runs has saved since it started, and is not nearly done."""
        saved = self.done - self.began_with >= self.epoch
        return not self.place or (self.plan.elastic and saved and self.done < NEARLY_DONE * self.plan.work)

    @property
    def left(self) -> float | None:
        """Return the seconds on one GPU, as far as the program tells; None if its speed is not known."""
        return (self.plan.work - self.done) * self.plan.told / self.rates[1][0] if self.rates else None


class Profiles:
    """What was measured of each kind, in this workload so far; not `kept`: of each job alone."""

    def __init__(self, random: np.random.Generator, kept: bool, fixed_batch: bool) -> None:
        self._random = random
        self._kept = kept
        self._fixed_batch = fixed_batch
        self._timings: dict[str, tuple[Timing, ...]] = {}
        self._fitted: dict[str, Profile | None] = {}
        self._version: dict[str, int] = {}
        self._fresh: dict[str, int] = {}

    def _of(self, one: Running) -> str:
        return one.plan.kind.name if self._kept else one.plan.id

    def saw(self, one: Running) -> None:
        kind, gpus, whose = one.plan.kind, one.size, self._of(one)
        local = max(one.batch / gpus, 1.0)
        passes = np.ceil(local / kind.on_gpu - 1e-9)
        local /= passes
        step = kind.step(gpus, local, 1.0) * self._random.lognormal(0.0, MEASURED)
        before = self._timings.get(whose, ())
        after = remember(before, Timing(gpus, nodes_of(gpus), local, step))
        self._timings[whose] = after
        self._fresh[whose] = self._fresh.get(whose, 0) + 1
        if len(after) > len(before) or self._fresh[whose] >= 60:
            self._fitted[whose] = fit(after)
            self._version[whose] = self._version.get(whose, 0) + 1
            self._fresh[whose] = 0

    def believe(self, one: Running) -> None:
        """Bring what is believed of its speed up to date."""
        kind, whose = one.plan.kind, self._of(one)
        profile = self._fitted.get(whose)
        if profile is None:
            return
        noise = kind.noise_at(one.done / one.plan.work)
        key = (self._version[whose], round(np.log(noise) * 20))
        if key == one.known:
            return
        one.known = key
        batch = Batch(kind.first, kind.most, kind.on_gpu, noise * self._random.lognormal(0.0, MEASURED))
        if not one.plan.elastic or self._fixed_batch:
            batch = Batch(one.plan.batch, one.plan.batch, kind.on_gpu, noise)
        one.rates = goodput(profile, GRID if one.plan.elastic else {1: 1}, batch)


@dataclass(frozen=True)
class Policy:
    """`adapts`: the batch follows the size and the noise. `kept`: what is measured of a job counts for its kind.
    `fixed_batch`: sizes are chosen for the batch that was asked for. `whole_epochs`: a change loses what was not saved.

    Every policy decides once a minute; one that is `prompt` also when a job arrives or ends. With `ideal`, which no
    cluster has, restarts take no time, and jobs tell exactly how much they have left.
    """

    places: Callable[[Sequence[Running], float], dict[str, Place]]
    adapts: bool = False
    kept: bool = True
    prompt: bool = False
    fixed_batch: bool = False
    whole_epochs: bool = False
    ideal: bool = False


def run(plans: Sequence[JobPlan], policy: Policy, seed: int) -> list[Running]:
    """Return the jobs after their end."""
    if policy.ideal:
        plans = [replace(one, told=1.0, kind=replace(one.kind, restart=AT_ONCE)) for one in plans]
    profiles = Profiles(np.random.default_rng([seed, 7]), policy.kept, policy.fixed_batch)
    waiting = [Running(plan, batch=plan.batch, waits_since=plan.arrives) for plan in plans]
    there: list[Running] = []
    ended: list[Running] = []
    now = 0.0
    while waiting or there:
        if not there:
            arrives = waiting[0].plan.arrives
            now = max(now, arrives if policy.prompt else np.ceil(arrives / ROUND) * ROUND)
        while waiting and waiting[0].plan.arrives <= now:
            there.append(waiting.pop(0))
        for one in there:
            profiles.believe(one)
        places = policy.places(there, now)
        _check(places)
        for one in there:
            _move(one, places.get(one.plan.id, ()), now, policy)
        until = (now // ROUND + 1) * ROUND
        if policy.prompt:
            arrivals = [waiting[0].plan.arrives] if waiting else []
            until = min([until, *arrivals, *(_end(one, now) for one in there if one.place)])
        for one in there:
            if one.place:
                _train(one, now, until, profiles)
        ended += [one for one in there if one.ends is not None]
        there = [one for one in there if one.ends is None]
        now = until
    return ended


def _check(places: dict[str, Place]) -> None:
    used = dict.fromkeys(CLUSTER, 0)
    for place in places.values():
        for name, gpus in place:
            used[name] += gpus
    assert all(used[name] <= CLUSTER[name] for name in CLUSTER), "more GPUs were given than there are"


def _move(one: Running, place: Place, now: float, policy: Policy) -> None:
    if sorted(place) != sorted(one.place):
        if policy.whole_epochs:
            one.done = one.done // one.epoch * one.epoch
        if one.place and not place:
            one.waits_since = now
        one.place = place
        if place:
            one.ready = now + one.plan.kind.restart
            one.restarts += one.begun
            one.since, one.began_with = now, one.done
            one.begun = True
    if policy.adapts and one.size in one.rates:
        one.batch = one.rates[one.size][1]


def _rate(one: Running) -> float:
    return one.plan.kind.goodput(one.size, one.batch, one.plan.kind.noise_at(one.done / one.plan.work))


def _end(one: Running, now: float) -> float:
    """Return when it ends if nothing changes."""
    return max(one.ready, now) + (one.plan.work - one.done) / _rate(one)


def _train(one: Running, now: float, until: float, profiles: Profiles) -> None:
    one.service += one.size * (until - now)
    begins = max(one.ready, now)
    if begins >= until:
        return
    ends, rate = _end(one, now), _rate(one)
    if ends <= until:
        one.ends = ends
    one.done = min(one.done + rate * (until - begins), one.plan.work)
    if until % ROUND == 0 or one.ends is not None:
        profiles.saw(one)

"""How fast a program trains on other numbers of GPUs: fitted to the step times seen, per kind of GPU. Pure.

A step takes `(compute^g + network^g)^(1/g)` seconds: computing and sending gradients overlap more, the larger `g` is.
Computing takes `fixed + each * local`, with `local` samples per GPU. The network takes `base + more * (gpus - 2)`,
with other constants when the GPUs are on several nodes.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

OVERLAPS = (1.0, 1.5, 2.0, 4.0, 8.0)
ROUNDS = 60  # of coordinate descent
FAR = 1.1  # the network between nodes, compared to that of a node, as long as it was never seen
MOST_TIMINGS = 64  # kept per program and kind of GPU
MOST_COUNT = 20  # later measurements of the same count as much as this many earlier ones
BATCHES = 16  # sizes that are looked at between the first and the largest


@dataclass(frozen=True)
class Timing:
    """The mean seconds of a step with this many samples per GPU. `count`: of how many measurements."""

    gpus: int
    nodes: int
    local: float
    step: float
    count: int = 1

    @property
    def usable(self) -> bool:
        """Return True if it can be fitted: timings come from scripts."""
        return self.gpus >= 1 and self.nodes >= 1 and 0 < self.local < math.inf and 0 < self.step < math.inf


@dataclass(frozen=True)
class Profile:
    """What was fitted. `seen` is the largest number of GPUs that was measured."""

    fixed: float
    each: float
    overlap: float = 1.0
    near: tuple[float, float] = (0.0, 0.0)  # base and more, on one node
    far: tuple[float, float] = (0.0, 0.0)  # on several
    seen: int = 1

    def step(
        self, gpus: np.ndarray | int, nodes: np.ndarray | int, local: np.ndarray, passes: np.ndarray | float = 1.0
    ) -> np.ndarray:
        """Return the seconds of a step that adds up `passes` times `local` samples per GPU, then sends once."""
        compute = self.fixed + self.each * local
        base, more = (np.where(np.asarray(nodes) > 1, far, near) for far, near in zip(self.far, self.near, strict=True))
        network = np.where(np.asarray(gpus) > 1, base + more * np.maximum(np.asarray(gpus) - 2, 0), 0.0)
        last = (compute**self.overlap + network**self.overlap) ** (1 / self.overlap)
        found: np.ndarray = (passes - 1) * compute + last
        return found


@dataclass(frozen=True)
class Batch:
    """The batch sizes, over all GPUs, that a training may have.

    `noise` is its gradient noise scale. Without it the batch stays the same, however many GPUs there are.
    """

    first: float
    most: float
    on_gpu: float  # at most, in memory; beyond it gradients are added up over several passes
    noise: float | None = None

    def candidates(self) -> np.ndarray:
        if self.noise is None or self.most <= self.first:
            return np.array([self.first])
        return np.geomspace(self.first, self.most, BATCHES)

    def efficiency(self, batch: np.ndarray) -> np.ndarray | float:
        """Return how much a sample is worth in such batches, compared to the first batch size."""
        return 1.0 if self.noise is None else (self.noise + self.first) / (self.noise + batch)


def remember(known: Sequence[Timing], seen: Timing) -> tuple[Timing, ...]:
    """Return the timings with a new one: the mean per number of GPUs, nodes and samples, the newest last."""
    if not seen.usable:
        return tuple(known)
    same = (seen.gpus, seen.nodes, round(seen.local))
    others = [one for one in known if (one.gpus, one.nodes, round(one.local)) != same]
    for one in known:
        if (one.gpus, one.nodes, round(one.local)) == same:
            whole = one.count + seen.count
            step = (one.step * one.count + seen.step * seen.count) / whole
            seen = replace(seen, step=step, count=min(whole, MOST_COUNT))
    return (*others, seen)[-MOST_TIMINGS:]


def fit(timings: Sequence[Timing]) -> Profile | None:
    """Return the profile that explains the timings best, None if there are none."""
    timings = [one for one in timings if one.usable]
    if not timings:
        return None
    fewest = min(one.gpus for one in timings)
    fixed, each = _compute([one for one in timings if one.gpus == fewest])
    largest = max(one.gpus for one in timings)
    alone = Profile(fixed, each, seen=largest)
    several = [one for one in timings if one.gpus > max(fewest, 1)]
    if not several:
        return alone
    fits = [_with_network(replace(alone, overlap=overlap), several) for overlap in OVERLAPS]
    return min(fits, key=lambda one: _error(one, several))


def _compute(timings: Sequence[Timing]) -> tuple[float, float]:
    local, step = np.array([one.local for one in timings]), np.array([one.step for one in timings])
    if np.ptp(local) < 1e-9:  # one size only: half of it is taken to be constant
        half = float(step.mean()) / 2
        return half, half / float(local.mean())
    return _non_negative(local, step)


def _with_network(profile: Profile, timings: Sequence[Timing]) -> Profile:
    """Return the profile with a network that explains what computing does not."""
    found: list[tuple[float, float] | None] = []
    for several_nodes in (False, True):
        some = [one for one in timings if (one.nodes > 1) is several_nodes]
        if not some:
            found.append(None)
            continue
        step, g = np.array([one.step for one in some]), profile.overlap
        compute = profile.fixed + profile.each * np.array([one.local for one in some])
        network = np.maximum(step**g - compute**g, (0.01 * step) ** g) ** (1 / g)
        found.append(_non_negative(np.array([one.gpus - 2.0 for one in some]), network))
    near, far = found
    if near is None:
        near = far or (0.0, 0.0)
    return replace(profile, near=near, far=far or (near[0] * FAR, near[1] * FAR))


def _non_negative(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Return a and b, neither below 0, for which `a + b * x` has the least squares of relative errors."""
    one, slope = 1 / y, x / y
    s11, s12, s22 = float(one @ one), float(one @ slope), float(slope @ slope)
    t1, t2 = float(one.sum()), float(slope.sum())
    a = b = 0.0
    for _ in range(ROUNDS):
        a = max((t1 - s12 * b) / s11, 0.0)
        b = max((t2 - s12 * a) / s22, 0.0) if s22 > 0 else 0.0
    return a, b


def _error(profile: Profile, timings: Sequence[Timing]) -> float:
    steps = [float(profile.step(one.gpus, one.nodes, np.array(one.local))) for one in timings]
    return sum(math.log(step / one.step) ** 2 for step, one in zip(steps, timings, strict=True))


def goodput(profile: Profile, sizes: Mapping[int, int], batch: Batch) -> dict[int, tuple[float, float]]:
    """Return for each size what it trains per second, in samples of the first batch size, and the best batch size.

    `sizes` contains the number of nodes of each size. Sizes beyond twice the largest one that was measured are left
    out: nothing is known about them.
    """
    known = [gpus for gpus in sizes if gpus <= 2 * profile.seen]
    gpus = np.array(known)[:, None]
    nodes = np.array([sizes[one] for one in known])[:, None]
    wanted = batch.candidates()[None, :]
    local = np.maximum(wanted / gpus, 1.0)
    passes = np.ceil(local / max(batch.on_gpu, 1.0) - 1e-9)
    rate = local * gpus / profile.step(gpus, nodes, local / passes, passes) * batch.efficiency(wanted)
    best = rate.argmax(axis=1)
    return {one: (float(rate[row, best[row]]), float(wanted[0, best[row]])) for row, one in enumerate(known)}


def speed_ups(rates: Mapping[int, tuple[float, float]]) -> dict[int, float]:
    """Return how much faster each size is than the smallest one is per GPU, as `sizes.decide` expects it."""
    if not rates:
        return {}
    least = min(rates)
    alone = rates[least][0] / least
    return {gpus: rate / alone for gpus, (rate, _) in rates.items()} if alone > 0 else {}


# --- scripts of which only the time of an epoch is known -------------------------------------------------------------

SLOWEST, FASTEST = 0.05, 1.25  # what a GPU of several may do of what one alone does: beyond that, times are wrong
MOST_GPUS = 4096


@dataclass(frozen=True)
class EpochTime:
    """What an epoch of one task took on a number of GPUs, in seconds or in any other unit of this task."""

    gpus: int
    nodes: int
    seconds: float

    @property
    def work(self) -> float:
        """Return the time of all GPUs together: with a perfect network it is always the same."""
        return self.gpus * self.seconds


def compared(known: Sequence[Timing], times: Sequence[EpochTime]) -> list[Timing]:
    """Return what the times of one task tell of its program, whose tasks may take very different times.

    So a timing is the work of an epoch compared to that on one GPU, with one sample per GPU. The scale of the task is
    that at which its times fit what is known, or its fewest GPUs.
    """
    times = [one for one in times if 1 <= one.gpus <= MOST_GPUS and one.nodes >= 1 and 0 < one.seconds < math.inf]
    if not times:
        return []
    profile = fit(known)
    there = {one.gpus for one in known}
    common = [one for one in times if one.gpus in there]
    if profile is not None and common:
        scale = math.exp(sum(math.log(one.work / _work(profile, one.gpus, one.nodes)) for one in common) / len(common))
    else:
        first = min(times, key=lambda one: one.gpus)
        scale = first.work / (_work(profile, first.gpus, first.nodes) if profile is not None else 1.0)
    found = [Timing(one.gpus, one.nodes, 1.0, one.work / scale) for one in times]
    return [one for one in found if one.usable and 1 / FASTEST <= one.step <= 1 / SLOWEST]


def epoch_speeds(timings: Sequence[Timing], sizes: Mapping[int, int], tried: int = 1) -> dict[int, float]:
    """Return how much faster than one GPU each size is, up to twice the largest that was measured or is being tried.

    `sizes` contains the number of nodes of each size. Without timings each GPU counts the same.
    """
    profile = fit(timings)
    most = 2 * max(tried, profile.seen if profile is not None else 1)
    wanted = {gpus: nodes for gpus, nodes in sizes.items() if gpus <= most}
    if profile is None:
        return {gpus: float(gpus) for gpus in wanted}
    alone = _work(profile, 1, 1)
    found = {gpus: gpus * alone / _work(profile, gpus, nodes) for gpus, nodes in wanted.items()}
    return {gpus: min(max(speed, SLOWEST * gpus), FASTEST * gpus) for gpus, speed in found.items()}


def _work(profile: Profile, gpus: int, nodes: int) -> float:
    return float(profile.step(gpus, nodes, np.array(1.0)))

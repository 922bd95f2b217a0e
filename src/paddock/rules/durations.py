"""How long tasks take, and when a job will be done. Pure.

The length of a task follows from those of other tasks with like parameters: ridge regression of the logarithm of their
seconds. A job is drawn several times: lengths for what runs and waits, and a queue of places. The middle of the draws
is the likely time, the tenth and the ninetieth percentile are the band. How far earlier ends were from their bands
(`Scores`) then moves and stretches it.
"""

import heapq
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

DRAWS, FEWEST_DRAWS = 60, 6
STEPS = 10_000  # tasks times draws: some 5 ms
MOST_VALUES = 6  # of a parameter that is no number
PRIOR_SPREAD = 0.2  # of the logarithm of seconds, where little is known
CRUDE_SPREAD = 0.7  # where only the time with the start-up is known
BEYOND = 1.5  # how far outside what was seen (in logarithms) a length is believed
WIDE, WIDE_SECONDS = 3.0, 60.0  # a band is unsure if its late end is this much farther away than its early one
LEAST_WIDTH = 0.02
LEAST_LEFT = 0.5
FARTHEST = 10.0
RIDGES = (0.01, 0.1, 1.0, 10.0, 100.0)
# What scores are like if bands are right: they count until there are many of a program's own.
PRIOR_SCORES = (-1.3, -0.8, -0.4, 0.0, 0.4, 0.8, 1.3)


@dataclass(frozen=True)
class TaskWork:
    """A task, as far as its length depends on it. `share` is how much of it is to be done: less if it is resumed."""

    params: Mapping[str, Any]
    epochs: int | None = None
    share: float = 1.0


@dataclass(frozen=True)
class PastRun:
    """How long a task takes if it trains all of its epochs, and the share that it trained; None: it still runs."""

    work: TaskWork
    seconds: float
    share: float | None = 1.0


@dataclass(frozen=True)
class Underway:
    """A task that runs. `left` is what its own pace says, from `steps` epochs without its start-up."""

    work: TaskWork
    elapsed: float
    left: float | None = None
    progress: float = 0.0
    steps: float = 0.0


class Band(NamedTuple):
    """When something happens: in four of five cases between `early` and `late`."""

    early: float
    likely: float
    late: float
    unsure: bool = False

    def at(self, now: float) -> "Band":
        """Return the band as it is now: what is expected cannot be in the past."""
        if self.early >= now:
            return self
        return Band(now, max(self.likely, now), max(self.late, now), self.unsure or self.likely < now)


@dataclass(frozen=True)
class Outlook:
    """When a job ends, and its tasks end and begin, in the order in which they were given."""

    at: float
    done: Band | None
    running: list[Band | None] = field(default_factory=list)
    begins: list[Band] = field(default_factory=list)
    ends: list[Band] = field(default_factory=list)


# --- how long tasks take ----------------------------------------------------------------------------------------------


class Lengths:
    """What is known of the lengths of tasks of one program."""

    def __init__(self, runs: Sequence[PastRun]) -> None:
        self.runs = [run for run in runs if math.isfinite(run.seconds) and run.seconds > 0]
        self.shares = np.array([run.share for run in self.runs if run.share is not None], dtype=float)
        self._logs = np.log(np.array([max(run.seconds, 1e-3) for run in self.runs], dtype=float))
        self._columns = _columns([run.work for run in self.runs])

    @property
    def count(self) -> int:
        return len(self.runs)

    @cached_property
    def _fit(self) -> "_Ridge":
        return _fit(self._columns.matrix([run.work for run in self.runs]), self._logs)

    @property
    def stops_early(self) -> bool:
        return bool(len(self.shares)) and float(self.shares.min()) < 0.98

    def draw(self, works: Sequence[TaskWork], draws: int, rng: np.random.Generator) -> Numbers:
        """Return possible seconds of each task, one row per draw; all in a row share what the model may have wrong."""
        fit = self._fit
        found = fit.draw(self._columns.matrix(works), draws, rng)
        found = np.exp(np.clip(found, self._logs.min() - BEYOND, self._logs.max() + BEYOND))
        return np.asarray(found * np.array([one.share for one in works]))

    def draw_shares(self, above: float, size: tuple[int, ...], rng: np.random.Generator) -> Numbers:
        """Return possible shares of its epochs that a task trains which has trained more than this one."""
        known = self.shares[self.shares > above]
        return rng.choice(known, size) if len(known) and self.stops_early else np.ones(size)

    def at_most(self, works: Sequence[TaskWork]) -> list[float]:
        """Return the seconds that each task will not exceed in four of five cases."""
        whole = self.draw(works, DRAWS, np.random.default_rng(0))
        shares = self.draw_shares(0.0, whole.shape, np.random.default_rng(1))
        found: list[float] = np.quantile(whole * shares, 0.8, axis=0).tolist()
        return found

    def likely(self, works: Sequence[TaskWork]) -> list[float]:
        """Return the seconds that each task will take if it trains all of its epochs, in half of all cases less."""
        found: list[float] = np.median(self.draw(works, DRAWS, np.random.default_rng(0)), axis=0).tolist()
        return found


@dataclass(frozen=True)
class _Columns:
    """How parameters become numbers."""

    numbers: Sequence[tuple[str, bool]]  # name, and whether all are positive
    words: Mapping[str, Sequence[str]]
    centre: Numbers = field(default_factory=lambda: np.zeros(0))
    scale: Numbers = field(default_factory=lambda: np.ones(0))

    def raw(self, works: Sequence[TaskWork]) -> Numbers:
        columns: list[list[float]] = []
        for name, positive in self.numbers:
            plain = [_number(_value(one, name), positive) for one in works]
            known = [one for one in plain if one is not None]
            middle = sum(known) / len(known) if known else 0.0
            columns.append([middle if one is None else one for one in plain])
            columns.append([one * one for one in columns[-1]])
        for name, values in self.words.items():
            found = [_word(_value(one, name)) for one in works]
            columns += [[float(one == value) for one in found] for value in values]
        return np.array(columns, dtype=float).T.reshape(len(works), len(columns))

    def matrix(self, works: Sequence[TaskWork]) -> Numbers:
        return np.asarray((self.raw(works) - self.centre) / self.scale)


def _columns(works: Sequence[TaskWork]) -> _Columns:
    names = [*sorted({name for one in works for name in one.params}), _EPOCHS]
    numbers, words = [], {}
    for name in names:
        values = [_value(one, name) for one in works]
        different = {one if isinstance(one, str | int | float) else _word(one) for one in values}
        if len(different) < 2:
            continue
        plain = [one for one in values if one is not None]
        if all(isinstance(one, int | float) and not isinstance(one, bool) and abs(one) < 1e15 for one in plain):
            numbers.append((name, all(one > 0 for one in plain)))
        else:
            words[name] = [one for one, _ in Counter(map(_word, values)).most_common(MOST_VALUES)]
    made = _Columns(numbers, words)
    raw = made.raw(works)
    if not len(works):
        return made
    scale = raw.std(axis=0)
    return replace(made, centre=raw.mean(axis=0), scale=np.where(scale > 1e-12, scale, np.inf))


_EPOCHS = "\0epochs"  # the number of epochs of the task: no parameter has such a name


def _value(work: TaskWork, name: str) -> Any:
    return work.epochs if name == _EPOCHS else work.params.get(name)


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


def _number(value: Any, positive: bool) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value) or abs(value) >= 1e15:
        return None
    return float(value) if not positive else math.log(value) if value > 0 else None


@dataclass(frozen=True)
class _Ridge:
    mean: float
    beta: Numbers
    turn: Numbers  # from independent numbers to what coefficients may have wrong, in units of `spread`
    spread: float
    residuals: Numbers
    count: int

    def draw(self, x: Numbers, draws: int, rng: np.random.Generator) -> Numbers:
        wrong = (self.turn @ rng.standard_normal((self.turn.shape[1], draws))).T * self.spread
        middle = self.mean + rng.standard_normal((draws, 1)) * self.spread / math.sqrt(self.count)
        noise = (
            rng.choice(self.residuals, (draws, len(x)))
            if self.count >= 30
            else rng.standard_normal((draws, len(x))) * self.spread
        )
        return np.asarray(middle + (self.beta + wrong) @ x.T + noise)


def _fit(x: Numbers, y: Numbers) -> _Ridge:
    """Fit by ridge regression, with the penalty whose errors on tasks that were left out are least."""
    count, mean = len(y), float(y.mean())
    u, s, vt = np.linalg.svd(x, full_matrices=False)
    turned = u.T @ (y - mean)
    tried: list[tuple[float, float, Numbers]] = []
    for ridge in RIDGES:
        shrink = s * s / (s * s + ridge)
        lever = np.clip((u * u) @ shrink + 1 / count, 0.0, 0.99)
        errors = (y - mean - u @ (shrink * turned)) / (1 - lever)
        tried.append((float(errors @ errors), ridge, errors))
    squares, ridge, errors = min(tried, key=lambda one: one[0])
    if count < 2:
        squares, errors = PRIOR_SPREAD**2, np.zeros(count)
    spread = math.sqrt((squares + PRIOR_SPREAD**2) / (count + 1))
    beta = vt.T @ (s / (s * s + ridge) * turned)
    return _Ridge(mean, beta, vt.T / np.sqrt(s * s + ridge), spread, errors - errors.mean(), count)


# --- when a job is done -----------------------------------------------------------------------------------------------


def outlook(
    now: float,
    lengths: Lengths,
    running: Sequence[Underway],
    waiting: Sequence[TaskWork],
    places: Sequence[float] = (),
    more: int = 0,
    unsure: bool = False,
) -> Outlook:
    """Return when a job is done.

    `places` are those where nothing runs, by the seconds until they are free: each task that runs has one besides.
    `more` tasks follow of which nothing is known yet. `unsure`: the places are only supposed.
    """
    rng = np.random.default_rng(0)
    draws = max(FEWEST_DRAWS, min(DRAWS, STEPS // (len(waiting) + more + 1)))
    lefts = [_left(one, lengths, draws, rng) for one in running]
    known = [
        None if left is None else _band(now, left, _crude(one, lengths))
        for one, left in zip(running, lefts, strict=True)
    ]
    count = len(waiting) + more
    usable = [left for left in lefts if left is not None]
    if not lengths.count or not count or not (len(usable) or places):
        whole = np.max(np.array(usable), axis=0) if usable and not count and len(usable) == len(lefts) else None
        crude = any(_crude(one, lengths) for one in running)
        return Outlook(now, None if whole is None else _band(now, whole, crude), known)
    seconds = _draw_waiting(lengths, waiting, more, draws, rng)
    unknown = len(usable) < len(lefts)  # some have run for longer than any other
    if unknown:
        usable += [lengths.draw([TaskWork({})], draws, rng)[:, 0]] * (len(lefts) - len(usable))
    busy = np.array(usable).reshape(len(usable), draws).T
    starts, ends = queue(busy, places, seconds)
    crude = unsure or unknown or lengths.count < 2
    begins, over = _bands(now, starts[:, : len(waiting)], crude), _bands(now, ends[:, : len(waiting)], crude)
    last = np.max(np.concatenate([busy, ends], axis=1), axis=1)
    return Outlook(now, _band(now, last, crude), known, begins, over)


def queue(busy: Numbers, places: Sequence[float], seconds: Numbers) -> tuple[Numbers, Numbers]:
    """Return when each task starts and ends, one row per draw: each takes the place that is free first.

    `busy` has the seconds until those places are free where a task runs.
    """
    starts = np.empty_like(seconds)
    for at in range(len(seconds)):
        free = [*busy[at].tolist(), *places]
        heapq.heapify(free)
        starts[at] = [heapq.heapreplace(free, free[0] + length) for length in seconds[at].tolist()]
    return starts, starts + seconds


def _draw_waiting(
    lengths: Lengths, waiting: Sequence[TaskWork], more: int, draws: int, rng: np.random.Generator
) -> Numbers:
    known = [*waiting, *(run.work for run in lengths.runs)]
    some = known[: len(waiting)] if not more else known
    seconds = lengths.draw(some, draws, rng)
    if lengths.stops_early:
        seconds = seconds * lengths.draw_shares(0.0, seconds.shape, rng)
    if not more:
        return seconds
    others = rng.integers(0, len(known), more)
    return np.concatenate([seconds[:, : len(waiting)], seconds[:, others]], axis=1)


def _left(one: Underway, lengths: Lengths, draws: int, rng: np.random.Generator) -> Numbers | None:
    """Return possible seconds that are left of a task that runs; None if nothing is known of them."""
    if one.left is not None and (one.steps > 0 or not lengths.count):
        spread = 0.03 + 0.25 / one.steps if one.steps > 0 else CRUDE_SPREAD
        left = one.left * np.exp(np.clip(spread, 0.0, CRUDE_SPREAD) * rng.standard_normal(draws))
        shares = lengths.draw_shares(one.progress, (draws,), rng)
        to_come = max(1 - one.progress, 1e-6)
        return np.asarray(left * np.clip((shares - one.progress) / to_come, 0.0, 1.0))
    if not lengths.count:
        return None
    whole = lengths.draw([one.work], 4 * draws, rng)[:, 0]
    whole = whole * lengths.draw_shares(one.progress, whole.shape, rng)
    longer = whole[whole > one.elapsed]
    if len(longer) * 20 < len(whole):  # it has run for longer than nearly all of them: nobody knows
        return None
    return np.asarray(rng.choice(longer, draws) - one.elapsed)


def _crude(one: Underway, lengths: Lengths) -> bool:
    return one.steps <= 0 and lengths.count < 2


def _bands(now: float, draws: Numbers, unsure: bool) -> list[Band]:
    if not draws.shape[1]:
        return []
    low, middle, high = np.quantile(draws, [0.1, 0.5, 0.9], axis=0)
    crude = unsure | _wide(low, high)
    return [
        Band(*one) for one in zip(*((now + one).tolist() for one in (low, middle, high)), crude.tolist(), strict=True)
    ]


def _band(now: float, draws: Numbers, unsure: bool) -> Band:
    low, middle, high = np.quantile(draws, [0.1, 0.5, 0.9]).tolist()
    return _made(now, low, middle, high, unsure)


def _made(now: float, low: float, middle: float, high: float, unsure: bool) -> Band:
    return Band(now + low, now + middle, now + high, unsure or bool(_wide(np.array(low), np.array(high))))


def _wide(low: Numbers, high: Numbers) -> NDArray[np.bool_]:
    return (high > WIDE * np.maximum(low, LEAST_LEFT)) & (high - low > WIDE_SECONDS)


# --- what earlier predictions turned out to be ------------------------------------------------------------------------


@dataclass(frozen=True)
class Prediction:
    """What was expected at some time."""

    at: float
    band: Band

    def score(self, ended: float) -> float:
        """Return how far off it was: 0 at the likely time, -1 and 1 at the ends of the band."""
        left, early, late = _lefts(self.at, self.band)
        off = math.log(max(ended - self.at, LEAST_LEFT) / left)
        width = max(math.log(late / left) if off > 0 else math.log(left / early), LEAST_WIDTH)
        return min(max(off / width, -FARTHEST), FARTHEST)


def adjusted(at: float, band: Band, scores: Sequence[float]) -> Band:
    """Return a band such that four of five of the earlier predictions with these scores would have been inside."""
    if not scores:
        return band
    left, early, late = _lefts(at, band)
    known = sorted([*scores, *PRIOR_SCORES])
    size = len(known)
    marks = [
        float(np.quantile(known, min(max(level, 0.0), 1.0))) for level in (0.1 - 0.4 / size, 0.5, 0.9 + 0.4 / size)
    ]
    up, down = max(math.log(late / left), LEAST_WIDTH), max(math.log(left / early), LEAST_WIDTH)
    low, middle, high = (left * math.exp(mark * (up if mark > 0 else down)) for mark in marks)
    return _made(at, low, middle, high, band.unsure)


def _lefts(at: float, band: Band) -> tuple[float, float, float]:
    """Return the seconds until the likely time, the early and the late end of the band."""
    likely = max(band.likely - at, LEAST_LEFT)
    return likely, min(max(band.early - at, LEAST_LEFT), likely), max(band.late - at, likely)

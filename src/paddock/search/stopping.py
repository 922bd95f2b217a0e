"""Early stopping: decide from the curves of all trials which trials to stop. Pure.

All methods judge at rungs, that is at certain numbers of steps (epochs, mostly). A trial that reaches a rung is
compared with those that reached it before; it goes on or is stopped. So a decision does not depend on when it is asked
for, only on the order in which points came (`Trial.times`): who has passed a rung has passed it, whatever comes later,
and after a crash the same history gives the same decisions. Points that a trial reported after the rung at which it is
stopped count for nobody.

- The value of a trial at a rung is its best until then: that is what trials are ranked by in the end. So it is for the
  median, too: an average over the curve depends more on its first epochs than on its last ones.
- Steps are counted as done: scripts that count epochs from 0 have done one more than they report.
- In a gap of the curve the last point before the rung counts. A trial whose first point comes later passes it unjudged.
- A trial that has diverged (NaN or infinite at the rung) is worse than any number. Among others like it, it goes on.
- A trial without points is never stopped.
"""

import math
from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from paddock.models import Goal, RungReport, Savings, StopEarly
from paddock.search.base import Outcome, Trial

# Chosen on recorded learning curves: benchmarks/search/stopping.py.
FIRST = 1 / 9  # the first rung, as a share of all epochs where their number is known
MIN_STEPS = 4  # and where it is not
BRACKETS = 3  # of Hyperband, at most; the second begins where ASHA does


# Scores of those before, the best first (less is better) -> the worst score that goes on; None: any goes on.
Cutoff = Callable[[Sequence[float]], float | None]


@dataclass(frozen=True)
class Ladder:
    """The steps at which trials are judged: each `factor` times the one before, and at least `plus` further."""

    first: float
    factor: float = 1.0
    plus: float = 1.0
    end: float = math.inf  # at the end there is nothing left to save

    def __iter__(self) -> Iterator[float]:
        step = self.first
        while step < self.end:
            yield step
            step = math.ceil(max(step * self.factor, step + self.plus))


class RungStopper:
    """Decides at rungs which trials are stopped."""

    def __init__(self, goal: Goal, cutoff: Cutoff, ladders: Sequence[Ladder], turns: Sequence[int] = (0,)) -> None:
        self.goal, self.cutoff, self.ladders, self.turns = goal, cutoff, ladders, turns

    def stop(self, trial: Trial, history: Sequence[Trial]) -> bool:
        return trial.number in self.stopped(history)

    def stopped(self, history: Sequence[Trial]) -> dict[int, float]:
        """Return, by trial, the rung that it did not pass."""
        return {number: rung.step for rung, out in self._replay(history) for number in out}

    def rungs(self, history: Sequence[Trial]) -> list[RungReport]:
        """Return all rungs. A trial that finished before it could be stopped counts as gone on."""
        finished = {trial.number for trial in history if trial.outcome is Outcome.FINISHED}
        return [
            rung.model_copy(update={"went_on": rung.went_on + len(finished & set(out))})
            for rung, out in self._replay(history)
        ]

    def bracket(self, number: int) -> int:
        return self.turns[number % len(self.turns)]

    def _replay(self, history: Sequence[Trial]) -> Iterator[tuple[RungReport, list[int]]]:
        """Yield each rung with the trials that it stopped."""
        for bracket, ladder in enumerate(self.ladders):
            scans = {one.number: _Scan(one, self.goal) for one in history if self.bracket(one.number) == bracket}
            for step in ladder:
                marks = [(mark, number) for number, scan in scans.items() if (mark := scan.at(step))]
                if not marks:
                    break
                came = sorted((time, number, score) for (time, score), number in marks if score is not None)
                before: list[float] = []
                out = []
                for _, number, score in came:
                    if not _goes_on(score, before, self.cutoff(before)):
                        out.append(number)
                        del scans[number]
                    insort(before, score)
                if came:
                    cutoff = self.cutoff(before)
                    shown = None if cutoff is None else _value(cutoff, self.goal)
                    went_on = len(came) - len(out)
                    yield (
                        RungReport(step=step, bracket=bracket, reached=len(came), went_on=went_on, cutoff=shown),
                        out,
                    )


def stopper(given: StopEarly, goal: Goal) -> RungStopper:
    """Return the stopper for these options; `max_steps` is the number of epochs where it is known."""
    end = given.max_steps or math.inf
    first = given.min_steps or default_min_steps(given)
    if given.method == "median":
        ladder = Ladder(first, 1.0, given.interval, end) if given.interval else Ladder(first, 1.2, 1.0, end)
        return RungStopper(goal, _half(given.min_trials), [ladder])
    if given.method == "asha":
        return RungStopper(goal, _top(given.eta), [Ladder(first, given.eta, 1.0, end)])
    if given.method == "hyperband":
        ladders = [Ladder(math.ceil(first * given.eta**k), given.eta, 1.0, end) for k in range(BRACKETS)]
        ladders = [ladder for ladder in ladders if ladder.first < end] or ladders[:1]
        return RungStopper(goal, _top(given.eta), ladders, _turns(len(ladders), given.eta))
    return RungStopper(goal, lambda before: None, [])


def default_min_steps(given: StopEarly) -> int:
    """Return the first rung: a share of the epochs where their number is known."""
    if not given.max_steps:
        return MIN_STEPS
    share = FIRST / given.eta if given.method == "hyperband" else FIRST
    return max(1, round(given.max_steps * share))


def saved(history: Sequence[Trial], total_steps: float | None = None) -> Savings:
    """Return what the pruned trials did not do. Without a total, the longest finished trial is the measure."""
    total = total_steps or max((steps_done(t) for t in history if t.outcome is Outcome.FINISHED), default=0.0)
    steps = seconds = 0.0
    for trial in history:
        left = total - steps_done(trial)
        if trial.outcome is Outcome.PRUNED and trial.curve and left > 0:
            steps += left
            seconds += left * _pace(trial)
    used = sum(steps_done(trial) for trial in history)
    return Savings(steps=steps, share=steps / (steps + used) if steps else 0.0, seconds=seconds)


def walk(trial: Trial) -> Iterator[tuple[float, float, float]]:
    """Yield the steps done, value and time of each point. A resumed trial may repeat steps."""
    base = min(max(0.0, trial.curve[0][0]), 1.0) if trial.curve else 0.0
    for index, (step, value) in enumerate(trial.curve):
        if math.isfinite(step):
            yield step + 1 - base, value, trial.times[index] if index < len(trial.times) else 0.0


def steps_done(trial: Trial) -> float:
    return max((done for done, _, _ in walk(trial)), default=0.0)


def score(value: float, goal: Goal) -> float:
    """Return a score for which less is better; what is not a finite number is worst."""
    if not math.isfinite(value):
        return math.inf
    return value if goal is Goal.MIN else -value


def _value(score: float, goal: Goal) -> float | None:
    if not math.isfinite(score):
        return None
    return score if goal is Goal.MIN else -score


class _Scan:
    """Reads the curve of a trial once, from rung to rung."""

    def __init__(self, trial: Trial, goal: Goal) -> None:
        self.goal = goal
        self.best = math.inf
        self.score: float | None = None  # as of the last point that was passed
        self.points = walk(trial)
        self.next = next(self.points, None)

    def at(self, rung: float) -> tuple[float, float | None] | None:
        """Return when the trial reached the rung, and its score there (None before its first point); None: not yet."""
        while self.next is not None:
            done, value, time = self.next
            if done > rung:
                return time, self.score
            self.best = min(self.best, score(value, self.goal))
            self.score = self.best if math.isfinite(value) else math.inf
            self.next = next(self.points, None)
            if done == rung:
                return time, self.score
        return None


def _goes_on(score: float, before: Sequence[float], cutoff: float | None) -> bool:
    if cutoff is None:
        return True
    return score <= cutoff if math.isfinite(score) else not math.isfinite(before[0])


def _top(eta: float) -> Cutoff:
    """Return the cutoff by which the best 1/eta of the trials at a rung go on, and always the best."""

    def cutoff(before: Sequence[float]) -> float | None:
        places = max(1, int((len(before) + 1) // eta))
        return before[places - 1] if before else None

    return cutoff


def _half(min_trials: int) -> Cutoff:
    """Return the cutoff by which trials go on that are no worse than the median of the others."""

    def cutoff(before: Sequence[float]) -> float | None:
        count = len(before)
        return (before[(count - 1) // 2] + before[count // 2]) / 2 if count >= min_trials else None

    return cutoff


def _turns(count: int, eta: float) -> tuple[int, ...]:
    """Return the bracket of each trial, in turn.

    All brackets take about the same number of steps, as in Hyperband: those that begin to stop early get more trials.
    """
    depth = [count - 1 - k for k in range(count)]  # how many rungs more than the last bracket
    weights = [math.ceil(count / (d + 1) * eta**d) for d in depth]
    given = [0] * count
    order = []
    for position in range(1, sum(weights) + 1):  # always the one that is furthest behind its share
        behind = max(range(count), key=lambda k: (weights[k] * position / sum(weights) - given[k], -k))
        given[behind] += 1
        order.append(behind)
    return tuple(order)


def _pace(trial: Trial) -> float:
    """Return the seconds per step."""
    points = [(done, time) for done, _, time in walk(trial) if time]
    if len(points) < 2 or points[-1][0] <= points[0][0]:
        return 0.0
    return max(0.0, (points[-1][1] - points[0][1]) / (points[-1][0] - points[0][0]))

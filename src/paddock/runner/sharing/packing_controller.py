"""Find out while tasks run how many should share a GPU. Pure: observations in, a number of tasks out.

It begins with a few. Once these train and their memory is known, it adds as many as fit if the GPU is idle for much of
the time (once half of them train, if it is idle for most of the time), else a few, once their speed is known too. It
goes on while more tasks get more done together; otherwise it goes back.
"""

from __future__ import annotations

from collections import deque
from typing import Deque, Dict, Hashable, Iterable, NamedTuple, Optional

GAIN = 1.05  # at least this much more has to get done with more tasks
SAME = 0.97  # if this much gets done with fewer tasks, fewer are better: each ends sooner
IDLE = 0.95  # a GPU that is busy for less of the time can take many more
FREE = 0.6  # and with less than this, before all tasks on it train
OVERLAP = 2.5  # times as many tasks as would fill its time one after the other, as some of their work overlaps
OVERBOOK = 1.6  # tasks per core, as tasks wait for the GPU and for data some of the time
MEMORY, HOST_MEMORY, CORES, GAINS, TASKS, ASKED = "memory", "host_memory", "cores", "gain", "tasks", "asked"
FINAL = (GAINS, CORES)  # limits that hold for the next job too
_KEPT = 20
_APART = 1.3  # numbers of tasks have to differ by this factor to estimate the speed of one alone


class Observation(NamedTuple):
    """What was measured on the fullest GPU."""

    tasks: int  # on the fullest GPU
    steady: bool  # all of them train, and their need is known
    waiting: bool  # other tasks wait to begin
    load: Optional[float]  # of the GPU
    fits: int  # the number of tasks for which there is enough GPU memory
    cores: int  # the number of tasks for which there are enough cores
    training: int = 0  # of `tasks`, those that train and whose need is known
    ready: bool = False  # others have started already, and wait for room on the GPU


class Throughput:
    """How fast tasks were, by how many of them ran at the time."""

    def __init__(self) -> None:
        self._rates: Dict[int, Dict[Hashable, Deque[float]]] = {}
        self._loads: Dict[int, Deque[float]] = {}

    def note(self, task: Hashable, tasks: int, rate: float) -> None:
        """Note the steps per second of one of `tasks` tasks."""
        self._rates.setdefault(tasks, {}).setdefault(task, deque(maxlen=_KEPT)).append(rate)

    def note_load(self, tasks: int, load: float) -> None:
        self._loads.setdefault(tasks, deque(maxlen=_KEPT)).append(load)

    def known(self, tasks: int) -> bool:
        """Return True if it is known how much this many get done; by the load of the GPU if no task reports steps."""
        if self._rates:
            return len(self._rates.get(tasks, ())) >= max(1, tasks // 2)
        return len(self._loads.get(tasks, ())) >= _KEPT

    def gain(self, before: int, after: int) -> Optional[float]:
        """Return how many times more gets done with `after` tasks than with `before`; None if not known yet."""
        if not self.known(before) or not self.known(after):
            return None
        if not self._rates:
            return max(median(self._loads[after]), 0.01) / max(median(self._loads[before]), 0.01)
        old, new = self._rates[before], self._rates[after]
        both = [median(new[task]) / median(old[task]) for task in new if task in old]
        return after / before * (median(both) if both else _typical(new) / _typical(old))

    def speedup(self, tasks: int) -> Optional[float]:
        """Return how many times more gets done with this many tasks than with one at a time.

        How long a step takes alone is measured if a task was alone for a while; else it follows from how much longer it
        takes with more tasks than with fewer.
        """
        seconds = {n: 1 / _typical(rates) for n, rates in self._rates.items() if self.known(n)}
        least, most = min(seconds, default=0), max((n for n in seconds if n <= tasks), default=0)
        if most <= 1 or most == least:
            return 1.0 if most == 1 else None
        alone = seconds[least]
        if least > 1:
            if most < _APART * least:
                return None
            each = max(0.0, (seconds[most] - seconds[least]) / (most - least))
            alone = max(alone - each * (least - 1), alone / least)
        return round(most * alone / seconds[most], 1)


def median(values: Iterable[float]) -> float:
    """Return the median, as `statistics` does, which is slow to load."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def _typical(rates: Dict[Hashable, Deque[float]]) -> float:
    return median(median(one) for one in rates.values())


class PackingController:
    def __init__(self, first: int, most: int, known: Optional[int] = None, final: Optional[str] = None) -> None:
        """`known` is the number of an earlier job, and `final` what limited it."""
        self.target = min(known or first, most)
        self.limit: Optional[str] = None
        self.throughput = Throughput()
        self._first = first
        self._most = most
        self._before: Optional[int] = None  # the number of tasks to compare with
        self._too_many = most + 1
        self._down = False
        self._settled = known is not None and final in FINAL
        if self._settled:
            self.limit = final

    def update(self, seen: Observation) -> None:
        """Decide how many tasks there should be."""
        cap, why = min((seen.fits, MEMORY), (seen.cores, CORES), (self._most, ASKED))
        if self._settled:
            return
        if self._before is not None and not self._compared(seen, cap):
            return
        free = seen.ready or (seen.load is not None and seen.load < FREE)
        sure = seen.steady or (2 * seen.training >= seen.tasks and free)
        if not self._down and sure and seen.waiting and seen.tasks >= min(self.target, cap):
            self._grow(seen, cap, why)

    def _grow(self, seen: Observation, cap: int, why: str) -> None:
        highest = min(cap, self._too_many - 1)
        if seen.tasks >= highest:
            self.limit = why if seen.tasks >= cap else GAINS
            return
        if seen.ready:
            wanted = highest  # it takes them seconds until they train; whether they are too many is seen then
        elif seen.load is not None and seen.load < IDLE:
            training = seen.tasks if seen.steady else seen.training
            wanted = min(highest, max(seen.tasks + 1, int(OVERLAP * training / max(seen.load, 0.01))))
        elif not self.throughput.known(seen.tasks):
            return  # the GPU is busy, and more could not be compared with these
        else:
            wanted = min(highest, seen.tasks + max(1, seen.tasks // 2))
        self._before, self.target, self.limit = seen.tasks, wanted, why if wanted == cap else None

    def _compared(self, seen: Observation, cap: int) -> bool:
        """Return True if the last change has been judged."""
        before, now = self._before, seen.tasks
        there = now <= self.target if self._down else now >= min(self.target, cap)
        if before is None or not there or not seen.steady:
            return False
        gain = self.throughput.gain(before, now) if now != before else GAIN
        if gain is None:
            return False
        self._before = None
        if self._down:
            self._judge_fewer(before, now, gain)
        elif gain < GAIN:
            self._judge_more(before, now)
        return True

    def _judge_more(self, before: int, now: int) -> None:
        """Go back, or half of the way, as more tasks did not help."""
        self._too_many = now
        self.limit = GAINS
        middle = (before + now) // 2
        if middle > before and now - before > 2:
            self._before, self.target = before, middle
        elif before <= self._first and before > 1:
            self._down = True  # perhaps sharing does not help at all
            self._before, self.target = before, before // 2
        else:
            self.target, self._settled = before, True

    def _judge_fewer(self, before: int, now: int, gain: float) -> None:
        if gain < SAME:
            self.target, self._settled = before, True
        elif now > 1:
            self._before, self.target = now, now // 2
        else:
            self._settled = True

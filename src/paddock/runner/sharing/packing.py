"""Decide which GPU has enough free memory for another task. Pure: no clock, no driver.

A GPU is never promised more memory than it has: every task on it counts with what it is expected to need at most, or
with what it holds if that is more; what others hold is not ours to give; and a margin stays free.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, Dict, Hashable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

MARGIN = 0.03  # of a GPU's memory: allocators round up, contexts differ
ROUND_UP = 1.02  # needs are expected to be this much larger than what was measured
ALIKE = 1.05  # needs that differ by less count as equal
SPREAD = 1.2  # where all needs differ by less, parameters are not used
REMEMBERED = 1000  # tasks whose parameters are remembered
EACH = 15 * 10**9  # bytes of a GPU per task of which nothing is known; there are at least 2 of these,
FIRST = 10  # and at most this many


Predictors = Dict[Tuple[str, ...], Dict[Hashable, int]]  # names of parameters -> their values -> the need


class TaskMemory(NamedTuple):
    """The memory of a task on a GPU."""

    need: Optional[int]  # the most bytes that it will hold; None: not known yet
    used: int = 0  # bytes that it holds now
    alone: bool = False  # it has run out of memory beside others: no other task joins it


class GpuMemory(NamedTuple):
    """The memory of a GPU, and the tasks on it."""

    total: int
    used: int  # by all processes
    tasks: Tuple[TaskMemory, ...] = ()

    @property
    def free(self) -> int:
        """Bytes that no task needs."""
        others = max(0, self.used - sum(task.used for task in self.tasks))
        promised = sum(max(task.need or 0, task.used) for task in self.tasks)
        return self.total - others - promised - self.margin

    @property
    def margin(self) -> int:
        return int(self.total * MARGIN)

    @property
    def unknown(self) -> int:
        return sum(task.need is None for task in self.tasks)


def choose(gpus: Sequence[GpuMemory], need: Optional[int], alone: bool, most: int, few: int = FIRST) -> Optional[int]:
    """Return the number of the GPU for the next task: the one with the fewest tasks, then with the most free memory.

    None: the task fits on none of them now. `most` tasks may share a GPU, `few` of which nothing is known.
    """
    able = [place for place, gpu in enumerate(gpus) if _admits(gpu, need, alone, most, few)]
    return min(able, key=lambda place: (len(gpus[place].tasks), -gpus[place].free, place), default=None)


def first(total: int, cores: int) -> int:
    """Return how many tasks of which nothing is known may share a GPU."""
    return max(2, min(FIRST, total // EACH, cores * 5 // 8))


def _admits(gpu: GpuMemory, need: Optional[int], alone: bool, most: int, few: int) -> bool:
    if len(gpu.tasks) >= most or any(task.alone for task in gpu.tasks):
        return False
    if not gpu.tasks:
        return True  # whatever it needs: if it does not fit here, it fits nowhere
    if alone:
        return False
    if need is None:
        return gpu.unknown == len(gpu.tasks) < few and gpu.free > gpu.total // 2
    return gpu.unknown == 0 and need <= gpu.free


class MemoryHistory:
    """What tasks of this job have needed so far, from which follows what the next one will need."""

    def __init__(self, need: Optional[int] = None) -> None:
        """`need` is what an earlier job found."""
        self._most = None if need is None else int(need / ROUND_UP)
        self._seen: Dict[Hashable, Tuple[Mapping[str, Any], int]] = {}
        self._predictive: Optional[Predictors] = None  # None: not computed yet

    def learn(self, peak: int, task: Hashable = None, params: Optional[Mapping[str, Any]] = None) -> None:
        """Note the most that a task held, once it does not grow any more."""
        self._most = max(self._most or 0, peak)
        if params and len(self._seen) < REMEMBERED and (task not in self._seen or peak > self._seen[task][1]):
            self._seen[task] = (params, peak)
            self._predictive = None

    @property
    def need(self) -> Optional[int]:
        """Bytes that are enough for each task so far; None if nothing is known."""
        return None if self._most is None else int(self._most * ROUND_UP)

    @property
    def usual(self) -> Optional[int]:
        """Bytes that a typical task needs, if parameters predict the need; else enough for each."""
        if self._most is None or not self._predictors():
            return self.need
        peaks = [peak for _, peak in self._seen.values()]
        return int(sum(peaks) / len(peaks) * ROUND_UP)

    def need_of(self, params: Mapping[str, Any]) -> Optional[int]:
        """Return what a task with these parameters will need, by those with the same value of a predictor."""
        predictors = self._predictors()
        peaks = [peaks.get(key) for names, peaks in predictors.items() for key in [_key(params, names)]]
        known = [peak for peak in peaks if peak is not None]
        if self._most is None or not known or len(known) < len(peaks):
            return self.need
        return int(max(known) * ROUND_UP)

    def _predictors(self) -> Predictors:
        """Return the parameters or pairs of which equal values always meant equal needs, with these."""
        if self._predictive is None:
            self._predictive = {}
            peaks = [peak for _, peak in self._seen.values()]
            if peaks and max(peaks) > min(peaks) * SPREAD:
                names = sorted(set.intersection(*(set(params) for params, _ in self._seen.values())))
                self._predictive = self._among([(name,) for name in names]) or self._among(list(combinations(names, 2)))
        return self._predictive

    def _among(self, candidates: Sequence[Tuple[str, ...]]) -> Predictors:
        found = {}
        for names in candidates:
            by_value: Dict[Hashable, List[int]] = {}
            for params, peak in self._seen.values():
                by_value.setdefault(_key(params, names), []).append(peak)
            often = {key: peaks for key, peaks in by_value.items() if len(peaks) > 1}
            if len(often) > 1 and all(max(peaks) <= min(peaks) * ALIKE for peaks in often.values()):
                found[names] = {key: max(peaks) for key, peaks in often.items()}
        return found


def _key(params: Mapping[str, Any], names: Tuple[str, ...]) -> Hashable:
    return tuple(repr(params.get(name)) for name in names)


def fitting(gpu: GpuMemory, need: int, most: int) -> int:
    """Return how many tasks of this need could be on the GPU, together with those that are there."""
    if need <= 0:
        return most
    return min(most, len(gpu.tasks) + max(0, gpu.free) // need)

"""Decide which GPU has enough free memory for another task. Pure: no clock, no driver.

A GPU is never promised more memory than it has: every task on it counts with what it is expected to need at most, or
with what it holds if that is more; what others hold is not ours to give; and a margin stays free.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, Dict, Hashable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from .need_model import MOST_SAMPLES, NeedModel, Sample, keep, usable

MARGIN = 0.03  # of a GPU's memory: allocators round up, contexts differ
ROUND_UP = 1.02  # needs are expected to be this much larger than what was measured
ALIKE = 1.05  # needs that differ by less count as equal
SPREAD = 1.2  # where all needs differ by less, parameters are not used
NAMES = 12  # parameters that are compared, in pairs too
EACH = 15 * 10**9  # bytes of a GPU per task of which nothing is known; there are at least 2 of these,
FIRST = 10  # and at most this many,
FEWER = 6  # or this many if their sizes seem to differ


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
    """What tasks have needed so far, from which follows what the next one will need."""

    def __init__(self, need: Optional[int] = None, samples: Sequence[Sample] = ()) -> None:
        """`need` and `samples` are what earlier jobs found."""
        self._most = None if need is None else int(need / ROUND_UP)
        self._seen: Dict[Hashable, Sample] = {("earlier", place): sample for place, sample in enumerate(samples)}
        self._unfitted = len(self._seen)  # samples that have changed since the model was made
        self._model: Optional[NeedModel] = None
        self._predictive: Predictors = {}

    def learn(self, peak: int, task: Hashable = None, params: Optional[Mapping[str, Any]] = None) -> None:
        """Note the most that a task held, once it does not grow any more."""
        self._most = max(self._most or 0, peak)
        before = self._seen.get(task)
        if not params or (before is not None and peak <= before[1]):
            return
        mine = usable(params) if before is None else before[0]
        # A task that needed more than was predicted counts at once, others a few at a time: a model takes milliseconds.
        self._unfitted += len(self._seen) if peak > (self.predicted(params) or peak) else 1
        self._seen[task] = (mine, peak)
        if len(self._seen) > 2 * MOST_SAMPLES:
            kept = set(map(id, keep(self._seen.values())))
            self._seen = {task: sample for task, sample in self._seen.items() if id(sample) in kept}

    @property
    def need(self) -> Optional[int]:
        """Bytes that are enough for each task so far; None if nothing is known."""
        return None if self._most is None else int(self._most * ROUND_UP)

    @property
    def usual(self) -> Optional[int]:
        """Bytes that a typical task needs, if parameters predict the need; else enough for each."""
        if self._most is None or not self.differ:
            return self.need
        peaks = [peak for _, peak in self._seen.values()]
        return int(sum(peaks) / len(peaks) * ROUND_UP)

    @property
    def differ(self) -> bool:
        """True if tasks need different amounts, which their parameters predict."""
        self._fit()
        return self._model is not None or bool(self._predictive)

    def need_of(self, params: Mapping[str, Any]) -> Optional[int]:
        """Return what a task with these parameters will need; enough for each so far, if that cannot be predicted."""
        return self.predicted(params) or self.need

    def predicted(self, params: Mapping[str, Any]) -> Optional[int]:
        """Return the need that the parameters predict: that of tasks with the same value, else by a model of all."""
        self._fit()
        peaks = [peaks.get(_key(params, names)) for names, peaks in self._predictive.items()]
        known = [peak for peak in peaks if peak is not None]
        if known and len(known) == len(peaks):
            return int(max(known) * ROUND_UP)
        return None if self._model is None else self._model.need(params)

    def _fit(self) -> None:
        if not self._unfitted or self._unfitted <= len(self._seen) // 8:
            return
        self._unfitted, self._model, self._predictive = 0, None, {}
        peaks = [peak for _, peak in self._seen.values()]
        if not peaks or max(peaks) <= min(peaks) * SPREAD:
            return
        names = sorted(set.intersection(*(set(params) for params, _ in self._seen.values())))
        texts = {name: [repr(params[name]) for params, _ in self._seen.values()] for name in names}
        varied = [name for name in names if len(set(texts[name])) > 1][:NAMES]
        pairs = list(combinations(varied, 2))
        self._predictive = _predictors([(name,) for name in varied], texts, peaks) or _predictors(pairs, texts, peaks)
        self._model = NeedModel.make(self._seen.values())


def _predictors(
    candidates: Sequence[Tuple[str, ...]], texts: Mapping[str, Sequence[str]], peaks: Sequence[int]
) -> Predictors:
    """Return the parameters or pairs of which equal values always meant equal needs, with these."""
    found = {}
    for names in candidates:
        by_value: Dict[Hashable, List[int]] = {}
        for place, peak in enumerate(peaks):
            by_value.setdefault(tuple(texts[name][place] for name in names), []).append(peak)
        often = {key: some for key, some in by_value.items() if len(some) > 1}
        if len(often) > 1 and all(max(some) <= min(some) * ALIKE for some in often.values()):
            found[names] = {key: max(some) for key, some in often.items()}
    return found


def _key(params: Mapping[str, Any], names: Tuple[str, ...]) -> Hashable:
    return tuple(repr(params.get(name)) for name in names)


def fitting(gpu: GpuMemory, need: int, most: int) -> int:
    """Return how many tasks of this need could be on the GPU, together with those that are there."""
    if need <= 0:
        return most
    return min(most, len(gpu.tasks) + max(0, gpu.free) // need)

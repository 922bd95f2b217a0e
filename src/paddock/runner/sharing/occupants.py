"""The tasks in their seats: what was measured of each, and what it is expected to need."""

from __future__ import annotations

from typing import Callable, Dict, Optional, Tuple

from ...common.gpus import GpuInfo, GpuReading
from ..mailbox import Identity, QueuedAttempt
from .packing import GpuMemory, TaskMemory
from .seats import AssignedSeat

# A task is steady, so that what it holds is what it needs, when its memory has not grown for this long:
STEADY_SECONDS = 1.0  # it trains
BUSY_SECONDS = 3.0  # it has reported no progress, but its GPU has been busy all this time
SILENT_SECONDS = 15.0  # it has reported no progress, and its GPU is idle
LATE_SECONDS = 60.0  # it has reported no progress, but tasks like it have: a busy GPU may be busy with those
UNUSED_SECONDS = 30.0  # it does not use the GPU at all
BUSY = 0.1
GROWTH = 1.02
_TAKEN = 0.002  # share of a GPU's memory; less than this is not attributed to a task


class Occupant:
    def __init__(
        self, attempt: QueuedAttempt, seat: AssignedSeat, pid: int, expected: Optional[int], now: float
    ) -> None:
        self.attempt = attempt
        self.seat = seat
        self.pid = pid
        self.expected = expected  # bytes per GPU; None: nothing was known when it began
        self.shared_gpu = False  # another task was on its GPU at some time
        self.shared_allocation = False  # another task was in its allocation at some time
        self.used = 0  # bytes on that of its GPUs on which it holds most
        self.peak = 0
        self.total = 0  # on all its GPUs together
        self.total_peak = 0
        self.memory = 0  # of the node
        self.memory_peak = 0
        self.cpu: Optional[float] = None  # busy cores, once it trains
        self.busy_cores = 0.0
        self.progressed = False
        self.progressed_at: Optional[float] = None
        self.will_progress = False  # other tasks of its job have reported progress
        self.measured = False  # its need is known: it was steady, read twice while it trained, or ended well
        self.divided = False  # its memory was known only as a part of that of several tasks
        self._readings = 0
        self._at_peak = 0  # readings at which it held its most, or nearly
        self.guess: Optional[int] = None  # bytes per GPU that it may come to need, where nothing was known
        self.step: Optional[Tuple[float, float, int]] = None  # step, when it was reported, and how many tasks computed
        self._busy_since: Optional[float] = None  # its GPU was busy at each poll since
        self.began = now
        self.grew_at = now

    @property
    def alone(self) -> bool:
        return self.attempt.memory_needed.alone

    def steady(self, now: float) -> bool:
        """Return True if it is known how much memory it needs."""
        if not self.peak:
            return self.progressed and now - self.began >= UNUSED_SECONDS
        still = now - self.grew_at
        if self.progressed:
            return still >= STEADY_SECONDS
        if self.will_progress:
            return still >= LATE_SECONDS
        busy = 0.0 if self._busy_since is None else now - self._busy_since
        return min(still, busy) >= BUSY_SECONDS or still >= SILENT_SECONDS

    def trains(self, now: float) -> bool:
        """Return True if it has reported progress, and it is known how much memory it needs."""
        return self.progressed and self.steady(now)

    def end_well(self) -> None:
        """Take the most that it held as its need, if that was not a moment: a short training is not steady for long."""
        self.measured = self.measured or self._at_peak > 1

    def need(self, now: float) -> Optional[int]:
        """Return the most bytes that it will hold per GPU; None if that is not known."""
        if self.steady(now):
            return int(self.peak * GROWTH)
        expected = self.guess if self.expected is None else self.expected
        return None if expected is None else max(expected, int(self.peak * GROWTH))

    def note_gpu_memory(self, by_gpu: Dict[str, int], load: Optional[float], now: float) -> None:
        """Note what it holds on its GPUs."""
        if (load or 0.0) < BUSY:
            self._busy_since = None
        elif self._busy_since is None:
            self._busy_since = now
        self.used, self.total = max(by_gpu.values(), default=0), sum(by_gpu.values())
        self.total_peak = max(self.total_peak, self.total)
        self._readings += self.progressed and self.used > 0
        self.measured = self.measured or self._readings > 1
        if self.used > self.peak * GROWTH:
            self.grew_at, self._at_peak = now, 0
        self._at_peak += self.used > 0 and self.used * GROWTH >= self.peak
        self.peak = max(self.peak, self.used)


class GpuGroup:
    """The GPUs that a task gets together, and the tasks on them."""

    def __init__(self, gpus: Tuple[GpuInfo, ...]) -> None:
        self.gpus = gpus
        self.occupants: Dict[Identity, Occupant] = {}
        self.readings: Dict[str, GpuReading] = {}
        self._before: Dict[str, int] = {}  # bytes that were used before our tasks came

    @property
    def total(self) -> int:
        """Bytes of the smallest of its GPUs; 0: not known."""
        return min(gpu.memory for gpu in self.gpus)

    @property
    def load(self) -> Optional[float]:
        known = [reading.load for reading in self.readings.values() if reading.load is not None]
        return sum(known) / len(known) if known else None

    @property
    def computing(self) -> int:
        return sum(occupant.progressed or occupant.used > 0 for occupant in self.occupants.values())

    def memory(self, now: float) -> GpuMemory:
        """Return the memory as that of one GPU, the fullest."""
        tasks = tuple(TaskMemory(one.need(now), one.used, one.alone) for one in self.occupants.values())
        used = max((reading.used for reading in self.readings.values()), default=0)
        return GpuMemory(self.total, used, tasks)

    def add(self, occupant: Occupant) -> None:
        if not self.occupants:
            self._before = {gpu: reading.used for gpu, reading in self.readings.items()}
        for other in self.occupants.values():
            other.shared_gpu = occupant.shared_gpu = True
        self.occupants[occupant.attempt.identity] = occupant

    def attribute(self, owner: Callable[[int], Optional[Identity]], now: float) -> None:
        """Attribute the memory on the GPUs to tasks: by process or, if those are not reported, in equal parts.

        What tasks hold that wait for room counts as that of others.
        """
        held: Dict[Identity, Dict[str, int]] = {identity: {} for identity in self.occupants}
        for gpu in self.gpus:
            reading = self.readings.get(gpu.id)
            if reading is None or not held:
                continue
            for pid, memory in reading.processes.items():
                whose = owner(pid)
                if whose in held:
                    held[whose][gpu.id] = held[whose].get(gpu.id, 0) + memory
            taken = reading.used - self._before.get(gpu.id, 0)
            if taken > gpu.memory * _TAKEN and not any(gpu.id in one for one in held.values()):
                for identity, one in held.items():
                    one[gpu.id] = taken // len(held)
                    self.occupants[identity].divided |= len(held) > 1
        for identity, one in held.items():
            self.occupants[identity].note_gpu_memory(one, self.load, now)

"""Decide whether an allocation can take another task, and where.

A task gets a seat only if it is expected to fit: its GPU memory, by what tasks of this job have needed so far; the
memory of the node; and, with `per_gpu = auto`, as many tasks per GPU as get more done together.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ...common import cores, node_stats, processes
from ...common.gpus import GpuDriver, GpuInfo, visible
from ..mailbox import Identity, QueuedAttempt
from ..manifest import Manifest
from ..process import host_memory
from ..process.usage import ProcessUsage
from . import need_model, packing, packing_controller, seats
from .early_starts import EarlyStarts
from .mps import Mps
from .occupants import GpuGroup, Occupant
from .packing import MemoryHistory
from .packing_controller import Observation, PackingController
from .seats import AssignedSeat, Seats

WAIT_SECONDS = 60.0  # a task that has to be alone, or that is large, waits this long while others start
_EXTRA_SECONDS = 5.0  # its runner stays this much longer
_HOST_MARGIN = 0.03
_POLLS = 10  # the speed of a task is measured over at least this many polls, as steps are only seen at polls
_OWN_BYTES = 10**8  # memory of the runner and of the scheduler's own processes: not worth waiting for
_MOST_OWNERS = 4096
_AHEAD = 2.0  # times the largest need so far is expected of a task of which nothing else is known
_SMOOTH = 0.03  # weight of the newest load in the mean


class Admission:
    def __init__(self, manifest: Manifest, driver: GpuDriver, environ: Mapping[str, str]) -> None:
        self._manifest = manifest
        self._driver = driver
        self._places = node_stats.places(environ)
        given = environ.get("CUDA_VISIBLE_DEVICES")
        self._gpus = _find_gpus(driver, given, self._places) if manifest.task_gpus else []
        size = max(1, manifest.task_gpus)
        self._groups = [GpuGroup(tuple(self._gpus[i : i + size])) for i in range(0, len(self._gpus) - size + 1, size)]
        self._early = [EarlyStarts() for _ in self._groups]
        self._cores = cores.of_allocation(environ)
        self._seats = Seats(manifest, self._cores, environ)
        self._occupants: Dict[Identity, Occupant] = {}
        self._owners: Dict[int, Optional[Identity]] = {}  # process on a GPU -> its task
        known = (manifest.known or {}).get(self._gpus[0].name if self._gpus else "") or {}
        self._known = bool(known)
        self._history = MemoryHistory(known.get("need"), need_model.parse(known.get("samples")))
        self._host_need = 0
        self._waits_alone: Optional[float] = None
        self._waits_host: Optional[float] = None
        self._short_of: Optional[str] = None  # what was missing for the last task that was refused
        self._limit: Optional[str] = None  # why there are not more tasks, while others wait
        self._reached = 0
        self._progress_seen = False
        self._passed_since: Dict[Identity, float] = {}  # tasks that did not fit while smaller ones did
        self._load: Optional[float] = None  # of the fullest GPU, over some seconds
        self._processor: Optional[float] = None  # the share of the cores that the tasks keep busy, over some seconds
        self._start_seconds = self._task_seconds = 0.0  # of tasks that have ended: until they trained, and all
        self._few = packing.first(self._gpus[0].memory if self._gpus else 0, self._cores.count)
        self._controller: Optional[PackingController] = None
        if self._groups and manifest.per_gpu is None:
            most, begin = max(1, manifest.slots // len(self._groups)), known.get("tasks")
            if begin and known.get("limit") not in packing_controller.FINAL and self._history.differ:
                begin = max(begin, self._enough_cores())  # the memory that each needs decides how many there are
            self._controller = PackingController(self._few, most, begin, known.get("limit"))
        self.mps = Mps(environ, manifest.mps)

    # --- seats ----------------------------------------------------------------------------------------------------

    @property
    def full(self) -> bool:
        if len(self._occupants) >= self._manifest.slots:
            return True
        if self._may_start_early:
            return False
        return bool(self._groups) and all(len(group.occupants) >= self._most for group in self._groups)

    @property
    def _is_cold(self) -> bool:
        """True while the number of tasks per GPU is to be found, and nothing is known of what they need."""
        return self._controller is not None and self._history.need is None

    @property
    def _may_start_early(self) -> bool:
        """True if another task may start although it is not known whether there is room for it on a GPU."""
        alone = self._manifest.task_gpus == 1 and self._manifest.members is None  # others would wait for each other
        if not (self._is_cold and alone and self._gpus[0].memory and self._occupants):
            return False
        return self._driver.sees_processes and len(self._occupants) < min(self._manifest.slots, self._most_early)

    @property
    def _most_early(self) -> int:
        return int(packing_controller.OVERBOOK * self._cores.count)

    @property
    def _shared(self) -> bool:
        """True if several tasks may share a GPU."""
        return bool(self._groups) and (self._controller is not None or (self._manifest.per_gpu or 1) > 1)

    @property
    def _most(self) -> int:
        """The most tasks per GPU."""
        return self._controller.target if self._controller is not None else self._manifest.per_gpu or 1

    @property
    def _wanted(self) -> int:
        """The most tasks in the allocation."""
        slots = self._manifest.slots
        return slots if self._controller is None else min(slots, self._most * len(self._groups))

    def seat(self, attempt: QueuedAttempt, now: float) -> Optional[AssignedSeat]:
        """Return a seat for the attempt, or None if it does not fit now; without other tasks it does."""
        if len(self._occupants) >= self._manifest.slots or not self._host_admits(attempt, now):
            return None
        together = [attempt, *(one.attempt for one in self._occupants.values())]
        if self._occupants and any(map(self._for_itself, together)):
            return None
        if not self._groups:
            return self._new_seat()
        place = None if any(self._early) else self._place(attempt, now)
        early = place is None and self._may_start_early and not attempt.memory_needed.retries
        if early:
            place = min(range(len(self._early)), key=lambda one: len(self._early[one]))
        if place is None:
            return None
        seat = seats.with_gpus(self._new_seat(early), place, self._groups[place].gpus, self._gpus, self._places)
        if self._shared:
            how, why = self.mps.share(self._objection)
            seat = seats.sharing(seat, how, why, self.mps.environment if how == "mps" else {})
        return seat._replace(early=early)

    @property
    def differ(self) -> bool:
        """True if tasks share GPUs and need different amounts of their memory."""
        return self._shared and self._history.differ

    def seat_largest(
        self, some: Sequence[QueuedAttempt], now: float
    ) -> Tuple[Optional[QueuedAttempt], Optional[AssignedSeat]]:
        """Return the attempt that needs most of those that fit now, with its seat.

        Smaller ones do not pass one that does not fit for ever.
        """
        memories = [group.memory(now) for group in self._groups]
        free = max(memory.free if memory.tasks else memory.total for memory in memories)
        needs = [(self._expected(attempt) or 0, -place) for place, attempt in enumerate(some)]
        for need, place in sorted(needs, reverse=True):
            attempt = some[-place]
            seat = None
            if need <= free or attempt.memory_needed.alone or not all(memory.tasks for memory in memories):
                seat = self.seat(attempt, now)
            else:
                self._short_of = packing_controller.MEMORY
            if seat is not None:
                return attempt, seat
            if not attempt.memory_needed.retries:
                since = self._passed_since.setdefault(attempt.identity, now)
                if now - since >= WAIT_SECONDS:
                    break
        return None, None

    def _for_itself(self, attempt: QueuedAttempt) -> bool:
        """Return True if it needs the whole allocation, not only a GPU: the node's memory was not enough before."""
        return attempt.memory_needed.alone and (attempt.memory_needed.host is not None or not self._groups)

    def _new_seat(self, early: bool = False) -> AssignedSeat:
        taken = {occupant.seat.place for occupant in self._occupants.values()}
        count = max(self._wanted, min(self._manifest.slots, self._most_early)) if self._is_cold else self._wanted
        seat = self._seats.make(count, taken)
        first = sum(len(group.occupants) for group in self._groups)
        own = sorted(self._cores.own)
        if not self._is_cold or len(own) <= self._few * len(self._groups):
            return seat
        # The first have a core each, so that what they need is known soon; the others share those that are left.
        return seat._replace(cores=tuple(own[first:] if early else own[seat.place % len(own) :][:1]))

    def _place(self, attempt: QueuedAttempt, now: float) -> Optional[int]:
        """Return the number of a group of GPUs on which it fits."""
        memories = [group.memory(now) for group in self._groups]
        need = self._expected(attempt)
        held = self._held_for_one(attempt, now)
        places = [place for place in range(len(memories)) if place != held]
        found = packing.choose(
            [memories[one] for one in places], need, attempt.memory_needed.alone, self._most, self._few_like(attempt)
        )
        if found is not None:
            return places[found]
        if (
            need is not None
            and not attempt.memory_needed.alone
            and any(len(memories[one].tasks) < self._most for one in places)
        ):
            self._short_of = packing_controller.MEMORY
        return None

    def _few_like(self, attempt: QueuedAttempt) -> int:
        """Return how many tasks such as this one may use a GPU before anything is known of their needs.

        Whole numbers that differ are sizes, as a rule: of layers, of batches.
        """
        sizes = {_sizes(one.params) for one in (attempt, *(one.attempt for one in self._occupants.values()))}
        return self._few if len(sizes) == 1 else min(self._few, packing.FEWER)

    def _expected(self, attempt: QueuedAttempt) -> Optional[int]:
        """Return the bytes that it will need per GPU; None if nothing is known yet."""
        if not self._groups[0].total:
            return 0  # no driver reports these GPUs: only the number of tasks counts
        usual = self._history.need_of(attempt.params)
        known = [one for one in (attempt.memory_needed.gpu, usual) if one is not None]
        return max(known) if known else None

    def _held_for_one(self, attempt: QueuedAttempt, now: float) -> Optional[int]:
        """Return a group that is kept free, because a task that has to be alone has waited long enough."""
        if attempt.memory_needed.alone:
            self._waits_alone = now if self._waits_alone is None else self._waits_alone
            return None
        if self._waits_alone is None or now - self._waits_alone < WAIT_SECONDS:
            return None
        return min(range(len(self._groups)), key=lambda place: len(self._groups[place].occupants))

    def _host_admits(self, attempt: QueuedAttempt, now: float) -> bool:
        need = max(attempt.memory_needed.host or 0, self._host_need if self._occupants else 0)
        memory = host_memory.read() if need else None
        if memory is None:
            return True
        to_come = sum(max(0, self._host_need - occupant.memory) for occupant in self._occupants.values())
        if need <= memory.available - to_come - int(memory.total * _HOST_MARGIN):
            return True
        if not self._occupants and memory.total - memory.available < _OWN_BYTES:
            return True  # there will never be more
        if not self._occupants:  # others on this node hold it: they may end, but a task does not wait for ever
            self._waits_host = now if self._waits_host is None else self._waits_host
            return now - self._waits_host >= WAIT_SECONDS
        self._short_of = packing_controller.HOST_MEMORY
        return False

    def waits_for_memory(self, now: float) -> bool:
        """Return True while a task waits for memory that others on this node hold."""
        return self._waits_host is not None and now - self._waits_host < WAIT_SECONDS + _EXTRA_SECONDS

    def _objection(self) -> Optional[str]:
        """Return why MPS cannot be used: it needs GPUs that no one else uses."""
        self._read()
        others = {pid for group in self._groups for one in group.readings.values() for pid in one.processes}
        if others:
            return "another process uses the GPU (%s)" % ", ".join(map(str, sorted(others)[:3]))
        return None if any(gpu.memory for gpu in self._gpus) else "the NVIDIA driver does not answer"

    # --- tasks begin and end --------------------------------------------------------------------------------------

    def add(self, attempt: QueuedAttempt, seat: AssignedSeat, pid: int, now: float) -> None:
        self._waits_host = None
        self._passed_since.pop(attempt.identity, None)
        if attempt.memory_needed.alone:
            self._waits_alone = None
        expected = None if seat.group is None else self._expected(attempt)
        occupant = Occupant(attempt, seat, pid, expected, now)
        occupant.will_progress = self._progress_seen
        for other in self._occupants.values():
            other.shared_allocation = occupant.shared_allocation = True
        self._occupants[attempt.identity] = occupant
        if seat.group is not None:
            (self._early if seat.early else self._groups)[seat.group].add(occupant)
        if seat.cores:
            self._seats.bind(pid, seat.cores)

    def remove(self, identity: Identity, well: bool, now: float) -> Optional[Occupant]:
        occupant = self._occupants.pop(identity, None)
        if occupant is None:
            return None
        if occupant.seat.group is not None:
            self._groups[occupant.seat.group].occupants.pop(identity, None)
            self._early[occupant.seat.group].remove(identity)
            self._owners = {pid: owner for pid, owner in self._owners.items() if owner != identity}
            if well:
                occupant.end_well()
                self._learn(occupant)
            self._task_seconds += now - occupant.began
            self._start_seconds += (occupant.progressed_at or now) - occupant.began
        return occupant

    # --- measurements ---------------------------------------------------------------------------------------------

    def observe(self, now: float, waiting: bool) -> None:
        """Read the memory of all GPUs and act on it. Called at every poll."""
        if not self._groups or not self._occupants:
            return
        self._read()
        for group in self._groups:
            group.attribute(self._owner, now)
            for occupant in group.occupants.values():
                if occupant.peak and occupant.steady(now):
                    occupant.measured = True
                    self._learn(occupant)
            self._guess(group, now)
        self._note_load()
        if self._controller is not None:
            self._control(self._controller, now, waiting or any(self._early))
        for place in range(len(self._early)):
            self._admit_early(place, now)

    def _admit_early(self, place: int, now: float) -> None:
        """Stop tasks that began to use the GPU before there is room for them, and let those go on that fit."""
        early, group = self._early[place], self._groups[place]
        if not early:
            return
        for reading in group.readings.values():
            early.stop_users(reading, self._owner)

        def fits(one: Occupant) -> bool:
            need, few = self._expected(one.attempt), self._few_like(one.attempt)
            return packing.choose([group.memory(now)], need, False, self._most, few) is not None

        before = len(early)
        early.admit(
            lambda one: self._expected(one.attempt),
            fits,
            lambda identity: self._let_go(place, identity, now),
            group.total,
        )
        if len(early) < before:
            self._bind_again()

    def _let_go(self, place: int, identity: Identity, now: float) -> None:
        occupant = self._early[place].let_go(identity, now)
        occupant.expected = self._expected(occupant.attempt)
        self._groups[place].add(occupant)

    def without_room(self, now: float) -> List[Identity]:
        """Return the tasks that started early, and for which there has been no room for long."""
        known = self._history.need is not None
        return [identity for early in self._early for identity in early.overdue(known, now)]

    def _guess(self, group: GpuGroup, now: float) -> None:
        """Estimate what tasks need that began when nothing was known: others can start before all of them are steady.

        Where parameters do not predict it, this is a large estimate, once half of the tasks on the GPU are known.
        """
        unknown = [one for one in group.occupants.values() if one.expected is None and not one.steady(now)]
        half = 2 * sum(one.trains(now) for one in group.occupants.values()) >= len(group.occupants)
        for occupant in unknown:
            largest = max(int(_AHEAD * (self._history.need or 0)), packing.EACH) if half else None
            occupant.guess = self._history.predicted(occupant.attempt.params) or largest

    def _learn(self, occupant: Occupant) -> None:
        params = occupant.attempt.params if occupant.measured and not occupant.divided else None
        self._history.learn(occupant.peak, occupant.attempt.task, params)

    def _read(self) -> None:
        for group in self._groups:
            for gpu in group.gpus:
                reading = self._driver.read(gpu)
                if reading is not None:
                    group.readings[gpu.id] = reading

    def _owner(self, pid: int) -> Optional[Identity]:
        if pid not in self._owners:
            if len(self._owners) >= _MOST_OWNERS:
                self._owners.clear()
            leaders = {occupant.pid: identity for identity, occupant in self._occupants.items()}
            self._owners[pid] = next((leaders[one] for one in processes.ancestry(pid) if one in leaders), None)
        return self._owners[pid]

    def note_usage(self, identity: Identity, usage: ProcessUsage) -> Dict[str, Any]:
        """Note what a task uses; return what to report about its GPUs."""
        occupant = self._occupants[identity]
        occupant.memory, occupant.memory_peak = usage.memory, max(occupant.memory_peak, usage.memory)
        occupant.busy_cores = usage.cpu
        self._host_need = max(self._host_need, usage.memory)
        if occupant.progressed:
            occupant.cpu = usage.cpu
        if occupant.seat.group is None:
            return {}
        group = self._groups[occupant.seat.group]
        load = None if group.load is None else round(group.load, 3)
        return {"gpu_memory": occupant.total if group.total else None, "gpu_load": load}

    def note_progress(self, identity: Identity, step: Any, now: float) -> None:
        """Note how far a task has come."""
        occupant = self._occupants.get(identity)
        if occupant is None or isinstance(step, bool) or not isinstance(step, (int, float)):
            return
        if occupant.seat.group is not None and identity in self._early[occupant.seat.group].waiting:
            self._let_go(occupant.seat.group, identity, now)  # it trains: it was not seen on the GPU in time
        if not occupant.progressed:
            occupant.progressed, occupant.progressed_at, self._progress_seen = True, now, True
            for other in self._occupants.values():
                other.will_progress = True
        if occupant.seat.group is None or self._controller is None:
            return
        count, before = self._groups[occupant.seat.group].computing, occupant.step
        if before is not None and step <= before[0]:
            return  # another counter: some tasks report epochs beside steps
        if before is None or count != before[2]:
            occupant.step = (step, now, count)
        elif now - before[1] >= _POLLS * self._manifest.poll_seconds:
            self._controller.throughput.note(identity, count, (step - before[0]) / (now - before[1]))
            occupant.step = (step, now, count)

    # --- the number of tasks per GPU ------------------------------------------------------------------------------

    @property
    def _fullest(self) -> GpuGroup:
        return max(self._groups, key=lambda group: len(group.occupants))

    def _control(self, controller: PackingController, now: float, waiting: bool) -> None:
        group = self._fullest
        count, load = len(group.occupants), group.load
        if load is not None and count and group.computing == count:
            controller.throughput.note_load(count, load)
        steady = all(occupant.steady(now) for occupant in group.occupants.values())
        training = sum(occupant.trains(now) for occupant in group.occupants.values())
        before, fits = controller.target, self._fitting(group, now)
        ready = any(self._early)
        controller.update(Observation(count, steady, waiting, load, fits, self._enough_cores(), training, ready))
        if controller.target != before:
            self._short_of = self._limit = None
            if not self._is_cold:
                self._bind_again()

    def _note_load(self) -> None:
        """Note how busy the GPU and the cores are, but not when the last tasks of many are left."""
        if 2 * len(self._fullest.occupants) < self._reached:
            return
        busy = sum(one.busy_cores for one in self._occupants.values()) / max(self._cores.count, 1)
        self._processor = _blend(self._processor, busy)
        self._load = _blend(self._load, self._fullest.load)

    def _startup(self, now: float) -> Optional[float]:
        """Return the share of the tasks' time in which they did not train yet; None if none has reported progress."""
        running = self._occupants.values()
        spent = self._task_seconds + sum(now - one.began for one in running)
        starting = self._start_seconds + sum((one.progressed_at or now) - one.began for one in running)
        return round(starting / spent, 2) if starting < spent else None

    def _fitting(self, group: GpuGroup, now: float) -> int:
        need = self._history.usual
        memory = group.memory(now)
        if need is None or memory.unknown or not group.total:
            return len(group.occupants)
        return packing.fitting(memory, need, self._manifest.slots)

    def _enough_cores(self) -> int:
        """Return for how many tasks per GPU there are enough cores."""
        known = [occupant.cpu for occupant in self._occupants.values() if occupant.cpu is not None]
        each = max(sum(known) / len(known), 0.25) if known else 1.0
        each = max(each, (self._manifest.threads or 0) / packing_controller.OVERBOOK)
        return max(1, int(packing_controller.OVERBOOK * self._cores.count / each / len(self._groups)))

    def _bind_again(self) -> None:
        """Divide the cores among the tasks again, as the number of seats has changed."""
        count = max([self._wanted, *(occupant.seat.place + 1 for occupant in self._occupants.values())])
        for occupant in self._occupants.values():
            mine = self._seats.cores_of(occupant.seat.place, count)
            if mine != occupant.seat.cores:
                occupant.seat = occupant.seat._replace(cores=mine)
                self._seats.bind(occupant.pid, mine)

    def packing_record(self, waiting: bool, now: float) -> Optional[Dict[str, Any]]:
        """Return how tasks share the GPUs, for the journal."""
        if not self._shared:
            return None
        group = self._fullest
        self._reached = max(self._reached, len(group.occupants))
        count = min(self._reached, self._most)
        if len(group.occupants) >= self._most:
            self._limit = self._controller.limit if self._controller is not None else packing_controller.ASKED
        elif waiting:
            self._limit = self._short_of or self._limit
        return {
            "gpu": self._gpus[0].name,
            "tasks": count,
            "target": self._most,
            "auto": self._controller is not None,
            "limit": self._limit or (None if waiting else packing_controller.TASKS),
            "need": self._history.need,
            "total": self._gpus[0].memory or None,
            "load": None if self._load is None else round(self._load, 2),
            "processor": None if self._processor is None else round(self._processor, 2),
            "startup": self._startup(now),
            "speedup": self._controller.throughput.speedup(count) if self._controller is not None else None,
            "known": self._known,
        }


def _sizes(params: Mapping[str, Any]) -> Tuple[Tuple[str, int], ...]:
    return tuple(sorted((name, value) for name, value in params.items() if type(value) is int and "seed" not in name))


def _blend(mean: Optional[float], newest: Optional[float]) -> Optional[float]:
    return newest if mean is None or newest is None else mean + _SMOOTH * (newest - mean)


def _find_gpus(driver: GpuDriver, given: Optional[str], places: List[str]) -> List[GpuInfo]:
    """Return the GPUs as the driver reports them; without a driver, those of CUDA_VISIBLE_DEVICES.

    Those have the scheduler's numbers, as the numbers in an allocation may begin at 0.
    """
    found = visible(driver.gpus(), given)
    if found or not given:
        return found
    ids = [part.strip() for part in given.split(",") if part.strip()]
    names = places if len(places) == len(ids) else ids
    return [GpuInfo(one, int(names[at]) if names[at].isdigit() else at, "GPU", 0) for at, one in enumerate(ids)]

"""A pretended cluster: nodes whose GPUs are only counted, and runners without processes.

It has the time of a clock that somebody else moves. All that happens until then happens in `advance`, each thing at its
own time. The runners claim, obey and report with the mailbox, the deadline and the journal of the real one, so a job
folder looks as if real ones had been there. How long a task takes is given by a function.
"""

import math
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from paddock.backends.base import Enforcement, PollPace, WantedReservation
from paddock.common import layout
from paddock.common.clock import Clock
from paddock.models import (
    AllocationBatch,
    AllocationChange,
    AllocationState,
    AllocationStatus,
    Cause,
    Check,
    HostInfo,
    Node,
    Resources,
    Traits,
)
from paddock.rules import placement
from paddock.rules.giving_way import Others
from paddock.runner import manifest as manifests
from paddock.runner.journal import Journal
from paddock.runner.mailbox import Identity, Mailbox, QueuedAttempt
from paddock.runner.process.deadline import Deadline

POLL_SECONDS = 0.7  # between two looks of a runner at its files, unless something happens
QUEUED = Traits(queued=True, multi_node=True, counts_memory=True, counts_cores_of_gpu_tasks=True)
CHECKPOINT = "epochs"
PROGRESS = ("metric", "total", "here")
WAITS, HELD = "Resources", "JobHeldUser"


@dataclass(frozen=True)
class Course:
    """How a task goes: seconds from the start of a process until it trains, and the seconds of each of its epochs.

    A task saves its state at the end of each epoch. One without epochs only takes the time to start.
    """

    start: float
    epochs: Sequence[float] = ()


Courses = Callable[[str, QueuedAttempt, int], Course]
"""Return how the task of a job goes, on this number of GPUs."""


class AnyRunner(Protocol):
    """What an allocation runs. `left` is true when it has ended by itself or was told to."""

    left: bool

    def next_at(self) -> float:
        """Return when something happens in it the next time; infinity: nothing by itself."""
        ...

    def step(self, at: float) -> bool:
        """Go on until then; return whether anything happened besides progress."""
        ...

    def shut_down(self, at: float) -> None:
        """End what runs, and leave."""
        ...


class Devices(NamedTuple):
    """What an allocation has of one node."""

    gpus: tuple[str, ...] = ()
    slots: tuple[str, ...] = ()
    memory: int = 0


@dataclass
class SimulatedAllocation:
    key: str
    number: int  # in the order of the queue
    batch: AllocationBatch
    folder: str
    command: list[str]
    nice: int = 0
    held: bool = False
    time_limit: float | None = None
    state: AllocationState = AllocationState.PENDING
    places: dict[str, Devices] = field(default_factory=dict)
    started_at: float = math.inf
    ended_at: float | None = None
    reason: str | None = None
    cause: Cause | None = None

    @property
    def resources(self) -> Resources:
        return self.batch.resources

    @property
    def ends_at(self) -> float:
        """Return when it ends at the latest; infinity where it has no time limit."""
        return self.started_at + (self.time_limit or math.inf)


class SimulatedCluster:
    """What would go on without the server: the queue, the nodes and the runners. Any thread may use it."""

    def __init__(
        self,
        nodes: Sequence[Node],
        clock: Clock,
        courses: Courses,
        traits: Traits = QUEUED,
        *,
        runners: Callable[[SimulatedAllocation], AnyRunner] | None = None,
    ) -> None:
        """`runners`: make what an allocation runs, in place of a pretended runner."""
        self.traits = traits
        self.allocations: dict[str, SimulatedAllocation] = {}
        self.moves = 0  # how much has happened so far, besides progress
        self._nodes = {node.name: node for node in nodes}
        self._clock = clock
        self._at = clock.now()
        self._make_runner = runners or (lambda one: SimulatedRunner(one, courses, self._at))
        self._lock = threading.RLock()
        self._running: dict[str, SimulatedAllocation] = {}
        self._runners: dict[str, AnyRunner] = {}
        self._waiting: list[SimulatedAllocation] = []

    # --- time ---------------------------------------------------------------------------------------------------------

    def advance(self) -> None:
        """Let everything happen that happens until now."""
        with self._lock:
            now = max(self._clock.now(), self._at)
            while (at := self.next_at()) <= now:
                self._at = max(at, self._at)
                self._step([key for key, one in self._runners.items() if one.next_at() <= self._at])
            self._at = now
            self._step(list(self._runners))

    def next_at(self) -> float:
        """Return when something happens by itself the next time; infinity: nothing does."""
        with self._lock:
            return min((one.next_at() for one in self._runners.values()), default=math.inf)

    def _step(self, keys: Iterable[str]) -> None:
        for key in keys:
            self.moves += self._runners[key].step(self._at)
            self._note_end(self.allocations[key])
        self._start_waiting()

    # --- the queue ----------------------------------------------------------------------------------------------------

    def submit(self, batch: AllocationBatch) -> list[str]:
        """Queue allocations, or start those that have a place, up to the first whose place is in use."""
        with self._lock:
            self.advance()
            keys = batch.keys if self.traits.queued else batch.keys[: len(batch.places)]
            for number, key in enumerate(keys):
                if key in self.allocations:
                    continue
                one = SimulatedAllocation(
                    key,
                    len(self.allocations),
                    batch,
                    batch.folder_of(number),
                    batch.command_of(number),
                    nice=batch.resources.slurm.nice or 0,
                    time_limit=batch.resources.time_limit,
                )
                if self.traits.queued:
                    self._waiting.append(one)
                elif (places := self._as_told(one, number)) is not None:
                    self._start(one, places)
                else:
                    return keys[:number]
                self.allocations[key] = one
            self._start_waiting()
            return keys

    def cancel(self, keys: Iterable[str], *, waiting_only: bool) -> None:
        with self._lock:
            self.advance()
            for one in self._those(keys):
                if one.state is AllocationState.PENDING:
                    self._waiting.remove(one)
                    self._end(one)
                elif not waiting_only:
                    self._runners[one.key].shut_down(self._at)
                    self._note_end(one)
            self._start_waiting()

    def change(self, keys: Iterable[str], change: AllocationChange) -> None:
        with self._lock:
            self.advance()
            for one in self._those(keys):
                one.held = one.held if change.held is None else change.held
                one.nice = one.nice if change.nice is None else change.nice
                one.time_limit = one.time_limit if change.time_limit is None else change.time_limit
            self._start_waiting()

    def _those(self, keys: Iterable[str]) -> list[SimulatedAllocation]:
        known = [self.allocations[key] for key in keys if key in self.allocations]
        return [one for one in known if one.state is not AllocationState.ENDED]

    def _start_waiting(self) -> None:
        """Start what is next. What comes later overtakes only if it will be done before the first can start.

        That is known where all have time limits, as on a real cluster; otherwise nothing overtakes.
        """
        self._waiting.sort(key=lambda one: (one.nice, one.number))
        until = math.inf
        for one in [one for one in self._waiting if not one.held]:
            if until < math.inf and self._at + (one.time_limit or math.inf) > until:
                continue
            places = self._room(one.resources, self._running.values())
            if places is not None:
                self._waiting.remove(one)
                self._start(one, places)
            elif until == math.inf:
                until = self._room_at(one.resources)
                if until == math.inf:
                    return

    def _room_at(self, resources: Resources) -> float:
        """Return when there is room at the latest, by time limits."""
        left = sorted(self._running.values(), key=lambda one: one.ends_at)
        while left and self._room(resources, left) is None:
            at = left.pop(0).ends_at
            if at == math.inf or self._room(resources, left) is not None:
                return at
        return math.inf

    def _start(self, one: SimulatedAllocation, places: dict[str, Devices]) -> None:
        one.places, one.started_at = places, self._at
        one.state = AllocationState.RUNNING
        try:
            runner = self._make_runner(one)
        except (OSError, ValueError, KeyError) as error:
            one.cause, one.reason = Cause.LAUNCH_FAILED, f"the runner: {error}"
            self._end(one)
            return
        self._running[one.key], self._runners[one.key] = one, runner
        runner.step(self._at)
        self.moves += 1

    def _note_end(self, one: SimulatedAllocation) -> None:
        if self._runners[one.key].left:
            self._end(one)

    def _end(self, one: SimulatedAllocation) -> None:
        one.state, one.ended_at = AllocationState.ENDED, self._at
        self.moves += 1
        for known in (self._running, self._runners):
            known.pop(one.key, None)

    # --- nodes --------------------------------------------------------------------------------------------------------

    def _used(self, node: str, by: Iterable[SimulatedAllocation]) -> Devices:
        mine = [one.places[node] for one in by if node in one.places]
        return Devices(
            tuple(gpu for one in mine for gpu in one.gpus),
            tuple(slot for one in mine for slot in one.slots),
            sum(one.memory for one in mine),
        )

    def _part(self, node: Node, resources: Resources, by: Iterable[SimulatedAllocation]) -> tuple[int, Devices] | None:
        """Return what an allocation would get on a node, after how many would be free; None: there is no room."""
        used = self._used(node.name, by)
        kind = resources.gpu_type
        gpus = [
            device.id
            for device in node.devices
            if device.kind == "gpu" and device.id not in used.gpus and kind in (None, device.name)
        ]
        free = len(gpus) if resources.gpus else node.cpu_slots - len(used.slots)
        slots = [str(slot) for slot in range(node.cpu_slots) if str(slot) not in used.slots]
        cores = 0 if resources.gpus and not self.traits.counts_cores_of_gpu_tasks else resources.cpus or 1
        memory = (resources.memory or 0) if self.traits.counts_memory else 0
        wanted = resources.gpus or 0
        if not node.usable or len(gpus) < wanted or len(slots) < cores:
            return None
        if memory and node.memory is not None and used.memory + memory > node.memory:
            return None
        return free, Devices(tuple(gpus[:wanted]), tuple(slots[:cores]), memory)

    def _room(self, resources: Resources, by: Collection[SimulatedAllocation]) -> dict[str, Devices] | None:
        """Return where an allocation would run beside these, on the fullest nodes; None: nowhere."""
        found = []
        for node in placement.eligible_nodes(resources, self._nodes.values()):
            part = self._part(node, resources, by)
            if part is not None:
                found.append((part[0], node.name, part[1]))
        count = resources.nodes or 1
        if len(found) < count:
            return None
        return {name: devices for _, name, devices in sorted(found)[:count]}

    def _as_told(self, one: SimulatedAllocation, number: int) -> dict[str, Devices] | None:
        """Return the place that the batch names for an allocation; None if it is in use or not there."""
        place = one.batch.places[number]
        node = self._nodes.get(place.node)
        if node is None:
            return None
        used = self._used(node.name, self._running.values())
        kind, taken = ("gpu", used.gpus) if one.resources.gpus else ("cpu", used.slots)
        there = {device.id for device in node.devices if device.kind == kind} - set(taken)
        if not set(place.devices) <= there:
            return None
        chosen = tuple(place.devices)
        return {node.name: Devices(gpus=chosen) if kind == "gpu" else Devices(slots=chosen)}

    def nodes(self, backend: str) -> list[Node]:
        with self._lock:
            return [self._as_seen(node, backend) for node in self._nodes.values()]

    def _as_seen(self, node: Node, backend: str) -> Node:
        by: dict[tuple[str, str], list[str]] = {}
        for one in self._running.values():
            has = one.places.get(node.name, Devices())
            for place in [*(("gpu", gpu) for gpu in has.gpus), *(("cpu", slot) for slot in has.slots)]:
                by.setdefault(place, []).append(one.key)
        devices = [
            device.model_copy(
                update={"used_by": by.get((device.kind, device.id), []), "busy": (device.kind, device.id) in by}
            )
            for device in node.devices
        ]
        kind = "gpu" if any(device.kind == "gpu" for device in devices) else "cpu"
        used = self._used(node.name, self._running.values())
        return node.model_copy(
            update={
                "backend": backend,
                "devices": devices,
                "slots_used": sum(device.busy for device in devices if device.kind == kind),
                "cpus_used": float(len(used.slots)),
                "memory_free": None if node.memory is None else node.memory - used.memory,
            }
        )

    def states(self, keys: Iterable[str]) -> dict[str, AllocationStatus]:
        with self._lock:
            self.advance()
            return {key: self._status(self.allocations[key]) for key in keys if key in self.allocations}

    def _status(self, one: SimulatedAllocation) -> AllocationStatus:
        reason = one.reason
        if one.state is AllocationState.PENDING:
            reason = HELD if one.held else WAITS
        return AllocationStatus(state=one.state, node=",".join(one.places) or None, reason=reason, cause=one.cause)


class SimulatedBackend:
    """Runs allocations on a pretended cluster, which outlives it as a real one outlives the server."""

    sure = True
    hides_others = False
    queue_length: int | None = None

    def __init__(self, cluster: SimulatedCluster, name: str = "simulated") -> None:
        self.name = name
        self.traits = cluster.traits
        self.pace = PollPace()
        self._cluster = cluster

    def submit(self, batch: AllocationBatch) -> Sequence[str]:
        return self._cluster.submit(batch)

    def poll(self, ids: Sequence[str]) -> Mapping[str, AllocationStatus]:
        return self._cluster.states(ids)

    def trace(self, ids: Sequence[str]) -> Mapping[str, AllocationStatus]:
        return {}  # poll lists everything that is known

    def cancel(self, ids: Sequence[str], *, waiting_only: bool = False) -> None:
        self._cluster.cancel(ids, waiting_only=waiting_only)

    def change(self, ids: Sequence[str], change: AllocationChange) -> None:
        self._cluster.change(ids, change)

    def nodes(self) -> Sequence[Node]:
        return self._cluster.nodes(self.name)

    def script(self, batch: AllocationBatch) -> str | None:
        return None

    def check(self, batch: AllocationBatch) -> Check:
        return Check(accepted=True, message="a pretended cluster takes everything")

    def reserve(self, wanted: Sequence[WantedReservation], known: Collection[str]) -> Mapping[str, Enforcement]:
        """Do nothing: nobody else is there."""
        return {}

    def others(self) -> Others | None:
        return None

    def hosts(self) -> Sequence[HostInfo]:
        return ()

    def close(self) -> None:
        """Do nothing: nothing is open."""


@dataclass
class SimulatedTask:
    """An attempt that runs. `marks`: when it begins to train, and when each of its epochs ends."""

    attempt: QueuedAttempt
    done: int  # epochs before it
    marks: list[float]
    told: int = 0  # epochs of it that are reported

    @property
    def ends_at(self) -> float:
        return self.marks[-1]

    @property
    def epoch(self) -> int:
        return self.done + self.told


class SimulatedRunner:
    """A runner without processes, on the files of a real one."""

    def __init__(self, one: SimulatedAllocation, courses: Courses, at: float) -> None:
        manifest = manifests.load(one.folder)
        self.left = False
        self._manifest = manifest
        self._courses = courses
        self._at = at
        self._journal = Journal.create(one.folder, self._now)
        self._mailbox = Mailbox(
            manifest.job_dir,
            manifest.key,
            self._journal.number,
            self._now,
            dealt=manifest.dealt,
            size=manifest.size,
        )
        self._deadline = Deadline(
            manifest.time_limit,
            manifest.warn_seconds,
            manifest.grace_seconds,
            {},
            self._now,
            self._now,
            manifest.yields,
        )
        self._node = ",".join(one.places)
        gpus = [gpu for has in one.places.values() for gpu in has.gpus]
        slots = [slot for has in one.places.values() for slot in has.slots]
        self._device = "gpu " + ",".join(gpus) if gpus else "cpu " + ",".join(slots)
        self._places = self._tasks_at_once(len(gpus))
        self._gpus = manifest.task_gpus * (manifest.members.nodes if manifest.members else 1)
        self._tasks: dict[Identity, SimulatedTask] = {}
        self._closing = False
        self._claimed = self._moves = 0
        self._began = self._worked_at = self._wrote_at = at
        self._looked_at = -math.inf
        self._write(
            "runner",
            pid=1,
            node=self._node,
            device=self._device,
            version="",
            start=self._journal.number,
            ends_at=self._deadline.ends_at,
        )

    def _now(self) -> float:
        return self._at

    def _tasks_at_once(self, gpus: int) -> int:
        """Return how many tasks run at a time. How many could share a GPU is not known here: one, if it is open."""
        given = self._manifest
        if not gpus or not given.task_gpus or given.members:
            return given.slots
        return max(min(given.slots, gpus // given.task_gpus * (given.per_gpu or 1)), 1)

    def next_at(self) -> float:
        ends = [task.ends_at for task in self._tasks.values()]
        if self._mailbox.makes_room:
            ends += [task.marks[1] for task in self._tasks.values() if task.epoch == 0 and len(task.marks) > 1]
        if self._tasks:
            cut = self._deadline.cut_at
            return min([*ends, *([] if cut is None else [max(cut, self._at)])])
        leaves = self._worked_at + (self._manifest.idle_seconds or math.inf)
        return leaves if leaves > self._looked_at else math.inf

    def step(self, at: float) -> bool:
        moves, due = self._moves, at >= self.next_at()
        self._at = at
        for task in list(self._tasks.values()):
            self._report_epochs(task)
            if task.ends_at <= at:
                self._end(task, exit=0)
        if due or at >= self._looked_at + POLL_SECONDS:
            self._look()
        if at - self._wrote_at >= self._manifest.word_seconds:
            self._write("here")
        self._journal.flush()
        return self._moves > moves

    def shut_down(self, at: float) -> None:
        self._at = at
        for task in list(self._tasks.values()):
            self._report_epochs(task)
        self._shut_down()
        self._leave()
        self._journal.flush()

    def _look(self) -> None:
        self._looked_at = self._at
        self._mailbox.read_orders()
        self._obey()
        self._mailbox.read_tasks()
        self._claim()
        idle = 0 < self._manifest.idle_seconds <= self._at - self._worked_at
        unfit = self._mailbox.unfit and not self._mailbox.held
        waits = not self._mailbox.closed if self._mailbox.empty else not unfit
        if not self._tasks and (self._closing or not waits or (idle and (self._mailbox.empty or self._mailbox.held))):
            self._leave()

    def _obey(self) -> None:
        box = self._mailbox
        self._closing = self._closing or box.drained
        if box.time_limit is not None:
            self._deadline.limit(box.time_limit)
        if box.yields is not None:
            self._deadline.yield_at(box.yields)
        turn = self._manifest.turn_seconds
        took_turn = turn is not None and self._at - self._began >= turn
        self._closing = self._closing or self._deadline.warning_due or took_turn
        if self._deadline.cut_due:
            made_way = self._deadline.cause == "preempted"
            self._shut_down(self._deadline.cause, self._deadline.reason, made_way=made_way)
        if box.dismissed:
            self._shut_down()
        for identity, task in list(self._tasks.items()):
            order = box.orders.get(identity)
            if order is not None:
                self._closing = self._closing or order == "resize"
                self._end(task, by=order)
            elif box.makes_room and task.epoch:
                self._end(task, by="shutdown", cause="yielded", reason=box.makes_room, made_way=True)

    def _claim(self) -> None:
        while len(self._tasks) < self._places and not (self._closing or self._mailbox.drained or self._mailbox.held):
            attempt = self._mailbox.claim(math.inf, lambda one: self._deadline.fits(one.seconds))
            if attempt is None:
                return
            self._claimed += 1
            self._closing = self._closing or self._claimed == self._manifest.tasks
            self._begin(attempt)

    def _begin(self, attempt: QueuedAttempt) -> None:
        course = self._courses(self._manifest.job, attempt, self._gpus)
        done = min(self._saved(attempt), len(course.epochs))
        marks = list(accumulate(course.epochs[done:], initial=self._at + course.start))
        task = self._tasks[attempt.identity] = SimulatedTask(attempt, done, marks)
        self._worked_at = self._at
        self._report(task, "started", pid=1, node=self._node, device=self._device)
        if course.epochs:
            self._report(task, "total", epochs=len(course.epochs))

    def _report_epochs(self, task: SimulatedTask) -> None:
        now = self._at
        while task.told + 1 < len(task.marks) and task.marks[task.told + 1] <= now:
            task.told += 1
            self._at = task.marks[task.told]
            value = {self._manifest.objective or "loss": 1.0 / (1 + task.epoch)}
            self._report(task, "metric", step=float(task.epoch), epoch=float(task.epoch), v=value)
            if task.told == 1 and task.attempt.size is not None:
                self._report(task, "saved")
        self._at = now

    def _shut_down(self, cause: str | None = None, reason: str | None = None, *, made_way: bool = False) -> None:
        self._closing = True
        for task in list(self._tasks.values()):
            self._end(task, by="shutdown", cause=cause, reason=reason, **({"made_way": True} if made_way else {}))

    def _end(self, task: SimulatedTask, exit: int | None = None, by: str | None = None, **more: Any) -> None:
        del self._tasks[task.attempt.identity]
        if exit is None:
            self._save(task)
        else:
            self._deadline.learn(task.ends_at - task.marks[0])
        self._worked_at = self._at
        self._report(task, "ended", exit=exit, signal=None if exit == 0 else 15, by=by, **more)

    def _leave(self) -> None:
        if not self.left:
            self.left = True
            self._write("bye")

    def _checkpoint(self, task: str) -> Path:
        folder = layout.task(self._manifest.job_dir, self._manifest.job, task)
        return Path(layout.checkpoint(folder), CHECKPOINT)

    def _save(self, task: SimulatedTask) -> None:
        if task.epoch:
            path = self._checkpoint(task.attempt.task)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(str(task.epoch))

    def _saved(self, attempt: QueuedAttempt) -> int:
        """Return how many epochs a resumed attempt need not repeat."""
        if not attempt.resume and attempt.source is None:
            return 0
        try:
            return int(self._checkpoint(attempt.source or attempt.task).read_text())
        except (OSError, ValueError):
            return 0

    def _report(self, task: SimulatedTask, kind: str, **fields: Any) -> None:
        self._write(kind, task=task.attempt.task, attempt=task.attempt.number, **fields)

    def _write(self, kind: str, **fields: Any) -> None:
        self._wrote_at = self._at
        self._moves += kind not in PROGRESS
        self._journal.write(kind, **fields)

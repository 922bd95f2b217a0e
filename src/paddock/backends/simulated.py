"""A pretended cluster: nodes whose GPUs are only counted. `simulated_runners` has its runners, without processes.

It has the time of a clock that somebody else moves. All that happens until then happens in `advance`, each thing at its
own time. The runners claim, obey and report with the mailbox, the deadline and the journal of the real one, so a job
folder looks as if real ones had been there. How long a task takes is given by a function.
"""

import math
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from paddock.backends.base import Enforcement, PollPace, WantedReservation
from paddock.backends.simulated_runners import Courses, Devices, SimulatedRunner
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

QUEUED = Traits(queued=True, multi_node=True, counts_memory=True, counts_cores_of_gpu_tasks=True)
WAITS, HELD = "Resources", "JobHeldUser"


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
    ready_at: float = 0.0  # the scheduler does not start it before
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
        start_seconds: float = 0.0,
    ) -> None:
        """`runners`: make what an allocation runs, in place of a pretended runner.

        `start_seconds`: how long the scheduler takes to start something after it was submitted, or after its place has
        become free.
        """
        self.traits = traits
        self.allocations: dict[str, SimulatedAllocation] = {}
        self.moves = 0  # how much has happened so far, besides progress
        self._nodes = {node.name: node for node in nodes}
        self._clock = clock
        self._at = clock.now()
        self._make_runner = runners or (lambda one: SimulatedRunner(one.folder, one.places, courses, self._at))
        self._start_seconds = start_seconds
        self._lock = threading.RLock()
        self._running: dict[str, SimulatedAllocation] = {}
        self._runners: dict[str, AnyRunner] = {}
        self._waiting: list[SimulatedAllocation] = []
        self._clearing: list[SimulatedAllocation] = []  # ended, and the scheduler gives their places to others later

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
            times = [one.next_at() for one in self._runners.values()]
            if self._start_seconds and self._waiting:
                times += [self._clear_at(one) for one in self._clearing]
                times += [one.ready_at for one in self._waiting if one.ready_at > self._at]
            return min(times, default=math.inf)

    def _clear_at(self, one: SimulatedAllocation) -> float:
        return (one.ended_at or 0.0) + self._start_seconds

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
                    ready_at=self._at + self._start_seconds,
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
        self._clearing = [one for one in self._clearing if self._clear_at(one) > self._at]
        self._waiting.sort(key=lambda one: (one.nice, one.number))
        until = math.inf
        for one in [one for one in self._waiting if not one.held and one.ready_at <= self._at]:
            if until < math.inf and self._at + (one.time_limit or math.inf) > until:
                continue
            places = self._room(one.resources, [*self._running.values(), *self._clearing])
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
        if self._start_seconds and one.key in self._running:
            self._clearing.append(one)
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
        nodes = [*one.places]
        about = {"node": next(iter(nodes), None), "others": tuple(nodes[1:]), "reason": reason, "cause": one.cause}
        return AllocationStatus(state=one.state, **about)


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

"""Run allocations on this node, in a queue for its GPUs or its CPU slots.

Runners have their own session, so they outlive the server. `folder` contains one small file per allocation, so that a
restarted server finds the queue and the runners that it had started.
"""

import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from paddock.backends import processes
from paddock.backends.base import PollPace
from paddock.backends.devices import NodeWatch, find_gpus
from paddock.common import files, variables
from paddock.common.cores import deal
from paddock.models import (
    AllocationBatch,
    AllocationChange,
    AllocationState,
    AllocationStatus,
    Cause,
    Check,
    Device,
    Node,
)
from paddock.paths import write_once
from paddock.rules.load import with_measurements
from paddock.settings import LocalSettings


@dataclass(frozen=True)
class Entry:
    """What the file of one allocation contains."""

    key: str
    order: float
    spec: dict[str, Any]
    state: str = AllocationState.PENDING.value
    pid: int | None = None
    start: int | None = None
    devices: list[str] = field(default_factory=list)
    slots: list[int] = field(default_factory=list)
    reason: str | None = None
    cause: str | None = None
    held: bool = False
    cancelled_at: float | None = None

    @property
    def request(self) -> "LocalRequest":
        return LocalRequest(self.spec["folder"], self.spec["runner"], self.spec["gpus"], self.spec["cpus"])


@dataclass(frozen=True)
class LocalRequest:
    folder: str
    runner: list[str]
    gpus: int
    cpus: int


class LocalBackend:
    pace = PollPace()
    sure = True
    queued: int | None = None

    def __init__(
        self, folder: Path, settings: LocalSettings, name: str = "local", *, stuck_seconds: float = 15.0
    ) -> None:
        """`stuck_seconds`: a runner that was asked to end is killed this long after its grace period."""
        self.name = name
        self._stuck_seconds = stuck_seconds
        self._folder = folder
        self._gpus = find_gpus(settings.gpus)
        self._watch = NodeWatch(self._gpus)
        self._slots = settings.slots or len(os.sched_getaffinity(0))
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._reported: set[str] = set()
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._entries = {entry.key: self._adopt(entry) for entry in map(_load, sorted(folder.glob("*.json"))) if entry}

    def submit(self, batch: AllocationBatch) -> Sequence[str]:
        size = {"gpus": batch.resources.gpus or 0, "cpus": batch.resources.cpus or 1, "grace": batch.grace_seconds}
        with self._lock:
            for number, key in enumerate(batch.keys):
                if key not in self._entries:
                    spec = {"folder": batch.folder_of(number), "runner": batch.command_of(number), **size}
                    self._keep(Entry(key, time.time(), spec))
            self._start_waiting()
            return batch.keys

    def poll(self, ids: Sequence[str]) -> Mapping[str, AllocationStatus]:
        with self._lock:
            for entry in list(self._entries.values()):
                if entry.state == AllocationState.RUNNING:
                    if self._is_overdue(entry):
                        processes.kill_marked(entry.key)
                    if not self._runs(entry):
                        self._end(entry)
            self._start_waiting()
            self._forget(self._reported - set(ids))
            asked = [self._entries[key] for key in ids if key in self._entries]
            self._reported = {entry.key for entry in asked if entry.state == AllocationState.ENDED}
            gpus, slots = self._free()
            return {entry.key: self._status(entry, len(gpus), len(slots)) for entry in asked}

    def cancel(self, ids: Sequence[str], *, waiting_only: bool = False) -> None:
        with self._lock:
            for entry in [self._entries[key] for key in ids if key in self._entries]:
                if entry.state == AllocationState.PENDING:
                    self._keep(replace(entry, state=AllocationState.ENDED.value, reason="cancelled before it started"))
                elif waiting_only:
                    continue
                elif entry.state == AllocationState.RUNNING and entry.pid and self._runs(entry):
                    if entry.cancelled_at is None:
                        self._keep(replace(entry, cancelled_at=time.time()))
                    with suppress(ProcessLookupError):
                        os.kill(entry.pid, signal.SIGTERM)  # the runner ends its tasks, then itself

    def trace(self, ids: Sequence[str]) -> Mapping[str, AllocationStatus]:
        return {}  # poll lists everything that is known

    def change(self, ids: Sequence[str], change: AllocationChange) -> None:
        """Hold or release allocations that wait. Limits are the runner's task here."""
        with self._lock:
            for entry in [self._entries[key] for key in ids if key in self._entries]:
                if change.held is not None and entry.held != change.held:
                    self._keep(replace(entry, held=change.held))
            self._start_waiting()

    def script(self, batch: AllocationBatch) -> str | None:
        return None

    def check(self, batch: AllocationBatch) -> Check:
        return Check(accepted=True, message="runs on this node as soon as enough of it is free")

    def nodes(self) -> Sequence[Node]:
        with self._lock:
            running = [e for e in self._entries.values() if e.state == AllocationState.RUNNING]
            users = {gpu.id: [e.key for e in running if gpu.id in e.devices] for gpu in self._gpus}
            in_use = {gpu: {"used_by": keys, "busy": bool(keys)} for gpu, keys in users.items()}
            devices = [gpu.model_copy(update=in_use[gpu.id]) for gpu in self._gpus]
            for slot in range(self._slots):
                used = [e.key for e in running if slot in e.slots]
                devices.append(Device(id=str(slot), kind="cpu", name="CPU slot", used_by=used, busy=bool(used)))
        sample = self._watch.sample()
        kind = "gpu" if self._gpus else "cpu"
        of_kind = [device for device in devices if device.kind == kind]
        node = Node(
            name=socket.gethostname(),
            backend=self.name,
            cpus=sample.cores,
            cpus_used=sample.busy,
            memory=sample.memory,
            memory_free=sample.free,
            slots=len(of_kind),
            slots_used=sum(device.busy for device in of_kind),
            cpu_slots=self._slots,
            devices=devices,
        )
        return [with_measurements(node, sample)]

    # --- the queue ------------------------------------------------------------------------------------------------

    def _start_waiting(self) -> None:
        """Start allocations in their order. Those with GPUs and those without do not wait for each other."""
        waiting = [e for e in self._entries.values() if e.state == AllocationState.PENDING and not e.held]
        blocked: set[bool] = set()
        for entry in sorted(waiting, key=lambda e: (e.order, e.key)):
            request = entry.request
            needs_gpu = request.gpus > 0
            if needs_gpu in blocked:
                continue
            placed = self._place(request)
            if placed is None:
                blocked.add(needs_gpu)
            else:
                self._start(entry, *placed)

    def _place(self, request: LocalRequest) -> tuple[list[str], list[int]] | None:
        gpus, slots = self._free()
        if request.gpus:
            return (gpus[: request.gpus], []) if len(gpus) >= request.gpus else None
        return ([], slots[: request.cpus]) if len(slots) >= request.cpus else None

    def _free(self) -> tuple[list[str], list[int]]:
        """Return the free GPUs and CPU slots."""
        running = [e for e in self._entries.values() if e.state == AllocationState.RUNNING]
        used = {device for e in running for device in e.devices}
        taken = {slot for e in running for slot in e.slots}
        return [g.id for g in self._gpus if g.id not in used], [s for s in range(self._slots) if s not in taken]

    def _status(self, entry: Entry, gpus: int, slots: int) -> AllocationStatus:
        """Return its state; for one that waits, with the reason, given the numbers of free GPUs and CPU slots."""
        state, needs = AllocationState(entry.state), entry.request
        if state is AllocationState.PENDING:
            kind = (needs.gpus, gpus, len(self._gpus), "GPU")
            kind = kind if needs.gpus else (needs.cpus, slots, self._slots, "CPU slot")
            why = "held: release it to let it start" if entry.held else _why(*kind)
            return AllocationStatus(state=state, reason=why, never=kind[0] > kind[2])
        return AllocationStatus(
            state=state,
            node=socket.gethostname() if entry.pid else None,
            reason=entry.reason,
            cause=Cause(entry.cause) if entry.cause else None,
        )

    def _start(self, entry: Entry, devices: list[str], slots: list[int]) -> None:
        request = entry.request
        # Its devices are stored first: a server that is killed in between must not give them to another allocation.
        entry = replace(entry, devices=devices, slots=slots)
        self._keep(entry)
        environment = variables.ordinary(os.environ)
        environment |= {processes.MARK: entry.key, "PADDOCK_DEVICE": _device_name(devices, slots)}
        environment["PADDOCK_CORES"] = ",".join(map(str, self._cores(devices, slots)))
        if devices:
            environment["CUDA_VISIBLE_DEVICES"] = ",".join(devices)
        elif self._gpus:
            environment["CUDA_VISIBLE_DEVICES"] = ""
        try:
            with _log(request.folder) as log:
                child = subprocess.Popen(
                    request.runner,
                    cwd=request.folder,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
        except OSError as error:
            ended = AllocationState.ENDED.value
            self._keep(replace(entry, state=ended, cause=Cause.LAUNCH_FAILED.value, reason=f"the runner: {error}"))
            return
        self._children[entry.key] = child
        running = AllocationState.RUNNING.value
        start = processes.started(child.pid)
        self._keep(replace(entry, state=running, pid=child.pid, start=start))

    def _cores(self, devices: list[str], slots: list[int]) -> list[int]:
        """Return an equal share of the cores, so that allocations do not slow down each other."""
        places = [gpu.id for gpu in self._gpus] if devices else list(range(self._slots))
        dealt = deal(len(places), sorted(os.sched_getaffinity(0)))
        mine: list[str] | list[int] = devices or slots
        return sorted({core for place, own in zip(places, dealt, strict=True) if place in mine for core in own})

    def _runs(self, entry: Entry) -> bool:
        child = self._children.get(entry.key)
        if child is not None:
            return child.poll() is None
        return entry.pid is not None and processes.alive(entry.pid, entry.start)

    def _is_overdue(self, entry: Entry) -> bool:
        """Return True if it was asked to end and the time for that is over: it is suspended, or hangs."""
        grace = entry.spec.get("grace", 0) + self._stuck_seconds
        return entry.cancelled_at is not None and time.time() - entry.cancelled_at > grace

    def _end(self, entry: Entry) -> None:
        processes.kill_marked(entry.key)
        if processes.marked(entry.key):
            return  # a process that does not die at once is found again by the next poll
        self._children.pop(entry.key, None)
        self._keep(replace(entry, state=AllocationState.ENDED.value))

    # --- what is kept -----------------------------------------------------------------------------------------------

    def _adopt(self, entry: Entry) -> Entry:
        """Find the runners of entries that wait: a server may have been killed before it stored the process id."""
        if entry.state == AllocationState.PENDING:
            found = [(start, pid) for pid in processes.marked(entry.key) if (start := processes.started(pid))]
            if found:  # the first of them is the runner, the others are its children
                start, pid = min(found)
                return replace(entry, state=AllocationState.RUNNING.value, pid=pid, start=start)
        return entry

    def _keep(self, entry: Entry) -> None:
        write_once(self._folder / f"{entry.key}.json", json.dumps(asdict(entry)), mode=0o600)
        self._entries[entry.key] = entry

    def _forget(self, keys: set[str]) -> None:
        """Forget ended allocations that the caller knows to have ended and does not ask about any more."""
        for key in keys & set(self._entries):
            (self._folder / f"{key}.json").unlink(missing_ok=True)
            del self._entries[key]


@contextmanager
def _log(folder: str) -> Iterator[int]:
    """Open the log for the runner's own output, in the job's folder."""
    path = Path(folder, "out.log")
    log = files.open_plain(str(path), os.O_WRONLY | os.O_APPEND | os.O_CREAT, below=str(path.parents[2]))
    try:
        os.set_blocking(log, True)
        yield log
    finally:
        os.close(log)


def _load(path: Path) -> Entry | None:
    try:
        return Entry(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):
        return None


def _device_name(devices: list[str], slots: list[int]) -> str:
    return "gpu " + ",".join(devices) if devices else "cpu " + ",".join(map(str, slots))


def _why(wanted: int, free: int, whole: int, what: str) -> str:
    """Return the reason why this many are not available."""
    needs = f"needs {wanted} {what}" + ("s" if wanted > 1 else "")
    if wanted > whole:
        return f"{needs}, and this node has {whole or 'none'}"
    if not free:
        return f"{f'the {what}' if whole == 1 else f'all {whole} {what}s'} of this node {_are(whole)} in use"
    if wanted > free:
        return f"{needs}, and {free} of {whole} on this node {_are(free)} free"
    return f"comes after one that needs more {what}s than are free"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"

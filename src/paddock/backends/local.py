"""Run allocations on this node, on the devices that the engine has chosen.

Runners have their own session, so they outlive the server. `folder` contains one small file per allocation, so that a
restarted server finds the runners that it had started.
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
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from paddock.agents.answers import FarProcess
from paddock.agents.links import Links
from paddock.backends import processes
from paddock.backends.base import PollPace
from paddock.backends.devices import NodeWatch, find_gpus
from paddock.backends.far_runners import FarNews, FarRunner, FarRunners
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
    Traits,
)
from paddock.paths import write_once
from paddock.rules.load import with_measurements
from paddock.settings import LocalSettings


@dataclass(frozen=True)
class Entry:
    """What the file of one allocation contains."""

    key: str
    spec: dict[str, Any]  # folder, runner, grace
    state: str = AllocationState.PENDING.value
    pid: int | None = None
    start: int | None = None
    devices: list[str] = field(default_factory=list)
    slots: list[int] = field(default_factory=list)
    reason: str | None = None
    cause: str | None = None
    cancelled_at: float | None = None

    @property
    def user(self) -> str | None:
        """Return whose processes it has; None: the server's own."""
        return self.spec.get("user")

    @property
    def places(self) -> set[tuple[str, str]]:
        return {("gpu", one) for one in self.devices} | {("cpu", str(one)) for one in self.slots}


class LocalBackend:
    traits = Traits()
    pace = PollPace()
    sure = True
    queue_length: int | None = None

    def __init__(
        self,
        folder: Path,
        settings: LocalSettings,
        name: str = "local",
        *,
        stuck_seconds: float = 15.0,
        links: Links | None = None,
    ) -> None:
        """`stuck_seconds`: a runner that was asked to end is killed this long after its grace period.

        `links`: how runners are started as somebody else.
        """
        self.name = name
        self._stuck_seconds = stuck_seconds
        self._folder = folder
        self._gpus = find_gpus(settings.gpus)
        self._watch = NodeWatch(self._gpus)
        self._slots = settings.slots or len(os.sched_getaffinity(0))
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._reported: set[str] = set()
        self._lock = threading.Lock()
        self._far = FarRunners(links, self._hear) if links else None
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._entries: dict[str, Entry] = {}
        for entry in map(_load, sorted(folder.glob("*.json"))):
            if entry is not None:
                self._adopt(entry)

    def submit(self, batch: AllocationBatch) -> Sequence[str]:
        """Start allocations on their places. The first one whose place is in use, and those after it, never exist."""
        with self._lock:
            for number, (key, place) in enumerate(zip(batch.keys, batch.places, strict=False)):
                if key in self._entries:
                    continue
                spec = {"folder": batch.folder_of(number), "runner": batch.command_of(number), "user": batch.user}
                entry = Entry(key, {**spec, "grace": batch.grace_seconds})
                if batch.resources.gpus:
                    entry = replace(entry, devices=place.devices)
                else:
                    entry = replace(entry, slots=[int(one) for one in place.devices])
                if not entry.places <= self._free():
                    return batch.keys[:number]
                self._start(entry)
            if batch.user:
                self._look(batch.user)
            return batch.keys[: len(batch.places)]

    def poll(self, ids: Sequence[str]) -> Mapping[str, AllocationStatus]:
        with self._lock:
            for user in {entry.user for entry in self._entries.values() if entry.user}:
                self._look(user)
            for entry in list(self._entries.values()):
                if entry.state == AllocationState.RUNNING and not entry.user:
                    if self._is_overdue(entry):
                        processes.kill_marked(entry.key)
                    if not self._runs(entry):
                        self._end(entry)
            self._forget(self._reported - set(ids))
            asked = [self._entries[key] for key in ids if key in self._entries]
            self._reported = {entry.key for entry in asked if entry.state == AllocationState.ENDED}
            return {entry.key: _status(entry) for entry in asked}

    def cancel(self, ids: Sequence[str], *, waiting_only: bool = False) -> None:
        with self._lock:
            for entry in [self._entries[key] for key in ids if key in self._entries]:
                running = entry.state == AllocationState.RUNNING
                if entry.user:
                    self._cancel_far(entry, waiting_only)
                elif running and not waiting_only and entry.pid and self._runs(entry):
                    if entry.cancelled_at is None:
                        self._keep(replace(entry, cancelled_at=time.time()))
                    with suppress(ProcessLookupError):
                        os.kill(entry.pid, signal.SIGTERM)  # the runner ends its tasks, then itself

    def trace(self, ids: Sequence[str]) -> Mapping[str, AllocationStatus]:
        return {}  # poll lists everything that is known

    def change(self, ids: Sequence[str], change: AllocationChange) -> None:
        """Do nothing: no allocation waits here, and limits are the runner's task."""

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

    # --- runners --------------------------------------------------------------------------------------------------

    def _free(self) -> set[tuple[str, str]]:
        """Return the kinds and ids of the free GPUs and CPU slots."""
        own = {("gpu", gpu.id) for gpu in self._gpus} | {("cpu", str(slot)) for slot in range(self._slots)}
        return own.difference(*(e.places for e in self._entries.values() if e.state != AllocationState.ENDED))

    def _start(self, entry: Entry) -> None:
        # Its devices are stored first: a server that is killed in between must not give them to another allocation.
        self._keep(entry)
        if entry.user:
            return  # in the thread of that person
        folder = entry.spec["folder"]
        try:
            with _log(folder) as log:
                child = subprocess.Popen(
                    entry.spec["runner"],
                    cwd=folder,
                    env=variables.ordinary(os.environ) | self._environment(entry),
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

    def _environment(self, entry: Entry) -> dict[str, str]:
        """Return the variables by which a runner knows its devices."""
        found = {processes.MARK: entry.key, "PADDOCK_DEVICE": _device_name(entry.devices, entry.slots)}
        found["PADDOCK_CORES"] = ",".join(map(str, self._cores(entry.devices, entry.slots)))
        if entry.devices or self._gpus:
            found["CUDA_VISIBLE_DEVICES"] = ",".join(entry.devices)
        return found

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

    # --- runners of other people --------------------------------------------------------------------------------------

    def _look(self, user: str) -> None:
        """Have the thread of a person look after that person's runners."""
        if self._far is None:
            return
        mine = [e for e in self._entries.values() if e.user == user and e.state != AllocationState.ENDED]
        self._far.look(user, [self._runner(entry) for entry in mine])

    def _runner(self, entry: Entry) -> FarRunner:
        return FarRunner(
            key=entry.key,
            folder=entry.spec["folder"],
            argv=entry.spec["runner"],
            environment=self._environment(entry),
            process=_process(entry),
            cancelled=entry.cancelled_at is not None,
            overdue=self._is_overdue(entry),
        )

    def _cancel_far(self, entry: Entry, waiting_only: bool) -> None:
        process = _process(entry)
        if self._far is None or entry.state == AllocationState.ENDED or (waiting_only and process):
            return
        if entry.cancelled_at is None:
            self._keep(replace(entry, cancelled_at=time.time()))
        if process and entry.user:
            self._far.terminate(entry.user, process)

    def _hear(self, key: str, news: FarNews) -> None:
        """Store what the thread of a person has found out."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None or entry.state == AllocationState.ENDED:
                return
            if news.waits is not None or (news.process is None and not news.ended):
                entry = replace(entry, reason=news.waits)
            elif news.process is not None:
                running = AllocationState.RUNNING.value
                entry = replace(entry, state=running, pid=news.process.pid, start=news.process.start, reason=None)
                if entry.cancelled_at is not None and self._far is not None and entry.user:
                    self._far.terminate(entry.user, news.process)
            else:
                cause = Cause.LAUNCH_FAILED.value if news.failed else None
                entry = replace(entry, state=AllocationState.ENDED.value, cause=cause, reason=news.failed)
            if entry != self._entries[key]:
                self._keep(entry)

    # --- what is kept -----------------------------------------------------------------------------------------------

    def _adopt(self, entry: Entry) -> None:
        """Take up an allocation that an earlier server started, perhaps without storing the id of its process."""
        if entry.state == AllocationState.PENDING and not entry.user:
            found = [(start, pid) for pid in processes.marked(entry.key) if (start := processes.started(pid))]
            if found:  # the first of them is the runner, the others are its children
                start, pid = min(found)
                entry = replace(entry, state=AllocationState.RUNNING.value, pid=pid, start=start)
            elif "gpus" in entry.spec:  # it waited in the queue that an older version had here
                ended, why = AllocationState.ENDED.value, Cause.PREEMPTED.value
                entry = replace(entry, state=ended, cause=why, reason="requested again by a newer version")
            else:  # the server was killed before it started: it will be submitted again
                (self._folder / f"{entry.key}.json").unlink(missing_ok=True)
                return
        self._entries[entry.key] = entry

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
        known = {one.name for one in fields(Entry)}
        return Entry(**{name: value for name, value in json.loads(path.read_text()).items() if name in known})
    except (OSError, ValueError, TypeError, AttributeError):
        return None


def _process(entry: Entry) -> FarProcess | None:
    return None if entry.pid is None or entry.start is None else FarProcess(entry.pid, entry.start)


def _device_name(devices: list[str], slots: list[int]) -> str:
    return "gpu " + ",".join(devices) if devices else "cpu " + ",".join(map(str, slots))


def _status(entry: Entry) -> AllocationStatus:
    return AllocationStatus(
        state=AllocationState(entry.state),
        node=socket.gethostname() if entry.pid else None,
        reason=entry.reason,
        cause=Cause(entry.cause) if entry.cause else None,
    )

"""Run allocations on this node, on the devices that the engine has chosen.

Runners have their own session, so they outlive the server. `folder` contains one small file per allocation, so that a
restarted server finds the runners that it had started.
"""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from paddock.agents.links import Links
from paddock.backends import processes
from paddock.backends.base import PROTECT_SECONDS, Enforcement, PollPace, WantedReservation
from paddock.backends.devices import NodeWatch, find_gpus
from paddock.backends.entries import Entries, Entry, Equipment
from paddock.backends.far_runners import FarEntries, Whose
from paddock.common import files, variables
from paddock.models import (
    AllocationBatch,
    AllocationChange,
    AllocationState,
    AllocationStatus,
    Cause,
    Check,
    HostInfo,
    Node,
    Traits,
)
from paddock.rules.giving_way import Others
from paddock.rules.load import with_measurements
from paddock.settings import LocalSettings


class LocalBackend:
    traits = Traits()
    sure = True
    hides_others = False
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
        self.pace = PollPace() if settings.protect == "off" else PollPace(nodes=PROTECT_SECONDS)
        self._stuck_seconds = stuck_seconds
        cores = sorted(os.sched_getaffinity(0))
        self._equipment = Equipment(find_gpus(settings.gpus), settings.slots or len(cores), cores)
        self._watch = NodeWatch(self._equipment.gpus)
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._entries = Entries(folder)
        self._lock = self._entries.lock
        self._far: FarEntries | None = None
        if links is not None:
            known = links
            self._far = FarEntries(
                self._entries, lambda whose: known.get(whose.user or ""), self._equipment.environment, stuck_seconds
            )
        for entry in self._entries.all():
            self._adopt(entry)

    def submit(self, batch: AllocationBatch) -> Sequence[str]:
        """Start allocations on their places. The first one whose place is in use, and those after it, never exist."""
        with self._lock:
            for number, key in enumerate(batch.keys[: len(batch.places)]):
                if self._entries.get(key) is not None:
                    continue
                entry = Entry.of(batch, number)
                if not entry.places <= self._equipment.free(self._entries.all()):
                    return batch.keys[:number]
                self._start(entry)
            if batch.user:
                self._look(batch.user)
            return batch.keys[: len(batch.places)]

    def poll(self, ids: Sequence[str]) -> Mapping[str, AllocationStatus]:
        with self._lock:
            for user in {entry.user for entry in self._entries.all() if entry.user}:
                self._look(user)
            for entry in self._entries.all():
                if entry.state == AllocationState.RUNNING and not entry.user:
                    if entry.is_overdue(self._stuck_seconds):
                        processes.kill_marked(entry.key)
                    if not self._runs(entry):
                        self._end(entry)
            return {entry.key: entry.status(socket.gethostname()) for entry in self._entries.asked(ids)}

    def cancel(self, ids: Sequence[str], *, waiting_only: bool = False) -> None:
        with self._lock:
            for entry in self._entries.those(ids):
                running = entry.state == AllocationState.RUNNING
                if entry.user and self._far is not None:
                    self._far.cancel(entry, waiting_only)
                elif running and not waiting_only and not entry.user and entry.pid and self._runs(entry):
                    if entry.cancelled_at is None:
                        self._entries.keep(replace(entry, cancelled_at=time.time()))
                    with suppress(ProcessLookupError):
                        os.kill(entry.pid, signal.SIGTERM)  # the runner ends its tasks, then itself

    def trace(self, ids: Sequence[str]) -> Mapping[str, AllocationStatus]:
        return {}  # poll lists everything that is known

    def change(self, ids: Sequence[str], change: AllocationChange) -> None:
        """Do nothing: no allocation waits here, and limits are the runner's task."""

    def reserve(self, wanted: Sequence[WantedReservation], known: Collection[str]) -> Mapping[str, Enforcement]:
        """Do nothing: the policy keeps others away from what is reserved."""
        return {}

    def others(self) -> Others | None:
        return None

    def hosts(self) -> Sequence[HostInfo]:
        return ()

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def script(self, batch: AllocationBatch) -> str | None:
        return None

    def check(self, batch: AllocationBatch) -> Check:
        return Check(accepted=True, message="runs on this node as soon as enough of it is free")

    def nodes(self) -> Sequence[Node]:
        with self._lock:
            devices = self._equipment.devices(self._entries.all())
        sample = self._watch.sample()
        kind = "gpu" if self._equipment.gpus else "cpu"
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
            cpu_slots=self._equipment.slots,
            devices=devices,
        )
        return [with_measurements(node, sample)]

    # --- runners --------------------------------------------------------------------------------------------------

    def _start(self, entry: Entry) -> None:
        # Its devices are stored first: a server that is killed in between must not give them to another allocation.
        self._entries.keep(entry)
        if entry.user:
            return  # in the thread of that person
        folder = entry.spec["folder"]
        try:
            with _log(folder) as log:
                child = subprocess.Popen(
                    entry.spec["runner"],
                    cwd=folder,
                    env=variables.ordinary(os.environ) | self._equipment.environment(entry),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
        except OSError as error:
            ended, why = AllocationState.ENDED.value, Cause.LAUNCH_FAILED.value
            self._entries.keep(replace(entry, state=ended, cause=why, reason=f"the runner: {error}"))
            return
        self._children[entry.key] = child
        running = AllocationState.RUNNING.value
        start = processes.started(child.pid)
        self._entries.keep(replace(entry, state=running, pid=child.pid, start=start))

    def _look(self, user: str) -> None:
        """Have the thread of a person look after that person's runners."""
        if self._far is not None:
            self._far.look(Whose(None, user), [entry for entry in self._entries.all() if entry.user == user])

    def _runs(self, entry: Entry) -> bool:
        child = self._children.get(entry.key)
        if child is not None:
            return child.poll() is None
        return entry.pid is not None and processes.alive(entry.pid, entry.start)

    def _end(self, entry: Entry) -> None:
        processes.kill_marked(entry.key)
        if processes.marked(entry.key):
            return  # a process that does not die at once is found again by the next poll
        self._children.pop(entry.key, None)
        self._entries.keep(replace(entry, state=AllocationState.ENDED.value))

    def _adopt(self, entry: Entry) -> None:
        """Take up an allocation that an earlier server started, perhaps without storing the id of its process."""
        if entry.state != AllocationState.PENDING or entry.user:
            return
        found = [(start, pid) for pid in processes.marked(entry.key) if (start := processes.started(pid))]
        if found:  # the first of them is the runner, the others are its children
            start, pid = min(found)
            self._entries.keep(replace(entry, state=AllocationState.RUNNING.value, pid=pid, start=start))
        elif "gpus" in entry.spec:  # it waited in the queue that an older version had here
            ended, why = AllocationState.ENDED.value, Cause.PREEMPTED.value
            self._entries.keep(replace(entry, state=ended, cause=why, reason="requested again by a newer version"))
        else:  # the server was killed before it started: it will be submitted again
            self._entries.drop(entry.key)


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

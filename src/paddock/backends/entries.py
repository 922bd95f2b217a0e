"""What backends without a scheduler keep of their allocations: one small file each.

A restarted server finds in them the runners that an earlier one had started.
"""

import json
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from paddock.agents.answers import FarProcess
from paddock.backends import processes
from paddock.common.cores import deal
from paddock.models import AllocationBatch, AllocationState, AllocationStatus, Cause, Device
from paddock.paths import write_once


@dataclass(frozen=True)
class Entry:
    """What the file of one allocation contains."""

    key: str
    spec: dict[str, Any]  # folder, runner, user, grace
    state: str = AllocationState.PENDING.value
    pid: int | None = None
    start: int | None = None
    devices: list[str] = field(default_factory=list)
    slots: list[int] = field(default_factory=list)
    reason: str | None = None
    cause: str | None = None
    cancelled_at: float | None = None
    node: str | None = None  # None: this one
    boot: str | None = None  # the boot of its node in which the process was started, where that is known
    haunts: bool = False  # its node was declared lost: what it left there is to be killed when the node answers

    @classmethod
    def of(cls, batch: AllocationBatch, number: int, node: str | None = None) -> "Entry":
        """Return the entry of one allocation of a batch, on its place."""
        spec = {"folder": batch.folder_of(number), "runner": batch.command_of(number), "user": batch.user}
        devices = batch.places[number].devices
        entry = cls(batch.keys[number], {**spec, "grace": batch.grace_seconds}, node=node)
        if batch.resources.gpus:
            return replace(entry, devices=devices)
        return replace(entry, slots=[int(one) for one in devices])

    @property
    def user(self) -> str | None:
        """Return whose processes it has; None: the server's own."""
        return self.spec.get("user")

    @property
    def ended(self) -> bool:
        return self.state == AllocationState.ENDED

    @property
    def places(self) -> set[tuple[str, str]]:
        return {("gpu", one) for one in self.devices} | {("cpu", str(one)) for one in self.slots}

    @property
    def process(self) -> FarProcess | None:
        return None if self.pid is None or self.start is None else FarProcess(self.pid, self.start)

    def is_overdue(self, stuck_seconds: float) -> bool:
        """Return True if it was asked to end and the time for that is over: it is suspended, or hangs."""
        grace = self.spec.get("grace", 0) + stuck_seconds
        return self.cancelled_at is not None and time.time() - self.cancelled_at > grace

    def status(self, here: str) -> AllocationStatus:
        """Return what the engine is told. `here` is the name of this node."""
        return AllocationStatus(
            state=AllocationState(self.state),
            node=(self.node or here) if self.pid else None,
            reason=self.reason,
            cause=Cause(self.cause) if self.cause else None,
        )


class Entries:
    """All entries, in memory and in a folder. `lock` is to be held for every use."""

    def __init__(self, folder: Path) -> None:
        self.lock = threading.Lock()
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._entries: dict[str, Entry] = {}
        for entry in map(_load, sorted(folder.glob("*.json"))):
            if entry is not None:
                self._entries[entry.key] = entry
        # Those that were reported to have ended.
        self._reported = {entry.key for entry in self._entries.values() if entry.haunts}

    def all(self) -> list[Entry]:
        return list(self._entries.values())

    def get(self, key: str) -> Entry | None:
        return self._entries.get(key)

    def those(self, keys: Iterable[str]) -> list[Entry]:
        """Return those of these that are known."""
        return [self._entries[key] for key in keys if key in self._entries]

    def keep(self, entry: Entry) -> None:
        if self._entries.get(entry.key) != entry:
            write_once(self._folder / f"{entry.key}.json", json.dumps(asdict(entry)), mode=0o600)
            self._entries[entry.key] = entry

    def drop(self, key: str) -> None:
        (self._folder / f"{key}.json").unlink(missing_ok=True)
        self._entries.pop(key, None)

    def asked(self, ids: Sequence[str]) -> list[Entry]:
        """Return what the caller asks about; forget what it knows to have ended and does not ask about any more."""
        left = self.those(self._reported - set(ids))
        for entry in left:
            if not entry.haunts:
                self.drop(entry.key)
        found = self.those(ids)
        self._reported = {entry.key for entry in found if entry.ended} | {one.key for one in left if one.haunts}
        return found


def _load(path: Path) -> Entry | None:
    try:
        known = {one.name for one in fields(Entry)}
        return Entry(**{name: value for name, value in json.loads(path.read_text()).items() if name in known})
    except (OSError, ValueError, TypeError, AttributeError):
        return None


@dataclass(frozen=True)
class Equipment:
    """What a node has to give: GPUs by id, CPU slots, and cores."""

    gpus: Sequence[Device]
    slots: int
    cores: Sequence[int]

    def free(self, entries: Iterable[Entry]) -> set[tuple[str, str]]:
        """Return the kinds and ids of the GPUs and CPU slots that none of these allocations of the node has."""
        own = {("gpu", gpu.id) for gpu in self.gpus} | {("cpu", str(slot)) for slot in range(self.slots)}
        return own.difference(*(entry.places for entry in entries if not entry.ended))

    def environment(self, entry: Entry) -> dict[str, str]:
        """Return the variables by which a runner knows its devices."""
        name = "gpu " + ",".join(entry.devices) if entry.devices else "cpu " + ",".join(map(str, entry.slots))
        found = {processes.MARK: entry.key, "PADDOCK_DEVICE": name}
        found["PADDOCK_CORES"] = ",".join(map(str, self._cores(entry)))
        if entry.devices or self.gpus:
            found["CUDA_VISIBLE_DEVICES"] = ",".join(entry.devices)
        return found

    def _cores(self, entry: Entry) -> list[int]:
        """Return an equal share of the cores, so that allocations do not slow down each other."""
        places = [gpu.id for gpu in self.gpus] if entry.devices else list(range(self.slots))
        dealt = deal(len(places), sorted(self.cores))
        mine: list[str] | list[int] = entry.devices or entry.slots
        return sorted({core for place, own in zip(places, dealt, strict=True) if place in mine for core in own})

    def devices(self, entries: Iterable[Entry]) -> list[Device]:
        """Return all devices, with the running ones of these allocations on them."""
        running = [entry for entry in entries if entry.state == AllocationState.RUNNING]
        slots = [Device(id=str(slot), kind="cpu", name="CPU slot") for slot in range(self.slots)]
        found = []
        for device in (*self.gpus, *slots):
            used = [entry.key for entry in running if (device.kind, device.id) in entry.places]
            found.append(device.model_copy(update={"used_by": used, "busy": bool(used)}))
        return found

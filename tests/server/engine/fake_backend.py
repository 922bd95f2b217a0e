"""A scripted backend, for tests of the engine."""

import threading
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from paddock.backends.base import Enforcement, PollPace, WantedReservation
from paddock.models import (
    AllocationBatch,
    AllocationChange,
    AllocationState,
    AllocationStatus,
    Cause,
    Check,
    Device,
    HostInfo,
    Node,
    Traits,
)
from paddock.rules.giving_way import Others


class FakeBackend:
    """Takes at most `takes` of a batch; what is in `trouble` is raised by the method of that name."""

    def __init__(self, name: str = "fake", pace: PollPace | None = None, slots: int = 4) -> None:
        self.name = name
        self.pace = pace or PollPace()
        self.slots = slots
        self.sure = True
        self.traits = Traits(queued=True)
        self.takes: int | None = None
        self.hides_others = False
        self.queue_length: int | None = None
        self.statuses: dict[str, AllocationStatus] = {}
        self.records: dict[str, AllocationStatus] = {}
        self.batches: list[AllocationBatch] = []
        self.changes: list[tuple[list[str], AllocationChange]] = []
        self.cancelled: list[str] = []
        self.withdrawn: list[str] = []  # those of them that were to be cancelled only if they wait
        self.users: dict[str, str] = {}  # device -> the allocation that uses it
        self.reserved: list[tuple[Sequence[WantedReservation], Collection[str]]] = []
        self.enforcements: dict[str, Enforcement] = {}  # by id; of others: yes
        self.seen_others: Others | None = None
        self.calls: list[str] = []
        self.trouble: dict[str, Exception] = {}
        self.open = threading.Event()
        self.open.set()

    def _call(self, name: str) -> None:
        self.open.wait(120)
        self.calls.append(name)
        if name in self.trouble:
            raise self.trouble[name]

    def submit(self, batch: AllocationBatch) -> Sequence[str]:
        self._call("submit")
        self.batches.append(batch)
        ids = [f"id-{key}" for key in batch.keys[: self.takes]]
        for one in ids:
            self.statuses.setdefault(one, AllocationStatus(state=AllocationState.PENDING))
        return ids

    def poll(self, ids: Sequence[str]) -> Mapping[str, AllocationStatus]:
        self._call("poll")
        return {one: self.statuses[one] for one in ids if one in self.statuses}

    def trace(self, ids: Sequence[str]) -> Mapping[str, AllocationStatus]:
        self._call("trace")
        return {one: self.records[one] for one in ids if one in self.records}

    def cancel(self, ids: Sequence[str], *, waiting_only: bool = False) -> None:
        self._call("cancel")
        self.cancelled += ids
        self.withdrawn += ids if waiting_only else []

    def change(self, ids: Sequence[str], change: AllocationChange) -> None:
        self._call("change")
        self.changes.append((list(ids), change))

    def nodes(self) -> Sequence[Node]:
        self._call("nodes")
        used = {place: [key] for place, key in self.users.items()}
        devices = [Device(id=str(n), kind="cpu", used_by=used.get(str(n), [])) for n in range(self.slots)]
        return [
            Node(
                name="n1",
                backend=self.name,
                cpus=self.slots,
                slots=self.slots,
                cpu_slots=self.slots,
                devices=devices,
            )
        ]

    def reserve(self, wanted: Sequence[WantedReservation], known: Collection[str]) -> Mapping[str, Enforcement]:
        self._call("reserve")
        self.reserved.append((wanted, known))
        return {one.id: self.enforcements.get(one.id, Enforcement("yes")) for one in wanted}

    def others(self) -> Others | None:
        self._call("others")
        return self.seen_others

    def hosts(self) -> Sequence[HostInfo]:
        return ()

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def script(self, batch: AllocationBatch) -> str | None:
        return f"# {batch.key}\n"

    def check(self, batch: AllocationBatch) -> Check:
        self._call("check")
        return Check(accepted=True, message=batch.key)

    # --- what happens on it -------------------------------------------------------------------------------------------

    def run(self, one: str, node: str = "n1") -> None:
        self.statuses[one] = AllocationStatus(state=AllocationState.RUNNING, node=node)

    def end(self, one: str, cause: Cause | None = None, **more: Any) -> None:
        self.statuses[one] = AllocationStatus(state=AllocationState.ENDED, node="n1", cause=cause, **more)

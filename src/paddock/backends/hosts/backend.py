"""Run allocations on machines that are reached by ssh, on the devices that the engine has chosen.

A host that does not answer keeps what it was given: nothing of it is started elsewhere until it answers, or until an
admin declares it lost. Then its allocations have ended; when it answers again, what is left of them there is killed
before it gets anything new.
"""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from paddock.agents.link import Link
from paddock.backends.base import PROTECT_SECONDS, Enforcement, PollPace, WantedReservation
from paddock.backends.entries import Entries, Entry
from paddock.backends.far_runners import FarEntries, Whose, whose
from paddock.backends.hosts.machine import Machine
from paddock.errors import BackendUnavailable
from paddock.models import (
    AllocationBatch,
    AllocationChange,
    AllocationState,
    AllocationStatus,
    Cause,
    Check,
    Node,
    Traits,
)
from paddock.models.hosts import HostInfo, ListedHost
from paddock.rules.giving_way import Others
from paddock.settings import HostsSettings

MACHINES = "machines"
FIRST_SECONDS = 2.5


class HostRoster(Protocol):
    """Which hosts there are: those of the settings, and those that people added."""

    def listed(self) -> Sequence[ListedHost]: ...

    def found(self, host: str) -> None:
        """Note that a host that was declared lost answers again, and that nothing of what it had is left there."""
        ...


class HostAgents(Protocol):
    """The agents on the hosts; see agents/host_links.py."""

    def get(self, host: str, user: str | None = None) -> Link: ...


class HostsBackend:
    hides_others = False
    queue_length: int | None = None

    def __init__(
        self,
        name: str,
        folder: Path,
        settings: HostsSettings,
        links: HostAgents,
        roster: HostRoster,
        *,
        stuck_seconds: float = 15.0,
    ) -> None:
        """`folder` is for what it keeps. `stuck_seconds`: as for the local backend."""
        self.name = name
        self.traits = Traits(dealt=not settings.shared_home)
        self._look_seconds, self.pace = settings.look_seconds, PollPace(0.2, 2.0, min(settings.look_seconds, 5.0))
        if settings.protect != "off":
            self._look_seconds, self.pace = min(settings.look_seconds, PROTECT_SECONDS), PollPace(0.2, 1.0, 0.5)
        # A runner on a host that was declared lost may go on, and see the job's folder if that is shared.
        self.sure = not settings.shared_home
        self._folder, self._settings, self._links, self._roster = folder, settings, links, roster
        self._machines: dict[str, Machine] = {}
        self._waited = False  # for a first answer
        self._entries = Entries(folder)
        self._lock = self._entries.lock
        self._far = FarEntries(
            self._entries, lambda one: links.get(one.host or "", one.user), self._environment, stuck_seconds
        )
        (folder / MACHINES).mkdir(exist_ok=True, mode=0o700)

    def submit(self, batch: AllocationBatch) -> Sequence[str]:
        """Start allocations on their places. The first one whose place is in use, and those after it, never exist.

        The same is true where the host has become silent or lost since it was chosen: nobody would start it elsewhere.
        """
        listed = self._listed()
        with self._lock:
            self._meet(listed)
            for number, place in enumerate(batch.places):
                if self._entries.get(batch.keys[number]) is not None:
                    continue
                entry = Entry.of(batch, number, place.node)
                if not self._takes_work(place.node, listed) or not entry.places <= self._free(place.node):
                    return batch.keys[:number]
                # Its devices are stored first: a server that is killed must not give them to another allocation.
                self._entries.keep(entry)
            self._look({place.node for place in batch.places})
            return batch.keys[: len(batch.places)]

    def poll(self, ids: Sequence[str]) -> Mapping[str, AllocationStatus]:
        listed = self._listed()
        lost = {one.name for one in listed.values() if one.lost_at is not None}
        with self._lock:
            self._meet(listed)
            for entry in self._entries.all():
                if entry.node in lost and not entry.ended:
                    ended, why = AllocationState.ENDED.value, f"{entry.node} was declared lost"
                    self._entries.keep(
                        replace(entry, state=ended, cause=Cause.NODE_FAILURE.value, reason=why, haunts=True)
                    )
            self._look(set(self._machines))
            found = {entry.key: self._status(entry) for entry in self._entries.asked(ids)}
            haunted = {entry.node for entry in self._entries.all() if entry.haunts}
            back = [name for name in sorted(lost - haunted) if self._machines[name].answers]
        for name in back:
            self._roster.found(name)
        return found

    def cancel(self, ids: Sequence[str], *, waiting_only: bool = False) -> None:
        with self._lock:
            for entry in self._entries.those(ids):
                self._far.cancel(entry, waiting_only)

    def trace(self, ids: Sequence[str]) -> Mapping[str, AllocationStatus]:
        return {}  # poll lists everything that is known

    def change(self, ids: Sequence[str], change: AllocationChange) -> None:
        """Do nothing: no allocation waits here, and limits are the runner's task."""

    def script(self, batch: AllocationBatch) -> str | None:
        return None

    def check(self, batch: AllocationBatch) -> Check:
        return Check(accepted=True, message=f"runs on a host of {self.name} as soon as enough of it is free")

    def nodes(self) -> Sequence[Node]:
        """Return the hosts that are known. The first time, they have a moment to answer."""
        listed, until = self._listed(), time.monotonic() + FIRST_SECONDS
        while True:
            with self._lock:
                self._meet(listed)
                entries, machines = self._entries.all(), list(self._machines.values())
                states = [self._state(machine, listed.get(machine.name)) for machine in machines]
                known = [one.node(self.name, entries, *state) for one, state in zip(machines, states, strict=True)]
            found = [node for node in known if node is not None]
            if found:
                return found
            if not listed:
                raise BackendUnavailable("it has no hosts: `paddock hosts add NAME` adds one")
            if self._waited or time.monotonic() > until:
                self._waited = True
                why = next((why for _, why in states if why), ", ".join(list(listed)[:3]))
                raise BackendUnavailable(f"no host has answered yet: {why}")
            time.sleep(0.05)

    def reserve(self, wanted: Sequence[WantedReservation], known: Collection[str]) -> Mapping[str, Enforcement]:
        """Do nothing: the policy keeps others away from what is reserved."""
        return {}

    def others(self) -> Others | None:
        return None

    def hosts(self) -> Sequence[HostInfo]:
        listed = self._listed()
        with self._lock:
            self._meet(listed)
            held = [one.node for one in self._entries.all() if not one.ended or one.haunts]
            return [self._info(one, listed.get(name), held.count(name)) for name, one in self._machines.items()]

    def close(self) -> None:
        """Ask the hosts nothing any more. What runs there goes on."""
        with self._lock:
            for machine in self._machines.values():
                machine.close()

    # --- hosts --------------------------------------------------------------------------------------------------------

    def _listed(self) -> dict[str, ListedHost]:
        return {one.name: one for one in self._roster.listed()}

    def _meet(self, listed: Mapping[str, ListedHost]) -> None:
        """Look at the hosts that are listed, and at those that left the list and still have something; at no others."""
        held = {one.node for one in self._entries.all() if one.node and not one.ended}
        wanted = [*listed, *sorted(held - listed.keys())]
        for name in [one for one in self._machines if one not in wanted]:
            self._machines.pop(name).close()
        for name in wanted:
            if name not in self._machines:
                file = self._folder / MACHINES / f"{name}.json"
                link, every = self._links.get(name), self._look_seconds
                self._machines[name] = Machine(name, link, self._settings.slots, every, file)
                self._machines[name].begin()
        self._machines = {name: self._machines[name] for name in wanted}

    def _state(self, machine: Machine, listed: ListedHost | None) -> tuple[str, str | None]:
        """Return the state of a host, and why it takes no work."""
        if machine.answers and any(entry.haunts for entry in self._on(machine.name)):
            return "lost", "it was declared lost, and answers: what it had is being ended"
        if listed is not None and listed.lost_at is not None:
            return "lost", "it was declared lost"
        if listed is None:
            return "leaving", "it was taken off the list, and is kept until what runs there has ended"
        if machine.answers:
            return "up", None
        if machine.is_new:
            return "new", machine.problem
        return "silent", machine.silence + (f": {machine.problem}" if machine.problem else "")

    def _takes_work(self, node: str, listed: Mapping[str, ListedHost]) -> bool:
        return node in listed and self._state(self._machines[node], listed[node])[0] == "up"

    def _info(self, machine: Machine, listed: ListedHost | None, held: int) -> HostInfo:
        state, reason = self._state(machine, listed)
        at = listed.lost_at if listed is not None and listed.lost_at is not None else machine.since
        return HostInfo(
            name=machine.name,
            backend=self.name,
            state=state,
            answers=machine.answers,
            reason=reason,
            since=None if state == "up" else datetime.fromtimestamp(at, UTC),
            added_by=listed.added_by if listed is not None else None,
            allocations=held,
        )

    def _free(self, node: str) -> set[tuple[str, str]]:
        equipment = self._machines[node].equipment
        return set() if equipment is None else equipment.free(self._on(node))

    def _on(self, node: str) -> list[Entry]:
        return [entry for entry in self._entries.all() if entry.node == node]

    # --- runners ------------------------------------------------------------------------------------------------------

    def _look(self, hosts: set[str]) -> None:
        """Have the agents on those of these hosts that answer look after their runners."""
        by_agent: dict[Whose, list[Entry]] = {}
        answering = {name for name, machine in self._machines.items() if machine.answers}
        for entry in self._entries.all():
            if entry.node in hosts & answering:
                by_agent.setdefault(whose(entry), []).append(entry)
        for agent, entries in by_agent.items():
            self._far.look(agent, entries)

    def _environment(self, entry: Entry) -> Mapping[str, str]:
        machine = self._machines.get(entry.node or "")
        equipment = machine.equipment if machine is not None else None
        # What ssh calls the host may not be what it calls itself: its runners report under the name that people know.
        return {} if equipment is None else {**equipment.environment(entry), "PADDOCK_NODE": entry.node or ""}

    def _status(self, entry: Entry) -> AllocationStatus:
        status = entry.status(entry.node or "")
        machine = self._machines.get(entry.node or "")
        if entry.ended or machine is None or machine.answers or machine.is_new:
            return status
        return status.model_copy(update={"reason": machine.silence})

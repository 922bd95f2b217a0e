"""Record how devices and reservations are used, from what the nodes of backends report of themselves."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from paddock.models import AllocationState, Device, GpuProcess, Node
from paddock.rules.booking import Booked
from paddock.rules.guarding import PROGRAM_MEMORY
from paddock.rules.use import (
    GROWTH,
    HOUR,
    UNIX,
    UNKNOWN,
    UNUSED,
    DeviceLook,
    GpuLook,
    HourSums,
    ReservedSums,
    hours_between,
    look,
)
from paddock.server.engine.context import Context
from paddock.server.engine.load import Monitor
from paddock.server.engine.warden_calls import own_name
from paddock.server.store import device_use, devices, reservations, rules, team, users
from paddock.server.store.allocations import AllocationRow
from paddock.server.store.db import Connection
from paddock.server.store.device_use import HourKey, UseKey
from paddock.server.store.devices import DeviceRow

LOOK_SECONDS = 5.0
GAP_SECONDS = 60.0  # after a longer time without a look, nothing is known of it
STORE_SECONDS = 15.0
FORGET_SECONDS = 3600.0
KEPT_DAYS = 800.0

GpuKey = tuple[str, str, str]  # backend, node, GPU
Place = tuple[str, str]  # backend, node


@dataclass(frozen=True)
class Persons:
    """Who somebody is, by Unix name and by job."""

    accounts: Mapping[str, str]  # Unix name -> account
    owners: Mapping[str, str]  # job -> account
    programs: tuple[str, ...]  # how the names of programs begin that nobody uses, such as display servers

    def on(self, gpu: Device, jobs: Collection[str]) -> set[str]:
        """Return who is on a GPU, on which allocations of these jobs are."""
        seen = {self._person(one, jobs) for one in gpu.processes if not self._is_service(one)}
        return seen or {self.owners[job] for job in jobs if job in self.owners}

    def _person(self, one: GpuProcess, jobs: Collection[str]) -> str:
        if one.owner is not None and one.owner in self.accounts:
            return self.accounts[one.owner]
        job = (one.task or "").partition("-")[0]  # a process can claim any task, but not that it was placed there
        if job in jobs and job in self.owners:
            return self.owners[job]
        return UNKNOWN if one.owner is None else f"{UNIX}{one.owner}"

    def _is_service(self, one: GpuProcess) -> bool:
        return (one.command or "").startswith(self.programs) and (one.memory or 0) <= PROGRAM_MEMORY


class UseRecorder:
    """Keeps sums in memory, and stores them now and then."""

    def __init__(self, context: Context, monitor: Monitor) -> None:
        self._context, self._monitor = context, monitor
        self._looked_at: float | None = None
        self._stored_at = 0.0
        self._forgot_at = 0.0
        self._memory: dict[GpuKey, int] = {}  # in use when it was last active
        self._hours: dict[HourKey, HourSums] = {}
        self.uses: dict[UseKey, ReservedSums] = {}  # of what is reserved now
        self._changed: set[HourKey | UseKey] = set()
        self._on: dict[str, list[tuple[str, bool]]] = {}  # allocation -> its devices, and whether active
        self.idle: dict[str, float] = {}  # allocation whose GPUs are idle, and not reserved -> since when

    def run(self, rows: Sequence[AllocationRow], now: float) -> bool:
        """Look at all devices, if that is due. Returns True if what was found has been stored."""
        last = self._looked_at
        if last is not None and 0 <= now - last < LOOK_SECONDS:
            return False
        self._looked_at = now
        if last is None or not 0 < now - last <= GAP_SECONDS:
            self._forget_idleness(self.uses.values())
            self.idle = {}
            return False
        with self._context.db.read() as c:
            found = self._look(c, rows, now)
            booked = reservations.live(c, last, now) if found else []
            people = rules.people(c)
            self._load(c, found, booked, last, now)
        held = {one.device: one for one in booked if one.kind == "reservation"}
        self.idle = {
            key: self.idle.get(key, last)
            for key, on in self._on.items()
            if not any(active or device in held for device, active in on)
        }
        for device, seen in found.items():
            self._add(device, seen, held.get(device), people, last, now)
        return self._store_some(now)

    # --- looking --------------------------------------------------------------------------------------------------

    def _look(self, c: Connection, rows: Sequence[AllocationRow], now: float) -> dict[str, DeviceLook]:
        """Return what is seen on those devices of which something is known."""
        known = devices.in_use(c)
        self._on = {}
        if not known:
            return {}
        nodes = {(node.backend, node.name): node for node in self._nodes(now)}
        placed = self._jobs_at(rows)
        persons = self._persons(c, {row.job_id for row in rows})
        found = {}
        for row in known:
            node = nodes.get((row.backend, row.host))
            gpus = _gpus(row, node) if node is not None else []
            looks = [self._look_at(row, gpu, placed, persons) for gpu in gpus]
            for gpu, one in zip(gpus, looks, strict=True):
                for key in gpu.used_by:
                    self._on.setdefault(key, []).append((row.id, one is None or one.active))
            seen = tuple(one for one in looks if one is not None)
            if seen and len(seen) == len(looks):
                found[row.id] = DeviceLook(seen)
        return found

    def _nodes(self, now: float) -> Iterable[Node]:
        """Return the nodes. What runners report counts only where a scheduler's nodes report nothing themselves."""
        workers = self._context.workers.values()
        queued = {one.backend.name for one in workers if one.backend.traits.queued}
        own = [node for one in workers if one.backend.name not in queued and one.fresh for node in one.nodes]
        return [*own, *(node for node in self._monitor.nodes(now) if node.backend in queued)]

    def _look_at(
        self, row: DeviceRow, gpu: Device, placed: Mapping[Place, set[str]], persons: Persons
    ) -> GpuLook | None:
        key = (row.backend, row.host, gpu.id)
        jobs = {one.partition("-")[0] for one in gpu.used_by} or placed.get((row.backend, row.host), set())
        used = gpu.memory_used
        grew = used is not None and key in self._memory and used - self._memory[key] > GROWTH
        low = self._context.settings.reservations.idle_load
        found = look(gpu, persons.on(gpu, jobs), low, grew=grew)
        if found is None and not gpu.busy and self._context.workers[row.backend].backend.traits.queued:
            return UNUSED
        if found is not None and used is not None and (found.active or used < self._memory.get(key, used + 1)):
            self._memory[key] = used
        return found

    def _jobs_at(self, rows: Sequence[AllocationRow]) -> dict[Place, set[str]]:
        """Return the jobs on each node of a scheduler, which does not say on which of its GPUs they are."""
        found: dict[Place, set[str]] = {}
        for row in rows:
            worker = self._context.workers.get(row.backend)
            if row.state is AllocationState.RUNNING and row.node and worker and worker.backend.traits.queued:
                found.setdefault((row.backend, row.node), set()).add(row.job_id)
        return found

    def _persons(self, c: Connection, jobs: Collection[str]) -> Persons:
        settings = self._context.settings
        named = users.unix_names(c) if team.is_on(c) else {settings.owner: own_name()}
        accounts = {unix: name for name, unix in named.items() if unix is not None}
        owners = {job: facts.owner for job, facts in self._context.facts(c, sorted(jobs)).items()}
        return Persons(accounts, owners, tuple(settings.violations.exempt_commands))

    # --- adding up ------------------------------------------------------------------------------------------------

    def _load(self, c: Connection, found: Collection[str], booked: Sequence[Booked], last: float, now: float) -> None:
        """Take up what is stored of the hours and reservations that are added to now."""
        hours = {(device, hour) for device in found for hour, _ in hours_between(last, now)}
        if new := hours - self._hours.keys():
            stored = device_use.hours_of(c, new)
            self._hours |= {key: stored.get(key, HourSums()) for key in new}
        uses = {(one.reservation, one.device) for one in booked if one.device in found and one.kind == "reservation"}
        if begun := uses - self.uses.keys():
            known = device_use.uses_of(c, {id for id, _ in begun})
            self._forget_idleness(known.values())
            self.uses |= {key: known.get(key, ReservedSums()) for key in begun}

    def _add(
        self, device: str, seen: DeviceLook, held: Booked | None, people: rules.People, last: float, now: float
    ) -> None:
        def may(user: str) -> bool:
            return held is not None and held.is_for(user, people[user].groups)

        for hour, seconds in hours_between(last, now):
            sums = self._hours[device, hour]
            sums.add(seconds, seen, seen.busy)
            sums.credit(seconds, seen)
            self._changed.add((device, hour))
        if held is None or held.owner is None:
            return
        since, until = max(last, held.starts_at), min(now, held.ends_at)
        for hour, seconds in hours_between(since, until):
            self._hours[device, hour].hold(held.owner, seconds, seen.busy_by(may))
        if until > since:
            use = self.uses[held.reservation, device]
            if use.seen_at is not None and since - use.seen_at > GAP_SECONDS:
                use.idle_since = None
            use.note(since, until, seen, may)
            self._changed.add((held.reservation, device))

    def _forget_idleness(self, uses: Iterable[ReservedSums]) -> None:
        """Begin anew to watch whether something is idle, as it was not watched for a while."""
        for use in uses:
            use.idle_since = None

    # --- storing --------------------------------------------------------------------------------------------------

    def _store_some(self, now: float) -> bool:
        if 0 <= now - self._stored_at < STORE_SECONDS or not self._changed:
            return False
        hours = {key: sums for key, sums in self._hours.items() if key in self._changed}
        uses = {key: sums for key, sums in self.uses.items() if key in self._changed}
        with self._context.db.write() as c:
            device_use.store_hours(c, hours)
            device_use.store_uses(c, uses)
            if not 0 <= now - self._forgot_at < FORGET_SECONDS:
                self._forgot_at = now
                device_use.forget_hours(c, int((now - KEPT_DAYS * 86_400) // HOUR))
        self._stored_at = now
        self._changed.clear()
        self._keep_recent(now)
        return True

    def _keep_recent(self, now: float) -> None:
        """Forget hours and reservations that are over."""
        this = int(now // HOUR)
        self._hours = {key: sums for key, sums in self._hours.items() if key[1] >= this}
        self.uses = {key: use for key, use in self.uses.items() if now - (use.seen_at or 0.0) < HOUR}


def _gpus(row: DeviceRow, node: Node) -> list[Device]:
    """Return the GPUs of a node that a device stands for."""
    return [one for one in node.devices if one.kind == "gpu" and (row.number is None or one.id == row.place)]

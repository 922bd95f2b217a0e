"""Run allocations on a Slurm cluster: one array per batch, and one `squeue` for all allocations."""

import logging
import os
import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from paddock.agents.links import Links
from paddock.backends.base import Enforcement, PollPace, WantedReservation
from paddock.backends.slurm import parse, partitions, reasons
from paddock.backends.slurm.commands import Commands, complaint
from paddock.backends.slurm.complaints import Trouble, diagnose
from paddock.backends.slurm.others import FORMAT, others
from paddock.backends.slurm.owners import OWNER, by_owner, with_owner
from paddock.backends.slurm.parse import QueueRow
from paddock.backends.slurm.reservations import Reserver
from paddock.backends.slurm.script import script
from paddock.common.files import read_plain
from paddock.errors import BackendBusy, BackendClosed, BackendError, BackendUnavailable
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
    Resources,
    Traits,
)
from paddock.models.units import clock
from paddock.paths import write_once
from paddock.rules.giving_way import Others
from paddock.settings import SlurmSettings

log = logging.getLogger("paddock.slurm")

CHUNK = 500  # ids on one command line
AHEAD_SECONDS = 30.0  # between two looks at what waits of all users
AHEAD_SLOW_SECONDS = 60.0  # if the last one took longer than SLOW_SECONDS: others need the controller, too
SLOW_SECONDS = 1.0
NODES_SECONDS = 30.0
MEBI = 1024**2
_QUEUE_FORMAT = f"{parse.QUEUE_FORMAT}|%b"  # the name comes last, then the requested GPUs

_SHARED = re.compile(r"Grp|PerAccount|queue full", re.IGNORECASE)  # limits that are shared with other users
_HELD = "JobHeldUser"
_WAITING = {"PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD", "CONFIGURING"}
_RUNNING = {"RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT", "RESIZING"}
_CAUSES = {
    "TIMEOUT": (Cause.TIME_LIMIT, "its allocation reached its time limit"),
    "DEADLINE": (Cause.TIME_LIMIT, "its allocation reached its deadline"),
    "OUT_OF_MEMORY": (Cause.HOST_OOM, "its allocation needed more memory than it had asked for"),
    "NODE_FAIL": (Cause.NODE_FAILURE, "a node of its allocation failed"),
    "BOOT_FAIL": (Cause.NODE_FAILURE, "a node of its allocation did not start"),
    "PREEMPTED": (Cause.PREEMPTED, "its allocation was ended in favour of another"),
    "REVOKED": (Cause.PREEMPTED, "its allocation was given to another cluster"),
}


class SlurmBackend:
    traits = Traits(queued=True, multi_node=True, counts_memory=True, counts_cores_of_gpu_tasks=True)
    sure = False

    def __init__(
        self,
        name: str,
        settings: SlurmSettings,
        clock: Callable[[], float] = time.monotonic,
        links: Links | None = None,
    ) -> None:
        self.name = name
        self.pace = PollPace(settings.poll_seconds, max(settings.rest_seconds, settings.poll_seconds), NODES_SECONDS)
        self.hides_others = False
        self.queue_length: int | None = None
        self._full = False
        self.commands = Commands(settings, links)
        self._settings = settings
        self._user: str | None = None
        self._config: dict[str, str] = {}
        self._clock = clock
        self._pending: list[parse.PendingRow] = []
        self._pending_in: set[str] = set()  # the partitions that were asked about
        self._pending_due = 0.0
        self._reserver = Reserver(self.commands, self._who, time.time)
        self._own: set[str] = set()  # the people whose allocations were last seen
        self._own_in: set[str] = set()  # the partitions where these are
        self._ahead: dict[tuple[str, int], int] = {}  # partition and priority -> how many of them come first

    # --- submissions --------------------------------------------------------------------------------------------------

    def submit(self, batch: AllocationBatch) -> Sequence[str]:
        """Submit one array. Before sbatch is called a second time, look up whether the first call succeeded."""
        asked = Path(f"{_notes(batch)}.asked")
        known = self._read_id(batch) or (self._look_up(batch) if asked.exists() else None)
        if known is None:
            write_once(asked, "")
            known = self._submit(batch)
        array, _, count = known.partition(" ")
        write_once(Path(f"{_notes(batch)}.id"), known)
        numbers = range(min(int(count or batch.count), batch.count))
        return [with_owner(f"{array}_{number}", batch.user) for number in numbers]

    def _submit(self, batch: AllocationBatch) -> str:
        """Submit an array and return its id and size. A limit of Slurm on its size is found by halving."""
        count = min(batch.count, self._most())
        while True:
            text = script(batch, self._settings, count)
            result = self.commands.try_run("sbatch", "--parsable", text=text, user=batch.user)
            if not result.code:
                self._full = False
                return self._taken(batch, result.out, count)
            error = complaint("sbatch", result)
            if diagnose(result.err) is Trouble.ARRAY and self._most(anew=True) < count:
                count = self._most()
                continue
            if isinstance(error, BackendClosed):
                raise BackendClosed(_closed(batch, error.message))
            if not isinstance(error, BackendBusy):
                raise error
            if count == 1:
                self._queue({batch.user})  # it is tried again as soon as there are fewer than now
                if not self.queue_length and not _SHARED.search(error.message):
                    raise BackendError(error.message)  # even a single one exceeds this limit: it will never be accepted
                self._full = True
                raise BackendBusy(f"Slurm accepts no more of your submissions at the moment ({error.message})")
            count //= 2

    def _taken(self, batch: AllocationBatch, printed: str, count: int) -> str:
        """Return the array's id and size. If a wrapper of sbatch prints other lines, it is found by its name."""
        array = parse.job_id(printed)
        if array is not None:
            return f"{array} {count}"
        found = self._look_up(batch)
        if found is None:
            shown = "; ".join(printed.split("\n")).strip() or "nothing"
            raise BackendError(f"`sbatch` succeeded, but its job is not in the queue; it printed: {shown[:300]}")
        return found

    def _read_id(self, batch: AllocationBatch) -> str | None:
        """Return the stored id and size; None also if the file is damaged."""
        text = _text(Path(f"{_notes(batch)}.id"))
        return text if re.fullmatch(r"\d+( \d+)?", text, re.ASCII) else None

    def _look_up(self, batch: AllocationBatch) -> str | None:
        """Find an array by its name: in the queue, by the files that it wrote, or in the accounting records."""
        listed = self._queue({batch.user})
        rows = [row for row in listed if row.name == batch.name and row.reason != "BadConstraints"]
        traces = {number: self._trace(batch, number) for number in range(batch.count)}
        started = {number: text for number, text in traces.items() if re.fullmatch(r"\d+", text, re.ASCII)}
        arrays = {_array(row.id) for row in rows} or set(started.values())
        if not arrays:
            return None
        first = min(arrays, key=int)
        # Elements that are not in the queue any more have written their files.
        numbers = {int(row.id.partition("_")[2] or 0) for row in rows if _array(row.id) == first} | started.keys()
        return f"{first} {max(numbers) + 1}"

    def _trace(self, batch: AllocationBatch, number: int) -> str:
        """Return what an element has written at its start; see `script`."""
        path = Path(batch.folder_of(number), "slurm_id")
        return self.commands.owners.text(batch.user, str(path)) if batch.user else _text(path)

    def _most(self, *, anew: bool = False) -> int:
        """Return the size of the largest array. Administrators may change it while the server runs."""
        if not self._config or anew:
            self._config = parse.config(self.commands.run("scontrol", "show", "config"))
        return max(int(self._config.get("MaxArraySize") or 1001) - 1, 1)

    # --- reading --------------------------------------------------------------------------------------------------

    def poll(self, ids: Sequence[str]) -> Mapping[str, AllocationStatus]:
        if not ids and not self._full:
            return {}
        owners = {one: user for user, own in by_owner(ids).items() for one in own}
        rows = self._queue(set(owners.values()))
        found = {row.id: row for row in rows if row.id in owners}
        self._cancel_doubles(rows, found, owners)
        self._own = {user for user in owners.values() if user}
        self._own_in = {name for row in found.values() for name in row.partition.split(",") if name}
        waiting = {row.partition for row in found.values() if row.state == "PENDING"}
        if waiting:
            self._look_ahead({name for listed in waiting for name in listed.split(",") if name})
        return {with_owner(one, owners[one]): self._status(row) for one, row in found.items()}

    def _queue(self, owners: Collection[str | None] = (None,)) -> list[QueueRow]:
        """Return what the server and these people have in the queue."""
        users = ",".join([self._who(), *sorted(user for user in owners if user)])
        out = self.commands.run("squeue", "-h", "-r", "-t", "all", "-u", users, "-o", _QUEUE_FORMAT)
        rows = [_with_gres(row) for row in parse.queue(out)]
        self.queue_length = sum(row.state in _WAITING | _RUNNING for row in rows)
        return rows

    def _who(self) -> str:
        """Return the user who owns the allocations; with a prefix it may be another one."""
        if self._user is None:
            self._user = self.commands.run("id", "-un").strip() if self._settings.prefix else str(os.getuid())
        return self._user

    def _look_ahead(self, partitions: set[str]) -> None:
        """Read what waits of all users in these partitions at intervals, to report how many come first."""
        began = self._clock()
        if began < self._pending_due and partitions <= self._pending_in:
            return
        if began < self._pending_due:
            partitions = partitions | self._pending_in
        limited = ["-p", ",".join(sorted(partitions))] if partitions else []
        out = self.commands.try_run("squeue", "-h", "-t", "PENDING", *limited, "-o", parse.PENDING_FORMAT)
        self._pending = [] if out.code else parse.pending(out.out)
        self._pending_in, self._ahead = partitions, {}
        now = self._clock()
        self._pending_due = now + (AHEAD_SLOW_SECONDS if now - began > SLOW_SECONDS else AHEAD_SECONDS)

    def _count_ahead(self, row: QueueRow) -> int:
        """Return how many come before this one. Counted once for all with the same priority: there may be very many."""
        key = row.partition, row.priority or 0
        if key not in self._ahead:
            self._ahead[key] = parse.ahead(self._pending, *key)
        return self._ahead[key]

    def others(self) -> Others | None:
        """Return what other users have and wait for in the partitions where something of this server was last seen."""
        if not self._own_in:
            return None
        partitions = ",".join(sorted(self._own_in))
        out = self.commands.run("squeue", "-h", "-t", "PENDING,RUNNING", "-p", partitions, "-O", FORMAT)
        return replace(others(out, {self._who(), *self._own}), partitions=frozenset(self._own_in))

    def _cancel_doubles(
        self, rows: list[QueueRow], found: dict[str, QueueRow], owners: Mapping[str, str | None]
    ) -> None:
        """Cancel a second array with the same name: a submission that succeeded after it was given up."""
        ours = {row.name: _array(one) for one, row in found.items()}
        whose = {row.name: owners[one] for one, row in found.items()}
        live = [row for row in rows if row.state in _WAITING | _RUNNING]
        doubles = {
            with_owner(_array(row.id), whose[row.name])
            for row in live
            if row.name in ours and _array(row.id) != ours[row.name]
        }
        if doubles:
            self.cancel(sorted(doubles))

    def _status(self, row: QueueRow) -> AllocationStatus:
        if row.state in _WAITING:
            never = reasons.never(row.reason)
            return AllocationStatus(
                state=AllocationState.PENDING,
                reason=reasons.waiting(row, "gpu" in row.gres, self._count_ahead(row)),
                starts_at=None if never else row.starts_at,
                never=never,
                held=row.reason == _HELD,
            )
        if row.state in _RUNNING:
            nodes, held = parse.expand_nodes(row.nodes), row.reason == _HELD
            node, others = next(iter(nodes), None), tuple(nodes[1:])
            return AllocationStatus(state=AllocationState.RUNNING, node=node, others=others, held=held)
        return _ended(row.state, _first_node(row.nodes))

    def trace(self, ids: Sequence[str]) -> Mapping[str, AllocationStatus]:
        """Look up the accounting records, if the cluster keeps them."""
        found: dict[str, AllocationStatus] = {}
        for user, some in _parts(ids):
            argv = ("sacct", "-X", "-n", "-P", "-D", "-j", ",".join(some), "-o", parse.ACCOUNTING_FORMAT)
            result = self.commands.try_run(*argv, user=user)
            if result.code and diagnose(result.err) is Trouble.DISABLED:
                return {}
            if result.code:
                raise complaint("sacct", result)
            rows = [row for row in parse.accounting(result.out) if row.state not in _WAITING | _RUNNING]
            found |= {with_owner(row.id, user): _ended(row.state, _first_node(row.nodes), row.by) for row in rows}
        return found

    # --- orders -------------------------------------------------------------------------------------------------------

    def cancel(self, ids: Sequence[str], *, waiting_only: bool = False) -> None:
        if waiting_only:  # with --state, scancel ends more of an array than requested
            waiting = {row.id for row in self._queue(by_owner(ids).keys()) if row.state in _WAITING}
            ids = [one for one in ids if one.partition(OWNER)[0] in waiting]
        unreached: BackendClosed | None = None
        for user, some in _parts(ids):
            try:
                result = self.commands.try_run("scancel", *some, user=user)
            except BackendClosed as error:
                unreached = error
                continue
            if result.code and diagnose(result.err) is Trouble.UNREACHABLE:
                raise complaint("scancel", result)
        if unreached is not None:
            log.warning("allocations are not cancelled yet: %s", unreached.message)  # they are asked for again

    def change(self, ids: Sequence[str], change: AllocationChange) -> None:
        """Make all changes; if Slurm refuses one kind, the others are made."""
        refused = []
        updates = {"TimeLimit": change.time_limit and clock(change.time_limit), "Nice": change.nice}
        orders = [["update", f"{name}={value}"] for name, value in updates.items() if value is not None]
        if change.held is not None:
            # A hold that the owner may release. It comes first: a release by an operator sets Nice to 0.
            orders.insert(0, ["uhold" if change.held else "release"])
        for order in orders:
            try:
                self._change(order, ids)
            except BackendUnavailable:
                raise
            except BackendError as error:
                refused.append(f"Slurm refused to {_order(order)}: {error.message}")
        if refused:
            raise BackendError("; ".join(refused))

    def _change(self, order: list[str], ids: Sequence[str]) -> None:
        """Change a list of allocations. Those that have ended are ignored."""
        for user, some in _parts(ids):
            listed = ",".join(some)
            argv = ["update", f"JobId={listed}", order[1]] if order[0] == "update" else [*order, listed]
            try:
                result = self.commands.try_run("scontrol", *argv, user=user)
            except BackendClosed as error:
                raise BackendUnavailable(error.message) from None
            faults = [line for line in result.err.splitlines() if line.strip() and not _of_the_past(line)]
            if result.code and faults:
                raise complaint("scontrol", replace(result, err="\n".join(faults)))

    def reserve(self, wanted: Sequence[WantedReservation], known: Collection[str]) -> Mapping[str, Enforcement]:
        return self._reserver.enforce(wanted, known)

    def hosts(self) -> Sequence[HostInfo]:
        return ()

    def close(self) -> None:
        """Do nothing: nothing is open."""

    # --- before -------------------------------------------------------------------------------------------------------

    def script(self, batch: AllocationBatch) -> str | None:
        """Return the batch script, with the size of the submitted array: Slurm may have accepted fewer elements."""
        count = (self._read_id(batch) or "").partition(" ")[2]
        return script(batch, self._settings, int(count) if count else None)

    def check(self, batch: AllocationBatch) -> Check:
        """Return the answer of `sbatch --test-only` for one allocation: it does not support arrays."""
        text = script(batch, self._settings, 1)
        result = self.commands.try_run("sbatch", "--test-only", text=text, user=batch.user)
        answer = parse.trial(result.err)
        starts_at = None if answer.starts_at is None else datetime.fromtimestamp(answer.starts_at, UTC)
        if not answer.accepted and diagnose(result.err) is Trouble.UNREACHABLE:
            raise complaint("sbatch", result)
        message = f"on {answer.nodes}" if answer.accepted and answer.nodes else answer.message
        if not answer.accepted and diagnose(result.err) is not Trouble.CLOSED:
            return Check(accepted=False, message=message)
        fault = self._objection(batch.resources)
        if fault is None:
            return Check(accepted=answer.accepted, message=message, starts_at=starts_at)
        if fault.passes:
            return Check(accepted=True, message=f"{fault.text}: the job would wait until it is available again")
        return Check(accepted=False, message=f"{fault.text}, so the job would never start: {fault.fix}")

    def _objection(self, asked: Resources) -> partitions.Fault | None:
        """Return a fault that Slurm does not report: it accepts jobs that exceed their partition."""
        result = self.commands.try_run("scontrol", "show", "partitions", "-o")
        return None if result.code else partitions.objection(parse.partitions(result.out), asked)

    def nodes(self) -> Sequence[Node]:
        if not self._config:
            self._most(anew=True)
        private = self._config.get("PrivateData", "").split(",")
        self.hides_others = "jobs" in private and self._who() not in ("0", "root")
        rows = parse.nodes(self.commands.run("scontrol", "-d", "show", "nodes", "-o"))
        return [_node(row, self.name) for row in rows]


def _notes(batch: AllocationBatch) -> str:
    """Return the beginning of the names of the files in which the backend keeps notes."""
    return batch.mirror or batch.folder


def _parts(ids: Sequence[str]) -> list[tuple[str | None, Sequence[str]]]:
    """Return the scheduler's own ids, for one command each, with the owner of the allocations."""
    return [(user, some) for user, own in by_owner(ids).items() for some in _chunks(own)]


def _text(path: Path) -> str:
    """Read a short file in a folder in which tasks can write."""
    try:
        return read_plain(str(path), 1000).decode(errors="replace").strip()
    except OSError:
        return ""


def _closed(batch: AllocationBatch, message: str) -> str:
    partition = batch.resources.slurm.partition
    where = f"partition {partition}" if partition else "its partition"
    return f"waits until {where} accepts jobs again ({message})"


def _with_gres(row: QueueRow) -> QueueRow:
    name, _, gres = row.name.rpartition("|")
    return replace(row, name=name, gres=gres)


def _of_the_past(line: str) -> bool:
    return "already finished" in line or diagnose(line) is Trouble.UNKNOWN_JOB


def _chunks(ids: Sequence[str]) -> list[Sequence[str]]:
    return [ids[start : start + CHUNK] for start in range(0, len(ids), CHUNK)]


def _first_node(nodes: str) -> str | None:
    return next(iter(parse.expand_nodes(nodes)), None)


def _array(one: str) -> str:
    return one.partition("_")[0]


def _ended(state: str, node: str | None, by: int | None = None) -> AllocationStatus:
    if state == "CANCELLED":
        who = f" by user {by}" if by is not None else ""
        reason = f"its allocation was cancelled on the cluster{who} (scancel)"
        return AllocationStatus(state=AllocationState.ENDED, node=node, reason=reason, by_hand=True)
    cause, why = _CAUSES.get(state, (None, None))
    return AllocationStatus(state=AllocationState.ENDED, node=node, cause=cause, reason=why)


def _order(order: list[str]) -> str:
    return "set " + order[1].replace("=", " to ") if order[0] == "update" else order[0].removeprefix("u")


_UNUSABLE = {
    *("DOWN", "DRAIN", "DRAINED", "DRAINING", "FAIL"),
    *("FAILING", "MAINT", "NO_RESPOND", "POWERED_DOWN", "UNKNOWN"),
}


def _node(row: parse.NodeRow, backend: str) -> Node:
    bad = sorted(row.states & _UNUSABLE - {"POWERED_DOWN"})
    devices = []
    for kind, count in row.gpus:
        devices += [(kind, number) for number in range(count)]
    used, which = row.gpus_alloc or 0, row.gpus_used
    slots = len(devices) or row.cpus
    return Node(
        name=row.name,
        backend=backend,
        state="+".join(sorted(row.states)).lower() or "unknown",
        cpus=row.cpus,
        load=row.load,
        cpus_used=row.cpus_alloc,
        memory=row.memory * MEBI,
        memory_free=max(row.memory - row.memory_alloc, 0) * MEBI,
        slots=slots,
        slots_used=min(used if devices else row.cpus_alloc, slots),
        cpu_slots=row.cpus,
        devices=[
            Device(id=str(place), kind="gpu", name=kind, busy=place < used if which is None else place in which)
            for place, (kind, _) in enumerate(devices)
        ],
        usable=not bad,
        reason=row.reason or (", ".join(bad).lower() if bad else None),
        partitions=list(row.partitions),
        features=list(row.features),
    )

"""Ends the attempts of tasks that are to go on with another number of GPUs.

The wish is in the database; each round does what is next, so a server that is killed changes nothing. Where there is
room, an allocation of the other size is asked for first (`Demand.coming`), and the attempt ends when the runner there
has reported itself. Where there is room only once it has ended, it ends first. Otherwise it trains on until there is.

An allocation of such a job leaves as soon as no task of its size is left for it: what it has may suit another size.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paddock.models import AllocationState, Cause, TaskState
from paddock.rules import placement
from paddock.rules.estimate import Pace
from paddock.rules.lifecycle import Verdict
from paddock.rules.pool import FOR_NOBODY, demand_key, job_of
from paddock.rules.sizing import SizeRoom, room
from paddock.server.engine.apply import changing, resized
from paddock.server.engine.context import Context, JobFacts
from paddock.server.engine.linger import left_well
from paddock.server.store import allocations, attempts, deals
from paddock.server.store.allocations import AllocationRow
from paddock.server.store.attempts import Demand, TaskAttempt
from paddock.server.store.db import Connection

RESIZING = "resize its tasks"
NEARLY_DONE = 0.99  # a task of which this much is done is left alone
PATIENCE = 60.0  # seconds; so long a request waits in a queue before a task ends whose GPUs suffice for it

Identity = tuple[str, int]


class Resizer:
    """Orders attempts to end. A new server begins without what it remembers: an order may be repeated."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._ordered: set[Identity] = set()
        self._since: dict[Identity, float] = {}

    @property
    def ordered(self) -> frozenset[Identity]:
        """Return the attempts whose runners were told to end them."""
        return frozenset(self._ordered)

    def run(self, rows: Sequence[AllocationRow], now: float) -> bool:
        """Do what is next for each task that is to be resized. Returns whether attempts were begun."""
        context, begun = self._context, False
        with context.db.read() as c:
            demands, (idle, gone) = attempts.demands(c), self._idle(c, rows)
            held = {one.job for one in demands if one.held}
            found = attempts.current(c, [one.id for one in attempts.resizing(c) if one.job_id not in held])
            facts = context.facts(c, [row.job_id for row in found])
        self._dismiss(idle, demands)
        self._do_without(gone)
        if not found:
            self._ordered, self._since, context.free = set(), {}, {}
            return False
        places = self._places(idle, demands)
        for row in found:
            places.promise(self._spot(row), _identity(row) in self._ordered)
        self._forget(found, now)
        by_job: dict[str, list[TaskAttempt]] = defaultdict(list)
        for row in found:
            if row.job_id in facts and not row.stopping and not context.boundary.rests(row.job_id, RESIZING):
                by_job[row.job_id].append(row)
        for job, some in by_job.items():
            with context.boundary.job(job, RESIZING):
                begun = self._resize(facts[job], some, places, now) or begun
        return begun

    def _forget(self, found: Sequence[TaskAttempt], now: float) -> None:
        known = {_identity(row) for row in found}
        self._ordered &= known
        self._since = {one: self._since.get(one, now) for one in known}
        keys = {_key(row) for row in found}
        self._context.free = {key: one for key, one in self._context.free.items() if key in keys}

    def _idle(
        self, c: Connection, rows: Sequence[AllocationRow]
    ) -> tuple[dict[str, list[AllocationRow]], list[AllocationRow]]:
        """Return the allocations in which no task runs, of jobs whose tasks change in size, by `Demand.key`.

        And those whose runners have left: a scheduler that is asked now and then lists them for seconds after that.
        """
        context = self._context
        known = context.facts(c, [row.job_id for row in rows])
        sized = {job: one.spec.resources for job, one in known.items() if one.spec.resources.most_gpus is not None}
        able = [
            row
            for row in rows
            if row.job_id in sized and row.state != AllocationState.ENDED and row.key not in context.silent
            if not (row.ending or row.leaving_for is not None or context.notes[row.key].stuck)
        ]
        busy = {one.allocation for one in attempts.running_in(c, [row.key for row in able])}
        batches = allocations.batches_by_key(c, {row.batch for row in able if row.key not in busy})
        found: dict[str, list[AllocationRow]] = defaultdict(list)
        gone = []
        for row in able:
            if row.key in busy or row.batch not in batches:
                continue
            if left_well(context, row):
                gone.append(row)
            else:
                size = sized[row.job_id].unusual(batches[row.batch].resources.all_gpus)
                found[demand_key(row.job_id, size)].append(row)
        return found, gone

    def _do_without(self, gone: Sequence[AllocationRow]) -> None:
        """Count on allocations no more whose runners have left, so that others are asked for."""
        for row in gone:
            with self._context.boundary.job(row.job_id, RESIZING), self._context.db.write() as c:
                allocations.leave(c, row.key, FOR_NOBODY)

    def _dismiss(self, idle: Mapping[str, Sequence[AllocationRow]], demands: Sequence[Demand]) -> None:
        """Order runners to leave for which there is no task left, and none to come."""
        context = self._context
        awaited = {one.key for one in demands if one.waiting or one.coming}
        for key in idle.keys() - awaited:
            job, reported = job_of(key), [row.key for row in idle[key] if any(row.offsets)]
            if reported and job not in context.searching and not context.boundary.rests(job, RESIZING):
                with context.boundary.job(job, RESIZING):
                    context.outposts.of(job).order([{"op": "drain", "allocation": one} for one in reported])
                    with context.db.write() as c:
                        for one in reported:
                            allocations.leave(c, one, FOR_NOBODY)

    def _resize(self, facts: JobFacts, rows: Sequence[TaskAttempt], places: "_Places", now: float) -> bool:
        outpost = self._context.outposts.of(facts.id)
        waiting = {_identity(row): row for row in rows if row.state != TaskState.RUNNING}
        withdrawn = outpost.withdraw(waiting)
        orders = []
        for row in rows:
            if row.state != TaskState.RUNNING or _identity(row) in self._ordered or _nearly_done(row):
                continue
            if places.ready[self._spot(row)] > 0:
                places.promise(self._spot(row), 1)
            elif places.asked[self._spot(row)] > 0 and not self._is_queued(facts):
                continue  # it starts at once
            elif not self._has_to_break(facts, row, now):
                continue
            self._ordered.add(_identity(row))
            orders.append({"op": "resize", "task": row.id, "attempt": row.attempt_number})
        if orders and outpost.exists:
            outpost.order(orders)
        left = [row for one, row in waiting.items() if withdrawn.get(one)]
        if left:
            with changing(self._context) as (_, changes):
                changes.end(
                    left,
                    lambda edit: Verdict(TaskState.STOPPED, Cause.RESIZED, resized(edit.row, facts), retry=True),
                    now,
                )
        return bool(left)

    def _places(self, idle: Mapping[str, Sequence[AllocationRow]], demands: Sequence[Demand]) -> "_Places":
        """Return where no task runs and none will begin that waits."""
        dealt = {job for job in map(job_of, idle) if self._context.outposts.of(job).dealt}
        with self._context.db.read() as c:
            pinned = deals.pinned(c) if dealt else []
        spots: dict[str, list[AllocationRow]] = defaultdict(list)
        for key, rows in idle.items():
            for row in rows:
                spots[_spot(key, row.node) if job_of(key) in dealt else key].append(row)
        places = _Places.of(spots)
        pins = Counter(_spot(demand_key(one.job_id, one.size), one.node) for one in pinned)
        for one in demands:
            of_it = [spot for spot in spots if spot.partition(" ")[0] == one.key]
            bound = sum(pins[spot] for spot in pins if spot.partition(" ")[0] == one.key)
            for spot in of_it:  # what may run anywhere may take any of them
                places.promise(spot, pins[spot] + one.waiting - bound)
        return places

    def _spot(self, row: TaskAttempt) -> str:
        """Return which allocations suit the next attempt: where there is no common file system, those of its node."""
        return _spot(_key(row), row.node) if self._context.outposts.of(row.job_id).dealt else _key(row)

    def _is_queued(self, facts: JobFacts) -> bool:
        worker = self._context.worker(facts)
        return worker is not None and worker.backend.traits.queued

    def _has_to_break(self, facts: JobFacts, row: TaskAttempt, now: float) -> bool:
        """Return True if the task has to end before there are GPUs for its next attempt, and there will be some."""
        worker, own = self._context.worker(facts), facts.spec.resources
        has, wanted = row.size or own.gpus or 0, row.size_wanted or own.gpus or 0
        if worker is None:
            return False
        if not worker.backend.traits.queued:
            free = self._context.free.get(_key(row), {})
            if self._context.outposts.of(row.job_id).dealt:  # its checkpoint is there
                free = {row.node or "": free.get(row.node or "", 0)}
        else:
            nodes = placement.eligible_nodes(own, worker.nodes)
            gpus = {one.name: sum(device.kind == "gpu" for device in one.devices) for one in nodes if one.usable}
            free = {one.name: gpus[one.name] - one.slots_used for one in nodes if one.name in gpus}
        whole = placement.gpus_of_a_node(own, worker.nodes) if worker.backend.traits.multi_node else None
        if worker.backend.traits.queued and now - self._since[_identity(row)] > PATIENCE:
            own_node = row.node or ""  # limits or lists of nodes may keep it from others
            return room(wanted, {own_node: free.get(own_node, 0)}, own_node, has, whole) is not SizeRoom.NONE
        return room(wanted, free, row.node, has, whole) is SizeRoom.AFTER


@dataclass
class _Places:
    """Allocations in which no task runs, by `Demand.key`."""

    asked: Counter[str]
    ready: Counter[str]  # of these, those whose runners have reported themselves

    @classmethod
    def of(cls, idle: Mapping[str, Sequence[AllocationRow]]) -> "_Places":
        ready = {key: sum(any(row.offsets) for row in rows) for key, rows in idle.items()}
        return cls(Counter({key: len(rows) for key, rows in idle.items()}), Counter(ready))

    def promise(self, key: str, count: int) -> None:
        """Leave out some, as others will take them."""
        self.asked[key] -= count
        self.ready[key] -= count


def _identity(row: TaskAttempt) -> Identity:
    return row.id, row.attempt_number


def _key(row: TaskAttempt) -> str:
    return demand_key(row.job_id, row.size_wanted)


def _spot(key: str, node: str | None) -> str:
    return f"{key} {node}"


def _nearly_done(row: TaskAttempt) -> bool:
    pace = Pace(row.epochs, row.epoch, row.epoch_at, row.first_epoch, row.attempt_first_epoch, row.started_at)
    return (pace.progress() or 0.0) >= NEARLY_DONE

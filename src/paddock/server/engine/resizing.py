"""Ends the attempts of tasks that are to go on with another number of GPUs.

The wish is in the database; each round does what is next, so a server that is killed changes nothing. Where there is
room, an allocation of the other size is asked for first (`Demand.coming`), and the attempt ends when the runner there
has reported itself. Where there is room only once it has ended, it ends first. Otherwise it trains on until there is.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from paddock.models import AllocationState, Cause, TaskState
from paddock.rules import placement
from paddock.rules.estimate import Pace
from paddock.rules.lifecycle import Verdict
from paddock.rules.pool import demand_key
from paddock.rules.sizing import SizeRoom, room
from paddock.server.engine.apply import changing, resized
from paddock.server.engine.context import Context, JobFacts
from paddock.server.store import allocations, attempts
from paddock.server.store.allocations import AllocationRow
from paddock.server.store.attempts import TaskAttempt
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

    def run(self, rows: Sequence[AllocationRow], now: float) -> bool:
        """Do what is next for each task that is to be resized. Returns whether attempts were begun."""
        context, begun = self._context, False
        with context.db.read() as c:
            wanted = attempts.resizing(c)
            if not wanted:
                self._ordered, self._since, context.free = set(), {}, {}
                return False
            demands = attempts.demands(c)
            held = {one.job for one in demands if one.held}
            found = attempts.current(c, [one.id for one in wanted if one.job_id not in held])
            facts = context.facts(c, [row.job_id for row in found])
            places = self._places(c, [row for row in rows if row.job_id in facts], facts)
        for one in demands:
            places.promise(one.key, one.waiting)
        for row in found:
            places.promise(_key(row), _identity(row) in self._ordered)
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

    def _places(self, c: Connection, rows: Sequence[AllocationRow], facts: Mapping[str, JobFacts]) -> "_Places":
        """Return the allocations of these jobs in which no task runs."""
        context = self._context
        able = [
            row
            for row in rows
            if row.state != AllocationState.ENDED and row.key not in context.silent
            if not (row.ending or row.leaving_for is not None or context.notes[row.key].stuck)
        ]
        busy = {one.allocation for one in attempts.running_in(c, [row.key for row in able])}
        batches = allocations.batches_by_key(c, {row.batch for row in able})
        made = _Places()
        for row in able:
            if row.key not in busy and row.batch in batches:
                gpus = batches[row.batch].resources.gpus
                key = demand_key(row.job_id, facts[row.job_id].spec.resources.unusual(gpus))
                made.asked[key] += 1
                made.ready[key] += any(row.offsets)
        return made

    def _resize(self, facts: JobFacts, rows: Sequence[TaskAttempt], places: "_Places", now: float) -> bool:
        outpost = self._context.outposts.of(facts.id)
        waiting = {_identity(row): row for row in rows if row.state != TaskState.RUNNING}
        withdrawn = outpost.withdraw(waiting)
        orders = []
        for row in rows:
            if row.state != TaskState.RUNNING or _identity(row) in self._ordered or _nearly_done(row):
                continue
            if places.ready[_key(row)] > 0:
                places.promise(_key(row), 1)
            elif places.asked[_key(row)] > 0 and not self._is_queued(facts):
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
        else:
            nodes = placement.eligible_nodes(own, worker.nodes)
            gpus = {one.name: sum(device.kind == "gpu" for device in one.devices) for one in nodes if one.usable}
            free = {one.name: gpus[one.name] - one.slots_used for one in nodes if one.name in gpus}
            if (
                now - self._since[_identity(row)] > PATIENCE
            ):  # limits or lists of nodes may keep it from those that are free
                return free.get(row.node or "", 0) + has >= wanted
        return room(wanted, free, row.node, has) is SizeRoom.AFTER


@dataclass
class _Places:
    """Allocations in which no task runs, by `Demand.key`."""

    asked: Counter[str] = field(default_factory=Counter)
    ready: Counter[str] = field(default_factory=Counter)  # of these, those whose runners have reported themselves

    def promise(self, key: str, count: int) -> None:
        """Leave out some, as others will take them."""
        self.asked[key] -= count
        self.ready[key] -= count


def _identity(row: TaskAttempt) -> Identity:
    return row.id, row.attempt_number


def _key(row: TaskAttempt) -> str:
    return demand_key(row.job_id, row.size_wanted)


def _nearly_done(row: TaskAttempt) -> bool:
    pace = Pace(row.epochs, row.epoch, row.epoch_at, row.first_epoch, row.attempt_first_epoch, row.started_at)
    return (pace.progress() or 0.0) >= NEARLY_DONE

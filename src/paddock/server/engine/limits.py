"""Passes hold, release and new limits of jobs on to their allocations and runners."""

from collections import defaultdict
from typing import Any

from paddock.models import AllocationChange, JobSpec
from paddock.server.engine.backend_worker import Change
from paddock.server.engine.context import Context
from paddock.server.engine.queue_order import nice, sent
from paddock.server.store import allocations, jobs
from paddock.server.store.allocations import UnadjustedAllocation
from paddock.server.store.jobs import ChangedJob

NOTIFY = "pass changes on to its runners"
CHANGE = "change its allocations"


def adjust(context: Context) -> None:
    """Store the results of earlier changes, and pass new changes on."""
    with context.db.read() as c:
        changed = jobs.not_passed_on(c)
    for one in changed:
        context.boundary.try_for(one.id, NOTIFY, _notify, context, one)
    for worker in context.workers.values():
        for change in worker.changed():
            with context.boundary.job(change.tag.split()[0], CHANGE):
                if not sent(context, change):
                    _changed(context, change)
    with context.db.read() as c:
        rows = allocations.to_adjust(c)
    groups: dict[tuple[str, str, int], list[UnadjustedAllocation]] = defaultdict(list)
    for row in rows:
        groups[row.backend, row.job_id, row.adjusted].append(row)
    for (backend, job, number), mine in groups.items():
        if backend in context.workers and not context.boundary.rests(job, CHANGE):
            with context.boundary.job(job, CHANGE):
                resources = JobSpec.model_validate(mine[0].spec).resources
                whole = nice(context, backend, job, resources)
                asked = AllocationChange(held=mine[0].held, time_limit=resources.time_limit, nice=whole)
                context.workers[backend].change(f"{job} {number}", [row.backend_id for row in mine], asked)


def _notify(context: Context, row: ChangedJob) -> None:
    spec = JobSpec.model_validate(row.spec)
    limit = spec.resources.time_limit
    lines: list[dict[str, Any]] = [{"op": "hold" if row.held else "release"}]
    if limit:
        lines.append({"op": "limit", "time_limit": limit})
    if spec.metrics.patterns:
        lines.append({"op": "patterns", "patterns": spec.metrics.patterns})
        context.marked.add(row.id)
    context.outposts.of(row.id).order(lines)
    context.forget(row.id)  # its limits may have changed
    with context.db.write() as c:
        jobs.mark_passed_on(c, row.id, row.adjusted)


def _changed(context: Context, change: Change) -> None:
    job, number = change.tag.split()
    changed = set(change.ids)  # others may have come since: the next round changes them
    with context.db.write() as c:
        keys = [row.key for row in allocations.to_adjust(c) if row.job_id == job and row.backend_id in changed]
        allocations.adjusted(c, keys, int(number))
        if change.refused:
            jobs.warn(c, job, change.refused)

"""Ends allocations. This is also the list of everything that Paddock ends, and how.

Everything that is to end has one intent, which is stored before anything happens, and one sign that it has ended.
Nothing counts as ended because it was asked to end: until the sign is there, the rounds of the engine see the same
intent again, and ask again.

| to end | intent | request | it has ended when |
|---|---|---|---|
| a task that waits | `tasks.stopping` | its claim is withdrawn (`withdraw`) | the claim is the engine's: no runner takes it |
| a task that runs | `tasks.stopping`, or the verdict of a search | an order in control.jsonl (`attempts.ordered`) | its journal reports the end, or its allocation is closed |
| an allocation | `AllocationRow.ending` | `Backend.cancel` (`end`), every 10 s | the backend reports `ended` |
| a runner whose allocation has ended or was started again | the same, without `bye` | the order `drain` (`linger.dismiss`) | its journal has `bye`, or is silent |
| a job | `jobs.removing` | its allocations are ended (`remove`) | its rows are deleted |
"""  # noqa: E501  (a table)

from paddock.models import AllocationState
from paddock.server.engine.context import Context
from paddock.server.store import allocations, attempts
from paddock.server.store.allocations import AllocationRow

AGAIN_SECONDS = 10.0


def end(context: Context, rows: list[AllocationRow], *, waiting_only: bool = False) -> None:
    """Ask the backends to end these allocations. To be called in every round in which they are to end.

    `waiting_only`: those that run by now are left alone, as they can be used.
    """
    now = context.clock.ticks()
    due = [
        row
        for row in rows
        if row.backend_id and row.backend in context.workers and row.state != AllocationState.ENDED
        if now - context.notes[row.key].asked_to_end >= AGAIN_SECONDS
    ]
    if not due:
        return
    with context.db.write() as c:  # before it happens: what Paddock ends was not ended by hand
        allocations.to_end(c, [row.key for row in due])
    for name in sorted({row.backend for row in due}):
        ids = [row.backend_id for row in due if row.backend == name and row.backend_id]
        context.workers[name].cancel(ids, waiting_only=waiting_only)
    for row in due:
        context.notes[row.key].asked_to_end = now


def end_stuck(context: Context, rows: list[AllocationRow], now: float) -> None:
    """End allocations with a task that was ordered to stop, if their runners neither obey nor report anything."""
    with context.db.read() as c:
        ordered = attempts.ordered_to_stop(c)
        facts = context.facts(c, [row.job_id for row in ordered])
    heard = {row.key: row.heard_at for row in rows if row.state == AllocationState.RUNNING}
    context.ordered_since = {one.id: context.ordered_since.get(one.id, now) for one in ordered}
    context.awaited = {one.allocation for one in ordered if one.allocation is not None}
    stuck = set()
    for one in ordered:
        heard_at = heard.get(one.allocation)
        if heard_at is not None and one.job_id in facts:
            allowed = context.grace_seconds(facts[one.job_id].spec) + context.settings.runner.stuck_seconds
            if now - max(heard_at, context.ordered_since[one.id]) > allowed:
                stuck.add(one.allocation)
    for row in rows:
        context.notes[row.key].stuck = row.key in stuck
    end(context, [row for row in rows if row.key in stuck])

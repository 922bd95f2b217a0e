"""Ends allocations. A cancel is done when its backend says that they have ended: until then it is asked again."""

import math
import time

from paddock.models import AllocationState
from paddock.server.engine.context import Context
from paddock.server.store import allocations, attempts
from paddock.server.store.allocations import AllocationRow

AGAIN_SECONDS = 10.0
_FORGET_SECONDS = 3600.0


def cancel(context: Context, rows: list[AllocationRow], *, waiting_only: bool = False) -> None:
    """Have allocations ended, as far as their backends have them; `waiting_only`: unless they run by now."""
    now = time.monotonic()
    due = [
        row
        for row in rows
        if row.backend_id and row.backend in context.workers and row.state != AllocationState.ENDED
        if now - context.cancels.get(row.key, -math.inf) >= AGAIN_SECONDS
    ]
    if not due:
        return
    with context.db.write() as c:
        allocations.cancelled(c, [row.key for row in due])
    for name in sorted({row.backend for row in due}):
        ids = [row.backend_id for row in due if row.backend == name and row.backend_id]
        context.workers[name].cancel(ids, waiting_only=waiting_only)
    context.cancels = {key: at for key, at in context.cancels.items() if now - at < _FORGET_SECONDS}
    context.cancels |= {row.key: now for row in due}


def end_stuck(context: Context, rows: list[AllocationRow], now: float) -> None:
    """End allocations with a task that was to be stopped, whose runners do not obey and say nothing."""
    with context.db.read() as c:
        told = attempts.told_to_stop(c)
        facts = context.facts(c, [row.job_id for row in told])
    heard = {row.key: row.heard_at for row in rows if row.state == AllocationState.RUNNING}
    context.told = {one.id: context.told.get(one.id, now) for one in told}
    runner = context.settings.runner
    stuck = set()
    for one in told:
        heard_at = heard.get(one.allocation)
        if heard_at is not None and one.job_id in facts:
            grace = facts[one.job_id].spec.grace_seconds
            grace = runner.grace_seconds if grace is None else grace
            if now - max(heard_at, context.told[one.id]) > grace + runner.stuck_seconds:
                stuck.add(one.allocation)
    cancel(context, [row for row in rows if row.key in stuck])

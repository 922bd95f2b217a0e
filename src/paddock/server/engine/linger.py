"""Handles allocations that have ended although their runner has not written `bye`.

A scheduler that has lost a node reports the end of everything there, but the runner may not know it and continue. It is
told to end at once, and its journal is read further. Only when it has left, or has reported nothing for a while, are
its open attempts ended and tried again.
"""

import json

from paddock.common import files
from paddock.models import Cause
from paddock.server.engine.context import Context
from paddock.server.store.allocations import AllocationRow

QUIET_SECONDS = 10.0  # for the last records of a runner that its scheduler has ended
LAST_BYTES = 200
_UNSEEN = (Cause.NODE_FAILURE, Cause.LOST)  # nobody has seen the runner end


def over(context: Context, rows: list[AllocationRow], now: float) -> list[AllocationRow]:
    """Return those of a job's ended allocations that will report nothing more. The others are ordered to end."""
    found = [row for row in rows if _is_over(context, row, now)]
    keys = {row.key for row in found}
    fresh = [row for row in rows if context.notes[row.key].lingers_since is None]
    # Also one that has reported nothing: it may start later, on a node that the scheduler has given up.
    unseen = [row for row in fresh if row.key in keys and row.cause in _UNSEEN and not left_well(context, row)]
    lingering = [row for row in fresh if row.key not in keys]
    for row in (*lingering, *unseen):
        dismiss(context, row)
    for row in lingering:
        context.notes[row.key].lingers_since = now
    return found


def left_well(context: Context, row: AllocationRow) -> bool:
    """Return True if the last journal ends with `bye`. To be called when it was read to its end."""
    if not row.offsets:
        return False
    folder = context.home.job(row.job_id)
    path = folder.journal(row.key, len(row.offsets))
    try:
        last = files.read_plain(str(path), LAST_BYTES, offset=-LAST_BYTES, below=str(folder.root))
    except OSError:
        return False
    try:
        record = json.loads(last.splitlines()[-1]) if last.endswith(b"\n") else None
    except ValueError:
        return False
    return isinstance(record, dict) and record.get("e") == "bye"


def dismiss(context: Context, row: AllocationRow, start: int | None = None) -> None:
    """Order the runner of an allocation to end at once. `start`: only the runners of this start and earlier ones."""
    outpost = context.outposts.of(row.job_id)
    worker = context.workers.get(row.backend)
    if worker is not None and not worker.backend.sure and outpost.exists:
        order = {"op": "drain", "allocation": row.key, "now": True} | ({} if start is None else {"start": start})
        outpost.order([order])


def _is_over(context: Context, row: AllocationRow, now: float) -> bool:
    worker = context.workers.get(row.backend)
    if worker is None or worker.backend.sure or not row.offsets or left_well(context, row):
        return True
    noticed = context.notes[row.key].lingers_since
    since = max(row.heard_at or 0.0, now if noticed is None else noticed)
    silence = context.settings.runner.silence_seconds
    return now - since > (silence if row.cause in _UNSEEN else min(silence, QUIET_SECONDS))

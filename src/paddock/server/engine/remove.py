"""Removes jobs: ends what runs, then deletes the rows and the folder."""

import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from paddock.models import AllocationState
from paddock.server.engine.context import Context
from paddock.server.engine.ending import end
from paddock.server.engine.observe import SUBMITTING
from paddock.server.store import erasing, jobs
from paddock.server.store.allocations import AllocationRow

REMOVING = "remove it"
REST_SECONDS = 0.01  # between two portions, so that others can write
AGAIN_SECONDS = 30.0  # after a failure

log = logging.getLogger("paddock.engine")


@dataclass(frozen=True)
class RemovedJob:
    """A job whose rows and folder can be deleted in the background."""

    job: str
    folder: Path | None


def remove(context: Context, rows: list[AllocationRow]) -> list[RemovedJob]:
    with context.db.read() as c:
        now = context.clock.ticks()
        leaving = [job for job in jobs.removing(c) if context.erasing.get(job, 0.0) <= now]
    of_job = {job: [row for row in rows if row.job_id == job] for job in leaving}
    found = [context.boundary.try_for(job, REMOVING, _remove, context, job, of_job[job]) for job in leaving]
    return [one for one in found if one is not None]


def _remove(context: Context, job: str, rows: list[AllocationRow]) -> RemovedJob | None:
    left = [row for row in rows if _is_left(context, row)]
    if left:
        end(context, left)
        return None
    removed = context.outposts.of(job).remove()
    if removed is None:
        return None
    with context.db.write() as c:
        erasing.detach(c, job)
    context.erasing[job] = math.inf
    context.forget(job)
    context.outposts.forget(job)
    context.boundary.forget(job)
    return RemovedJob(job, removed.left)


def erase(context: Context, job: str, over: Callable[[], bool]) -> None:
    """Delete the rows of a job in portions. The next server deletes what is left when this one ends.

    Not in the engine's thread.
    """
    try:
        more = True
        while more and not over():
            with context.db.write() as c:
                more = erasing.erase_some(c, job)
            time.sleep(REST_SECONDS)
        del context.erasing[job]
    except Exception:
        log.exception("the rows of the removed job %s cannot be deleted; trying again", job)
        context.erasing[job] = context.clock.ticks() + AGAIN_SECONDS


def _is_left(context: Context, row: AllocationRow) -> bool:
    """Return True if something of an allocation may run or wait, and can be ended."""
    if row.backend not in context.workers or row.state == AllocationState.ENDED:
        return False
    # One that cannot be submitted, as its folder is gone, will never exist.
    return not (row.state == AllocationState.PLANNED and context.boundary.rests(row.job_id, SUBMITTING))

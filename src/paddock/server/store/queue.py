"""What runs and waits on the server, with when it is expected to begin and to end."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from paddock.models import QueuedJob, QueuedTask, QueuePage, TaskState, Waits
from paddock.server.store import allocations
from paddock.server.store.estimates import NOTHING, Estimates, expected
from paddock.server.store.sight import Sight
from paddock.server.store.tables import UNENDED, jobs, tasks

MOST_JOBS = 500
ESTIMATE_SECONDS = 0.5


@dataclass(frozen=True)
class Decided:
    """What the engine has found last."""

    waits: Mapping[str, Waits]  # job -> why it waits for the policy
    lines: Mapping[str, Sequence[str]]  # backend -> jobs that wait, in the order of the policy
    estimates: Estimates


def listed(c: sa.Connection, sight: Sight, default: str, now: float, decided: Decided, most_tasks: int) -> QueuePage:
    """Return all jobs with tasks that run or wait, and up to so many waiting tasks of each.

    `default` is the backend of jobs that name none.
    """
    running = sa.func.count(sa.case((tasks.c.state == TaskState.RUNNING, 1)))
    counted = sa.select(tasks.c.job_id, running.label("running"), sa.func.count().label("unended"))
    counted = counted.where(tasks.c.state.in_(UNENDED)).group_by(tasks.c.job_id)
    open_ = counted.subquery()
    named = (jobs.c.id, jobs.c.owner, jobs.c.name, jobs.c.spec, jobs.c.held, jobs.c.priority, jobs.c.created_at)
    query = sa.select(*named, open_.c.running, open_.c.unended).join(open_, open_.c.job_id == jobs.c.id)
    query = query.where(jobs.c.removing.is_(False), sight.where).order_by(jobs.c.created_at, jobs.c.id)
    rows = c.execute(query.limit(MOST_JOBS)).all()
    ids = [row.id for row in rows]
    waits = dict(decided.waits) | allocations.waiting(c, ids)
    found = decided.estimates.of_many(c, ids, now, waits, ESTIMATE_SECONDS)
    places = {job: place for line in decided.lines.values() for place, job in enumerate(line, 1)}
    items = []
    for row in rows:
        estimate, waiting = found.get(row.id, NOTHING), row.unended - row.running
        first = min(estimate.begins.values(), key=lambda band: band.likely, default=None)
        some = _waiting(c, row.id, most_tasks) if waiting and most_tasks else []
        items.append(
            QueuedJob(
                id=row.id,
                owner=row.owner,
                name=row.name,
                backend=row.spec["resources"].get("backend") or default,
                priority=row.priority,
                created_at=row.created_at,
                running=row.running,
                waiting=waiting,
                held=row.held,
                place=places.get(row.id) if waiting and not row.held else None,
                waits=(allocations.HELD if row.held else waits.get(row.id)) if waiting else None,
                expected_start=expected(first, now),
                expected_end=expected(estimate.done, now),
                tasks=[
                    QueuedTask(
                        id=task,
                        expected_start=expected(estimate.begins.get(task), now),
                        expected_end=expected(estimate.ends.get(task), now),
                    )
                    for task in some
                ],
            )
        )
    return QueuePage(items=sorted(items, key=_turn))


def _turn(job: QueuedJob) -> tuple[bool, str, float, float]:
    """Return what jobs are sorted by: those that wait first, by backend, and by when they go on."""
    if not job.waiting:
        return True, "", 0.0, job.created_at.timestamp()
    stuck = job.held or (job.waits is not None and job.waits.never)
    start = math.inf if stuck or job.expected_start is None else job.expected_start.likely.timestamp()
    return False, job.backend, job.place or (math.inf if stuck else 1e9), start


def _waiting(c: sa.Connection, job: str, most: int) -> list[str]:
    query = sa.select(tasks.c.id).where(tasks.c.job_id == job, tasks.c.state == TaskState.SUBMITTED)
    return list(c.scalars(query.order_by(tasks.c.number).limit(most)))

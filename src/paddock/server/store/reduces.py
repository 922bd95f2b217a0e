"""The task that runs the `reduce` of a job: find out when it is due, and begin it."""

from collections.abc import Sequence

import sqlalchemy as sa

from paddock.models import TaskState
from paddock.search.tasks import NewTask
from paddock.server.store import attempts as attempt_rows
from paddock.server.store import trials
from paddock.server.store.tables import CURRENT, UNENDED, attempts, jobs, tasks

_BADLY = (TaskState.ERROR, TaskState.STOPPED)


def due(c: sa.Connection, ids: Sequence[str] | None = None) -> dict[str, tuple[str, int] | None]:
    """Return the jobs (all, or those of `ids`) whose other tasks have all ended well, and whose reduce has not begun
    since: with the id and the current attempt of the reduce task, or None if the job has no such task yet."""
    mine = sa.select(tasks.c.id).where(tasks.c.job_id == jobs.c.id)
    query = sa.select(jobs.c.id).where(
        jobs.c.spec["reduce"].as_string().is_not(None),
        jobs.c.searching.is_(False),
        jobs.c.removing.is_(False),
        mine.exists(),
        ~mine.where(tasks.c.state.in_(UNENDED)).exists(),
        ~mine.where(tasks.c.state.in_(_BADLY), tasks.c.reduces.is_(False)).exists(),
    )
    if ids is not None:
        query = query.where(jobs.c.id.in_(ids))
    found: dict[str, tuple[str, int] | None] = {}
    for job in c.scalars(query.order_by(jobs.c.created_at)).all():
        newest = sa.select(sa.func.max(attempts.c.id)).where(attempts.c.job_id == job).scalar_subquery()
        own = sa.select(tasks.c.id, tasks.c.attempt, (attempts.c.id == newest).label("begun")).join(attempts, CURRENT)
        row = c.execute(own.where(tasks.c.job_id == job, tasks.c.reduces.is_(True))).one_or_none()
        if row is None or not row.begun:
            found[job] = None if row is None else (row.id, row.attempt)
    return found


def begin(c: sa.Connection, job: str) -> str | None:
    """Add the reduce task or give it another attempt if that is due, and return its id."""
    for last in due(c, [job]).values():
        if last is None:
            return trials.add(c, job, [NewTask({}, None, 0, reduces=True)])[0]
        attempt_rows.begin_next(c, job, [last], resumed=False)
        return last[0]
    return None

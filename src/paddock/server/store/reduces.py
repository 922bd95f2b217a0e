"""The task that runs the `reduce` of a job: find out when it is due, and begin it."""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from paddock.models import TaskState
from paddock.search.tasks import NewTask
from paddock.server.store import attempts as attempt_rows
from paddock.server.store import trials
from paddock.server.store.tables import CURRENT, UNENDED, attempts, jobs, tasks

_BADLY = (TaskState.ERROR, TaskState.STOPPED)


@dataclass(frozen=True)
class Due:
    """A job whose reduce task is to begin."""

    job: str
    task: str | None  # None: the job has no reduce task yet
    attempt: int | None


def due(c: sa.Connection, ids: Sequence[str] | None = None) -> list[Due]:
    """Return the jobs (all, or those of `ids`) whose other tasks have all ended well, and whose reduce has not begun
    since."""
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
    found = (_due(c, job) for job in c.scalars(query.order_by(jobs.c.created_at)).all())
    return [one for one in found if one is not None]


def _due(c: sa.Connection, job: str) -> Due | None:
    """Return None if the current attempt of the reduce task is the newest attempt of the job."""
    query = sa.select(tasks.c.id, tasks.c.attempt, attempts.c.id.label("last")).join(attempts, CURRENT)
    row = c.execute(query.where(tasks.c.job_id == job, tasks.c.reduces.is_(True))).one_or_none()
    if row is None:
        return Due(job, None, None)
    newest = c.scalar(sa.select(sa.func.max(attempts.c.id)).where(attempts.c.job_id == job))
    return Due(job, row.id, row.attempt) if row.last != newest else None


def begin(c: sa.Connection, job: str) -> str | None:
    """Add the reduce task or give it another attempt if that is due, and return its id."""
    for one in due(c, [job]):
        if one.task is None or one.attempt is None:
            return trials.add(c, job, [NewTask({}, None, 0, reduces=True)])[0]
        attempt_rows.begin_next(c, job, [(one.task, one.attempt)], resumed=False)
        return one.task
    return None

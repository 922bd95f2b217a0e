"""Find the jobs and attempts that are over, and so may be deleted."""

from collections.abc import Collection, Iterator
from pathlib import PurePath

import sqlalchemy as sa

from paddock.rules.keep import StoredAttempt, StoredJob
from paddock.server.store import reduces
from paddock.server.store.tables import UNENDED, allocations, attempts, batches, jobs, tasks

# No task is left, none will be added, and every journal has been read to its end. A reduce may still be due.
_OVER = (
    jobs.c.removing.is_(False),
    jobs.c.searching.is_(False),
    ~sa.exists().where(tasks.c.job_id == jobs.c.id, tasks.c.state.in_(UNENDED)),
    ~sa.exists().where(allocations.c.job_id == jobs.c.id, allocations.c.closed.is_(False)),
)


def over(c: sa.Connection, job: str) -> bool:
    """Return True if a job is over."""
    found = c.execute(sa.select(jobs.c.id).where(*_OVER, jobs.c.id == job)).one_or_none()
    return found is not None and not reduces.due(c, [job])


def ended(c: sa.Connection, before: float, job: str | None = None) -> list[StoredJob]:
    """Return the jobs that were over at this time.

    Runners report when attempts ended, and their clocks may be wrong: what the server saw later counts, too.
    """
    times = jobs.c.created_at, _latest(attempts), _latest(allocations)
    query = sa.select(jobs.c.id, jobs.c.name, *times).where(*_OVER, jobs.c.created_at <= before)
    if job is not None:
        query = query.where(jobs.c.id == job)
    rows = c.execute(query.order_by(jobs.c.created_at)).all()
    due = reduces.due(c, None if job is None else [job]) if rows else {}
    found = ((name, StoredJob(name, title, max(at or 0.0 for at in ends))) for name, title, *ends in rows)
    return [one for name, one in found if name not in due and (one.ended_at or 0.0) <= before]


def _latest(table: sa.Table) -> sa.ScalarSelect[float | None]:
    return sa.select(sa.func.max(table.c.ended_at)).where(table.c.job_id == jobs.c.id).scalar_subquery()


def superseded(c: sa.Connection, before: float) -> Iterator[StoredAttempt]:
    """Yield the attempts that ended before this time and have a later one."""
    query = (
        sa.select(attempts.c.job_id, attempts.c.task_id, attempts.c.number, attempts.c.created_at, attempts.c.ended_at)
        .join(tasks, tasks.c.id == attempts.c.task_id)
        .where(attempts.c.number < tasks.c.attempt, attempts.c.created_at <= before)
        .order_by(attempts.c.job_id, attempts.c.task_id, attempts.c.number)
    )
    for job, task, number, created, over in c.execute(query):
        if max(created, over or 0.0) <= before:
            yield StoredAttempt(job, task, number, max(created, over or 0.0))


def runners_in_use(c: sa.Connection, since: float) -> Collection[str]:
    """Return the names of the runner files of all allocations that have not ended before this time."""
    of_batch = allocations.c.batch == batches.c.key
    used = sa.or_(allocations.c.closed.is_(False), allocations.c.ended_at >= since)
    query = sa.select(batches.c.spec).where(sa.or_(batches.c.created_at >= since, sa.exists().where(of_batch, used)))
    parts = (part for spec in c.scalars(query) for part in spec.get("runner", ()))
    return {PurePath(part).name for part in parts if part.endswith(".pyz")}

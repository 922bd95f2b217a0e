"""Find out which jobs and attempts are over, and so what may be deleted."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import PurePath

import sqlalchemy as sa

from paddock.server.store import reduces
from paddock.server.store.tables import UNENDED, allocations, attempts, batches, jobs, tasks

# No task is left, none will be added, and every journal has been read to its end. A reduce may still be due.
_OVER = (
    jobs.c.removing.is_(False),
    jobs.c.searching.is_(False),
    ~sa.exists().where(tasks.c.job_id == jobs.c.id, tasks.c.state.in_(UNENDED)),
    ~sa.exists().where(allocations.c.job_id == jobs.c.id, allocations.c.closed.is_(False)),
)


@dataclass(frozen=True)
class EndedJob:
    """A job that is over, and since when."""

    id: str
    name: str
    at: float


@dataclass(frozen=True)
class Superseded:
    """An attempt of a task that has a later one."""

    job: str
    task: str
    number: int
    at: float


def over(c: sa.Connection, job: str) -> bool:
    """Return True if a job is over."""
    found = c.execute(sa.select(jobs.c.id).where(*_OVER, jobs.c.id == job)).one_or_none()
    return found is not None and not reduces.due(c, [job])


def ended(c: sa.Connection, before: float, job: str | None = None) -> list[EndedJob]:
    """Return the jobs that were over at this time.

    Runners report when attempts ended, and their clocks may be wrong: what the server saw later counts, too.
    """
    query = (
        sa.select(jobs.c.id, jobs.c.name, jobs.c.created_at)
        .add_columns(_latest(attempts).label("told"), _latest(allocations).label("seen"))
        .where(*_OVER, jobs.c.created_at <= before)
        .order_by(jobs.c.created_at)
    )
    if job is not None:
        query = query.where(jobs.c.id == job)
    rows = c.execute(query).all()
    due = {one.job for one in reduces.due(c, None if job is None else [job])} if rows else set()
    found = [
        EndedJob(row.id, row.name, max(row.created_at, row.told or 0.0, row.seen or 0.0))
        for row in rows
        if row.id not in due
    ]
    return [one for one in found if one.at <= before]


def _latest(table: sa.Table) -> sa.ScalarSelect[float | None]:
    return sa.select(sa.func.max(table.c.ended_at)).where(table.c.job_id == jobs.c.id).scalar_subquery()


def superseded(c: sa.Connection, before: float) -> Iterator[Superseded]:
    """Yield the attempts that ended before this time and have a later one."""
    query = (
        sa.select(attempts.c.job_id, attempts.c.task_id, attempts.c.number, attempts.c.created_at, attempts.c.ended_at)
        .join(tasks, tasks.c.id == attempts.c.task_id)
        .where(attempts.c.number < tasks.c.attempt, attempts.c.created_at <= before)
        .order_by(attempts.c.job_id, attempts.c.task_id, attempts.c.number)
    )
    for job, task, number, created, over in c.execute(query):
        if max(created, over or 0.0) <= before:
            yield Superseded(job, task, number, max(created, over or 0.0))


def runners_in_use(c: sa.Connection, since: float) -> Collection[str]:
    """Return the names of the runner files of all allocations that have not ended before this time."""
    of_batch = allocations.c.batch == batches.c.key
    used = sa.or_(allocations.c.closed.is_(False), allocations.c.ended_at >= since)
    query = sa.select(batches.c.spec).where(sa.or_(batches.c.created_at >= since, sa.exists().where(of_batch, used)))
    return {
        PurePath(part).name for spec in c.scalars(query) for part in spec.get("runner", ()) if part.endswith(".pyz")
    }

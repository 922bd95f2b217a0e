"""Delete the rows of a removed job in portions: others can write in between, and a restarted server goes on."""

import sqlalchemy as sa

from paddock.models import TaskState
from paddock.server.store.rows import portions
from paddock.server.store.tables import UNENDED, allocations, attempts, batches, chunks, jobs, tasks

ROWS = 2_000  # per transaction
ATTEMPTS = 200


def detach(c: sa.Connection, job: str) -> None:
    """Take a job that is being removed out of the work of the engine."""
    for table in (allocations, batches):
        c.execute(sa.delete(table).where(table.c.job_id == job))
    unended = sa.update(tasks).where(tasks.c.job_id == job, tasks.c.state.in_(UNENDED))
    c.execute(unended.values(state=TaskState.STOPPED, stopping=True))


def erase_some(c: sa.Connection, job: str, rows: int = ROWS) -> bool:
    """Delete about this many rows of a detached job, the job itself last; return True if there are more."""
    few = list(c.scalars(sa.select(attempts.c.id).where(attempts.c.job_id == job).limit(min(ATTEMPTS, rows))))
    if few:
        if _erase_points(c, few, rows):
            c.execute(sa.delete(attempts).where(attempts.c.id.in_(few)))
        return True
    some = list(c.scalars(sa.select(tasks.c.id).where(tasks.c.job_id == job).limit(rows)))
    if some:
        for ids in portions(some):
            c.execute(sa.delete(tasks).where(tasks.c.id.in_(ids)))
        return True
    c.execute(sa.delete(jobs).where(jobs.c.id == job))
    return False


def _erase_points(c: sa.Connection, ids: list[int], rows: int) -> bool:
    """Delete points of these attempts, of which one may have a million rows; return True if none are left."""
    key = [chunks.c.attempt_id, chunks.c.name, chunks.c.seq]
    found = c.execute(sa.select(*key).where(chunks.c.attempt_id.in_(ids)).limit(rows)).all()
    if found:
        one = sa.and_(*(column == sa.bindparam(f"one_{column.name}") for column in key))
        c.execute(
            sa.delete(chunks).where(one),
            [{f"one_{name}": value for name, value in row._mapping.items()} for row in found],
        )
    return len(found) < rows

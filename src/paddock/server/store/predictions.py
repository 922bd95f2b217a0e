"""What earlier predictions of a program turned out to be."""

from collections.abc import Collection, Sequence
from typing import Literal

import sqlalchemy as sa

from paddock.models import TaskState
from paddock.server.store.rows import portions
from paddock.server.store.tables import CURRENT, UNENDED, attempts, jobs, predictions, tasks

Kind = Literal["task", "job"]
MOST_SCORES = 200
MOST_PROGRAMS = 200  # per person: a program gets another key whenever it is edited
OF_OTHERS = 10  # programs that count for one of which nothing is known


def scores(c: sa.Connection, owner: str, program: str | None, kind: Kind) -> list[float]:
    """Return how far off earlier predictions of this program were; of the newest programs, if there were none."""
    table = predictions.c
    own = sa.select(table.scores).where(table.owner == owner, table.program == program, table.kind == kind)
    found = c.scalar(own)
    if found:
        return _valid(found)
    newest = sa.select(table.scores).where(table.kind == kind).order_by(table.at.desc()).limit(OF_OTHERS)
    return [score for some in c.scalars(newest) for score in _valid(some)][:MOST_SCORES]


def learn(c: sa.Connection, owner: str, program: str, kind: Kind, new: Sequence[float], at: float) -> None:
    """Add scores to those of a program; the oldest go."""
    mine = sa.and_(predictions.c.owner == owner, predictions.c.program == program, predictions.c.kind == kind)
    before = c.scalar(sa.select(predictions.c.scores).where(mine))
    values = {"scores": [*_valid(before or []), *(round(one, 3) for one in new)][-MOST_SCORES:], "at": at}
    if before is None:
        c.execute(sa.insert(predictions).values(owner=owner, program=program, kind=kind, **values))
        of_owner = sa.and_(predictions.c.owner == owner, predictions.c.kind == kind)
        query = sa.select(predictions.c.at).where(of_owner).order_by(predictions.c.at.desc())
        oldest = c.scalar(query.offset(MOST_PROGRAMS).limit(1))
        if oldest is not None:
            c.execute(sa.delete(predictions).where(of_owner, predictions.c.at <= oldest))
    else:
        c.execute(sa.update(predictions).where(mine).values(**values))


def _valid(found: Sequence[object]) -> list[float]:
    return [float(one) for one in found if isinstance(one, int | float)]


def finished(c: sa.Connection, ids: Collection[str]) -> dict[str, float]:
    """Return when those of these tasks ended that have finished."""
    query = sa.select(tasks.c.id, attempts.c.ended_at).join(attempts, CURRENT)
    query = query.where(tasks.c.state == TaskState.FINISHED, attempts.c.ended_at.is_not(None))
    return {task: at for some in portions(sorted(ids)) for task, at in c.execute(query.where(tasks.c.id.in_(some)))}


def ended_jobs(c: sa.Connection, ids: Collection[str]) -> dict[str, float | None]:
    """Return those of these jobs that are over, and when their last task ended; None if somebody stopped some."""
    found: dict[str, float | None] = {}
    for job in ids:
        searching = c.scalar(sa.select(jobs.c.searching).where(jobs.c.id == job))
        states = set(c.scalars(sa.select(tasks.c.state).where(tasks.c.job_id == job).distinct()))
        if searching is None or TaskState.STOPPED in states:
            found[job] = None
        elif not searching and not states & set(UNENDED):
            found[job] = c.scalar(sa.select(sa.func.max(attempts.c.ended_at)).where(attempts.c.job_id == job))
    return found

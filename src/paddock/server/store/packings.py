"""Packings (how tasks share GPUs): what runners report per job, and what is stored of a program for its next job."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from paddock.models import Packing
from paddock.models.events import JobChange
from paddock.server.store import events
from paddock.server.store.tables import jobs, packings

MOST_KINDS = 16  # of GPUs per job
_REMEMBERED = ("tasks", "need", "limit", "speedup")


def take(c: sa.Connection, job: str, reported: Sequence[Packing]) -> None:
    """Record what the runners of a job have reported, in this order."""
    found = {one.gpu: one for one in reported}
    row = c.execute(sa.select(jobs.c.packing, jobs.c.program, jobs.c.owner).where(jobs.c.id == job)).one_or_none()
    if not found or row is None:
        return
    known = {**(row.packing or {})}
    for gpu, one in found.items():
        if gpu not in known and len(known) >= MOST_KINDS:
            continue
        values = one.model_dump(mode="json", exclude={"gpu"})
        before = known.get(gpu) or {}
        known[gpu] = values | {"speedup": one.speedup or before.get("speedup")}
        if row.program:
            _remember(c, row.owner, row.program, one)
    c.execute(sa.update(jobs).where(jobs.c.id == job).values(packing=known))
    events.write(c, job, JobChange(change="packing"))


def measured(c: sa.Connection, owner: str, program: str | None) -> dict[str, dict[str, Any]]:
    """Return by kind of GPU what tasks of this program of this person needed, and how many shared one GPU."""
    if program is None:
        return {}
    rows = c.execute(sa.select(packings).where(packings.c.owner == owner, packings.c.program == program))
    return {row.gpu: {name: getattr(row, name) for name in _REMEMBERED} for row in rows}


def _remember(c: sa.Connection, owner: str, program: str, one: Packing) -> None:
    """Remember a packing, if Paddock chose it: a number that a person gave does not show what is best."""
    if not one.auto or one.need is None:
        return
    where = sa.and_(packings.c.owner == owner, packings.c.program == program, packings.c.gpu == one.gpu)
    before = c.execute(sa.select(packings).where(where)).one_or_none()
    values = {
        "tasks": max(one.tasks, one.target or 0) if one.limit == "tasks" else one.tasks,
        "need": one.need,
        "limit": one.limit,
        "speedup": one.speedup or (before.speedup if before is not None else None),
        "at": one.at.timestamp(),
    }
    if before is None:
        c.execute(sa.insert(packings).values(owner=owner, program=program, gpu=one.gpu, **values))
    elif one.tasks >= before.tasks or one.limit not in (None, "tasks"):
        c.execute(sa.update(packings).where(where).values(**values))

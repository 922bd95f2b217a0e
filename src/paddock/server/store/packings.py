"""Packings (how tasks share GPUs): what runners report per job, and what is stored of a program for its next job."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from paddock.models import Packing
from paddock.models.events import JobChange
from paddock.runner.sharing import need_model
from paddock.server.store import events
from paddock.server.store.tables import attempts, jobs, memory_samples, packings, tasks

MOST_KINDS = 16  # of GPUs per job
MOST_NAME = 200  # letters of a kind of GPU
MOST_PROGRAMS = 200  # programs on a kind of GPU per person whose samples are kept
_REMEMBERED = ("tasks", "need", "limit", "speedup")


def take(c: sa.Connection, job: str, reported: Sequence[Packing]) -> None:
    """Record what the runners of a job have reported, in this order."""
    found = {one.gpu: one for one in reported}
    if not found:
        return
    row = c.execute(sa.select(jobs.c.packing, jobs.c.program, jobs.c.owner).where(jobs.c.id == job)).one_or_none()
    if row is None:
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


def known(c: sa.Connection, owner: str, program: str | None) -> dict[str, dict[str, Any]]:
    """Return what runners begin with: as `measured`, and what tasks with which parameters needed."""
    found = measured(c, owner, program)
    table = memory_samples.c
    rows = c.execute(sa.select(table.gpu, table.samples).where(table.owner == owner, table.program == program))
    for row in rows:
        found.setdefault(row.gpu, {})["samples"] = row.samples
    return found


def learn(c: sa.Connection, owner: str, program: str, needs: Mapping[int, int], at: float) -> None:
    """Record the bytes of GPU memory that attempts needed, by their row ids, with the parameters of their tasks."""
    query = sa.select(attempts.c.id, attempts.c.seat, tasks.c.params).join(tasks, tasks.c.id == attempts.c.task_id)
    by_gpu: dict[str, list[need_model.Sample]] = {}
    for row in c.execute(query.where(attempts.c.id.in_(needs))):
        name = (row.seat or {}).get("gpu_name")
        if isinstance(name, str) and 0 < len(name) <= MOST_NAME:
            by_gpu.setdefault(name, []).append((need_model.usable(row.params or {}), needs[row.id]))
    mine = sa.and_(memory_samples.c.owner == owner, memory_samples.c.program == program)
    rows = c.execute(sa.select(memory_samples.c.gpu, memory_samples.c.samples).where(mine))
    before = {row.gpu: row.samples for row in rows}
    for gpu, new in list(by_gpu.items())[:MOST_KINDS]:
        samples = need_model.keep([*need_model.parse(before.get(gpu)), *new])
        if gpu in before:
            change = sa.update(memory_samples).where(mine, memory_samples.c.gpu == gpu)
            c.execute(change.values(samples=samples, at=at))
        elif len(before) < MOST_KINDS:
            values = {"owner": owner, "program": program, "gpu": gpu, "samples": samples, "at": at}
            c.execute(sa.insert(memory_samples).values(**values))
            before[gpu] = samples
            _forget_oldest(c, owner)


def _forget_oldest(c: sa.Connection, owner: str) -> None:
    """Delete what was learned first: a program gets another key whenever it is edited."""
    mine = memory_samples.c.owner == owner
    query = sa.select(memory_samples.c.at).where(mine).order_by(memory_samples.c.at.desc())
    oldest = c.scalar(query.offset(MOST_PROGRAMS).limit(1))
    if oldest is not None:
        c.execute(sa.delete(memory_samples).where(mine, memory_samples.c.at <= oldest))


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

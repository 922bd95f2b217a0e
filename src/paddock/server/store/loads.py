"""Store the load of nodes: one row per node and moment. Older rows are thinned out, then deleted."""

from collections.abc import Iterable

import sqlalchemy as sa

from paddock.models import Resources, Seat, TaskState
from paddock.rules.load import Sample
from paddock.rules.running import Running
from paddock.server.store.rows import storable
from paddock.server.store.tables import CURRENT, attempts, jobs, loads, tasks

MINUTE = 60.0
Key = tuple[str, str]  # backend, node


def insert(c: sa.Connection, at: float, samples: Iterable[tuple[Key, Sample]]) -> None:
    """Record the load of nodes at one moment."""
    rows = [{"backend": backend, "node": node, "at": at, "data": data} for (backend, node), data in samples]
    if rows:
        c.execute(sa.insert(loads), rows)


def since(
    c: sa.Connection, at: float, node: str | None = None, backend: str | None = None
) -> dict[Key, list[tuple[float, Sample]]]:
    """Return the samples from this time on by node, in the order of time."""
    if not all(storable(text) for text in (node, backend) if text):
        return {}
    query = sa.select(loads).where(loads.c.at >= at).order_by(loads.c.backend, loads.c.node, loads.c.at)
    if node is not None:
        query = query.where(loads.c.node == node)
    if backend is not None:
        query = query.where(loads.c.backend == backend)
    found: dict[Key, list[tuple[float, Sample]]] = {}
    for row in c.execute(query):
        found.setdefault((row.backend, row.node), []).append((row.at, row.data))
    return found


def thin(c: sa.Connection, after: float, until: float) -> None:
    """Leave one sample per node and minute, the first, of those between these times."""
    query = sa.select(loads.c.backend, loads.c.node, loads.c.at).where(loads.c.at >= after, loads.c.at < until)
    kept: set[tuple[str, str, int]] = set()
    surplus = []
    for backend, node, at in c.execute(query.order_by(loads.c.at)):
        minute = (backend, node, int(at // MINUTE))
        if minute in kept:
            surplus.append({"of_backend": backend, "of_node": node, "of_at": at})
        kept.add(minute)
    if surplus:
        key = (loads.c.backend, loads.c.node, loads.c.at)
        c.execute(sa.delete(loads).where(*(column == sa.bindparam(f"of_{column.name}") for column in key)), surplus)


def forget(c: sa.Connection, older_than: float) -> None:
    """Delete old samples."""
    c.execute(sa.delete(loads).where(loads.c.at < older_than))


def running(c: sa.Connection, now: float) -> dict[int, Running]:
    """Return the tasks that run by attempt id, with their jobs and without measured values."""
    query = (
        sa.select(attempts, jobs.c.name, jobs.c.owner, jobs.c.spec)
        .join(tasks, CURRENT)
        .join(jobs, jobs.c.id == attempts.c.job_id)
        .where(attempts.c.state == TaskState.RUNNING)
        .order_by(jobs.c.created_at, jobs.c.id, tasks.c.number)
    )
    resources: dict[str, Resources] = {}
    found = {}
    for row in c.execute(query):
        if row.job_id not in resources:
            resources[row.job_id] = Resources.model_validate(row.spec["resources"])
        found[row.id] = Running(
            task=row.task_id,
            job=row.job_id,
            name=row.name,
            user=row.owner,
            resources=resources[row.job_id],
            seconds=max(now - (row.started_at or now), 0.0),
            node=row.node,
            device=row.device,
            allocation=row.allocation,
            seat=Seat.model_validate(row.seat) if row.seat else None,
            peak_gpu_memory=row.peak_gpu_memory,
        )
    return found

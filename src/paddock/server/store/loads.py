"""Store the load of nodes: one row per node and moment. Older rows are thinned out, then deleted."""

from collections.abc import Iterable

import sqlalchemy as sa

from paddock.models import Resources, Seat, TaskState
from paddock.rules.load_history import Sample, joined
from paddock.rules.running import Running
from paddock.server.store.rows import storable
from paddock.server.store.tables import CURRENT, attempts, jobs, loads, tasks

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


def thin(c: sa.Connection, after: float, until: float, width: float) -> None:
    """Leave one row per node and interval of `width` seconds, of those between these times."""
    query = sa.select(loads).where(loads.c.at >= after, loads.c.at < until).order_by(loads.c.at)
    found: dict[tuple[str, str, int], list[tuple[float, Sample]]] = {}
    for row in c.execute(query):
        found.setdefault((row.backend, row.node, int(row.at // width)), []).append((row.at, row.data))
    several = {key: rows for key, rows in found.items() if len(rows) > 1}
    if not several:
        return
    old = [
        {"of_backend": of, "of_node": node, "of_at": at} for (of, node, _), rows in several.items() for at, _ in rows
    ]
    key = (loads.c.backend, loads.c.node, loads.c.at)
    c.execute(sa.delete(loads).where(*(column == sa.bindparam(f"of_{column.name}") for column in key)), old)
    new = [
        {"backend": backend, "node": node, "at": rows[0][0], "data": joined([data for _, data in rows])}
        for (backend, node, _), rows in several.items()
    ]
    c.execute(sa.insert(loads), new)


def oldest(c: sa.Connection) -> float:
    """Return when the oldest row was recorded; 0 if there is none."""
    return c.scalar(sa.select(sa.func.min(loads.c.at))) or 0.0


def forget(c: sa.Connection, older_than: float) -> None:
    """Delete old samples."""
    c.execute(sa.delete(loads).where(loads.c.at < older_than))


def running(c: sa.Connection, now: float) -> dict[int, Running]:
    """Return the tasks that run by attempt id, with their jobs and without measured values."""
    query = (
        sa.select(attempts, jobs.c.name, jobs.c.owner, jobs.c.spec, jobs.c.unix_name)
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
            pid=row.pid,
            unix_name=row.unix_name,
            peak_gpu_memory=row.peak_gpu_memory,
        )
    return found

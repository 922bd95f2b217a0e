"""How many GPUs the tasks of a job have had over time."""

import sqlalchemy as sa

from paddock.models import Cause
from paddock.rules.gpu_history import GpuChange, GpuUse, gpus_over_time
from paddock.server.store.allocations import batches_by_key
from paddock.server.store.tables import allocations, attempts

MOST_ATTEMPTS = 20_000  # the newest are looked at
MOST_POINTS = 1_000


def of_job(c: sa.Connection, job: str) -> list[GpuChange]:
    """Return how many GPUs the tasks of a job have had, and why that changed."""
    table = attempts.c
    query = sa.select(table.task_id, table.number, table.started_at, table.ended_at, table.cause, table.reason)
    query = query.add_columns(allocations.c.key, allocations.c.batch)
    query = query.join(allocations, allocations.c.key == table.allocation)
    query = query.where(table.job_id == job, table.started_at.is_not(None)).order_by(table.id.desc())
    rows = c.execute(query.limit(MOST_ATTEMPTS)).all()
    batches = batches_by_key(c, {row.batch for row in rows})
    resized = {(row.task_id, row.number + 1) for row in rows if row.cause is Cause.RESIZED}
    uses = []
    for row in rows:
        asked = batches[row.batch].resources if row.batch in batches else None
        gpus = (asked.gpus or 0) * (asked.nodes or 1) if asked else 0
        if gpus:
            went_on = (row.task_id, row.number) in resized
            began = f"{row.task_id} {'went on' if went_on else 'began'}"
            ended = f"{row.task_id} {row.reason if row.cause is Cause.RESIZED else 'ended'}"
            uses.append(GpuUse(row.key, gpus, row.started_at, row.ended_at, began, ended))
    return gpus_over_time(uses, MOST_POINTS)

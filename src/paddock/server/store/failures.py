"""Why tasks of jobs failed, in a few words per job."""

import re
from collections import Counter

import sqlalchemy as sa

from paddock.models import Failure, TaskState
from paddock.server.store.tables import CURRENT, attempts, tasks

SAMPLE = 200
LONGEST = 200
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def of_job(c: sa.Connection, job: str) -> Failure | None:
    """Return the most frequent reason of the tasks of a job that are in error. Up to 200 of them are read."""
    failed = sa.and_(tasks.c.job_id == job, tasks.c.state == TaskState.ERROR)
    query = sa.select(attempts.c.reason, attempts.c.cause).select_from(tasks.join(attempts, CURRENT))
    rows = c.execute(query.where(failed).limit(SAMPLE)).all()
    # Out of memory: the numbers differ from task to task.
    alike = Counter(_NUMBER.sub("#", row.reason or "") for row in rows)
    if not alike:
        return None
    kind, count = alike.most_common(1)[0]
    first = next(row for row in rows if _NUMBER.sub("#", row.reason or "") == kind)
    reason = (first.reason or "").strip().partition("\n")[0][:LONGEST] or "no reason is known"
    return Failure(reason=reason, cause=first.cause, tasks=count, others=len(rows) - count)

"""Tasks as the API shows them: find, list, stop, restart."""

import math
import re
import time
from collections.abc import Sequence
from typing import Any, Literal

import sqlalchemy as sa

from paddock.errors import Conflict, InvalidInput, NotFound
from paddock.models import Attempt, Task, TaskPage, TaskState
from paddock.models.events import TasksRequested
from paddock.rules.estimate import Pace
from paddock.server.store import attempts as attempt_rows
from paddock.server.store import events
from paddock.server.store.jobs import resolve as resolve_job
from paddock.server.store.rows import ALL_HEARD, Silent, model, moment, portions
from paddock.server.store.tables import attempts, jobs, tasks

SortKey = Literal["number", "-number", "state", "-state", "best", "-best", "started", "-started", "ended", "-ended"]
_TASK_ID = re.compile(r"(?P<job>[0-9a-z]+)-(?P<number>\d{1,9})")


def resolve(c: sa.Connection, text: str) -> str:
    """Return the task id that `text` stands for; the job part may be shortened, as in k3v-12."""
    found = _TASK_ID.fullmatch(text)
    if not found:
        raise NotFound(f"{text!r} is not a task id such as k3v9x2ab-12: `paddock tasks JOB` lists those of a job.")
    task = f"{resolve_job(c, found['job'])}-{int(found['number'])}"
    if c.execute(sa.select(tasks.c.id).where(tasks.c.id == task)).one_or_none() is None:
        raise NotFound(f"There is no task {task!r}: `paddock tasks {task.rpartition('-')[0]}` lists them.")
    return task


def resolve_many(c: sa.Connection, job: str, given: Sequence[str] | None) -> list[str] | None:
    """Return the ids of tasks of one job that are given as ids or numbers."""
    if given is None:
        return None
    ids = [resolve(c, f"{job}-{text}" if text.isascii() and text.isdigit() else text) for text in given]
    strange = [one for one in ids if not one.startswith(f"{job}-")]
    if strange:
        raise InvalidInput(f"{strange[0]} is not a task of job {job}.", fields={"tasks": strange[0]})
    return ids


def get(c: sa.Connection, task: str, silent: Silent = ALL_HEARD) -> Task:
    """Return a task; `silent` are the allocations whose runners do not report."""
    row = c.execute(_query().where(tasks.c.id == task)).one_or_none()
    if row is None:
        raise NotFound(f"There is no task {task!r}: `paddock tasks {task.rpartition('-')[0]}` lists them.")
    return _task(row, time.time(), silent)


def page(
    c: sa.Connection,
    job: str,
    *,
    state: TaskState | None = None,
    sort: SortKey = "number",
    offset: int = 0,
    limit: int = 1000,
    silent: Silent = ALL_HEARD,
) -> TaskPage:
    """Return up to `limit` tasks of a job from `offset` on, in this order, and how many there are."""
    where = [tasks.c.job_id == job] + ([tasks.c.state == state] if state else [])
    total = c.execute(sa.select(sa.func.count()).select_from(tasks).where(*where)).scalar_one()
    column: sa.ColumnElement[Any] = {
        "number": tasks.c.number,
        "state": tasks.c.state,
        "best": tasks.c.best_value,
        "started": attempts.c.started_at,
        "ended": attempts.c.ended_at,
    }[sort.lstrip("-")]
    order = (column.desc() if sort.startswith("-") else column.asc()).nulls_last()
    rows = c.execute(_query().where(*where).order_by(order, tasks.c.number).offset(offset).limit(limit))
    now = time.time()
    return TaskPage(total=total, offset=offset, items=[_task(row, now, silent) for row in rows])


def ids(c: sa.Connection, job: str, offset: int, limit: int) -> list[str]:
    """Return the ids of up to `limit` tasks of a job from `offset` on."""
    query = sa.select(tasks.c.id).where(tasks.c.job_id == job).order_by(tasks.c.number)
    return list(c.scalars(query.offset(offset).limit(limit)))


def by_ids(c: sa.Connection, ids: Sequence[str]) -> list[Task]:
    """Return these tasks, which must have runners that report."""
    now = time.time()
    query = _query().order_by(tasks.c.number)
    rows = (row for some in portions(ids) for row in c.execute(query.where(tasks.c.id.in_(some))))
    return [_task(row, now, ALL_HEARD) for row in rows]


def _query() -> sa.Select[Any]:
    return attempt_rows.with_tasks().add_columns(jobs.c.owner).join(jobs, jobs.c.id == tasks.c.job_id)


def _task(row: sa.Row[Any], now: float, silent: Silent) -> Task:
    state = row.state
    pace = Pace(row.epochs, row.epoch, row.epoch_at, row.first_epoch, row.attempt_first_epoch, row.started_at)
    return model(
        Task,
        row,
        job=row.job_id,
        stopping=row.stopping and not state.ended,
        no_word_since=moment(silent.get(row.allocation)) if state is TaskState.RUNNING else None,
        values=[row.best_value, *row.others] if row.others else [],
        progress=1.0 if state is TaskState.FINISHED else pace.progress(),
        seconds_left=pace.seconds_left(now) if state is TaskState.RUNNING else None,
        last_value=row.last_value if math.isfinite(row.last_value or 0) else None,
    )


def attempts_of(c: sa.Connection, task: str) -> list[Attempt]:
    """Return all attempts of a task, the first one first."""
    rows = c.execute(sa.select(attempts).where(attempts.c.task_id == task).order_by(attempts.c.number))
    return [model(Attempt, row, task=row.task_id) for row in rows]


def request_stop(c: sa.Connection, job: str, ids: Sequence[str] | None) -> list[str]:
    """Record that these tasks of a job, or all, are to be stopped by the engine; return those that had not ended."""
    return attempt_rows.request_stop(c, job, *([] if ids is None else [tasks.c.id.in_(ids)]))


def restart(c: sa.Connection, job: str, ids: Sequence[str] | None, *, failed: bool, resume: bool) -> list[str]:
    """Give ended tasks another attempt, and return their ids. Refuse a named task that has not ended.

    The reduce task waits for the others: the engine begins it again when they have finished.
    """
    query = sa.select(tasks.c.id, tasks.c.state, tasks.c.reduces).where(tasks.c.job_id == job)
    of_job = c.execute(query.order_by(tasks.c.number)).all()
    named = None if ids is None else set(ids)
    rows = [row for row in of_job if named is None or row.id in named]
    busy = [row.id for row in rows if not row.state.ended]
    if named is not None and busy:
        raise Conflict(f"{busy[0]} has not ended: stop it first.", fields={"tasks": ", ".join(busy[:10])})
    chosen = [row for row in rows if (row.state is TaskState.ERROR if failed else row.state.ended)]
    unended = any(not row.state.ended for row in of_job if not row.reduces)
    if unended and named and chosen and all(row.reduces for row in chosen):
        raise Conflict(f"{chosen[0].id} runs by itself when the other tasks have finished.")
    if unended or not all(row.reduces for row in chosen):
        chosen = [row for row in chosen if not row.reduces]
    found = [row.id for row in chosen]
    if found:
        attempt_rows.begin_again(c, found, resumed=resume)
        events.write(c, job, TasksRequested(change="restarted", ids=found))
    return found

"""Tasks as people see them, and what people want of them."""

import math
import re
import time
from collections.abc import Sequence
from typing import Any, Literal

import sqlalchemy as sa

from paddock.errors import Conflict, InvalidInput, NotFound
from paddock.models import Attempt, Task, TaskPage, TaskState
from paddock.models.events import TasksRequested
from paddock.server.store import attempts as attempt_rows
from paddock.server.store import events
from paddock.server.store.jobs import resolve as resolve_job
from paddock.server.store.rows import ALL_HEARD, Silent, model, moment, portions
from paddock.server.store.tables import UNENDED, attempts, jobs, tasks

SortKey = Literal["number", "-number", "state", "-state", "best", "-best", "started", "-started", "ended", "-ended"]
_TASK_ID = re.compile(r"(?P<job>[0-9a-z]+)-(?P<number>\d{1,9})")


def resolve(c: sa.Connection, text: str) -> str:
    """The task id that `text` stands for; its job part may be shortened: k3v-12."""
    found = _TASK_ID.fullmatch(text)
    if not found:
        raise NotFound(f"{text!r} is not a task id: these look like k3v9x2ab-12, and `paddock tasks JOB` lists them.")
    task = f"{resolve_job(c, found['job'])}-{int(found['number'])}"
    if c.execute(sa.select(tasks.c.id).where(tasks.c.id == task)).one_or_none() is None:
        raise NotFound(f"There is no task {task!r}.")
    return task


def resolve_many(c: sa.Connection, job: str, given: Sequence[str] | None) -> list[str] | None:
    """Ids or numbers of tasks of one job."""
    if given is None:
        return None
    ids = [resolve(c, f"{job}-{text}" if text.isascii() and text.isdigit() else text) for text in given]
    strange = [one for one in ids if not one.startswith(f"{job}-")]
    if strange:
        raise InvalidInput(f"{strange[0]} is not a task of job {job}.", fields={"tasks": strange[0]})
    return ids


def get(c: sa.Connection, task: str, silent: Silent = ALL_HEARD) -> Task:
    row = c.execute(_query().where(tasks.c.id == task)).one_or_none()
    if row is None:
        raise NotFound(f"There is no task {task!r}.")
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
    query = sa.select(tasks.c.id).where(tasks.c.job_id == job).order_by(tasks.c.number)
    return list(c.scalars(query.offset(offset).limit(limit)))


def by_ids(c: sa.Connection, ids: Sequence[str]) -> list[Task]:
    """For those of which something is heard."""
    now = time.time()
    query = _query().order_by(tasks.c.number)
    rows = (row for some in portions(ids) for row in c.execute(query.where(tasks.c.id.in_(some))))
    return [_task(row, now, ALL_HEARD) for row in rows]


def _query() -> sa.Select[Any]:
    return attempt_rows.with_tasks().add_columns(jobs.c.owner).join(jobs, jobs.c.id == tasks.c.job_id)


def _task(row: sa.Row[Any], now: float, silent: Silent) -> Task:
    state, pace = row.state, attempt_rows.pace(row)
    return model(
        Task,
        row,
        job=row.job_id,
        stopping=row.stopping and not state.ended,
        no_word_since=moment(silent.get(row.allocation)) if state is TaskState.RUNNING else None,
        values=[row.best_value, *row.others] if row.others else [],
        progress=1.0 if state is TaskState.FINISHED else pace.progress(),
        seconds_left=pace.seconds_left(now) if state is TaskState.RUNNING else None,
        last_value=_finite(row.last_value),
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def attempts_of(c: sa.Connection, task: str) -> list[Attempt]:
    rows = c.execute(sa.select(attempts).where(attempts.c.task_id == task).order_by(attempts.c.number))
    return [model(Attempt, row, task=row.task_id) for row in rows]


def request_stop(c: sa.Connection, job: str, ids: Sequence[str] | None) -> list[str]:
    """Write down that these are to be stopped; the engine does it. Those that have ended are left alone."""
    where = [tasks.c.job_id == job, tasks.c.state.in_(UNENDED)]
    if ids is not None:
        where.append(tasks.c.id.in_(ids))
    found = list(c.scalars(sa.select(tasks.c.id).where(*where).order_by(tasks.c.number)))
    if found:
        c.execute(sa.update(tasks).where(*where).values(stopping=True))
        events.write(c, job, TasksRequested(change="stopping", ids=found))
    return found


def restart(c: sa.Connection, job: str, ids: Sequence[str] | None, *, failed: bool, resume: bool) -> list[str]:
    """Give ended tasks another attempt. A task that was named and still runs is refused.

    The reduce task waits for the others: it is begun again by the engine when they have finished.
    """
    query = sa.select(tasks.c.id, tasks.c.state, tasks.c.reduces).where(tasks.c.job_id == job)
    named = None if ids is None else set(ids)
    found_rows = c.execute(query.order_by(tasks.c.number)).all()
    rows = [row for row in found_rows if named is None or row.id in named]
    busy = [row.id for row in rows if row.state in UNENDED]
    if ids is not None and busy:
        raise Conflict(f"{busy[0]} has not ended: stop it first.", fields={"tasks": ", ".join(busy[:10])})
    wanted = [TaskState.ERROR] if failed else [state for state in TaskState if state.ended]
    chosen = [row for row in rows if row.state in wanted]
    unended = any(row.state in UNENDED for row in found_rows if not row.reduces)
    if unended and named and chosen and all(row.reduces for row in chosen):
        raise Conflict(f"{chosen[0].id} runs by itself when the other tasks have finished.")
    if unended or not all(row.reduces for row in chosen):
        chosen = [row for row in chosen if not row.reduces]
    found = [row.id for row in chosen]
    if found and named is None:  # in one statement: they may be thousands
        of_kind = (tasks.c.state.in_(wanted), tasks.c.reduces.is_(chosen[0].reduces))
        attempt_rows.begin_again(c, sa.and_(tasks.c.job_id == job, *of_kind), resumed=resume)
    elif found:
        for some in portions(found):
            attempt_rows.begin_again(c, tasks.c.id.in_(some), resumed=resume)
    if found:
        events.write(c, job, TasksRequested(change="restarted", ids=found))
    return found

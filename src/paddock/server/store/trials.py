"""Searches: the tasks of a job as trials, new ones of them, and what ends a search."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from paddock.errors import NotFound
from paddock.models import Move, Params, TaskState
from paddock.models.events import JobChange, TasksRequested
from paddock.search.history import Judged, Run
from paddock.search.tasks import NewTask
from paddock.server.store import attempts as attempt_rows
from paddock.server.store import events
from paddock.server.store.guards import dumps
from paddock.server.store.rows import many, moment
from paddock.server.store.tables import CURRENT, UNENDED, attempts, jobs, tasks

_OVER = ("The search has ended: ", "The time budget is over: ")


Row = tuple[Any, ...]
_COLUMNS = ("id", "job_id", "number", "params", "state", "attempt", "created_at", "epochs", "trial", "reduces")
_ADD = f"INSERT INTO tasks ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608  (our own)


def prepared(job: str, new: Sequence[NewTask], last: int = 0) -> list[Row]:
    """New tasks as rows, numbered on from the last one. To be made before the transaction: they may be thousands."""
    now = time.time()
    waits = TaskState.SUBMITTED.value
    return [
        (f"{job}-{number}", job, number, dumps(one.params), waits, 1, now, one.epochs, one.trial, one.reduces)
        for number, one in enumerate(new, start=last + 1)
    ]


def insert(c: sa.Connection, job: str, rows: Sequence[Row]) -> list[str]:
    """Tasks with their first attempts. Their ids."""
    if not rows:
        return []
    many(c, _ADD, rows)
    attempt_rows.begin_first(c, job, rows[0][2])
    return [row[0] for row in rows]


def add(c: sa.Connection, job: str, new: Sequence[NewTask]) -> list[str]:
    """The same for a few, numbered on from the last one."""
    return insert(c, job, prepared(job, new, last_number(c, job)))


def last_number(c: sa.Connection, job: str) -> int:
    return c.scalar(sa.select(sa.func.max(tasks.c.number)).where(tasks.c.job_id == job)) or 0


def version(c: sa.Connection, job: str) -> tuple[int, int]:
    """Another one when its spec has changed, or it has got further tasks. Raises NotFound when it is gone."""
    query = sa.select(jobs.c.adjusted).where(jobs.c.id == job, jobs.c.removing.is_(False))
    adjusted = c.scalar(query)
    if adjusted is None:
        raise NotFound(f"There is no job {job!r}.")
    return adjusted, last_number(c, job)


def runs(c: sa.Connection, job: str) -> list[Run]:
    """All tasks of a job that try a configuration."""
    query = sa.select(
        tasks.c.id,
        tasks.c.trial,
        tasks.c.params,
        tasks.c.state,
        tasks.c.best_value,
        tasks.c.others,
        tasks.c.epoch,
        attempts.c.ended_at,
    ).join(attempts, CURRENT)
    return [
        Run(
            task=row.id,
            trial=row.trial,
            params=row.params,
            state=TaskState(row.state),
            values=(row.best_value, *(row.others or ())),
            epoch=row.epoch,
            ended_at=row.ended_at,
        )
        for row in c.execute(query.where(tasks.c.job_id == job, tasks.c.reduces.is_(False)).order_by(tasks.c.number))
    ]


def last_trial(c: sa.Connection, job: str) -> int:
    return c.scalar(sa.select(sa.func.max(tasks.c.trial)).where(tasks.c.job_id == job)) or 0


# --- what goes on ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Open:
    """A search that is not over."""

    job: str
    held: bool
    until: float | None
    unended: int
    trials: int


def searching(c: sa.Connection) -> list[Open]:
    unended = sa.func.count(sa.case((tasks.c.state.in_(UNENDED), 1)))
    query = (
        sa.select(jobs.c.id, jobs.c.held, jobs.c.search_until, unended, sa.func.max(tasks.c.trial))
        .join(tasks, tasks.c.job_id == jobs.c.id, isouter=True)
        .where(jobs.c.searching.is_(True), jobs.c.removing.is_(False))
        .group_by(jobs.c.id)
        .order_by(jobs.c.created_at)
    )
    return [Open(job, held, until, count, last or 0) for job, held, until, count, last in c.execute(query)]


def overdue(c: sa.Connection, now: float) -> list[str]:
    """Jobs whose time budget is over, and that still have tasks to begin or to come."""
    waiting = sa.exists().where(tasks.c.job_id == jobs.c.id, tasks.c.state == TaskState.SUBMITTED)
    waiting = waiting.where(tasks.c.stopping.is_(False))
    query = sa.select(jobs.c.id).where(jobs.c.search_until < now, jobs.c.removing.is_(False))
    return list(c.scalars(query.where(sa.or_(jobs.c.searching.is_(True), waiting))))


def end(c: sa.Connection, job: str, note: str | None, *, as_known: bool = False) -> bool:
    """No further tasks come. Whether that is a change. `as_known`: not if it was extended since the engine looked."""
    change = sa.update(jobs).where(jobs.c.id == job, jobs.c.searching.is_(True))
    if as_known:
        change = change.where(jobs.c.told == jobs.c.adjusted)
    changed = bool(c.execute(change.values(searching=False, search_note=note)).rowcount)
    if changed:
        events.write(c, job, JobChange(change="search"))
    return changed


def end_waiting(c: sa.Connection, job: str) -> list[str]:
    """Tasks that have not begun are to be stopped."""
    where = [tasks.c.job_id == job, tasks.c.state == TaskState.SUBMITTED, tasks.c.stopping.is_(False)]
    found = list(c.scalars(sa.select(tasks.c.id).where(*where)))
    if found:
        c.execute(sa.update(tasks).where(*where).values(stopping=True))
        events.write(c, job, TasksRequested(change="stopping", ids=found))
    return found


def go_on(c: sa.Connection, job: str, spec: dict[str, Any], until: float | None, *, searching: bool) -> None:
    """A search with another plan; by `adjusted` the engine notices that the spec has changed."""
    values: dict[str, Any] = {"spec": spec, "search_until": until, "searching": searching, "search_note": None}
    known = c.scalar(sa.select(jobs.c.warnings).where(jobs.c.id == job)) or []
    values["warnings"] = [text for text in known if not text.startswith(_OVER)]  # it is not over any more
    c.execute(sa.update(jobs).where(jobs.c.id == job).values(**values, adjusted=jobs.c.adjusted + 1))
    events.write(c, job, JobChange(change="search"))


# --- early stopping and population-based training -------------------------------------------------------------------


def judged(c: sa.Connection, job: str) -> list[Judged]:
    mine = (tasks.c.job_id == job, tasks.c.reduces.is_(False))
    query = attempt_rows.with_tasks().where(*mine).order_by(tasks.c.number)
    pruned = set(
        c.scalars(
            sa.select(attempts.c.task_id)
            .join(tasks, tasks.c.id == attempts.c.task_id)
            .where(
                attempts.c.job_id == job,
                attempts.c.state == TaskState.PRUNED,
                attempts.c.number < tasks.c.attempt,
                attempts.c.successor.is_(None),
            )
        )
    )
    steps = sa.select(attempts.c.task_id, sa.func.max(attempts.c.source_step)).where(attempts.c.job_id == job)
    since = {task: step or 0.0 for task, step in c.execute(steps.group_by(attempts.c.task_id))}
    return [
        Judged(
            task=row.id,
            number=row.number,
            attempt=row.attempt_number,
            attempt_id=row.attempt_id,
            state=TaskState(row.state),
            ordered=row.ordered or row.stopping,
            params=row.params,
            epochs=row.epochs,
            since=since.get(row.id, 0.0),
            began=row.attempt_first_epoch,
            spared=row.id in pruned,
            started_at=row.started_at,
        )
        for row in c.execute(query)
    ]


@dataclass(frozen=True)
class NextAttempt:
    """What the next attempt of a task will be."""

    attempt_id: int
    source: str
    step: float
    params: Params
    before: Params


def order(c: sa.Connection, reasons: Mapping[int, str | None], successors: Iterable[NextAttempt] = ()) -> None:
    """The order to end these attempts stands in the control file."""
    attempt_rows.mark_ordered(c, list(reasons))
    for attempt, reason in reasons.items():
        c.execute(sa.update(attempts).where(attempts.c.id == attempt).values(reason=reason))
    for one in successors:
        values = {"source": one.source, "step": one.step, "params": one.params}
        change = sa.update(attempts).where(attempts.c.id == one.attempt_id)
        c.execute(change.values(successor=values, params=one.before))


def succeed(c: sa.Connection, job: str, task: str, attempt: int, successor: dict[str, Any]) -> None:
    """The next attempt: from another's checkpoint, with other parameters."""
    attempt_rows.begin_next(c, job, [(task, attempt)], resumed=True)
    c.execute(sa.update(tasks).where(tasks.c.id == task).values(params=successor["params"]))
    values = {"source": successor["source"], "source_step": successor["step"], "params": successor["params"]}
    mine = sa.and_(attempts.c.task_id == task, attempts.c.number == attempt + 1)
    c.execute(sa.update(attempts).where(mine).values(**values))


def moves(c: sa.Connection, job: str) -> list[Move]:
    later, before = attempts.alias("later"), attempts.alias("before")
    query = (
        sa.select(later, before.c.params.label("was"))
        .join(before, sa.and_(before.c.task_id == later.c.task_id, before.c.number == later.c.number - 1))
        .where(later.c.job_id == job, later.c.source.is_not(None))
        .order_by(later.c.id)
    )
    return [
        Move(
            task=row.task_id,
            attempt=row.number,
            source=row.source,
            step=row.source_step,
            before=row.was or {},
            after=row.params or {},
            at=moment(row.created_at),
        )
        for row in c.execute(query)
    ]

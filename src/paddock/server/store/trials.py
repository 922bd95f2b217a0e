"""Searches: read the tasks of a job as trials, add tasks, end and extend a search."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from paddock.errors import NotFound
from paddock.models import Move, Params, TaskState
from paddock.models.events import JobChange
from paddock.search.history import Judged, Run
from paddock.search.tasks import NewTask
from paddock.server.store import attempts as attempt_rows
from paddock.server.store import events, notices
from paddock.server.store.guards import dumps
from paddock.server.store.kept import fetch_kept
from paddock.server.store.rows import clock_of, fetch, many, model, moment
from paddock.server.store.tables import CURRENT, SEARCHING, UNENDED, attempts, jobs, tasks

_OVER = ("The search has ended: ", "The time budget is over: ")


Row = tuple[Any, ...]
_COLUMNS = ("id", "job_id", "number", "params", "state", "attempt", "created_at", "epochs", "trial", "reduces")
_ADD = f"INSERT INTO tasks ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608  (our own)


def prepared(job: str, new: Sequence[NewTask], now: float, last: int = 0) -> list[Row]:
    """Return new tasks as rows, numbered on from `last`. Call it before the transaction: they may be thousands."""
    waits = TaskState.SUBMITTED.value
    return [
        (f"{job}-{number}", job, number, dumps(one.params), waits, 1, now, one.epochs, one.trial, one.reduces)
        for number, one in enumerate(new, start=last + 1)
    ]


def insert(c: sa.Connection, job: str, rows: Sequence[Row]) -> list[str]:
    """Insert tasks with their first attempts, and return the ids of the tasks."""
    if not rows:
        return []
    many(c, _ADD, rows)
    attempt_rows.begin_first(c, job, rows[0][2])
    return [row[0] for row in rows]


def add(c: sa.Connection, job: str, new: Sequence[NewTask]) -> list[str]:
    """Insert a few tasks, numbered on from the last one, and return their ids."""
    return insert(c, job, prepared(job, new, clock_of(c).now(), last_number(c, job)))


def last_number(c: sa.Connection, job: str) -> int:
    """Return the number of the last task of a job; 0 if it has none."""
    return c.scalar(sa.select(sa.func.max(tasks.c.number)).where(tasks.c.job_id == job)) or 0


def version(c: sa.Connection, job: str) -> tuple[int, int]:
    """Return a value that differs after a change of the spec, or after tasks were added.

    Raise NotFound if there is no such job.
    """
    query = sa.select(jobs.c.adjusted).where(jobs.c.id == job, jobs.c.removing.is_(False))
    adjusted = c.scalar(query)
    if adjusted is None:
        raise NotFound(f"There is no job {job!r}.")
    return adjusted, last_number(c, job)


def runs(c: sa.Connection, job: str) -> list[Run]:
    """Return all tasks of a job that try a configuration."""
    of_task = (tasks.c.id, tasks.c.trial, tasks.c.params, tasks.c.state, tasks.c.best_value, tasks.c.others)
    query = sa.select(*of_task, tasks.c.epoch, attempts.c.ended_at).join(attempts, CURRENT)
    query = query.where(tasks.c.job_id == job, tasks.c.reduces.is_(False)).order_by(tasks.c.number)
    return [
        Run(task, trial, params, state, (best, *(others or ())), epoch, ended_at)
        for task, trial, params, state, best, others, epoch, ended_at in c.execute(query)
    ]


@dataclass(frozen=True, slots=True)
class FinishedRow:
    """A task that finished, with the id of the attempt that did."""

    number: int
    params: Params
    attempt_id: int


def finished(c: sa.Connection, job: str, most: int) -> list[FinishedRow]:
    """Return the first `most` tasks of a job that try a configuration and have finished, by number."""
    query = sa.select(tasks.c.number, tasks.c.params, attempts.c.id).join(attempts, CURRENT)
    query = query.where(tasks.c.job_id == job, tasks.c.state == TaskState.FINISHED, tasks.c.reduces.is_(False))
    return fetch(c, FinishedRow, query.order_by(tasks.c.number).limit(most))


def last_trial(c: sa.Connection, job: str) -> int:
    """Return the number of the last trial of a job; 0 if it has none."""
    return c.scalar(sa.select(sa.func.max(tasks.c.trial)).where(tasks.c.job_id == job)) or 0


# --- searches that are not over -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Open:
    """A search that is not over."""

    job: str
    held: bool
    until: float | None
    unended: int
    trials: int


_SEARCHING = (
    sa.select(
        jobs.c.id,
        jobs.c.held,
        jobs.c.search_until,
        sa.func.count(sa.case((tasks.c.state.in_(UNENDED), 1))),
        sa.func.coalesce(sa.func.max(tasks.c.trial), 0),
    )
    .join(tasks, tasks.c.job_id == jobs.c.id, isouter=True)
    .where(SEARCHING, jobs.c.removing.is_(False))
    .group_by(jobs.c.id)
    .order_by(jobs.c.created_at)
)
_WAITING = sa.exists().where(
    tasks.c.job_id == jobs.c.id, tasks.c.state == TaskState.SUBMITTED, tasks.c.stopping.is_(False)
)
_LIMITED = sa.select(jobs.c.id, jobs.c.search_until).where(
    jobs.c.search_until.is_not(None), jobs.c.removing.is_(False), sa.or_(jobs.c.searching.is_(True), _WAITING)
)


def searching(c: sa.Connection) -> list[Open]:
    """Return the searches that are not over, oldest jobs first."""
    return fetch_kept(c, Open, _SEARCHING)


def takes_more(c: sa.Connection, job: str) -> bool:
    """Return True if a search is neither over nor held at this moment, so that tasks may be added."""
    query = sa.select(jobs.c.id).where(jobs.c.id == job, jobs.c.searching.is_(True), jobs.c.held.is_(False))
    return c.scalar(query) is not None


def overdue(c: sa.Connection, now: float) -> list[str]:
    """Return the jobs whose time budget is over, and of which tasks wait or would still be added."""
    return [job for job, until in fetch_kept(c, lambda *row: row, _LIMITED) if until < now]


def end(c: sa.Connection, job: str, note: str | None, *, as_known: bool = False) -> bool:
    """Record that a search adds no further tasks; return True if it was not over before.

    `as_known`: change nothing if the search was extended since the engine last read the job.
    """
    change = sa.update(jobs).where(jobs.c.id == job, jobs.c.searching.is_(True))
    if as_known:
        change = change.where(jobs.c.told == jobs.c.adjusted)
    changed = bool(c.execute(change.values(searching=False, search_note=note)).rowcount)
    if changed:
        events.write(c, job, JobChange(change="search"))
    return changed


def end_waiting(c: sa.Connection, job: str) -> list[str]:
    """Record that the tasks of a job that have not begun are to be stopped, and return their ids."""
    waiting = tasks.c.state == TaskState.SUBMITTED
    return attempt_rows.request_stop(c, job, None, waiting, tasks.c.stopping.is_(False))


def go_on(c: sa.Connection, job: str, spec: dict[str, Any], until: float | None, *, searching: bool) -> None:
    """Continue a search with a changed spec, which the engine notices by `adjusted`."""
    values: dict[str, Any] = {"spec": spec, "search_until": until, "searching": searching, "search_note": None}
    known = c.scalar(sa.select(jobs.c.warnings).where(jobs.c.id == job)) or []
    values["warnings"] = [text for text in known if not text.startswith(_OVER)]  # it is not over any more
    c.execute(sa.update(jobs).where(jobs.c.id == job).values(**values, adjusted=jobs.c.adjusted + 1))
    notices.begin_again(c, job)
    events.write(c, job, JobChange(change="search"))


# --- early stopping and population-based training -------------------------------------------------------------------


def judged(c: sa.Connection, job: str) -> list[Judged]:
    """Return all tasks of a job that try a configuration, with their current attempts."""
    pruned_before = (
        sa.select(attempts.c.task_id)
        .join(tasks, tasks.c.id == attempts.c.task_id)
        .where(attempts.c.job_id == job, attempts.c.state == TaskState.PRUNED)
        .where(attempts.c.number < tasks.c.attempt, attempts.c.successor.is_(None))
    )
    spared = set(c.scalars(pruned_before))
    steps = sa.select(attempts.c.task_id, sa.func.max(attempts.c.source_step)).where(attempts.c.job_id == job)
    since = {task: step or 0.0 for task, step in c.execute(steps.group_by(attempts.c.task_id))}
    query = sa.select(
        *(tasks.c.id.label("task"), tasks.c.number, tasks.c.state, tasks.c.params, tasks.c.epochs),
        *(attempts.c.id.label("attempt_id"), attempts.c.number.label("attempt"), attempts.c.started_at),
        attempts.c.first_epoch.label("began"),
        sa.or_(attempts.c.ordered, tasks.c.stopping).label("ordered"),
    ).join(attempts, CURRENT)
    rows = c.execute(query.where(tasks.c.job_id == job, tasks.c.reduces.is_(False)).order_by(tasks.c.number))
    return [Judged(**row._mapping, since=since.get(row.task, 0.0), spared=row.task in spared) for row in rows]


@dataclass(frozen=True)
class NextAttempt:
    """The next attempt of a task, which goes on from the checkpoint of another task."""

    attempt_id: int
    source: str
    step: float
    params: Params
    before: Params


def order(c: sa.Connection, reasons: Mapping[int, str | None], successors: Iterable[NextAttempt] = ()) -> None:
    """Record that the order to end these attempts is in the control file, with the reasons and what follows them."""
    attempt_rows.mark_ordered(c, list(reasons))
    for attempt, reason in reasons.items():
        c.execute(sa.update(attempts).where(attempts.c.id == attempt).values(reason=reason))
    for one in successors:
        values = {"source": one.source, "step": one.step, "params": one.params}
        change = sa.update(attempts).where(attempts.c.id == one.attempt_id)
        c.execute(change.values(successor=values, params=one.before))


def succeed(c: sa.Connection, job: str, task: str, attempt: int, successor: dict[str, Any]) -> None:
    """Begin the next attempt of a task from the checkpoint of another task, with other parameters."""
    attempt_rows.begin_next(c, job, [(task, attempt)], resumed=True)
    c.execute(sa.update(tasks).where(tasks.c.id == task).values(params=successor["params"]))
    values = {"source": successor["source"], "source_step": successor["step"], "params": successor["params"]}
    mine = sa.and_(attempts.c.task_id == task, attempts.c.number == attempt + 1)
    c.execute(sa.update(attempts).where(mine).values(**values))


def moves(c: sa.Connection, job: str) -> list[Move]:
    """Return the moves of a population: which attempts went on from the checkpoint of another task."""
    later, before = attempts.alias("later"), attempts.alias("before")
    query = (
        sa.select(later.c.task_id.label("task"), later.c.number.label("attempt"), later.c.source)
        .add_columns(later.c.source_step.label("step"), later.c.created_at)
        .add_columns(before.c.params.label("before"), later.c.params.label("after"))
        .join(before, sa.and_(before.c.task_id == later.c.task_id, before.c.number == later.c.number - 1))
        .where(later.c.job_id == job, later.c.source.is_not(None))
        .order_by(later.c.id)
    )
    return [
        model(Move, row, before=row.before or {}, after=row.after or {}, at=moment(row.created_at))
        for row in c.execute(query)
    ]

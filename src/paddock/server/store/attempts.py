"""Attempts, as the engine moves them: publish, start, end, try again."""

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from paddock.models import Cause, Params, TaskState
from paddock.rules.estimate import Pace
from paddock.server.store.guards import dumps
from paddock.server.store.rows import columns, fetch, many, portions
from paddock.server.store.tables import CURRENT, UNENDED, attempts, jobs, tasks

_SHARED = {column.name for column in tasks.c} & {column.name for column in attempts.c}
_OF_ATTEMPT = [column.label(f"attempt_{column.name}") if column.name in _SHARED else column for column in attempts.c]
_waits = tasks.c.state == TaskState.SUBMITTED


@dataclass(frozen=True, slots=True)
class TaskAttempt:
    """A task with one of its attempts. Without parameters and seat: to read JSON takes long."""

    id: str
    job_id: str
    number: int
    state: TaskState
    stopping: bool
    attempt: int  # the number of the task's current attempt
    epoch: float | None
    epoch_at: float | None
    first_epoch: float | None
    epochs: int | None
    last_value: float | None
    best_value: float | None
    best_epoch: float | None
    others: list[float | None] | None
    reduces: bool
    attempt_id: int
    attempt_number: int
    attempt_state: TaskState
    attempt_first_epoch: float | None
    reason: str | None
    resumed: bool
    allocation: str | None
    start: int | None
    started_at: float | None
    ended_at: float | None
    peak_memory: int | None
    peak_gpu_memory: int | None
    room: dict[str, Any] | None
    warnings: list[str]
    successor: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class UnpublishedAttempt:
    """An attempt that no runner can have seen yet, with what its line in the file of tasks needs."""

    id: int
    task_id: str
    job_id: str
    number: int
    resumed: bool
    params: Params
    epochs: int | None
    task_number: int
    reduces: bool
    source: str | None
    room: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class TaskInAllocation:
    """A task that runs, and where."""

    id: str
    job_id: str
    allocation: str


_ROWS = sa.select(*columns(TaskAttempt, [*tasks.c, *_OF_ATTEMPT]))
_UNPUBLISHED = sa.select(
    *columns(
        UnpublishedAttempt,
        [*attempts.c, tasks.c.params, tasks.c.epochs, tasks.c.number.label("task_number"), tasks.c.reduces],
    )
)
_RUNNING = (
    sa.select(*columns(TaskInAllocation, [*tasks.c, attempts.c.allocation]))
    .join(attempts, CURRENT)
    .where(tasks.c.state == TaskState.RUNNING)
)

_NEXT = (
    "INSERT INTO attempts (task_id, job_id, number, state, resumed, room, created_at, warnings) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_REACHED = ("epoch", "epoch_at", "first_epoch", "last_value", "best_value", "best_epoch", "best_at", "others")


def begin_first(c: sa.Connection, job: str, number: int) -> None:
    """The first attempt of every task of a job from this number on."""
    _begin(c, sa.and_(tasks.c.job_id == job, tasks.c.number >= number), tasks.c.attempt, resumed=False)


def begin_again(c: sa.Connection, chosen: sa.ColumnElement[bool], *, resumed: bool) -> None:
    """Another attempt after the current one of these tasks. A plain one forgets what was reached."""
    _begin(c, chosen, tasks.c.attempt + 1, resumed=resumed)
    values: dict[str, Any] = {"state": TaskState.SUBMITTED, "stopping": False, "attempt": tasks.c.attempt + 1}
    values |= dict.fromkeys(() if resumed else _REACHED, sa.null())
    c.execute(sa.update(tasks).where(chosen).values(values))


def _begin(c: sa.Connection, chosen: sa.ColumnElement[bool], number: sa.ColumnElement[int], *, resumed: bool) -> None:
    """In one statement: row by row it would take four times as long."""
    values = {
        "task_id": tasks.c.id,
        "job_id": tasks.c.job_id,
        "number": number,
        "state": sa.literal(TaskState.SUBMITTED, tasks.c.state.type),
        "resumed": sa.literal(resumed),
        "created_at": sa.literal(time.time()),
        "warnings": sa.literal([], sa.JSON),
    }
    query = sa.select(*values.values()).where(chosen).order_by(tasks.c.number)
    c.execute(sa.insert(attempts).from_select(list(values), query))


def begin_next(
    c: sa.Connection,
    job: str,
    last: Sequence[tuple[str, int]],
    *,
    resumed: bool,
    room: dict[str, Any] | None = None,
) -> None:
    """Give each task (id, number of its last attempt) another attempt. A plain one forgets what was reached.

    `room` is what it has to wait for, after one that ran out of memory.
    """
    now, waits = time.time(), TaskState.SUBMITTED.value
    forget = "".join(f", {name} = NULL" for name in ([] if resumed else _REACHED))
    change = f"UPDATE tasks SET state = ?, stopping = ?, attempt = ?{forget} WHERE id = ?"  # noqa: S608  (our own)
    many(c, change, [(waits, False, number + 1, task) for task, number in last])
    asked = None if room is None else dumps(room)
    many(c, _NEXT, [(task, job, number + 1, waits, resumed, asked, now, "[]") for task, number in last])


def with_tasks() -> sa.Select[Any]:
    """Tasks with their current attempts, a row each. Columns that both have are named attempt_... for the attempt."""
    return sa.select(tasks, *_OF_ATTEMPT).join(attempts, CURRENT)


def pace(row: sa.Row[Any]) -> Pace:
    return Pace(row.epochs, row.epoch, row.epoch_at, row.first_epoch, row.attempt_first_epoch, row.started_at)


def unpublished(c: sa.Connection, limit: int, without: Sequence[str] = ()) -> list[UnpublishedAttempt]:
    """Attempts that no runner can have seen yet, oldest jobs first; but of these jobs none."""
    query = (
        _UNPUBLISHED.join(tasks, CURRENT)
        .join(jobs, jobs.c.id == tasks.c.job_id)
        .where(
            attempts.c.published.is_(False),
            attempts.c.state == TaskState.SUBMITTED,
            tasks.c.stopping.is_(False),
            jobs.c.removing.is_(False),
            tasks.c.job_id.not_in(without),
        )
        .order_by(jobs.c.created_at, tasks.c.number)
        .limit(limit)
    )
    return fetch(c, UnpublishedAttempt, query)


def mark_published(c: sa.Connection, ids: Sequence[int]) -> None:
    _mark(c, ids, "published")


def mark_ordered(c: sa.Connection, ids: Sequence[int]) -> None:
    """The order to stop stands in the control file."""
    _mark(c, ids, "ordered")


def _mark(c: sa.Connection, ids: Sequence[int], name: str) -> None:
    many(c, f"UPDATE attempts SET {name} = ? WHERE id = ?", [(True, one) for one in ids])  # noqa: S608  (our own)


_untold = sa.and_(tasks.c.stopping.is_(True), tasks.c.state.in_(UNENDED), attempts.c.ordered.is_(False))


def jobs_stopping(c: sa.Connection) -> list[str]:
    """Jobs with attempts that are to be stopped and have not been told yet."""
    return list(c.scalars(sa.select(tasks.c.job_id).join(attempts, CURRENT).where(_untold).distinct()))


def stopping(c: sa.Connection, job: str, limit: int) -> list[TaskAttempt]:
    """Such attempts of a job, the first ones."""
    query = _ROWS.join(attempts, CURRENT).where(tasks.c.job_id == job, _untold)
    return fetch(c, TaskAttempt, query.order_by(tasks.c.number).limit(limit))


def ordered_to_stop(c: sa.Connection) -> list[TaskInAllocation]:
    """Tasks that run although they were ordered to stop."""
    return fetch(c, TaskInAllocation, _RUNNING.where(tasks.c.stopping.is_(True), attempts.c.ordered.is_(True)))


@dataclass(frozen=True)
class Demand:
    """What is left to do of a job."""

    job: str
    waiting: int
    running: int
    held: bool = False


def demands(c: sa.Connection) -> list[Demand]:
    """Jobs with published work, oldest first."""
    waiting = sa.func.sum(sa.case((tasks.c.state == TaskState.SUBMITTED, 1), else_=0))
    running = sa.func.sum(sa.case((tasks.c.state == TaskState.RUNNING, 1), else_=0))
    query = (
        sa.select(tasks.c.job_id, waiting, running, jobs.c.held)
        .join(attempts, CURRENT)
        .join(jobs, jobs.c.id == tasks.c.job_id)
        .where(tasks.c.state.in_(UNENDED), attempts.c.published.is_(True), jobs.c.removing.is_(False))
        .group_by(tasks.c.job_id, jobs.c.created_at, jobs.c.held)
        .order_by(jobs.c.created_at, tasks.c.job_id)
    )
    return [Demand(job, int(w), int(r), bool(held)) for job, w, r, held in c.execute(query)]


def waiting(c: sa.Connection, job: str) -> list[TaskAttempt]:
    """Published attempts of a job of which no journal has spoken."""
    query = _ROWS.join(attempts, CURRENT)
    return fetch(c, TaskAttempt, query.where(tasks.c.job_id == job, _waits, attempts.c.published.is_(True)))


def waiting_keys(c: sa.Connection, job: str) -> list[tuple[str, int]]:
    """Task and number of the current attempts that wait: they may be very many."""
    query = sa.select(tasks.c.id, tasks.c.attempt)
    return [(row.id, row.attempt) for row in c.execute(query.where(tasks.c.job_id == job, _waits))]


def open_in(c: sa.Connection, allocation: str) -> list[TaskAttempt]:
    """Attempts that were started in this allocation and have not ended."""
    query = _ROWS.join(attempts, CURRENT)
    return fetch(c, TaskAttempt, query.where(attempts.c.allocation == allocation, tasks.c.state == TaskState.RUNNING))


def running_in(c: sa.Connection, allocations: Collection[str]) -> list[TaskInAllocation]:
    """Tasks that run in one of these allocations."""
    found: list[TaskInAllocation] = []
    for keys in portions(sorted(allocations)):
        found += fetch(c, TaskInAllocation, _RUNNING.where(attempts.c.allocation.in_(keys)))
    return found


def busy(c: sa.Connection, allocations: Sequence[str]) -> set[str]:
    """Those of these allocations in which attempts have begun and not ended."""
    query = sa.select(attempts.c.allocation).where(
        attempts.c.allocation.in_(allocations), attempts.c.state == TaskState.RUNNING
    )
    return set(c.scalars(query)) if allocations else set()


def lookup(c: sa.Connection, keys: Iterable[tuple[str, int]]) -> dict[tuple[str, int], TaskAttempt]:
    """Attempts by (task, number), each with its task."""
    wanted = set(keys)
    query = _ROWS.join(attempts, attempts.c.task_id == tasks.c.id)
    found = {}
    for ids in portions(sorted({task for task, _ in wanted})):
        for row in fetch(c, TaskAttempt, query.where(tasks.c.id.in_(ids))):
            if (row.id, row.attempt_number) in wanted:
                found[row.id, row.attempt_number] = row
    return found


def ended_with(c: sa.Connection, task: str, cause: Cause) -> int:
    """How many attempts of a task ended with this cause since its last plain start."""
    query = sa.select(attempts.c.cause, attempts.c.resumed).where(attempts.c.task_id == task)
    count = 0
    for row in c.execute(query.order_by(attempts.c.number)):
        count = (count if row.resumed else 0) + (row.cause == cause)
    return count


def update_attempts(c: sa.Connection, changes: Sequence[dict[str, Any]]) -> None:
    """Each change: the attempt's `id` and new values; changes with the same columns go in one statement."""
    _update(c, attempts, changes)


def update_tasks(c: sa.Connection, changes: Sequence[dict[str, Any]]) -> None:
    _update(c, tasks, changes)


def _update(c: sa.Connection, table: sa.Table, changes: Sequence[dict[str, Any]]) -> None:
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for change in changes:
        groups.setdefault(tuple(sorted(change)), []).append(change)
    for named, rows in groups.items():
        names = [name for name in named if name != "id"]
        if names:
            given = ", ".join(f"{name} = ?" for name in names)
            coded = {name for name in names if isinstance(table.c[name].type, sa.JSON)}
            many(
                c,
                f"UPDATE {table.name} SET {given} WHERE id = ?",  # noqa: S608  (names of our own columns)
                [(*(dumps(row[name]) if name in coded else row[name] for name in names), row["id"]) for row in rows],
            )

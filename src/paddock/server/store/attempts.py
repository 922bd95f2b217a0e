"""Attempts: begin, publish, find and change them."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sqlalchemy as sa

from paddock.models import Cause, Params, TaskState
from paddock.models.events import TasksRequested
from paddock.rules import resumption
from paddock.rules.estimate import Pace
from paddock.rules.pool import demand_key
from paddock.server.store import events
from paddock.server.store.guards import dumps
from paddock.server.store.kept import fetch_kept
from paddock.server.store.rows import clock_of, columns, fetch, many, portions
from paddock.server.store.tables import (
    CURRENT,
    OPEN,
    RESIZING,
    RUNNING,
    STOPPING,
    UNENDED,
    UNPUBLISHED,
    attempts,
    jobs,
    tasks,
)

_SHARED = {column.name for column in tasks.c} & {column.name for column in attempts.c}
_OF_ATTEMPT = [column.label(f"attempt_{column.name}") if column.name in _SHARED else column for column in attempts.c]


@dataclass(frozen=True, slots=True)
class TaskAttempt:
    """A task with one of its attempts, without parameters and seat, as decoding JSON takes long."""

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
    first_epoch_at: float | None
    reason: str | None
    resumed: bool
    dealt_to: str | None
    allocation: str | None
    start: int | None
    started_at: float | None
    ended_at: float | None
    peak_memory: int | None
    peak_gpu_memory: int | None
    room: dict[str, Any] | None
    warnings: list[str]
    successor: dict[str, Any] | None
    size: int | None = None  # GPUs, where they are not the fewest of its job
    size_wanted: int | None = None  # of the next attempt of the task
    resize_by: str | None = None  # who wants this attempt to end for one of that size
    resize_why: str | None = None
    node: str | None = None


@dataclass(frozen=True, slots=True)
class UnbegunAttempt:
    """An attempt that has not begun, with the values of its line in the file of tasks."""

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
    node: str | None  # the only one where it may run
    size: int | None = None


@dataclass(frozen=True, slots=True)
class TaskInAllocation:
    """A task that runs, with its allocation."""

    id: str
    job_id: str
    allocation: str


_ROWS = sa.select(*columns(TaskAttempt, [*tasks.c, *_OF_ATTEMPT]))
CURRENT_ROWS = _ROWS.join(attempts, CURRENT)
UNBEGUN_ROWS = sa.select(
    *columns(
        UnbegunAttempt,
        [*attempts.c, tasks.c.params, tasks.c.epochs, tasks.c.number.label("task_number"), tasks.c.reduces],
    )
)
_RUNNING = (
    sa.select(*columns(TaskInAllocation, [*tasks.c, attempts.c.allocation]))
    .join(attempts, CURRENT)
    .where(tasks.c.state == TaskState.RUNNING)
)

_NEXT = (
    "INSERT INTO attempts (task_id, job_id, number, state, resumed, room, created_at, warnings, size) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, (SELECT size_wanted FROM tasks WHERE id = ?))"
)


def begin_first(c: sa.Connection, job: str, number: int) -> None:
    """Insert the first attempt of every task of a job from this task number on."""
    _insert(c, sa.and_(tasks.c.job_id == job, tasks.c.number >= number), resumed=False)


def begin_again(c: sa.Connection, ids: Sequence[str], *, resumed: bool) -> None:
    """Give many tasks another attempt, as `begin_next` does, in a few statements."""
    values: dict[str, Any] = {"state": TaskState.SUBMITTED, "stopping": False, "attempt": tasks.c.attempt + 1}
    values |= dict.fromkeys(resumption.forgotten(resumed=resumed), sa.null())
    for some in portions(ids):
        c.execute(sa.update(tasks).where(tasks.c.id.in_(some)).values(values))
        _insert(c, tasks.c.id.in_(some), resumed=resumed)


def _insert(c: sa.Connection, chosen: sa.ColumnElement[bool], *, resumed: bool) -> None:
    """Insert the current attempt of the chosen tasks in one statement: row by row it would take four times as long."""
    values = {
        "task_id": tasks.c.id,
        "job_id": tasks.c.job_id,
        "number": tasks.c.attempt,
        "state": tasks.c.state,
        "resumed": sa.literal(resumed),
        "created_at": sa.literal(clock_of(c).now()),
        "warnings": sa.literal([], sa.JSON),
        "size": tasks.c.size_wanted,
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
    """Give each task (id, number of its last attempt) another attempt.

    If it is not resumed, what the task had reached is cleared. `room` is the memory that the attempt has to wait for,
    after an attempt that ran out of memory.
    """
    now, waits = clock_of(c).now(), TaskState.SUBMITTED.value
    forget = "".join(f", {name} = NULL" for name in resumption.forgotten(resumed=resumed))
    change = f"UPDATE tasks SET state = ?, stopping = ?, attempt = ?{forget} WHERE id = ?"  # noqa: S608  (our own)
    many(c, change, [(waits, False, number + 1, task) for task, number in last])
    asked = None if room is None else dumps(room)
    many(c, _NEXT, [(task, job, number + 1, waits, resumed, asked, now, "[]", task) for task, number in last])


def with_tasks(names: Collection[str]) -> sa.Select[Any]:
    """Return a query for these columns of all tasks and of their current attempts.

    Where both tables have a column of the same name, that of the attempt is named `attempt_...`.
    """
    return sa.select(*(one for one in (*tasks.c, *_OF_ATTEMPT) if one.name in names)).join(attempts, CURRENT)


@dataclass(frozen=True, slots=True)
class RunningPace:
    """How long a running task will take; None where that is not known."""

    job: str
    allocation: str
    started_at: float | None
    seconds_left: float | None
    reported: bool  # the task has reported something
    reported_at: float | None
    quiet_after: float | None


def running_paces(c: sa.Connection, now: float, job_ids: Collection[str] | None = None) -> list[RunningPace]:
    """Return how long all running tasks, or those of these jobs, will take."""
    pace = (tasks.c.epochs, tasks.c.epoch, tasks.c.epoch_at, tasks.c.first_epoch, attempts.c.first_epoch)
    times = (attempts.c.started_at, attempts.c.first_epoch_at)
    query = sa.select(tasks.c.job_id, attempts.c.allocation, *pace, *times).join(attempts, CURRENT).where(RUNNING)
    if job_ids is not None:
        query = query.where(attempts.c.job_id.in_(job_ids))
    rows = [(job, key, Pace(*known)) for job, key, *known in c.execute(query).all()]
    return [
        RunningPace(
            job, key, one.started_at, one.seconds_left(now), one.epoch is not None, one.reported_at, one.quiet_after
        )
        for job, key, one in rows
    ]


def mean_durations(c: sa.Connection, job_ids: Collection[str]) -> dict[str, float]:
    """Return by job how long its finished attempts took on average."""
    duration = sa.func.avg(attempts.c.ended_at - attempts.c.started_at)
    query = sa.select(attempts.c.job_id, duration).where(attempts.c.state == TaskState.FINISHED)
    rows = c.execute(query.where(attempts.c.job_id.in_(job_ids)).group_by(attempts.c.job_id))
    return {job: mean for job, mean in rows if mean is not None}


def unpublished(c: sa.Connection, limit: int, without: Sequence[str] = ()) -> list[UnbegunAttempt]:
    """Return up to `limit` attempts that no runner can have seen yet, oldest jobs first, `without` these jobs."""
    query = (
        UNBEGUN_ROWS.join(tasks, CURRENT)
        .join(jobs, jobs.c.id == tasks.c.job_id)
        .where(
            UNPUBLISHED,
            tasks.c.stopping.is_(False),
            jobs.c.removing.is_(False),
            tasks.c.job_id.not_in(without),
        )
        .order_by(jobs.c.created_at, tasks.c.number)
        .limit(limit)
    )
    return fetch(c, UnbegunAttempt, query)


def mark_published(c: sa.Connection, ids: Sequence[int]) -> None:
    """Record that these attempts are in the file of tasks."""
    _mark(c, ids, "published")


def mark_ordered(c: sa.Connection, ids: Sequence[int]) -> None:
    """Record that the order to stop these attempts is in the control file."""
    _mark(c, ids, "ordered")


def _mark(c: sa.Connection, ids: Sequence[int], name: str) -> None:
    many(c, f"UPDATE attempts SET {name} = ? WHERE id = ?", [(True, one) for one in ids])  # noqa: S608  (our own)


def request_stop(
    c: sa.Connection, job: str, ids: Collection[str] | None = None, *where: sa.ColumnElement[bool]
) -> list[str]:
    """Record that the unended tasks of a job for which this holds are to be stopped, and return their ids.

    With `ids`, only those of them.
    """
    chosen = (tasks.c.job_id == job, tasks.c.state.in_(UNENDED), *where)
    named = None if ids is None else set(ids)
    unended = c.scalars(sa.select(tasks.c.id).where(*chosen).order_by(tasks.c.number))
    found = [one for one in unended if named is None or one in named]
    if named is None:
        c.execute(sa.update(tasks).where(*chosen).values(stopping=True))
    else:
        many(c, "UPDATE tasks SET stopping = ? WHERE id = ?", [(True, one) for one in found])
    if found:
        events.write(c, job, TasksRequested(change="stopping", ids=found))
    return found


_UNORDERED = sa.and_(STOPPING, tasks.c.state.in_(UNENDED), attempts.c.ordered.is_(False))


_JOBS_STOPPING = sa.select(tasks.c.job_id).join(attempts, CURRENT).where(_UNORDERED).distinct()
_ORDERED = _RUNNING.where(STOPPING, attempts.c.ordered.is_(True))


def jobs_stopping(c: sa.Connection) -> list[str]:
    """Return the jobs with tasks that are to be stopped, and whose runners have no order to do so yet."""
    return fetch_kept(c, str, _JOBS_STOPPING)


def stopping(c: sa.Connection, job: str, limit: int) -> list[TaskAttempt]:
    """Return the first tasks of a job, up to `limit`, that are to be stopped and whose runners have no order yet."""
    query = CURRENT_ROWS.where(tasks.c.job_id == job, _UNORDERED)
    return fetch(c, TaskAttempt, query.order_by(tasks.c.number).limit(limit))


def all_running(c: sa.Connection) -> list[TaskInAllocation]:
    """Return all tasks that run."""
    return fetch_kept(c, TaskInAllocation, _RUNNING)


def ordered_to_stop(c: sa.Connection) -> list[TaskInAllocation]:
    """Return the tasks that run although their runners were ordered to stop them."""
    return fetch_kept(c, TaskInAllocation, _ORDERED)


@dataclass(frozen=True, slots=True)
class Demand:
    """What is left to do of a job."""

    job: str
    waiting: int
    running: int
    held: bool = False
    created_at: float = field(default=0.0, compare=False)
    priority: int = 0
    size: int | None = None  # GPUs of these tasks, where they are not the fewest of the job
    coming: int = 0  # tasks that run with another number of GPUs, and are to go on with this one

    @property
    def key(self) -> str:
        return demand_key(self.job, self.size)


_COUNTS = (
    sa.select(
        attempts.c.job_id,
        attempts.c.size,
        sa.func.count(sa.case((attempts.c.state == TaskState.SUBMITTED, 1))).label("waiting"),
        sa.func.count(sa.case((attempts.c.state == TaskState.RUNNING, 1))).label("running"),
    )
    .where(OPEN)
    .group_by(attempts.c.job_id, attempts.c.size)
    .subquery()
)
_DEMANDS = (
    sa.select(jobs.c.id, _COUNTS.c.waiting, _COUNTS.c.running, jobs.c.held, jobs.c.created_at, jobs.c.priority)
    .add_columns(_COUNTS.c.size)
    .join(_COUNTS, _COUNTS.c.job_id == jobs.c.id)
    .where(jobs.c.removing.is_(False))
    .order_by(jobs.c.created_at, jobs.c.id, _COUNTS.c.size)
)


@dataclass(frozen=True, slots=True)
class ResizingTask:
    """A task whose attempt is to end for one with another number of GPUs."""

    id: str
    job_id: str
    state: TaskState
    size_wanted: int | None


_RESIZING = sa.select(*columns(ResizingTask, tasks.c)).where(RESIZING, tasks.c.state.in_(UNENDED))


def resizing(c: sa.Connection) -> list[ResizingTask]:
    """Return the tasks that are to be resized and have not ended."""
    return fetch_kept(c, ResizingTask, _RESIZING)


def current(c: sa.Connection, ids: Collection[str]) -> list[TaskAttempt]:
    """Return these tasks with their current attempts."""
    found = portions(sorted(ids))
    return [row for some in found for row in fetch(c, TaskAttempt, CURRENT_ROWS.where(tasks.c.id.in_(some)))]


def demands(c: sa.Connection) -> list[Demand]:
    """Return what is left to do of each job with published tasks, and of each number of GPUs; oldest jobs first."""
    found = fetch_kept(c, Demand, _DEMANDS)
    wanted = Counter((one.job_id, one.size_wanted) for one in resizing(c) if one.state == TaskState.RUNNING)
    if not wanted:
        return found
    about = {one.job: one for one in found}
    made = [replace(one, coming=wanted.pop((one.job, one.size), 0)) for one in found]
    return made + [
        replace(about[job], waiting=0, running=0, size=size, coming=count)
        for (job, size), count in wanted.items()
        if job in about
    ]


def waiting(c: sa.Connection, job: str) -> list[TaskAttempt]:
    """Return the published tasks of a job that no journal has reported as started."""
    query = CURRENT_ROWS.where(tasks.c.job_id == job, tasks.c.state == TaskState.SUBMITTED)
    return fetch(c, TaskAttempt, query.where(attempts.c.published.is_(True)))


def waiting_keys(c: sa.Connection, job: str) -> list[tuple[str, int]]:
    """Return the id and the attempt number of all tasks of a job that wait: nothing else, as they may be very many."""
    query = sa.select(tasks.c.id, tasks.c.attempt)
    query = query.where(tasks.c.job_id == job, tasks.c.state == TaskState.SUBMITTED)
    return [(task, number) for task, number in c.execute(query)]


def open_in(c: sa.Connection, allocation: str) -> list[TaskAttempt]:
    """Return the attempts that were started in this allocation and have not ended."""
    query = CURRENT_ROWS.where(attempts.c.allocation == allocation, tasks.c.state == TaskState.RUNNING)
    return fetch(c, TaskAttempt, query)


def running_in(c: sa.Connection, allocations: Collection[str]) -> list[TaskInAllocation]:
    """Return the tasks that run in one of these allocations."""
    found: list[TaskInAllocation] = []
    for keys in portions(sorted(allocations)):
        found += fetch(c, TaskInAllocation, _RUNNING.where(attempts.c.allocation.in_(keys)))
    return found


def lookup(c: sa.Connection, keys: Iterable[tuple[str, int]]) -> dict[tuple[str, int], TaskAttempt]:
    """Return by task and number those of these attempts that exist."""
    wanted = set(keys)
    query = _ROWS.join(attempts, attempts.c.task_id == tasks.c.id)
    found = {}
    for ids in portions(sorted({task for task, _ in wanted})):
        for row in fetch(c, TaskAttempt, query.where(tasks.c.id.in_(ids))):
            if (row.id, row.attempt_number) in wanted:
                found[row.id, row.attempt_number] = row
    return found


def ended_in(c: sa.Connection, job: str, after: int, most: int) -> list[TaskAttempt]:
    """Return up to `most` ended tasks of a job beyond this task number, with their current attempts."""
    ended = (tasks.c.job_id == job, tasks.c.number > after, attempts.c.ended_at.is_not(None))
    return fetch(c, TaskAttempt, CURRENT_ROWS.where(*ended).order_by(tasks.c.number).limit(most))


def ended_with(c: sa.Connection, task: str, cause: Cause) -> int:
    """Return how many attempts in the last chain of a task ended with this cause."""
    query = sa.select(attempts.c.cause, attempts.c.resumed).where(attempts.c.task_id == task)
    chain = resumption.last_chain(c.execute(query.order_by(attempts.c.number)))
    return sum(row.cause == cause for row in chain)


def update_attempts(c: sa.Connection, changes: Sequence[dict[str, Any]]) -> None:
    """Change attempts: each change has the attempt's `id` and new values."""
    _update(c, attempts, changes)


def update_tasks(c: sa.Connection, changes: Sequence[dict[str, Any]]) -> None:
    """Change tasks: each change has the task's `id` and new values."""
    _update(c, tasks, changes)


def _update(c: sa.Connection, table: sa.Table, changes: Sequence[dict[str, Any]]) -> None:
    """Write changes of the same columns in one statement."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for change in changes:
        groups.setdefault(tuple(sorted(change.keys() - {"id"})), []).append(change)
    for names, rows in groups.items():
        if names:
            given = ", ".join(f"{name} = ?" for name in names)
            coded = {name for name in names if isinstance(table.c[name].type, sa.JSON)}
            many(
                c,
                f"UPDATE {table.name} SET {given} WHERE id = ?",  # noqa: S608  (names of our own columns)
                [(*(dumps(row[name]) if name in coded else row[name] for name in names), row["id"]) for row in rows],
            )

"""Tasks as the API shows them: find, list, stop, restart."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import sqlalchemy as sa

from paddock.errors import Conflict, InvalidInput, NotFound
from paddock.models import Attempt, Cause, Params, Task, TaskPage, TaskState, Waits
from paddock.models.events import TasksRequested
from paddock.rules.estimate import Pace
from paddock.rules.task_view import Outline, with_means
from paddock.server.store import attempts as attempt_rows
from paddock.server.store import events, notices
from paddock.server.store.estimates import NOTHING, Estimate, Estimates, expected
from paddock.server.store.jobs import FoundJob, waits_of
from paddock.server.store.jobs import find as find_job
from paddock.server.store.rows import ALL_HEARD, Silent, clock_of, model, moment, portions, values_of
from paddock.server.store.sight import EVERYTHING, Sight
from paddock.server.store.tables import CURRENT, attempts, jobs, tasks

NOTHING_DECIDED: Mapping[str, Waits] = {}
_TASK_ID = re.compile(r"(?P<job>[0-9a-z]+)-(?P<number>\d{1,9})")


def find(c: sa.Connection, text: str, sight: Sight) -> tuple[str, FoundJob]:
    """Return the task id that `text` stands for, and its job. The job part may be shortened, as in k3v-12."""
    found = _TASK_ID.fullmatch(text)
    if not found:
        raise NotFound(f"{text!r} is not a task id such as k3v9x2ab-12: `paddock tasks JOB` lists those of a job.")
    job = find_job(c, found["job"], sight)
    task = f"{job.id}-{int(found['number'])}"
    if c.execute(sa.select(tasks.c.id).where(tasks.c.id == task)).one_or_none() is None:
        raise NotFound(f"There is no task {task!r}: `paddock tasks {job.id}` lists them.")
    return task, job


def resolve(c: sa.Connection, text: str, sight: Sight) -> str:
    """Return the id of the task, of those that somebody may see, that `text` stands for."""
    return find(c, text, sight)[0]


def existing(c: sa.Connection, task: str) -> str:
    """Return the id of a task; raise NotFound if its job was removed since somebody looked."""
    return resolve(c, task, EVERYTHING)


def resolve_many(c: sa.Connection, job: str, given: Sequence[str] | None, sight: Sight) -> list[str] | None:
    """Return the ids of tasks of one job that are given as ids or numbers."""
    if given is None:
        return None
    known: set[str] | None = None  # the ids of all tasks of the job, read when the second is asked for
    ids: list[str] = []
    for text in given:
        task = f"{job}-{int(text)}" if text.isascii() and text.isdigit() else text
        if known is None and len(given) > 1:
            known = set(c.scalars(sa.select(tasks.c.id).where(tasks.c.job_id == job)))
        ids.append(task if known and task in known else resolve(c, task, sight))
    strange = [one for one in ids if not one.startswith(f"{job}-")]
    if strange:
        raise InvalidInput(f"{strange[0]} is not a task of job {job}.", fields={"tasks": strange[0]})
    return ids


def get(
    c: sa.Connection,
    task: str,
    silent: Silent = ALL_HEARD,
    waits: Mapping[str, Waits] = NOTHING_DECIDED,
    estimates: Estimates | None = None,
) -> Task:
    """Return a task.

    `silent` are the allocations whose runners do not report, `waits` contains why jobs wait for the policy.
    """
    job = task.rpartition("-")[0]
    why = waits_of(c, job, waits)
    now = clock_of(c).now()
    estimate = estimates.of(c, job, now, why) if estimates else NOTHING
    found = _tasks(c.execute(_query().where(tasks.c.id == task)), now, silent, why, estimate)
    if not found:
        raise NotFound(f"There is no task {task!r}: `paddock tasks {task.rpartition('-')[0]}` lists them.")
    return found[0]


def page(
    c: sa.Connection,
    job: str,
    *,
    states: Collection[TaskState] = (),
    numbers: Sequence[int] | None = None,
    newest: bool = False,
    offset: int = 0,
    limit: int = 1000,
    silent: Silent = ALL_HEARD,
    waits: Mapping[str, Waits] = NOTHING_DECIDED,
    estimates: Estimates | None = None,
) -> TaskPage:
    """Return up to `limit` tasks of a job from `offset` on by number, and how many there are.

    `states` and `numbers` restrict which tasks these are; `newest`: the last number comes first.
    """
    where = [tasks.c.job_id == job]
    if states:
        where.append(tasks.c.state.in_(states))
    if numbers is not None:
        where.append(tasks.c.number.in_(numbers))
    total = c.execute(sa.select(sa.func.count()).select_from(tasks).where(*where)).scalar_one()
    order = tasks.c.number.desc() if newest else tasks.c.number
    rows = c.execute(_query().where(*where).order_by(order).offset(offset).limit(limit))
    why = waits_of(c, job, waits)
    now = clock_of(c).now()
    estimate = estimates.of(c, job, now, why) if estimates else NOTHING
    return TaskPage(total=total, offset=offset, items=_tasks(rows, now, silent, why, estimate))


def outlines(c: sa.Connection, job: str) -> list[Outline]:
    """Return all tasks of a job by number, with what filters, orders and graphs need."""
    of_task = (tasks.c.number, tasks.c.trial, tasks.c.state, tasks.c.attempt, tasks.c.reduces, tasks.c.params)
    values = (tasks.c.best_value, tasks.c.best_epoch, tasks.c.last_value, tasks.c.epoch, tasks.c.epochs)
    query = sa.select(*of_task, *values, tasks.c.first_epoch, tasks.c.others, attempts.c.started_at).add_columns(
        attempts.c.ended_at, attempts.c.node, attempts.c.cause, attempts.c.reason
    )
    rows = c.execute(query.join(attempts, CURRENT).where(tasks.c.job_id == job).order_by(tasks.c.number))
    now = clock_of(c).now()
    return with_means([_outline(*row, now) for row in rows])


def _outline(
    number: int, trial: int, state: TaskState, attempt: int, reduces: bool, params: Params, best: float | None,
    at: float | None, last: float | None, epoch: float | None, epochs: int | None, first: float | None,
    others: list[float | None] | None, *more: Any,
) -> Outline:  # fmt: skip
    finished = state is TaskState.FINISHED
    progress = 1.0 if finished else Pace(epochs, epoch, None, first, None, None).progress()
    last = last if math.isfinite(last or 0) else None
    return Outline(number, trial, state, attempt, reduces, params, best, at, last, epoch, progress, others or (), *more)


def best_values(c: sa.Connection, job: str) -> list[tuple[int, float | None]]:
    """Return the numbers of all tasks of a job with their best values."""
    query = sa.select(tasks.c.number, tasks.c.best_value).where(tasks.c.job_id == job).order_by(tasks.c.number)
    return [(number, value) for number, value in c.execute(query)]


def by_ids(c: sa.Connection, ids: Sequence[str]) -> list[Task]:
    """Return these tasks, which must have runners that report."""
    queries = (_query().where(tasks.c.id.in_(some)).order_by(tasks.c.number) for some in portions(ids))
    now = clock_of(c).now()
    return [task for query in queries for task in _tasks(c.execute(query), now, ALL_HEARD)]


_FIELDS = {
    *Task.model_fields,
    "job_id",
    "epochs",
    "epoch_at",
    "first_epoch",
    "attempt_first_epoch",
    "first_epoch_at",
    "allocation",
    "others",
}


@cache
def _query() -> sa.Select[Any]:
    return (
        attempt_rows.with_tasks(_FIELDS)
        .add_columns(jobs.c.owner, jobs.c.metric, jobs.c.choice, tasks.c.note.is_not(None).label("noted"))
        .join(jobs, jobs.c.id == tasks.c.job_id)
    )


def _tasks(
    rows: sa.CursorResult[Any], now: float, silent: Silent, waits: Waits | None = None, estimate: Estimate = NOTHING
) -> list[Task]:
    names = tuple(rows.keys())
    return [_task(row, names, now, silent, waits, estimate) for row in rows]


def _task(
    row: sa.Row[Any], names: tuple[str, ...], now: float, silent: Silent, waits: Waits | None, estimate: Estimate
) -> Task:
    found = values_of(Task, names, row)
    state, last = row.state, row.last_value
    found["job"] = row.job_id
    if state is TaskState.SUBMITTED:
        found["waits"] = waits
        found["expected_start"] = expected(estimate.begins.get(row.id), now)
        found["expected_end"] = expected(estimate.ends.get(row.id), now)
    if state is TaskState.RUNNING:
        found["no_word_since"] = moment(silent.get(row.allocation))
    if state.ended:
        found["stopping"] = False
    if row.others:
        found["values"] = [row.best_value, *row.others]
    if last is not None and not math.isfinite(last):
        found["last_value"] = None
    times = (row.started_at, row.first_epoch_at)
    pace = Pace(row.epochs, row.epoch, row.epoch_at, row.first_epoch, row.attempt_first_epoch, *times)
    found["epochs_done"] = pace.epochs_done
    found["progress"] = 1.0 if state is TaskState.FINISHED else pace.progress()
    if state is TaskState.RUNNING:
        found["seconds_left"] = pace.seconds_left(now)
        found |= _end_of(row, pace, estimate, now)
        if row.metric or row.choice or row.epoch is not None:  # of other programs nobody expects a report
            found |= {"reported_at": moment(pace.reported_at), "quiet_after": moment(pace.quiet_after)}
    return Task(**found)


def _end_of(row: sa.Row[Any], pace: Pace, estimate: Estimate, now: float) -> dict[str, Any]:
    """Return when a running task will end; nothing of one that should have ended, or has reported nothing for long."""
    band = estimate.ends.get(row.id)
    quiet = pace.epoch is not None and pace.quiet_after is not None and now > pace.quiet_after
    if band is None or quiet or now > band.late:
        return {}
    return {"seconds_left": band.at(now).likely - now, "expected_end": expected(band, now)}


def attempts_of(c: sa.Connection, task: str) -> list[Attempt]:
    """Return all attempts of a task, the first one first."""
    rows = c.execute(sa.select(attempts).where(attempts.c.task_id == task).order_by(attempts.c.number))
    found = [model(Attempt, row, task=row.task_id) for row in rows]
    return [found[0], *(_with_pause(one, before) for before, one in pairwise(found))] if found else []


def _with_pause(attempt: Attempt, before: Attempt) -> Attempt:
    if before.cause is not Cause.RESIZED or before.ended_at is None or attempt.started_at is None:
        return attempt
    pause = max((attempt.started_at - before.ended_at).total_seconds(), 0.0)
    return attempt.model_copy(update={"pause_seconds": round(pause, 3)})


def note(c: sa.Connection, task: str) -> str:
    """Return what people have written about a task."""
    return c.scalar(sa.select(tasks.c.note).where(tasks.c.id == task)) or ""


def set_note(c: sa.Connection, task: str, text: str) -> None:
    """Record what people write about a task, in place of what they wrote before."""
    c.execute(sa.update(tasks).where(tasks.c.id == task).values(note=text or None))
    events.write(c, task.rpartition("-")[0], TasksRequested(change="noted", ids=[task]))


def request_stop(c: sa.Connection, job: str, ids: Sequence[str] | None) -> list[str]:
    """Record that these tasks of a job, or all, are to be stopped by the engine; return those that had not ended."""
    return attempt_rows.request_stop(c, job, ids)


@dataclass(frozen=True)
class ResizeWish:
    """What somebody wants of a task that has not ended. `size`: GPUs, where they are not the fewest of its job."""

    size: int | None
    by: str
    why: str | None = None  # if it was not a person


def resize_wish(c: sa.Connection, task: str) -> ResizeWish | None:
    """Return to what a task is being resized; None: no resize is under way."""
    row = c.execute(
        sa.select(tasks.c.size_wanted, tasks.c.resize_by, tasks.c.resize_why).where(tasks.c.id == task)
    ).one()
    return ResizeWish(*row) if row.resize_by is not None else None


def resizable(c: sa.Connection, job: str) -> list[str]:
    """Return the running tasks of a job that can go on with another number of GPUs."""
    query = sa.select(tasks.c.id).where(tasks.c.job_id == job, tasks.c.state == TaskState.RUNNING)
    ordinary = query.where(tasks.c.stopping.is_(False), tasks.c.reduces.is_(False))
    return list(c.scalars(ordinary.order_by(tasks.c.number)))


def request_resize(c: sa.Connection, task: str, wish: ResizeWish) -> bool:
    """Record that a person wants a task to have a number of GPUs, and to keep it; return False if that changes nothing.

    With the number that it has, a resize that was asked for before is taken back.
    """
    query = sa.select(tasks.c.state, tasks.c.stopping, tasks.c.reduces, tasks.c.job_id, tasks.c.resize_by)
    query = query.add_columns(tasks.c.sized_by)
    query = query.add_columns(tasks.c.size_wanted, attempts.c.size).join(attempts, CURRENT).where(tasks.c.id == task)
    row = c.execute(query).one()
    if row.state.ended or row.stopping:
        how = "is being stopped" if row.stopping else "has ended"
        raise Conflict(f"{task} {how}: only a task that runs or waits can be resized.")
    if row.reduces:
        raise Conflict(f"{task} runs the job's reduce command, which cannot be resized.")
    by = None if row.size == wish.size else wish.by
    change = sa.update(tasks).where(tasks.c.id == task)
    if row.sized_by != wish.by:
        c.execute(change.values(sized_by=wish.by))
    if (row.size_wanted, row.resize_by is None) == (wish.size, by is None):
        return False
    c.execute(change.values(size_wanted=wish.size, resize_by=by, resize_why=None))
    events.write(c, row.job_id, TasksRequested(change="resizing", ids=[task]))
    return True


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
        notices.begin_again(c, job)
        events.write(c, job, TasksRequested(change="restarted", ids=found))
    return found

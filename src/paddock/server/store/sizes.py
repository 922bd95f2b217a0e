"""Tasks whose number of GPUs the policy chooses."""

from collections.abc import Collection
from dataclasses import dataclass

import sqlalchemy as sa

from paddock.errors import Conflict
from paddock.models import TaskState
from paddock.models.events import TasksRequested
from paddock.rules.estimate import Pace
from paddock.server.store import events
from paddock.server.store.rows import columns, fetch, portions
from paddock.server.store.tables import CURRENT, UNPUBLISHED, attempts, jobs, tasks

POLICY = "the policy"  # in place of a person who wants a task to be resized; no name of an account has a blank
MOST_TASKS = 1_000  # of all jobs


@dataclass(frozen=True, slots=True)
class SizedTask:
    """A task of a job with a range of GPUs that runs or waits."""

    id: str
    job_id: str
    state: TaskState
    stopping: bool
    reduces: bool
    held: bool  # its job begins no further task
    priority: int
    created_at: float
    epochs: int | None
    epoch: float | None
    epoch_at: float | None
    first_epoch: float | None
    size_wanted: int | None
    resize_by: str | None
    resize_why: str | None
    sized_by: str | None
    attempt: int
    published: bool
    allocation: str | None
    node: str | None
    size: int | None
    attempt_created_at: float
    started_at: float | None
    attempt_first_epoch: float | None
    first_epoch_at: float | None
    saved_at: float | None
    samples_per_second: float | None

    @property
    def pace(self) -> Pace:
        return Pace(
            self.epochs,
            self.epoch,
            self.epoch_at,
            self.first_epoch,
            self.attempt_first_epoch,
            self.started_at,
            self.first_epoch_at,
        )

    @property
    def startup(self) -> float | None:
        """Return how long it took until the attempt trained."""
        each = self.pace.epoch_seconds
        if each is None or self.first_epoch_at is None or self.started_at is None:
            return None
        return max(self.first_epoch_at - self.started_at - each, 0.0)


_ATTEMPT = {
    "attempt_created_at": attempts.c.created_at,
    "attempt_first_epoch": attempts.c.first_epoch,
}
_OWN = [
    attempts.c[name] for name in ("published", "allocation", "node", "size", "started_at", "first_epoch_at", "saved_at")
]
_COLUMNS = [
    *tasks.c,
    *_OWN,
    jobs.c.held,
    jobs.c.priority,
    attempts.c.samples_per_second,
    *(column.label(name) for name, column in _ATTEMPT.items()),
]
_ROWS = sa.select(*columns(SizedTask, _COLUMNS)).join(attempts, CURRENT).join(jobs, jobs.c.id == tasks.c.job_id)


def of_jobs(c: sa.Connection, jobs: Collection[str]) -> list[SizedTask]:
    """Return the tasks of these jobs that run, or wait with another number of GPUs than the fewest."""
    waits = sa.and_(tasks.c.state == TaskState.SUBMITTED, attempts.c.size.is_not(None))
    chosen = sa.or_(tasks.c.state == TaskState.RUNNING, waits)
    found: list[SizedTask] = []
    for some in portions(sorted(jobs)):
        query = _ROWS.where(tasks.c.job_id.in_(some), chosen).order_by(tasks.c.created_at, tasks.c.id)
        found += fetch(c, SizedTask, query.limit(MOST_TASKS - len(found)))
    return found


def waiting(c: sa.Connection, job: str, most: int) -> list[SizedTask]:
    """Return up to so many tasks of a job that wait with the fewest GPUs, in the order in which they begin."""
    waits = (tasks.c.job_id == job, tasks.c.state == TaskState.SUBMITTED, attempts.c.size.is_(None))
    return fetch(c, SizedTask, _ROWS.where(*waits).order_by(tasks.c.number).limit(most))


def begin_with(c: sa.Connection, task: str, attempt: int, size: int | None) -> bool:
    """Let an attempt that no runner can have seen begin with this number of GPUs; False: somebody was faster."""
    free = (tasks.c.resize_by.is_(None), tasks.c.sized_by.is_(None), tasks.c.stopping.is_(False))
    unseen = (attempts.c.task_id == task, attempts.c.number == attempt, UNPUBLISHED)
    mine = (tasks.c.id == task, tasks.c.attempt == attempt, *free)
    change = sa.update(tasks).where(*mine, sa.exists().where(*unseen)).values(size_wanted=size)
    if not c.execute(change).rowcount:
        return False
    c.execute(sa.update(attempts).where(*unseen).values(size=size))
    return True


def choose(c: sa.Connection, task: str, attempt: int, size: int | None, why: str) -> bool:
    """Record that the policy wants a task to go on with another number of GPUs; False: somebody was faster."""
    free = (tasks.c.resize_by.is_(None), tasks.c.sized_by.is_(None), tasks.c.stopping.is_(False))
    open_ = tasks.c.state.in_([TaskState.SUBMITTED, TaskState.RUNNING])
    change = sa.update(tasks).where(tasks.c.id == task, tasks.c.attempt == attempt, open_, *free)
    if not c.execute(change.values(size_wanted=size, resize_by=POLICY, resize_why=why)).rowcount:
        return False
    events.write(c, task.rpartition("-")[0], TasksRequested(change="resizing", ids=[task]))
    return True


def take_back(c: sa.Connection, task: str) -> None:
    """Forget what the policy wanted of a task."""
    size = sa.select(attempts.c.size).where(CURRENT).scalar_subquery()
    change = sa.update(tasks).where(tasks.c.id == task, tasks.c.resize_by == POLICY)
    if c.execute(change.values(size_wanted=size, resize_by=None, resize_why=None)).rowcount:
        events.write(c, task.rpartition("-")[0], TasksRequested(change="resizing", ids=[task]))


def chosen_by(c: sa.Connection, task: str) -> str | None:
    """Return the person who chose the number of GPUs of a task; None: nobody, or the policy."""
    found: str | None = c.scalar(sa.select(tasks.c.sized_by).where(tasks.c.id == task))
    return found


def leave_to_policy(c: sa.Connection, task: str) -> bool:
    """Let the policy choose the number of GPUs of a task again; return False if it does."""
    row = c.execute(sa.select(tasks.c.state, tasks.c.sized_by, tasks.c.job_id).where(tasks.c.id == task)).one()
    if row.state.ended:
        raise Conflict(f"{task} has ended: only a task that runs or waits can be resized.")
    if row.sized_by is None:
        return False
    c.execute(sa.update(tasks).where(tasks.c.id == task).values(sized_by=None))
    events.write(c, row.job_id, TasksRequested(change="resizing", ids=[task]))
    return True

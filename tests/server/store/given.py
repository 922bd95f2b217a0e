"""Rows to begin with."""

import json
from typing import Any

import sqlalchemy as sa
from pydantic import TypeAdapter

from paddock.models import Cause, CodeInfo, Event, Interpreter, JobSpec, Params, TaskState
from paddock.models.events import JobChange, ServerEvent
from paddock.search.tasks import NewTask
from paddock.server.store import attempts, erasing, events, jobs
from paddock.server.store.db import Database

_TYPED: TypeAdapter[ServerEvent] = TypeAdapter(ServerEvent)


def add_job(
    db: Database,
    job: str = "k3v9x2ab",
    tasks: int = 1,
    *,
    owner: str = "ann",
    epochs: int | None = None,
    configurations: list[Params] | None = None,
    **spec: Any,
) -> list[str]:
    """The ids of its tasks."""
    drawn: list[Params] = [{"lr": 0.1 * number} for number in range(1, tasks + 1)]
    drawn = drawn if configurations is None else configurations
    new = jobs.NewJob(
        id=job,
        owner=owner,
        spec=JobSpec(**{"name": job, "command": "true", **spec}),
        script=None,
        code=CodeInfo(files=1, bytes=2),
        interpreter=Interpreter(argv=["python"]),
        tasks=[NewTask(params, epochs, trial) for trial, params in enumerate(drawn, start=1)],
        warnings=["mind the gap"],
    )
    with db.write() as c:
        jobs.insert(c, new)
    return [f"{job}-{number}" for number in range(1, len(drawn) + 1)]


def told(c: sa.Connection, last: int, job: str | None = None, limit: int = 500) -> list[Event]:
    """Return events as they are sent, each checked against the union that the page's types are made from."""
    found = []
    for one in events.after(c, last, job, limit):
        given = {"id": one.id, "at": one.at, "job": one.job, "kind": one.kind, "data": json.loads(one.data)}
        _TYPED.validate_python(given)
        found.append(Event.model_validate(given))
    return found


def announce(c: sa.Connection, job: str = "k3v9x2ab", tasks: int | None = None) -> None:
    """Write an event."""
    events.write(c, job, JobChange(change="submitted", tasks=tasks))


def current(c: sa.Connection, task: str) -> attempts.TaskAttempt:
    """A task with its current attempt."""
    number = c.execute(sa.text("SELECT attempt FROM tasks WHERE id = :task"), {"task": task}).scalar_one()
    return attempts.lookup(c, [(task, number)])[task, number]


def move(db: Database, task: str, state: TaskState, cause: Cause | None = None, **of_task: Any) -> int:
    """Bring a task and its current attempt into a state, as the engine does; the attempt's row id."""
    with db.write() as c:
        row = current(c, task)
        change: dict[str, Any] = {"id": row.attempt_id, "state": state.value, "cause": cause.value if cause else None}
        if state is TaskState.RUNNING:
            change["started_at"] = 1000.0
        if state.ended:
            change["ended_at"] = 2000.0
        attempts.update_attempts(c, [change])
        attempts.update_tasks(c, [{"id": task, "state": state.value, **of_task}])
    return row.attempt_id


def erase(c: sa.Connection, job: str) -> None:
    """A job and all that belongs to it."""
    erasing.detach(c, job)
    while erasing.erase_some(c, job):
        pass

"""The routes of all tasks of a job: rows by window, columns, curves."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from paddock.models.base import TaskState
from paddock.models.sizes import GpusPoint, JobGpus
from paddock.models.tasks import Curve, TaskColumns, TaskPage
from paddock.rules import task_view
from paddock.rules.task_view import Measured, Outline
from paddock.server import map_parts
from paddock.server.api.caller import By, Caller
from paddock.server.api.permissions import JobId, Right, may
from paddock.server.api.replies import Reply
from paddock.server.api.server import At, Server
from paddock.server.store import gpu_history, jobs, metrics, tasks
from paddock.server.store.db import Connection
from paddock.server.store.rows import moment

router = APIRouter()

MAX_CURVES = 5000
MAX_TEXT = 5000  # of any characters: they must fit in an address

Offset = Annotated[int, Query(ge=0, le=2**31)]
Points = Annotated[int | None, Query(ge=2, le=100_000, description="return up to this many points per curve")]
Filter = Annotated[
    str,
    Query(
        max_length=1000,
        description="words that a task must contain, and comparisons such as `lr<0.01`: of a parameter, or of a column",
    ),
]
States = Annotated[list[TaskState] | None, Query(description="only tasks in one of these states")]
Sort = Annotated[
    str,
    Query(
        max_length=200,
        description="a column, `param.NAME`, `objective.N`, or `last.METRIC`, `best.METRIC`, `min.METRIC`, "
        "`max.METRIC`; after a minus, the largest first. "
        "Columns: " + ", ".join(task_view.COLUMNS),
    ),
]
Numbers = Annotated[str | None, Query(max_length=MAX_TEXT, description="only tasks of these numbers, such as `1-3,7`")]


@router.get("/{job}/tasks", response_model=TaskPage)
def list_tasks(
    job: JobId,
    at: At,
    by: By,
    reply: Reply,
    q: Filter = "",
    state: States = None,
    numbers: Numbers = None,
    sort: Sort = "number",
    offset: Offset = 0,
    limit: Annotated[int, Query(ge=1, le=20_000)] = 1000,
    value: Annotated[
        list[str], Query(max_length=50, description="columns such as `last.METRIC`, returned in `measured`")
    ] = [],  # noqa: B006  (FastAPI copies it)
    slim: Annotated[bool, Query(description="leave out fields that are null, false or empty")] = False,
) -> Response:
    """Return tasks of a job: up to `limit` of those that match, from `offset` on, and how many match."""
    asked = task_view.numbers(numbers) if numbers is not None else None
    with at.db.read() as c:
        found = jobs.existing(c, job)
        known = at.engine.context.seen
        if not q.strip() and sort in ("number", "-number") and not value:
            newest = sort == "-number"
            page = tasks.page(
                c, found, states=state or (), numbers=asked, newest=newest, offset=offset, limit=limit, **known
            )
        else:
            outlines = _view(_outlines(at, by, c, found), at, c, found, q, state, sort, asked)
            window = outlines[offset : offset + limit]
            shown = [one.number for one in window]
            rows = {row.number: row for row in tasks.page(c, found, numbers=shown, limit=limit, **known).items}
            items = [rows[number] for number in shown if number in rows]
            measured = _measured(at, c, found, window, "", value)
            if measured:
                items = [row.model_copy(update={"measured": _of(row.number, measured)}) for row in items]
            page = TaskPage(total=len(outlines), offset=offset, items=items)
    return reply(page, slim=slim)


@router.get("/{job}/gpus")
def job_gpus(job: JobId, at: At) -> JobGpus:
    """Return how many GPUs the tasks of a job have had, why that changed, and what the policy would change next."""
    with at.db.read() as c:
        points = gpu_history.of_job(c, jobs.existing(c, job))
    shown = [GpusPoint(at=moment(one.at), gpus=one.gpus, why=one.why) for one in points]
    return JobGpus(points=shown, next=at.engine.context.next_sizes.get(job, []))


@router.get("/{job}/tasks/columns", response_model=TaskColumns)
def task_columns(
    job: JobId,
    at: At,
    by: By,
    reply: Reply,
    column: Annotated[
        list[str], Query(max_length=50, description="columns as for `sort`; `params`: all parameters")
    ] = ["number"],  # noqa: B006  (FastAPI copies it)
    q: Filter = "",
    state: States = None,
    numbers: Numbers = None,
    sort: Sort = "number",
) -> Response:
    """Return columns of all tasks of a job that match, in this order: far smaller than their rows."""
    asked = task_view.numbers(numbers) if numbers is not None else None
    with at.db.read() as c:
        found = jobs.existing(c, job)
        outlines = _view(_outlines(at, by, c, found), at, c, found, q, state, sort, asked)
        columns = task_view.columns(outlines, column, _measured(at, c, found, outlines, "", column))
    return reply(TaskColumns(job=found, total=len(outlines), columns=columns))


def _view(
    outlines: list[Outline],
    at: Server,
    c: Connection,
    job: str,
    q: str,
    state: list[TaskState] | None,
    sort: str,
    asked: list[int] | None,
) -> list[Outline]:
    """Return those of the tasks that match, of these numbers, in this order."""
    if asked is not None:
        named = set(asked)
        outlines = [one for one in outlines if one.number in named]
    measured = _measured(at, c, job, outlines, q, [sort.removeprefix("-")])
    return task_view.view(outlines, q, state or (), sort, measured)


def _of(number: int, measured: Measured) -> dict[str, float | None]:
    return {name: values.get(number) for name, values in measured.items()}


def _measured(
    at: Server, c: Connection, job: str, tasks: Sequence[Outline], q: str, columns: Sequence[str]
) -> Measured:
    """Return the values of metrics that a filter, an order or columns need."""
    return at.measured.columns(c, at.engine.context.appender, job, tasks, task_view.measured_columns(q, columns))


def _outlines(at: Server, by: Caller, c: Connection, job: str) -> list[Outline]:
    """Return all tasks of a job. Tasks of a map have their files as parameters, too, for who may read these."""
    if not (may(at, by, Right.READ, "") or may(at, by, Right.READ, jobs.owner_of(c, job) or "")):
        return tasks.outlines(c, job)

    def read() -> tuple[list[Outline], float]:
        found = tasks.outlines(c, job)
        parts = map_parts.parts_of(at.home.job(job).code)
        files = {part.part: {"input": part.input, "output": part.output} for part in parts}
        if files:
            found = [replace(one, params=one.params | files.get(_part(one), {})) for one in found]
        return found, math.inf

    return at.outlines.get(c, job, read)


def _part(task: Outline) -> int:
    part = task.params.get("part")
    return part if isinstance(part, int) else 0


@router.get("/{job}/metrics", response_model=list[Curve])
def job_curves(
    job: JobId,
    at: At,
    by: By,
    reply: Reply,
    metric: Annotated[list[str] | None, Query(description="without one: the objective")] = None,
    points: Points = 300,
    q: Filter = "",
    state: States = None,
    numbers: Numbers = None,
    offset: Offset = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_CURVES, description="the curves of up to this many tasks")] = 1000,
    sample: Annotated[
        bool, Query(description="of more tasks than `limit`, half are the best and the others spread evenly by value")
    ] = False,
    slim: Annotated[
        bool, Query(description="as a graph needs them: without times, values with six significant digits")
    ] = False,
    times: Annotated[bool, Query(description="with times, where curves are slim")] = False,
) -> Response:
    """Return the curves of many tasks of a job."""
    asked = set(task_view.numbers(numbers)) if numbers is not None else None
    with at.db.read() as c:
        found = jobs.existing(c, job)
        row = jobs.get(c, found)
        if q.strip() or state:
            outlines = _view(_outlines(at, by, c, found), at, c, found, q, state, "number", None)
            values = [(one.number, one.best) for one in outlines]
        else:
            values = tasks.best_values(c, found)
        values = [one for one in values if asked is None or one[0] in asked][offset:]
        chosen = task_view.sample(values, row.goal, limit) if sample else [number for number, _ in values[:limit]]
        ids = [f"{found}-{number}" for number in chosen]
        curves = metrics.curves(c, ids, metric or [row.metric], points, slim=slim, times=times)
    return reply(curves)


@router.get("/{job}/metrics/names")
def job_metric_names(job: JobId, at: At) -> list[str]:
    """Return the names of the metrics that tasks of this job have reported."""
    with at.db.read() as c:
        found = jobs.existing(c, job)
        return metrics.names_of_job(c, found)

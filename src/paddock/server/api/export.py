"""All tasks of a job with the values of all metrics, and all points: CSV, JSON lines, or a study of Optuna."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from fastapi import APIRouter
from fastapi.responses import Response, StreamingResponse

from paddock.common.spreadsheet import cell
from paddock.models import Curve, SearchReport, Task
from paddock.server.api.measured import best_of, goals_of
from paddock.server.api.permissions import JobId
from paddock.server.api.search import detail, search_report
from paddock.server.api.server import At, Server
from paddock.server.intake import apart
from paddock.server.store import jobs, metrics, tasks
from paddock.server.store.metrics import NO_SUMMARY

router = APIRouter()

COLUMNS = (
    "id", "number", "state", "cause", "reason", "attempt", "created_at", "started_at", "ended_at", "epoch",
    "last_value", "best_value", "best_epoch", "best_at", "node", "device", "exit_code", "peak_memory", "cpu_seconds",
    "trial",
)  # fmt: skip
POINTS, ALL_POINTS = 300, 10_000  # of a study, per curve and in all: Optuna takes about 1 ms to write one
STUDY_SECONDS = 240.0
PORTION = 200  # tasks whose points are in memory at a time


@router.get(
    "/{job}/export",
    response_class=StreamingResponse,
    responses={
        200: {
            "content": {"text/csv": {}, "application/jsonl": {}, "application/vnd.sqlite3": {}},
            "description": "the table, or the study",
        }
    },
)
def export_job(
    job: JobId, at: At, format: Literal["csv", "jsonl", "optuna"] = "csv", what: Literal["tasks", "curves"] = "tasks"
) -> Response:
    """Return all tasks of a job with states, best values, and the last and the best value of every metric.

    In CSV, parameters are columns `param.NAME`, metrics `last.NAME` and `best.NAME`. `what=curves`: all points of all
    metrics, one per line in CSV, one curve per line in JSON. `format=optuna`: a study in an SQLite file, for
    optuna-dashboard.
    """
    with at.db.read() as c:
        found = jobs.existing(c, job)
        rows = tasks.page(c, found, limit=1_000_000).items
        names = [name for name in metrics.names_of_job(c, found) if not name.startswith(metrics.SYSTEM)]
        means = {one.number: {"mean": one.mean, "spread": one.spread} for one in tasks.outlines(c, found)}
    if format == "optuna":
        headers = {"Content-Disposition": f'attachment; filename="{found}-optuna.db"'}
        return Response(_study(at, found, rows, names), media_type="application/vnd.sqlite3", headers=headers)
    repeated = any(row.trial != row.number and not row.reduces for row in rows)
    as_csv = format == "csv"
    if what == "curves":
        curves = _curves(at, rows, names)
        lines = _csv(["task", "metric", "step", "value", "time"], _points(curves)) if as_csv else _jsonl(curves)
    else:
        whole = _measured(at, found, rows, names)
        if repeated:
            whole = (row.model_copy(update={"measured": means[row.number] | row.measured}) for row in whole)
        more = ("mean", "spread") if repeated else ()
        lines = _table(whole, rows, names, more) if as_csv else _jsonl(whole)
    name = f"{found}-curves" if what == "curves" else found
    headers = {"Content-Disposition": f'attachment; filename="{name}.{format}"'}
    return StreamingResponse(lines, media_type="text/csv" if as_csv else "application/jsonl", headers=headers)


def _study(at: Server, job: str, rows: Sequence[Task], names: Sequence[str]) -> bytes:
    """Return an SQLite file with the job as a study. Optuna works in a process of its own, as it takes long."""
    with at.db.read() as c:
        shown = detail(at, c, job)
        report = SearchReport.model_validate_json(search_report(at, c, job))
    points = min(POINTS, max(ALL_POINTS // max(len(report.history), 1), 10))
    curves = list(_curves(at, rows, [report.objectives[0].metric], points))
    asked = (shown, report, list(_measured(at, job, rows, names)), curves)
    advice = f"take `paddock export {job} --optuna FILE`, which has no limit"
    made: bytes = apart.run("paddock.search.optuna_file:file_of", asked, "The study", STUDY_SECONDS, advice=advice)
    return made


def _portions(rows: Sequence[Task]) -> Iterator[Sequence[Task]]:
    return (rows[start : start + PORTION] for start in range(0, len(rows), PORTION))


def _measured(at: Server, job: str, rows: Sequence[Task], names: Sequence[str]) -> Iterator[Task]:
    """Return tasks with the values of all metrics."""
    for part in _portions(rows):
        with at.db.read() as c:
            goals = goals_of(c, job)
            found = metrics.summaries(c, [row.id for row in part], names)
        for row in part:
            measured: dict[str, float | None] = {}
            for name in names:
                summary = found.get((row.id, name), NO_SUMMARY)
                measured |= {f"last.{name}": summary.last, f"best.{name}": best_of(summary, name, goals)}
            yield row.model_copy(update={"measured": measured})


def _curves(at: Server, rows: Sequence[Task], names: Sequence[str], points: int | None = None) -> Iterator[Curve]:
    for part in _portions(rows):
        with at.db.read() as c:
            found = metrics.curves(c, [row.id for row in part], names, points)
        yield from found


def _points(curves: Iterable[Curve]) -> Iterator[list[Any]]:
    for curve in curves:
        for step, value, moment in zip(curve.steps, curve.values, curve.times, strict=True):
            yield [curve.task, curve.metric, step, value, moment]


def _table(whole: Iterable[Task], rows: Sequence[Task], names: Sequence[str], more: Sequence[str]) -> Iterator[str]:
    params = list(dict.fromkeys(name for row in rows for name in row.params))
    measured = [*more, *(f"{kind}.{name}" for name in names for kind in ("last", "best"))]
    return _csv([*COLUMNS, *(f"param.{name}" for name in params), *measured], _cells(whole, params, measured))


def _cells(whole: Iterable[Task], params: Sequence[str], measured: Sequence[str]) -> Iterator[list[Any]]:
    for row in whole:
        data = row.model_dump(mode="json")
        own = [data[column] for column in COLUMNS] + [row.params.get(name) for name in params]
        yield own + [row.measured[name] for name in measured]


def _jsonl(items: Iterable[Task] | Iterable[Curve]) -> Iterator[str]:
    return (item.model_dump_json() + "\n" for item in items)


def _csv(head: Sequence[str], rows: Iterable[list[Any]]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(head)
    for row in rows:
        writer.writerow([cell(value) for value in row])
        if buffer.tell() > 16_384:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()

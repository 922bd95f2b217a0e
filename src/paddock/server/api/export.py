"""Tables of all tasks of a job, as CSV or JSON lines."""

import csv
import io
from collections.abc import Iterator
from typing import Literal

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from paddock.common.spreadsheet import cell
from paddock.models import Task
from paddock.server.api.server import At, JobId
from paddock.server.store import jobs, tasks

router = APIRouter()

COLUMNS = (
    "id", "number", "state", "cause", "reason", "attempt", "created_at", "started_at", "ended_at", "epoch",
    "last_value", "best_value", "best_epoch", "best_at", "node", "device", "exit_code", "peak_memory", "cpu_seconds",
)  # fmt: skip


@router.get(
    "/{job}/export",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/csv": {}, "application/jsonl": {}}, "description": "the table"}},
)
def export_job(job: JobId, at: At, format: Literal["csv", "jsonl"] = "csv") -> StreamingResponse:
    """Return all tasks of a job with states and best values; in CSV, parameters are columns `param.NAME`."""
    with at.db.read() as c:
        found = jobs.resolve(c, job)
        rows = tasks.page(c, found, limit=1_000_000).items
    kind, lines = "text/csv", _csv(rows)
    if format == "jsonl":
        kind, lines = "application/jsonl", (row.model_dump_json() + "\n" for row in rows)
    headers = {"Content-Disposition": f'attachment; filename="{found}.{format}"'}
    return StreamingResponse(lines, media_type=kind, headers=headers)


def _csv(rows: list[Task]) -> Iterator[str]:
    names = list(dict.fromkeys(name for row in rows for name in row.params))
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow([*COLUMNS, *(f"param.{name}" for name in names)])
    for row in rows:
        data = row.model_dump(mode="json")
        values = [data[column] for column in COLUMNS] + [row.params.get(name) for name in names]
        writer.writerow([cell(value) for value in values])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()

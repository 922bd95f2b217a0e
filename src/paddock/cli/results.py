"""The commands logs, metrics and export: print and save results."""

import csv
import sys
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from paddock.cli import base, render
from paddock.cli.base import JobId, Json
from paddock.client.client import Client
from paddock.common.spreadsheet import cell
from paddock.errors import AmbiguousId, InvalidInput, NotFound

if TYPE_CHECKING:
    from paddock.models import Curve

CURVES = 1000  # per request
POINTS, ALL_POINTS = 300, 10_000  # per curve, and in all: Optuna takes about 1 ms to write one
MANY = 500


def logs(
    ctx: typer.Context,
    target: base.TaskId,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Keep printing until the task has ended.")] = False,
    attempt: Annotated[
        int | None, typer.Option(min=1, help="Number of the attempt; the current one when not given.")
    ] = None,
    tail: Annotated[int | None, typer.Option(min=0, help="Only this many lines from the end.")] = None,
    as_json: Json = False,
) -> None:
    """Print what a task wrote to standard output and error.

    Example:
        paddock logs k3v-12 -f --tail 20
    """
    client = base.light_client(ctx)
    task = the_task(client, target)
    log = client.task_log(task, attempt)
    part = log.whole() if tail is None else log.tail(tail)
    if attempt is not None and not part.size and not follow:
        base.note(f"The log of attempt {attempt} of {task} is empty, or no longer kept (setting keep.attempts_days).")
    whole = {"task": task, "start": part.start, "size": part.size, "text": part.text}
    base.only_json(as_json and not follow, whole)
    if as_json:
        for text in chain([part.text], log.follow(part.end)):
            base.emit_line({"task": task, "text": text})
        return
    _write(part.data)  # as the task wrote it, whatever its encoding
    for text in log.follow(part.end) if follow else ():
        _write(text.encode())


def _write(data: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.flush()


def the_task(client: Client, target: str) -> str:
    """Return the task that is meant: a task itself, or the only one of a job."""
    if base.is_task(target):
        return target
    found = client.tasks(target, limit=2)
    if not found:
        raise NotFound(f"Job {target} has no task yet: see `paddock show {target}`.")
    if len(found) != 1:
        raise AmbiguousId(f"Job {target} has several tasks: give one of them, such as {found[0].id}.")
    return found[0].id


def metrics(
    ctx: typer.Context,
    target: base.TaskId,
    metric: Annotated[
        list[str] | None, typer.Option("--metric", "-m", help="Name of a metric. May be given several times.")
    ] = None,
    points: Annotated[int | None, typer.Option(min=2, max=100_000, help="At most this many points per curve.")] = None,
    attempt: Annotated[
        int | None, typer.Option(min=1, help="Number of the attempt of a task; the current one when not given.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the curves of a task (all metrics) or of a job (the objective).

    There is one line per step. If the output is not a terminal, columns are separated by tabs.

    Example:
        paddock metrics k3v-12 -m val_loss
    """
    client = base.light_client(ctx)
    curves = client.curves(target, metric, points=points, attempt=attempt)
    base.only_json(as_json, curves)
    if not curves:
        base.note("There are no values yet.")
        return
    if not metric:  # what the runner measures comes by time, not by step
        curves = [curve for curve in curves if not curve.metric.startswith("sys/")] or curves
    header, rows = _grid(curves)
    if not base.is_terminal():
        writer = csv.writer(sys.stdout, delimiter="\t", lineterminator="\n")
        writer.writerow(map(cell, header))
        writer.writerows([["" if cell is None else repr(cell) for cell in row] for row in rows])
        return
    screen = base.screen()
    fit = max((screen.width - 8) // 12, 1)
    made = render.Listing(*map(render.clean, header[: fit + 1]), flexible=header[1:], right=header)
    for row in rows:
        made.add_row(render.count(row[0]), *map(render.number, row[1 : fit + 1]))
    screen.print(made)
    if len(header) > fit + 1:
        base.note(f"{len(header) - fit - 1} more columns do not fit: choose with --metric, or use --json.")


def _grid(curves: "list[Curve]") -> tuple[list[str], list[list[float | None]]]:
    """Return a header and one row per step, with one column per curve: metrics of a task, or tasks of a job."""
    one_task = len({curve.task for curve in curves}) == 1
    one_metric = len({curve.metric for curve in curves}) == 1
    names = [
        curve.metric if one_task else curve.task if one_metric else f"{curve.task}:{curve.metric}" for curve in curves
    ]
    columns = [dict(zip(curve.steps, curve.values, strict=True)) for curve in curves]
    steps = sorted({step for column in columns for step in column})
    return ["step", *names], [[step, *(column.get(step) for column in columns)] for step in steps]


def export(
    ctx: typer.Context,
    job: JobId,
    format: Annotated[
        Literal["csv", "jsonl"] | None, typer.Option("--format", help="csv, or jsonl for one JSON object per line.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File to write; standard output when not given.")
    ] = None,
    optuna: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write an Optuna study to this SQLite file, for optuna-dashboard."),
    ] = None,
    curves: Annotated[
        bool, typer.Option("--curves", help="Write all points of all metrics in place of the tasks.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a study of the same name in the --optuna file.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format jsonl.")] = False,
) -> None:
    """Write all tasks of a job, with parameters, states and the last and best value of every metric.

    Examples:
        paddock export k3v -o results.csv
        paddock export k3v --curves -o curves.csv
        paddock export k3v --optuna study.db
    """
    if optuna is not None:
        if format or output or curves:
            raise InvalidInput("--optuna FILE excludes --format, --output and --curves: give one or the other.")
        _to_optuna(base.client(ctx), job, optuna, force=force, as_json=as_json)
        return
    if force:
        raise InvalidInput("--force only works with --optuna: leave it out, -o replaces a file anyway.")
    if as_json and format == "csv":
        raise InvalidInput("--json and --format csv exclude each other: give one of them.")
    what: Literal["tasks", "curves"] = "curves" if curves else "tasks"
    text = base.light_client(ctx).export(job, "jsonl" if as_json else format or "csv", what=what)
    if output is None:
        _write(text.encode())
        return
    try:
        output.write_bytes(text.encode())
    except FileNotFoundError:
        raise NotFound(f"There is no folder {output.parent}: create it, or give another file.") from None
    except OSError as error:
        raise InvalidInput(f"{output} cannot be written ({error.strerror}): give another file.") from None
    base.note(f"{len(text.encode()):,} bytes written to {output}")


def _to_optuna(client: Client, job: str, path: Path, *, force: bool, as_json: bool) -> None:
    from paddock.models import Task

    detail = client.detail(job)
    report = client.search_report(detail.id)
    tasks = [Task.model_validate_json(line) for line in client.export(detail.id, "jsonl").splitlines()]
    points = min(POINTS, max(ALL_POINTS // max(len(report.history), 1), 10))
    curves = [
        curve
        for offset in range(0, len(tasks), CURVES)
        for curve in client.curves(detail.id, points=points, offset=offset, limit=CURVES)
    ]
    if len(report.history) > MANY:
        base.note(f"Optuna takes a while to write {len(report.history):,} trials.")
    from paddock.search import optuna_file

    study = optuna_file.write(path, detail, report, tasks, curves, force=force)
    base.only_json(as_json, {"file": str(path), "study": study, "trials": len(report.history)})
    base.note(
        f"{render.several(len(report.history), 'trial')} written to {path} as the study {render.clean(study)!r}",
        f"  optuna-dashboard sqlite:///{path}     opens it",
    )

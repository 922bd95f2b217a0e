"""The command plan: what the cluster would do with some jobs."""

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paddock.cli import base, flags, render
from paddock.cli.base import Json
from paddock.errors import InvalidInput
from paddock.models import units

if TYPE_CHECKING:
    from paddock import models
    from paddock.client.client import Client

MOST_TEXT = 256 * 1024  # bytes of a file that is sent: it is read for its parameters, nothing is run
READ = (".py", ".ipynb", ".yaml", ".yml", ".json", ".toml", ".cfg", ".ini")
BARS = " ▁▂▃▄▅▆▇█"
WIDTH = 60


def plan(
    ctx: typer.Context,
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE...", help="Job files, scripts or folders, as for `paddock submit`.")
    ],
    task_time: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[SOURCE=]TIME",
            help="How long a task takes where no earlier job of its program shows it, such as 20m. May be given "
            "several times.",
        ),
    ] = None,
    nodes: Annotated[
        str | None, typer.Option(metavar="NODESxGPUS", help="Made nodes in place of the server's, such as 4x8.")
    ] = None,
    backend: Annotated[str | None, typer.Option(help="Where jobs run that name no backend.")] = None,
    every: Annotated[
        str | None, typer.Option(metavar="TIME", help="Submit the jobs this far apart, not all at once.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what the cluster would do with jobs if nothing else ran there: when they begin and end, and how full it is.

    The server's real engine runs on pretended nodes. Nothing is submitted.

    Examples:
        paddock plan sweep.yaml --task-time 20m
        paddock plan big.yaml small.yaml --task-time big.yaml=6h --task-time 10m --nodes 4x8
    """
    from paddock.models import PlanRequest

    times = _times(sources, task_time or [])
    client = base.client(ctx)
    apart = float(units.seconds(every)) if every else 0.0
    jobs = [_job(client, source, times.get(source), apart * place) for place, source in enumerate(sources)]
    found = client.plan(PlanRequest(jobs=jobs, nodes=_nodes(nodes), backend=backend))
    base.only_json(as_json, found)
    _print(found)


def _times(sources: list[str], given: list[str]) -> dict[str, float]:
    """Return how long tasks take, by source."""
    found: dict[str, float] = {}
    named = [text.rpartition("=") for text in given]
    for source, _, text in sorted(named):  # first what holds for all
        if source and source not in sources:
            raise InvalidInput.at("task_time", f"{source!r} is none of the jobs to plan")
        seconds = units.seconds(text)
        if not isinstance(seconds, int | float) or seconds <= 0:
            raise InvalidInput.at("task_time", f"{text!r} is no length of time: write it as 90s, 20m or 2h30m")
        found |= dict.fromkeys([source] if source else sources, float(seconds))
    return found


def _nodes(text: str | None) -> "models.MadeNodes | None":
    from paddock.models import MadeNodes

    if text is None:
        return None
    match = re.fullmatch(r"(\d{1,4})x(\d{1,3})", text)
    if not match:
        raise InvalidInput.at("nodes", f"{text!r} are no nodes: write their number and the GPUs of each, such as 4x8")
    return MadeNodes(count=int(match[1]), gpus=int(match[2]))


def _job(client: "Client", source: str, task_seconds: float | None, after: float) -> "models.PlannedSubmission":
    from paddock.client.bundle import bundle
    from paddock.models import PlannedSubmission

    made = bundle(source, None, {}, environment=flags.of_shell(), limits=client.upload_limits())
    texts: dict[str, str] = {}
    for name, data in made.code.files.items():
        wanted = name == made.spec.script or name.endswith(READ)
        if wanted and len(data) <= MOST_TEXT:
            try:
                texts[name] = data.decode()
            except UnicodeDecodeError:
                continue
    spec: Any = made.spec
    return PlannedSubmission(spec=spec, files=texts, code=made.code.code, task_seconds=task_seconds, after=after)


def _print(found: "models.JobsPlan") -> None:
    base.warn(found.warnings)
    what = "GPU" if found.kind == "gpu" else "CPU slot"
    numbers = ("TASKS", f"{what.upper()}S", "HOURS")
    table = render.Listing("JOB", "TASKS", "EACH", "BEGINS", "ENDS", *numbers[1:], flexible=("JOB",), right=numbers)
    for job in found.jobs:
        begins = "" if job.starts_at is None else render.day_and_time(job.starts_at)
        ends = render.day_and_time(job.ends_at) if job.ends_at else f"{job.ended} of {job.tasks} ended"
        each = render.duration(job.task_seconds) + (f", from {job.known}" if job.known else ", given")
        table.add_row(job.name, f"{job.tasks:,}", each, begins, ends, str(job.most_slots), f"{job.slot_hours:.1f}")
    base.screen().print(table)
    for job in found.jobs:
        if job.waits:
            typer.echo(f"{render.clean(job.name)} waits: {render.clean(job.waits)}")
    took = (found.ends_at - found.at).total_seconds()
    where = f"{render.several(found.nodes, 'node')} with {render.several(found.slots, what)}"
    done = "All is done" if found.complete else "Not all is done"
    typer.echo(f"{done} after {render.duration(took)} on {where}, {found.full:.0%} full on average.")
    if found.slots and found.use:
        typer.echo(f"{what}s in use: {_bars(found)}")


def _bars(found: "models.JobsPlan") -> str:
    """Return what is in use from the beginning to the end, as a row of bars."""
    began, took = found.at.timestamp(), max((found.ends_at - found.at).total_seconds(), 1.0)
    steps = [(one.at.timestamp(), one.slots) for one in found.use]
    row = ""
    for place in range(WIDTH):
        at = began + took * (place + 0.5) / WIDTH
        level = next((slots for since, slots in reversed(steps) if since <= at), 0)
        row += BARS[-(-level * (len(BARS) - 1) // found.slots)]
    return row

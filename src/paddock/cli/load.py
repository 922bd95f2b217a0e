"""The command load: show how busy nodes are, who uses them, and what could be improved."""

import csv
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from paddock.cli import base, render
from paddock.cli.base import Json
from paddock.client.client import Client
from paddock.client.events import polled
from paddock.common.spreadsheet import cell
from paddock.errors import InvalidInput, NotFound
from paddock.models import Device, Node
from paddock.models.load import LoadReport, Share
from paddock.rules.load import memory_used

WATCH_SECONDS = 2.0
COLUMNS = [
    "backend", "node", "device", "kind", "state", "cores", "cores_used", "cores_busy", "load_average",
    "load", "memory", "memory_used", "memory_free", "tasks", "processes", "people", "temperature", "power",
    "power_limit",
]  # fmt: skip


def load(
    ctx: typer.Context,
    node: Annotated[str | None, typer.Option(help="Only this node, or nodes whose name begins with this.")] = None,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Repeat until Ctrl-C.")] = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print one table of nodes and GPUs as CSV, with bytes and shares.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show how busy nodes and GPUs are, what users and jobs use of them, and what a job could do better.

    The column USED counts busy cores. On Slurm it counts allocated cores, and BUSY counts the busy ones.

    Examples:
        paddock load
        paddock load --watch
        paddock load --node n1
        paddock load --csv
    """
    if as_csv and (as_json or watch):
        raise InvalidInput("--csv excludes --watch and --json: give it alone.")
    client = base.client(ctx)
    if watch:
        with suppress(KeyboardInterrupt):
            _watch(client, node, as_json=as_json)
        return
    report = _only(client.load(), node)
    base.only_json(as_json, report)
    if as_csv:
        _print_csv(report)
    else:
        base.screen().print(view(report))


def _only(report: LoadReport, name: str | None) -> LoadReport:
    """Return the report with these nodes only; users and jobs stay complete."""
    if name is None:
        return report
    nodes = [node for node in report.nodes if node.name == name] or [
        node for node in report.nodes if node.name.startswith(name)
    ]
    if not nodes:
        raise NotFound(f"There is no node {name!r}: `paddock nodes` lists them.")
    return report.model_copy(update={"nodes": nodes})


def _watch(client: Client, node: str | None, *, as_json: bool) -> None:
    if as_json or not base.is_terminal():
        for report in _reports(client, node):
            base.emit_line(report) if as_json else base.screen().print(view(report))
        return
    screen = base.screen()
    with Live(console=screen, auto_refresh=False, screen=False, vertical_overflow="crop") as live:
        for report in _reports(client, node):
            live.update(view(report), refresh=True)


def _reports(client: Client, node: str | None) -> Iterator[LoadReport]:
    for report in polled(lambda: _only(client.load(), node)):
        yield report
        time.sleep(WATCH_SECONDS)


# --- as tables --------------------------------------------------------------------------------------------------------


def view(report: LoadReport) -> RenderableType:
    parts: list[RenderableType] = [_nodes(report.nodes)]
    gpus = [(node, device) for node in report.nodes for device in node.devices if device.kind == "gpu"]
    if gpus:
        parts += ["", _gpus(gpus)]
    processes = [(node, device) for node, device in gpus if device.processes]
    if processes:
        parts += ["", _processes(processes)]
    if any(node.people for node in report.nodes):
        parts += ["", _people(report.nodes)]
    if report.users:
        use = _USE if gpus else _USE[:3]
        parts += ["", _users(report, use), "", _jobs(report, use)]
    for job in report.jobs:
        parts += [Text(f"{job.job}: {render.clean(hint.text)}", "yellow") for hint in job.advice]
    return Group(*parts)


def _nodes(nodes: list[Node]) -> RenderableType:
    clusters = len({node.backend for node in nodes}) > 1
    given = any(node.cpus_busy != node.cpus_used for node in nodes)  # to others than those that are busy
    right = ("CORES", "USED", "BUSY", "LOAD", "MEMORY", "IN USE", "GPUS")
    columns = ("NODE", "BACKEND", "STATE", *right)
    made = render.Listing(*columns, flexible=("NODE", "STATE"), right=right, optional=("BACKEND", "BUSY"))
    for node in nodes:
        gpus = [device for device in node.devices if device.kind == "gpu"]
        busy = f"{sum(device.busy for device in gpus)} of {len(gpus)}" if gpus else "none"
        where = (node.name, node.backend if clusters else "", node.state)
        cores = map(_cores, (node.cpus_used, node.cpus_busy if given else None, node.load))
        made.add_row(*where, str(node.cpus), *cores, *map(render.size, (node.memory, memory_used(node))), busy)
    return made


def _gpus(gpus: list[tuple[Node, Device]]) -> RenderableType:
    made = render.Listing(
        "NODE", "GPU", "KIND", "LOAD", "MEMORY", "IN USE", "TEMP", "POWER", "TASKS", flexible=("NODE", "KIND", "TASKS"),
        right=("GPU", "LOAD", "MEMORY", "IN USE", "TEMP", "POWER"), optional=("TEMP", "POWER"),
    )  # fmt: skip
    for node, device in gpus:
        tasks = ", ".join(device.tasks) or ("free" if not device.busy else "others")
        sizes = map(render.size, (device.memory, device.memory_used))
        warmth = (_whole(device.temperature, "°C"), _whole(device.power, "W"))
        made.add_row(node.name, device.id, device.name, _share(device.load), *sizes, *warmth, tasks)
    return made


def _processes(gpus: list[tuple[Node, Device]]) -> RenderableType:
    made = render.Listing(
        "NODE", "GPU", "PID", "OWNER", "MEMORY", "TASK", "COMMAND",
        flexible=("NODE", "OWNER", "COMMAND"), right=("GPU", "PID", "MEMORY"),
    )  # fmt: skip
    for node, device in gpus:
        for one in device.processes:
            cells = (node.name, device.id, str(one.pid), one.owner or "", render.size(one.memory), one.task or "")
            made.add_row(*cells, one.command or "not seen from here")
    return made


def _people(nodes: list[Node]) -> RenderableType:
    made = render.Listing("NODE", "LOGGED IN", flexible=("NODE", "LOGGED IN"))
    for node in nodes:
        times = Counter(one.user for one in node.people)
        if times:
            made.add_row(node.name, ", ".join(f"{user} ({n})" if n > 1 else user for user, n in sorted(times.items())))
    return made


_USE = ("TASKS", "CORES", "MEMORY", "GPUS", "GPU MEMORY")


def _users(report: LoadReport, use: Sequence[str]) -> RenderableType:
    made = render.Listing("USER", *use, flexible=("USER",), right=_USE)
    for user in report.users:
        made.add_row(user.user, *_uses(user, use))
    return made


def _jobs(report: LoadReport, use: Sequence[str]) -> RenderableType:
    columns = ("NAME", *use, *(["GPU LOAD"] if use == _USE else []))
    made = render.Listing("JOB", *columns, flexible=("NAME",), right=(*_USE, "GPU LOAD"))
    for job in report.jobs:
        made.add_row(job.job, *[job.name, *_uses(job, use), _share(job.gpu_load)][: len(columns)])
    return made


def _uses(share: Share, use: Sequence[str]) -> list[str]:
    gpu_memory = render.size(share.gpu_memory or None)  # nothing that is known
    cells = [str(share.tasks), _cores(share.cores), render.size(share.memory), str(share.gpus), gpu_memory]
    return cells[: len(use)]


def _cores(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def _whole(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:.0f} {unit}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.0f} %"


# --- as one flat table ------------------------------------------------------------------------------------------------


def _print_csv(report: LoadReport) -> None:
    writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: cell(value) for name, value in row.items()} for row in _rows(report))


def _rows(report: LoadReport) -> Iterator[dict[str, Any]]:
    """Return one row per node, then one per GPU of it. Unknown values are empty."""
    for node in report.nodes:
        place = {"backend": node.backend, "node": node.name}
        yield place | {
            "state": node.state,
            "cores": node.cpus,
            "cores_used": node.cpus_used,
            "cores_busy": node.cpus_busy,
            "load_average": node.load,
            "load": None if node.cpus_busy is None else round(node.cpus_busy / node.cpus, 4),
            "memory": node.memory,
            "memory_used": memory_used(node),
            "memory_free": node.memory_free,
            "tasks": len(node.tasks),
            "processes": node.processes,
            "people": len({one.user for one in node.people}),
        }
        for device in node.devices:
            if device.kind == "gpu":
                yield place | {
                    "device": device.id,
                    "kind": device.name,
                    "state": "busy" if device.busy else "free",
                    "load": device.load,
                    "memory": device.memory,
                    "memory_used": device.memory_used,
                    "memory_free": _difference(device.memory, device.memory_used),
                    "tasks": len(device.tasks),
                    "processes": len(device.processes),
                    "temperature": device.temperature,
                    "power": device.power,
                    "power_limit": device.power_limit,
                }


def _difference(total: int | None, part: int | None) -> int | None:
    return None if total is None or part is None else total - part

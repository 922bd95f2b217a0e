"""The commands up, token, settings, nodes, inspect and version: the server, and what needs none."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel

from paddock import __version__, settings
from paddock.cli import base, options, render
from paddock.cli import in_slurm as in_slurm_server
from paddock.cli.base import Json
from paddock.cli.options import pick, takes
from paddock.errors import InvalidInput, PaddockError
from paddock.home import server_file
from paddock.models import Node, ScriptParam

_RESOURCES = pick(
    "partition cpus memory time account qos",
    "With --in-slurm",
    partition="Partition; the cluster's default when not given.",
    cpus="CPU cores; 2 when not given.",
    memory="Memory; 4G when not given.",
    time="Time limit, after which a successor takes over; 7-0, or the limit of the partition, when not given.",
    account="Account to charge; that of the settings when not given.",
    qos="Quality of service.",
)


@takes(_RESOURCES)
def up(
    ctx: typer.Context,
    host: Annotated[str | None, typer.Option(help="Address to listen on; 127.0.0.1 when not given.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port to listen on; 0 chooses a free one.")] = None,
    backend: Annotated[
        str | None, typer.Option(help="Backend of jobs that name none: local, slurm, or one of the settings.")
    ] = None,
    home: Annotated[str | None, typer.Option(help="Home folder; the same as --home before the command.")] = None,
    in_slurm: Annotated[
        bool,
        typer.Option(
            "--in-slurm",
            help="Run the server as a Slurm job: wait until it answers, print how to reach it, and leave it running.",
        ),
    ] = False,
    *,
    insecure: Annotated[
        bool,
        typer.Option("--insecure", help="With accounts: serve other computers without HTTPS, where passwords show."),
    ] = False,
    hosted: Annotated[str | None, typer.Option(hidden=True)] = None,
    succeed: Annotated[bool, typer.Option("--succeed", hidden=True)] = False,
    as_json: Json = False,
    **given: Any,
) -> None:
    """Start the server and run it until Ctrl-C. Running tasks go on after that.

    With --in-slurm the server runs as a Slurm job: `paddock tunnel` shows how to reach it, `paddock down` ends it.

    Examples:
        paddock up
        paddock up --port 0 --json
        paddock up --in-slurm --partition cpu --time 7-0
    """
    wanted = options.changes(_RESOURCES, given).get("resources", {})
    if wanted and not in_slurm:
        option = next(name for name, value in given.items() if value is not None)
        raise InvalidInput(f"--{option} only works with --in-slurm: add that, or leave this option out.")
    if in_slurm and host:
        raise InvalidInput(
            "--host does not work with --in-slurm, where the server listens on all addresses of its node: leave it out."
        )
    place = home or base.place(ctx).home
    if in_slurm:
        resources = in_slurm_server.asked(**wanted)
        in_slurm_server.start(settings.load(place, port=port), resources, backend=backend, as_json=as_json)
        return
    found = settings.load(place, host=host, port=port, backend=hosted or backend, insecure=insecure or None)
    raise typer.Exit(_serve(found, hosted, succeed, as_json))


def _serve(found: settings.Settings, hosted: str | None, succeed: bool, as_json: bool) -> int:
    from paddock.server.serve import serve

    def announce(url: str, link: str) -> None:
        behind_https = (found.public_url or "").startswith("https://")
        base.warn([] if behind_https else server_file.exposure(url))
        if as_json:
            base.emit_line({"url": url, "link": link})
            return
        typer.echo(f"Paddock {__version__} serves at {url}")
        if hosted is None:  # the log of a Slurm job is no place for a token
            typer.echo(f"Open {link}")
            base.note("Ctrl-C ends the server; running tasks go on.")

    try:
        return serve(found, announce=announce, cluster=hosted, succeed=succeed)
    except KeyboardInterrupt:  # the usual end of a server
        return 0


def token(ctx: typer.Context, as_json: Json = False) -> None:
    """Print the link that opens the running server in a browser. It contains the server's token: keep it secret.

    In a team, everybody makes tokens of their own with `token add`, and the link is the address alone.

    Examples:
        paddock token
        paddock token add laptop
    """
    if ctx.invoked_subcommand:
        return
    client = base.client(ctx)
    client.version()  # so that a link to nowhere is not printed
    base.only_json(as_json, {"url": client.url, "link": client.link})
    typer.echo(client.link)


def show_settings(ctx: typer.Context, as_json: Json = False) -> None:
    """Show the settings that apply: settings.toml in Paddock's home, overridden by PADDOCK_... variables.

    Example:
        paddock settings --json
    """
    found = settings.load(base.place(ctx).home)
    base.only_json(as_json, _without_password(found.model_dump(mode="json")))
    file = settings.settings_file(base.place(ctx).home)
    base.note(f"From {file}{'' if file.exists() else ' (no such file: defaults)'} and PADDOCK_... variables.")
    table = render.Listing("SETTING", "VALUE", "MEANING", flexible=("VALUE", "MEANING"))
    for name, value, meaning in _flat(found, ""):
        table.add_row(name, value, meaning)
    base.screen().print(table)


def _flat(model: BaseModel, prefix: str) -> list[tuple[str, str, str]]:
    rows = []
    data = _without_password(model.model_dump(mode="json"))
    for name, info in type(model).model_fields.items():
        value = getattr(model, name)
        if isinstance(value, BaseModel):
            rows += _flat(value, f"{prefix}{name}.")
        else:
            text = data[name] if isinstance(data[name], str) else json.dumps(data[name])
            rows.append((prefix + name, "" if value is None else text, info.description or ""))
    return rows


def _without_password(data: dict[str, Any]) -> dict[str, Any]:
    url = data.get("database")
    if isinstance(url, str) and "@" in url:
        head, _, tail = url.rpartition("@")
        scheme, slashes, user = head.partition("://")
        data["database"] = f"{scheme}{slashes}{user.partition(':')[0]}@{tail}"
    return data


def nodes(ctx: typer.Context, as_json: Json = False) -> None:
    """List the nodes that tasks run on: how much of each is in use, its GPUs, and why it takes no work.

    Example:
        paddock nodes
    """
    found = base.client(ctx).nodes()
    base.only_json(as_json, found)
    last = ("PARTITIONS", "REASON")
    columns = ("NODE", "BACKEND", "STATE", "SLOTS", "CPUS", "MEMORY", "GPUS", *last)
    table = render.Listing(*columns, flexible=("NODE", "GPUS", *last), right=("CPUS",), optional=last)
    for node in found:
        slots = f"{node.slots_used} of {node.slots}"
        cells = (node.name, node.backend, node.state, slots, str(node.cpus), render.size(node.memory), _gpus(node))
        table.add_row(*cells, ",".join(node.partitions), node.reason or "")
    base.screen().print(table)


def _gpus(node: Node) -> str:
    gpus = [device for device in node.devices if device.kind == "gpu"]
    if not gpus:
        return "none"
    busy = sum(device.busy for device in gpus)
    kinds = ", ".join(sorted({device.name for device in gpus if device.name})) or "GPU"
    return f"{len(gpus)} x {kinds}" + (f", {busy} busy" if busy else "")


def environments(
    ctx: typer.Context,
    near: Annotated[Path, typer.Argument(help="Folder: environments in it and above it come first.")] = Path(),
    as_json: Json = False,
) -> None:
    """List the Python environments that jobs can use, and modules that `module load` offers.

    Example:
        paddock environments
    """
    found = base.client(ctx).environments(near)
    base.only_json(as_json, found)
    table = render.Listing("NAME", "PYTHON", "PACKAGES", "OPTION", flexible=("PACKAGES",))
    for one in found:
        option = f"--setup 'module load {one.place}'" if one.kind == "module" else f"--{one.kind} {one.place}"
        table.add_row(render.clean(one.name), one.python or "", ", ".join(one.packages), render.clean(option))
    base.screen().print(table)


def inspect(
    script: Annotated[Path, typer.Argument(help="Script, job file or configuration file.")], as_json: Json = False
) -> None:
    """Show the parameters of a script. The script is read, not run, and no server is needed.

    Example:
        paddock inspect train.py
    """
    from paddock.client.inspecting import inspect_file

    report, shown = inspect_file(script.expanduser())
    base.only_json(as_json, report)
    screen = base.screen()
    screen.print(shown)
    groups: dict[str | None, list[ScriptParam]] = {}
    for param in report.params:
        groups.setdefault(param.group, []).append(param)
    for group, params in sorted(groups.items(), key=lambda one: one[0] is not None):
        if group is not None:
            screen.print(f"\n{render.clean(group)}:")
        table = render.Listing("PARAMETER", "TYPE", "DEFAULT", "HELP", flexible=("DEFAULT", "HELP"))
        for param in params:
            default = "(required)" if param.required else render.value_text(param.default)
            choices = f"one of {', '.join(map(render.value_text, param.choices))}; " if param.choices else ""
            table.add_row(param.name, param.type or "", default, choices + (param.help or ""))
        screen.print(table)
    base.warn(report.warnings)


def version(ctx: typer.Context, as_json: Json = False) -> None:
    """Print the version of this program, and of the server if it runs.

    Example:
        paddock version
    """
    try:
        server = base.client(ctx, timeout=3).version().version
    except PaddockError:
        server = None
    base.only_json(as_json, {"version": __version__, "server": server})
    typer.echo(f"paddock {__version__}" + (f" (server {server})" if server and server != __version__ else ""))

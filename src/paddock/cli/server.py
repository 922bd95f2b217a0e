"""up, token, settings, nodes, inspect, version: the server, and what needs none."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel

from paddock import __version__, settings
from paddock.cli import base, render
from paddock.cli.base import Json
from paddock.errors import InvalidInput, PaddockError
from paddock.models import ScriptReport


def up(
    ctx: typer.Context,
    host: Annotated[str | None, typer.Option(help="Address to listen on; 127.0.0.1 when not set.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = None,
    backend: Annotated[str | None, typer.Option(help="Backend for jobs that name none.")] = None,
    home: Annotated[str | None, typer.Option(help="Home folder; as --home before the command.")] = None,
    as_json: Json = False,
) -> None:
    """Start the server, and run until Ctrl-C. Tasks that run go on after that."""
    from paddock.serve import serve

    def announce(url: str, link: str) -> None:
        if as_json:
            base.emit_line({"url": url, "link": link})
            return
        typer.echo(f"Paddock {__version__} serves at {url}")
        typer.echo(f"Open {link}")
        base.say("Ctrl-C ends the server; tasks that run go on.")

    found = settings.load(home or base.place(ctx).home, host=host, port=port, backend=backend)
    try:
        code = serve(found, announce=announce)
    except KeyboardInterrupt:  # the usual end of a server
        code = 0
    raise typer.Exit(code)


def token(ctx: typer.Context, as_json: Json = False) -> None:
    """Print the link that opens the running server in a browser. It holds the token: keep it to yourself."""
    client = base.client(ctx)
    client.version()  # so that a link to nowhere is not printed
    if as_json:
        base.emit({"url": client.url, "link": client.link})
    else:
        typer.echo(client.link)


def show_settings(ctx: typer.Context, as_json: Json = False) -> None:
    """Show the settings in force: settings.toml in Paddock's home, overridden by PADDOCK_... variables."""
    found = settings.load(base.place(ctx).home)
    if as_json:
        base.emit(_without_password(found.model_dump(mode="json")))
        return
    file = settings.settings_file(base.place(ctx).home)
    base.say(f"From {file}{'' if file.exists() else ' (not there: defaults)'} and PADDOCK_... variables.")
    table = render.table("SETTING", "VALUE", "MEANING", flexible=("VALUE", "MEANING"))
    for name, value, meaning in _flat(found, ""):
        table.add_row(name, render.clean(value), meaning)
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
    """List the machines that tasks run on, with their GPUs."""
    found = base.client(ctx).nodes()
    if as_json:
        base.emit(found)
        return
    table = render.table(
        "NODE", "BACKEND", "STATE", "SLOTS", "CPUS", "MEMORY", "GPUS", flexible=("NODE", "GPUS"), right=("CPUS",)
    )
    for node in found:
        gpus = [device for device in node.devices if device.kind == "gpu"]
        kinds = sorted({device.name for device in gpus})
        table.add_row(
            render.clean(node.name),
            render.clean(node.backend),
            render.clean(node.state),
            f"{node.slots_used} of {node.slots}",
            str(node.cpus),
            render.size(node.memory),
            render.clean(f"{len(gpus)} x {', '.join(kinds)}" if gpus else "none"),
        )
    base.screen().print(table)


def inspect(
    ctx: typer.Context,
    script: Annotated[Path, typer.Argument(help="A Python script.")],
    as_json: Json = False,
) -> None:
    """Show the parameters that a script takes, by reading it. It is not run, and no server is needed."""
    from paddock.inspection import inspect_source

    try:
        source = script.expanduser().read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InvalidInput(f"{script} cannot be read: {error.strerror}.") from None
    report = inspect_source(source, script.name)
    if as_json:
        base.emit(report)
        return
    _print_report(report)


def _print_report(report: ScriptReport) -> None:
    screen = base.screen()
    screen.print(
        f"Takes parameters: {report.convention.value}. Metrics: {', '.join(report.metrics) or 'none in sight'}."
    )
    if report.params:
        table = render.table("PARAMETER", "TYPE", "DEFAULT", "HELP", flexible=("DEFAULT", "HELP"))
        for param in report.params:
            default = "(required)" if param.required else render.value_text(param.default)
            choices = f"one of {', '.join(map(render.value_text, param.choices))}; " if param.choices else ""
            table.add_row(render.clean(param.name), param.type or "", default, choices + render.clean(param.help or ""))
        screen.print(table)
    base.warn(report.warnings)


def version(ctx: typer.Context, as_json: Json = False) -> None:
    """Print the version of this program, and of the server if one runs."""
    try:
        server = base.client(ctx, timeout=3).version().version
    except PaddockError:
        server = None
    if as_json:
        base.emit({"version": __version__, "server": server})
        return
    typer.echo(f"paddock {__version__}" + (f" (server {server})" if server and server != __version__ else ""))

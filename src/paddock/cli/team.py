"""The commands team on, team off and team status: whether a server has accounts."""

from typing import Annotated

import typer

from paddock.cli import base, render
from paddock.cli.base import Json

_AS = {
    "server": "everything runs as the server's own user (team.run_as)",
    "user": "tasks run as whoever asked for them (team.run_as)",
}


def on(ctx: typer.Context, as_json: Json = False) -> None:
    """Turn accounts on: several people share this server. Jobs that are there stay, and belong to the first admin.

    The database is backed up first. A link is printed by which the first admin chooses a password; it is valid once,
    for an hour. `paddock team off` goes back.

    Example:
        paddock team on
    """
    found = base.client(ctx).team.turn(True)
    base.only_json(as_json, found)
    if found.backup:
        typer.echo(f"The database was copied to {found.backup}.")
    typer.echo("This server has accounts now.")
    if found.setup:
        typer.echo(f"Open this link to become the first admin (valid once, for an hour):\n  {found.setup}")
        base.note(
            "Without a browser, run `paddock join LINK`.",
            "Then invite others: `paddock invite`, or People on the page.",
        )


def off(
    ctx: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")] = False,
    as_json: Json = False,
) -> None:
    """Turn accounts off: the link with the server's token is the only way in again. Accounts and jobs are kept.

    Example:
        paddock team off --yes
    """
    client = base.client(ctx)
    if not yes:
        base.confirm("Turn accounts off: everybody is signed out, and private jobs are not private any more", "changed")
    found = client.team.turn(False)
    base.only_json(as_json, found)
    typer.echo("Accounts are off. `paddock token`, where the server runs, prints the link to the page.")


def status(ctx: typer.Context, as_json: Json = False) -> None:
    """Show whether the server has accounts, and whom tasks run as.

    Example:
        paddock team status
    """
    client = base.client(ctx)
    found = client.team.state()
    base.only_json(as_json, found)
    rows = [
        ("server", client.url),
        ("accounts", f"on ({render.several(found.accounts, 'account')})" if found.on else "off: one person"),
        ("tasks", _AS.get(found.run_as, found.run_as) if found.on else ""),
    ]
    base.screen().print(render.fields([(name, render.clean(text)) for name, text in rows]))
    if found.on:
        base.note("`paddock doctor --team` tries what the team needs.")

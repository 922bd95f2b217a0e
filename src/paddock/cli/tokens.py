"""The commands token ls, token add and token revoke: personal tokens, for scripts and other machines."""

from typing import Annotated

import typer

from paddock.cli import base, render
from paddock.cli.base import Json
from paddock.cli.login import until
from paddock.errors import NotFound
from paddock.models import TokenScope


def ls(ctx: typer.Context, as_json: Json = False) -> None:
    """List your tokens. The tokens themselves are shown once, when they are made.

    Example:
        paddock token ls
    """
    found = base.client(ctx).team.tokens()
    base.only_json(as_json, found)
    table = render.Listing("ID", "NAME", "SCOPE", "EXPIRES", "LAST USED", flexible=("NAME",))
    for one in found:
        expires = "revoked" if one.revoked_at else until(one.expires_at) or "never"
        table.add_row(one.id, one.name, one.scope, expires, until(one.used_at))
    base.screen().print(table)


def add(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is for, such as `laptop`.")],
    scope: Annotated[
        TokenScope, typer.Option(help="all: whatever you may do; read: only reading; feed: only the calendar.")
    ] = TokenScope.ALL,
    days: Annotated[float, typer.Option(min=0.01, max=3650, help="How long it is valid.")] = 90,
    lasting: Annotated[bool, typer.Option("--lasting", help="It never expires, where the server allows that.")] = False,
    as_json: Json = False,
) -> None:
    """Make a token, and print it. It is shown only now: keep it like a password.

    Example:
        paddock token add laptop --scope read --days 30
    """
    made = base.client(ctx).team.add_token(name, scope=scope, days=None if lasting else days)
    base.only_json(as_json, made)
    typer.echo(made.token)
    end = f"valid until {until(made.expires_at)}" if made.expires_at else "valid until you revoke it"
    base.note(f"Token {made.id} ({made.scope}), {end}. Use it as PADDOCK_TOKEN, or with `paddock login URL --token`.")


def revoke(
    ctx: typer.Context,
    tokens: Annotated[list[str], typer.Argument(metavar="ID|NAME", help="Ids or names of tokens.")],
    as_json: Json = False,
) -> None:
    """Revoke tokens at once.

    Example:
        paddock token revoke laptop
    """
    calls = base.client(ctx).team
    known = [one for one in calls.tokens() if not one.revoked_at]
    done = []

    def act(given: str) -> None:
        chosen = [one for one in known if one.id == given] or [one for one in known if one.name == given]
        if not chosen:
            raise NotFound(f"You have no token {given!r}: `paddock token ls` lists them.")
        for one in chosen:
            calls.revoke_token(one.id)
            done.append(one.id)

    code = base.for_each(tokens, act)
    if as_json:
        base.emit({"revoked": done})
    elif done:
        typer.echo(f"revoked: {', '.join(done)}")
    raise typer.Exit(code)

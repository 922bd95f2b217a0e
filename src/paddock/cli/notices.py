"""The command notices: what one was told about one's jobs."""

from typing import Annotated

import typer

from paddock.cli import base, render
from paddock.cli.base import Json
from paddock.models import Notice


def notices(
    ctx: typer.Context,
    every: Annotated[bool, typer.Option("--all", "-a", help="Also those that you have read.")] = False,
    read: Annotated[bool, typer.Option("--read", help="Mark all of them as read.")] = False,
    number: Annotated[int, typer.Option("--number", "-n", min=1, max=200, help="Show up to this many.")] = 20,
    as_json: Json = False,
) -> None:
    """List your notices: jobs that have ended, failed or need attention.

    What is sent by mail or to a chat is chosen in the page, under Profile; for one job with `submit --notify`.

    Examples:
        paddock notices
        paddock notices --read
    """
    client = base.client(ctx)
    found = client.notices(new=not every, limit=number)
    if read and found.items:
        client.read_notices(up_to=found.items[0].id)
    base.only_json(as_json, found)
    if not found.items:
        typer.echo(
            "There are no notices." if every else "There are no new notices; --all lists those that you have read."
        )
        return
    screen = base.screen()
    for one in found.items:
        screen.print(render.fields([(_when(one), render.clean(one.title)), ("", render.paragraph(one.text))]))
    if found.more:
        base.note("There are more: give a larger --number.")


def _when(one: Notice) -> str:
    return f"{'' if one.read_at else '* '}{one.created_at.astimezone():%m-%d %H:%M}"

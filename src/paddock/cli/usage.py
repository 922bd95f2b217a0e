"""The command usage: GPU-hours that were reserved and used."""

from __future__ import annotations

import csv
import sys
from datetime import UTC, datetime, time
from typing import Annotated, Literal

import typer

from paddock.cli import base, render
from paddock.cli.base import Json
from paddock.errors import InvalidInput
from paddock.models import moments

Grouping = Literal["account", "group", "device", "week"]


def usage(
    ctx: typer.Context,
    by: Annotated[Grouping, typer.Option("--by", help="What a row is.")] = "account",
    since: Annotated[str, typer.Option("--since", metavar="TIME", help="From: 30d (ago), mon, 2026-11-01.")] = "30d",
    until: Annotated[str, typer.Option("--until", metavar="TIME", help="Until: now, 7d (ago), 2026-11-08.")] = "now",
    mine: Annotated[bool, typer.Option("--mine", help="Only your own.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print a table as CSV.")] = False,
    as_json: Json = False,
) -> None:
    """Show how many GPU-hours were reserved, used, and reserved without being used.

    You see your own; admins see those of all, and so do you if the server's setting team.ranking says so.

    Examples:
        paddock usage
        paddock usage --by week --since 90d
        paddock usage --by device --since 7d --csv
    """
    if as_csv and as_json:
        raise InvalidInput("--csv excludes --json: give one of both.")
    first, last = _moment("--since", since), _moment("--until", until)
    report = base.client(ctx).calendar.usage(by, since=first, until=last, mine=mine)
    base.only_json(as_json, report)
    if as_csv:
        from paddock.rules.use import as_table

        csv.writer(sys.stdout, lineterminator="\n").writerows(as_table(report))
        return
    if not report.rows:
        base.note("Nothing was reserved or used in this time.")
        return
    table = render.Listing(by.upper(), "RESERVED", "USED", "IDLE", "EFFICIENCY", flexible=(by.upper(),))
    for row in report.rows:
        share = "" if row.efficiency is None else f"{row.efficiency:.0%}"
        table.add_row(row.name, *(f"{hours:,.1f}" for hours in (row.reserved, row.used, row.idle)), share)
    base.screen().print(table)
    whose = "your own, " if report.mine_only else ""
    base.note(f"GPU-hours, {whose}since {report.since.astimezone():%Y-%m-%d %H:%M}.")


def _moment(option: str, text: str) -> datetime:
    try:
        return moments.read(text, datetime.now(UTC), bare=time(), back=True)
    except ValueError as error:
        raise InvalidInput(f"{option}: {error}.") from None

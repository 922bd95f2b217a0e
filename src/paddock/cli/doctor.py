"""doctor: is everything as it should be here, and if not, what is to be done?"""

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from paddock.cli import base, render
from paddock.cli.base import Json
from paddock.cli.checks import Finding, Status, run_all

_STYLES = {Status.OK: "green", Status.WARN: "yellow", Status.ERROR: "red"}
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Only what is not as it should be.")]


def doctor(ctx: typer.Context, quiet: Quiet = False, as_json: Json = False) -> None:
    """Check the installation, and say how to mend what is wrong. Exits with 1 when something is."""
    at = base.place(ctx)
    found = run_all(at.home, at.url)
    shown = [finding for finding in found if not quiet or finding.status is not Status.OK]
    if as_json:
        base.emit(shown)
    else:
        _print(shown)
    raise typer.Exit(base.FAILED if any(finding.status is Status.ERROR for finding in found) else 0)


def _print(found: list[Finding]) -> None:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for finding in found:
        text = render.clean(finding.detail) + (f"\n-> {render.clean(finding.fix)}" if finding.fix else "")
        table.add_row(Text(finding.status.value, _STYLES[finding.status]), finding.name, text)
    base.screen().print(table)

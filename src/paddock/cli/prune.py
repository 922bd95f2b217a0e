"""The command prune: delete what is too old to be kept."""

from typing import Annotated, Any

import typer

from paddock.cli import base, render
from paddock.cli.base import Json
from paddock.errors import InvalidInput
from paddock.models import PruneReport, units
from paddock.rules import keep

SHOWN = 20
Age = str | None


def _older(what: str, help: str) -> Any:
    return typer.Option(f"--{what}-older-than", metavar="AGE", help=help)


def prune(
    ctx: typer.Context,
    jobs: Annotated[Age, _older("jobs", "Ended jobs that are older than this, such as 90d, 12w or 36h.")] = None,
    attempts: Annotated[
        Age, _older("attempts", "In ended jobs, logs and results of attempts that were followed by another one.")
    ] = None,
    journals: Annotated[
        Age, _older("journals", "Journals: what the runners of ended jobs reported to the server.")
    ] = None,
    runners: Annotated[Age, _older("runners", "Runners of earlier versions that nothing uses any more.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be deleted.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete without asking.")] = False,
    as_json: Json = False,
) -> None:
    """Delete what is too old to be kept, after you confirm it. Nothing of jobs that have not ended is deleted.

    The settings `keep` define how long things are kept; the server deletes older ones once a day. The options apply to
    this call only. By default, no job and no attempt is deleted.

    Examples:
        paddock prune --dry-run
        paddock prune --jobs-older-than 90d
        paddock prune --attempts-older-than 2w --yes
    """
    given = {"jobs": jobs, "attempts": attempts, "journals": journals, "runners": runners}
    days: dict[str, Any] = {f"{name}_days": _days(f"--{name}-older-than", age) for name, age in given.items()}
    client = base.client(ctx)
    if dry_run or not yes:
        would = client.prune(dry_run=True, **days)
        if dry_run or not would.items:
            _show(would, as_json)
            return
        if not as_json:
            base.screen().print(_table(would))
        base.confirm(f"Delete {_sum(would)}", "deleted")
    _show(client.prune(**days), as_json)


def _days(option: str, given: str | None) -> float | None:
    if given is None:
        return None
    try:
        return float(units.seconds(given)) / keep.DAY
    except ValueError as error:
        raise InvalidInput(f"{option}: {error}.") from None


def _show(report: PruneReport, as_json: bool) -> None:
    if as_json:
        base.emit(report)
    elif not report.items:
        typer.echo("Nothing is too old to be kept.")
    else:
        base.screen().print(_table(report))
        typer.echo(f"{_sum(report)} {'would be deleted' if report.dry_run else 'deleted'}")
    base.warn(report.problems)
    if report.problems:
        raise typer.Exit(base.REFUSED)


def _sum(report: PruneReport) -> str:
    return ", ".join(keep.summary(report))


def _table(report: PruneReport) -> render.Listing:
    table = render.Listing("what", "of", "name", "age", "size", flexible=("name",), right=("age", "size"))
    for item in report.items[:SHOWN]:
        kind = item.kind.value if item.count == 1 else f"{item.count:,} {item.kind.value}"
        table.add_row(kind, item.what, item.name or "", render.age(item.since), render.size(item.bytes))
    more = sum(one.count for one in report.totals) - sum(item.count for item in report.items[:SHOWN])
    if more > 0:
        table.add_row("...", f"and {more:,} more", "", "", "")
    return table

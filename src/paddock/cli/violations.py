"""The commands of violations: processes on GPUs where they ought not to be, and what is done about them."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from paddock.cli import base, render
from paddock.cli.base import Json
from paddock.cli.reservations import Desk
from paddock.errors import InvalidInput
from paddock.models import Violation, units

Number = Annotated[int, typer.Argument(metavar="VIOLATION", help="Its number, as `paddock violations ls` shows it.")]
_For = Annotated[str | None, typer.Option("--for", metavar="DURATION", help="How long, such as 4h or 30d.")]
_Until = Annotated[str | None, typer.Option("--until", metavar="TIME", help="Until when, in place of --for.")]
_Why = Annotated[str, typer.Option("--why", help="Why; others read it.")]


def ls(
    ctx: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="Also those that are over.")] = False,
    mine: Annotated[bool, typer.Option("--mine", help="Only yours, and those on your reservations.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=500, help="At most this many.")] = 100,
    as_json: Json = False,
) -> None:
    """List processes on GPUs that others have reserved. Who is no admin sees theirs, and those on their reservations.

    Example:
        paddock violations ls --all
    """
    desk = Desk.of(ctx)
    page = desk.client.violations.all(open=not every, mine=mine, limit=limit)
    base.only_json(as_json, page)
    if not page.items:
        base.note("There are none." if every else "There are none now; --all shows those that are over.")
        return
    columns = ("ID", "GPU", "WHO", "PROCESS", "COMMAND", "WHY", "SINCE", "DONE", "OUTCOME")
    table = render.Listing(*columns, flexible=("COMMAND", "WHY"))
    for one in page.items:
        who = one.account or one.unix_name or "unknown"
        done = " ".join(dict.fromkeys(f"{step.act}{'' if step.ok else ' failed'}" for step in one.steps)) or "-"
        since, outcome = desk.shown(one.first_seen), one.outcome or "goes on"
        table.add_row(
            str(one.id), one.device_name, who, str(one.pid), one.command or "", _why(one), since, done, outcome
        )
    base.screen().print(table)


def _why(one: Violation) -> str:
    if one.kind == "reserved":
        return f"reserved by {one.owner}" if one.owner else "maintenance"
    return "not reserved" if one.kind == "unreserved" else "an access rule"


def ask(ctx: typer.Context, id: Number, as_json: Json = False) -> None:
    """Show the message on the terminals of whoever owns the process once more (the reservation's owner, and admins).

    Example:
        paddock violations ask 12
    """
    found = base.client(ctx).violations.ask(id)
    base.only_json(as_json, found)
    typer.echo(f"{found.unix_name} is told on their terminals on {found.host}")


def end(
    ctx: typer.Context,
    id: Number,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")] = False,
    as_json: Json = False,
) -> None:
    """End the process now: SIGTERM, and SIGKILL if it does not leave (for admins).

    Example:
        paddock violations end 12
    """
    calls = base.client(ctx).violations
    if not yes:
        base.confirm(f"End the process of violation {id}; what it has not saved is lost", "ended")
    found = calls.end(id)
    base.only_json(as_json, found)
    typer.echo(f"process {found.pid} of {found.unix_name} on {found.host} is being ended")


def exempt(
    ctx: typer.Context,
    id: Annotated[int | None, typer.Argument(metavar="VIOLATION", help="Its number; else say what is exempt.")] = None,
    lasts: _For = None,
    until: _Until = None,
    why: _Why = "",
    everywhere: Annotated[bool, typer.Option("--everywhere", help="With a number: on all GPUs.")] = False,
    account: Annotated[str | None, typer.Option(help="What this account, or Unix account, runs.")] = None,
    command: Annotated[str | None, typer.Option(help="What begins like this.")] = None,
    gpu: Annotated[str | None, typer.Option(help="What is on this GPU, such as gpu1:0.")] = None,
    as_json: Json = False,
) -> None:
    """Let processes be no violation for a while (for admins). Of several options, all must hold.

    Examples:
        paddock violations exempt 12 --for 4h --why "agreed with alice"
        paddock violations exempt --account carol --gpu gpu1:0 --until 'fri 18:00'
    """
    desk = Desk.of(ctx)
    end_at = _end(desk, lasts, until)
    calls = desk.client.violations
    if id is not None:
        if account or command or gpu:
            raise InvalidInput("Give the number of a violation, or --account, --command and --gpu; not both.")
        made = calls.exempt(id, end_at, why=why, everywhere=everywhere)
    else:
        if not (account or command or gpu):
            raise InvalidInput("Say what is exempt: the number of a violation, --account, --command or --gpu.")
        device = None if gpu is None else _device(desk, gpu)
        made = calls.add_exemption(end_at, account=account, command=command, device=device, why=why)
    base.only_json(as_json, made)
    typer.echo(f"exempt until {desk.shown(made.until)}: {made.id}")


def _end(desk: Desk, lasts: str | None, until: str | None) -> datetime:
    if (lasts is None) == (until is None):
        raise InvalidInput("Say until when: --for 4h, or --until 'fri 18:00'.")
    if until is not None:
        return desk.moment("--until", until)
    try:
        seconds = units.seconds(lasts or "")
    except ValueError as error:
        raise InvalidInput(f"--for: {error}.") from None
    return datetime.fromtimestamp(datetime.now(UTC).timestamp() + seconds, UTC)


def _device(desk: Desk, name: str) -> str:
    found = [one.id for one in desk.devices if name in (one.name, one.id)]
    if len(found) != 1:
        raise InvalidInput(f"There is no GPU {name!r}: `paddock gpus` lists them.")
    return found[0]


def exemptions(
    ctx: typer.Context,
    remove: Annotated[str | None, typer.Option("--rm", metavar="ID", help="Remove this one.")] = None,
    as_json: Json = False,
) -> None:
    """List what is exempt, or remove one (for admins).

    Example:
        paddock violations exemptions --rm 1f2e3d4c
    """
    desk = Desk.of(ctx)
    if remove is not None:
        desk.client.violations.remove_exemption(remove)
        base.only_json(as_json, {"removed": remove})
        typer.echo(f"{remove}: removed")
        return
    found = desk.client.violations.exemptions()
    base.only_json(as_json, found)
    table = render.Listing("ID", "ACCOUNT", "COMMAND", "GPU", "UNTIL", "BY", "WHY", flexible=("COMMAND", "WHY"))
    for one in found:
        gpu = desk.names[one.device].name if one.device in desk.names else one.device or ""
        table.add_row(one.id, one.account or "", one.command or "", gpu, desk.shown(one.until), one.by, one.why)
    base.screen().print(table)

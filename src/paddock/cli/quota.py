"""The commands of quotas: how much may be reserved."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from paddock.cli import base, render
from paddock.cli.base import Json
from paddock.errors import InvalidInput, NotFound
from paddock.models import Quota, QuotaRequest, QuotaUse

EVERYONE = "everyone"
_Whose = Annotated[
    str, typer.Argument(metavar="WHOSE", help="An account, @NAME for the members of a group, or everyone.")
]
_UNITS = {
    "gpu_hours_week": "GPU-hours a week",
    "devices_at_once": "GPUs at once",
    "open_reservations": "open reservations",
    "longest_hours": "h at most",
    "ahead_days": "days ahead",
}


def ls(ctx: typer.Context, as_json: Json = False) -> None:
    """List the quotas, and what is left of yours.

    Example:
        paddock quota ls
    """
    calls = base.client(ctx).rules
    found, left = calls.quotas(), calls.left()
    base.only_json(as_json, {"quotas": found, "left": left})
    if not found:
        base.note("There are no quotas: nothing limits how much may be reserved.")
        return
    table = render.Listing("WHOSE", "LIMITS", flexible=("LIMITS",))
    for one in found:
        table.add_row(_whose(one), _limits(one))
    base.screen().print(table)
    if left:
        base.note(f"Left to you: {', '.join(_left(one) for one in left)}.")


def set_quota(
    ctx: typer.Context,
    whose: _Whose,
    gpu_hours: Annotated[float | None, typer.Option("--gpu-hours", help="GPU-hours in a week, from Monday on.")] = None,
    gpus: Annotated[int | None, typer.Option("--gpus", help="GPUs at once.")] = None,
    near: Annotated[
        float | None, typer.Option("--near", help="With --gpus: what begins within so many hours does not count.")
    ] = None,
    reservations: Annotated[
        int | None, typer.Option("--reservations", help="Reservations that have not ended.")
    ] = None,
    longest: Annotated[float | None, typer.Option("--longest", help="Hours of one reservation.")] = None,
    ahead: Annotated[float | None, typer.Option("--ahead", help="Days until one may begin.")] = None,
    as_json: Json = False,
) -> None:
    """Set a quota in place of the one there was. It limits each member of a group; the strictest one counts.

    Examples:
        paddock quota set everyone --gpu-hours 200 --reservations 5
        paddock quota set @students --gpus 2 --longest 12
    """
    limits: dict[str, Any] = {"gpu_hours_week": gpu_hours, "devices_at_once": gpus, "open_reservations": reservations}
    limits |= {"longest_hours": longest, "ahead_days": ahead}
    if all(value is None for value in limits.values()):
        raise InvalidInput("Give at least one limit: --gpu-hours, --gpus, --reservations, --longest or --ahead.")
    if near is not None and gpus is None:
        raise InvalidInput("--near goes with --gpus.")
    negative = [value for value in (*limits.values(), near) if value is not None and value < 0]
    if negative:
        raise InvalidInput(f"A limit cannot be {negative[0]}.")
    kind, subject = _kind(whose)
    made = base.client(ctx).rules.set_quota(QuotaRequest(kind=kind, subject=subject, near_hours=near, **limits))
    base.only_json(as_json, made)
    typer.echo(f"{_whose(made)}: {_limits(made)}")


def rm(ctx: typer.Context, whose: _Whose, as_json: Json = False) -> None:
    """Remove a quota.

    Example:
        paddock quota rm @students
    """
    calls = base.client(ctx).rules
    wanted = _kind(whose)
    found = next((one for one in calls.quotas() if (one.kind, one.subject) == wanted), None)
    if found is None:
        raise NotFound(f"{whose} has no quota: `paddock quota ls` lists those that exist.")
    calls.remove_quota(found.id)
    base.only_json(as_json, {"removed": found.id})
    typer.echo(f"{whose}: removed")


def _kind(whose: str) -> tuple[Literal["account", "group", "everyone"], str]:
    if whose == EVERYONE:
        return "everyone", ""
    return ("group", whose[1:]) if whose.startswith("@") else ("account", whose)


def _whose(one: Quota) -> str:
    return {"everyone": EVERYONE, "group": f"@{one.subject}"}.get(one.kind, one.subject)


def _limits(one: Quota) -> str:
    parts = [f"{getattr(one, name):g} {unit}" for name, unit in _UNITS.items() if getattr(one, name) is not None]
    if one.near_hours is not None:
        parts.append(f"of which what begins within {one.near_hours:g} h does not count")
    return ", ".join(parts)


def _left(one: QuotaUse) -> str:
    return f"{one.left:g} of {one.limit:g} {_UNITS[one.field]}"

"""The commands of access rules: who may use which GPUs when."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from pydantic import ValidationError

from paddock.cli import base, render
from paddock.cli.base import Json
from paddock.cli.reservations import Desk, chosen
from paddock.errors import AmbiguousId, InvalidInput, NotFound
from paddock.models import AccessRule, AccessRuleRequest
from paddock.models.access import window_of

_Rule = Annotated[str, typer.Argument(metavar="RULE", help="Id or name of the rule.")]
_Act = Annotated[list[str] | None, typer.Option("--act", help="reserve or run; both when not given.")]
_Accounts = Annotated[list[str] | None, typer.Option("--account", "-a", help="About this person; repeat it.")]
_Groups = Annotated[list[str] | None, typer.Option("--group", "-g", help="About the members of this group; repeat it.")]
_Backends = Annotated[list[str] | None, typer.Option("--backend", help="Only on this backend; repeat it.")]
_Hosts = Annotated[list[str] | None, typer.Option("--host", help="On this host; repeat it.")]
_Gpus = Annotated[list[str] | None, typer.Option("--gpu", help="On this GPU, such as gpu1:0 or gpu1:0-3; repeat it.")]
_Partitions = Annotated[list[str] | None, typer.Option("--partition", help="On this partition of Slurm; repeat it.")]
_Hours = Annotated[list[str] | None, typer.Option("--hours", help="When, such as 'Mon-Fri 20:00-06:00'; repeat it.")]
_Zone = Annotated[str | None, typer.Option("--zone", help="Time zone of --hours; that of your account by default.")]
_Since = Annotated[str | None, typer.Option("--from", metavar="TIME", help="It holds from then on.")]
_Until = Annotated[str | None, typer.Option("--until", metavar="TIME", help="It holds until then.")]


def ls(ctx: typer.Context, as_json: Json = False) -> None:
    """List the access rules: all for admins, those about you otherwise.

    Example:
        paddock rules ls
    """
    found = base.client(ctx).rules.all()
    base.only_json(as_json, found)
    if not found:
        base.note("There are no rules: what `team.access` of the settings says holds for everybody.")
        return
    table = render.Listing("ID", "NAME", "STATE", "RULE", flexible=("RULE", "NAME"))
    for one in found:
        table.add_row(one.id, one.name, "on" if one.active else "off", one.sentence)
    base.screen().print(table)


def add(
    ctx: typer.Context,
    effect: Annotated[str, typer.Argument(metavar="allow|deny", help="What is denied, no other rule allows.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the rule is called in refusals.")],
    act: _Act = None,
    account: _Accounts = None,
    group: _Groups = None,
    backend: _Backends = None,
    host: _Hosts = None,
    gpu: _Gpus = None,
    partition: _Partitions = None,
    hours: _Hours = None,
    zone: _Zone = None,
    since: _Since = None,
    until: _Until = None,
    as_json: Json = False,
) -> None:
    """Make a rule. Without people it is about everyone, without machines about everything, without hours always.

    Examples:
        paddock rules add deny "Lectures" --host gpu1 --hours "Mon-Fri 8:00-16:00" --zone Europe/Warsaw
        paddock rules add allow "Nights of students" --group students --hours 20:00-06:00
    """
    desk = Desk.of(ctx)
    who = {"accounts": account, "groups": group}
    what = {"backends": backend, "hosts": host, "devices": _ids(desk, gpu), "partitions": partition}
    given = _given(acts=act, who=_given(**who), what=_given(**what), **_times(desk, hours, zone, since, until))
    made = desk.client.rules.add(_checked({"name": name, "effect": effect, **given}))
    base.only_json(as_json, made)
    typer.echo(f"{made.id}: {made.sentence}")


def edit(
    ctx: typer.Context,
    rule: _Rule,
    name: Annotated[str | None, typer.Option("--name", help="Another name.")] = None,
    effect: Annotated[str | None, typer.Option("--effect", metavar="allow|deny", help="Another effect.")] = None,
    act: _Act = None,
    account: _Accounts = None,
    group: _Groups = None,
    backend: _Backends = None,
    host: _Hosts = None,
    gpu: _Gpus = None,
    partition: _Partitions = None,
    hours: _Hours = None,
    zone: _Zone = None,
    since: _Since = None,
    until: _Until = None,
    active: Annotated[bool | None, typer.Option("--on/--off", help="Whether it holds.")] = None,
    as_json: Json = False,
) -> None:
    """Change a rule: what is given replaces what was there; --account with nothing else replaces all people.

    Examples:
        paddock rules edit Lectures --hours "Mon-Thu 8:00-16:00"
        paddock rules edit Lectures --off
    """
    desk = Desk.of(ctx)
    before = _find(desk.client.rules.all(), rule)
    old = before.model_dump(mode="json", include={*AccessRuleRequest.model_fields})
    who = _given(accounts=account, groups=group)
    what = _given(backends=backend, hosts=host, devices=_ids(desk, gpu), partitions=partition)
    times = _times(desk, hours, zone or (before.zone if hours else None), since, until)
    changes = _given(name=name, effect=effect, acts=act, who=who or None, what=what or None, active=active) | times
    if not changes:
        raise InvalidInput("Say what to change: `paddock rules edit --help` lists the options.")
    made = desk.client.rules.replace(before.id, _checked(old | changes))
    base.only_json(as_json, made)
    typer.echo(f"{made.id}: {made.sentence}{'' if made.active else ' (off)'}")


def rm(ctx: typer.Context, rule: _Rule, as_json: Json = False) -> None:
    """Remove a rule.

    Example:
        paddock rules rm Lectures
    """
    calls = base.client(ctx).rules
    found = _find(calls.all(), rule)
    calls.remove(found.id)
    base.only_json(as_json, {"removed": found.id})
    typer.echo(f"removed: {found.name}")


def try_access(
    ctx: typer.Context,
    gpu: Annotated[str, typer.Argument(metavar="GPU", help="Which, such as gpu1:0.")],
    at: Annotated[str, typer.Option("--at", metavar="TIME", help="When: now, 'sun 23:00', an ISO date.")] = "now",
    act: Annotated[str, typer.Option("--act", help="reserve or run.")] = "reserve",
    account: Annotated[str | None, typer.Option("--account", "-a", help="Only this person.")] = None,
    as_json: Json = False,
) -> None:
    """Show who may use a GPU at a moment, and which rule says so. Who is no admin asks for themselves.

    Example:
        paddock rules try gpu1:0 --at "sun 23:00"
    """
    desk = Desk.of(ctx)
    ids = chosen(desk.devices, [gpu])
    if len(ids) != 1:
        raise InvalidInput(f"{gpu} are several GPUs: name one, such as {desk.names[ids[0]].name}.")
    found = desk.client.rules.judged(ids[0], act, at=desk.moment("--at", at), account=account)
    base.only_json(as_json, found)
    table = render.Listing("WHO", "MAY", "WHY", flexible=("WHY",))
    for one in found:
        table.add_row(one.account, "yes" if one.allowed else "no", one.why)
    base.screen().print(table)


def _find(rules: list[AccessRule], text: str) -> AccessRule:
    found = [one for one in rules if text == one.id] or [one for one in rules if text.lower() == one.name.lower()]
    if not found:
        raise NotFound(f"There is no rule {text!r}: `paddock rules ls` lists those that exist.")
    if len(found) > 1:
        raise AmbiguousId(f"Several rules are called {text!r}: give the id.")
    return found[0]


def _ids(desk: Desk, gpus: list[str] | None) -> list[str] | None:
    return chosen(desk.devices, gpus) if gpus else None


def _times(
    desk: Desk, hours: list[str] | None, zone: str | None, since: str | None, until: str | None
) -> dict[str, Any]:
    """Return the fields of a rule that are about time."""
    moments = {"since": since and desk.moment("--from", since), "until": until and desk.moment("--until", until)}
    try:
        windows = [window_of(one) for one in hours] if hours else None
    except ValueError as error:
        raise InvalidInput(f"--hours: {_first(error)}.") from None
    zone = zone or (desk.me.zone if hours else None)
    if hours and not zone:
        raise InvalidInput("Say in which time zone the hours are: --zone Europe/Warsaw.")
    return _given(windows=windows, zone=zone, **moments)


def _checked(fields: dict[str, Any]) -> AccessRuleRequest:
    try:
        return AccessRuleRequest.model_validate(fields)
    except ValidationError as error:
        raise InvalidInput(f"{'.'.join(map(str, error.errors()[0]['loc'])) or 'The rule'}: {_first(error)}.") from None


def _first(error: ValueError) -> str:
    if isinstance(error, ValidationError):
        return error.errors()[0]["msg"].removeprefix("Value error, ")
    return str(error)


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}

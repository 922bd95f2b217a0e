"""The commands users, groups, invite and audit: the people of a team."""

from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from paddock.cli import base, render
from paddock.cli.base import Json
from paddock.cli.login import until
from paddock.errors import InvalidInput
from paddock.models import Account, Role, SignInSource

_Person = Annotated[str, typer.Argument(metavar="NAME", help="Name of the account.")]
_People = Annotated[list[str], typer.Argument(metavar="NAME", help="Names of accounts.")]
_Group = Annotated[str, typer.Argument(metavar="GROUP", help="Name of the group.")]
_FullName = Annotated[str | None, typer.Option("--full-name", help="The full name.")]
_Email = Annotated[str | None, typer.Option(help="The e-mail address.")]
_Groups = Annotated[list[str] | None, typer.Option("--group", "-g", help="A group; repeat it for several.")]
_Unix = Annotated[
    str | None, typer.Option("--unix", metavar="USER", help="The user of the machine that their tasks run as.")
]
_Members = Annotated[list[str] | None, typer.Option("--member", "-m", help="A member; repeat it for several.")]
_Description = Annotated[str | None, typer.Option(help="What the group is for.")]


# --- accounts ---------------------------------------------------------------------------------------------------------


def users_ls(ctx: typer.Context, as_json: Json = False) -> None:
    """List the accounts of the team.

    Example:
        paddock users ls
    """
    found = base.client(ctx).team.accounts()
    base.only_json(as_json, found)
    if not found:
        base.note("This server has no accounts: `paddock team on` makes the first one.")
        return
    last = ("FULL NAME", "GROUPS", "STATE")
    table = render.Listing("NAME", "ROLE", "UNIX", "SIGNS IN", "SEEN", *last, flexible=last[:2], optional=last)
    for one in found:
        seen = f"{render.age(_moment(one.seen_at))} ago" if one.seen_at else "never"
        state = "" if one.active else "disabled"
        table.add_row(
            one.name, one.role, one.unix_name or "", one.source, seen, one.full_name, ", ".join(one.groups), state
        )
    base.screen().print(table)


def users_add(
    ctx: typer.Context,
    name: _Person,
    role: Annotated[Role, typer.Option(help="What they may do.")] = Role.USER,
    full_name: _FullName = None,
    email: _Email = None,
    groups: _Groups = None,
    unix: _Unix = None,
    source: Annotated[SignInSource, typer.Option(help="Who checks the password.")] = SignInSource.PASSWORD,
    as_json: Json = False,
) -> None:
    """Add an account. `paddock invite` is simpler where people choose their own name and password.

    Example:
        paddock users add alice --source ldap --unix alice
    """
    fields = _given(full_name=full_name, email=email, groups=groups, unix_name=unix)
    made = base.client(ctx).team.add_account(name, role=role, source=source, **fields)
    base.only_json(as_json, made)
    typer.echo(f"{made.name}: account made ({made.role})")
    if source is SignInSource.PASSWORD:
        base.note(f"`paddock invite --for {made.name}` makes the link by which {made.name} chooses a password.")


def users_edit(
    ctx: typer.Context,
    name: _Person,
    role: Annotated[Role | None, typer.Option(help="What they may do.")] = None,
    full_name: _FullName = None,
    email: _Email = None,
    groups: _Groups = None,
    unix: _Unix = None,
    as_json: Json = False,
) -> None:
    """Change an account. With --group, the groups that are given replace those that were.

    Example:
        paddock users edit alice --role admin --unix alice
    """
    changes = _given(role=role, full_name=full_name, email=email, groups=groups, unix_name=unix)
    if not changes:
        raise InvalidInput("Say what to change: --role, --full-name, --email, --group or --unix.")
    changed = base.client(ctx).team.edit_account(name, **changes)
    base.only_json(as_json, changed)
    typer.echo(f"{changed.name}: changed")


def users_disable(ctx: typer.Context, names: _People, as_json: Json = False) -> None:
    """Sign people out, and let them in no more. Their jobs go on, and their names are never given to others.

    Example:
        paddock users disable bob
    """
    _activate(ctx, names, active=False, as_json=as_json)


def users_enable(ctx: typer.Context, names: _People, as_json: Json = False) -> None:
    """Let people in again whose accounts were disabled.

    Example:
        paddock users enable bob
    """
    _activate(ctx, names, active=True, as_json=as_json)


def _activate(ctx: typer.Context, names: list[str], *, active: bool, as_json: bool) -> None:
    calls = base.client(ctx).team
    done: list[Account] = []
    code = base.for_each(names, lambda name: done.append(calls.edit_account(name, active=active)))
    if as_json:
        base.emit(done)
    elif done:
        typer.echo(f"{'enabled' if active else 'disabled'}: {', '.join(one.name for one in done)}")
    raise typer.Exit(code)


# --- groups -----------------------------------------------------------------------------------------------------------


def groups_ls(ctx: typer.Context, as_json: Json = False) -> None:
    """List the groups and their members.

    Example:
        paddock groups ls
    """
    found = base.client(ctx).team.groups()
    base.only_json(as_json, found)
    last = ("MEMBERS", "DESCRIPTION")
    table = render.Listing("GROUP", "FROM", *last, flexible=last, optional=("DESCRIPTION",))
    for one in found:
        table.add_row(one.name, one.source, ", ".join(one.members), one.description)
    base.screen().print(table)


def groups_add(
    ctx: typer.Context, name: _Group, members: _Members = None, description: _Description = None, as_json: Json = False
) -> None:
    """Make a group.

    Example:
        paddock groups add students -m alice -m bob
    """
    made = base.client(ctx).team.add_group(name, **_given(members=members, description=description))
    base.only_json(as_json, made)
    typer.echo(f"{made.name}: group made, {render.several(len(made.members), 'member')}")


def groups_edit(
    ctx: typer.Context,
    name: _Group,
    add: Annotated[list[str] | None, typer.Option("--add", help="A new member; repeat it for several.")] = None,
    remove: Annotated[list[str] | None, typer.Option("--remove", help="A member to take out.")] = None,
    description: _Description = None,
    as_json: Json = False,
) -> None:
    """Change who is in a group.

    Example:
        paddock groups edit students --add carol --remove bob
    """
    calls = base.client(ctx).team
    changes = _given(description=description)
    if add or remove:
        before = next((one.members for one in calls.groups() if one.name == name), [])
        changes["members"] = [one for one in dict.fromkeys([*before, *(add or [])]) if one not in (remove or [])]
    if not changes:
        raise InvalidInput("Say what to change: --add, --remove or --description.")
    changed = calls.edit_group(name, **changes)
    base.only_json(as_json, changed)
    typer.echo(f"{changed.name}: {', '.join(changed.members) or 'no members'}")


def groups_rm(ctx: typer.Context, name: _Group, as_json: Json = False) -> None:
    """Remove a group. The accounts in it stay.

    Example:
        paddock groups rm students
    """
    base.client(ctx).team.remove_group(name)
    base.only_json(as_json, {"removed": name})
    typer.echo(f"{name}: removed")


# --- invitations ------------------------------------------------------------------------------------------------------


def invite(
    ctx: typer.Context,
    role: Annotated[Role, typer.Option(help="What they may do.")] = Role.USER,
    groups: _Groups = None,
    email: _Email = None,
    days: Annotated[float, typer.Option(min=0.01, max=90, help="How long the link is valid.")] = 7,
    name: Annotated[
        str | None, typer.Option("--for", metavar="NAME", help="Somebody who has an account, for a new password.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the invitations instead.")] = False,
    revoke: Annotated[str | None, typer.Option("--revoke", metavar="ID", help="Revoke an invitation instead.")] = None,
    as_json: Json = False,
) -> None:
    """Make a link by which one person makes an account. Send it to that person only.

    Examples:
        paddock invite --role user --group students
        paddock invite --for alice
        paddock invite --list
    """
    calls = base.client(ctx).team
    if revoke:
        calls.revoke_invite(revoke)
        base.only_json(as_json, {"revoked": revoke})
        typer.echo(f"revoked: {revoke}")
    elif listed:
        found = calls.invites()
        base.only_json(as_json, found)
        table = render.Listing(
            "ID", "ROLE", "BY", "EXPIRES", "USED BY", "GROUPS", "EMAIL", flexible=("GROUPS", "EMAIL")
        )
        for one in found:
            table.add_row(
                one.id, one.role, one.by, until(one.expires_at), one.used_by or "", ", ".join(one.groups), one.email
            )
        base.screen().print(table)
    else:
        made = calls.invite(role=role, groups=groups or [], email=email or "", days=days, name=name)
        base.only_json(as_json, made)
        typer.echo(made.link)
        whom = f"For {name}, to choose a password" if name else f"For one person ({made.role})"
        base.note(f"{whom}; valid once, until {until(made.expires_at)}.")


# --- the audit --------------------------------------------------------------------------------------------------------


def audit(
    ctx: typer.Context,
    who: Annotated[str | None, typer.Option(help="Only what this account did.")] = None,
    act: Annotated[str | None, typer.Option(help="Only this kind of act, such as job.stop.")] = None,
    object: Annotated[str | None, typer.Option("--object", help="Only about this job, account, ...")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many entries.")] = 50,
    as_json: Json = False,
) -> None:
    """Show who did what, the newest first: all of it for admins, your own acts otherwise.

    Example:
        paddock audit --who alice
    """
    found = base.client(ctx).team.audit(who=who, act=act, object=object, limit=limit)
    base.only_json(as_json, found)
    last = ("OBJECT", "FROM", "DETAIL")
    table = render.Listing("WHEN", "WHO", "BY", "ACT", *last, flexible=("BY", *last), optional=last)
    for one in found.entries:
        about = f"{one.kind} {one.object}".strip()
        detail = base.compact(one.detail) if one.detail else ""
        table.add_row(render.moment(_moment(one.at)), one.who, one.via, one.act, about, one.address, detail)
    base.screen().print(table)
    if found.more:
        base.note("There are older entries: raise --limit.")


def _moment(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}

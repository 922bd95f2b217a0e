"""The routes of accounts, groups, invitations and the audit."""

import secrets
import time
from typing import Annotated

from fastapi import APIRouter, Path, Query

from paddock.errors import Conflict, InvalidInput
from paddock.login import password
from paddock.models import Role, SignInSource
from paddock.models.accounts import (
    Account,
    AccountGroup,
    AccountPatch,
    AccountRequest,
    AuditPage,
    GroupPatch,
    GroupRequest,
    Invite,
    InviteRequest,
)
from paddock.server.api.caller import By, Caller
from paddock.server.api.gate import Through
from paddock.server.api.joining import RESERVED
from paddock.server.api.server import At
from paddock.server.api.team import NewLink, one_time_link
from paddock.server.store import audit, groups, invites, sessions, users

router = APIRouter(tags=["people"])
Named = Annotated[str, Path(max_length=64)]


def _in_use(by: Caller) -> None:
    """Raise Conflict unless accounts are in use."""
    if not by.team:
        raise Conflict("Accounts are not in use on this server: `paddock team on` begins that.")


@router.get("/accounts")
def list_accounts(at: At, by: By) -> list[Account]:
    """Return all accounts by name. Who is no admin sees names, roles and groups only."""
    with at.db.read() as c:
        found = users.listed(c)
    if by.role is Role.ADMIN:
        return found
    hidden = {"email": "", "unix_name": None, "seen_at": None}
    return [one if one.name == by.name else one.model_copy(update=hidden) for one in found]


@router.post("/accounts", status_code=201)
def add_account(what: AccountRequest, at: At, by: By, gate: Through) -> Account:
    """Make an account. Somebody with the source `password` and no password needs a link from `POST /invites`."""
    _in_use(by)
    if what.name in RESERVED:
        raise InvalidInput.at("name", f"{what.name!r} has a meaning of its own: choose another")
    if what.password is not None and what.source is not SignInSource.PASSWORD:
        raise InvalidInput.at("password", f"who signs in by {what.source.value} has their password there: leave it out")
    stored = password.hashed(what.password) if what.password is not None else None
    about = {"full_name": what.full_name, "email": what.email, "unix_name": what.unix_name}
    with at.db.write() as c:
        users.add(c, what.name, what.role, what.source, time.time(), **about, password=stored)
        groups.set_of_user(c, what.name, what.groups)
        detail = what.model_dump(mode="json", exclude={"password", "name"}, exclude_defaults=True)
        audit.write(c, by, "account.add", "account", what.name, detail | {"role": what.role.value})
        found = users.as_account(users.get(c, what.name), what.groups)
    gate.keys.reload()
    return found


@router.patch("/accounts/{name}")
def change_account(name: Named, what: AccountPatch, at: At, by: By, gate: Through) -> Account:
    """Change an account; what is not given stays. With another role, or inactive, its sessions end."""
    _in_use(by)
    given = what.model_dump(exclude_unset=True, exclude={"groups"})
    with at.db.write() as c:
        before = users.get(c, name)
        given = {key: value for key, value in given.items() if value is not None or key == "unix_name"}
        users.change(c, name, **given)
        if what.groups is not None:
            groups.set_of_user(c, name, what.groups)
        if given.get("role", before.role) is not before.role or given.get("active") is False:
            sessions.end_of_user(c, name)
        old = {key: getattr(before, key) for key in given}
        detail = {"before": old, "after": given} | ({"groups": what.groups} if what.groups is not None else {})
        audit.write(c, by, "account.change", "account", name, detail)
        found = users.as_account(users.get(c, name), groups.by_user(c).get(name, []))
    gate.keys.reload()
    return found


@router.get("/groups")
def list_groups(at: At) -> list[AccountGroup]:
    """Return all groups by name, with their members."""
    with at.db.read() as c:
        return groups.listed(c)


@router.post("/groups", status_code=201)
def add_group(what: GroupRequest, at: At, by: By, gate: Through) -> AccountGroup:
    """Make a group."""
    _in_use(by)
    with at.db.write() as c:
        groups.add(c, what.name, time.time(), what.description)
        groups.set_members(c, what.name, what.members)
        audit.write(c, by, "group.add", "group", what.name, {"members": what.members})
        found = groups.get(c, what.name)
    gate.keys.reload()
    return found


@router.patch("/groups/{name}")
def change_group(name: Named, what: GroupPatch, at: At, by: By, gate: Through) -> AccountGroup:
    """Change a group; what is not given stays. The members of a directory's group come from there."""
    _in_use(by)
    with at.db.write() as c:
        before = groups.get(c, name)
        if what.members is not None and before.source != groups.LOCAL:
            raise Conflict(f"The members of {name!r} come from {before.source}: change them there.")
        if what.members is not None:
            groups.set_members(c, name, what.members)
        if what.description is not None:
            groups.describe(c, name, what.description)
        detail = {"before": before.members, "after": what.members} if what.members is not None else {}
        audit.write(c, by, "group.change", "group", name, detail)
        found = groups.get(c, name)
    gate.keys.reload()
    return found


@router.delete("/groups/{name}", status_code=204)
def remove_group(name: Named, at: At, by: By, gate: Through) -> None:
    """Remove a group. Its members stay."""
    _in_use(by)
    with at.db.write() as c:
        before = groups.get(c, name)
        groups.remove(c, name)
        audit.write(c, by, "group.remove", "group", name, {"members": before.members})
    gate.keys.reload()


@router.get("/invites")
def list_invites(at: At) -> list[Invite]:
    """Return all invitations, newest first, without their links."""
    with at.db.read() as c:
        return invites.listed(c)


@router.post("/invites", status_code=201)
def make_invite(what: InviteRequest, at: At, by: By) -> Invite:
    """Make a one-time link: for somebody new, or by which an account that exists gets a new password."""
    _in_use(by)
    id = secrets.token_hex(4)
    with at.db.write() as c:
        known = users.get(c, what.name) if what.name is not None else None
        for group in what.groups:
            groups.get(c, group)
        role, kind = (known.role, invites.SETUP) if known else (what.role, invites.INVITE)
        wanted = NewLink(kind, role, what.days * 86_400, what.name, what.groups, what.email, id)
        link = one_time_link(at, c, by, wanted)
        detail = {"role": role.value, "groups": what.groups, "email": what.email, "days": what.days}
        audit.write(c, by, "invite.make", "invite", id, detail | ({"name": what.name} if known else {}))
        (found,) = [one for one in invites.listed(c) if one.id == id]
    return found.model_copy(update={"link": link})


@router.delete("/invites/{id}", status_code=204)
def withdraw_invite(id: str, at: At, by: By) -> None:
    """Withdraw an invitation that nobody has used."""
    _in_use(by)
    with at.db.write() as c:
        invites.withdraw(c, id)
        audit.write(c, by, "invite.withdraw", "invite", id)


@router.get("/audit")
def list_audit(
    at: At,
    by: By,
    who: Annotated[str | None, Query(max_length=64, description="only what this account did")] = None,
    act: Annotated[str | None, Query(max_length=64, description="only this, such as session.failed or session")] = None,
    object: Annotated[str | None, Query(max_length=200, description="only what was done to this")] = None,
    before: Annotated[int | None, Query(ge=1, le=2**62, description="only entries with smaller ids")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> AuditPage:
    """Return who did what, newest first. Who is no admin sees their own entries."""
    if by.role is not Role.ADMIN:
        who = by.name
    with at.db.read() as c:
        return audit.page(c, who=who, act=act, object=object, before=before, limit=limit)

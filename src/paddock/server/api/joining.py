"""Whose account it is when a login method vouches for somebody, and who may join."""

import time

from paddock.errors import Conflict, NotAllowed
from paddock.login.identity import Identity
from paddock.models import Role, SignInSource
from paddock.server.api.caller import SERVER
from paddock.server.store import audit, groups, invites, users
from paddock.server.store.audit import Actor
from paddock.server.store.db import Connection
from paddock.server.store.invites import InviteRow
from paddock.server.store.users import UserRow
from paddock.settings import TeamSettings

RESERVED = {SERVER, "engine", "me"}
NO_ACCOUNT = "You have no account here: ask an admin of the team to invite you."


def account_of(c: Connection, who: Identity, rules: TeamSettings, code: str | None, by: Actor) -> UserRow:
    """Return the account of somebody, which may be a new one; raise NotAllowed if they may not join.

    `code` is the digest of an invitation's code. Groups of a directory are mirrored at every sign-in.
    """
    now = time.time()
    found = (
        users.of_subject(c, who.source, who.subject) or _by_list(c, who, rules) or _join(c, who, rules, code, by, now)
    )
    if not found.active:
        raise NotAllowed(NO_ACCOUNT)
    if who.source is not SignInSource.PASSWORD:
        groups.mirror(c, found.name, who.source.value, who.groups, now)
    return found


def _by_list(c: Connection, who: Identity, rules: TeamSettings) -> UserRow | None:
    """Return the account that an admin made for somebody who signs in for the first time."""
    found = users.find(c, who.name) if who.name else None
    if found is None or found.source is not who.source or found.subject is not None:
        return None
    role = {"role": Role.ADMIN} if found.name in rules.admins else {}
    users.change(c, found.name, subject=who.subject, **_about(c, who, found), **role)
    return users.get(c, found.name)


def _about(c: Connection, who: Identity, known: UserRow | None = None) -> dict[str, str]:
    """Return what the source knows of a person and the account does not have yet."""
    found = {"full_name": who.full_name, "email": who.email}
    if who.unix_name and not (known and known.unix_name) and not users.unix_name_taken(c, who.unix_name):
        found["unix_name"] = who.unix_name
    return {name: text for name, text in found.items() if text and not (known and getattr(known, name))}


def _join(c: Connection, who: Identity, rules: TeamSettings, code: str | None, by: Actor, now: float) -> UserRow:
    invite = invites.open_one(c, code, now) if code is not None else None
    if invite is not None and invite.name is not None:
        return _attach(c, who, invite, by)
    welcome = rules.join == "open" or who.name in rules.admins or set(who.groups) & set(rules.join_groups)
    if invite is None and not welcome:
        raise NotAllowed(NO_ACCOUNT)
    refuse_name(c, who.name)
    role = Role.ADMIN if who.name in rules.admins else invite.role if invite else Role.USER
    users.add(c, who.name, role, who.source, now, subject=who.subject, **_about(c, who))
    if invite is not None:
        groups.join(c, who.name, invite.groups)
        invites.use(c, invite.hash, who.name)
    detail = {"role": role.value, "source": who.source.value, "invite": invite.id if invite else None}
    audit.add(c, by, "account.join", "account", who.name, detail)
    return users.get(c, who.name)


def _attach(c: Connection, who: Identity, invite: InviteRow, by: Actor) -> UserRow:
    """Let an account that exists sign in by this source from now on."""
    found = users.get(c, invite.name or "")
    users.change(c, found.name, source=who.source, subject=who.subject, password=None, **_about(c, who, found))
    invites.use(c, invite.hash, found.name)
    audit.add(c, by, "account.attach", "account", found.name, {"source": who.source.value})
    return users.get(c, found.name)


def refuse_name(c: Connection, name: str) -> None:
    """Raise Conflict if a new account may not have this name."""
    if not name:
        raise Conflict("Your name there cannot be the name of an account here: ask an admin to make one for you.")
    if name in RESERVED or users.owns_jobs(c, name) or users.find(c, name) is not None:
        raise Conflict(f"The name {name!r} is taken: choose another, or ask an admin.")

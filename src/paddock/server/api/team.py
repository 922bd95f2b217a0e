"""The routes by which a team begins: accounts on and off, and one-time links."""

import secrets
import sqlite3
import time
from dataclasses import dataclass, field
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import Response

from paddock.errors import Conflict, InvalidInput
from paddock.home import server_file, tls
from paddock.login import password, team_checks
from paddock.login.team_checks import CheckedPerson
from paddock.models import Role, SignInSource
from paddock.models.accounts import CodeRequest, SetupInfo, SetupRequest, SignedIn, TeamRequest, TeamState
from paddock.server.api import session
from paddock.server.api.auth import address_of
from paddock.server.api.caller import By, Caller
from paddock.server.api.gate import Gate, Through
from paddock.server.api.joining import RESERVED, refuse_name
from paddock.server.api.server import At, Server
from paddock.server.api.sessions import digest
from paddock.server.api.sign_in import Newcomer
from paddock.server.store import audit, backups, groups, invites, sessions, team, users
from paddock.server.store.db import Connection
from paddock.server.store.invites import InviteRow

router = APIRouter(tags=["team"])
SETUP_SECONDS = 3600.0


@router.get("/team")
def show_team(at: At, by: By) -> TeamState:
    """Return whether accounts are in use."""
    with at.db.read() as c:
        return _state(at, on=by.team, accounts=users.count(c))


@router.post("/team/check")
def check_team(at: At, by: By) -> TeamState:
    """Try what the team needs of this machine: act once as each of its people, and look at sudo, PAM and the door."""
    with at.db.read() as c:
        people = users.every(c)
    runs = [one for one in people if one.active and one.role is not Role.GUEST]
    tried = [CheckedPerson(one.name, one.unix_name, one.role is Role.ADMIN) for one in runs]
    found = _state(at, on=by.team, accounts=len(people))
    return found.model_copy(update={"checks": team_checks.checks(at.settings, tried)})


def _state(at: Server, *, on: bool, accounts: int) -> TeamState:
    rules = at.settings.team
    return TeamState(
        on=on, run_as=rules.run_as, accounts=accounts, join=rules.join, join_groups=list(rules.join_groups)
    )


@router.post("/team")
def switch_team(what: TeamRequest, at: At, by: By, gate: Through) -> TeamState:
    """Begin or stop using accounts, without a restart.

    Beginning copies the database first and makes the account of the owner, an admin. The answer has the one-time link
    by which the owner chooses a password, as long as they have none. Stopping keeps all accounts; the link with the
    server's token is then the way in again.
    """
    return _begin(at, by, gate) if what.on else _end(at, by, gate)


def _begin(at: Server, by: Caller, gate: Gate) -> TeamState:
    tls.refuse_clear_text(at.settings)
    owner = at.settings.owner
    if owner in RESERVED or not owner.isprintable() or not 0 < len(owner) <= 64:
        raise Conflict(f"The setting `owner` is {owner!r}, which cannot be the name of an account: change it first.")
    copy = _backup(at) if not gate.keys.on else None
    now, link = time.time(), None
    with at.db.write() as c:
        known = users.find(c, owner)
        if known is None:
            users.add(c, owner, Role.ADMIN, SignInSource.PASSWORD, now, unix_name=team_checks.person(owner))
        if known is None or (known.source is SignInSource.PASSWORD and known.password is None):
            link = one_time_link(at, c, by, NewLink(invites.SETUP, Role.ADMIN, SETUP_SECONDS, owner))
        if not team.is_on(c):
            team.switch(c, True, now)
            audit.add(c, by, "team.on", "team", "", {"backup": str(copy) if copy else None})
        number = users.count(c)
    gate.keys.reload()
    found = _state(at, on=True, accounts=number)
    return found.model_copy(update={"setup": link, "backup": str(copy) if copy else None})


def _backup(at: Server) -> Path | None:
    if at.db.file is None:
        return None
    try:
        return backups.make(at.db, at.home.backups, f"{backups.BEFORE}-team")
    except (OSError, sqlite3.Error) as error:
        raise Conflict(f"The database cannot be copied before accounts are used: {error}. Mend that first.") from None


def _end(at: Server, by: Caller, gate: Gate) -> TeamState:
    with at.db.write() as c:
        if team.is_on(c):
            team.switch(c, False, time.time())
            sessions.end_of_accounts(c)
            audit.add(c, by, "team.off", "team")
        number = users.count(c)
    gate.keys.reload()
    return _state(at, on=False, accounts=number)


@dataclass(frozen=True)
class NewLink:
    """What a one-time link is to be for."""

    kind: str
    role: Role
    seconds: float
    name: str | None = None
    groups: list[str] = field(default_factory=list)
    email: str = ""
    id: str = field(default_factory=lambda: secrets.token_hex(4))


def one_time_link(at: Server, c: Connection, by: Caller, wanted: NewLink) -> str:
    """Record a one-time link; return it. Its code is not kept."""
    code, now = secrets.token_urlsafe(32), time.time()
    about = {name: value for name, value in wanted.__dict__.items() if name != "seconds"}
    invites.add(c, InviteRow(digest(code), **about, by=by.name, created_at=now, expires_at=now + wanted.seconds))
    return f"{base_url(at)}/setup?code={code}"


def base_url(at: Server) -> str:
    """Return the address that people open."""
    known = server_file.read(at.home)
    return (at.settings.public_url or (known.url if known else "")).rstrip("/")


@router.post("/setup/open")
def open_setup(what: CodeRequest, at: At) -> SetupInfo:
    """Return what a one-time link is for. Needs no token; the link stays valid."""
    with at.db.read() as c:
        found = invites.open_one(c, digest(what.code), time.time())
        first = found.name is not None and users.count(c) == 1
    about = found.__dict__
    return SetupInfo(first=first, **{name: about[name] for name in ("name", "role", "groups", "email", "expires_at")})


@router.post("/setup", response_model=SignedIn)
def set_up_account(what: SetupRequest, request: Request, at: At, gate: Through) -> Response:
    """Take the account that a one-time link is for, with a password, and sign in. Needs no token."""
    if not gate.keys.on:
        raise Conflict("Accounts are not in use on this server: `paddock team on` begins that.")
    if not at.settings.login.password:
        raise Conflict("This server keeps no passwords: sign in with one of the other ways instead.")
    if what.password is None:
        raise InvalidInput.at("password", "it is missing")
    with at.db.read() as c:
        invites.open_one(c, digest(what.code), time.time())  # before the work for the password
    stored = password.hashed(what.password)
    with at.db.write() as c:
        name = _take(c, what, stored, address_of(request.scope))
    gate.keys.reload()
    key = session.begun(gate, request, name)
    return gate.signed_in(key, request.scope, account=True)


def _take(c: Connection, what: SetupRequest, stored: str, address: str) -> str:
    """Give an account its password, or make a new one; return its name. The link is dead after that."""
    now = time.time()
    found = invites.open_one(c, digest(what.code), now)
    name = found.name or what.name
    if name is None:
        raise InvalidInput.at("name", "choose a name")
    by = Newcomer(name, address, via="link")
    if found.name is not None:
        full = {"full_name": what.full_name} if what.full_name else {}
        users.change(c, name, password=stored, source=SignInSource.PASSWORD, subject=None, **full)
        sessions.end_of_user(c, name)
        audit.add(c, by, "account.password", "account", name, {"link": found.id})
    else:
        refuse_name(c, name)
        about = {"password": stored, "full_name": what.full_name, "email": found.email}
        users.add(c, name, found.role, SignInSource.PASSWORD, now, **about)
        groups.join(c, name, found.groups)
        audit.add(c, by, "account.join", "account", name, {"role": found.role.value, "invite": found.id})
    invites.use(c, found.hash, name)
    return name

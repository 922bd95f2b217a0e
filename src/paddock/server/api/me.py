"""The routes of one's own account: profile, password, tokens, sessions, layouts of pages."""

import time
import zoneinfo
from typing import Annotated

from fastapi import APIRouter, Path
from starlette.concurrency import run_in_threadpool

from paddock.errors import Conflict, InvalidInput, NotAuthorised, NotFound
from paddock.login import password
from paddock.models import SignInSource
from paddock.models.accounts import BrowserSession, Me, MePatch, PasswordChange, PersonalToken, TokenRequest
from paddock.models.load import PageLayout
from paddock.server.api import sign_in
from paddock.server.api.caller import SERVER, By, Caller
from paddock.server.api.gate import Through
from paddock.server.api.server import At, Server
from paddock.server.store import audit, layouts, sessions, tokens, users
from paddock.server.store.db import Connection

router = APIRouter(tags=["me"])


@router.get("/me")
def show_me(at: At, by: By) -> Me:
    """Return who is asking, and what they may do."""
    with at.db.read() as c:
        return _me(c, by)


def _me(c: Connection, by: Caller) -> Me:
    about = {"name": by.name, "role": by.role, "team": by.team, "via": by.via, "scope": by.scope}
    if not _is_account(by):
        return Me(**about)
    row = users.get(c, by.name)
    known = {name: getattr(row, name) for name in ("full_name", "email", "unix_name", "source", "zone")}
    return Me(**about, **known, groups=sorted(by.groups))


def _is_account(by: Caller) -> bool:
    return by.team and by.name != SERVER


def _account(by: Caller) -> str:
    """Return the name of the caller's account; raise Conflict if it has none."""
    if not by.team:
        raise Conflict("Accounts are not in use on this server: `paddock team on` begins that.")
    if by.name == SERVER:
        raise Conflict("The server's own token is not an account: sign in as somebody.")
    return by.name


@router.patch("/me")
def change_me(what: MePatch, at: At, by: By) -> Me:
    """Change one's own profile; what is not given stays."""
    name = _account(by)
    given = what.model_dump(exclude_none=True)
    if what.zone and what.zone not in zoneinfo.available_timezones():
        raise InvalidInput.at("zone", f"there is no time zone {what.zone!r}; Europe/Warsaw is one")
    with at.db.write() as c:
        users.change(c, name, **given)
        audit.write(c, by, "account.change", "account", name, given)
        return _me(c, by)


@router.post("/me/password", status_code=204)
async def change_password(what: PasswordChange, at: At, by: By, gate: Through) -> None:
    """Change one's own password. All other sessions of the account end."""
    name = _account(by)
    try:
        await sign_in.guarded(at, gate, name, by.address, lambda: _change_password(at, by, name, what))
    except NotAuthorised:  # whoever asks has signed in
        raise InvalidInput.at("old", "this is not your password") from None
    await run_in_threadpool(gate.keys.reload)


def _change_password(at: Server, by: Caller, name: str, what: PasswordChange) -> bool | None:
    """Return None if the old password is wrong."""
    with at.db.read() as c:
        row = users.get(c, name)
    if row.source is not SignInSource.PASSWORD:
        raise Conflict(f"Your password is not kept here ({row.source.value}): change it there.")
    if not password.matches(row.password, what.old):
        return None
    stored = password.hashed(what.new)
    with at.db.write() as c:
        users.change(c, name, password=stored)
        sessions.end_of_user(c, name, but=by.session)
        audit.write(c, by, "account.password", "account", name)
    return True


@router.get("/me/tokens")
def list_tokens(at: At, by: By) -> list[PersonalToken]:
    """Return one's own tokens, newest first, without the tokens themselves."""
    with at.db.read() as c:
        return tokens.listed(c, _account(by))


@router.post("/me/tokens", status_code=201)
def make_token(what: TokenRequest, at: At, by: By, gate: Through) -> PersonalToken:
    """Make a token for programs. The answer has it; it is not shown again."""
    name, now = _account(by), time.time()
    if what.days is None and not at.settings.team.lasting_tokens:
        raise InvalidInput.at("days", "tokens must expire here (`team.lasting_tokens`): give a number of days")
    until = now + what.days * 86_400 if what.days is not None else None
    detail = {"name": what.name, "scope": what.scope.value, "days": what.days}
    id, made = gate.keys.issue(
        name, what.name, what.scope, until, lambda c, id: audit.write(c, by, "token.make", "token", id, detail)
    )
    return PersonalToken(id=id, name=what.name, scope=what.scope, created_at=now, expires_at=until, token=made)


@router.delete("/me/tokens/{id}", status_code=204)
def revoke_token(id: str, at: At, by: By, gate: Through) -> None:
    """Revoke one of one's own tokens: it is refused from now on."""
    with at.db.write() as c:
        name = tokens.revoke(c, _account(by), id, time.time())
        audit.write(c, by, "token.revoke", "token", id, {"name": name})
    gate.keys.reload()


@router.get("/me/sessions")
def list_sessions(by: By, gate: Through) -> list[BrowserSession]:
    """Return the browsers that are signed in as oneself, newest first."""
    return [
        BrowserSession(
            id=one.hash[:16],
            created_at=one.created_at,
            seen_at=one.seen_at,
            expires_at=one.expires_at,
            address=one.address,
            browser=one.browser,
            current=one.hash == by.session,
        )
        for one in gate.keys.sessions.of(by.name if _is_account(by) else None)
    ]


@router.delete("/me/sessions/{id}", status_code=204)
def end_session(id: str, by: By, gate: Through) -> None:
    """Sign out one of the browsers that are signed in as oneself."""
    for one in gate.keys.sessions.of(by.name if _is_account(by) else None):
        if one.hash[:16] == id:
            gate.keys.sessions.end_digest(
                one.hash, lambda c: audit.write(c, by, "session.end", "account", by.name, {"session": id})
            )
            return
    raise NotFound(f"You have no session {id!r}.")


Page = Annotated[str, Path(pattern="^[a-z][a-z0-9-]*$", max_length=32, description="the page, such as `hosts`")]


@router.get("/me/layouts/{page}")
def show_layout(page: Page, at: At, by: By) -> PageLayout:
    """Return how the caller has arranged a page."""
    with at.db.read() as c:
        return layouts.get(c, by.name, page)


@router.put("/me/layouts/{page}")
def save_layout(page: Page, layout: PageLayout, at: At, by: By) -> PageLayout:
    """Save how the caller has arranged a page; without tiles, the page is again as it begins."""
    with at.db.write() as c:
        layouts.save(c, by.name, page, layout, time.time())
        return layout

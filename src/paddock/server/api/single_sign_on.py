"""The routes by which a browser goes to a single sign-on provider and comes back. Everybody may call them."""

import logging
import time
from typing import Annotated

import anyio
from fastapi import APIRouter, Path, Query, Request
from starlette.responses import RedirectResponse, Response

from paddock.errors import Conflict, NotAuthorised, NotFound, PaddockError
from paddock.login.oidc import PendingLogin, SingleSignOn, hash_of
from paddock.server.api import session
from paddock.server.api.auth import address_of, local
from paddock.server.api.gate import Gate, Through
from paddock.server.api.joining import account_of
from paddock.server.api.server import At, Server
from paddock.server.api.sessions import ABSOLUTE_SECONDS, digest
from paddock.server.api.sign_in import Newcomer, report
from paddock.server.api.team import base_url
from paddock.server.store import pending_logins
from paddock.server.store.pending_logins import PendingLoginRow

log = logging.getLogger("paddock.api")
router = APIRouter(tags=["session"])
ProviderName = Annotated[str, Path(max_length=64, description="the name of a provider in the settings")]


@router.get("/session/oidc/{provider}/begin", response_class=RedirectResponse, status_code=303)
async def begin_oidc(
    provider: ProviderName,
    request: Request,
    at: At,
    gate: Through,
    next: Annotated[str, Query(max_length=2000, description="where to go on this server after that")] = "/",
    code: Annotated[str | None, Query(max_length=1000, description="the code of an invitation")] = None,
) -> Response:
    """Send a browser to a single sign-on provider."""
    found = _provider(gate, provider)
    back = _back(at, provider)
    gone = await anyio.to_thread.run_sync(found.begin, back, limiter=gate.checks)
    kept = gone.pending
    row = PendingLoginRow(
        kept.hash, provider, kept.nonce, kept.verifier, next, digest(code) if code else None, kept.expires_at
    )
    await anyio.to_thread.run_sync(_remember, at, row)
    answer = RedirectResponse(gone.url, status_code=303, headers={"Cache-Control": "no-store"})
    return gate.cookies.give_state(answer, gone.state, request.scope)


def _provider(gate: Gate, name: str) -> SingleSignOn:
    if not gate.keys.on:
        raise Conflict("Accounts are not in use on this server: `paddock team on` begins that.")
    if name not in gate.providers:
        raise NotFound("There is no such provider: the sign-in page shows those that there are.")
    return gate.providers[name]


def _back(at: Server, provider: str) -> str:
    return f"{base_url(at)}/api/v1/session/oidc/{provider}/callback"


def _remember(at: Server, row: PendingLoginRow) -> None:
    with at.db.write() as c:
        pending_logins.add(c, row, time.time())


@router.get("/session/oidc/{provider}/callback", response_class=RedirectResponse, status_code=303)
async def finish_oidc(provider: ProviderName, request: Request, at: At, gate: Through) -> Response:
    """Sign in a browser that comes back from a provider, and send it to where it wanted to go.

    When that fails, it is sent to `/?sign_in_error=CODE`, where the code is the one of the error.
    """
    try:
        key, where = await anyio.to_thread.run_sync(_finish, provider, request, at, gate, limiter=gate.checks)
    except PaddockError as error:
        log.info("single sign-on by %s failed: %s", provider[:64], error.code)
        answer = RedirectResponse(f"/?sign_in_error={error.code}", 303, {"Cache-Control": "no-store"})
        return gate.cookies.take_state(answer)
    answer = RedirectResponse(f"{local(where)}#page={gate.cookies.page(key)}", 303, {"Cache-Control": "no-store"})
    return gate.cookies.take_state(gate.cookies.give(answer, key, request.scope, ABSOLUTE_SECONDS))


def _finish(provider: str, request: Request, at: Server, gate: Gate) -> tuple[str, str]:
    """Return the key of a new session, and where the browser wanted to go."""
    found, address = _provider(gate, provider), address_of(request.scope)
    state = gate.cookies.state(request.headers)
    if state is None:
        raise NotAuthorised("This browser did not begin to sign in, or too long ago: begin again.")
    with at.db.write() as c:
        row = pending_logins.take(c, hash_of(state), provider, time.time())
    if row is None:
        raise NotAuthorised("This browser did not begin to sign in, or too long ago: begin again.")
    pending = PendingLogin(row.hash, row.nonce, row.verifier, row.expires_at)
    try:
        who = found.finish(dict(request.query_params), state=state, pending=pending, back=_back(at, provider))
    except NotAuthorised:
        report(at, "", address)
        raise
    with at.db.write() as c:
        account = account_of(c, who, at.settings.team, row.invite, Newcomer(who.name, address, via=provider))
    gate.keys.reload()
    return session.begun(gate, request, account.name), row.next.partition("#")[0]

"""The routes to sign in and out. Everybody may call them."""

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from paddock.errors import InvalidInput
from paddock.models.accounts import Provider, SignedIn, SignIn, SignInMethods
from paddock.server.api import sign_in
from paddock.server.api.auth import address_of, refusal
from paddock.server.api.caller import SERVER
from paddock.server.api.gate import Gate, Through
from paddock.server.api.server import At
from paddock.server.api.sign_in import Newcomer
from paddock.server.store import audit

router = APIRouter(tags=["session"])


@router.get("/session/methods")
async def sign_in_methods(at: At, gate: Through) -> SignInMethods:
    """Return how one may sign in here. Needs no token."""
    if not gate.keys.on:
        return SignInMethods(team=False, passwords=False)
    providers = [Provider(name=name, title=one.title or name) for name, one in at.settings.login.oidc.items()]
    others = bool(gate.password_methods)
    return SignInMethods(
        team=True, passwords=at.settings.login.password or others, directories=others, providers=providers
    )


@router.post("/session", response_model=SignedIn)
async def sign_in_browser(what: SignIn, request: Request, at: At, gate: Through) -> Response:
    """Sign a browser in with name and password, or with the server's token; return the page's key.

    The answer sets the cookie of the session. A failure takes at least a second.
    """
    if what.token is not None:
        if not gate.keys.is_server(what.token.strip()):
            return refusal(team=gate.keys.on)
        return await begin(gate, request, None)
    if not gate.keys.on:
        return refusal(team=False)
    if what.name is None or what.password is None:
        raise InvalidInput.at("name" if what.name is None else "password", "it is missing")
    name = what.name.strip()
    found = await sign_in.by_password(at, gate, name, what.password, what.code, address_of(request.scope))
    return await begin(gate, request, found)


async def begin(gate: Gate, request: Request, user: str | None) -> Response:
    """Begin a session of an account (None: of the server's token), in place of the browser's own if it has one."""
    key = await run_in_threadpool(begun, gate, request, user)
    return gate.signed_in(key, request.scope, account=user is not None)


def begun(gate: Gate, request: Request, user: str | None) -> str:
    """Begin a session; return its key."""
    old = gate.cookies.key(request.headers)
    by = Newcomer(user or SERVER, address_of(request.scope), via="session", team=gate.keys.on)
    return gate.keys.sessions.begin(
        user,
        address=by.address,
        browser=request.headers.get("user-agent", ""),
        instead=old if gate.keys.sessions.find(old) else None,
        record=lambda c: audit.write(c, by, "session.begin", "account", by.name),
    )


@router.delete("/session", status_code=204)
async def sign_out_browser(request: Request, gate: Through) -> Response:
    """Sign a browser out: its session ends on the server."""
    key = gate.cookies.key(request.headers)
    if key is not None and gate.keys.sessions.find(key):
        gate.cookies.check_origin("DELETE", request.headers)
        await run_in_threadpool(gate.keys.sessions.end, key)
    return gate.cookies.take(Response(status_code=204))

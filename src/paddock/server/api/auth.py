"""Every request passes here first: the wall finds out who sent it, and lets nobody else in.

A few answers need no key, and contain nothing secret: the assets of the page; any address of the page, which answers
401 with the page that asks who you are; `/hello`, by which a client checks that it talks to its own server before it
sends the token; and the routes of `OPEN`, by which one signs in.

A browser sends its cookie to every port of a host, and a form on any page of that host can post to this server. So the
cookie is the key of a session, not the token; requests that change something must come from our own page; and the API
requires the page's key as well, which a browser keeps for one port only.
"""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from urllib.parse import parse_qsl, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from paddock.errors import NotAuthorised, PaddockError
from paddock.home import proof
from paddock.login import door
from paddock.models import TokenScope
from paddock.server.api import error_responses, web
from paddock.server.api.caller import CALLER, SERVER, Caller
from paddock.server.api.cookies import SAFE, Cookies
from paddock.server.api.keys import Keys
from paddock.server.api.sessions import SECONDS
from paddock.server.store.db import away

log = logging.getLogger("paddock.api")
API = "/api/v1"
SCRAPED = "/metrics"  # where Prometheus looks if it is not told otherwise
HELLO = f"{API}/hello"
CALENDAR = f"{API}/calendar.ics"
OPEN = {  # what everybody may call
    f"{API}/session": ("POST", "DELETE"),
    f"{API}/session/methods": SAFE,
    f"{API}/setup": ("POST",),
    f"{API}/setup/open": ("POST",),
}
OIDC = f"{API}/session/oidc/"  # and all below it, to read
PEER = "peer"  # in the state of a connection through a Unix socket: the user at the other end
WHO = "paddock.who"  # set in the scope of an authorised request: its session, "token", or an account and its token
_AGAIN = "paddock.again"
Again = Callable[[], Caller | None]
ALONE = "This needs a valid token: open the link that `paddock up` printed, or send `Authorization: Bearer TOKEN`."
TEAM = "Sign in first: on the page of this server, with `paddock login`, or with `Authorization: Bearer TOKEN`."


class TokenWall:
    """Accept a token from the Authorization header, the cookie of a session, or the server's token in the link.

    The last begins a session. Through the door (login/door.py), accept who the kernel says is there.
    """

    def __init__(self, app: ASGIApp, token: str, keys: Keys, cookies: Cookies) -> None:
        self._app = app
        self._token = token
        self._keys = keys
        self._cookies = cookies
        self._flushing: asyncio.Future[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope.get("path") == SCRAPED:
            scope = {**scope, "path": API + SCRAPED}
        try:
            answer = await self._answer(scope)
        except PaddockError as error:
            answer = error_responses.reply(error)
        except ClientDisconnect:
            return
        except Exception as error:  # one line: a client without a token must not fill the log
            log.error("a request could not be checked: %s", type(error).__name__)
            answer = error_responses.reply(
                away(error)
                or PaddockError("The server could not answer this request because of an error: see its log.")
            )
        if answer is None and CALLER in scope:
            send = _while_allowed(scope[CALLER], scope[_AGAIN], send)
        await (answer or self._app)(scope, receive, send)

    async def _answer(self, scope: Scope) -> Response | None:
        """Return what to answer, or None to let the request pass."""
        if scope["type"] != "http":
            return self._refusal()
        headers = Headers(scope=scope)
        method, path = scope["method"], scope["path"]
        if _is_open(method, path):
            self._cookies.check_stranger(method, headers)
            return None
        if self._keys.stale:  # what is in memory may be outdated: nobody is let in by it
            await run_in_threadpool(self._keys.refresh)
        if headers.get("authorization", "").strip().lower() == door.SCHEME:
            user = await self._at_the_door(scope)
            return self._admit(scope, user, partial(self._keys.by_account, user))
        address = address_of(scope)
        again = partial(self._keys.by_token, _bearer(headers), address)
        if (caller := again()) is not None:
            return self._admit(scope, caller, again)
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if path == HELLO:
            return self._hello(dict(query))
        if path == CALENDAR and method in SAFE and "token" in dict(query):
            again = partial(self._keys.by_token, dict(query)["token"], address)
            caller = again()
            # An address is kept by other servers: a token that may do more does not belong there.
            few = caller is not None and caller.scope in (TokenScope.FEED, TokenScope.READ)
            return self._admit(scope, caller, again) if few and caller is not None else self._refusal()
        key = self._cookies.key(headers)
        again = partial(self._keys.by_session, key, address)
        caller = again()
        if method in SAFE and self._keys.is_server(dict(query).get("token")):
            return await self._follow_link(scope, query, key if caller and _of_server(caller) else None)
        if caller and key and (not path.startswith("/api/") or self._cookies.has_page(key, headers, query)):
            self._cookies.check_origin(method, headers)
            return self._admit(scope, caller, again)
        if method not in SAFE:
            return self._refusal()
        return web.without_token(path, headers) or self._refusal()

    def _admit(self, scope: Scope, caller: Caller, again: Again) -> Response | None:
        """Let a request in, with who sent it; `permissions` decides what they may do.

        `again` finds out once more who sent it: a long answer ends when that is nobody.
        """
        whole = "token" if caller.via == "server" else f"{caller.name} {caller.via}"
        scope[WHO] = caller.session or whole
        scope[CALLER], scope[_AGAIN] = caller, again
        if self._keys.flush_due and (self._flushing is None or self._flushing.done()):
            self._flushing = asyncio.ensure_future(run_in_threadpool(self._keys.flush))
        return None

    def _hello(self, query: dict[str, str]) -> Response:
        """Prove that this server knows the token, or the digest of somebody's, without revealing it."""
        nonce = query.get("nonce", "")
        if not proof.usable(nonce):
            return self._refusal()
        known = self._keys.digest_of(query["token"]) if "token" in query else self._token
        return JSONResponse({"proof": proof.of(known, f"hello {nonce}")}, headers={"Cache-Control": "no-store"})

    async def _at_the_door(self, scope: Scope) -> Caller:
        """Return the account of the user at the other end of a Unix socket; raise NotAuthorised if there is none."""
        uid = scope.get("state", {}).get(PEER)
        if uid is None:
            raise NotAuthorised("Only the server's socket on its own machine is a door: send a token instead.")
        if not self._keys.on:
            raise NotAuthorised("This server belongs to one person: it has no accounts (`paddock team on`).")
        user = await run_in_threadpool(door.unix_name, uid)  # may ask a directory
        caller = self._keys.by_unix_name(user)
        if caller is None:
            mine = user or "USER"
            raise NotAuthorised(
                f"Your user {mine!r} on this machine belongs to no account: ask an admin to run `paddock users add "
                f"NAME --unix {mine}` (or `users edit`, if you have one), or sign in with `paddock login`."
            )
        return caller

    async def _follow_link(self, scope: Scope, query: list[tuple[str, str]], key: str | None) -> Response:
        """Redirect to the address without the token, with the page's key in the fragment, which no server is sent."""
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        begun = key if key is not None else await run_in_threadpool(self._keys.sessions.begin)
        address = local(scope["path"]) + (f"?{rest}" if rest else "") + f"#page={self._cookies.page(begun)}"
        response = RedirectResponse(address, status_code=303, headers={"Cache-Control": "no-store"})
        return response if key else self._cookies.give(response, begun, scope, SECONDS)

    def _refusal(self) -> Response:
        return refusal(team=self._keys.on)


def _while_allowed(caller: Caller, again: Again, send: Send) -> Send:
    """Return a `send` that ends a stream as soon as its reader would not be let in any more."""
    over = False

    async def passed_on(message: Message) -> None:
        nonlocal over
        if over:
            return
        if message.get("more_body"):
            now = again()
            over = now is None or (now.role, now.team) != (caller.role, caller.team)
        await send({"type": "http.response.body", "body": b""} if over else message)

    return passed_on


def refusal(*, team: bool) -> Response:
    """Return the answer to who has not signed in."""
    response = error_responses.reply(NotAuthorised(TEAM if team else ALONE))
    response.headers["WWW-Authenticate"] = "Bearer"
    return response


def local(path: str) -> str:
    """Return a path of this server, never //another.host."""
    return "/" + path.lstrip("/\\")


def address_of(scope: Scope) -> str:
    """Return where a request came from; nothing for the socket in the home."""
    client = scope.get("client")
    return str(client[0])[:64] if client else ""


def _of_server(caller: Caller) -> bool:
    return not caller.team or caller.name == SERVER


def _is_open(method: str, path: str) -> bool:
    return method in OPEN.get(path, ()) or (method in SAFE and path.startswith(OIDC))


def _bearer(headers: Headers) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None

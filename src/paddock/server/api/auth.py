"""Every request passes the token check here first.

Three answers need no token, and contain nothing secret: the assets of the page; any address of the page, which answers
401 with the page that asks for the token; and `/hello`, by which a client checks that it talks to its own server before
it sends the token.

A browser sends its cookie to every port of a host, and a form on any page of that host can post to this server. So the
cookie is the key of a session, not the token; requests that change something must come from our own page; and the API
requires the page's key as well, which a browser keeps for one port only.
"""

import json
import logging
import secrets
from http.cookies import SimpleCookie
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from paddock.errors import NotAuthorised, PaddockError, WrongOrigin
from paddock.home import proof
from paddock.server.api import error_responses, web
from paddock.server.api.caller import CALLER, Caller
from paddock.server.api.sessions import SECONDS, Sessions
from paddock.server.store.db import away

log = logging.getLogger("paddock.api")
SESSION = "/api/v1/session"
HELLO = "/api/v1/hello"
PAGE = "x-paddock-page"  # the header that contains the page's key
WHO = "paddock.who"  # set in the scope of an authorised request: its session, or "token"
PEER = "peer"  # in the state of a connection through a Unix socket: the user at the other end
_HINT = "This needs a valid token: open the link that `paddock up` printed, or send `Authorization: Bearer TOKEN`."
_SAFE = ("GET", "HEAD")
_NOT_A_FORM = ("application/json", "multipart/form-data")  # forms can send the latter, but then the origin is checked
_PORTS = {"http": ":80", "https": ":443"}


class TokenWall:
    """Accept the token from the Authorization header, the link or the sign-in form.

    The last two begin a session, whose cookie is then accepted as well.
    """

    def __init__(self, app: ASGIApp, token: str, sessions: Sessions, name: str, owner: str) -> None:
        """`name` distinguishes the cookie from those of other servers on this node: cookies do not know ports."""
        self._app = app
        self._token = token
        self._sessions = sessions
        self._owner = owner
        self._cookie = f"paddock-{proof.of(token, f'cookie {name}')[:16]}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        try:
            answer = await self._answer(scope, receive)
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
        await (answer or self._app)(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> Response | None:
        """Return what to answer, or None to let the request pass."""
        if scope["type"] != "http":
            return _refusal()
        headers = Headers(scope=scope)
        if scope["path"] == SESSION:
            return await self._session(Request(scope, receive), headers)
        if self._matches(_bearer(headers)):
            scope[WHO] = "token"
            scope[CALLER] = Caller(self._owner)
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if scope["path"] == HELLO:
            return self._hello(dict(query).get("nonce", ""))
        key = self._key(headers)
        session = self._sessions.find(key)
        linked = scope["method"] in _SAFE and self._matches(dict(query).get("token"))
        if linked:
            return await self._follow_link(scope, query, key if session else None)
        if session and key and (not scope["path"].startswith("/api/") or self._has_page(key, headers, query)):
            _check_origin(scope["method"], headers)
            scope[WHO] = session
            scope[CALLER] = Caller(self._owner, via="session", session=session)
            return None
        if scope["method"] not in _SAFE:
            return _refusal()
        return web.without_token(scope["path"], headers) or _refusal()

    async def _session(self, request: Request, headers: Headers) -> Response:
        """Sign a browser in (POST {"token": ...}, answers the page's key) or out (DELETE)."""
        if request.method == "DELETE":
            key = self._key(headers)
            if key is not None and self._sessions.find(key):
                _check_origin("DELETE", headers)
                await run_in_threadpool(self._sessions.end, key)
            response = Response(status_code=204)
            response.delete_cookie(self._cookie)
            return response
        if request.method != "POST" or not self._matches(await _posted(request)):
            return _refusal()
        key = await run_in_threadpool(self._sessions.begin)
        return self._with_cookie(
            JSONResponse({"page": self._page(key)}, headers={"Cache-Control": "no-store"}), key, request.scope
        )

    def _hello(self, nonce: str) -> Response:
        """Prove that this server knows the token, without revealing it."""
        if not proof.usable(nonce):
            return _refusal()
        return JSONResponse({"proof": proof.of(self._token, f"hello {nonce}")}, headers={"Cache-Control": "no-store"})

    def _matches(self, given: str | None) -> bool:
        return given is not None and secrets.compare_digest(given.encode(errors="replace"), self._token.encode())

    async def _follow_link(self, scope: Scope, query: list[tuple[str, str]], key: str | None) -> Response:
        """Redirect to the address without the token, with the page's key in the fragment, which no server is sent."""
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        path = "/" + str(scope["path"]).lstrip("/\\")  # never //another.host
        begun = key if key is not None else await run_in_threadpool(self._sessions.begin)
        address = path + (f"?{rest}" if rest else "") + f"#page={self._page(begun)}"
        response = RedirectResponse(address, status_code=303, headers={"Cache-Control": "no-store"})
        return response if key else self._with_cookie(response, begun, scope)

    def _with_cookie(self, response: Response, key: str, scope: Scope) -> Response:
        secure = scope["scheme"] == "https"
        response.set_cookie(self._cookie, key, httponly=True, samesite="strict", secure=secure, max_age=SECONDS)
        return response

    def _page(self, key: str) -> str:
        """Return the page's key, which belongs to a session's cookie."""
        return proof.of(self._token, f"page {key}")

    def _has_page(self, key: str, headers: Headers, query: list[tuple[str, str]]) -> bool:
        """Return True if the request has the page's key; in the query for the event stream and for links to files."""
        given = headers.get(PAGE) or dict(query).get("page", "")
        return secrets.compare_digest(given.encode(errors="replace"), self._page(key).encode())

    def _key(self, headers: Headers) -> str | None:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except Exception:  # a client may send anything as a cookie
            return None
        return found.value if found else None


def _check_origin(method: str, headers: Headers) -> None:
    """Raise WrongOrigin unless a request that changes something was sent by our own page, not by a foreign form."""
    if method in _SAFE:
        return
    site = headers.get("sec-fetch-site")  # without TLS, browsers send only the origin
    if site != "same-origin" if site is not None else not _same(headers.get("origin", ""), headers):
        raise WrongOrigin
    body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if (body or kind) and kind not in _NOT_A_FORM:
        raise WrongOrigin("This request was not carried out: a browser must send JSON or multipart/form-data.")


def _same(origin: str, headers: Headers) -> bool:
    try:
        found = urlsplit(origin)
    except ValueError:
        return False
    usual = _PORTS.get(found.scheme, "")
    return found.netloc.lower().removesuffix(usual) == headers.get("host", "").lower().removesuffix(usual) != ""


def _refusal() -> Response:
    response = error_responses.reply(NotAuthorised(_HINT))
    response.headers["WWW-Authenticate"] = "Bearer"
    return response


def _bearer(headers: Headers) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


async def _posted(request: Request) -> str | None:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > 10_000:
            return None
    try:
        given = json.loads(body)["token"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return given.strip() if isinstance(given, str) else None

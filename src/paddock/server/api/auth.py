"""No token, no answer: every request passes here first, whatever it asks for.

The exceptions hold nothing secret: the page itself, whose assets are served to everybody, and any page address, which
answers 401 with the page in its body, which then asks for the token; and `/hello`, by which a client finds out whether
it speaks to its own server before it sends the token.

A browser sends its cookie to every port of a host, and a form of any page there can be made to post to ours. So the
cookie is a session of its own, what it authorises to change must come from our own page, and whoever was sent the
cookie can do nothing with it alone: the API asks for the page's key as well, which a browser keeps for one port.
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
from paddock.server.api.sessions import SECONDS, Sessions
from paddock.server.store.db import away

log = logging.getLogger("paddock.api")
SESSION = "/api/v1/session"
HELLO = "/api/v1/hello"
PAGE = "x-paddock-page"  # header of the page's key
WHO = "paddock.who"  # in the scope of a request that was let in: its session, or "token"
_HINT = "A valid token is needed: use the link that `paddock up` printed, or send `Authorization: Bearer TOKEN`."
_SAFE = ("GET", "HEAD")
_NOT_A_FORM = ("application/json", "multipart/form-data")  # the latter is one, but has its origin checked
_PORTS = {"http": ":80", "https": ":443"}


class TokenWall:
    """Takes the token from the Authorization header, the link, or the sign-in form; the last two begin a session,
    whose cookie is then taken as well."""

    def __init__(self, app: ASGIApp, token: str, sessions: Sessions, name: str) -> None:
        """`name` tells this server from others of the machine: cookies do not know ports."""
        self._app = app
        self._token = token
        self._sessions = sessions
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
        except Exception as error:  # nobody without a token fills the log
            log.error("a request could not be looked at: %s", type(error).__name__)
            answer = error_responses.reply(away(error) or PaddockError("Something went wrong in the server."))
        await (answer or self._app)(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> Response | None:
        """None: let it pass."""
        if scope["type"] != "http":
            return _refusal()
        headers = Headers(scope=scope)
        if scope["path"] == SESSION:
            return await self._session(Request(scope, receive), headers)
        if self._matches(_bearer(headers)):
            scope[WHO] = "token"
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
            return None
        if scope["method"] not in _SAFE:
            return _refusal()
        return web.without_token(scope["path"], headers) or _refusal()

    async def _session(self, request: Request, headers: Headers) -> Response:
        """POST {"token": ...} signs a browser in and answers the page's key, DELETE signs it out."""
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
        """Proves that this server knows the token, and tells nothing of it."""
        if not proof.usable(nonce):
            return _refusal()
        return JSONResponse({"proof": proof.of(self._token, f"hello {nonce}")}, headers={"Cache-Control": "no-store"})

    def _matches(self, given: str | None) -> bool:
        return given is not None and secrets.compare_digest(given.encode(errors="replace"), self._token.encode())

    async def _follow_link(self, scope: Scope, query: list[tuple[str, str]], key: str | None) -> Response:
        """Take the token out of the address bar, and hand the page its key where no server sees it."""
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
        """The key of the page that belongs to a session's cookie."""
        return proof.of(self._token, f"page {key}")

    def _has_page(self, key: str, headers: Headers, query: list[tuple[str, str]]) -> bool:
        """In the query where a browser sends no header of ours: the event stream, and links to files."""
        given = headers.get(PAGE) or dict(query).get("page", "")
        return secrets.compare_digest(given.encode(errors="replace"), self._page(key).encode())

    def _key(self, headers: Headers) -> str | None:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except Exception:  # whatever a client may send as a cookie
            return None
        return found.value if found else None


def _check_origin(method: str, headers: Headers) -> None:
    """What a cookie alone may change must have been sent by our own page, not by a form of another port's."""
    if method in _SAFE:
        return
    site = headers.get("sec-fetch-site")  # browsers leave it out where there is no TLS, and send the origin alone
    if site != "same-origin" if site is not None else not _same(headers.get("origin", ""), headers):
        raise WrongOrigin
    body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if (body or kind) and kind not in _NOT_A_FORM:
        raise WrongOrigin("A request of a browser must have a body of JSON or multipart/form-data.")


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

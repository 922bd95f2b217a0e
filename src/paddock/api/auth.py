"""No token, no answer: every request passes here first, whatever it asks for.

The one exception is the page itself, which holds nothing secret: its assets are served to everybody, and any page
address answers 401 with the page in its body, which then asks for the token.
"""

import hashlib
import json
import secrets
from http.cookies import SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from paddock.api import web
from paddock.errors import NotAuthorised
from paddock.models import ErrorBody, ErrorReply

SESSION = "/api/v1/session"
_HINT = "A valid token is needed: use the link that `paddock up` printed, or send `Authorization: Bearer TOKEN`."
_DAYS = 30


class TokenWall:
    """Takes the token from the Authorization header, a cookie, the link, or the sign-in form; the last two set
    the cookie."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token
        # Cookies do not know ports: servers of one machine must not overwrite each other's.
        self._cookie = "paddock-" + hashlib.sha256(token.encode()).hexdigest()[:8]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http" and scope["path"] == SESSION:
            await (await self._session(Request(scope, receive)))(scope, receive, send)
        else:
            await (self._answer(scope) or self._app)(scope, receive, send)

    def _answer(self, scope: Scope) -> Response | None:
        """None: let it pass."""
        headers = Headers(scope=scope)
        if scope["type"] != "http":
            return _refusal()
        if self._matches(_bearer(headers)) or self._matches(self._from_cookie(headers)):
            return None
        if scope["method"] not in ("GET", "HEAD"):
            return _refusal()
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if self._matches(dict(query).get("token")):
            return self._follow_link(scope, query)
        return web.without_token(scope["path"], headers) or _refusal()

    async def _session(self, request: Request) -> Response:
        """POST {"token": ...} signs a browser in, DELETE signs it out."""
        if request.method == "DELETE":
            response = Response(status_code=204)
            response.delete_cookie(self._cookie)
            return response
        if request.method != "POST" or not self._matches(await _posted(request)):
            return _refusal()
        return self._signed_in(Response(status_code=204))

    def _matches(self, given: str | None) -> bool:
        return given is not None and secrets.compare_digest(given.encode(errors="replace"), self._token.encode())

    def _follow_link(self, scope: Scope, query: list[tuple[str, str]]) -> Response:
        """Take the token out of the address bar."""
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        path = "/" + str(scope["path"]).lstrip("/\\")  # never //another.host
        return self._signed_in(RedirectResponse(path + (f"?{rest}" if rest else ""), status_code=303))

    def _signed_in(self, response: Response) -> Response:
        response.set_cookie(self._cookie, self._token, httponly=True, samesite="strict", max_age=_DAYS * 86400)
        return response

    def _from_cookie(self, headers: Headers) -> str | None:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except Exception:  # whatever a client may send as a cookie
            return None
        return found.value if found else None


def _refusal() -> Response:
    body = ErrorReply(error=ErrorBody(code=NotAuthorised.code, message=_HINT))
    return JSONResponse(body.model_dump(), status_code=401, headers={"WWW-Authenticate": "Bearer"})


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
    except (ValueError, KeyError, TypeError):
        return None
    return given.strip() if isinstance(given, str) else None

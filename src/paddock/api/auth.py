"""No token, no answer: every request passes here first, whatever it asks for."""

import secrets
from http.cookies import SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from paddock.errors import NotAuthorised
from paddock.models import ErrorBody, ErrorReply

COOKIE = "paddock"
_HINT = "A valid token is needed: use the link that `paddock up` printed, or send `Authorization: Bearer TOKEN`."


class TokenWall:
    """Takes the token from the Authorization header, a cookie, or the link (which then sets the cookie)."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        await (self._answer(scope) or self._app)(scope, receive, send)

    def _answer(self, scope: Scope) -> Response | None:
        """None: let it pass."""
        headers = Headers(scope=scope)
        if scope["type"] == "http":
            if self._matches(_bearer(headers)) or self._matches(_cookie(headers)):
                return None
            query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
            if self._matches(dict(query).get("token")) and scope["method"] in ("GET", "HEAD"):
                return self._sign_in(scope, query)
        body = ErrorReply(error=ErrorBody(code=NotAuthorised.code, message=_HINT))
        return JSONResponse(body.model_dump(), status_code=401, headers={"WWW-Authenticate": "Bearer"})

    def _matches(self, given: str | None) -> bool:
        return given is not None and secrets.compare_digest(given.encode(), self._token.encode())

    def _sign_in(self, scope: Scope, query: list[tuple[str, str]]) -> Response:
        """Keep the token in a cookie and take it out of the address bar."""
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        path = "/" + str(scope["path"]).lstrip("/\\")  # never //another.host
        response = RedirectResponse(path + (f"?{rest}" if rest else ""), status_code=303)
        response.set_cookie(COOKIE, self._token, httponly=True, samesite="strict", max_age=30 * 86400)
        return response


def _bearer(headers: Headers) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _cookie(headers: Headers) -> str | None:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except Exception:  # whatever a client may send as a cookie
        return None
    return found.value if found else None

"""The cookie of a signed-in browser, the page's key that belongs to it, and which pages may send it."""

import secrets
from http.cookies import SimpleCookie
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from paddock.errors import WrongOrigin
from paddock.home import proof

PAGE = "x-paddock-page"  # the header that contains the page's key
SAFE = ("GET", "HEAD")
PENDING_SECONDS = 600
_NOT_A_FORM = ("application/json", "multipart/form-data")  # forms can send the latter, but then the origin is checked
_PORTS = {"http": ":80", "https": ":443"}


class Cookies:
    """Names and makes the cookies of one server: cookies do not know ports, and other servers may run on this node.

    `url` is the address that people open, where it is not the one that the server listens on.
    """

    def __init__(self, token: str, name: str, url: str | None = None) -> None:
        self._token = token
        self._secure = (url or "").startswith("https://")
        self._host = urlsplit(url).netloc.lower() if url else ""
        own = f"paddock-{proof.of(token, f'cookie {name}')[:16]}"
        self._name = f"__Host-{own}" if self._secure else own
        self._pending = f"{own}-pending"

    def key(self, headers: Headers) -> str | None:
        """Return the key of a session, which may be anybody's invention."""
        return self._value(headers, self._name)

    def state(self, headers: Headers) -> str | None:
        """Return what a browser was given before it went to a single sign-on provider."""
        return self._value(headers, self._pending)

    def _value(self, headers: Headers, name: str) -> str | None:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(name)
        except Exception:  # a client may send anything as a cookie
            return None
        return found.value if found else None

    def give(self, response: Response, key: str, scope: Scope, seconds: int) -> Response:
        response.set_cookie(
            self._name, key, httponly=True, samesite="strict", secure=self._is_secure(scope), max_age=seconds
        )
        return response

    def take(self, response: Response) -> Response:
        response.delete_cookie(self._name, httponly=True, samesite="strict", secure=self._secure)
        return response

    def give_state(self, response: Response, state: str, scope: Scope) -> Response:
        """Lax: the browser must send it when it comes back from another site."""
        response.set_cookie(
            self._pending, state, httponly=True, samesite="lax", secure=self._is_secure(scope), max_age=PENDING_SECONDS
        )
        return response

    def take_state(self, response: Response) -> Response:
        response.delete_cookie(self._pending, httponly=True, samesite="lax", secure=self._secure)
        return response

    def _is_secure(self, scope: Scope) -> bool:
        return self._secure or scope["scheme"] == "https"

    def page(self, key: str) -> str:
        """Return the page's key, which belongs to a session's cookie."""
        return proof.of(self._token, f"page {key}")

    def has_page(self, key: str, headers: Headers, query: list[tuple[str, str]]) -> bool:
        """Return True if the request has the page's key; in the query for the event stream and for links to files."""
        given = headers.get(PAGE) or dict(query).get("page", "")
        return secrets.compare_digest(given.encode(errors="replace"), self.page(key).encode())

    def check_origin(self, method: str, headers: Headers) -> None:
        """Raise WrongOrigin unless a request that changes something was sent by our own page, not by a foreign form."""
        if method in SAFE:
            return
        site = headers.get("sec-fetch-site")  # without TLS, browsers send only the origin
        if site != "same-origin" if site is not None else not self._same(headers.get("origin", ""), headers):
            raise WrongOrigin
        body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if (body or kind) and kind not in _NOT_A_FORM:
            raise WrongOrigin("This request was not carried out: a browser must send JSON or multipart/form-data.")

    def check_stranger(self, method: str, headers: Headers) -> None:
        """Raise WrongOrigin if a browser sent this from a foreign page, which would sign somebody in unasked."""
        if "sec-fetch-site" in headers or "origin" in headers:
            self.check_origin(method, headers)

    def _same(self, origin: str, headers: Headers) -> bool:
        try:
            found = urlsplit(origin)
        except ValueError:
            return False
        usual = _PORTS.get(found.scheme, "")
        here = {headers.get("host", "").lower().removesuffix(usual), self._host.removesuffix(usual)} - {""}
        return found.netloc.lower().removesuffix(usual) in here

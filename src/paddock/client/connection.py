"""Connect to a server: find its address and token, and turn its errors into ours.

Which server: the one that is named (`url`, `home`, PADDOCK_URL, PADDOCK_HOME); otherwise the one that the user is
signed in to (`paddock login`), the user's own if it runs, or that of the machine, through its door (see site.py).

After a crash the address of a server stays in its home, and anybody may listen on that port. So nothing secret is sent
before it is certain who receives it: through a socket where only the server can listen, by a certificate, or after the
server has proved that it knows the token.
"""

import json
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from paddock.client import logins, site
from paddock.client.http import BadAddress, Http, Interrupted, Response, Stream, Timeout, to_port, to_socket
from paddock.errors import NotAuthorised, PaddockError, Refused, ServerUnreachable, by_code
from paddock.home import server_file, tls, unix_socket
from paddock.paths import Home, home_folder, refuse_foreign

PREFIX = "/api/v1"
HANDOVER_SECONDS = 30.0
SILENCE_SECONDS = 60.0  # the server sends a comment every 15 s when nothing happens
PROVEN_SECONDS = 60.0  # after this long without an answer, a server has to prove again who it is
_HELLO_BYTES = 10_000
Answer = TypeVar("Answer")
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class _NotReached(ServerUnreachable):
    """Nothing was sent that changes anything: the request may be tried again."""


class Connection:
    def __init__(self, url: str | None, token: str | None, home: str | Path | None, timeout: float) -> None:
        self.home = Home(home_folder(home))
        self._url = url or (None if home else os.environ.get("PADDOCK_URL")) or None
        self._token = token or (None if home and not url else os.environ.get("PADDOCK_TOKEN")) or None
        self._login: logins.Login | None = None
        self._site: site.MachineServer | None = None
        if not home and not self._token:
            self._choose()
        self._timeout = timeout
        self._pinned: dict[str, Http] = {}  # certificate of a server -> what to ask it with
        self._inside: Http | None = None
        self._open = ExitStack()
        self._proven: dict[str, float] = {}  # address -> until when

    def _choose(self) -> None:
        """Find the server that the user is signed in to, or that of the machine."""
        if self._url is None and os.environ.get("PADDOCK_HOME"):
            return
        known = logins.read()
        self._login = known.of(self._url) if self._url else known.usual
        if self._login is not None:
            self._url, self._token = self._login.url, self._login.token
        elif self._url is None and not os.path.lexists(self.home.server):
            self._site = site.read()

    def close(self) -> None:
        self._open.close()

    @cached_property
    def _http(self) -> Http:
        """What asks ports whose certificates the system has to trust."""
        # A proxy of the environment stands between networks, not between this computer and itself.
        local = self._url is None or urlsplit(self._url).hostname in LOOPBACK
        return self._kept(Http(to_port(cache(partial(tls.trust, None)), proxies=not local)))

    def _kept(self, made: Http) -> Http:
        """Close it at the end."""
        self._open.callback(made.close)
        return made

    @property
    def url(self) -> str:
        """The address, looked up each time: a server that was started again may have another port."""
        if self._url is not None:
            return self._url.rstrip("/")
        if self._site is not None:
            return self._site.url.rstrip("/")
        refuse_foreign(self.home.root)
        try:
            there = self.home.server.exists()
        except OSError as error:
            raise ServerUnreachable(
                f"{self.home.root} cannot be read ({error.strerror}): choose a home of your own with --home."
            ) from None
        found = server_file.read(self.home)
        if found is not None:
            return found.url.rstrip("/")
        if there and self.home.server.exists():
            raise ServerUnreachable(f"{self.home.server} cannot be read: restart the server with `paddock up`.")
        start = server_file.start_command(self.home)
        raise _NotReached(f"No Paddock server runs on {self.home.root}: start one with `{start}`, or set PADDOCK_URL.")

    @property
    def page(self) -> str:
        """The address that people open, which may be that of a proxy."""
        found = server_file.read(self.home) if self._url is None and self._site is None else None
        return (found.public if found and found.public else self.url).rstrip("/")

    @property
    def token(self) -> str | None:
        """The token to send; None through the door of the machine, which needs none."""
        return None if self._site else self._token or self.home.read_token()

    def request(self, method: str, path: str, *, wait_seconds: float | None = None, **options: Any) -> Response:
        """Return a whole answer. `wait_seconds`: seconds to wait for it, if longer than usual."""
        seconds = max(wait_seconds or 0, self._timeout)
        options["timeout"] = Timeout(seconds, seconds)
        end = time.monotonic() + HANDOVER_SECONDS
        while True:
            before = server_file.read(self.home)
            try:
                return self._request(method, path, options)
            except _NotReached:
                if not self._moves(before) or time.monotonic() > end:
                    raise
            time.sleep(0.2)

    def answers(self) -> bool:
        """Return True if the server answers now."""
        try:
            self._request("GET", "/version", {"timeout": self._seconds})
        except PaddockError:
            return False
        return True

    @property
    def _seconds(self) -> Timeout:
        return Timeout(self._timeout, self._timeout)

    def _request(self, method: str, path: str, options: dict[str, Any]) -> Response:
        http, url = self.reach()
        with self._translated(url, again=method == "GET"):
            response = http.request(method, url + PREFIX + path, headers=self._headers(), **options)
            self._refuse(response, url)
            self._heard(url)
            return response

    def unproven(self, method: str, path: str, *, headers: dict[str, str], body: Any = None) -> Response:
        """Return the answer of whoever listens at the address. No token is sent."""
        with self._translated(self.url, again=True):
            address = self.url + PREFIX + path
            timeout = Timeout(self._timeout, max(self._timeout, 60.0))  # a directory may take a while
            response = self._http.request(method, address, headers=headers, body=body, timeout=timeout)
            refuse(response, self.url)
            return response

    def reach(self) -> tuple[Http, str]:
        """Return a client and the address, once it is certain that our server is there. Raises PaddockError."""
        url = self.url
        inside = self._through_a_socket() if self._url is None else None
        if inside is not None:
            return inside, url.replace("https://", "http://", 1)  # only the server listens at the socket
        if time.monotonic() >= self._proven.get(url, 0.0):
            self._prove(url)
        return self._outside(url), url

    def _outside(self, url: str) -> Http:
        """Return a client for the port. The certificate in the home counts more than who has signed it."""
        found = server_file.read(self.home) if self._url is None and url.startswith("https://") else None
        if found is None or found.certificate is None:
            return self._http
        if found.certificate not in self._pinned:
            trust = cache(partial(tls.trust, found.certificate))
            self._pinned[found.certificate] = self._kept(Http(to_port(trust, proxies=False)))
        return self._pinned[found.certificate]

    def _through_a_socket(self) -> Http | None:
        """Return a client for the door of the machine, or for the socket in the home if there is one."""
        if self._site is not None:
            self._inside = self._inside or self._kept(Http(to_socket(self._site.door, self._site.uid)))
            return self._inside
        try:
            with unix_socket.address(self.home) as place:
                if not unix_socket.path(self.home).is_socket() or not unix_socket.listens(place):
                    return None
            if self._inside is None:
                place = self._open.enter_context(unix_socket.address(self.home))
                self._inside = self._kept(Http(to_socket(place)))
        except OSError:
            return None
        return self._inside

    def _prove(self, url: str) -> None:
        """Let the server prove that it knows the token. Only a random number is sent, and which token it is about.

        Of a person's token the server knows a digest. With HTTPS, the certificate of its address is proof enough.
        """
        token = self.token
        if not token and self._url is not None:
            raise NotAuthorised(f"You are not signed in at {url}: run `paddock login {url}`.")
        person = bool(token and token.startswith(logins.PERSONAL))
        if person and url.startswith("https://"):
            return
        import hmac  # not needed through the home, and OpenSSL takes a while to load

        nonce = os.urandom(32).hex()
        http = self._outside(url)
        body = b""
        asked = {"nonce": nonce, "token": _token_id(token)} if token and person else {"nonce": nonce}
        with (
            self._translated(url, again=True),
            http.stream("GET", f"{url}{PREFIX}/hello", params=asked, timeout=self._seconds) as response,
        ):
            for part in response.parts():
                body += part
                if len(body) > _HELLO_BYTES:
                    break
        answer = _object(body).get("proof")
        if not isinstance(answer, str):
            status = f"{response.status} {response.reason}".strip()
            raise ServerUnreachable(
                f"{url} answered {status}, which is not an answer of a Paddock server of this version; nothing secret "
                "was sent to it. Restart your server with `paddock up`."
            )
        from paddock.home import proof

        right = proof.of(proof.digest(token) if person else token, f"hello {nonce}") if token else ""
        if not token or not hmac.compare_digest(answer.encode(errors="replace"), right.encode()):
            if person:
                raise self._rejected(url)
            raise NotAuthorised(
                f"What answers at {url} does not know your token, so nothing was sent to it: it is another user's "
                "server, or the token is wrong. Set PADDOCK_TOKEN, give the server's home with --home, or restart your "
                "server with `paddock up`."
            )
        self._heard(url)

    def _heard(self, url: str) -> None:
        self._proven[url] = time.monotonic() + PROVEN_SECONDS

    def _moves(self, before: server_file.ServerAddress | None) -> bool:
        """Return True if another server takes over, or has done so since `before` was read."""
        if self._url is not None:
            return False
        return server_file.successor(self.home) is not None or server_file.read(self.home) not in (before, None)

    @contextmanager
    def stream(self, path: str, /, headers: dict[str, str] | None = None, **params: Any) -> Iterator[Stream]:
        """Return an answer while it arrives."""
        http, url = self.reach()
        timeout = Timeout(self._timeout, SILENCE_SECONDS)
        given = {name: value for name, value in params.items() if value is not None}
        with (
            self._translated(url),
            http.stream(
                "GET", url + PREFIX + path, params=given, headers=self._headers() | (headers or {}), timeout=timeout
            ) as response,
        ):
            if response.status >= 300:
                self._refuse(response.whole(), url)
            yield response

    def _headers(self) -> dict[str, str]:
        if self._site is not None:
            return {"Authorization": "Door"}
        token = self.token
        if token and not (token.isascii() and token.isprintable()):
            raise NotAuthorised("The token has characters that no token of a server has: correct PADDOCK_TOKEN.")
        return {"Authorization": f"Bearer {token}"} if token else {}

    def _refuse(self, response: Response, url: str) -> None:
        """Raise the error of an answer, if it is one; about a token, with what to do from here."""
        try:
            refuse(response, url)
        except NotAuthorised:
            if self._site is not None:
                raise
            if self._login is not None or (self.token or "").startswith(logins.PERSONAL):
                raise self._rejected(url) from None
            raise NotAuthorised(
                f"The server at {url} does not accept this token: set PADDOCK_TOKEN, give the server's home with "
                f"--home, or sign in with `paddock login {url}`."
            ) from None

    def _rejected(self, url: str) -> NotAuthorised:
        """Return the error about a personal token that the server does not accept."""
        over = self._login and self._login.expires_at and self._login.expires_at <= time.time()
        why = "has expired" if over else "is not valid any more (expired, revoked, or the account was disabled)"
        return NotAuthorised(f"Your sign-in at {url} {why}: sign in again with `paddock login {url}`.")

    @contextmanager
    def _translated(self, url: str, again: bool = False) -> Iterator[None]:
        """Raise our own errors. `again`: asking again does no harm, even if the server has received the request."""
        try:
            yield
        except Interrupted as error:
            self._proven.pop(url, None)  # the next one to listen there has to prove who it is
            raise self._ours(error, url, again) from None
        except BadAddress as error:
            raise ServerUnreachable(
                f"{url!r} is not the address of a server ({error}): correct --url or PADDOCK_URL."
            ) from None

    def _ours(self, error: Interrupted, url: str, again: bool) -> ServerUnreachable:
        if error.slow:
            return ServerUnreachable(f"The server at {url} did not answer in time: try again, or run `paddock doctor`.")
        if "CERTIFICATE_VERIFY_FAILED" in str(error):
            return ServerUnreachable(_untrusted(url, str(error)))
        if self._site is not None:
            return ServerUnreachable(
                f"The Paddock server of this machine does not answer at {self._site.door} ({error}): ask who runs it, "
                "or start one of your own with `paddock up`."
            )
        if self._login is not None:
            return ServerUnreachable(
                f"{url}, where you are signed in, does not answer ({error}): check the network, or ask who runs it. "
                "`paddock logout` makes commands use your own server again."
            )
        kind = _NotReached if again or not error.sent else ServerUnreachable
        start = "paddock up" if self._url else server_file.start_command(self.home)
        return kind(f"No Paddock server answers at {url} ({error}): start one with `{start}`.")


def _token_id(token: str) -> str:
    return token.removeprefix(logins.PERSONAL).partition("_")[0]


def _untrusted(url: str, why: str) -> str:
    reason = why.partition("verify failed: ")[2].partition(" (_ssl.c")[0] or why
    return (
        f"The certificate of {url} is not trusted here ({reason}), so nothing was sent to it: name a file with it, or "
        "with that of its signer, in SSL_CERT_FILE, or give the server's home with --home."
    )


def understood(kind: type[Answer], content: bytes) -> Answer:
    """Return an answer as the type that it should have."""
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(kind).validate_json(content)
    except ValidationError as error:
        raise misunderstood(error.errors()[0]["msg"]) from None


def misunderstood(why: str) -> PaddockError:
    return PaddockError(
        f"The server's answer was not understood ({why}): it may have another version than this program; compare them "
        "with `paddock version`."
    )


def _object(content: bytes) -> dict[str, Any]:
    """Return the JSON object of an answer; an empty one if it is none."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def refuse(response: Response, url: str) -> None:
    """Raise the error of an answer, if it is one."""
    if response.status < 300:
        return
    error = _object(response.content).get("error")
    if not isinstance(error, dict) or not isinstance(error.get("message"), str):
        raise PaddockError(
            f"{url} answered {response.status} {response.reason}, which is not an answer of a Paddock server: correct "
            "--url or PADDOCK_URL."
        )
    fields = error.get("fields")
    named = {str(name): str(text) for name, text in fields.items()} if isinstance(fields, dict) else {}
    made = by_code(str(error.get("code")))(error["message"], fields=named)
    if isinstance(made, Refused) and isinstance(error.get("booking"), dict):
        from paddock.models import BookingResult  # takes a while, and most errors do without

        made.booking = BookingResult.model_validate(error["booking"])
    raise made

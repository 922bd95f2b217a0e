"""The way to a server: where it is, its token, its errors as ours."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
from pydantic import ValidationError

from paddock import ownership, whereabouts
from paddock.errors import NotAuthorised, PaddockError, ServerUnreachable, by_code
from paddock.models import ErrorReply
from paddock.paths import Home
from paddock.settings import home_folder

PREFIX = "/api/v1"
HANDOVER_SECONDS = 30.0
SILENCE_SECONDS = 60.0  # the server sends a comment every 15 s when nothing happens
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class _NotReached(ServerUnreachable):
    """Nothing was sent yet: it may be tried again, whatever it is."""


class Connection:
    def __init__(self, url: str | None, token: str | None, home: str | Path | None, timeout: float) -> None:
        self.home = Home(home_folder(home))
        self._url = url or (None if home else os.environ.get("PADDOCK_URL")) or None
        self._token = token or (None if home and not url else os.environ.get("PADDOCK_TOKEN")) or None
        self._timeout = timeout
        # A proxy of the environment stands between networks, not between this machine and itself.
        local = self._url is None or urlsplit(self._url).hostname in _LOOPBACK
        self._http = httpx2.Client(timeout=timeout, trust_env=not local)

    def close(self) -> None:
        self._http.close()

    @property
    def url(self) -> str:
        """Looked up anew each time: a server that was started again may have another port."""
        if self._url is not None:
            return self._url.rstrip("/")
        ownership.refuse_foreign(self.home.root)
        there = self.home.server.exists()
        found = whereabouts.read(self.home)
        if found is not None:
            return found.url.rstrip("/")
        if there and self.home.server.exists():
            raise ServerUnreachable(f"{self.home.server} cannot be read: start the server again.")
        raise _NotReached(
            f"No Paddock server runs on {self.home.root}: start one with `paddock up`, or set PADDOCK_URL."
        )

    @property
    def token(self) -> str | None:
        return self._token or self.home.read_token()

    def request(self, method: str, path: str, *, patience: float | None = None, **options: Any) -> httpx2.Response:
        """A whole answer. `patience`: seconds to wait for it, where that is longer than usual."""
        options.setdefault("timeout", max(patience or 0, self._timeout))
        end = time.monotonic() + HANDOVER_SECONDS
        while True:
            try:
                return self._request(method, path, options)
            except _NotReached:
                if not self._moves() or time.monotonic() > end:
                    raise
            time.sleep(0.2)

    def answers(self) -> bool:
        """Whether the server is there now."""
        try:
            self._request("GET", "/version", {"timeout": self._timeout})
        except PaddockError:
            return False
        return True

    def _request(self, method: str, path: str, options: dict[str, Any]) -> httpx2.Response:
        url = self.url
        with self._translated(url):
            response = self._http.request(method, url + PREFIX + path, headers=self._headers(), **options)
            _refuse(response, url)
            return response

    def _moves(self) -> bool:
        """Another server is about to take over, perhaps on another machine."""
        return self._url is None and whereabouts.successor(self.home) is not None

    @contextmanager
    def stream(self, path: str, headers: dict[str, str] | None = None, **params: Any) -> Iterator[httpx2.Response]:
        """An answer as it comes."""
        url = self.url
        timeout = httpx2.Timeout(self._timeout, read=SILENCE_SECONDS)
        given = {name: value for name, value in params.items() if value is not None}
        with (
            self._translated(url),
            self._http.stream(
                "GET", url + PREFIX + path, params=given, headers=self._headers() | (headers or {}), timeout=timeout
            ) as response,
        ):
            if response.status_code >= 400:
                response.read()
                _refuse(response, url)
            yield response

    def _headers(self) -> dict[str, str]:
        token = self.token
        return {"Authorization": f"Bearer {token}"} if token else {}

    @contextmanager
    def _translated(self, url: str) -> Iterator[None]:
        try:
            yield
        except httpx2.TimeoutException:
            raise ServerUnreachable(f"The server at {url} does not answer in time: see `paddock doctor`.") from None
        except httpx2.TransportError as error:
            why = str(error) or type(error).__name__
            kind = _NotReached if isinstance(error, httpx2.ConnectError) else ServerUnreachable
            raise kind(f"No Paddock server answers at {url} ({why}): start one with `paddock up`.") from None
        except httpx2.InvalidURL as error:
            raise ServerUnreachable(f"{url!r} is not the address of a server: {error}.") from None


def _refuse(response: httpx2.Response, url: str) -> None:
    if response.status_code < 300:
        return
    try:
        error = ErrorReply.model_validate_json(response.content).error
    except ValidationError:
        raise PaddockError(
            f"{url} answered {response.status_code} {response.reason_phrase}, which is no answer of a Paddock server."
        ) from None
    if error.code == NotAuthorised.code:
        raise NotAuthorised(
            f"The server at {url} does not accept this token: set PADDOCK_TOKEN, or give the server's home with --home."
        )
    raise by_code(error.code)(error.message, fields=error.fields)

"""The way to a server: where it is, its token, its errors as ours."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
from pydantic import ValidationError

from paddock.errors import NotAuthorised, PaddockError, ServerUnreachable, by_code
from paddock.models import ErrorReply
from paddock.paths import Home
from paddock.settings import home_folder

PREFIX = "/api/v1"
SILENCE_SECONDS = 60.0  # the server sends a comment every 15 s when nothing happens
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


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
        try:
            return str(json.loads(self.home.server.read_text())["url"]).rstrip("/")
        except FileNotFoundError:
            raise ServerUnreachable(
                f"No Paddock server runs on {self.home.root}: start one with `paddock up`, or set PADDOCK_URL."
            ) from None
        except (OSError, ValueError, KeyError, TypeError):
            raise ServerUnreachable(f"{self.home.server} cannot be read: start the server again.") from None

    @property
    def token(self) -> str | None:
        return self._token or self.home.read_token()

    def request(self, method: str, path: str, *, patience: float | None = None, **options: Any) -> httpx2.Response:
        """A whole answer. `patience`: seconds to wait for it, where that is longer than usual."""
        url = self.url
        options.setdefault("timeout", max(patience or 0, self._timeout))
        with self._translated(url):
            response = self._http.request(method, url + PREFIX + path, headers=self._headers(), **options)
            _refuse(response, url)
            return response

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
            raise ServerUnreachable(
                f"No Paddock server answers at {url} ({why}): start one with `paddock up`."
            ) from None
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

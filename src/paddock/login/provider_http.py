"""Ask a single sign-on provider over HTTP: not for long, not much, and nobody else."""

import json
import ssl
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2

from paddock.login.identity import unavailable

SECONDS = 10.0  # for one request, from its beginning to the end of the answer
MAX_BYTES = 1_000_000


class ProviderHttp:
    """Requests to a provider that are answered with a JSON object. Redirects are not followed."""

    def __init__(self, ca_certificate: Path | None) -> None:
        self._ca_certificate = ca_certificate
        self._tls: ssl.SSLContext | None = None

    def get(self, url: str, authorization: str | None = None) -> dict[str, Any]:
        status, answer = self._ask("GET", url, authorization)
        if status != 200:
            raise unavailable(f"{url} answered with status {status}")
        return answer

    def post(self, url: str, form: Mapping[str, str], authorization: str | None = None) -> dict[str, Any]:
        """Return the answer to a form; an OAuth error is an answer with `error` in it."""
        status, answer = self._ask("POST", url, authorization, form)
        if status != 200 and "error" not in answer:
            raise unavailable(f"{url} answered with status {status}")
        return answer

    def _ask(
        self, method: str, url: str, authorization: str | None, form: Mapping[str, str] | None = None
    ) -> tuple[int, dict[str, Any]]:
        # Not compressed: a small answer could become a large one.
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        headers |= {"Authorization": authorization} if authorization else {}
        deadline, content = time.monotonic() + SECONDS, bytearray()
        try:
            with self._client() as client, client.stream(method, url, headers=headers, data=form) as answer:
                for part in answer.iter_raw():
                    content += part
                    if len(content) > MAX_BYTES or time.monotonic() > deadline:
                        raise unavailable(f"{url} answered too much or too slowly")
                status = answer.status_code
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise unavailable(f"{url} does not answer: {error}") from None
        try:
            found = json.loads(content)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise unavailable(f"{url} answered with status {status} and no JSON object")
        return status, found

    def _client(self) -> httpx2.Client:
        if self._tls is None:
            self._tls = ssl.create_default_context(cafile=self._ca_certificate)
        return httpx2.Client(verify=self._tls, follow_redirects=False, timeout=SECONDS)

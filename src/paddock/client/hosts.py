"""The hosts of a server, for the SDK: `Client().hosts.all()`. Changing them is for admins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from paddock import models
from paddock.client.connection import Connection, understood

if TYPE_CHECKING:
    from collections.abc import Sequence

KEY_SECONDS = 300.0  # hosts that do not answer are waited for, one after the other


class HostCalls:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _call(self, method: str, path: str, body: Any = None, **params: Any) -> bytes:
        given = {name: value for name, value in params.items() if value is not None}
        return self._connection.request(method, path, body=body, params=given).content

    def all(self) -> list[models.HostInfo]:
        return understood(list[models.HostInfo], self._call("GET", "/hosts"))

    def keys(self, name: str, backend: str | None = None) -> list[models.HostKey]:
        """Return the keys with which a host answers, or several such as gpu[1-8], to be compared by a person."""
        body = {"name": name, "backend": backend}
        answer = self._connection.request("POST", "/hosts/keys", body=body, wait_seconds=KEY_SECONDS)
        return understood(list[models.HostKey], answer.content)

    def add(self, name: str, backend: str | None = None, keys: Sequence[str] = ()) -> list[models.HostInfo]:
        """Add a host, or several. `keys` are the lines of keys that a person has compared."""
        body = {"name": name, "backend": backend, "keys": list(keys)}
        return understood(list[models.HostInfo], self._call("POST", "/hosts", body))

    def lost(self, name: str, backend: str | None = None) -> models.HostInfo:
        """Declare a host that does not answer lost: what it had is started elsewhere."""
        path = f"/hosts/{quote(name, safe='')}/lost"
        return understood(models.HostInfo, self._call("POST", path, backend=backend))

    def forget(self, name: str, backend: str | None = None) -> None:
        """Take a host that was added off the list."""
        self._call("DELETE", f"/hosts/{quote(name, safe='')}", backend=backend)

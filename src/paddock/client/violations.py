"""Processes on GPUs where they ought not to be, for the SDK: `Client().violations.all(open=True)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from paddock import models
from paddock.client.connection import Connection, understood

if TYPE_CHECKING:
    from datetime import datetime


class ViolationCalls:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _call(self, method: str, path: str, body: Any = None, **params: Any) -> bytes:
        given = {name: value for name, value in params.items() if value is not None}
        return self._connection.request(method, path, body=body, params=given).content

    def all(
        self, *, open: bool = False, mine: bool = False, before: int | None = None, limit: int = 100
    ) -> models.ViolationPage:
        """Return violations, those that go on first; `mine`: yours, and those on your reservations."""
        answer = self._call("GET", "/violations", open=open, mine=mine, before=before, limit=limit)
        return understood(models.ViolationPage, answer)

    def ask(self, id: int) -> models.Violation:
        """Show the message on the terminals of whoever owns the process once more."""
        return understood(models.Violation, self._call("POST", f"/violations/{id}/ask"))

    def end(self, id: int) -> models.Violation:
        """End the process now (for admins)."""
        return understood(models.Violation, self._call("POST", f"/violations/{id}/end"))

    def exempt(self, id: int, until: datetime, *, why: str = "", everywhere: bool = False) -> models.Exemption:
        """Let a violation be none until then (for admins); `everywhere`: all that its owner runs."""
        body = {"until": until.isoformat(), "why": why, "everywhere": everywhere}
        return understood(models.Exemption, self._call("POST", f"/violations/{id}/exempt", body))

    def exemptions(self) -> list[models.Exemption]:
        return understood(list[models.Exemption], self._call("GET", "/exemptions"))

    def add_exemption(
        self,
        until: datetime,
        *,
        account: str | None = None,
        command: str | None = None,
        device: str | None = None,
        why: str = "",
    ) -> models.Exemption:
        """Exempt what an account runs, what a command begins with, or what is on a device: all that is given holds."""
        what = {"account": account, "command": command, "device": device}
        return understood(
            models.Exemption, self._call("POST", "/exemptions", what | {"until": until.isoformat(), "why": why})
        )

    def remove_exemption(self, id: str) -> None:
        self._call("DELETE", f"/exemptions/{quote(id, safe='')}")

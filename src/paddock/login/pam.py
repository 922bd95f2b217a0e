"""Passwords of this machine's accounts, checked by PAM in a process of its own per check.

Not in the server: its user may not read the passwords of others, modules of PAM are not made for threads, and a module
that crashes or hangs must not take the server along.
"""

import json
import sys
from collections.abc import Sequence
from typing import Any

from paddock.agents import warden
from paddock.login.command import ask
from paddock.login.identity import Identity, printable, unavailable, valid_name, valid_names
from paddock.models import SignInSource
from paddock.settings import PamSettings

SECONDS = warden.SECONDS + 5.0


class PamLogin:
    """The accounts of this machine. `command` starts the warden, which has the rights to check their passwords."""

    def __init__(self, settings: PamSettings, command: Sequence[str]) -> None:
        self._service = settings.service
        self._command = list(command) if settings.warden else here()

    def check(self, name: str, password: str) -> Identity | None:
        """Return the account that this name and password belong to, None if there is none that may be used now."""
        if not valid_name(name) or not password or "\0" in password:
            return None
        request = {"op": "check", "service": self._service, "name": name, "password": password}
        who = self._ask(request).get("who")
        if not isinstance(who, dict):
            return None
        if who.get("name") != name:
            raise unavailable("The warden answered for another account than it was asked about.")
        return Identity(
            source=SignInSource.PAM,
            subject=name,
            name=name,
            full_name=printable(who.get("full_name")),
            unix_name=name,
            groups=valid_names(groups if isinstance(groups := who.get("groups"), list) else []),
        )

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        outcome = ask(self._command, seconds=SECONDS, text=json.dumps(request).encode() + b"\n")
        try:
            answer = json.loads(outcome.out)
        except ValueError:
            detail = printable(outcome.errors) or f"it ended with code {outcome.code}"
            raise unavailable(f"The warden gave no answer ({detail}): see `paddock doctor --team`.") from None
        if not isinstance(answer, dict) or answer.get("ok") is not True:
            detail = printable(answer.get("error")) if isinstance(answer, dict) else ""
            raise unavailable(f"The warden cannot check passwords: {detail or 'no reason given'}.")
        return answer


def here(*arguments: str) -> list[str]:
    """Return the command line of the warden without root's rights: enough where PAM asks a service such as sssd."""
    return [sys.executable, "-I", "-S", str(warden.__file__), *arguments]

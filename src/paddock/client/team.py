"""The people of a server, for the SDK: `Client().team.accounts()`. Most of it is for admins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from paddock import models
from paddock.client.connection import Connection, understood
from paddock.client.http import Response

if TYPE_CHECKING:
    from collections.abc import Sequence


class TeamCalls:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _call(self, method: str, path: str, body: Any = None, **params: Any) -> bytes:
        given = {name: value for name, value in params.items() if value is not None}
        return self._connection.request(method, path, body=body, params=given).content

    # --- accounts in general ------------------------------------------------------------------------------------------

    def state(self) -> models.TeamState:
        return understood(models.TeamState, self._call("GET", "/team"))

    def check(self) -> models.TeamState:
        """Let the server try what the team needs of its machine; the answer has the `checks`."""
        return understood(models.TeamState, self._call("POST", "/team/check"))

    def turn(self, on: bool) -> models.TeamState:
        """Turn accounts on or off. Turning them on answers the one-time link of the first admin."""
        return understood(models.TeamState, self._call("POST", "/team", {"on": on}))

    def me(self) -> models.Me:
        return understood(models.Me, self._call("GET", "/me"))

    def audit(
        self,
        *,
        who: str | None = None,
        act: str | None = None,
        object: str | None = None,
        before: int | None = None,
        limit: int | None = None,
    ) -> models.AuditPage:
        """Return who did what, the newest first; `before`: only entries with smaller numbers."""
        found = self._call("GET", "/audit", who=who, act=act, object=object, before=before, limit=limit)
        return understood(models.AuditPage, found)

    # --- one's own tokens ---------------------------------------------------------------------------------------------

    def tokens(self) -> list[models.PersonalToken]:
        return understood(list[models.PersonalToken], self._call("GET", "/me/tokens"))

    def add_token(self, name: str, *, scope: str = "all", days: float | None = 90) -> models.PersonalToken:
        """Make a token; the answer is the only place where it can be read."""
        body = {"name": name, "scope": scope, "days": days}
        return understood(models.PersonalToken, self._call("POST", "/me/tokens", body))

    def revoke_token(self, id: str) -> None:
        self._call("DELETE", f"/me/tokens/{quote(id, safe='')}")

    # --- people -------------------------------------------------------------------------------------------------------

    def accounts(self) -> list[models.Account]:
        return understood(list[models.Account], self._call("GET", "/accounts"))

    def add_account(self, name: str, **fields: Any) -> models.Account:
        return understood(models.Account, self._call("POST", "/accounts", {"name": name, **fields}))

    def edit_account(self, name: str, **changes: Any) -> models.Account:
        return understood(models.Account, self._call("PATCH", f"/accounts/{quote(name, safe='')}", changes))

    def groups(self) -> list[models.AccountGroup]:
        return understood(list[models.AccountGroup], self._call("GET", "/groups"))

    def add_group(self, name: str, **fields: Any) -> models.AccountGroup:
        return understood(models.AccountGroup, self._call("POST", "/groups", {"name": name, **fields}))

    def edit_group(self, name: str, **changes: Any) -> models.AccountGroup:
        return understood(models.AccountGroup, self._call("PATCH", f"/groups/{quote(name, safe='')}", changes))

    def remove_group(self, name: str) -> None:
        self._call("DELETE", f"/groups/{quote(name, safe='')}")

    def invites(self) -> list[models.Invite]:
        return understood(list[models.Invite], self._call("GET", "/invites"))

    def invite(
        self,
        *,
        role: str = "user",
        groups: Sequence[str] = (),
        email: str = "",
        days: float = 7,
        name: str | None = None,
    ) -> models.Invite:
        """Make a link by which one person makes an account, or by which `name`, who has one, chooses a password."""
        body = {"name": name, "role": role, "groups": list(groups), "email": email, "days": days}
        return understood(models.Invite, self._call("POST", "/invites", body))

    def revoke_invite(self, id: str) -> None:
        self._call("DELETE", f"/invites/{quote(id, safe='')}")


class SignInExchange:
    """Sign in as a browser does, make a token, and sign out. Nothing is kept here."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._headers = {"Origin": connection.url}

    def methods(self) -> models.SignInMethods:
        return understood(models.SignInMethods, self._send("GET", "/session/methods").content)

    def begin(self, name: str, password: str) -> None:
        self._keep(self._send("POST", "/session", {"name": name, "password": password}))

    def _keep(self, answer: Response) -> None:
        cookie = (answer.headers.get("Set-Cookie") or "").partition(";")[0]
        self._headers |= {"Cookie": cookie, "X-Paddock-Page": understood(models.SignedIn, answer.content).page}

    def invited(self, code: str) -> models.SetupInfo:
        """Return what a one-time link is for."""
        return understood(models.SetupInfo, self._send("POST", "/setup/open", {"code": code}).content)

    def join(self, code: str, name: str | None, password: str) -> None:
        """Take the account that a one-time link is for, and sign in."""
        self._keep(self._send("POST", "/setup", {"code": code, "name": name, "password": password}))

    def token(self, name: str, days: float | None) -> models.PersonalToken:
        body = {"name": name, "scope": "all", "days": days}
        return understood(models.PersonalToken, self._send("POST", "/me/tokens", body).content)

    def end(self) -> None:
        self._send("DELETE", "/session")

    def _send(self, method: str, path: str, body: Any = None) -> Response:
        return self._connection.unproven(method, path, headers=self._headers, body=body)

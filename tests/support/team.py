"""A running server with accounts, and a client for each of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from tests.support.server import PATIENCE, ServerProcess, running

PASSWORD = "correct horse battery"
ADMIN, ALICE, BOB, GUEST = "ann", "alice", "bob", "gina"
ROLES = {ALICE: "user", BOB: "user", GUEST: "guest"}


class Team:
    """A server in team mode. The admin `ann` owns what was there before; `alice` and `bob` are users, `gina` a guest.

    `clients` has a client with a token of each of them, `clients["server"]` one with the server's own token.
    """

    def __init__(self, server: ServerProcess) -> None:
        self.server, self.url = server, server.url
        self.state: dict[str, Any] = server.post("/team", {"on": True})
        self.clients = {"server": server.client}
        self._made: list[httpx2.Client] = []
        code = self.state["setup"].partition("code=")[2]
        answer = self.stranger().post("/setup", json={"code": code, "password": PASSWORD})
        assert answer.status_code == 200, answer.text
        self.clients[ADMIN] = self.with_token(ADMIN)
        for name, role in ROLES.items():
            self.add(name, role)

    def add(self, name: str, role: str = "user", **about: Any) -> httpx2.Client:
        """Make an account with the password of all accounts; return a client of it."""
        body = {"name": name, "role": role, "password": PASSWORD, **about}
        answer = self.clients["server"].post("/accounts", json=body)
        assert answer.status_code == 201, answer.text
        self.clients[name] = self.with_token(name)
        return self.clients[name]

    def browser(self, name: str, password: str = PASSWORD) -> httpx2.Client:
        """Sign in as an account: a client with the cookie, the page's key and the right origin. Each is another one."""
        client = self._client({"Origin": self.url})
        answer = client.post("/session", json={"name": name, "password": password})
        assert answer.status_code == 200, answer.text
        client.headers["X-Paddock-Page"] = answer.json()["page"]
        return client

    def with_token(self, name: str, **token: Any) -> httpx2.Client:
        """Return a client with a new token of an account; `token`: its scope and days."""
        signed_in = self.browser(name)
        answer = signed_in.post("/me/tokens", json={"name": "test", **token})
        assert answer.status_code == 201, answer.text
        signed_in.delete("/session")
        return self.bearer(answer.json()["token"])

    def bearer(self, token: str) -> httpx2.Client:
        return self._client({"Authorization": f"Bearer {token}"})

    def stranger(self) -> httpx2.Client:
        return self._client({})

    def _client(self, headers: dict[str, str]) -> httpx2.Client:
        made = httpx2.Client(
            base_url=f"{self.url}/api/v1", headers=headers, timeout=PATIENCE, verify=self.server.verify
        )
        self._made.append(made)
        return made

    def close(self) -> None:
        for client in self._made:
            client.close()


@contextmanager
def team(home: Path, **settings: Any) -> Iterator[Team]:
    """Start a server of the owner `ann`, and turn accounts on."""
    with running(home, owner=ADMIN, **settings) as server:
        made = Team(server)
        try:
            yield made
        finally:
            made.close()

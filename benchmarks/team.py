"""Measure what it costs a request to find out who sent it, with 1,000 accounts, their sessions and their tokens."""

import asyncio
import secrets
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send
from tests.support.server import running
from tests.support.team import ALICE, Team

from paddock.login import password
from paddock.models import Role, SignInSource, TokenScope
from paddock.server.api.auth import WHO, TokenWall
from paddock.server.api.caller import CALLER, Caller
from paddock.server.api.cookies import PAGE, Cookies
from paddock.server.api.keys import Keys
from paddock.server.store import team, users
from paddock.server.store.db import Database

ACCOUNTS = 1_000
REQUESTS = 5_000
CALLS = 1_000
GOAL = 0.001
TOKEN = "the server's own token"


def main() -> None:
    _wall()
    _whole()
    _passwords()


def _wall() -> None:
    """Print the CPU time of a request inside the process, with the wall and without it."""
    with tempfile.TemporaryDirectory() as folder:
        db = Database(f"sqlite:///{Path(folder) / 'x.db'}")
        db.migrate()
        keys, token, session = _filled(db)
        cookies = Cookies(TOKEN, "home")
        wall = TokenWall(_app, TOKEN, keys, cookies)
        name = cookies.give(PlainTextResponse(), session, {"scheme": "http"}, 1).headers["set-cookie"].split("=")[0]
        browser = {"cookie": f"{name}={session}", PAGE: cookies.page(session), "sec-fetch-site": "same-origin"}
        without = asyncio.run(_cpu(_open_app, lambda: {"authorization": f"Bearer {token}"}))
        forged = [f"Bearer pdk_{'a' * 8}_{secrets.token_urlsafe(32)}" for _ in range(REQUESTS)]
        for who, headers in {
            "a token": lambda: {"authorization": f"Bearer {token}"},
            "a session": lambda: browser,
            "a forged token": lambda: {"authorization": forged.pop()},
        }.items():
            taken = asyncio.run(_cpu(wall, headers))
            print(
                f"{who} among {ACCOUNTS:,} accounts: {1e6 * taken:.0f} µs of CPU per request, {1e6 * without:.0f} µs "
                f"without the wall, ratio {taken / without:.1f}: {1e6 * (taken - without):.0f} µs for it "
                f"(goal: under {1e6 * GOAL:.0f} µs)"
            )
        db.close()


def _filled(db: Database) -> tuple[Keys, str, str]:
    """Return keys with many accounts, and a token and the key of a session of one of them."""
    now = time.time()
    with db.write() as c:
        team.switch(c, True, now)
        for number in range(ACCOUNTS):
            users.add(c, f"user{number}", Role.USER, SignInSource.PASSWORD, now)
    keys = Keys(db, TOKEN, "owner")
    reload, keys.reload = keys.reload, lambda: None  # type: ignore[method-assign]  # once, at the end
    made = [keys.issue(f"user{number}", "t", TokenScope.ALL, now + 3600)[1] for number in range(ACCOUNTS)]
    sessions = [keys.sessions.begin(f"user{number}") for number in range(0, ACCOUNTS, 10)]
    keys.reload = reload  # type: ignore[method-assign]
    keys.reload()
    return keys, made[ACCOUNTS // 2], sessions[len(sessions) // 2]


async def _app(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("ok")(scope, receive, send)


async def _open_app(scope: Scope, receive: Receive, send: Send) -> None:
    scope[CALLER], scope[WHO] = Caller("owner"), "token"
    await _app(scope, receive, send)


async def _cpu(app: Callable[..., Any], headers: Callable[[], dict[str, str]]) -> float:
    """Return the CPU seconds of one request."""

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(_: Message) -> None: ...

    begun = time.process_time()
    for _ in range(REQUESTS):
        raw = [(name.encode(), value.encode()) for name, value in headers().items()]
        scope: dict[str, Any] = {"type": "http", "method": "GET", "path": "/api/v1/version", "query_string": b""}
        scope |= {"headers": [(b"host", b"127.0.0.1:1"), *raw], "scheme": "http", "client": ("127.0.0.1", 1)}
        await app(scope, receive, send)
    return (time.process_time() - begun) / REQUESTS


def _whole() -> None:
    """Print how long a request takes over HTTP, before and after accounts are turned on."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "home", owner="ann") as server:
        before = _median(server.client)
        lab = Team(server)
        after = {who: _median(lab.clients[who]) for who in ("server", ALICE)}
        after["a browser"] = _median(lab.browser(ALICE))
        lab.close()
    for who, taken in after.items():
        print(
            f"GET /version as {who}: {1e3 * taken:.2f} ms in a team, {1e3 * before:.2f} ms alone, "
            f"ratio {taken / before:.2f}"
        )


def _median(client: httpx2.Client) -> float:
    taken = []
    for _ in range(CALLS):
        begun = time.perf_counter()
        assert client.get("/version").status_code == 200
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken)


def _passwords() -> None:
    stored = password.hashed("correct horse battery")
    begun = time.process_time()
    for _ in range(5):
        password.matches(stored, "wrong")
    print(f"a check of a password: {1e3 * (time.process_time() - begun) / 5:.0f} ms of CPU, and 19 MiB")


if __name__ == "__main__":
    main()

"""Test that problems are shown while they exist, and that a missing database is not a server error."""

import asyncio
import contextlib
import os
import time
from collections import namedtuple
from collections.abc import Iterator

import anyio.to_thread
import httpx2
import pytest

from paddock.paths import Home
from paddock.server.api import health_watch
from paddock.server.api.app import create_app
from paddock.server.api.server import Server
from paddock.server.api.wakeup import Wakeup
from paddock.server.engine import mailbox
from paddock.server.engine.engine import Engine
from paddock.server.store import db as store
from paddock.server.store.db import Database
from paddock.settings import Settings
from tests.server.store import postgres
from tests.support import loop
from tests.support.server import ServerProcess, running, wait_for

TOKEN = "0123456789abcdef0123456789abcdef"


def test_a_problem_stays_until_a_whole_round_has_succeeded(
    home: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = Database(f"sqlite:///{home.database}")
    db.migrate()
    engine = Engine(db, home, settings, [], lambda: None)

    def fails(*_: object) -> bool:
        raise ValueError("cannot be published")

    with monkeypatch.context() as patch:
        patch.setattr(mailbox, "publish", fails)
        engine.start()
        wait_for(lambda: engine.problem)
        for _ in range(40):
            assert engine.problem == "ValueError: cannot be published"
            time.sleep(0.05)
    wait_for(lambda: engine.problem is None)
    engine.close()
    db.close()


def test_a_disk_that_is_nearly_full_is_told(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    found = health_watch.HealthWatch(None, home)  # type: ignore[arg-type]
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage(10**13, 10**13, 10**9))
    assert "nearly full" in found._disk()[0]
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage(10**9, 0, 10**9))
    assert found._disk() == []
    monkeypatch.setattr(health_watch, "LATE_SECONDS", -1.0)
    assert "has not answered" in found.problems[0]


def test_health_needs_no_worker_thread_and_counts_what_is_set_aside(
    home: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = Database(f"sqlite:///{home.database}")
    db.migrate()
    engine = Engine(db, home, settings, [], lambda: None)
    monkeypatch.setattr(Engine, "set_aside", {"one": "a reason"})
    app = create_app(Server(db, home, settings, engine, Wakeup()), TOKEN)

    async def ask() -> httpx2.Response:
        limiter = anyio.to_thread.current_default_thread_limiter()
        limiter.total_tokens = 1
        await limiter.acquire_on_behalf_of(object())  # and never given back
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://paddock") as client:
            asked = client.get("/api/v1/health", headers={"Authorization": f"Bearer {TOKEN}"})
            return await asyncio.wait_for(asked, 120)

    assert loop.run(ask).json()["set_aside"] == 1
    db.close()


def test_a_pool_that_is_used_up_may_be_tried_again(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "WAIT_SECONDS", 0)
    db = Database(f"sqlite:///{home.database}", connections=5)
    with contextlib.ExitStack() as stack:
        for _ in range(5):
            stack.enter_context(db.read())
        with pytest.raises(store.FAULTS) as caught, db.read():
            pass
    assert "in use" in str(store.away(caught.value))
    db.close()


def test_a_locked_sqlite_is_away_and_a_wrong_statement_is_not(home: Home) -> None:
    db = Database(f"sqlite:///{home.database}?timeout=0")
    with pytest.raises(store.FAULTS) as caught, db.read() as c:
        c.exec_driver_sql("SELECT * FROM nothing")
    assert store.away(caught.value) is None
    with pytest.raises(store.FAULTS) as caught, db.read() as c:
        c.exec_driver_sql("PRAGMA query_only = ON")
        c.exec_driver_sql("CREATE TABLE x (y)")
    assert store.away(caught.value)
    db.close()


@pytest.fixture(scope="module")
def cluster() -> Iterator[postgres.Cluster]:
    programs = postgres.binaries()
    if programs is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(postgres.MISSING)
    with postgres.cluster(programs) as made:
        yield made


@pytest.fixture(scope="module")
def server(cluster: postgres.Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with (
        cluster.database() as name,
        running(tmp_path_factory.mktemp("health") / "home", database=cluster.url(name), local__slots=1) as server,
    ):
        yield server


def test_while_the_database_is_away_requests_may_be_tried_again(
    server: ServerProcess, cluster: postgres.Cluster
) -> None:
    assert server.get("/health")["ok"]
    cluster.stop()
    try:
        for answer in (
            server.client.get("/jobs"),
            server.client.post("/jobs/none/stop"),
            server.client.get("/events"),
            server.client.post("/session", json={"token": server.token}),
        ):
            assert (answer.status_code, answer.json()["error"]["code"]) == (503, "database_unavailable")
            assert int(answer.headers["retry-after"]) > 0
        found = wait_for(lambda: [one for one in server.get("/health")["problems"] if "the database" in one])
        assert "does not answer" in found[0]
        for _ in range(20):
            assert not server.get("/health")["ok"]
            time.sleep(0.05)
    finally:
        cluster.start()
    wait_for(lambda: server.client.get("/jobs").status_code == 200)
    wait_for(lambda: server.get("/health")["ok"])

"""Test many, slow and idle connections: the server goes on, and others do not notice."""

import asyncio
import contextlib
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
import uvicorn

from paddock.errors import Busy
from paddock.home import server_file
from paddock.paths import Home
from paddock.server.api import connections, streams
from paddock.server.api.auth import WHO
from paddock.server.api.wakeup import Wakeup
from tests.support import loop
from tests.support.server import ServerProcess, wait_for

FEW_FILES = 256


async def _app(scope: Any, receive: Any, send: Any) -> None:
    """Lets in who has a header; answers with very much to whom asks for `/much`."""
    if scope["type"] != "http":
        return
    if any(name == b"authorization" for name, _ in scope["headers"]):
        scope[WHO] = "token"
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(2000 if scope["path"] == "/much" else 0):
        await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})
        await asyncio.sleep(0)
    await send({"type": "http.response.body", "body": b"yes"})


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Of a server with short waits, and room for five."""
    monkeypatch.setattr(connections, "IDLE_SECONDS", 1.0)
    monkeypatch.setattr(connections, "STUCK_SECONDS", 1.0)
    monkeypatch.setattr(connections.Protocol, "most", 5)
    config = uvicorn.Config(
        _app, http=connections.Protocol, lifespan="off", log_level="warning", timeout_keep_alive=600
    )
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])), daemon=True)
        thread.start()
        wait_for(lambda: server.started)
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join(120)


def _closed(one: socket.socket) -> bool:
    one.settimeout(60)
    try:
        while one.recv(1_000_000):
            pass
    except ConnectionError:
        pass
    return True


def _connect(port: int, sent: bytes = b"") -> socket.socket:
    one = socket.create_connection(("127.0.0.1", port), timeout=60)
    one.sendall(sent)
    return one


def _answered(one: socket.socket) -> bool:
    one.sendall(ASK + b"Authorization: x\r\n\r\n")
    said = b""
    while not said.endswith(b"0\r\n\r\n"):
        part = one.recv(10_000)
        if not part:
            return False
        said += part
    return said.startswith(b"HTTP/1.1 200")


ASK = b"GET / HTTP/1.1\r\nHost: x\r\n"


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n", ASK + b"\r\n"])
def test_a_stranger_who_asks_nothing_is_left(port: int, sent: bytes) -> None:
    with _connect(port, sent) as one:
        assert _closed(one)


def test_a_reader_who_takes_nothing_is_left(port: int) -> None:
    with _connect(port, b"GET /much HTTP/1.1\r\nHost: x\r\nAuthorization: x\r\n\r\n") as one:
        time.sleep(2)  # longer than it is waited for
        assert _closed(one)


def test_strangers_make_room_and_others_stay(port: int) -> None:
    with contextlib.ExitStack() as stack:
        known = stack.enter_context(_connect(port))
        assert _answered(known)
        crowd = [stack.enter_context(_connect(port)) for _ in range(20)]
        assert all(_closed(one) for one in crowd[:14])
        assert _answered(known)
        assert _answered(stack.enter_context(_connect(port)))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """That may have few files open."""
    folder = tmp_path_factory.mktemp("connections")
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nulimit -n {FEW_FILES}\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    made = ServerProcess(folder / "home", local__slots=1, runner__grace_seconds=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "executable", str(python))
        made.start()
    yield made
    made.stop()


def test_more_connections_than_files_do_not_end_the_server(server: ServerProcess) -> None:
    address = urlsplit(server.url)
    with contextlib.ExitStack() as stack:
        for _ in range(FEW_FILES + 100):
            one = socket.socket()
            stack.enter_context(one)
            with contextlib.suppress(OSError):
                one.connect((address.hostname, address.port))
        wait_for(lambda: _answers(server), 120)
        job = server.submit("print('went on')")
        server.wait(job)
        assert server.log_of(job) == "went on\n"
    assert server.process is not None
    assert server.process.poll() is None


def _answers(server: ServerProcess) -> bool:
    headers = {"Authorization": f"Bearer {server.token}"}
    with contextlib.suppress(httpx2.HTTPError):
        return httpx2.get(f"{server.url}/api/v1/health", headers=headers, timeout=30).is_success
    return False


def test_a_handover_file_that_cannot_be_looked_at_is_no_successor(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> str:
        raise OSError(24, os.strerror(24))

    monkeypatch.setattr(Path, "read_text", fails)
    assert server_file.successor(home) is None


def test_event_streams_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "IN_ALL", 3)
    monkeypatch.setattr(streams, "PER_SESSION", 2)
    made = streams.Streams(None, Wakeup())  # type: ignore[arg-type]
    with made.place("a"), made.place("a"):
        with pytest.raises(Busy), made.place("a"):
            pass
        with made.place("b"), pytest.raises(Busy), made.place("c"):
            pass
    with made.place("a"):
        pass


def test_too_many_event_streams_are_told_to_come_later(server: ServerProcess) -> None:
    with contextlib.ExitStack() as stack:
        client = stack.enter_context(
            httpx2.Client(headers=dict(server.client.headers), timeout=60, limits=httpx2.Limits(max_connections=None))
        )
        for _ in range(streams.PER_SESSION):
            answer = stack.enter_context(client.stream("GET", f"{server.url}/api/v1/events"))
            assert answer.status_code == 200
        late = client.get(f"{server.url}/api/v1/events")
        assert (late.status_code, late.json()["error"]["code"]) == (503, "busy")
        assert int(late.headers["retry-after"]) > 0
        assert _answers(server)
    wait_for(lambda: _has_room(server), 120)


def _has_room(server: ServerProcess) -> bool:
    with server.client.stream("GET", "/events") as answer:
        return answer.status_code == 200


def test_a_ring_between_looking_and_waiting_is_heard() -> None:
    async def follow() -> float:
        wakeup = Wakeup()
        wakeup.attach()
        seen = wakeup.rings
        await asyncio.to_thread(wakeup.ring)  # after it has looked, before it waits
        await asyncio.sleep(0.01)
        began = time.monotonic()
        await wakeup.wait(seen, 60)
        return time.monotonic() - began

    assert loop.run(follow) < 30

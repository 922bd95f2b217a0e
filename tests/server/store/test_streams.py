"""Test what event streams send: all of it, in bounded portions, read once for all readers at the same position."""

import asyncio
import json
import threading
import time
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from paddock.models.events import TasksRequested
from paddock.server.api import streams
from paddock.server.api.auth import WHO
from paddock.server.api.events import Begin
from paddock.server.api.events import follow as follow_stream
from paddock.server.api.wakeup import Wakeup
from paddock.server.store import events
from paddock.server.store.db import Database
from paddock.server.store.sight import EVERYTHING
from tests.server.store.given import told
from tests.support import loop


def fill(db: Database, count: int, size: int = 10) -> None:
    with db.write() as c:
        for number in range(count):
            events.write(
                c, "ab"[number % 2], TasksRequested(change="stopping", ids=[str(number), "ü\n\u2028" + "x" * size])
            )


def follow(db: Database, job: str | None = None) -> list[streams.EventPage]:
    """All portions from the beginning."""

    async def read() -> list[streams.EventPage]:
        made = streams.Streams(db, Wakeup())
        found = [await made.after(0, job, EVERYTHING)]
        while found[-1].more:
            found.append(await made.after(found[-1].position, job, EVERYTHING))
        return found

    return loop.run(read)


def sent(found: list[streams.EventPage]) -> list[dict[str, Any]]:
    blocks = b"".join(one.data for one in found).decode().split("\n\n")
    assert blocks.pop() == ""
    return [dict(line.split(": ", 1) for line in block.split("\n")) for block in blocks]


def test_what_is_sent_is_the_event(db: Database) -> None:
    fill(db, 3)
    got = sent(follow(db))
    with db.read() as c:
        wanted = told(c, 0)
    assert [json.loads(one["data"]) for one in got] == [json.loads(one.model_dump_json()) for one in wanted]
    assert [(one["event"], int(one["id"])) for one in got] == [(one.kind, one.id) for one in wanted]
    assert [json.loads(one["data"])["job"] for one in sent(follow(db, "b"))] == ["b"]


@pytest.mark.parametrize(("size", "most"), [(10, 1_000_000), (1000, 5000), (20_000, 5000)])
def test_portions_are_bounded_and_lose_nothing(
    db: Database, monkeypatch: pytest.MonkeyPatch, size: int, most: int
) -> None:
    monkeypatch.setattr(streams, "AT_ONCE", 7)
    monkeypatch.setattr(streams, "AT_ONCE_BYTES", most)
    fill(db, 20, size)
    found = follow(db)
    assert all(len(one.data) < most + size + 500 for one in found)  # the last one of a portion may go over
    assert all(one.data.count(b"\n\n") <= 7 for one in found)
    assert [json.loads(one["data"])["data"]["ids"][0] for one in sent(found)] == [str(number) for number in range(20)]


def receive(db: Database, wanted: int) -> bytes:
    """Follow from the beginning until this many events came, for up to 5 seconds."""

    async def read() -> bytes:
        wakeup = Wakeup()
        wakeup.attach()
        stream = follow_stream(streams.Streams(db, wakeup), Begin(None, 0, complete=True, sight=EVERYTHING))
        got = b""
        async with asyncio.timeout(5):  # far less than a stream waits when it is not woken
            while got.count(b"event: tasks") < wanted:
                got += await anext(stream)
        return got

    return loop.run(read)


def test_what_is_written_while_a_stream_reads_is_sent_at_once(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = streams.Streams._read
    left = [1, 2, 3]

    def read_then_written(made: streams.Streams, position: int, job: str | None) -> streams._Portion:
        found = plain(made, position, job)
        if left:  # after the reading, before the stream waits
            fill(db, left.pop())
            made.wakeup.ring()
        return found

    monkeypatch.setattr(streams.Streams, "_read", read_then_written)
    assert receive(db, 6).count(b"event: tasks") == 6


def test_a_stream_is_sent_all_that_there_is_before_it_waits(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "AT_ONCE", 7)
    fill(db, 7 * 3 + 2)
    assert receive(db, 23).count(b"event: tasks") == 23


def test_readers_share_what_is_read_and_few_read_at_a_time(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(db, 30)
    lock, now, most, reads = threading.Lock(), 0, 0, 0
    plain = streams.Streams._read

    def counted(made: streams.Streams, position: int, job: str | None) -> streams._Portion:
        nonlocal now, most, reads
        with lock:
            now, reads = now + 1, reads + 1
            most = max(most, now)
        time.sleep(0.02)
        try:
            return plain(made, position, job)
        finally:
            with lock:
                now -= 1

    monkeypatch.setattr(streams.Streams, "_read", counted)

    async def crowd() -> None:
        made = streams.Streams(db, Wakeup())
        await asyncio.gather(*(made.after(position, None, EVERYTHING) for position in range(20) for _ in range(50)))

    loop.run(crowd)
    assert reads == 20
    assert most <= streams.READERS


def test_the_more_streams_there_are_the_longer_each_waits() -> None:
    async def pauses() -> tuple[float, float, float]:
        made = streams.Streams(None, Wakeup())  # type: ignore[arg-type]
        none = made.pause
        with made.place("a"):
            one = made.pause
            with made.place("b"):
                return none, one, made.pause

    none, one, two = loop.run(pauses)
    assert none == 0
    assert two == 2 * one > 0
    assert streams.IN_ALL / streams.SENDINGS <= 1  # who follows with all others still sees things as they happen


def test_who_has_no_place_is_refused_before_anything_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "IN_ALL", 1)
    asked: list[str] = []
    replies: list[Message] = []
    late = asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        asked.append(scope["path"])
        await late.wait()

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        replies.append(message)

    async def come() -> None:
        limit = streams.Limit(app, streams.Streams(None, Wakeup()))  # type: ignore[arg-type]

        def ask(path: str) -> asyncio.Task[None]:
            scope = {"type": "http", "method": "GET", "path": path, "headers": [], WHO: "token"}
            return asyncio.ensure_future(limit(scope, receive, send))

        first = ask(streams.PATH)
        await asyncio.sleep(0)
        await ask(streams.PATH)
        other = ask("/api/v1/health")
        late.set()
        await asyncio.gather(first, other)
        await ask(streams.PATH)

    loop.run(come)
    assert asked == [streams.PATH, "/api/v1/health", streams.PATH]
    assert replies[0]["status"] == 503
    assert b"retry-after" in dict(replies[0]["headers"])

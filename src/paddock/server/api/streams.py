"""What all event streams share: a limit on their number, what is read for them, and how often each is served.

A hundred browsers must cost little more than one, and a slow reader no more than others. So events are read and encoded
once for all streams at the same position, in small portions; and the more streams there are, the longer each waits
between two portions.
"""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from paddock.errors import Busy
from paddock.models import Visibility
from paddock.server.api import error_responses
from paddock.server.api.auth import WHO
from paddock.server.api.wakeup import Wakeup
from paddock.server.store import events
from paddock.server.store.db import Database
from paddock.server.store.rows import moment
from paddock.server.store.sight import Sight

PATH = "/api/v1/events"
IN_ALL = 400
PER_SESSION = 100
AT_ONCE = 100  # events
AT_ONCE_BYTES = 128 * 1024  # one event may be larger
READERS = 2  # at a time: most worker threads are for requests
SENDINGS = 400  # per second, of all streams together
_FRESH_SECONDS = 5.0


@dataclass(frozen=True)
class EventPage:
    """Encoded events, the position of the last one, and whether there are more."""

    position: int
    data: bytes = b""
    more: bool = False


@dataclass(frozen=True)
class _Portion:
    """Encoded events, each with the only person who may see it; and what somebody sees of them, put together once."""

    position: int
    parts: list[tuple[str | None, bytes]]
    more: bool
    pages: dict[Sight, EventPage] = field(default_factory=dict)

    def page(self, sight: Sight) -> EventPage:
        """Return what somebody may see. The position is that of the last event, seen or not."""
        if sight not in self.pages:
            seen = [data for owner, data in self.parts if owner is None or sight.sees(owner, Visibility.PRIVATE)]
            self.pages[sight] = EventPage(self.position, b"".join(seen), self.more)
        return self.pages[sight]


class Streams:
    def __init__(self, db: Database, wakeup: Wakeup) -> None:
        self._db = db
        self.wakeup = wakeup
        self._open: Counter[str] = Counter()
        self._known: dict[tuple[int, str | None], asyncio.Task[_Portion]] = {}
        self._known_of = (-1, 0.0)
        self._readers = asyncio.Semaphore(READERS)

    @contextmanager
    def place(self, who: str) -> Iterator[None]:
        """Count one stream of this session; raise Busy if there are too many."""
        if self._open.total() >= IN_ALL or self._open[who] >= PER_SESSION:
            raise Busy(
                "There are too many event streams: close pages of Paddock that are open, or try again in a minute."
            )
        self._open[who] += 1
        try:
            yield
        finally:
            self._open[who] -= 1

    @property
    def number(self) -> int:
        return self._open.total()

    @property
    def pause(self) -> float:
        """Return how many seconds a stream waits after each portion."""
        return self._open.total() / SENDINGS

    async def after(self, position: int, job: str | None, sight: Sight) -> EventPage:
        """Return what somebody may see of the next portion after a position.

        The portion is read once for all streams that ask for the same.
        """
        rings, at = self._known_of
        if rings != self.wakeup.rings or time.monotonic() - at > _FRESH_SECONDS:
            self._known.clear()
            self._known_of = (self.wakeup.rings, time.monotonic())
        key = position, job
        if key not in self._known:
            self._known[key] = asyncio.ensure_future(self._fetch(position, job))
        return (await asyncio.shield(self._known[key])).page(sight)

    async def _fetch(self, position: int, job: str | None) -> _Portion:
        async with self._readers:
            return await run_in_threadpool(self._read, position, job)

    def _read(self, position: int, job: str | None) -> _Portion:
        parts: list[tuple[str | None, bytes]] = []
        size = 0
        with self._db.read() as c:
            for one in events.after(c, position, job, AT_ONCE):
                parts.append((one.owner, _lines(one)))
                size += len(parts[-1][1])
                position = one.id
                if size >= AT_ONCE_BYTES:
                    break
        return _Portion(position, parts, more=size >= AT_ONCE_BYTES or len(parts) == AT_ONCE)


def _lines(one: events.Written) -> bytes:
    at = moment(one.at).isoformat().replace("+00:00", "Z")
    about = json.dumps({"id": one.id, "at": at, "job": one.job, "kind": one.kind})
    return f'event: {one.kind}\ndata: {about[:-1]}, "data": {one.data}}}\nid: {one.id}\n\n'.encode()


class Limit:
    """Refuse streams beyond the limit before anything is done for them: their clients reconnect again and again."""

    def __init__(self, app: ASGIApp, streams: Streams) -> None:
        self._app = app
        self._streams = streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != PATH:
            await self._app(scope, receive, send)
            return
        try:
            with self._streams.place(scope[WHO]):
                await self._app(scope, receive, send)
        except Busy as error:
            await error_responses.reply(error)(scope, receive, send)

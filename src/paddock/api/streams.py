"""What all event streams share: how many there may be, and what is read for them."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from fastapi.sse import ServerSentEvent
from starlette.concurrency import run_in_threadpool

from paddock.api.bell import Bell
from paddock.errors import Busy
from paddock.store import events
from paddock.store.db import Database

IN_ALL = 400
PER_SESSION = 100
AT_ONCE = 500
_FRESH_SECONDS = 5.0

Found = list[tuple[int, ServerSentEvent]]


class Streams:
    def __init__(self, db: Database, bell: Bell) -> None:
        self._db = db
        self._bell = bell
        self._open: Counter[str] = Counter()
        self._known: dict[tuple[int, str | None], asyncio.Task[Found]] = {}
        self._known_of = (-1, 0.0)

    @contextmanager
    def place(self, who: str) -> Iterator[None]:
        """For one stream of somebody."""
        if self._open.total() >= IN_ALL or self._open[who] >= PER_SESSION:
            raise Busy("There are too many event streams: close some, or try again in a while.")
        self._open[who] += 1
        try:
            yield
        finally:
            self._open[who] -= 1

    async def after(self, position: int, job: str | None) -> Found:
        """Read once for all who are at the same position: they are many, and ask at the same time."""
        rings, at = self._known_of
        if rings != self._bell.rings or time.monotonic() - at > _FRESH_SECONDS:
            self._known.clear()
            self._known_of = (self._bell.rings, time.monotonic())
        key = position, job
        if key not in self._known:
            self._known[key] = asyncio.ensure_future(run_in_threadpool(self._read, position, job))
        return await asyncio.shield(self._known[key])

    def _read(self, position: int, job: str | None) -> Found:
        with self._db.read() as c:
            found = events.after(c, position, job, AT_ONCE)
        return [
            (one.id, ServerSentEvent(event=one.kind, id=str(one.id), raw_data=one.model_dump_json())) for one in found
        ]

"""The event stream: what changes, as it changes; a client that comes back says where it was."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query
from starlette.responses import StreamingResponse

from paddock.errors import PaddockError
from paddock.models.events import ServerEvent, StreamPosition
from paddock.server.api.server import At
from paddock.server.api.streams import Streams
from paddock.server.store import events, jobs
from paddock.server.store.db import FAULTS

router = APIRouter(prefix="/events", tags=["events"])

WAIT_SECONDS = 15.0
PING = b": ping\n\n"
_DIGITS = 20


@dataclass(frozen=True)
class Begin:
    """Where a client's stream begins: found before the answer does, so that a wrong job is a proper error."""

    job: str | None
    position: int
    complete: bool


def _begin(
    at: At,
    job: Annotated[str | None, Query(max_length=64, description="only of this job")] = None,
    last: Annotated[
        int | None, Query(ge=0, le=2**53, description="as Last-Event-ID, for clients without headers")
    ] = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> Begin:
    given = _position(last_event_id) if last_event_id else last
    with at.db.read() as c:
        found = jobs.resolve(c, job) if job else None
        oldest, newest = events.bounds(c)
    if given is None:
        return Begin(found, newest, True)
    if given > newest or given + 1 < oldest:
        return Begin(found, newest, False)
    return Begin(found, given, True)


def _position(text: str) -> int | None:
    """None for what is no number; more digits than any event has are as wrong as one that is yet to come."""
    if not text.isascii() or not text.isdigit():
        return None
    return int(text[:_DIGITS])


class EventStream(StreamingResponse):
    """FastAPI's own makes two tasks and a queue for every stream, and every event anew for each."""

    media_type = "text/event-stream"


@router.get("", response_class=EventStream, responses={200: {"model": ServerEvent | StreamPosition}})
async def follow_events(at: At, begin: Annotated[Begin, Depends(_begin)]) -> EventStream:
    """Server-sent events of kinds `job`, `tasks`, `removed`; `hello` first, with the position of the stream.

    `reset` in place of `hello`: events were missed that are no longer kept: fetch everything again.
    """
    return EventStream(follow(at.streams, begin), headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"})


async def follow(streams: Streams, begin: Begin) -> AsyncIterator[bytes]:
    """Yield what is sent to one client: all events in order, and a comment when there is none for a while."""
    wakeup = streams.wakeup
    position = begin.position
    kind = "hello" if begin.complete else "reset"
    yield f'event: {kind}\ndata: {{"position": {position}}}\nid: {position}\n\n'.encode()
    while not wakeup.closed:
        rings = wakeup.rings  # noted before reading: what is written meanwhile rings, and the wait below ends at once
        try:
            found = await streams.after(position, begin.job)
        except (*FAULTS, PaddockError):  # who follows comes back, and is told
            return
        position = found.position
        if found.data:
            yield found.data
            await asyncio.sleep(streams.pause)
        if not found.more:
            await wakeup.wait(rings, WAIT_SECONDS)
            if wakeup.rings == rings:
                yield PING

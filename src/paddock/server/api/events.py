"""The event stream: what changes, as it changes. A client that reconnects sends its last position."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query
from starlette.responses import StreamingResponse

from paddock.errors import PaddockError
from paddock.models.events import ServerEvent, StreamPosition
from paddock.server.api.caller import By
from paddock.server.api.server import At
from paddock.server.api.streams import Streams
from paddock.server.store import events, jobs
from paddock.server.store.db import FAULTS
from paddock.server.store.sight import Sight

router = APIRouter(prefix="/events", tags=["events"])

WAIT_SECONDS = 15.0
PING = b": ping\n\n"
_DIGITS = 20


@dataclass(frozen=True)
class Begin:
    """Where a client's stream begins. Looked up before the answer begins, so that an unknown job is a proper error."""

    job: str | None
    position: int
    complete: bool
    sight: Sight


def _begin(
    at: At,
    by: By,
    job: Annotated[str | None, Query(max_length=64, description="only events of this job")] = None,
    last: Annotated[
        int | None,
        Query(ge=0, le=2**53, description="the id of the last event that the client has, if it cannot send the header"),
    ] = None,
    last_event_id: Annotated[str | None, Header(description="the id of the last event that the client has")] = None,
) -> Begin:
    given = _position(last_event_id) if last_event_id else last
    with at.db.read() as c:
        found = jobs.resolve(c, job, by.sight) if job else None
        oldest, newest = events.bounds(c)
    if given is None:
        return Begin(found, newest, True, by.sight)
    if given > newest or given + 1 < oldest:
        return Begin(found, newest, False, by.sight)
    return Begin(found, given, True, by.sight)


def _position(text: str) -> int | None:
    """Return None if this is not a number. More digits than an id has mean an event that does not exist yet."""
    if not text.isascii() or not text.isdigit():
        return None
    return int(text[:_DIGITS])


class EventStream(StreamingResponse):
    """FastAPI's own class needs two tasks and a queue per stream, and encodes every event once per stream."""

    media_type = "text/event-stream"


@router.get("", response_class=EventStream, responses={200: {"model": ServerEvent | StreamPosition}})
async def follow_events(at: At, begin: Annotated[Begin, Depends(_begin)]) -> EventStream:
    """Follow what changes in the jobs that one sees, as server-sent events of the kinds `job`, `tasks`, `removed`
    and `notice` (of one's own).

    The first event is `hello`, with the position of the stream; or `reset`, if events were missed that are no longer
    kept: then fetch everything again.
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
            found = await streams.after(position, begin.job, begin.sight)
        except (*FAULTS, PaddockError):  # the client reconnects, and gets the error
            return
        position = found.position
        if found.data:
            yield found.data
            await asyncio.sleep(streams.pause)
        if not found.more:
            await wakeup.wait(rings, WAIT_SECONDS)
            if wakeup.rings == rings:
                yield PING

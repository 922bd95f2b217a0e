"""The event stream: what changes, as it changes; a client that comes back says where it was."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Query
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool

from paddock.api.server import At, Server
from paddock.models import Event
from paddock.store import events, jobs

router = APIRouter(prefix="/events", tags=["events"])

WAIT_SECONDS = 15.0


@router.get("", response_class=EventSourceResponse)
async def follow_events(
    at: At,
    job: Annotated[str | None, Query(max_length=64, description="only of this job")] = None,
    last: Annotated[
        int | None, Query(ge=0, le=2**53, description="as Last-Event-ID, for clients without headers")
    ] = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> AsyncIterator[ServerSentEvent]:
    """Server-sent events of kinds `job`, `tasks`, `removed`; `hello` first, with the position of the stream.

    `reset` in place of `hello`: events were missed that are no longer kept: fetch everything again.
    """
    given = int(last_event_id) if last_event_id and last_event_id.isdigit() else last
    found, position, complete = await run_in_threadpool(_begin, at, job, given)
    yield ServerSentEvent(event="hello" if complete else "reset", id=str(position), data={"position": position})
    while not at.bell.closed:
        for event in await run_in_threadpool(_after, at, position, found):
            position = event.id
            yield ServerSentEvent(event=event.kind, id=str(event.id), data=event.model_dump(mode="json"))
        await at.bell.wait(WAIT_SECONDS)


def _begin(at: Server, job: str | None, last: int | None) -> tuple[str | None, int, bool]:
    with at.db.read() as c:
        found = jobs.resolve(c, job) if job else None
        oldest, newest = events.bounds(c)
    if last is None:
        return found, newest, True
    if last > newest or last + 1 < oldest:
        return found, newest, False
    return found, last, True


def _after(at: Server, position: int, job: str | None) -> list[Event]:
    with at.db.read() as c:
        return events.after(c, position, job)

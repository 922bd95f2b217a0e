"""The routes of logs: a range of bytes, or the log as it grows.

The user's programs can replace a log by anything, so only plain files are read.
"""

import asyncio
import codecs
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from paddock.errors import AgentUnavailable, NotFound, PaddockError
from paddock.server.api.caller import By
from paddock.server.api.permissions import TaskId
from paddock.server.api.server import At, Server
from paddock.server.outposts.outpost import Outpost
from paddock.server.store import tasks
from paddock.server.store.sight import Sight

router = APIRouter()

FOLLOW_SECONDS = 0.3
PART = 1_000_000

Number = Annotated[int | None, Query(ge=1, le=2**31, description="without it: the current attempt")]
Start = Annotated[
    int, Query(ge=-(2**53), le=2**53, description="the first byte; a negative number counts from the end")
]
_TEXT: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {}}, "description": "the log"}}


@dataclass(frozen=True)
class Log:
    """The log of one attempt."""

    task: str
    attempt: int
    outpost: Outpost

    def size(self) -> int:
        try:
            return self.read(0, 0)[1]
        except (NotFound, AgentUnavailable):
            return 0

    def read(self, offset: int, limit: int) -> tuple[int, int, bytes]:
        """Return start, size of the log, and bytes. A log that does not exist yet is empty."""
        path = self.outpost.folder.log(self.task, self.attempt)
        try:
            return self.outpost.read(path, offset, limit)
        except FileNotFoundError:
            return 0, 0, b""
        except OSError as error:
            raise NotFound(f"The log of {self.task} cannot be shown: {path} is {error.strerror}.") from None


@router.get("/{task}/log", response_class=Response, responses=_TEXT)
def read_log(
    task: TaskId,
    at: At,
    attempt: Number = None,
    offset: Start = 0,
    limit: Annotated[int, Query(ge=1, le=50_000_000)] = PART,
) -> Response:
    """Return a range of the log. The headers `X-Log-Start` and `X-Log-Size` contain its start and the log's size."""
    start, whole, data = _find(at, task, attempt).read(offset, limit)
    headers = {"X-Log-Start": str(start), "X-Log-Size": str(whole), "X-Content-Type-Options": "nosniff"}
    return Response(data, media_type="text/plain; charset=utf-8", headers=headers)


@router.get("/{task}/log/follow", response_class=StreamingResponse, responses=_TEXT)
async def follow_log(task: TaskId, at: At, by: By, attempt: Number = None, offset: Start = 0) -> StreamingResponse:
    """Follow the log from `offset` on as it grows, until the attempt has ended."""
    log = await run_in_threadpool(_find, at, task, attempt)
    await run_in_threadpool(log.read, 0, 0)  # so that a log that cannot be shown is a proper error
    follow = _follow(at, by.sight, log, offset)
    return StreamingResponse(follow, media_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-store"})


def _find(at: Server, task_id: str, attempt: int | None) -> Log:
    with at.db.read() as c:
        task = tasks.get(c, tasks.existing(c, task_id))
    number = attempt or task.attempt
    if number > task.attempt:
        raise NotFound(f"{task.id} has no attempt {number}: its newest is {task.attempt}.")
    return Log(task.id, number, at.outposts.of(task.job))


def _ended(at: Server, sight: Sight, log: Log) -> bool:
    """Return True if the log does not grow any more; raise NotFound if the reader may no longer see the job."""
    with at.db.read() as c:
        task = tasks.get(c, tasks.resolve(c, log.task, sight))
    return task.state.ended or task.attempt > log.attempt


async def _follow(at: Server, sight: Sight, log: Log, offset: int) -> AsyncIterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    position = offset
    while not at.wakeup.closed:
        try:
            # Asked before reading, so that nothing is written after the last reading.
            ended = await run_in_threadpool(_ended, at, sight, log)
            start, whole, data = await run_in_threadpool(log.read, position, PART)
        except PaddockError:  # the job was removed or made private, or the log was replaced by something else
            return
        if whole < position:  # the middle of the log was dropped: continue at its end
            position = whole
            yield "\n[paddock] the middle of this log was dropped\n"
        position = start + len(data) if data or position < 0 else position
        if data:
            yield decoder.decode(data)
        elif ended:
            return
        else:
            await asyncio.sleep(FOLLOW_SECONDS)

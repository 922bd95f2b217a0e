"""What a task printed: a range of bytes, or followed as it grows."""

import asyncio
import codecs
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from paddock.api.server import At, Server, TaskId
from paddock.errors import NotFound
from paddock.store import tasks

router = APIRouter()

FOLLOW_SECONDS = 0.3
PART = 1_000_000

Number = Annotated[int | None, Query(ge=1, le=2**31, description="the current attempt when not given")]
Start = Annotated[int, Query(ge=-(2**53), le=2**53, description="first byte; negative counts from the end")]
_TEXT: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {}}, "description": "the log"}}


def size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


@router.get("/{task}/log", response_class=Response, responses=_TEXT)
def read_log(
    task: TaskId,
    at: At,
    attempt: Number = None,
    offset: Start = 0,
    limit: Annotated[int, Query(ge=1, le=50_000_000)] = PART,
) -> Response:
    """A range of the log as it is. `X-Log-Start` and `X-Log-Size` say where it starts and how large the log is."""
    path, _ = _find(at, task, attempt)
    start, whole, data = _read(path, offset, limit)
    headers = {"X-Log-Start": str(start), "X-Log-Size": str(whole), "X-Content-Type-Options": "nosniff"}
    return Response(data, media_type="text/plain; charset=utf-8", headers=headers)


@router.get("/{task}/log/follow", response_class=StreamingResponse, responses=_TEXT)
async def follow_log(task: TaskId, at: At, attempt: Number = None, offset: Start = 0) -> StreamingResponse:
    """The log from `offset` on, as it grows; ends when the attempt has ended."""
    path, number = await run_in_threadpool(_find, at, task, attempt)
    follow = _follow(at, task, number, path, offset)
    return StreamingResponse(follow, media_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-store"})


def _find(at: Server, text: str, attempt: int | None) -> tuple[Path, int]:
    with at.db.read() as c:
        task = tasks.get(c, tasks.resolve(c, text))
    number = attempt or task.attempt
    if number > task.attempt:
        raise NotFound(f"{task.id} has {task.attempt} attempts, not {number}.")
    return at.home.job(task.job).log(task.id, number), number


def _read(path: Path, offset: int, limit: int) -> tuple[int, int, bytes]:
    """Start, size and bytes; a log that is not there yet is empty."""
    try:
        with open(path, "rb") as file:
            whole = file.seek(0, 2)
            start = min(offset if offset >= 0 else max(whole + offset, 0), whole)
            file.seek(start)
            return start, whole, file.read(limit)
    except FileNotFoundError:
        return 0, 0, b""


def _ended(at: Server, text: str, attempt: int) -> bool:
    with at.db.read() as c:
        task = tasks.get(c, tasks.resolve(c, text))
    return task.state.ended or task.attempt > attempt


async def _follow(at: Server, task: str, attempt: int, path: Path, offset: int) -> AsyncIterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    position = offset
    while not at.bell.closed:
        ended = await run_in_threadpool(_ended, at, task, attempt)  # asked before reading: nothing comes after
        start, whole, data = await run_in_threadpool(_read, path, position, PART)
        if whole < position:  # its middle was dropped: go on behind what is there
            position = whole
            yield "\n[paddock] the middle of this log was dropped\n"
        position = start + len(data) if data or position < 0 else position
        if data:
            yield decoder.decode(data)
        elif ended:
            return
        else:
            await asyncio.sleep(FOLLOW_SECONDS)

"""Threads for calls that a file system may hold up for ever, such as one on a network whose server is down.

The worker threads of requests are few: calls that hang would take one after the other, until no request is answered any
more. These here are as few, but only for files of jobs, and whoever waits for one gives up after a while.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from paddock.errors import Busy

MOST = 12
SECONDS = 20.0
_BUSY = "The file system with the files of this job does not answer: try again in a minute."
Result = TypeVar("Result")


class FileThreads:
    """Runs calls in up to `MOST` threads at a time. None of them holds up the end of the server."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(MOST)

    async def run(self, act: Callable[[], Result], undo: Callable[[Result | None], object] | None = None) -> Result:
        """Return what `act` returns, or raise what it raises; raise Busy if it takes too long.

        If its result reaches nobody, `undo` is called with it after its end, or with None if there is no result.
        """
        undo = undo or (lambda _: None)
        try:
            async with asyncio.timeout(SECONDS):
                await self._places.acquire()
        except TimeoutError:
            undo(None)
            raise Busy(_BUSY) from None
        except asyncio.CancelledError:
            undo(None)
            raise
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Result] = loop.create_future()

        def end(result: Result | None, error: Exception | None) -> None:
            self._places.release()
            if error is not None or answer.done():
                undo(result)
            if answer.done():
                return
            if error is not None:
                answer.set_exception(error)
            else:
                answer.set_result(result)  # type: ignore[arg-type]

        def work() -> None:
            result, error = None, None
            try:
                result = act()
            except Exception as raised:
                error = raised
            with suppress(RuntimeError):  # the server has ended meanwhile
                loop.call_soon_threadsafe(end, result, error)

        threading.Thread(target=work, name="files", daemon=True).start()
        try:
            async with asyncio.timeout(SECONDS):
                return await answer
        except TimeoutError:
            raise Busy(_BUSY) from None

"""Lets coroutines wait for something that a thread makes happen."""

import asyncio
import contextlib


class Wakeup:
    """Who waits says how often it had rung before looking: so no ring between looking and waiting is missed."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiters: set[asyncio.Future[None]] = set()
        self.rings = 0
        self.closed = False

    def attach(self) -> None:
        """To be called in the loop that waits."""
        self._loop = asyncio.get_running_loop()

    def ring(self) -> None:
        """From any thread: wake all that wait."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended: nobody waits
                self._loop.call_soon_threadsafe(self._wake)

    def close(self) -> None:
        """Nobody shall wait any more."""
        self.closed = True
        self.ring()

    def _wake(self) -> None:
        self.rings += 1
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def wait(self, seen: int, seconds: float) -> None:
        """Until it has rung more than `seen` times, or for so long."""
        if self.closed or self.rings != seen:
            return
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.add(waiter)
        try:
            await asyncio.wait_for(waiter, seconds)
        except TimeoutError:
            pass
        finally:
            self._waiters.discard(waiter)

"""Lets coroutines wait until a thread rings."""

import asyncio
import contextlib


class Wakeup:
    """Counts rings. A caller notes the count before it reads, so that no ring between reading and waiting is missed."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiters: set[asyncio.Future[None]] = set()
        self.rings = 0
        self.closed = False

    def attach(self) -> None:
        """Note the running loop; call this in the loop in which coroutines will wait."""
        self._loop = asyncio.get_running_loop()

    def ring(self) -> None:
        """Wake all that wait. May be called from any thread."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended, so nobody waits
                self._loop.call_soon_threadsafe(self._wake)

    def close(self) -> None:
        """Wake all that wait; later calls of `wait` return at once."""
        self.closed = True
        self.ring()

    def _wake(self) -> None:
        self.rings += 1
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def wait(self, seen: int, seconds: float) -> None:
        """Wait until it has rung more than `seen` times, for up to this many seconds."""
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

"""Calls that run in another thread. A later round of the engine takes up their results."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Generic, TypeVar

K = TypeVar("K")
T = TypeVar("T")


class Requests(Generic[K, T]):
    """Calls by key, at most one at a time per key. `done` is called in the other thread after each."""

    def __init__(self, executor: Executor, done: Callable[[Future[T]], object]) -> None:
        self._executor = executor
        self._done = done
        self._calls: dict[K, Future[T]] = {}

    def __contains__(self, key: K) -> bool:
        return key in self._calls

    def begin(self, key: K, call: Callable[..., T], *args: object) -> None:
        """Begin a call, unless one with this key is under way or its result is not taken."""
        if key not in self._calls:
            self._calls[key] = self._executor.submit(call, *args)
            self._calls[key].add_done_callback(self._done)

    def take(self) -> dict[K, Future[T]]:
        """Return the calls that are done, and forget them."""
        done = {key: future for key, future in self._calls.items() if future.done()}
        for key in done:
            del self._calls[key]
        return done

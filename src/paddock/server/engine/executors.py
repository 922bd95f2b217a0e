"""Where the engine's calls run that may be slow: in threads, or at once where a simulation has its own time."""

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

Executors = Callable[[str], Executor]


def own_thread(name: str) -> Executor:
    return ThreadPoolExecutor(1, thread_name_prefix=name)


class AtOnce(Executor):
    """Carries out each call in `submit`."""

    def __init__(self, name: str = "") -> None:
        self.name = name

    def submit(self, call: Callable[P, T], /, *args: P.args, **named: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(call(*args, **named))
        except Exception as error:
            future.set_exception(error)
        return future

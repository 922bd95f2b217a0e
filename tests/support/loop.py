"""Run coroutines in tests."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run(coroutine: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """What it returns. In a thread of its own: in that of the tests, Playwright's loop may run."""
    with ThreadPoolExecutor(1) as one:
        return one.submit(lambda: asyncio.run(coroutine())).result()

"""The SDK without a client of one's own: `paddock.submit(...)`, `paddock.job(...)`, `paddock.jobs()`."""

import atexit
import os
from functools import cache
from typing import Any

from paddock.client.client import Client, Source
from paddock.client.job import JobHandle
from paddock.models import JobPage


def _client() -> Client:
    """Return the client of the server that the environment names, or that of the home."""
    return _made(*(os.environ.get(f"PADDOCK_{name}") for name in ("URL", "TOKEN", "HOME")))


@cache
def _made(*_: str | None) -> Client:
    made = Client()
    atexit.register(made.close)
    return made


def submit(source: Source = None, **fields: Any) -> JobHandle:
    """Submit a script, a folder or a job file; see `Client.submit`."""
    return _client().submit(source, **fields)


def job(id: str) -> JobHandle:
    """Return the job with this id, which may be shortened."""
    return _client().job(id)


def jobs(**filters: Any) -> JobPage:
    """Return jobs, the newest first; see `Client.jobs`."""
    return _client().jobs(**filters)

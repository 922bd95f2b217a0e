"""Carries the engine's requests to one backend, beside the tick, and holds the answers for the next one.

A scheduler that hangs holds up its own courier only. Requests go one after the other.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from paddock.backends.base import Backend
from paddock.errors import BackendUnavailable, PaddockError
from paddock.models import AllocationSpec, AllocationStatus, Node

RETRY_SECONDS = 5.0
NODES_SECONDS = 5.0


@dataclass(frozen=True)
class Answer:
    """What became of a submission: an id, a refusal, or neither: then it will be asked again."""

    key: str
    backend_id: str | None = None
    refused: str | None = None


@dataclass(frozen=True)
class Polled:
    asked: list[str]
    statuses: Mapping[str, AllocationStatus]


class Courier:
    def __init__(self, backend: Backend, wake: Callable[[], None]) -> None:
        self.backend = backend
        self.nodes: Sequence[Node] = []
        self.problem: str | None = None
        self._wake = wake
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=f"backend-{backend.name}")
        self._submissions: dict[str, Future[str]] = {}
        self._poll: tuple[list[str], Future[Polled]] | None = None
        self._last: Mapping[str, AllocationStatus] | None = {}
        self._not_before = 0.0
        self._nodes_at = 0.0

    def submit(self, spec: AllocationSpec) -> None:
        """Pass a request on, unless it is on its way, or the backend is being left alone for a while."""
        if spec.key not in self._submissions and time.monotonic() >= self._not_before:
            future = self._executor.submit(self.backend.submit, spec)
            self._submissions[spec.key] = future
            future.add_done_callback(lambda _: self._wake())

    def answers(self) -> list[Answer]:
        done = {key: future for key, future in self._submissions.items() if future.done()}
        for key in done:
            del self._submissions[key]
        return [self._answer(key, future) for key, future in done.items()]

    def _answer(self, key: str, future: Future[str]) -> Answer:
        error = future.exception()
        if error is None:
            return Answer(key, backend_id=future.result())
        if isinstance(error, PaddockError) and not isinstance(error, BackendUnavailable):
            return Answer(key, refused=error.message)
        self._unwell(error)
        return Answer(key)

    def ask(self, ids: Sequence[str]) -> None:
        """Start one poll, if none is under way."""
        if self._poll is None and time.monotonic() >= self._not_before:
            listed = list(ids)
            future = self._executor.submit(self._look, listed)
            self._poll = (listed, future)
            future.add_done_callback(self._heard)

    def _heard(self, future: "Future[Polled]") -> None:
        """Wake the engine for news only: polling would otherwise never rest."""
        statuses = None if future.exception() else future.result().statuses
        if statuses != self._last:
            self._last = statuses
            self._wake()

    def _look(self, ids: list[str]) -> Polled:
        statuses = self.backend.poll(ids)
        if time.monotonic() - self._nodes_at > NODES_SECONDS:
            self.refresh_nodes()
        return Polled(ids, statuses)

    def refresh_nodes(self) -> None:
        self.nodes = self.backend.nodes()
        self._nodes_at = time.monotonic()

    def polled(self) -> Polled | None:
        if self._poll is None or not self._poll[1].done():
            return None
        future, self._poll = self._poll[1], None
        error = future.exception()
        if error is not None:
            self._unwell(error)
            return None
        self.problem = None
        return future.result()

    def cancel(self, ids: Sequence[str]) -> None:
        self._executor.submit(self.backend.cancel, list(ids))

    def _unwell(self, error: BaseException) -> None:
        self.problem = error.message if isinstance(error, PaddockError) else f"{type(error).__name__}: {error}"
        self._not_before = time.monotonic() + RETRY_SECONDS

    def close(self) -> None:
        self._executor.shutdown(wait=True, cancel_futures=True)

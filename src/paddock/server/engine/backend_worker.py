"""Passes the engine's requests on to one backend, in its own thread, and keeps the answers for the next round.

A scheduler that hangs blocks only its own worker. Requests are passed on one after the other.
"""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures import TimeoutError as TooLate
from dataclasses import dataclass
from typing import TypeVar

from paddock.backends.base import Backend, Enforcement, WantedReservation
from paddock.common.clock import Clock
from paddock.errors import BackendBusy, BackendClosed, BackendUnavailable, PaddockError
from paddock.models import AllocationBatch, AllocationChange, AllocationStatus, Check, Node
from paddock.rules.giving_way import Others
from paddock.server.engine.requests import Requests

T = TypeVar("T")

log = logging.getLogger("paddock.engine")

RETRY_SECONDS = 5.0
BUSY_SECONDS = 30.0
FIRST_SECONDS = 3.0
SLOWER = 1.5
IN_A_ROW, SUSTAINED = 5, 4  # polls at the fastest pace, then one per this many times that: a large job always changes
STALE_SECONDS = 60.0
SLOW_SECONDS, SLOW_LOOKS_SECONDS = 1.0, 60.0  # after a slow look at others, the next one waits for so long
ALL = "all"  # the key of requests about all allocations


@dataclass(frozen=True)
class Answer:
    """The result of a submission: ids, a refusal, or why it has to wait; then the engine asks again.

    `failed`: something of the job itself, such as its folder, cannot be used.
    """

    batch: str
    ids: Sequence[str] | None = None
    refused: str | None = None
    waits: str | None = None
    failed: OSError | None = None


@dataclass(frozen=True)
class Change:
    """A change that was passed on, and what was refused, if anything."""

    tag: str
    ids: list[str]
    refused: str | None = None


@dataclass(frozen=True)
class Polled:
    """The allocations that a backend was asked about, and the states of those that it lists."""

    asked: list[str]
    statuses: Mapping[str, AllocationStatus]


@dataclass(frozen=True)
class Seen:
    """What others have and wait for, and the nodes then."""

    at: float
    others: Others | None
    nodes: Sequence[Node]


class BackendWorker:
    def __init__(self, backend: Backend, wake: Callable[[], None], clock: Clock, executor: Executor) -> None:
        self.backend = backend
        self.nodes: Sequence[Node] = []
        self.problem: str | None = None
        self.problem_since: float | None = None
        self._wake = wake
        self._clock = clock
        self._executor = executor
        self._submissions = Requests[str, Sequence[str]](self._executor, lambda _: wake())
        self._polls = Requests[str, Polled](self._executor, self._heard)
        self._traces = Requests[str, Polled](self._executor, lambda _: wake())
        self._changes = Requests[str, Change](self._executor, lambda _: wake())
        self._reserves = Requests[str, Mapping[str, Enforcement]](self._executor, lambda _: wake())
        self._looks = Requests[str, Seen](self._executor, lambda _: wake())
        self._look_due = 0.0
        self._cancels: dict[tuple[str, bool], Future[None]] = {}  # by allocation, and whether only if it waits
        self._last: Mapping[str, AllocationStatus] | None = {}
        self._not_before = 0.0
        self._full_until = 0.0
        self._full_at: int | None = None  # its queue was this long then
        self._closed_until: dict[str, float] = {}  # batch -> not before
        self.full_reason: str | None = None
        self._interval = backend.pace.fastest
        self._asked_at = 0.0
        self._allowed = float(IN_A_ROW)  # polls that may follow at the fastest pace
        self._nodes_at = 0.0

    def begin(self) -> None:
        """Read the nodes for the first time. The start of the server does not wait long for a slow backend."""
        future = self._executor.submit(self.refresh_nodes)
        try:
            future.result(FIRST_SECONDS)
        except TooLate:
            self._failed(BackendUnavailable("it has not answered yet"))
        except Exception as error:
            self._failed(error)

    # --- submissions --------------------------------------------------------------------------------------------------

    def submit(self, batch: AllocationBatch) -> None:
        """Pass a request on, unless it is under way, or the backend is to be left alone for a while."""
        resting = self.full or self._clock.ticks() < max(self._not_before, self._closed_until.get(batch.key, 0.0))
        if not resting:
            self._closed_until.pop(batch.key, None)
            self._submissions.begin(batch.key, self.backend.submit, batch)

    @property
    def full(self) -> bool:
        """Return True if the backend accepts no more at the moment, and its queue is not shorter since."""
        emptier = self._full_at is not None and (self.backend.queue_length or 0) < self._full_at
        return self._clock.ticks() < self._full_until and not emptier

    def answers(self) -> list[Answer]:
        return [self._answer(key, future) for key, future in self._submissions.take().items()]

    def _answer(self, batch: str, future: Future[Sequence[str]]) -> Answer:
        error = future.exception()
        if error is None:
            self.hurry()
            return Answer(batch, ids=future.result())
        if isinstance(error, BackendClosed):
            self._closed_until[batch] = self._clock.ticks() + BUSY_SECONDS
            return Answer(batch, waits=error.message)
        if isinstance(error, BackendBusy):
            self._full_at, self.full_reason = self.backend.queue_length, error.message
            self._full_until = self._clock.ticks() + BUSY_SECONDS
            return Answer(batch, waits=error.message)
        if isinstance(error, PaddockError) and not isinstance(error, BackendUnavailable):
            return Answer(batch, refused=error.message)
        if isinstance(error, OSError) and not isinstance(error, (TimeoutError, ConnectionError)):
            return Answer(batch, failed=error)
        self._failed(error)
        return Answer(batch, waits=f"waits for {self.backend.name} to answer: {self.problem}")

    # --- polling --------------------------------------------------------------------------------------------------

    def hurry(self) -> None:
        """Poll again soon, as something has happened."""
        self._interval = self.backend.pace.fastest

    def ask(self, ids: Sequence[str]) -> bool:
        """Start a poll, if none is under way and one is due. Returns whether one was started."""
        now = self._clock.ticks()
        if ALL in self._polls or now < max(self._not_before, self._asked_at + self._interval):
            return False
        regular = min(self.backend.pace.fastest * SUSTAINED, self.backend.pace.slowest)
        gained = (now - self._asked_at) / regular if regular else IN_A_ROW
        allowed = min(self._allowed + gained, IN_A_ROW)
        if allowed < 1:
            return False
        self._asked_at, self._allowed = now, allowed - 1
        self._polls.begin(ALL, self._poll, list(ids))
        return True

    def _heard(self, future: Future[Polled]) -> None:
        """Wake the engine only for news: otherwise polls would never become less frequent."""
        if future.cancelled():
            return
        statuses = None if future.exception() else future.result().statuses
        if statuses != self._last:
            self._last = statuses
            self.hurry()
            self._wake()
        else:
            slower = max(self._interval, 0.1) * SLOWER
            self._interval = min(slower, self.backend.pace.slowest)

    def _poll(self, ids: list[str]) -> Polled:
        statuses = self.backend.poll(ids)
        if self._clock.ticks() - self._nodes_at > self.backend.pace.nodes:
            self.refresh_nodes()
        return Polled(ids, statuses)

    def refresh_nodes(self) -> None:
        self.nodes = self.backend.nodes()
        self._nodes_at = self._clock.ticks()

    @property
    def fresh(self) -> bool:
        """Return True if the nodes were read a short time ago."""
        return self._clock.ticks() - self._nodes_at < self.backend.pace.nodes + STALE_SECONDS

    def look(self, every: float, now: float) -> None:
        """Ask what others wait for, and read the nodes, if that is due. `now` is the time of what will be seen."""
        if self._clock.ticks() >= max(self._not_before, self._look_due):
            self._look_due = self._clock.ticks() + every
            self._looks.begin(ALL, self._look, now)

    def _look(self, now: float) -> Seen:
        began = self._clock.ticks()
        others = self.backend.others()
        if self._clock.ticks() - began > SLOW_SECONDS:  # others need the scheduler, too
            self._look_due = max(self._look_due, self._clock.ticks() + SLOW_LOOKS_SECONDS)
        self.refresh_nodes()
        return Seen(now, others, self.nodes)

    def looked(self) -> Seen | None:
        """Return what was seen of others; None: nothing new."""
        found = self._results(self._looks)
        return found[0] if found else None

    def polled(self) -> Polled | None:
        return self._heard_of(self._polls)

    def trace(self, ids: Sequence[str]) -> None:
        """Ask what became of these allocations, unless such a request is under way."""
        if ids and self._clock.ticks() >= self._not_before:
            self._traces.begin(ALL, lambda: Polled(list(ids), self.backend.trace(ids)))

    def traced(self) -> Polled | None:
        return self._heard_of(self._traces)

    def _heard_of(self, requests: Requests[str, Polled]) -> Polled | None:
        found = self._results(requests)
        if not found:
            return None
        self.problem = self.problem_since = None
        return found[0]

    def _results(self, requests: Requests[str, T]) -> list[T]:
        """Return the results of the calls that are done; show the errors of those that failed."""
        done = list(requests.take().values())
        for future in done:
            if (error := future.exception()) is not None:
                self._failed(error)
        return [future.result() for future in done if future.exception() is None]

    # --- orders -------------------------------------------------------------------------------------------------------

    def cancel(self, ids: Sequence[str], *, waiting_only: bool = False) -> None:
        """Pass a cancel on, unless one of the same allocation is under way: a backend that hangs gets it once.

        One that fails is not repeated here: see `ending`.
        """
        self._cancels = {key: future for key, future in self._cancels.items() if not future.done()}
        enough = (False, True) if waiting_only else (False,)
        new = [one for one in ids if not any((one, kind) in self._cancels for kind in enough)]
        if new:
            future = self._executor.submit(self._cancel, new, waiting_only)
            self._cancels |= dict.fromkeys([(one, waiting_only) for one in new], future)

    def _cancel(self, ids: list[str], waiting_only: bool) -> None:
        try:
            self.backend.cancel(ids, waiting_only=waiting_only)
        except Exception as error:
            self._failed(error)

    def change(self, tag: str, ids: Sequence[str], change: AllocationChange) -> None:
        """Pass a change on, unless it is under way."""
        if self._clock.ticks() >= self._not_before:
            self._changes.begin(tag, self._change, tag, list(ids), change)

    def _change(self, tag: str, ids: list[str], change: AllocationChange) -> Change:
        try:
            self.backend.change(ids, change)
        except BackendUnavailable:
            raise
        except PaddockError as error:
            return Change(tag, ids, error.message)
        return Change(tag, ids)

    def changed(self) -> list[Change]:
        """Return the changes that the backend has made or refused."""
        return self._results(self._changes)

    def reserve(self, wanted: Sequence[WantedReservation], known: Collection[str]) -> bool:
        """Pass on which reservations its scheduler should have. Returns False if such a request is under way."""
        if ALL in self._reserves or self._clock.ticks() < self._not_before:
            return False
        self._reserves.begin(ALL, self.backend.reserve, wanted, known)
        return True

    def reserved(self) -> Mapping[str, Enforcement] | None:
        """Return what became of the reservations; None: nothing new."""
        found = self._results(self._reserves)
        return found[0] if found else None

    def check(self, batch: AllocationBatch, seconds: float) -> Check:
        """Ask the backend and wait for the answer. Any thread may call this."""
        future = self._executor.submit(self.backend.check, batch)
        try:
            return future.result(seconds)
        except TooLate:
            future.cancel()
            raise BackendUnavailable(f"{self.backend.name} did not answer within {seconds:g} s") from None

    def _failed(self, error: BaseException) -> None:
        if not isinstance(error, PaddockError):
            log.error("backend %s failed", self.backend.name, exc_info=error)
        self.problem = error.message if isinstance(error, PaddockError) else f"{type(error).__name__}: {error}"
        self.problem_since = self.problem_since or self._clock.now()
        self._not_before = self._clock.ticks() + RETRY_SECONDS

    def close(self) -> None:
        self._executor.shutdown(wait=True, cancel_futures=True)
        self.backend.close()

"""Test the worker of one backend: how often it asks, what errors mean, and what waits for its answer."""

import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest

from paddock.backends.base import PollPace
from paddock.common.clock import Clock
from paddock.errors import BackendBusy, BackendError, BackendUnavailable
from paddock.models import AllocationBatch, AllocationChange, AllocationState, AllocationStatus, Resources
from paddock.server.engine import backend_worker as module
from paddock.server.engine.backend_worker import BUSY_SECONDS, RETRY_SECONDS, Answer, BackendWorker, Change
from paddock.server.engine.executors import own_thread
from tests.server.engine.fake_backend import FakeBackend

HOLD = AllocationChange(held=True)


def batch(key: str, count: int = 2) -> AllocationBatch:
    return AllocationBatch(key=key, count=count, name=key, folder="/f", runner=[], resources=Resources())


class Stopped(Clock):
    at = 1000.0

    def ticks(self) -> float:
        return self.at


@pytest.fixture
def clock() -> Stopped:
    return Stopped()


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend(pace=PollPace(fastest=2, slowest=15, nodes=30))


@pytest.fixture
def woken() -> list[int]:
    return []


@pytest.fixture
def worker(backend: FakeBackend, clock: Stopped, woken: list[int]) -> Iterator[BackendWorker]:
    made = BackendWorker(backend, lambda: woken.append(1), clock, own_thread("test"))
    yield made
    backend.open.set()
    made.close()


def settle(worker: BackendWorker) -> None:
    """Until all that was asked is answered."""
    worker._executor.submit(lambda: None).result(120)


def until(condition: Callable[[], Any]) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


class TestLooking:
    def polls(self, worker: BackendWorker, backend: FakeBackend, clock: Stopped, seconds: float) -> list[float]:
        """When it is looked, for a while in which nothing changes."""
        asked = []
        end = clock.at + seconds
        while clock.at < end:
            before = backend.calls.count("poll")
            worker.ask(["a"])
            settle(worker)
            worker.polled()
            if backend.calls.count("poll") > before:
                asked.append(clock.at)
            clock.at += 0.25
        return asked

    def test_less_and_less_often_while_nothing_changes(
        self, worker: BackendWorker, backend: FakeBackend, clock: Stopped
    ) -> None:
        times = self.polls(worker, backend, clock, 120)
        gaps = [b - a for a, b in pairwise(times)]
        assert gaps[0] == pytest.approx(3, abs=0.25)
        assert gaps == sorted(gaps)
        assert max(gaps) == pytest.approx(15, abs=0.25)

    def test_again_soon_when_something_has_changed(
        self, worker: BackendWorker, backend: FakeBackend, clock: Stopped
    ) -> None:
        self.polls(worker, backend, clock, 120)
        backend.run("a")
        clock.at += 15
        times = self.polls(worker, backend, clock, 10)
        assert times[1] - times[0] == pytest.approx(2, abs=0.25)

    def test_what_changes_all_the_time_is_not_asked_for_all_the_time(
        self, worker: BackendWorker, backend: FakeBackend, clock: Stopped
    ) -> None:
        """As with a hundred allocations that start and end one after the other."""
        times = []
        for number in range(600 * 4):
            backend.statuses["a"] = AllocationStatus(state=AllocationState.PENDING, reason=f"place {number}")
            times += self.polls(worker, backend, clock, 0.25)
        gaps = [b - a for a, b in pairwise(times)]
        assert gaps[:4] == pytest.approx([2] * 4, abs=0.25)
        assert gaps[10:] == pytest.approx([8] * len(gaps[10:]), abs=0.25)
        minutes = [sum(begin <= at < begin + 60 for at in times) for begin in times]
        assert max(minutes) <= 12  # with one call per 30 s for the nodes, at most one per 4 s at first, per 6 s later

    def test_and_when_one_asks_to_hurry(self, worker: BackendWorker, backend: FakeBackend, clock: Stopped) -> None:
        last = self.polls(worker, backend, clock, 120)[-1]
        worker.hurry()
        clock.at = last + 2
        assert self.polls(worker, backend, clock, 1) == [last + 2]

    def test_one_poll_at_a_time(self, worker: BackendWorker, backend: FakeBackend, clock: Stopped) -> None:
        backend.open.clear()
        worker.ask(["a"])
        clock.at += 100
        worker.ask(["a", "b"])
        assert worker.polled() is None
        backend.open.set()
        settle(worker)
        polled = worker.polled()
        assert polled is not None
        assert polled.asked == ["a"]
        assert worker.polled() is None

    def test_the_engine_is_woken_for_news_only(
        self, worker: BackendWorker, backend: FakeBackend, clock: Stopped, woken: list[int]
    ) -> None:
        self.polls(worker, backend, clock, 60)
        assert woken == []
        backend.run("a")
        clock.at += 20
        self.polls(worker, backend, clock, 0.25)
        assert woken == [1]

    def test_nodes_now_and_then(self, worker: BackendWorker, backend: FakeBackend, clock: Stopped) -> None:
        worker.begin()
        assert [node.name for node in worker.nodes] == ["n1"]
        self.polls(worker, backend, clock, 29)
        assert backend.calls.count("nodes") == 1
        self.polls(worker, backend, clock, 60)
        assert backend.calls.count("nodes") == 3

    def test_a_backend_that_is_slow_at_first_does_not_hold_up_the_server(
        self, worker: BackendWorker, backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "FIRST_SECONDS", 0.05)
        backend.open.clear()
        worker.begin()
        assert worker.problem == "it has not answered yet"
        assert worker.nodes == []
        backend.open.set()
        settle(worker)
        assert len(worker.nodes) == 1

    def test_nor_one_that_fails(self, worker: BackendWorker, backend: FakeBackend) -> None:
        backend.trouble["nodes"] = BackendUnavailable("connection refused")
        worker.begin()
        assert worker.problem == "connection refused"


class TestUnwell:
    def test_it_is_left_alone_for_a_while_and_then_asked_again(
        self, worker: BackendWorker, backend: FakeBackend, clock: Stopped
    ) -> None:
        backend.trouble["poll"] = BackendUnavailable("connection refused")
        since: Any = pytest.approx(time.time(), abs=60)
        worker.ask(["a"])
        settle(worker)
        assert worker.polled() is None
        assert (worker.problem, worker.problem_since) == ("connection refused", since)
        clock.at += RETRY_SECONDS - 0.1
        worker.ask(["a"])
        worker.submit(batch("b"))
        worker.trace(["a"])
        worker.change("x 1", ["a"], HOLD)
        settle(worker)
        assert backend.calls == ["poll"]
        del backend.trouble["poll"]
        clock.at += 0.2
        worker.ask(["a"])
        settle(worker)
        assert worker.polled() is not None
        assert (worker.problem, worker.problem_since) == (None, None)

    def test_since_when_stays_while_it_lasts(self, worker: BackendWorker, backend: FakeBackend, clock: Stopped) -> None:
        backend.trouble["poll"] = BackendUnavailable("no")
        since = set()
        for _ in range(3):
            worker.ask([])
            settle(worker)
            worker.polled()
            since.add(worker.problem_since)
            clock.at += 20
        assert len(since) == 1
        assert since != {None}

    def test_a_fault_of_ours_is_told_too(
        self, worker: BackendWorker, backend: FakeBackend, caplog: pytest.LogCaptureFixture
    ) -> None:
        backend.trouble["poll"] = KeyError("x")
        worker.ask([])
        settle(worker)
        worker.polled()
        assert worker.problem == "KeyError: 'x'"
        assert "backend fake failed" in caplog.text


class TestSubmissions:
    def answers(self, worker: BackendWorker) -> list[Answer]:
        settle(worker)
        return worker.answers()

    def test_are_passed_on_once_and_answered_once(
        self, worker: BackendWorker, backend: FakeBackend, woken: list[int]
    ) -> None:
        backend.open.clear()
        for _ in range(3):
            worker.submit(batch("b"))
        assert worker.answers() == []
        backend.open.set()
        assert self.answers(worker) == [Answer("b", ids=["id-b.0", "id-b.1"])]
        assert worker.answers() == []
        assert (len(backend.batches), woken) == (1, [1])

    def test_one_that_came_through_is_looked_at_soon(
        self, worker: BackendWorker, backend: FakeBackend, clock: Stopped
    ) -> None:
        worker._interval = 15.0
        worker.submit(batch("b"))
        self.answers(worker)
        assert worker._interval == backend.pace.fastest

    def test_refused(self, worker: BackendWorker, backend: FakeBackend) -> None:
        backend.trouble["submit"] = BackendError("invalid account")
        worker.submit(batch("b"))
        assert self.answers(worker) == [Answer("b", refused="invalid account")]
        assert (worker.problem, worker.full) == (None, False)

    def test_busy(self, worker: BackendWorker, backend: FakeBackend, clock: Stopped) -> None:
        backend.trouble["submit"] = BackendBusy("takes no more")
        worker.submit(batch("b"))
        assert self.answers(worker) == [Answer("b", waits="takes no more")]
        assert (worker.full, worker.problem) == (True, None)
        clock.at += BUSY_SECONDS - 1
        worker.submit(batch("b"))
        assert self.answers(worker) == []
        worker.ask([])  # but looking goes on
        settle(worker)
        assert worker.polled() is not None
        del backend.trouble["submit"]
        clock.at += 2
        assert not worker.full
        worker.submit(batch("b"))
        assert self.answers(worker) == [Answer("b", ids=["id-b.0", "id-b.1"])]

    def test_unavailable(self, worker: BackendWorker, backend: FakeBackend, clock: Stopped) -> None:
        backend.trouble["submit"] = BackendUnavailable("timed out")
        worker.submit(batch("b"))
        assert self.answers(worker) == [Answer("b", waits="waits for fake to answer: timed out")]
        assert (worker.full, worker.problem) == (False, "timed out")
        clock.at += RETRY_SECONDS
        del backend.trouble["submit"]
        worker.submit(batch("b"))
        assert self.answers(worker)[0].ids is not None


class TestTrace:
    def test_one_at_a_time_and_never_for_nothing(
        self, worker: BackendWorker, backend: FakeBackend, woken: list[int]
    ) -> None:
        worker.trace([])
        settle(worker)
        assert backend.calls == []
        backend.records["a"] = AllocationStatus(state=AllocationState.ENDED, by_hand=True)
        backend.open.clear()
        worker.trace(["a", "b"])
        worker.trace(["c"])
        assert worker.traced() is None
        backend.open.set()
        settle(worker)
        traced = worker.traced()
        assert traced is not None
        assert (traced.asked, dict(traced.statuses)) == (["a", "b"], backend.records)
        assert worker.traced() is None
        assert woken == [1]

    def test_records_that_cannot_be_had_are_asked_for_again(
        self, worker: BackendWorker, backend: FakeBackend, clock: Stopped
    ) -> None:
        backend.trouble["trace"] = BackendUnavailable("the database is down")
        worker.trace(["a"])
        settle(worker)
        assert worker.traced() is None
        assert worker.problem == "the database is down"
        del backend.trouble["trace"]
        clock.at += RETRY_SECONDS
        worker.trace(["a"])
        settle(worker)
        assert worker.traced() is not None


class TestChanges:
    def test_are_passed_on_once(self, worker: BackendWorker, backend: FakeBackend, woken: list[int]) -> None:
        backend.open.clear()
        worker.change("j 1", ["a"], HOLD)
        worker.change("j 1", ["a", "b"], HOLD)
        worker.change("j 2", ["a"], AllocationChange(nice=1))
        assert worker.changed() == []
        backend.open.set()
        settle(worker)
        assert worker.changed() == [Change("j 1", ["a"]), Change("j 2", ["a"])]
        assert worker.changed() == []
        assert backend.changes == [(["a"], HOLD), (["a"], AllocationChange(nice=1))]
        assert woken

    def test_what_is_refused_is_told(self, worker: BackendWorker, backend: FakeBackend) -> None:
        backend.trouble["change"] = BackendError("not yours")
        worker.change("j 1", ["a"], HOLD)
        settle(worker)
        assert worker.changed() == [Change("j 1", ["a"], "not yours")]
        assert worker.problem is None

    def test_what_does_not_get_through_is_not(
        self, worker: BackendWorker, backend: FakeBackend, clock: Stopped
    ) -> None:
        backend.trouble["change"] = BackendUnavailable("down")
        worker.change("j 1", ["a"], HOLD)
        settle(worker)
        assert worker.changed() == []
        assert worker.problem == "down"
        del backend.trouble["change"]
        clock.at += RETRY_SECONDS
        worker.change("j 1", ["a"], HOLD)
        settle(worker)
        assert worker.changed() == [Change("j 1", ["a"])]


class TestOrders:
    def test_cancel(self, worker: BackendWorker, backend: FakeBackend) -> None:
        worker.cancel([])
        worker.cancel(["a", "b"])
        settle(worker)
        assert (backend.cancelled, backend.calls) == (["a", "b"], ["cancel"])

    def test_a_cancel_that_does_not_get_through_is_shown(self, worker: BackendWorker, backend: FakeBackend) -> None:
        backend.trouble["cancel"] = BackendUnavailable("down")
        worker.cancel(["a"], waiting_only=True)
        settle(worker)
        assert worker.problem == "down"

    def test_a_cancel_is_queued_once_while_the_backend_hangs(self, worker: BackendWorker, backend: FakeBackend) -> None:
        backend.open.clear()
        for _ in range(3):
            worker.cancel(["a", "b"], waiting_only=True)
        worker.cancel(["b", "c"])  # whether it waits or runs: this is more than was requested for b
        for _ in range(3):
            worker.cancel(["a", "b", "c"], waiting_only=True)
            worker.cancel(["b"])
        backend.open.set()
        settle(worker)
        assert (backend.cancelled, backend.withdrawn) == (["a", "b", "b", "c"], ["a", "b"])
        worker.cancel(["a"])  # the request before has been passed on
        settle(worker)
        assert backend.cancelled[4:] == ["a"]

    def test_check_waits_for_the_answer(self, worker: BackendWorker, backend: FakeBackend) -> None:
        assert worker.check(batch("b"), 20).message == "b"
        backend.trouble["check"] = BackendUnavailable("down")
        with pytest.raises(BackendUnavailable, match="down"):
            worker.check(batch("b"), 20)

    def test_but_not_for_ever(self, worker: BackendWorker, backend: FakeBackend) -> None:
        backend.open.clear()
        with pytest.raises(BackendUnavailable, match=r"fake did not answer within 0\.05 s"):
            worker.check(batch("b"), 0.05)

    def test_closing_waits_for_what_is_under_way_and_drops_the_rest(
        self, backend: FakeBackend, clock: Stopped, caplog: pytest.LogCaptureFixture
    ) -> None:
        made = BackendWorker(backend, lambda: None, clock, own_thread("test"))
        backend.open.clear()
        made.submit(batch("b"))
        made.ask(["a"])
        until(made._submissions._calls["b"].running)
        backend.open.set()
        made.close()
        assert backend.calls in (["submit"], ["submit", "poll", "nodes"])
        assert not caplog.records

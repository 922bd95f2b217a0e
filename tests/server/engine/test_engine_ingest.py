"""Test what rounds read from journals: a bounded part, and nothing is lost."""

import threading
from typing import Any

import pytest

from paddock.common import files
from paddock.models import Cause, Event
from paddock.server.engine import announce, ingest, mailbox
from paddock.server.store import allocations, events, metrics, tasks
from tests.server.engine.engine_rig import JOB, Rig
from tests.server.store.given import told


def metric(step: int, task: str = f"{JOB}-1") -> dict[str, Any]:
    return {"e": "metric", "task": task, "step": step, "v": {"loss": step}}


def running(rig: Rig, jobs: list[str]) -> dict[str, str]:
    """A job each with one running task: job -> its allocation."""
    keys = {}
    for job in jobs:
        rig.job(job=job, objective="loss")
        rig.step()
        [keys[job]] = rig.keys(job)
        rig.started(keys[job], f"{job}-1")
    return keys


def said(rig: Rig, after: int) -> list[Event]:
    with rig.db.read() as c:
        return told(c, after)


def newest(rig: Rig) -> int:
    with rig.db.read() as c:
        return events.bounds(c)[1]


def test_an_event_has_few_points_or_says_that_there_are_more(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(announce, "MAX_POINTS", 10)
    keys = running(rig, [JOB])
    before = newest(rig)
    rig.say(keys[JOB], *(metric(step) for step in range(10)))
    rig.step()
    [event] = said(rig, before)
    assert event.data["points"] == {f"{JOB}-1": {"loss": [[step, step] for step in range(10)]}}
    assert "more" not in event.data
    rig.say(keys[JOB], *(metric(step) for step in range(10, 21)))
    rig.step()
    event = said(rig, before)[-1]
    assert event.data["more"] is True
    assert "points" not in event.data
    with rig.db.read() as c:
        assert metrics.curves(c, [f"{JOB}-1"], None, None)[0].steps == list(range(21))


def test_a_round_reads_little_of_each_journal_and_in_all(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = [f"k3v9x2a{letter}" for letter in "abcdef"]
    keys = running(rig, jobs)
    for name, most in (("READ_BYTES", 1000), ("ROUND_BYTES", 3000), ("COMMIT_BYTES", 1000)):
        monkeypatch.setattr(ingest, name, most)
    for job in jobs:
        rig.say(keys[job], *(metric(step, f"{job}-1") for step in range(100)))
    got: list[int] = []
    plain = files.Folder.read

    def counted(folder: files.Folder, inner: str, name: str, limit: int, offset: int) -> bytes:
        data = plain(folder, inner, name, limit, offset)
        got.append(len(data))
        return data

    monkeypatch.setattr(files.Folder, "read", counted)
    rounds = 0
    more = True
    while more:
        got.clear()
        more = rig.engine.round()
        rounds += 1
        assert max(got, default=0) <= 1000
        assert sum(got) <= 3000 + 1000  # that which goes over is read to its end
    assert rounds > 10
    with rig.db.read() as c:
        for job in jobs:
            assert metrics.curves(c, [f"{job}-1"], None, None)[0].steps == list(range(100))


def test_news_are_stored_before_those_that_are_far_behind_are_read(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = running(rig, ["k3v9x2aa", "k3v9x2ab"])
    for name in ("READ_BYTES", "COMMIT_BYTES"):
        monkeypatch.setattr(ingest, name, 1000)
    rig.say(keys["k3v9x2aa"], *(metric(step, "k3v9x2aa-1") for step in range(100)))
    assert rig.engine.round()  # this one is far behind now
    rig.say(keys["k3v9x2ab"], metric(7, "k3v9x2ab-1"))
    order: list[str] = []
    plain, store = files.Folder.read, ingest._store

    def read(folder: files.Folder, inner: str, *given: Any) -> bytes:
        order.append(f"read {inner}")
        return plain(folder, inner, *given)

    def stored(context: Any, news: list[Any]) -> None:
        order.extend(f"stored {one.row.key}" for one in news)
        store(context, news)

    monkeypatch.setattr(files.Folder, "read", read)
    monkeypatch.setattr(ingest, "_store", stored)
    rig.engine.round()
    far = f"read {keys['k3v9x2aa']}"
    assert order.index(f"stored {keys['k3v9x2ab']}") < order.index(far)


def test_of_many_journals_the_quiet_ones_are_looked_at_less_often(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = ["k3v9x2aa", "k3v9x2ab", "k3v9x2ac"]
    keys = running(rig, jobs)
    clock = 1000.0
    monkeypatch.setattr(ingest, "MANY", 2)
    monkeypatch.setattr(ingest, "STARTS_ROUNDS", 10**12)
    rig.engine._ingest = ingest.Ingest(lambda: clock)
    looked: list[str] = []
    plain = files.Folder.read

    def read(folder: files.Folder, inner: str, *given: Any) -> bytes:
        looked.append(inner)
        return plain(folder, inner, *given)

    def round_after(seconds: float) -> set[str]:
        nonlocal clock
        clock += seconds
        looked.clear()
        rig.engine.round()
        return {job for job in jobs if keys[job] in looked}

    monkeypatch.setattr(files.Folder, "read", read)
    assert round_after(0) == set(jobs)
    assert round_after(0.2) == set(jobs), "they were not quiet for long"
    for _ in range(12):
        clock += 1
        rig.say(keys["k3v9x2ab"], metric(int(clock), "k3v9x2ab-1"))
        assert round_after(0) == set(jobs), "once a second"
    assert round_after(0.2) == {"k3v9x2ab"}
    with rig.db.write() as c:
        allocations.failed(c, keys["k3v9x2ac"], Cause.NODE_FAILURE, "gone")
    assert round_after(0.2) == {"k3v9x2ab", "k3v9x2ac"}, "one that has ended is read to its end"
    rig.say(keys["k3v9x2aa"], metric(1, "k3v9x2aa-1"))
    assert round_after(0.2) >= {"k3v9x2ab"}
    assert "k3v9x2aa" in round_after(0.5)
    assert "k3v9x2aa" in round_after(0.2), "it has news again"
    with rig.db.read() as c:
        assert metrics.curves(c, ["k3v9x2aa-1"], None, None)[0].steps == [1]
    rig.say(keys["k3v9x2aa"], {"e": "usage", "task": "k3v9x2aa-1", "memory": 1, "cpu": 1.0})
    assert "k3v9x2aa" in round_after(6)
    assert "k3v9x2aa" not in round_after(0.4), "measurements come by themselves"
    assert "k3v9x2aa" in round_after(0.2), "but a task runs there: half a second"
    assert "k3v9x2aa" in round_after(100)
    assert "k3v9x2aa" not in round_after(1.9)
    assert "k3v9x2aa" in round_after(0.2), "nothing for a minute: two seconds"
    with rig.db.write() as c:
        tasks.request_stop(c, "k3v9x2aa", None)
    rig.engine.wake()
    round_after(0.1)
    assert "k3v9x2aa" in round_after(0.1), "it was ordered to stop: its end is expected"
    rig.say(keys["k3v9x2aa"], {"e": "ended", "task": "k3v9x2aa-1", "exit": None, "signal": 15, "by": "stop"})
    round_after(0.1)
    clock += 20
    monkeypatch.setattr(ingest, "STARTS_ROUNDS", 20)
    for _ in range(2):
        round_after(0)
    looks = [round_after(0.001) for _ in range(20)]
    assert [("k3v9x2aa" in one) for one in looks].count(True) == 1, "when journals of second starts are looked for"


def test_on_a_slow_file_system_several_threads_read(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = [f"k3v9x2a{letter}" for letter in "abcdefgh"]
    keys = running(rig, jobs)
    monkeypatch.setattr(ingest, "SLOW_SECONDS", 0.0)
    monkeypatch.setattr(ingest, "THREADS", 3)
    monkeypatch.setattr(ingest, "AT_ONCE", 5)
    threads: dict[str, str] = {}
    plain = files.Folder.read

    def read(folder: files.Folder, inner: str, *given: Any) -> bytes:
        threads[inner] = threading.current_thread().name
        return plain(folder, inner, *given)

    monkeypatch.setattr(files.Folder, "read", read)
    rig.engine.round()
    allocation = rig.home.job(jobs[3]).allocation(keys[jobs[3]])
    allocation.rename(allocation.with_name("elsewhere"))
    allocation.symlink_to("elsewhere")
    for step in range(3):
        for job in jobs:
            if job != jobs[3]:
                rig.say(keys[job], metric(step, f"{job}-1"))
        rig.engine.round()
    assert len({name for name in threads.values() if name.startswith("journals")}) > 0
    assert list(rig.engine.set_aside) == [jobs[3]], "and what fails for one job stays with that job"
    with rig.db.read() as c:
        for job in jobs:
            expected = [] if job == jobs[3] else [0, 1, 2]
            assert [step for curve in metrics.curves(c, [f"{job}-1"], None, None) for step in curve.steps] == expected


class TestStopping:
    def test_a_large_job_is_stopped_in_portions_and_others_do_not_wait(
        self, rig: Rig, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(mailbox, "STOP_AT_ONCE", 2)
        large, [small] = rig.job(tasks=5), rig.job(job="k3v9x2ac")
        rig.step()
        with rig.db.write() as c:
            tasks.request_stop(c, JOB, None)
            tasks.request_stop(c, "k3v9x2ac", None)
        rig.engine.wake()
        assert rig.engine.round(), "there is more to do at once"
        assert [rig.task(one).state for one in large] == ["stopped"] * 2 + ["submitted"] * 3
        assert rig.task(small).state == "stopped"
        rig.step()
        assert {rig.task(one).state.value for one in large} == {"stopped"}

"""What rounds take from journals: bounded, whatever there is, and none of it lost."""

from collections.abc import Iterator
from typing import Any

import pytest

from paddock.engine import announce, ingest
from paddock.models import Event
from paddock.paths import Home
from paddock.runner import files
from paddock.settings import Settings
from paddock.store import events, metrics
from tests.contract.given import told
from tests.unit.engine_rig import JOB, Rig, rigged


@pytest.fixture
def rig(home: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    with rigged(Rig, home, settings, monkeypatch) as made:
        yield made


def metric(step: int, task: str = f"{JOB}-1") -> dict[str, Any]:
    return {"e": "metric", "task": task, "step": step, "v": {"loss": step}}


def running(rig: Rig, jobs: list[str]) -> dict[str, str]:
    """A job each with one running task: job -> its allocation."""
    keys = {}
    for job in jobs:
        rig.job(job=job)
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
        more = rig.engine.tick()
        rounds += 1
        assert max(got, default=0) <= 1000
        assert sum(got) <= 3000 + 1000  # that which goes over is read to its end
    assert rounds > 10
    with rig.db.read() as c:
        for job in jobs:
            assert metrics.curves(c, [f"{job}-1"], None, None)[0].steps == list(range(100))

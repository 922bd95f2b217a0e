"""Test that what was expected is compared with what happened, and that runners are told how long tasks take."""

import json

import pytest
import sqlalchemy as sa

from paddock.rules.durations import Band
from paddock.server.engine.estimating import SHARES, Expectations
from paddock.server.store import predictions
from paddock.server.store.predictions import Kind
from paddock.server.store.tables import jobs as job_rows
from tests.server.engine.engine_rig import JOB, Rig

KEY = f"{JOB}-a1.0"


def scores(rig: Rig, kind: Kind) -> list[float]:
    with rig.db.read() as c:
        return predictions.scores(c, rig.settings.owner, "p1", kind)


def begin(rig: Rig, tasks: int) -> list[str]:
    ids = rig.job(tasks=tasks, owner=rig.settings.owner, epochs=20)
    with rig.db.write() as c:
        c.execute(sa.update(job_rows).values(program="p1"))
    rig.step()
    rig.backend.run(f"id-{KEY}")
    rig.say(KEY, {"e": "runner", "at": rig.now()})
    return ids


def train(rig: Rig, task: str, epochs: int, *, first: int = 0) -> None:
    """Ten seconds per epoch."""
    for epoch in range(first, epochs):
        rig.ahead += 10
        rig.say(KEY, {"e": "metric", "task": task, "step": epoch, "v": {"loss": 1.0}, "at": rig.now()})
        rig.step(rounds=1)


def start(rig: Rig, task: str) -> None:
    rig.say(KEY, {"e": "started", "task": task, "pid": 7, "at": rig.now()})
    rig.step(rounds=1)
    rig.ahead += 100  # it imports


def end(rig: Rig, task: str) -> None:
    rig.say(KEY, {"e": "ended", "task": task, "exit": 0, "at": rig.now()})
    rig.step(rounds=2, seconds=2)


def test_ends_are_compared_with_what_was_expected(rig: Rig) -> None:
    one, two = begin(rig, tasks=2)
    start(rig, one)
    train(rig, one, 20)
    assert scores(rig, "task") == []
    end(rig, one)
    of_one = scores(rig, "task")
    assert 2 <= len(of_one) <= len(SHARES)
    assert all(abs(score) < 2 for score in of_one), "the start-up does not count as training"
    assert scores(rig, "job") == [], "it goes on"
    start(rig, two)
    train(rig, two, 20)
    end(rig, two)
    assert len(scores(rig, "task")) > len(of_one)
    assert scores(rig, "job")


def test_a_task_that_is_stopped_says_nothing_about_others(rig: Rig) -> None:
    [one] = begin(rig, tasks=1)
    start(rig, one)
    train(rig, one, 12)
    rig.say(KEY, {"e": "ended", "task": one, "signal": 15, "by": "stop", "at": rig.now()})
    rig.step(rounds=2, seconds=2)
    assert (scores(rig, "task"), scores(rig, "job")) == ([], [])


def test_runners_are_told_how_long_tasks_take(rig: Rig) -> None:
    ids = begin(rig, tasks=3)
    assert all("seconds" not in line for line in rig.published()), "nothing is known yet"
    for task in ids:
        start(rig, task)
        train(rig, task, 20)
        end(rig, task)
    other = "zzzzzzzz"
    rig.job(job=other, owner=rig.settings.owner, epochs=20)
    with rig.db.write() as c:
        c.execute(sa.update(job_rows).values(program="p1"))
    rig.step()
    [line] = [json.loads(text) for text in rig.home.job(other).tasks.read_text().splitlines()][:1]
    assert line["seconds"] == pytest.approx(300, rel=0.3)


def test_expectations_are_noted_as_time_passes() -> None:
    made = Expectations(0.0)
    for now in range(100):
        made.note(float(now), Band(90.0, 100.0, 110.0))
    assert [one.at for one in made.noted] == [10, 25, 50, 75]
    late = Expectations(0.0)
    late.note(60.0, Band(90.0, 100.0, 110.0))
    late.note(61.0, None)
    late.note(120.0, Band(90.0, 100.0, 110.0))
    assert [one.at for one in late.noted] == [60], "not three at a time, and not what is over"

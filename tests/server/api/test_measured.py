"""Test the values of metrics that are kept: read once, and again when there are new points."""

import math

import pytest
import sqlalchemy as sa

from paddock.server.api import measured
from paddock.server.api.measured import MeasuredValues
from paddock.server.store import metrics, tasks
from paddock.server.store.db import Database
from paddock.server.store.metrics import Appender, Summary
from paddock.server.store.tables import chunks
from tests.server.store.given import add_job, current

COLUMNS = ["last.loss", "min.loss", "max.loss", "best.loss", "best.val_acc"]


def test_only_tasks_with_new_points_are_read_again(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "_LATE", 0.0)
    ids = add_job(db, tasks=2)
    job = ids[0].rpartition("-")[0]
    appender, values = Appender(), MeasuredValues()

    def append(task: str, *points: float) -> None:
        with db.write() as c:
            series = [(float(step), value, 0.0) for step, value in enumerate(points)]
            appender.append(c, {current(c, task).attempt_id: {"loss": series, "val_acc": series}})

    def seen(number: int) -> list[float | None]:
        with db.read() as c:
            found = values.columns(c, appender, job, tasks.outlines(c, job), COLUMNS)
        return [found[name][number] for name in COLUMNS]

    append(ids[0], 3, 1, 2)
    assert seen(1) == [2, 1, 3, 1, 3]
    assert seen(2) == [None] * 5
    with db.write() as c:  # behind its back: what is kept is not read again
        c.execute(sa.delete(chunks))
    assert seen(1) == [2, 1, 3, 1, 3]
    appender.clear()
    append(ids[1], 5)
    assert seen(2) == [5, 5, 5, 5, 5]
    assert seen(1) == [2, 1, 3, 1, 3]
    append(ids[0], 7)
    assert seen(1) == [7, 7, 7, 7, 7]


def test_what_is_kept_is_bounded(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "MOST", 3)
    job = add_job(db, tasks=2)[0].rpartition("-")[0]
    values = MeasuredValues()
    with db.read() as c:
        outlines = tasks.outlines(c, job)
        values.columns(c, Appender(), job, outlines, [f"last.{name}" for name in "abc"])
    assert [metric for _, metric in values._kept] == ["c"]


def test_attempts_that_were_forgotten_count_as_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "MAX_TOUCHED", 4)
    appender = Appender()
    assert not appender.changed_since(1, 0)
    for attempt in range(6):
        appender._touch([attempt])
    assert len(appender._touched) <= 4
    assert all(appender.changed_since(attempt, 0) for attempt in range(6))
    assert not appender.changed_since(5, math.inf)


def test_summaries_leave_out_what_is_no_number(db: Database) -> None:
    task = add_job(db)[0]
    series = [(0.0, math.nan, 0.0), (1.0, 2.0, 0.0), (2.0, math.inf, 0.0)]
    with db.write() as c:
        nothing = [(0.0, math.nan, 0.0)]
        Appender().append(c, {current(c, task).attempt_id: {"loss": series, "never": nothing}})
    with db.read() as c:
        found = metrics.summaries(c, [task], None)
    assert found == {(task, "loss"): Summary(None, 2.0, 2.0), (task, "never"): Summary(None, None, None)}

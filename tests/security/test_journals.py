"""Test that the contents of one job's journals, or what is in their place, harm no other job."""

import json
import math
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from paddock.models import TaskState as S
from paddock.server.engine import limits
from paddock.server.store import jobs, metrics, packings
from tests.server.engine.engine_rig import JOB, Rig

OTHER = "z9y8x7w6"
MINE, THEIRS = f"{JOB}-1", f"{OTHER}-1"


@pytest.fixture
def two(rig: Rig) -> Rig:
    """A hostile job and a healthy one, each with a task that runs."""
    for job, task in ((JOB, MINE), (OTHER, THEIRS)):
        rig.job(job=job)
        rig.step()
        rig.started(rig.keys(job)[0], task)
    return rig


def finishes(rig: Rig, job: str, task: str) -> None:
    """It reports, and ends well."""
    key = rig.keys(job)[-1]
    rig.say(
        key, {"e": "metric", "task": task, "step": 1, "v": {"val_loss": 0.5}}, {"e": "ended", "task": task, "exit": 0}
    )
    rig.step()
    found = rig.task(task)
    assert (found.state, found.best_value) == (S.FINISHED, 0.5)


HUGE = 10**400
LINES: dict[str, dict[str, Any]] = {
    "reset": {"e": "reset", "names": 5},
    "cause": {"e": "ended", "cause": ["x"]},
    "unknown cause": {"e": "ended", "cause": "bad luck"},
    "peak": {"e": "ended", "peak_memory": math.inf},
    "usage": {"e": "usage", "memory": 2**64},
    "cpu": {"e": "usage", "cpu": math.nan},
    "epoch": {"e": "metric", "step": 1, "epoch": HUGE, "v": {"a": 1}},
    "infinite epoch": {"e": "metric", "step": 1, "epoch": math.inf, "v": {"a": 1}},
    "pid": {"e": "started", "pid": 2**64},
    "attempt": {"e": "started", "attempt": 2**64},
    "seat": {"e": "started", "seat": {"threads": HUGE}},
    "exit": {"e": "ended", "exit": -(2**64)},
    "packing": {"e": "packing", "gpu": "A", "tasks": 2, "auto": True, "need": HUGE, "load": math.inf},
    "node": {"e": "node", "node": "n1", "cores": 1, "load": math.inf},
    "many": {"e": "metric", "step": 1, "v": {f"m{n}": 1 for n in range(5000)}},
}


@pytest.mark.parametrize("which", LINES)
def test_a_wrong_line_is_counted_and_left_out(two: Rig, which: str) -> None:
    two.say(two.keys()[0], {"task": MINE, **LINES[which]}, {"task": MINE, **LINES[which]})
    two.step()
    [warning] = [text for text in two.detail().warnings if "journal" in text]
    assert warning == f"2 lines of the journal of allocation {two.keys()[0]} are not valid records and were left out"
    two.say(two.keys()[0], {"task": MINE, **LINES[which]})
    finishes(two, OTHER, THEIRS)
    finishes(two, JOB, MINE)
    assert [text.split()[0] for text in two.detail().warnings if "journal" in text] == ["3"]
    assert not [text for text in two.detail(OTHER).warnings if "journal" in text]


def test_names_that_cannot_be_stored(two: Rig) -> None:
    two.say(
        two.keys()[0],
        {"e": "metric", "task": MINE, "step": 1, "v": {"\ud800": 1, "a\0b": math.inf}},
        {"e": "warning", "task": MINE, "text": "\udfff\0"},
        {"e": "metric", "task": "\ud800", "step": 1, "v": {"a": 1}},
        {"e": "node", "node": "\ud800", "cores": 1},
    )
    finishes(two, OTHER, THEIRS)
    finishes(two, JOB, MINE)


class TestWhoseItIs:
    """A record counts only for an attempt that was given to that allocation."""

    def test_a_line_in_one_job_does_not_end_the_task_of_another(self, two: Rig) -> None:
        two.say(
            two.keys()[0],
            {"e": "metric", "task": THEIRS, "step": 1, "v": {"val_loss": -1e9}},
            {"e": "warning", "task": THEIRS, "text": "send money"},
            {"e": "usage", "task": THEIRS, "memory": 10**15},
            {"e": "total", "task": THEIRS, "epochs": 7},
            {"e": "ended", "task": THEIRS, "exit": 0},
        )
        two.step()
        found = two.task(THEIRS)
        assert (found.state, found.best_value, found.warnings, found.peak_memory) == (S.RUNNING, None, [], None)
        finishes(two, OTHER, THEIRS)

    def test_nor_does_it_start_one(self, rig: Rig) -> None:
        rig.job()
        rig.step()
        rig.job(job=OTHER)
        rig.step()
        rig.backend.run(f"id-{rig.keys()[0]}")
        nothing = {"e": "ended", "task": THEIRS, "exit": None, "cause": "launch_failed"}
        rig.say(rig.keys()[0], {"e": "runner"}, {"e": "started", "task": THEIRS, "pid": 7}, nothing)
        rig.step()
        assert rig.task(THEIRS).state is S.SUBMITTED
        rig.started(rig.keys(OTHER)[0], THEIRS)
        finishes(rig, OTHER, THEIRS)

    def test_nor_does_another_allocation_or_start_of_the_same_job(self, rig: Rig) -> None:
        rig.job(2)
        rig.step()
        first, second = rig.keys()
        rig.started(first, MINE)
        rig.started(second, f"{JOB}-2")
        rig.say(second, {"e": "ended", "task": MINE, "exit": 0}, {"e": "started", "task": MINE, "pid": 9})
        rig.say(first, {"e": "runner"}, {"e": "ended", "task": MINE, "exit": 0}, start=2)
        rig.step(25)
        found = rig.attempts(MINE)[0]
        assert (found.state, found.pid, found.allocation) == (S.RUNNING, 7, first)

    def test_what_never_started_cannot_have_finished(self, rig: Rig) -> None:
        rig.job()
        rig.step()
        rig.say(rig.keys()[0], {"e": "runner"}, {"e": "ended", "task": MINE, "exit": 0})
        rig.step()
        assert rig.task(MINE).state is S.SUBMITTED

    def test_a_node_is_told_of_by_those_on_it(self, two: Rig) -> None:
        look = {"e": "node", "cores": 8, "busy": 7.0, "at": time.time()}
        two.say(two.keys()[0], {**look, "node": "n2"}, *({**look, "node": f"x{n}"} for n in range(50)))
        two.step()
        assert list(two.engine._monitor._seen) == []
        two.say(two.keys()[0], {**look, "node": "n1"})
        two.step()
        assert list(two.engine._monitor._seen) == [("fake", "n1")]


# --- what stands in place of a journal --------------------------------------------------------------------------------


def _folder(path: Path) -> None:
    path.mkdir()


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _link(path: Path) -> None:
    path.symlink_to(path.with_name("kept"))


def _second_name(path: Path) -> None:
    path.hardlink_to(path.with_name("kept"))


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _text(path: Path) -> None:
    path.write_text("not a folder")


def _nothing(path: Path) -> None:
    pass


PLACES = [
    *(("journal", made) for made in (_folder, _pipe, _loop, _link, _second_name, _device)),
    ("allocation", _text),
    ("allocation", _loop),
    ("allocation", _link),
    ("allocations", _text),
    ("allocations", _loop),
    ("job", _nothing),
]


def later(rig: Rig) -> None:
    """What rests is tried again."""
    at = rig.engine.context.boundary
    before = at._clock
    at._clock = lambda: before() + 100


@pytest.mark.parametrize(("place", "put"), PLACES)
def test_what_stands_in_place_of_a_journal_sets_that_job_aside(
    two: Rig, place: str, put: Callable[[Path], None]
) -> None:
    folder = two.home.job(JOB)
    [key] = two.keys()
    path = {
        "journal": folder.journal(key, 1),
        "allocation": folder.allocation(key),
        "allocations": folder.allocation(key).parent,
        "job": folder.root,
    }[place]
    kept = path.with_name("kept")
    path.rename(kept)
    put(path)
    two.step()
    told = two.engine.set_aside[JOB]
    assert told.startswith("Paddock cannot read its journals")
    assert told in two.detail().warnings
    finishes(two, OTHER, THEIRS)
    assert two.engine.set_aside == {JOB: told}
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    path.unlink(missing_ok=True)
    kept.rename(path)
    later(two)
    finishes(two, JOB, MINE)
    assert two.engine.set_aside == {}
    assert told not in two.detail().warnings


def test_a_job_that_cannot_be_read_can_be_removed(two: Rig) -> None:
    [key] = two.keys()
    path = two.home.job(JOB).journal(key, 1)
    path.unlink()
    os.mkfifo(path)
    two.step()
    with two.db.write() as c:
        c.execute(sa.text("UPDATE jobs SET removing = true WHERE id = :job"), {"job": JOB})
    two.step()
    two.backend.end(f"id-{key}")
    two.step(5)
    assert not two.home.job(JOB).root.exists()
    assert two.engine.set_aside == {}
    finishes(two, OTHER, THEIRS)


# --- what else one job may do to the engine ---------------------------------------------------------------------------


def test_a_description_that_is_not_valid_any_more(two: Rig) -> None:
    with two.db.write() as c:
        was = c.execute(sa.text("SELECT spec FROM jobs WHERE id = :job"), {"job": JOB}).scalar_one()
        c.execute(sa.text("UPDATE jobs SET spec = :spec WHERE id = :job"), {"spec": '{"of": 1}', "job": JOB})
    two.reopen()
    two.say(two.keys()[0], {"e": "metric", "task": MINE, "step": 0, "v": {"val_loss": 0.9}})
    two.step()
    assert two.engine.set_aside[JOB].startswith("Paddock cannot read its description")
    finishes(two, OTHER, THEIRS)
    with two.db.write() as c:
        c.execute(sa.text("UPDATE jobs SET spec = :spec WHERE id = :job"), {"spec": was, "job": JOB})
    later(two)
    two.step()
    assert two.task(MINE).best_value == 0.9, "what was said meanwhile is not lost"
    finishes(two, JOB, MINE)
    assert two.engine.set_aside == {}


def test_what_cannot_be_stored_of_one_job_is_stored_of_the_others(two: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    take = packings.take

    def refuse(c: sa.Connection, job: str, said: Any) -> None:
        if job == JOB:
            raise ValueError("a defect")
        take(c, job, said)

    with monkeypatch.context() as patched:
        patched.setattr(packings, "take", refuse)
        two.say(two.keys()[0], {"e": "metric", "task": MINE, "step": 0, "v": {"val_loss": 0.9}})
        finishes(two, OTHER, THEIRS)
        assert "store what its journals report: ValueError: a defect" in two.engine.set_aside[JOB]
        assert two.task(MINE).best_value is None
    later(two)
    two.step()
    assert two.task(MINE).best_value == 0.9
    finishes(two, JOB, MINE)
    with two.db.read() as c:
        [curve] = metrics.curves(c, [MINE], ["val_loss"], None)
    assert curve.steps == [0, 1], "once"


def test_orders_that_cannot_be_written(two: Rig) -> None:
    control = two.home.job(JOB).control
    control.unlink(missing_ok=True)
    control.mkdir()
    with two.db.write() as c:
        for job in (JOB, OTHER):
            jobs.hold(c, job, warning="held")
    two.step()
    assert "pass changes on to its runners" in two.engine.set_aside[JOB]
    assert two.control(OTHER) == [{"op": "hold"}]
    control.rmdir()
    later(two)
    two.step()
    assert two.control() == [{"op": "hold"}]
    assert two.engine.set_aside == {}


def test_a_step_that_fails_keeps_no_other_from_running(two: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("a defect")

    rig_job = two.job(job="a1b2c3d4")
    with monkeypatch.context() as patched:
        patched.setattr(limits, "adjust", fail)
        two.engine.wake()
        two.engine.round()
        assert two.engine.problem == "RuntimeError: a defect"
        assert [line["task"] for line in two.published("a1b2c3d4")] == rig_job
        two.engine._asked = False
        two.engine.round()
        assert two.engine.problem == "RuntimeError: a defect", "a round without this step says nothing of it"
    two.step()
    assert two.engine.problem is None


def test_json_in_the_database_is_json(two: Rig) -> None:
    """PostgreSQL refuses Infinity and NaN in JSON, SQLite takes them without a word."""
    values = {"val_loss": math.nan, "a": math.inf}
    two.say(
        two.keys()[0],
        {"e": "metric", "task": MINE, "step": 1, "v": values},
        {"e": "metric", "task": MINE, "step": 1e308, "epoch": -1e308, "v": values},
        {"e": "usage", "task": MINE, "memory": 5, "cpu": 1e308, "gpu_load": 1e308},
        {"e": "packing", "gpu": "A", "tasks": 2, "auto": True, "load": 1e308, "speedup": 1e308},
        {"e": "node", "node": "n1", "cores": 1, "busy": 1e6, "load": 1e6},
    )
    two.step(seconds=20)
    finishes(two, JOB, MINE)
    with two.db.read() as c:
        parts = ("data FROM events", "data FROM loads", "packing FROM jobs", "others FROM tasks")
        texts = [row[0] for part in parts for row in c.exec_driver_sql(f"SELECT {part}")]

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} in JSON")

    for text in texts:
        assert text is None or json.loads(text, parse_constant=refuse) is not ...

"""Test that the engine deletes what is too old, and nothing else."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from paddock.common import folders
from paddock.errors import Conflict
from paddock.models import PruneKind, PruneReport, PruneRequest, TaskState
from paddock.paths import Home
from paddock.rules import keep
from paddock.runner import build, mailbox
from paddock.server.engine import keep as keeping
from paddock.server.store import allocations, jobs, metrics, tasks
from paddock.server.store.sight import EVERYTHING
from paddock.settings import Settings
from tests.server.engine.engine_rig import JOB, Rig, rigged

K = PruneKind
S = TaskState
OTHER = "otherjob"
LONG_AGO = 1_000_000.0


class Kept(Rig):
    def finish(self, task: str, attempt: int = 1, code: int = 0) -> str:
        """Run it through, with its claim and its files; the allocation that it ran in."""
        self.step()
        job = task.rpartition("-")[0]
        key: str = next(row.key for row in self.rows(job) if not row.closed and not row.ending)
        box = mailbox.Mailbox(str(self.home.job(job).root), key)
        box.read()
        taken = box.claim(time.monotonic() + 60, lambda _: True)
        assert taken is not None
        assert taken.identity == (task, attempt), "a runner that reads the list from its beginning takes this one"
        folder = self.home.job(job).log(task, attempt)
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.write_text(f"log of {attempt}\n")
        self.started(key, task, attempt)
        self.say(key, {"e": "metric", "task": task, "attempt": attempt, "step": attempt, "v": {"val_loss": 0.5}})
        about = {"task": task, "attempt": attempt, "exit": code, "signal": None, "by": None, "cause": None}
        self.say(key, {"e": "ended", **about}, {"e": "bye"})
        self.step()
        self.backend.end(f"id-{key}")
        for row in self.rows(job):
            if row.ending and not row.closed and row.backend_id:  # of no use any more
                self.backend.end(row.backend_id)
        self.step()
        assert self.task(task).state is (S.ERROR if code else S.FINISHED)
        return key

    def age(self) -> None:
        """All that has ended did so long ago."""
        with self.db.write() as c:
            c.execute(sa.text(f"UPDATE jobs SET created_at = {LONG_AGO}"))
            c.execute(sa.text(f"UPDATE attempts SET created_at = {LONG_AGO}"))
            for table in ("attempts", "allocations"):
                c.execute(sa.text(f"UPDATE {table} SET ended_at = {LONG_AGO} WHERE ended_at IS NOT NULL"))

    def prune(self, **asked: Any) -> PruneReport:
        """As a request does, while the engine goes on ticking."""
        self.engine.keeper._put_away = self._at_once
        report = self.engine.keeper.prune(PruneRequest(**asked))
        self.round()
        return report

    def _at_once(self, job: str) -> Any:
        told = self.engine.put_away(job)
        self.engine.wake()
        self.engine.round()
        return told

    def restart(self, task: str) -> None:
        with self.db.write() as c:
            tasks.restart(c, task.rpartition("-")[0], [task], failed=False, resume=False)

    def steps(self, task: str) -> list[float]:
        with self.db.read() as c:
            return [step for curve in metrics.curves(c, [task], ["val_loss"], None) for step in curve.steps]


@pytest.fixture
def rig(home: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kept]:
    with rigged(Kept, home, settings, monkeypatch) as made:
        yield made


def went(report: PruneReport) -> set[tuple[PruneKind, str]]:
    assert report.problems == []
    return {(one.kind, one.what) for one in report.items}


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


class TestJournals:
    def test_they_go_and_the_job_stays(self, rig: Kept) -> None:
        [task] = rig.job()
        rig.finish(task)
        rig.age()
        report = rig.prune()
        assert went(report) == {(K.JOURNALS, JOB)}
        assert report.bytes > 0
        assert names(rig.home.job(JOB).root) == {"results", "control.jsonl"}
        assert rig.detail().ended
        rig.step()
        assert rig.engine.set_aside == {}
        assert rig.detail().warnings == ["mind the gap"]
        assert rig.steps(task) == [1]
        assert list(rig.home.incoming.iterdir()) == []
        assert went(rig.prune()) == set(), "what is gone is not found again"

    def test_a_restart_afterwards_is_one_more_attempt_that_runs_once(self, rig: Kept) -> None:
        """Without the claims, a runner that read the old list would take its attempts again."""
        one, two = rig.job(tasks=2)
        first = rig.finish(one)
        rig.finish(two)
        rig.age()
        assert went(rig.prune()) == {(K.JOURNALS, JOB)}
        rig.restart(one)
        second = rig.finish(one, attempt=2)
        assert first != second
        assert [(line["task"], line["attempt"]) for line in rig.published()] == [(one, 2)]
        assert [found.number for found in rig.attempts(one)] == [1, 2]
        assert [found.number for found in rig.attempts(two)] == [1]
        assert rig.engine.set_aside == {}
        assert rig.steps(one) == [2]
        rig.age()
        assert went(rig.prune()) == {(K.JOURNALS, JOB)}, "and they go again"

    def test_a_kill_in_between_is_finished_by_the_next(self, rig: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
        one, two = rig.job(tasks=2)
        rig.finish(one)
        rig.finish(two)
        rig.age()
        renames: list[str] = []
        rename = os.rename

        def killed(name: str, target: Path, **at: Any) -> None:
            if renames:
                raise InterruptedError("killed")
            renames.append(name)
            rename(name, target, **at)

        monkeypatch.setattr(os, "rename", killed)
        assert rig.prune().problems
        monkeypatch.undo()
        assert renames == ["tasks.jsonl"], "before the claims"
        assert rig.home.job(JOB).claims.exists()
        rig.restart(one)
        rig.finish(one, attempt=2)  # nothing else is taken again
        rig.age()
        assert went(rig.prune()) == {(K.JOURNALS, JOB)}
        assert not rig.home.job(JOB).claims.exists()

    def test_not_of_a_job_that_was_restarted_a_moment_ago(self, rig: Kept) -> None:
        [task] = rig.job()
        rig.finish(task)
        rig.age()
        put_away = rig.engine.put_away

        def restarted(job: str) -> Any:
            rig.restart(task)
            told = put_away(job)
            rig.round()
            return told

        rig.engine.keeper._put_away = restarted
        assert went(rig.engine.keeper.prune(PruneRequest())) == set()
        assert rig.home.job(JOB).claims.exists()
        rig.finish(task, attempt=2)


class TestWhatIsNotOver:
    @pytest.mark.parametrize("state", ["waits", "runs", "unsettled", "held"])
    def test_a_job_keeps_everything(self, rig: Kept, state: str) -> None:
        one, two = rig.job(tasks=2)
        rig.finish(one)
        rig.restart(one)
        rig.step()
        if state == "held":
            with rig.db.write() as c:
                jobs.hold(c, JOB)
            rig.step()
        if state in ("runs", "unsettled"):
            rig.finish(two)
            key = next(row.key for row in rig.rows() if not row.closed and not row.ending)
            rig.started(key, one, 2)
        if state == "unsettled":
            rig.say(key, {"e": "ended", "task": one, "attempt": 2, "exit": 0, "signal": None, "by": None}, {"e": "bye"})
            rig.step()
            assert rig.detail().ended
        rig.age()
        old = rig.home.runners / names(rig.home.runners).pop()
        before = {path: path.lstat().st_size for path in rig.home.job(JOB).root.rglob("*")}
        report = rig.prune(jobs_days=0, attempts_days=0, journals_days=0, runners_days=0)
        assert went(report) == set()
        assert old.exists()
        assert {path: path.lstat().st_size for path in rig.home.job(JOB).root.rglob("*")} == before


class TestJobs:
    def test_they_go_as_if_removed(self, rig: Kept) -> None:
        [task] = rig.job()
        rig.finish(task)
        rig.age()
        [other] = rig.job(job=OTHER)
        rig.finish(other)
        assert went(rig.prune(jobs_days=30, dry_run=True)) == {(K.JOB, JOB)}
        assert rig.home.job(JOB).root.exists()
        report = rig.prune(jobs_days=30)
        assert went(report) == {(K.JOB, JOB)}
        rig.step()
        assert names(rig.home.jobs) == {OTHER}
        with rig.db.read() as c:
            assert jobs.page(c, EVERYTHING).total == 1
            assert jobs.removing(c) == []

    def test_not_one_that_was_restarted_a_moment_ago(self, rig: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
        [task] = rig.job()
        rig.finish(task)
        rig.age()

        def restarted(*_: Any) -> folders.Size:
            rig.restart(task)
            return folders.Size()

        monkeypatch.setattr(rig.engine.keeper, "_measure", restarted)
        assert went(rig.prune(jobs_days=1)) == set()
        assert rig.task(task).state is S.SUBMITTED


class TestAttempts:
    def test_only_those_that_others_came_after(self, rig: Kept) -> None:
        one, two = rig.job(tasks=2)
        rig.finish(one, code=1)
        rig.finish(two)
        for number in (2, 3):
            rig.restart(one)
            rig.finish(one, attempt=number)
        rig.age()
        report = rig.prune(attempts_days=1, journals_days=36_500)
        [item] = [found for found in report.items if found.kind is K.ATTEMPTS]
        assert (item.what, item.count) == (JOB, 2)
        folder = rig.home.job(JOB)
        assert names(folder.task(one) / "attempts") == {"3"}
        assert names(folder.task(two) / "attempts") == {"1"}
        assert [found.number for found in rig.attempts(one)] == [1, 2, 3]
        assert went(rig.prune(attempts_days=1, journals_days=36_500)) == set()

    @pytest.mark.parametrize("place", ["attempt", "attempts", "task"])
    def test_no_link_is_followed(self, rig: Kept, tmp_path: Path, place: str) -> None:
        [task] = rig.job()
        rig.finish(task)
        rig.restart(task)
        rig.finish(task, attempt=2)
        rig.age()
        theirs = tmp_path / "theirs"
        (theirs / "attempts" / "1" / "deep").mkdir(parents=True)
        (theirs / "attempts" / "1" / "deep" / "model.h5").write_bytes(b"x" * 1_000_000)
        folder = rig.home.job(JOB).task(task)
        inside = folder / "attempts" / "1"
        (inside / "kept").symlink_to(theirs / "attempts" / "1")
        target, path = {
            "attempt": (theirs / "attempts" / "1", inside),
            "attempts": (theirs / "attempts", folder / "attempts"),
            "task": (theirs, folder),
        }[place]
        path.rename(tmp_path / "before")
        path.symlink_to(target)
        report = rig.prune(attempts_days=0, journals_days=0)
        assert report.bytes < 500_000
        rig.prune(jobs_days=0)
        rig.step()
        assert not rig.home.job(JOB).root.exists()
        assert (theirs / "attempts" / "1" / "deep" / "model.h5").stat().st_size == 1_000_000

    def test_a_link_inside_of_what_goes_is_not_followed(self, rig: Kept, tmp_path: Path) -> None:
        [task] = rig.job()
        rig.finish(task)
        rig.restart(task)
        rig.finish(task, attempt=2)
        rig.age()
        (tmp_path / "theirs").mkdir()
        (tmp_path / "theirs" / "model.h5").write_text("x")
        (rig.home.job(JOB).task(task) / "attempts" / "1" / "kept").symlink_to(tmp_path / "theirs")
        assert (K.ATTEMPTS, JOB) in went(rig.prune(attempts_days=0))
        assert names(rig.home.job(JOB).task(task) / "attempts") == {"2"}
        assert (tmp_path / "theirs" / "model.h5").read_text() == "x"


def test_old_runners_and_leftovers(rig: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    [task] = rig.job()
    rig.step()
    home = rig.home
    current = home.runners / f"{build.digest()}.pyz"
    old, new = home.runners / "aaaaaaaa.pyz", home.runners / "bbbbbbbb.pyz"
    half, torn = home.runners / "cccccccc.pyzx7", home.root / f".settings.toml.12.{'a' * 8}"
    for path in (current, old, new, half, torn):
        path.write_text("x")
        os.utime(path, (LONG_AGO, LONG_AGO))
    os.utime(new)
    (home.incoming / "upload").mkdir()
    (home.incoming / "upload" / "file").write_text("x")
    (home.root / "settings.toml").write_text("")
    os.utime(home.root / "settings.toml", (LONG_AGO, LONG_AGO))
    assert went(rig.prune()) == {(K.RUNNER, old.name), (K.LEFTOVER, half.name), (K.LEFTOVER, torn.name)}
    assert names(home.runners) == {current.name, new.name}
    assert (home.incoming / "upload").exists(), "it may just be coming in"
    monkeypatch.setattr(keep, "LEFTOVER_DAYS", 0.0)
    assert went(rig.prune()) == {(K.LEFTOVER, "upload")}
    assert list(home.incoming.iterdir()) == []
    assert (home.root / "settings.toml").exists()
    assert rig.task(task).state is S.SUBMITTED


def test_a_runner_that_an_allocation_may_still_need(rig: Kept) -> None:
    rig.job()
    rig.step()
    [batch] = rig.backend.batches
    mine = rig.home.runners / "aaaaaaaa.pyz"
    mine.write_text("x")
    os.utime(mine, (LONG_AGO, LONG_AGO))
    with rig.db.write() as c:
        spec = batch.model_copy(update={"runner": ["python", str(mine), "{folder}"]}).model_dump(mode="json")
        c.execute(sa.text("DELETE FROM batches"))
        c.execute(sa.text("DELETE FROM allocations"))
        allocations.plan(c, JOB, "fake", batch.model_validate(spec))
        c.execute(sa.text("UPDATE batches SET created_at = 5"))
    assert went(rig.prune(runners_days=0)) == set()
    assert mine.exists()


def test_one_at_a_time(rig: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    def twice(*_: Any) -> Any:
        with pytest.raises(Conflict, match="try again"):
            rig.engine.keeper.prune(PruneRequest())
        return keep.HomeContents()

    monkeypatch.setattr(rig.engine.keeper, "_contents", twice)
    assert rig.engine.keeper.prune(PruneRequest()).items == []


def test_what_takes_too_long_to_measure_goes_all_the_same(rig: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    [task] = rig.job()
    rig.finish(task)
    rig.age()
    monkeypatch.setattr(keeping, "MEASURE_SECONDS", -1.0)
    report = rig.prune()
    assert went(report) == {(K.JOURNALS, JOB)}
    assert not report.measured


def test_by_itself_and_with_a_line_in_the_log(
    rig: Kept, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    [task] = rig.job()
    rig.finish(task)
    rig.age()
    monkeypatch.setattr(keeping, "FIRST_SECONDS", 0.0)
    caplog.set_level("INFO", "paddock.keep")
    rig.engine.keeper.start()
    end = time.monotonic() + 120
    while not caplog.messages:
        assert time.monotonic() < end
        rig.round()
    [line] = caplog.messages
    assert line.startswith("no longer kept: 1 job's journals (")
    assert not rig.home.job(JOB).claims.exists()


def test_an_engine_that_has_much_to_do_goes_on_with_it(rig: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    [task] = rig.job()
    rig.finish(task)
    rig.age()
    monkeypatch.setattr(keeping, "ANSWER_SECONDS", 0.0)
    report = rig.engine.keeper.prune(PruneRequest())
    assert report.items == []
    assert report.problems == ["the journals of 1 more jobs are still being put away"]
    rig.round()
    assert not rig.home.job(JOB).claims.exists()


def test_nobody_waits_for_an_engine_that_has_ended(rig: Kept) -> None:
    [task] = rig.job()
    rig.finish(task)
    rig.age()
    before = rig.engine.put_away(JOB)
    rig.engine.close()
    assert not before.result(120)
    assert not rig.engine.put_away(JOB).result(120)
    assert rig.home.job(JOB).claims.exists()


def test_what_cannot_be_deleted_is_told(
    rig: Kept, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = rig.home.incoming / "theirs"
    folder.mkdir()
    monkeypatch.setattr(folders, "delete", lambda *_: False)
    rig.engine.sweep(folder)
    rig.round()
    assert any("theirs cannot be deleted" in message for message in caplog.messages)

"""Test when jobs and tasks are expected to end, as follows from the database."""

import time
from typing import Any

import pytest
import sqlalchemy as sa

from paddock.models import TaskState, Visibility, Waits
from paddock.rules.durations import TaskWork
from paddock.server.store import attempts, jobs, predictions, queue, tasks
from paddock.server.store.db import Database
from paddock.server.store.estimates import LEAST_AGE, MOST_WAITING, Estimate, Estimates
from paddock.server.store.rows import moment
from paddock.server.store.sight import EVERYTHING, Sight
from paddock.server.store.tables import jobs as job_rows
from paddock.server.store.tables import predictions as prediction_rows
from tests.server.store.given import add_job, move

NOW = 1_000_000.0


def ended(db: Database, task: str, seconds: float) -> None:
    """It has finished after so many seconds."""
    move(db, task, TaskState.RUNNING)
    number = move(db, task, TaskState.FINISHED)
    with db.write() as c:
        attempts.update_attempts(c, [{"id": number, "started_at": NOW - seconds, "ended_at": NOW}])


def runs(db: Database, task: str, since: float, **reached: Any) -> None:
    number = move(db, task, TaskState.RUNNING)
    with db.write() as c:
        mine = {"first_epoch", "first_epoch_at"}
        attempts.update_attempts(
            c, [{"id": number, "started_at": NOW - since, **{one: reached[one] for one in mine & reached.keys()}}]
        )
        if others := {name: value for name, value in reached.items() if name != "first_epoch_at"}:
            attempts.update_tasks(c, [{"id": task, **others}])


def program(db: Database, job: str, name: str | None = "p1", **more: Any) -> None:
    with db.write() as c:
        c.execute(sa.update(job_rows).where(job_rows.c.id == job).values(program=name, **more))


def estimate(db: Database, job: str = "k3v9x2ab", waits: Waits | None = None, places: int = 1) -> Estimate:
    made = Estimates()
    made.places[job] = places
    with db.read() as c:
        return made.of(c, job, NOW, waits)


def left(found: Estimate) -> float:
    assert found.done is not None
    return found.done.likely - NOW


def test_start_up_is_no_training(db: Database) -> None:
    """40 s of start-up, then 10 s per epoch: the old way said 200 s."""
    [task] = add_job(db, epochs=10)
    runs(db, task, 60, first_epoch=0, first_epoch_at=NOW - 10, epoch=1, epoch_at=NOW)
    found = estimate(db)
    assert left(found) == pytest.approx(80, rel=0.15)
    assert found.ends[task].likely == found.done.likely  # type: ignore[union-attr]


def test_tasks_that_wait_go_by_those_that_have_ended_and_by_their_parameters(db: Database) -> None:
    sizes = [{"units": 2**size} for size in range(1, 9)]
    ids = add_job(db, configurations=[*sizes, {"units": 512}])
    for task, size in zip(ids, sizes, strict=False):
        ended(db, task, 10.0 * size["units"])
    found = estimate(db)
    assert left(found) == pytest.approx(5120, rel=0.35)
    assert found.begins[ids[-1]].likely == NOW
    assert set(found.ends) == {ids[-1]}


def test_more_places_are_sooner(db: Database) -> None:
    one, *_ = add_job(db, tasks=9)
    ended(db, one, 100)
    assert left(estimate(db)) == pytest.approx(800, rel=0.15)
    assert left(estimate(db, places=4)) == pytest.approx(200, rel=0.25)


def test_before_it_begins_a_job_goes_by_earlier_ones_of_its_program(db: Database) -> None:
    for job, owner, name in (("aaa", "ann", "p1"), ("bbb", "ben", "p1"), ("ccc", "ann", "p2")):
        for task in add_job(db, job, tasks=3, owner=owner):
            ended(db, task, {"aaa": 50.0, "bbb": 5000.0, "ccc": 9000.0}[job])
        program(db, job, name)
    add_job(db, owner="ann", tasks=2)
    assert estimate(db).done is None, "it has no program"
    program(db, "k3v9x2ab")
    assert left(estimate(db)) == pytest.approx(100, rel=0.2), "not by those of somebody else or of another program"


def test_it_begins_when_the_backend_or_the_policy_say(db: Database) -> None:
    one, two = add_job(db, tasks=2)
    ended(db, one, 100)
    found = estimate(db, waits=Waits(reason="full", starts_at=moment(NOW + 1000)))
    assert left(found) == pytest.approx(1100, rel=0.1)
    assert found.begins[two].likely == pytest.approx(NOW + 1000)
    never = estimate(db, waits=Waits(reason="too large", never=True))
    assert (never.done, never.begins) == (None, {})


def test_a_held_job_is_not_expected_to_end(db: Database) -> None:
    one, two = add_job(db, tasks=2, epochs=10)
    runs(db, one, 60, first_epoch=0, first_epoch_at=NOW - 10, epoch=1, epoch_at=NOW)
    with db.write() as c:
        jobs.hold(c, "k3v9x2ab")
    found = estimate(db)
    assert found.done is None
    assert set(found.ends) == {one}, "what runs goes on"
    assert two not in found.begins


def test_a_search_counts_what_is_to_come(db: Database) -> None:
    [one] = add_job(db, params={"lr": "0..1"}, search={"method": "random", "trials": 11})
    ended(db, one, 10)
    program(db, "k3v9x2ab", searching=True)
    assert left(estimate(db)) == pytest.approx(100, rel=0.15)


def test_of_very_many_only_some_are_read(db: Database) -> None:
    one, *_ = add_job(db, tasks=MOST_WAITING + 501)
    ended(db, one, 10)
    found = estimate(db, places=10)
    assert len(found.begins) == MOST_WAITING
    assert left(found) == pytest.approx(1500, rel=0.2)


def test_an_estimate_is_kept_for_a_moment(db: Database) -> None:
    one, two = add_job(db, tasks=2)
    made = Estimates()
    with db.read() as c:
        first = made.of(c, "k3v9x2ab", NOW)
    ended(db, one, 100)
    with db.read() as c:
        assert made.of(c, "k3v9x2ab", NOW + LEAST_AGE / 2) is first
        assert made.of_many(c, ["k3v9x2ab"], NOW + 3600, {}, seconds=-1)["k3v9x2ab"] is first, "there is no time"
        assert two in made.of(c, "k3v9x2ab", NOW + 3600).ends
        assert made.of(c, "k3v9x2ab", NOW - 3600).at == NOW - 3600, "the clock was set back"
    made.keep_only(set())
    with db.read() as c:
        assert made.of(c, "gone", NOW).done is None


def test_what_runners_are_told_waits_for_some_tasks(db: Database) -> None:
    ids = add_job(db, tasks=5)
    work = [TaskWork({"lr": 0.1})]
    for task in ids[:2]:
        ended(db, task, 100)
    with db.read() as c:
        assert Estimates().at_most(c, "k3v9x2ab", ("ann", None), work) is None
    ended(db, ids[2], 100)
    with db.read() as c:
        [most] = Estimates().at_most(c, "k3v9x2ab", ("ann", None), work) or [0.0]
    assert most == pytest.approx(110, rel=0.1)


def test_tasks_and_lists_show_it(db: Database) -> None:
    now = time.time()
    one, two = add_job(db, tasks=2, epochs=10)
    number = move(db, one, TaskState.RUNNING, epoch=1, epoch_at=now, first_epoch=0)
    with db.write() as c:
        change = {"started_at": now - 60, "first_epoch": 0, "first_epoch_at": now - 10}
        attempts.update_attempts(c, [{"id": number, **change}])
    with db.read() as c:
        first, second = (tasks.get(c, task, estimates=Estimates()) for task in (one, two))
        assert tasks.page(c, "k3v9x2ab", estimates=Estimates()).items[1].expected_start is not None
        job = jobs.detail(c, "k3v9x2ab", "")
    assert first.seconds_left == pytest.approx(80, rel=0.2) and first.expected_end is not None
    assert first.expected_end.early <= first.expected_end.likely <= first.expected_end.late
    assert second.expected_start is not None and second.expected_end is not None and job.expected_end is not None
    assert second.expected_start.likely >= first.expected_end.early
    assert abs((second.expected_end.likely - job.expected_end.likely).total_seconds()) < 5


class TestQueue:
    def listed(self, db: Database, sight: Sight = EVERYTHING, most: int = 0, line: tuple[str, ...] = ()) -> list[Any]:
        decided = queue.Decided({}, {"local": line}, Estimates())
        with db.read() as c:
            return queue.listed(c, sight, "local", NOW, decided, most).items

    def test_the_jobs_in_line_come_first_and_those_that_only_run_last(self, db: Database) -> None:
        for job in ("aaa", "bbb", "ccc", "ddd", "eee"):
            add_job(db, job, tasks=1)
        runs(db, "aaa-1", 10)
        program(db, "bbb", held=True)
        found = self.listed(db, line=("eee", "bbb", "ddd"))
        assert [(one.id, one.place) for one in found] == [
            ("eee", 1), ("ddd", 3), ("ccc", None), ("bbb", None), ("aaa", None),
        ]  # fmt: skip

    def test_what_runs_or_waits_oldest_first(self, db: Database) -> None:
        for job in ("aaa", "bbb", "ccc"):
            add_job(db, job, tasks=3)
        ended(db, "aaa-1", 100)
        runs(db, "aaa-2", 10)
        for number in (1, 2, 3):
            ended(db, f"bbb-{number}", 10)
        first, second = self.listed(db)
        assert (first.id, first.running, first.waiting, first.backend) == ("aaa", 1, 1, "local")
        assert first.expected_start is not None and first.expected_end is not None
        assert (second.id, second.running, second.waiting, second.expected_end) == ("ccc", 0, 3, None)
        assert first.tasks == []

    def test_tasks_if_asked_for(self, db: Database) -> None:
        ids = add_job(db, tasks=4)
        ended(db, ids[0], 100)
        [job] = self.listed(db, most=2)
        assert [one.id for one in job.tasks] == ids[1:3]
        assert job.tasks[0].expected_start.likely < job.tasks[1].expected_start.likely

    def test_private_jobs_of_others_are_not_there(self, db: Database) -> None:
        add_job(db, "aaa", owner="ann", visibility=Visibility.PRIVATE)
        add_job(db, "bbb", owner="ann")
        with db.write() as c:
            jobs.hold(c, "bbb")
        [one] = self.listed(db, Sight("ben"))
        assert (one.id, one.held) == ("bbb", True)
        assert "release" in one.waits.reason
        assert len(self.listed(db, Sight("ann"))) == 2


class TestPredictions:
    def known(self, db: Database, owner: str = "ann", program: str | None = "p1") -> list[float]:
        with db.read() as c:
            return predictions.scores(c, owner, program, "task")

    def learn(self, db: Database, new: list[float], program: str = "p1", at: float = 1.0, owner: str = "ann") -> None:
        with db.write() as c:
            predictions.learn(c, owner, program, "task", new, at)

    def test_of_the_program_else_of_others(self, db: Database) -> None:
        assert self.known(db) == []
        self.learn(db, [0.5], "p2", owner="ben")
        assert self.known(db) == [0.5]
        self.learn(db, [1.0, -1.0], at=2.0)
        self.learn(db, [0.25], at=3.0)
        assert self.known(db) == [1.0, -1.0, 0.25]
        assert self.known(db, program=None) == [1.0, -1.0, 0.25, 0.5], "the newest first"
        with db.read() as c:
            assert predictions.scores(c, "ann", "p1", "job") == []

    def test_it_is_bounded(self, db: Database) -> None:
        self.learn(db, [0.0] * 500)
        self.learn(db, [1.0])
        assert len(self.known(db)) == predictions.MOST_SCORES
        assert self.known(db)[-1] == 1.0
        with db.write() as c:
            for number in range(predictions.MOST_PROGRAMS + 5):
                predictions.learn(c, "ann", f"q{number}", "task", [0.0], 2.0 + number)
        with db.read() as c:
            count = sa.select(sa.func.count()).select_from(prediction_rows)
            assert c.scalar(count) == predictions.MOST_PROGRAMS

    def test_they_move_the_bands(self, db: Database) -> None:
        [task] = add_job(db, epochs=10)
        runs(db, task, 60, first_epoch=0, first_epoch_at=NOW - 10, epoch=1, epoch_at=NOW)
        program(db, "k3v9x2ab")
        before = estimate(db)
        self.learn(db, [1.0] * 100)
        after = estimate(db)
        assert after.ends[task].likely > before.ends[task].likely
        assert after.plain_ends == before.plain_ends, "what is learned from is what was said without"

    def test_which_tasks_and_jobs_have_ended(self, db: Database) -> None:
        ids = add_job(db, "aaa", tasks=2)
        ended(db, ids[0], 10)
        with db.read() as c:
            assert predictions.finished(c, ids) == {ids[0]: NOW}
            assert predictions.ended_jobs(c, {"aaa", "gone"}) == {"gone": None}
        ended(db, ids[1], 10)
        with db.read() as c:
            assert predictions.ended_jobs(c, {"aaa"}) == {"aaa": NOW}
        other = add_job(db, "bbb", tasks=1)
        move(db, other[0], TaskState.STOPPED)
        with db.read() as c:
            assert predictions.ended_jobs(c, {"bbb"}) == {"bbb": None}

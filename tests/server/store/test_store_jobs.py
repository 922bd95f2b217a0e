"""Test jobs: insert, find, list, change, remove."""

import time
from typing import get_args

import pytest
import sqlalchemy as sa

from paddock.errors import AmbiguousId, NotFound
from paddock.models import AllocationBatch, Cause, Goal, JobPatch, Objective, Resources, TaskCounts, TaskState
from paddock.server.store import allocations, attempts, events, jobs, metrics, tasks
from paddock.server.store.db import Database
from paddock.server.store.sight import EVERYTHING
from paddock.server.store.tables import metadata
from tests.server.store.given import add_job, current, erase, move, told


def test_insert_writes_the_job_its_tasks_their_attempts_and_one_event(db: Database) -> None:
    ids = add_job(db, tasks=3, description="äöü ☃", tags=["a"], epochs=7, objective="val_acc:max")
    with db.read() as c:
        job = jobs.detail(c, "k3v9x2ab", "/folder")
        assert job.counts == TaskCounts(submitted=3)
        assert (job.ended, job.ended_at, job.best_task) == (False, None, None)
        assert (job.owner, job.description, job.tags) == ("ann", "äöü ☃", ["a"])
        assert (job.objective, job.warnings) == (Objective(metric="val_acc", goal=Goal.MAX), ["mind the gap"])
        assert (job.folder, job.code.files, job.spec.command) == ("/folder", 1, "true")
        assert [task.id for task in tasks.page(c, job.id).items] == ids
        assert [row.epochs for row in attempts.unpublished(c, 10)] == [7, 7, 7]
        assert [(e.kind, e.job, e.data) for e in told(c, 0)] == [
            ("job", "k3v9x2ab", {"change": "submitted", "tasks": 3})
        ]
        assert jobs.get(c, job.id).objective() == job.objective
        assert list(jobs.launchable(c, [job.id, "nope"])) == [job.id]


def test_a_job_of_many_tasks(db: Database) -> None:
    add_job(db, tasks=3000)
    with db.read() as c:
        assert jobs.detail(c, "k3v9x2ab", "").counts.submitted == 3000
        assert len(tasks.by_ids(c, [f"k3v9x2ab-{n}" for n in range(1, 3001)])) == 3000


def test_parameters_come_back_as_they_were(db: Database) -> None:
    given = [{"a": None, "b": [1, 2.5, "x"], "c": {"ü": True}, "d": "quote \" ' \\ \n", "e": 10**15, "f": 1e-300}]
    [task] = add_job(db, configurations=list(given))  # type: ignore[arg-type]
    with db.read() as c:
        assert tasks.get(c, task).params == given[0]


class TestResolve:
    @pytest.fixture(autouse=True)
    def _jobs(self, db: Database) -> None:
        for job in ("abc", "abcd", "abx", "zz1"):
            add_job(db, job)

    @pytest.mark.parametrize(("text", "job"), [("abc", "abc"), ("abcd", "abcd"), ("z", "zz1"), ("abx", "abx")])
    def test_an_id_or_its_beginning(self, db: Database, text: str, job: str) -> None:
        with db.read() as c:
            assert jobs.resolve(c, text, EVERYTHING) == job

    def test_the_beginning_of_several_is_refused_and_they_are_listed(self, db: Database) -> None:
        with db.read() as c, pytest.raises(AmbiguousId, match="abc, abcd, abx"):
            jobs.resolve(c, "ab", EVERYTHING)

    @pytest.mark.parametrize("text", ["", "%", "_", "ab_", "a%", "z%1", "bc", "zz1x", "a/", "\\", "*"])
    def test_all_else_is_not_found(self, db: Database, text: str) -> None:
        with db.read() as c, pytest.raises(NotFound) as caught:
            jobs.resolve(c, text, EVERYTHING)
        assert type(caught.value) is NotFound

    def test_one_that_is_being_removed_is_not_found(self, db: Database) -> None:
        with db.write() as c:
            jobs.mark_removing(c, "abc")
        with db.read() as c:
            assert jobs.resolve(c, "abc", EVERYTHING) == "abcd"


class TestPage:
    @pytest.fixture(autouse=True)
    def _jobs(self, db: Database) -> None:
        add_job(db, "aaa", owner="ann", name="Über-MNIST 100%", description="first", tags=["Prod", "a b"])
        add_job(db, "bbb", owner="bob", name="cifar_10", description="has a % sign", tags=['say "cheese"', "prod"])
        add_job(db, "ccc", owner="ann", name="Zeta", tags=["ü☃", "x%y", "back\\slash"])
        move(db, "bbb-1", TaskState.RUNNING)

    def found(self, db: Database, **filters: str) -> list[str]:
        with db.read() as c:
            page = jobs.page(c, EVERYTHING, sort="created", **filters)  # type: ignore[arg-type]
        assert page.total == len(page.items)
        return [job.id for job in page.items]

    @pytest.mark.parametrize(
        ("q", "ids"),
        [
            ("mnist", ["aaa"]),
            ("über", ["aaa"]),
            ("ÜBER", ["aaa"]),
            ("FIRST", ["aaa"]),
            ("bb", ["bbb"]),
            ("%", ["aaa", "bbb"]),
            ("_", ["bbb"]),
            ("r_1", ["bbb"]),
            ("a", ["aaa", "bbb", "ccc"]),
            ("'", []),
        ],
    )
    def test_search_in_name_description_and_id_whatever_the_case(self, db: Database, q: str, ids: list[str]) -> None:
        assert self.found(db, q=q) == ids

    @pytest.mark.parametrize(
        ("tag", "ids"),
        [
            ("prod", ["bbb"]),
            ("Prod", ["aaa"]),
            ("PROD", []),
            ("pro", []),
            ("a b", ["aaa"]),
            ('say "cheese"', ["bbb"]),
            ("cheese", []),
            ('cheese"', []),
            ("ü☃", ["ccc"]),
            ("x%y", ["ccc"]),
            ("x%", []),
            ("%", []),
            ("back\\slash", ["ccc"]),
            ("slash", []),
        ],
    )
    def test_tags_are_whole_and_exact(self, db: Database, tag: str, ids: list[str]) -> None:
        assert self.found(db, tag=tag) == ids

    def test_owner_and_state(self, db: Database) -> None:
        assert self.found(db, owner="ann") == ["aaa", "ccc"]
        assert self.found(db, owner="an") == []
        assert self.found(db, state=TaskState.RUNNING) == ["bbb"]
        assert self.found(db, state=TaskState.SUBMITTED, owner="ann", q="zeta") == ["ccc"]

    @pytest.mark.parametrize(
        ("sort", "ids"),
        [
            ("created", ["aaa", "bbb", "ccc"]),
            ("-created", ["ccc", "bbb", "aaa"]),
            ("owner", ["aaa", "ccc", "bbb"]),
            ("-owner", ["bbb", "aaa", "ccc"]),
        ],
    )
    def test_sorts(self, db: Database, sort: jobs.SortKey, ids: list[str]) -> None:
        with db.read() as c:
            assert [job.id for job in jobs.page(c, EVERYTHING, sort=sort).items] == ids

    def test_names_are_sorted_whatever_their_case(self, db: Database) -> None:
        add_job(db, "ddd", name="apple")
        add_job(db, "eee", name="Banana")
        with db.read() as c:
            names = [job.name for job in jobs.page(c, EVERYTHING, sort="name", q="a").items]
            backwards = [job.name for job in jobs.page(c, EVERYTHING, sort="-name", q="a").items]
        assert [name for name in names if name[0] != "Ü"] == ["apple", "Banana", "cifar_10", "Zeta"]
        assert backwards == names[::-1]

    def test_every_sort_gives_every_job(self, db: Database) -> None:
        with db.read() as c:
            for sort in get_args(jobs.SortKey):
                assert {job.id for job in jobs.page(c, EVERYTHING, sort=sort).items} == {"aaa", "bbb", "ccc"}

    def test_pages_are_parts_of_the_whole(self, db: Database) -> None:
        with db.read() as c:
            pages = [jobs.page(c, EVERYTHING, sort="name", offset=offset, limit=2) for offset in (0, 2, 4)]
            whole = jobs.page(c, EVERYTHING, sort="name")
        assert [page.total for page in pages] == [3, 3, 3]
        assert [page.offset for page in pages] == [0, 2, 4]
        assert [job.id for page in pages for job in page.items] == [job.id for job in whole.items]


def test_a_tag_is_not_found_inside_another_that_holds_a_quote(db: Database) -> None:
    add_job(db, tags=['x", "y', 'z"q', "end\\"])
    with db.read() as c:
        for tag in ("y", "q", 'q"', "x", "end", '"'):
            assert jobs.page(c, EVERYTHING, tag=tag).total == 0, tag
        for tag in ('x", "y', 'z"q', "end\\"):
            assert jobs.page(c, EVERYTHING, tag=tag).total == 1, tag


class TestSummary:
    @pytest.mark.parametrize(("goal", "best"), [("min", 2), ("max", 3)])
    def test_the_best_task_by_the_goal_of_the_job(self, db: Database, goal: str, best: int) -> None:
        ids = add_job(db, tasks=4, objective=f"loss:{goal}")
        for task, value in zip(ids, (0.5, 0.25, 0.75, None), strict=True):
            move(db, task, TaskState.FINISHED, best_value=value)
        with db.read() as c:
            job = jobs.detail(c, "k3v9x2ab", "")
        assert job.best_task == f"k3v9x2ab-{best}"
        assert job.best_value == {"min": 0.25, "max": 0.75}[goal]

    def test_of_equals_the_first(self, db: Database) -> None:
        for task in add_job(db, tasks=3):
            move(db, task, TaskState.FINISHED, best_value=1 / 3)
        with db.read() as c:
            assert jobs.page(c, EVERYTHING).items[0].best_task == "k3v9x2ab-1"

    def test_an_ended_job_says_when(self, db: Database) -> None:
        one, two = add_job(db, tasks=2)
        move(db, one, TaskState.ERROR, Cause.USER_ERROR)
        with db.read() as c:
            assert jobs.page(c, EVERYTHING).items[0].ended_at is None
        move(db, two, TaskState.FINISHED)
        with db.read() as c:
            job = jobs.page(c, EVERYTHING).items[0]
        assert job.ended
        assert job.ended_at is not None
        assert job.ended_at.timestamp() == 2000
        assert job.seconds_left is None
        assert job.counts == TaskCounts(finished=1, error=1)

    def test_the_time_left_goes_by_what_the_finished_ones_took(self, db: Database) -> None:
        one, _two, _three = add_job(db, tasks=3)
        with db.read() as c:
            assert jobs.page(c, EVERYTHING).items[0].seconds_left is None
        move(db, one, TaskState.RUNNING)
        move(db, one, TaskState.FINISHED)
        with db.read() as c:
            job = jobs.page(c, EVERYTHING).items[0]
        assert job.seconds_left == pytest.approx(2000, rel=0.1)  # two of 1000 s, one after the other
        assert job.expected_end is not None and job.expected_end.unsure, "one says little of others"
        assert job.expected_end.early < job.expected_end.likely < job.expected_end.late

    def test_the_time_left_follows_from_the_tasks_that_run_before_one_has_finished(self, db: Database) -> None:
        one, _two = add_job(db, tasks=2, epochs=10)
        now = time.time()
        id_ = move(db, one, TaskState.RUNNING, epoch=4, epoch_at=now, first_epoch=0)
        with db.write() as c:
            attempts.update_attempts(c, [{"id": id_, "started_at": now - 50, "first_epoch": 0}])
        with db.read() as c:
            job = jobs.page(c, EVERYTHING).items[0]
        assert job.seconds_left == pytest.approx(150, abs=20)  # 50 of one, then 100 of the other
        assert job.reported_at is not None and job.reported_at.timestamp() == pytest.approx(now)
        assert job.quiet_after is not None and job.quiet_after.timestamp() == pytest.approx(now + 300)
        with db.read() as c:
            task = tasks.get(c, one)
        assert (task.epochs_done, task.epochs, task.reported_at) == (5, 10, job.reported_at)

    def test_nobody_expects_a_report_of_a_job_without_an_objective(self, db: Database) -> None:
        [one] = add_job(db, objective="")
        move(db, one, TaskState.RUNNING)
        with db.read() as c:
            assert jobs.page(c, EVERYTHING).items[0].quiet_after is None
            assert tasks.get(c, one).quiet_after is None
        [two] = add_job(db, "bbb")
        move(db, two, TaskState.RUNNING)
        with db.read() as c:
            found = tasks.get(c, two)
        assert found.reported_at is not None and found.reported_at.timestamp() == 1000, "since its start"
        assert found.quiet_after is not None and found.quiet_after.timestamp() == 1300

    def test_jobs_do_not_mix(self, db: Database) -> None:
        for job, value in (("aaa", 1.0), ("bbb", 2.0)):
            add_job(db, job, tasks=2)
            move(db, f"{job}-2", TaskState.FINISHED, best_value=value)
        with db.read() as c:
            found = {
                job.id: (job.best_task, job.best_value, job.counts.finished) for job in jobs.page(c, EVERYTHING).items
            }
        assert found == {"aaa": ("aaa-2", 1.0, 1), "bbb": ("bbb-2", 2.0, 1)}


def test_patch_changes_what_is_given_and_nothing_else(db: Database) -> None:
    add_job(db, name="old", description="stays", tags=["a"])
    with db.write() as c:
        jobs.patch(c, "k3v9x2ab", JobPatch(name="new", tags=[]))
        jobs.patch(c, "k3v9x2ab", JobPatch())
    with db.read() as c:
        job = jobs.detail(c, "k3v9x2ab", "")
        assert (job.name, job.description, job.tags) == ("new", "stays", [])
        assert (job.spec.name, job.spec.description, job.spec.tags) == ("new", "stays", [])
        assert [event.data.get("change") for event in told(c, 0)] == ["submitted", "edited"]
        assert jobs.page(c, EVERYTHING, q="new").total == 1


def test_removing_hides_a_job_and_stops_its_tasks(db: Database) -> None:
    one, two = add_job(db, tasks=2)
    add_job(db, "other")
    move(db, one, TaskState.FINISHED)
    with db.write() as c:
        jobs.mark_removing(c, "k3v9x2ab")
    with db.read() as c:
        assert jobs.removing(c) == ["k3v9x2ab"]
        assert [job.id for job in jobs.page(c, EVERYTHING).items] == ["other"]
        assert attempts.jobs_stopping(c) == ["k3v9x2ab"]
        assert [row.id for row in attempts.stopping(c, "k3v9x2ab", 9)] == [two]
        assert [event.kind for event in told(c, 0, "k3v9x2ab")] == ["job", "removed"]


def test_delete_takes_all_that_belongs_to_the_job_and_nothing_else(db: Database) -> None:
    for job in ("k3v9x2ab", "other"):
        [task] = add_job(db, job)
        with db.write() as c:
            metrics.Appender().append(c, {current(c, task).attempt_id: {"loss": [(1, 2, 3)]}})
            batch = AllocationBatch(key=f"{job}-a1", name="a", folder="/f", runner=[], resources=Resources())
            allocations.plan(c, job, "local", batch)
    with db.write() as c:
        erase(c, "k3v9x2ab")
    with db.read() as c:
        rows = {
            t.name: c.execute(sa.select(sa.func.count()).select_from(t)).scalar_one() for t in metadata.sorted_tables
        }
        assert rows.pop("events") == 2
        of_jobs = dict.fromkeys(("jobs", "tasks", "attempts", "batches", "allocations", "metric_chunks"), 1)
        assert rows == dict.fromkeys(rows, 0) | of_jobs
        assert tasks.get(c, "other-1").state is TaskState.SUBMITTED
        with pytest.raises(NotFound):
            jobs.detail(c, "k3v9x2ab", "")


def test_a_warning_is_replaced_and_withdrawn(db: Database) -> None:
    add_job(db, "aaaa1111")
    for text in ("x: 1 curve", "x: 2 curves", None):
        with db.write() as c:
            jobs.warn(c, "aaaa1111", "another")
            jobs.change_warning(c, "aaaa1111", "x: ", text)
        with db.read() as c:
            assert jobs.detail(c, "aaaa1111", "").warnings == ["mind the gap", "another", *([text] if text else [])]
    with db.read() as c:
        before = events.newest(c)
    with db.write() as c:
        jobs.change_warning(c, "aaaa1111", "x: ", None)
    with db.read() as c:
        assert events.newest(c) == before, "nothing has changed"

"""Test tasks as people see them, and what people ask of them."""

from typing import Any, ClassVar

import pytest
import sqlalchemy as sa

from paddock.errors import Conflict, InvalidInput, NotFound
from paddock.models import Cause, TaskState, Waits
from paddock.rules import task_view
from paddock.server.store import attempts, jobs, tables, tasks
from paddock.server.store.db import Database
from paddock.server.store.sight import EVERYTHING
from tests.server.store.given import add_job, current, move, told

S = TaskState
JOB = "k3v9x2ab"


class TestResolve:
    @pytest.fixture(autouse=True)
    def _jobs(self, db: Database) -> None:
        add_job(db, tasks=12)
        add_job(db, "k3other")

    @pytest.mark.parametrize("text", ["k3v9x2ab-12", "k3v-12", "k3v9-012"])
    def test_an_id_or_a_shortened_one(self, db: Database, text: str) -> None:
        with db.read() as c:
            assert tasks.resolve(c, text, EVERYTHING) == "k3v9x2ab-12"

    @pytest.mark.parametrize("text", ["k3v-13", "k3v-0", "k3v", "12", "k3v-", "-1", "k3v-1-1", "k%-1", "K3V-1", ""])
    def test_all_else_is_not_found(self, db: Database, text: str) -> None:
        with db.read() as c, pytest.raises(NotFound):
            tasks.resolve(c, text, EVERYTHING)

    def test_many_by_number_or_id(self, db: Database) -> None:
        with db.read() as c:
            assert tasks.resolve_many(c, JOB, ["3", "k3v-1"], EVERYTHING) == ["k3v9x2ab-3", "k3v9x2ab-1"]
            assert tasks.resolve_many(c, JOB, None, EVERYTHING) is None
            with pytest.raises(InvalidInput, match="k3other-1 is not a task of job") as caught:
                tasks.resolve_many(c, JOB, ["k3o-1"], EVERYTHING)
        assert caught.value.fields == {"tasks": "k3other-1"}

    def test_thousands_by_one_query(self, db: Database) -> None:
        statements: list[str] = []
        with db.read() as c:
            sa.event.listen(c, "before_cursor_execute", lambda *given: statements.append(given[2]))
            assert tasks.resolve_many(c, JOB, [f"{JOB}-{n % 12 + 1}" for n in range(3000)], EVERYTHING)
            assert sum("tasks" in one for one in statements) == 1
            with pytest.raises(NotFound):
                tasks.resolve_many(c, JOB, ["1", "13"], EVERYTHING)


class TestPage:
    @pytest.fixture(autouse=True)
    def _tasks(self, db: Database) -> None:
        ids = add_job(db, tasks=5)
        move(db, ids[0], S.RUNNING)
        move(db, ids[0], S.FINISHED, best_value=3.0)
        move(db, ids[1], S.FINISHED, best_value=1.0)
        move(db, ids[2], S.RUNNING, best_value=2.0)
        move(db, ids[4], S.ERROR, Cause.GPU_OOM)
        with db.write() as c:
            attempts.update_attempts(c, [{"id": current(c, ids[1]).attempt_id, "ended_at": 1500.0}])

    @pytest.mark.parametrize(
        ("sort", "numbers"),
        [
            ("number", [1, 2, 3, 4, 5]),
            ("-number", [5, 4, 3, 2, 1]),
            ("best", [2, 3, 1, 4, 5]),
            ("-best", [1, 3, 2, 4, 5]),
            ("ended", [2, 1, 5, 3, 4]),
            ("-ended", [1, 5, 2, 3, 4]),
            ("started", [1, 3, 2, 4, 5]),
            ("state", [1, 2, 3, 4, 5]),
            ("-state", [5, 4, 3, 1, 2]),
        ],
    )
    def test_outlines_have_what_orders_need(self, db: Database, sort: str, numbers: list[int]) -> None:
        with db.read() as c:
            found = task_view.view(tasks.outlines(c, JOB), "", (), sort)
        assert [one.number for one in found] == numbers

    def test_by_window_from_either_end(self, db: Database) -> None:
        with db.read() as c:
            pages = [tasks.page(c, JOB, offset=offset, limit=2) for offset in (0, 2, 4)]
            assert [[task.number for task in page.items] for page in pages] == [[1, 2], [3, 4], [5]]
            assert {page.total for page in pages} == {5}
            assert [task.number for task in tasks.page(c, JOB, newest=True, limit=2).items] == [5, 4]
            assert [task.number for task in tasks.page(c, JOB, numbers=[5, 2, 9]).items] == [2, 5]

    def test_of_one_state(self, db: Database) -> None:
        with db.read() as c:
            page = tasks.page(c, JOB, states=[S.FINISHED], limit=1)
            assert (page.total, [task.number for task in page.items]) == (2, [1])
            assert tasks.page(c, "other").total == 0


def test_a_task_that_waits_says_why_as_its_job_does(db: Database) -> None:
    first, second = add_job(db, tasks=2)
    move(db, first, S.RUNNING)
    with db.write() as c:
        jobs.hold(c, JOB)
    with db.read() as c:
        why = jobs.detail(c, JOB, "").waits
        assert why is not None
        assert (tasks.get(c, first).waits, tasks.get(c, second).waits) == (None, why)
        assert [task.waits for task in tasks.page(c, JOB).items] == [None, why]
        assert tasks.by_ids(c, [second])[0].waits is None
    decided = {JOB: Waits(reason="behind another job")}
    with db.write() as c:
        jobs.hold(c, JOB, held=False)
    with db.read() as c:
        assert tasks.get(c, second).waits is None
        assert tasks.get(c, second, waits=decided).waits == jobs.detail(c, JOB, "", waits=decided).waits == decided[JOB]


def test_a_task_shows_its_current_attempt(db: Database) -> None:
    [task] = add_job(db, epochs=10)
    move(db, task, S.RUNNING, epoch=4.0, first_epoch=0.0, last_value=float("inf"))
    with db.write() as c:
        change = {
            "id": current(c, task).attempt_id,
            "node": "n1",
            "device": "gpu 0",
            "peak_memory": 2**40,
            "warnings": ["w"],
        }
        attempts.update_attempts(c, [change])
    with db.read() as c:
        shown = tasks.get(c, task)
    assert (shown.state, shown.owner, shown.node, shown.device) == (S.RUNNING, "ann", "n1", "gpu 0")
    assert (shown.epoch, shown.progress, shown.last_value) == (4.0, 0.5, None)
    assert (shown.peak_memory, shown.warnings) == (2**40, ["w"])
    move(db, task, S.FINISHED)
    with db.read() as c:
        assert tasks.get(c, task).progress == 1.0
        with pytest.raises(NotFound):
            tasks.get(c, f"{JOB}-9")


class TestStop:
    def test_marks_what_has_not_ended_and_tells_of_it(self, db: Database) -> None:
        one, two, three = add_job(db, tasks=3)
        move(db, one, S.FINISHED)
        move(db, two, S.RUNNING)
        with db.write() as c:
            assert tasks.request_stop(c, JOB, None) == [two, three]
        with db.read() as c:
            assert [task.stopping for task in tasks.page(c, JOB).items] == [False, True, True]
            assert told(c, 0)[-1].data == {"change": "stopping", "ids": [two, three]}
            assert attempts.jobs_stopping(c) == [JOB]
            assert [row.id for row in attempts.stopping(c, JOB, 9)] == [two, three]
            assert [row.id for row in attempts.stopping(c, JOB, 1)] == [two]

    def test_named_ones_only_and_none_is_no_news(self, db: Database) -> None:
        one, two = add_job(db, tasks=2)
        move(db, one, S.FINISHED)
        with db.write() as c:
            assert tasks.request_stop(c, JOB, [one]) == []
            assert tasks.request_stop(c, JOB, []) == []
            assert len(told(c, 0)) == 1
            assert tasks.request_stop(c, JOB, [two]) == [two]

    def test_more_names_than_a_statement_may_hold(self, db: Database) -> None:
        _, two = add_job(db, tasks=2)
        with db.write() as c:
            assert tasks.request_stop(c, JOB, [f"{JOB}-{number}" for number in range(2, 70_000)]) == [two]
            assert [task.stopping for task in tasks.page(c, JOB).items] == [False, True]

    def test_an_order_is_given_once(self, db: Database) -> None:
        add_job(db)
        with db.write() as c:
            tasks.request_stop(c, JOB, None)
            [row] = attempts.stopping(c, JOB, 9)
            attempts.mark_ordered(c, [row.attempt_id])
            assert attempts.stopping(c, JOB, 9) == []
            assert attempts.jobs_stopping(c) == []


class TestRestart:
    REACHED: ClassVar[dict[str, Any]] = {
        "epoch": 5.0,
        "epoch_at": 1.0,
        "first_epoch": 0.0,
        "last_value": 0.5,
        "best_value": 0.4,
    } | {
        "best_epoch": 3.0,
        "best_at": 9.0,
    }

    def reached(self, c: sa.Connection) -> dict[str, Any]:
        return {**c.execute(sa.select(*(tables.tasks.c[name] for name in self.REACHED))).one()._mapping}

    def test_a_plain_one_forgets_what_was_reached(self, db: Database) -> None:
        [task] = add_job(db)
        move(db, task, S.ERROR, Cause.USER_ERROR, stopping=True, **self.REACHED)
        with db.write() as c:
            assert tasks.restart(c, JOB, None, failed=False, resume=False) == [task]
        with db.read() as c:
            shown = tasks.get(c, task)
            reached = self.reached(c)
            first, second = tasks.attempts_of(c, task)
            assert told(c, 0)[-1].data == {"change": "restarted", "ids": [task]}
        assert (shown.state, shown.attempt, shown.stopping, shown.cause) == (S.SUBMITTED, 2, False, None)
        assert set(reached.values()) == {None}
        assert (first.state, first.cause, first.number) == (S.ERROR, Cause.USER_ERROR, 1)
        assert (second.state, second.cause, second.number, second.resumed) == (S.SUBMITTED, None, 2, False)

    def test_a_resumed_one_keeps_it(self, db: Database) -> None:
        [task] = add_job(db)
        move(db, task, S.STOPPED, **self.REACHED)
        with db.write() as c:
            assert tasks.restart(c, JOB, [task], failed=False, resume=True) == [task]
        with db.read() as c:
            assert self.reached(c) == self.REACHED
            assert [attempt.resumed for attempt in tasks.attempts_of(c, task)] == [False, True]

    @pytest.mark.parametrize("state", [S.SUBMITTED, S.RUNNING])
    def test_a_named_one_that_has_not_ended_is_refused_and_nothing_done(self, db: Database, state: TaskState) -> None:
        one, two = add_job(db, tasks=2)
        move(db, one, S.FINISHED)
        move(db, two, state)
        with pytest.raises(Conflict, match=f"{two} has not ended") as caught, db.write() as c:
            tasks.restart(c, JOB, [one, two], failed=False, resume=False)
        assert caught.value.fields == {"tasks": two}
        with db.read() as c:
            assert tasks.get(c, one).attempt == 1

    def test_named_ones_of_which_none_has_failed_are_left_alone(self, db: Database) -> None:
        one, two = add_job(db, tasks=2)
        move(db, one, S.FINISHED)
        move(db, two, S.RUNNING)
        with db.write() as c:
            assert tasks.restart(c, JOB, [one], failed=True, resume=False) == []

    def test_many_named_ones_and_many_at_once_each_get_the_next_attempt(self, db: Database) -> None:
        ids = add_job(db, tasks=900)
        with db.write() as c:
            attempts.update_tasks(c, [{"id": one, "state": "error"} for one in ids])
            assert tasks.restart(c, JOB, ids[:850], failed=True, resume=True) == ids[:850]
            attempts.update_tasks(c, [{"id": one, "state": "error"} for one in ids[:850]])
            assert tasks.restart(c, JOB, None, failed=True, resume=True) == ids
            found = attempts.unpublished(c, 2000)
        assert [row.number for row in found] == [3] * 850 + [2] * 50
        assert [row.task_id for row in found] == ids

    def test_without_names_those_that_have_not_ended_are_left_alone(self, db: Database) -> None:
        ids = add_job(db, tasks=6)
        for task, state in zip(ids, TaskState, strict=True):
            move(db, task, state)
        with db.write() as c:
            assert tasks.restart(c, JOB, None, failed=False, resume=False) == ids[2:]
            assert tasks.restart(c, JOB, None, failed=False, resume=False) == []

    def test_failed_ones_only(self, db: Database) -> None:
        ids = add_job(db, tasks=3)
        for task, state in zip(ids, (S.ERROR, S.STOPPED, S.ERROR), strict=True):
            move(db, task, state)
        with db.write() as c:
            assert tasks.restart(c, JOB, ids[:2], failed=True, resume=False) == ids[:1]
            assert tasks.restart(c, JOB, None, failed=True, resume=True) == ids[2:]

    def test_thousands_at_once(self, db: Database) -> None:
        ids = add_job(db, tasks=2500)
        with db.write() as c:
            attempts.update_tasks(c, [{"id": task, "state": "stopped"} for task in ids])
            assert tasks.restart(c, JOB, ids, failed=False, resume=False) == ids
            assert len(attempts.unpublished(c, 5000)) == 2500

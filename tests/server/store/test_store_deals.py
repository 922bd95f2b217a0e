"""Which allocation an attempt was dealt to, and on which node it has to run."""

from paddock.models import TaskState
from paddock.server.store import attempts, deals
from paddock.server.store.db import Database
from tests.server.store.given import add_job, current, move

JOB = "k3v9x2ab"


def test_dealt_taken_back_and_dealt_again(db: Database) -> None:
    ids = add_job(db, tasks=4)
    add_job(db, "other")
    with db.write() as c:
        assert not deals.undealt(c, JOB, [], 10), "not published"
        rows = attempts.unpublished(c, 100)
        attempts.mark_published(c, [row.id for row in rows])
        found = deals.undealt(c, JOB, [], 3)
        assert [row.task_id for row in found] == ids[:3]
        assert found[0].params == {"lr": 0.1}
        deals.give(c, {row.id: "a1.0" for row in found[:2]})
        attempts.request_stop(c, JOB, [ids[3]])
        assert [row.task_id for row in deals.undealt(c, JOB, [], 10)] == [ids[2]]
        assert [row.id for row in deals.left_in(c, ["a1.0", "a9.0"])] == ids[:2]
        assert [row.task_id for row in deals.unbegun(c, [row.id for row in rows])] == [*ids[:3], "other-1"]
    move(db, ids[0], TaskState.RUNNING)
    with db.write() as c:
        assert [(one.task_id, one.dealt_to, one.state) for one in deals.in_hand(c)] == [
            (ids[0], "a1.0", TaskState.RUNNING),
            (ids[1], "a1.0", TaskState.SUBMITTED),
        ]
        assert [row.id for row in deals.left_in(c, ["a1.0"])] == [ids[1]]
        deals.take_back(c, [found[1].id])
        deals.take_back(c, [])
        assert [one.task_id for one in deals.in_hand(c)] == [ids[0]]
        assert [row.task_id for row in deals.undealt(c, JOB, [], 10)] == ids[1:3]
    move(db, ids[0], TaskState.FINISHED)
    with db.read() as c:
        assert not deals.in_hand(c)


def test_pins(db: Database) -> None:
    one, two = add_job(db, tasks=2)
    move(db, one, TaskState.RUNNING)
    with db.write() as c:
        attempts.update_attempts(c, [{"id": current(c, one).attempt_id, "node": "gpu1"}])
        assert not deals.pinned(c), "it runs"
    move(db, one, TaskState.ERROR)
    with db.write() as c:
        attempts.update_tasks(c, [{"id": one, "best_value": 0.5, "epoch": 7.0}])
        attempts.begin_next(c, JOB, [(one, 1)], resumed=True)
        assert deals.last_nodes(c, [one, two]) == {one: "gpu1"}
        again = current(c, one).attempt_id
        deals.pin(c, {again: "gpu1"})
        attempts.mark_published(c, [again, current(c, two).attempt_id])
        assert [row.task_id for row in deals.undealt(c, JOB, ["gpu2"], 10)] == [two]
        assert [row.task_id for row in deals.undealt(c, JOB, ["gpu1"], 10)] == [one, two]
        [pinned] = deals.pinned(c)
        assert (pinned.task_id, pinned.node, pinned.dealt_to) == (one, "gpu1", None)
        deals.begin_anew(c, [pinned])
        assert not deals.pinned(c)
        row = current(c, one)
        assert (row.resumed, row.best_value, row.epoch) == (False, None, None)
        assert [one.task_id for one in deals.undealt(c, JOB, [], 10)] == [one, two]

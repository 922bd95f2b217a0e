"""Other users of a cluster: who is made room for, and what becomes of the tasks."""

import json
from typing import Any

import pytest

from paddock.errors import BackendUnavailable
from paddock.models import Cause, Device, Node, TaskState
from paddock.rules.giving_way import Others, Waiting
from tests.server.engine.engine_rig import JOB, Rig

HERE = frozenset({"gpu"})
BOB = Waiting("38", "bob", HERE, 1)
ONE_GPU = {"backend": "fake", "gpus": 1}


@pytest.fixture(autouse=True)
def cluster(rig: Rig) -> None:
    """A node with four GPUs. Others are asked about in every round."""
    places = [Device(id=str(n), kind="gpu", name="fake") for n in range(4)]

    def nodes() -> list[Node]:
        running = sum(one.state == "running" for one in rig.backend.statuses.values())
        devices = [one.model_copy(update={"busy": n < running}) for n, one in enumerate(places)]
        size = {"cpus": 8, "slots": 4, "cpu_slots": 8}
        return [Node(name="n1", backend="fake", cpus_used=running, devices=devices, partitions=["gpu"], **size)]

    rig.backend.nodes = nodes  # type: ignore[method-assign]
    rig.engine.context.workers["fake"].refresh_nodes()
    seen(rig)


def seen(rig: Rig, *waiting: Waiting) -> None:
    rig.backend.seen_others = Others(waiting, partitions=HERE)


def look(rig: Rig, seconds: float = 1.0) -> None:
    """The next look at others is due, and what follows from it is done."""
    rig.engine.context.workers["fake"]._look_due = 0.0
    rig.step(seconds=seconds)


def full(rig: Rig, **spec: Any) -> list[str]:
    ids = rig.job(tasks=12, resources=ONE_GPU, **spec)
    rig.step()
    for number in range(4):
        rig.started(f"{JOB}-a1.{number}", ids[number])
    return ids


def drained(rig: Rig) -> list[dict[str, Any]]:
    return [line for line in rig.control() if line["op"] == "drain"]


def test_one_leaves_for_another_users_job_and_is_promised_once(rig: Rig) -> None:
    full(rig)
    seen(rig, BOB)
    look(rig)
    [order] = drained(rig)
    assert "saved" not in order
    assert rig.detail().giving_way == "bob's job 38: 1 of 4 allocations leaves after its task"
    for _ in range(3):
        look(rig, seconds=30)
    assert len(drained(rig)) == 1
    rig.reopen()
    for _ in range(2):
        look(rig, seconds=30)
    assert len(drained(rig)) == 1, "also after a restart of the server"


def test_a_server_that_starts_looks_before_it_asks_for_more(rig: Rig) -> None:
    """Else what it asks for would compete for what it has promised to somebody."""
    full(rig)
    seen(rig, BOB)
    look(rig)
    rig.reopen()
    rig.step(5)
    assert len(rig.backend.batches) == 1, "there was never more than the request for all four"
    seen(rig)
    look(rig, seconds=60)
    assert [batch.count for batch in rig.backend.batches] == [4, 1], "when nobody waits, all four again"


def test_a_server_that_never_gets_to_see_others_asks_for_more_after_a_while(rig: Rig) -> None:
    full(rig)
    seen(rig, BOB)
    look(rig)
    rig.backend.trouble["others"] = BackendUnavailable("down")
    rig.reopen()
    rig.step(3)
    assert len(rig.backend.batches) == 1
    rig.step(seconds=60)
    assert len(rig.backend.batches) == 2


def test_nothing_is_asked_for_until_they_are_gone(rig: Rig) -> None:
    ids = full(rig)
    seen(rig, BOB)
    look(rig)
    key = drained(rig)[0]["allocation"]
    number = int(key.rpartition(".")[2])
    rig.say(key, {"e": "ended", "task": ids[number], "exit": 0, "signal": None, "by": None}, {"e": "bye"})
    rig.backend.end(f"id-{key}")
    rig.step(3)
    assert rig.task(ids[number]).state is TaskState.FINISHED
    look(rig)
    assert len(rig.backend.batches) == 1, "the fourth GPU is for bob"
    rig.backend.seen_others = Others((), {"bob": (1, 1)}, HERE)
    look(rig, seconds=10)
    assert len(rig.backend.batches) == 1, "somebody else may come"
    seen(rig)
    look(rig, seconds=60)
    assert [batch.count for batch in rig.backend.batches] == [4, 1]


def test_a_task_in_the_middle_goes_on_from_its_checkpoint_and_it_is_said_why(rig: Rig) -> None:
    ids = full(rig, elastic={"give_way": "now"}, yields=True, retries={"preempted": 0, "yielded": 0})
    seen(rig, BOB)
    look(rig)
    [order] = drained(rig)
    assert (order["saved"], order["why"]) == (True, "made room for bob's job 38")
    key = order["allocation"]
    one = ids[int(key.rpartition(".")[2])]
    end = {"exit": None, "signal": 15, "by": "shutdown", "cause": "yielded", "reason": order["why"], "made_way": True}
    rig.say(key, {"e": "ended", "task": one, **end}, {"e": "bye"})
    rig.backend.end(f"id-{key}")
    rig.step(5)
    first, second = rig.attempts(one)
    assert (first.cause, first.reason) == (Cause.YIELDED, "made room for bob's job 38")
    assert second.resumed


def test_now_is_between_for_tasks_that_would_begin_anew(rig: Rig) -> None:
    full(rig, elastic={"give_way": "now"}, yields=False)
    seen(rig, BOB)
    look(rig)
    [order] = drained(rig)
    assert "saved" not in order


def test_nobody_is_asked_for_a_job_that_never_gives_way(rig: Rig) -> None:
    full(rig, elastic="never")
    rig.backend.calls.clear()
    seen(rig, BOB)
    look(rig)
    assert drained(rig) == []
    assert "others" not in rig.backend.calls


def test_a_look_that_fails_changes_nothing(rig: Rig) -> None:
    full(rig)
    rig.backend.trouble["others"] = BackendUnavailable("down")
    look(rig)
    assert drained(rig) == []
    del rig.backend.trouble["others"]
    seen(rig, BOB)
    look(rig)
    assert len(drained(rig)) == 1


@pytest.mark.parametrize(
    ("hides", "when", "turn"), [(True, "between", 3600.0), (True, "never", None), (False, "now", None)]
)
def test_turns_where_others_cannot_be_seen(rig: Rig, hides: bool, when: str, turn: float | None) -> None:
    rig.backend.hides_others = hides
    full(rig, elastic=when)
    manifest = json.loads(next(rig.home.job(JOB).root.rglob("*.manifest.json")).read_text())
    assert manifest["turn_seconds"] == turn
    said = [text for text in rig.detail().warnings if "let others have their turn" in text]
    assert len(said) == (turn is not None)

"""The policy chooses how many GPUs trainings have: when, what it leaves alone, and what a person's wish changes."""

from typing import Any

import pytest
import sqlalchemy as sa

from paddock.errors import BackendUnavailable
from paddock.models import Device, Node, SizeChange, TaskState
from paddock.rules.giving_way import Others, Waiting
from paddock.server.engine.sizing import node_groups
from paddock.server.store import sizes, tasks
from paddock.server.store.tables import attempts as attempt_rows
from paddock.server.store.tables import profiles as profile_rows
from paddock.server.store.tables import tasks as task_rows
from paddock.server.store.tasks import ResizeWish
from paddock.settings import ElasticSettings
from tests.server.engine.engine_rig import JOB, Rig

HERE = frozenset({"gpu"})
RANGE = {"backend": "fake", "gpus": "1..4"}


class Gpus:
    """A cluster with one node, whose GPUs are used by what runs there."""

    def __init__(self, rig: Rig, gpus: int = 4) -> None:
        self.rig, self.gpus, self.others = rig, gpus, 0
        rig.backend.nodes = self.nodes  # type: ignore[method-assign]
        rig.backend.seen_others = Others((), partitions=HERE)
        self.look()

    def nodes(self) -> list[Node]:
        backend = self.rig.backend
        each = {f"id-{key}": batch.resources.gpus or 0 for batch in backend.batches for key in batch.keys}
        used = self.others + sum(each.get(id, 0) for id, one in backend.statuses.items() if one.state == "running")
        found = [Device(id=str(n), kind="gpu", name="h200", busy=n < used) for n in range(self.gpus)]
        more: dict[str, Any] = {"cpus": 64, "slots": self.gpus, "cpu_slots": 64, "partitions": ["gpu"]}
        return [Node(name="n1", backend="fake", slots_used=min(used, self.gpus), devices=found, **more)]

    def look(self) -> None:
        worker = self.rig.engine.context.workers["fake"]
        worker._look_due = 0.0
        worker.refresh_nodes()
        self.rig.wait_for_backends()

    def begin(self, count: int = 1, job: str = JOB, saved: bool = True, **spec: Any) -> list[str]:
        """The tasks of a job, all of which run on one GPU and have saved something."""
        found = self.rig.job(count, job=job, **{"resources": RANGE, "command": "train $PADDOCK_CHECKPOINT_DIR"} | spec)
        self.rig.step()
        for number, task in enumerate(found):
            self.run(f"{job}-a1.{number}", task, saved=saved)
        self.look()
        return found

    def run(self, key: str, task: str, attempt: int = 1, saved: bool = True, epoch: float = 10.0) -> None:
        now, rig = self.rig.now(), self.rig
        about = {"task": task, "attempt": attempt}
        rig.backend.run(f"id-{key}", "n1")
        rig.say(key, {"e": "runner", "at": now}, {"e": "started", **about, "pid": 7, "node": "n1", "at": now})
        for step in range(3):
            epochs = (attempt - 1) * 3 + step + 1
            more = {"step": epochs, "epoch": epochs, "v": {"loss": 1.0}}
            rig.say(key, {"e": "metric", **about, "at": now + epoch * (step + 1), **more})
        if saved:
            rig.say(key, {"e": "saved", **about, "at": now + 10})
        rig.step(seconds=3 * epoch)

    def minutes(self, count: float = 10) -> None:
        rig = self.rig
        for _ in range(int(2 * count)):
            for id, one in list(rig.backend.statuses.items()):
                if one.state == "running":
                    rig.say(id.removeprefix("id-"), {"e": "here"})
            self.look()
            rig.step(seconds=31)

    def wanted(self) -> dict[str, tuple[int | None, str | None]]:
        with self.rig.db.read() as c:
            rows = c.execute(sa.select(task_rows.c.id, task_rows.c.size_wanted, task_rows.c.resize_by))
            return {task: (size, by) for task, size, by in rows if by is not None}

    def next(self, job: str = JOB) -> list[SizeChange]:
        return self.rig.engine.context.next_sizes.get(job, [])


@pytest.fixture
def gpus(rig: Rig) -> Gpus:
    return Gpus(rig)


def settle(gpus: Gpus, task: str, size: int) -> None:
    """The runner of the next size reports itself, and the task goes on there."""
    rig = gpus.rig
    rig.step()
    key, old = rig.keys()[-1], rig.keys()[-2]
    assert rig.backend.batches[-1].resources.gpus == size
    rig.backend.run(f"id-{key}", "n1")
    rig.say(key, {"e": "runner"})
    gpus.look()
    rig.step()
    number = rig.task(task).attempt
    assert {"op": "resize", "task": task, "attempt": number} in rig.control()
    ending = {"exit": 0, "signal": None, "by": "resize", "attempt": number, "at": rig.now()}
    rig.say(old, {"e": "ended", "task": task, **ending}, {"e": "bye"})
    rig.backend.end(f"id-{old}")
    rig.step()
    gpus.run(key, task, number + 1)


def test_one_that_has_saved_grows_into_free_gpus(gpus: Gpus) -> None:
    [task] = gpus.begin()
    gpus.minutes(1)
    assert gpus.wanted() == {task: (2, sizes.POLICY)}, "twice as many as it has tried"
    [change] = gpus.next()
    assert (change.task, change.now, change.to, change.begun) == (task, 1, 2, True)
    assert change.why == "3 GPUs are free"
    settle(gpus, task, 2)
    first = gpus.rig.attempts(task)[0]
    assert first.reason == "resized from 1 to 2 GPUs by the policy: 3 GPUs are free"


def test_one_that_has_saved_nothing_keeps_its_size(gpus: Gpus) -> None:
    gpus.begin(saved=False)
    gpus.minutes(20)
    assert not gpus.wanted() and not gpus.next()


def test_a_job_with_a_fixed_number_keeps_it(gpus: Gpus) -> None:
    gpus.begin(resources={"backend": "fake", "gpus": 1})
    gpus.minutes()
    assert not gpus.wanted()


def test_a_job_may_say_that_its_tasks_keep_their_size(gpus: Gpus) -> None:
    [task] = gpus.begin(elastic={"keep_size": True})
    gpus.minutes(20)
    assert not gpus.wanted() and not gpus.next()
    with gpus.rig.db.write() as c:
        assert tasks.request_resize(c, task, ResizeWish(2, "ann")), "people may resize it"


@pytest.mark.parametrize("rest", [1, 3])
def test_what_a_person_chose_stays_until_they_say_so(gpus: Gpus, rest: int) -> None:
    [task] = gpus.begin()
    with gpus.rig.db.write() as c:
        tasks.request_resize(c, task, ResizeWish(None, "ann"))
    gpus.minutes(rest)
    assert not gpus.wanted()
    with gpus.rig.db.write() as c:
        assert sizes.leave_to_policy(c, task)
        assert not sizes.leave_to_policy(c, task)
    gpus.minutes(1)
    assert gpus.wanted() == {task: (2, sizes.POLICY)}


def test_a_person_overrules_what_is_under_way(gpus: Gpus) -> None:
    [task] = gpus.begin()
    gpus.minutes(1)
    with gpus.rig.db.write() as c:
        assert tasks.request_resize(c, task, ResizeWish(4, "ann"))
        assert tasks.resize_wish(c, task) == ResizeWish(4, "ann")
        assert sizes.chosen_by(c, task) == "ann"
    gpus.minutes(3)
    assert gpus.wanted() == {task: (4, "ann")}


def test_a_quarter_at_most_is_resized_per_round(rig: Rig) -> None:
    gpus = Gpus(rig, 32)
    found = gpus.begin(8)
    known, at = len(gpus.wanted()), -1e9
    assert known < 8
    for _ in range(40):
        gpus.minutes(0.5)
        many = len(gpus.wanted())
        assert many - known <= 2
        if many > known:
            assert rig.now() - at >= 60
            known, at = many, rig.now()
    assert known == 8, "in the end all of them"
    assert {one.task for one in gpus.next() if one.begun} == set(gpus.wanted()) == set(found)


def test_nothing_changes_when_nothing_has_changed(gpus: Gpus) -> None:
    [task] = gpus.begin(resources={"backend": "fake", "gpus": "1..2"})
    gpus.minutes(1)
    settle(gpus, task, 2)
    gpus.minutes(30)
    assert not gpus.wanted() and not gpus.next()
    assert rig_orders(gpus.rig) == 1


def rig_orders(rig: Rig) -> int:
    return sum(one["op"] == "resize" for one in rig.control())


def test_it_shrinks_when_others_arrive(gpus: Gpus) -> None:
    [task] = gpus.begin(resources={"backend": "fake", "gpus": "1..2"})
    gpus.minutes(1)
    settle(gpus, task, 2)
    gpus.minutes(2)
    gpus.others = 2
    gpus.rig.job(1, job="aaaaaaaa", resources={"backend": "fake", "gpus": 1})
    gpus.minutes(2)
    assert gpus.wanted() == {task: (None, sizes.POLICY)}
    assert gpus.next()[0].why == "makes room for job aaaaaaaa"


def test_it_does_not_grow_into_what_other_users_wait_for(gpus: Gpus) -> None:
    gpus.rig.backend.seen_others = Others((Waiting("38", "bob", HERE, 3),), partitions=HERE)
    gpus.look()
    gpus.begin()
    gpus.minutes()
    assert not gpus.wanted()


def test_a_server_that_starts_looks_at_others_before_anything_grows(gpus: Gpus) -> None:
    gpus.rig.backend.seen_others = Others((Waiting("38", "bob", HERE, 3),), partitions=HERE)
    gpus.look()
    [task] = gpus.begin()
    gpus.rig.backend.trouble["others"] = BackendUnavailable("down")
    gpus.rig.reopen()
    gpus.look()
    gpus.rig.step(seconds=5)
    assert not gpus.wanted()
    gpus.minutes(2)
    assert list(gpus.wanted()) == [task], "it does not wait for ever"


def test_what_cannot_be_carried_out_is_taken_back(gpus: Gpus) -> None:
    [task] = gpus.begin()
    gpus.minutes(1)
    gpus.others = 3
    gpus.minutes(4)
    assert not gpus.wanted()
    with gpus.rig.db.read() as c:
        assert c.scalar(sa.select(task_rows.c.size_wanted).where(task_rows.c.id == task)) is None
    assert gpus.rig.task(task).state is TaskState.RUNNING
    assert not rig_orders(gpus.rig)


@pytest.mark.parametrize("most", [None, 2, 1])
def test_settings_limit_it_or_turn_it_off(gpus: Gpus, most: int | None) -> None:
    elastic = ElasticSettings(sizes=most is not None, most_gpus=most)
    gpus.rig.settings = gpus.rig.settings.model_copy(update={"elastic": elastic})
    gpus.rig.reopen()
    gpus.look()
    [task] = gpus.begin()
    gpus.minutes(5)
    assert gpus.wanted() == ({task: (2, sizes.POLICY)} if most == 2 else {})


def test_what_tasks_have_shown_is_remembered_for_the_next_job(gpus: Gpus) -> None:
    with gpus.rig.db.write() as c:
        c.execute(sa.insert(profile_rows).values(owner="bob", program="p", gpu="h200", timings=[], at=1.0))
    [task] = gpus.begin()
    with gpus.rig.db.write() as c:
        c.execute(sa.text("UPDATE jobs SET program = 'p'"))
    gpus.rig.engine.context.forget(JOB)
    gpus.minutes(1)
    settle(gpus, task, 2)
    gpus.minutes(1)
    settle(gpus, task, 4)
    with gpus.rig.db.read() as c:
        rows = c.execute(sa.select(profile_rows).where(profile_rows.c.owner == "ann")).all()
        each = c.scalars(sa.select(attempt_rows.c.epoch_seconds).order_by(attempt_rows.c.number)).all()
    assert [round(one or 0.0) for one in each] == [10, 10, 0]
    [row] = rows
    assert (row.program, row.gpu) == ("p", "h200")
    assert {(one[0], one[2]) for one in row.timings} == {(1, 1.0), (2, 2.0)}, "no gain from the second GPU"


def test_a_restarted_server_goes_on(gpus: Gpus) -> None:
    [task] = gpus.begin()
    gpus.minutes(1)
    gpus.rig.reopen()
    gpus.look()
    settle(gpus, task, 2)
    gpus.minutes(1)
    assert gpus.wanted() == {task: (4, sizes.POLICY)}


# --- what trainings begin with ----------------------------------------------------------------------------------------


def begins(gpus: Gpus, count: int = 1, most: int = 4, measured: int = 2, **spec: Any) -> list[str]:
    """Submit tasks of a program of which it is known how fast it is on up to so many GPUs; return their ids."""
    timings = [[size, 1, 1.0 + size / 10, 3] for size in (1, 2, 4) if size <= measured]
    found = gpus.rig.job(count, resources=RANGE | {"gpus": f"1..{most}"}, command="$PADDOCK_CHECKPOINT_DIR", **spec)
    with gpus.rig.db.write() as c:
        c.execute(sa.insert(profile_rows).values(owner="ann", program="p", gpu="h200", timings=timings, at=1.0))
        c.execute(sa.text("UPDATE jobs SET program = 'p'"))
    gpus.rig.step()
    return found


def sizes_asked_for(gpus: Gpus) -> list[int]:
    return sorted(batch.resources.gpus or 0 for batch in gpus.rig.backend.batches for _ in batch.keys)


def test_a_training_of_a_known_program_begins_with_what_is_free(gpus: Gpus) -> None:
    [task] = begins(gpus)
    assert sizes_asked_for(gpus) == [4]
    assert [line["size"] for line in gpus.rig.published()] == [4], "in its first attempt"
    assert gpus.rig.task(task).attempt == 1
    gpus.run(gpus.rig.keys()[0], task)
    gpus.minutes(10)
    assert not gpus.wanted() and not gpus.next(), "it is where it ought to be"


@pytest.mark.parametrize(("used", "expected"), [(1, 2), (2, 2), (3, 1), (4, 1)])
def test_it_begins_into_what_nobody_uses(gpus: Gpus, used: int, expected: int) -> None:
    gpus.others = used
    gpus.look()
    begins(gpus)
    assert sizes_asked_for(gpus) == [expected]


def test_it_begins_with_at_most_twice_what_was_measured(rig: Rig) -> None:
    gpus = Gpus(rig, 8)
    begins(gpus, most=8)
    assert sizes_asked_for(gpus) == [4]


def test_tasks_that_begin_together_share_what_is_free(gpus: Gpus) -> None:
    begins(gpus, 2)
    assert sizes_asked_for(gpus) == [2, 2]


def test_of_a_sweep_only_those_that_may_run_together_share_it(gpus: Gpus) -> None:
    begins(gpus, 8, parallel=1)
    assert max(sizes_asked_for(gpus)) == 4


@pytest.mark.parametrize("spec", [{"yields": False}, {"settings": False}, {"elastic": {"keep_size": True}}])
def test_where_the_policy_does_not_choose_it_begins_with_the_fewest_at_once(gpus: Gpus, spec: dict[str, Any]) -> None:
    if "settings" in spec:
        elastic = ElasticSettings(sizes=False)
        gpus.rig.settings = gpus.rig.settings.model_copy(update={"elastic": elastic})
        gpus.rig.reopen()
        gpus.look()
        spec = {}
    begins(gpus, **spec)
    assert sizes_asked_for(gpus) == [1]


def test_what_was_requested_keeps_its_place_in_the_queue(gpus: Gpus) -> None:
    """What is free may be for others there, as the scheduler decides."""
    gpus.others = 4
    gpus.look()
    begins(gpus)
    gpus.others = 0
    gpus.minutes(10)
    assert sizes_asked_for(gpus) == [1] and not gpus.rig.backend.withdrawn
    assert not gpus.wanted() and not gpus.next()


def test_a_policy_that_fails_keeps_nobody_waiting(gpus: Gpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpus.rig.engine._sizer, "run", lambda _now: False)
    begins(gpus)
    assert not sizes_asked_for(gpus)
    gpus.rig.step(seconds=6)
    assert sizes_asked_for(gpus) == [1]


def test_nodes_are_decided_on_together_if_somebody_can_choose_from_them() -> None:
    kinds = {"a1": "a", "a2": "a", "a3": "a", "b1": "b"}
    alone = {name: name for name in kinds}
    assert node_groups(kinds, set()) == node_groups(kinds, {frozenset({"a1"}), frozenset({"gone"})}) == alone
    assert node_groups(kinds, {frozenset(kinds)}) == {"a1": "a1", "a2": "a1", "a3": "a1", "b1": "b1"}
    chain = {frozenset({"a2", "a3"}), frozenset({"a1", "a2"})}
    assert node_groups(kinds, chain) == {"a1": "a1", "a2": "a1", "a3": "a1", "b1": "b1"}

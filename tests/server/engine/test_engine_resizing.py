"""Tasks that are resized: what is requested when, what is ordered when, and what a killed server changes."""

from typing import Any

import pytest

from paddock.errors import Conflict
from paddock.models import Cause, Device, Node, TaskState, Traits
from paddock.runner import manifest
from paddock.server.store import jobs, tasks
from paddock.server.store.tasks import ResizeWish
from tests.server.engine.cluster_rig import ClusterRig
from tests.server.engine.engine_rig import JOB

FIRST, NEXT = f"{JOB}-a1.0", f"{JOB}-a2.0"


def begin(rig: ClusterRig, count: int = 1, **spec: Any) -> list[str]:
    """Return the tasks of a job of which the first runs, on one GPU of n1."""
    found = rig.job(count, resources={"backend": "fake", "gpus": "1..2", "cpus": 2}, **spec)
    rig.step()
    rig.backend.run(f"id-{FIRST}")
    rig.say(FIRST, {"e": "runner"}, {"e": "started", "task": found[0], "pid": 7, "node": "n1"})
    rig.step()
    return found


def resize(rig: ClusterRig, task: str, size: int | None) -> bool:
    with rig.db.write() as c:
        return tasks.request_resize(c, task, ResizeWish(size, "ben"))


def hello(rig: ClusterRig, key: str) -> None:
    """Let the runner of an allocation report itself."""
    rig.backend.run(f"id-{key}", "n2")
    rig.say(key, {"e": "runner"})
    rig.step()


def ended(rig: ClusterRig, task: str, **more: Any) -> None:
    record = {"e": "ended", "task": task, "exit": 0, "signal": None, "by": "resize", "at": 2_000_000_010.0}
    rig.say(FIRST, record | more)
    rig.step()


def orders(rig: ClusterRig) -> list[dict[str, Any]]:
    return [one for one in rig.control() if one["op"] == "resize"]


def node(gpus: int, used: int) -> list[Node]:
    devices = [Device(id=str(number), kind="gpu", name="h200") for number in range(gpus)]
    return [Node(name="n1", backend="fake", cpus=8, slots=gpus, slots_used=used, cpu_slots=8, devices=devices)]


def shrink(rig: ClusterRig, nodes: list[Node]) -> None:
    rig.backend.nodes = lambda: nodes  # type: ignore[method-assign]
    rig.engine.context.workers["fake"].refresh_nodes()


@pytest.mark.parametrize("killed", range(4))
def test_where_there_is_room_the_next_allocation_comes_first(cluster: ClusterRig, killed: int) -> None:
    def kill(now: int) -> None:
        if now == killed:
            cluster.reopen()

    [task] = begin(cluster)
    assert resize(cluster, task, 2)
    kill(1)
    cluster.step()
    last = cluster.backend.batches[-1]
    assert (last.key, last.count, last.resources.gpus, last.resources.cpus) == (f"{JOB}-a2", 1, 2, 4)
    assert not orders(cluster)
    hello(cluster, NEXT)
    kill(2)
    cluster.step()
    assert orders(cluster)
    assert all(one == {"op": "resize", "task": task, "attempt": 1} for one in orders(cluster))
    ended(cluster, task)
    kill(3)
    cluster.step()
    first, second = cluster.attempts(task)
    assert (first.state, first.cause) == (TaskState.STOPPED, Cause.RESIZED)
    assert first.reason == "resized from 1 to 2 GPUs by ben"
    assert (second.state, second.resumed, second.size) == (TaskState.SUBMITTED, True, 2)
    assert [line["size"] for line in cluster.published()] == [1, 2]
    cluster.started(NEXT, task, attempt=2)
    assert cluster.task(task).state is TaskState.RUNNING
    assert cluster.keys() == [FIRST, NEXT], "one allocation of each size is all that was asked for"
    with cluster.db.read() as c:
        assert tasks.resize_wish(c, task) is None


def test_where_its_own_gpus_are_needed_it_ends_first(cluster: ClusterRig) -> None:
    [task] = begin(cluster)
    shrink(cluster, node(2, used=1))
    resize(cluster, task, 2)
    cluster.step()
    assert orders(cluster)


def test_a_runner_that_has_left_is_not_waited_for(cluster: ClusterRig) -> None:
    """Its scheduler lists its allocation for a while longer."""
    [task] = begin(cluster)
    resize(cluster, task, 2)
    cluster.step()
    cluster.backend.run(f"id-{NEXT}", "n2")
    cluster.say(NEXT, {"e": "runner"}, {"e": "bye"})
    cluster.step(seconds=1)
    assert not orders(cluster), "it trains until there is another"
    cluster.step(seconds=1)
    third = cluster.keys()[-1]
    assert third != NEXT, "it is asked for at once"
    cluster.step(seconds=1)
    assert cluster.keys()[-1] == third
    hello(cluster, third)
    assert orders(cluster)


def test_where_others_have_them_it_trains_on(cluster: ClusterRig) -> None:
    [task] = begin(cluster)
    shrink(cluster, node(2, used=2))
    resize(cluster, task, 2)
    cluster.step(seconds=600)
    assert not orders(cluster)
    assert cluster.task(task).state is TaskState.RUNNING


def test_a_stop_wins(cluster: ClusterRig) -> None:
    [task] = begin(cluster)
    resize(cluster, task, 2)
    cluster.step()
    hello(cluster, NEXT)
    with cluster.db.write() as c:
        tasks.request_stop(c, JOB, [task])
    ended(cluster, task)
    assert [one.state for one in cluster.attempts(task)] == [TaskState.STOPPED]
    with cluster.db.read() as c:
        assert tasks.resize_wish(c, task) is None


def test_one_that_has_finished_takes_the_request_back(cluster: ClusterRig) -> None:
    [task] = begin(cluster)
    resize(cluster, task, 2)
    cluster.step()
    ended(cluster, task, by=None)
    assert cluster.task(task).state is TaskState.FINISHED
    cluster.step()
    assert f"id-{NEXT}" in cluster.backend.withdrawn


def test_one_that_is_nearly_done_is_left_alone(cluster: ClusterRig) -> None:
    [task] = begin(cluster)
    cluster.say(FIRST, {"e": "total", "task": task, "epochs": 100})
    cluster.say(FIRST, {"e": "metric", "task": task, "step": 1, "epoch": 1, "v": {"loss": 1.0}})
    cluster.say(FIRST, {"e": "metric", "task": task, "step": 99, "epoch": 99, "v": {"loss": 1.0}})
    resize(cluster, task, 2)
    cluster.step()
    hello(cluster, NEXT)
    cluster.step()
    assert not orders(cluster)


def test_it_counts_no_retry_and_may_happen_often(cluster: ClusterRig) -> None:
    [task] = begin(cluster, retries={"lost": 1})
    for attempt in range(1, 8):
        cluster.say(FIRST, {"e": "started", "task": task, "attempt": attempt, "pid": 7})
        ended(cluster, task, attempt=attempt)
        assert cluster.task(task).attempt == attempt + 1


def test_one_that_waits_gets_another_size_at_once(cluster: ClusterRig) -> None:
    _, second = begin(cluster, 2, parallel=1)
    assert resize(cluster, second, 2)
    cluster.step()
    first, next_one = cluster.attempts(second)
    assert (first.cause, next_one.size, next_one.resumed) == (Cause.RESIZED, 2, True)
    assert cluster.published()[-1]["size"] == 2


def test_a_held_job_keeps_its_sizes_until_it_is_released(cluster: ClusterRig) -> None:
    [task] = begin(cluster)
    with cluster.db.write() as c:
        jobs.hold(c, JOB)
    resize(cluster, task, 2)
    cluster.step(seconds=600)
    assert not orders(cluster)
    assert cluster.keys() == [FIRST]


def test_what_is_asked_for_again_or_taken_back(cluster: ClusterRig) -> None:
    [task] = begin(cluster)
    assert resize(cluster, task, 2)
    assert not resize(cluster, task, 2)
    assert resize(cluster, task, None), "taken back"
    assert not resize(cluster, task, None)
    cluster.step()
    assert cluster.keys() == [FIRST]
    ended(cluster, task, by=None)
    with pytest.raises(Conflict, match="has ended"):
        resize(cluster, task, 2)


def drained(rig: ClusterRig) -> list[str]:
    return [one["allocation"] for one in rig.control() if one["op"] == "drain"]


def test_an_allocation_leaves_when_no_task_of_its_size_is_left(cluster: ClusterRig) -> None:
    """It was asked for for a task that came from another size, so it waits longer than others would."""
    task, other = begin(cluster, 2)
    cluster.step()
    resize(cluster, task, 2)
    cluster.step()
    third = cluster.keys()[-1]
    assert cluster.backend.batches[-1].resources.gpus == 2
    cluster.backend.run(f"id-{third}", "n2")
    cluster.say(third, {"e": "runner"})
    cluster.started(f"{JOB}-a1.1", other)
    ended(cluster, task)
    cluster.started(third, task, attempt=2)
    assert drained(cluster) == [FIRST], "nothing is left for it either"
    cluster.say(
        third, {"e": "ended", "task": task, "attempt": 2, "exit": 0, "signal": None, "by": None, "at": 2_000_000_020.0}
    )
    cluster.step()
    assert drained(cluster) == [FIRST, third]
    assert cluster.detail().giving_way is None
    cluster.step(seconds=60)
    assert drained(cluster) == [FIRST, third], "each is told once"


def test_an_allocation_that_is_not_needed_any_more_leaves(cluster: ClusterRig) -> None:
    [task] = begin(cluster)
    resize(cluster, task, 2)
    cluster.step()
    cluster.backend.run(f"id-{NEXT}", "n2")
    resize(cluster, task, None)
    hello(cluster, NEXT)
    cluster.step()
    assert drained(cluster) == [NEXT]
    assert not orders(cluster)


def test_what_runs_in_one_size_only_is_not_ended_early(cluster: ClusterRig) -> None:
    cluster.job(1, resources={"backend": "fake", "gpus": 1, "cpus": 2})
    cluster.step()
    cluster.backend.run(f"id-{FIRST}")
    cluster.say(FIRST, {"e": "runner"})
    cluster.step()
    assert not drained(cluster)


class TestSeveralNodes:
    """More GPUs than a node has are those of whole nodes: two nodes with two GPUs each."""

    @pytest.fixture
    def task(self, cluster: ClusterRig) -> str:
        cluster.backend.traits = Traits(queued=True, multi_node=True)
        [task] = cluster.job(1, resources={"backend": "fake", "gpus": "1..4", "cpus": 2, "launcher": "torchrun"})
        cluster.step()
        cluster.backend.run(f"id-{FIRST}")
        cluster.say(FIRST, {"e": "runner"}, {"e": "started", "task": task, "pid": 7, "node": "n1"})
        cluster.step()
        return task

    def nodes(self, cluster: ClusterRig, *used: int) -> None:
        made = [one.model_copy(update={"name": f"n{number}"}) for number, n in enumerate(used, 1) for one in node(2, n)]
        shrink(cluster, made)

    def test_there_and_back(self, cluster: ClusterRig, task: str) -> None:
        self.nodes(cluster, 1, 0)
        resize(cluster, task, 4)
        cluster.step()
        last = cluster.backend.batches[-1].resources
        assert (last.nodes, last.gpus, last.cpus) == (2, 2, 4)
        made = manifest.load(cluster.backend.batches[-1].folder_of(0))
        assert made.members is not None
        assert (made.size, made.task_gpus, made.members.nodes, made.members.processes) == (4, 2, 2, 2)
        assert len(orders(cluster)) == 1, "its own GPU is one of the four: it ends first"
        ended(cluster, task)
        assert cluster.published()[-1]["size"] == 4
        hello(cluster, NEXT)
        cluster.started(NEXT, task, attempt=2)
        self.nodes(cluster, 2, 2)
        resize(cluster, task, 2)
        cluster.step()
        assert cluster.backend.batches[-1].resources.nodes is None
        assert orders(cluster)[1:] == [{"op": "resize", "task": task, "attempt": 2}]
        assert len(cluster.backend.batches) == 3, "what has four GPUs counts as such"

    def test_where_others_have_a_node_it_trains_on(self, cluster: ClusterRig, task: str) -> None:
        self.nodes(cluster, 1, 1)
        resize(cluster, task, 4)
        cluster.step(seconds=600)
        assert not orders(cluster)

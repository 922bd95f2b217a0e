"""The order of jobs is passed on to a scheduler."""

import pytest
import sqlalchemy as sa

from paddock.errors import BackendError, BackendUnavailable
from paddock.models import JobOrder, LimitsRequest
from paddock.server.engine import queue_order
from paddock.server.store import jobs
from paddock.server.store.tables import jobs as job_rows
from tests.server.engine.cluster_rig import ClusterRig
from tests.server.engine.engine_rig import JOB

OTHER, THIRD = "zzz23456", "yyy23456"
GPUS = {"backend": "fake", "gpus": 2}


@pytest.fixture
def waiting(cluster: ClusterRig) -> tuple[str, str]:
    """Two jobs wait in the queue, which is full."""
    for job in (JOB, OTHER):
        cluster.job(job=job, resources=GPUS)
    cluster.step(5)
    return f"id-{JOB}-a1.0", f"id-{OTHER}-a1.0"


def prefer(rig: ClusterRig, job: str, priority: int) -> None:
    with rig.db.write() as c:
        jobs.limit(c, job, LimitsRequest(priority=priority))
    rig.step(5)


def order(rig: ClusterRig) -> list[tuple[list[str], int]]:
    """What was sent as Nice."""
    return [(ids, change.nice) for ids, change in rig.backend.changes if change.nice is not None]


def test_equal_jobs_are_left_alone(cluster: ClusterRig, waiting: tuple[str, str]) -> None:
    cluster.step(5, seconds=60)
    assert cluster.backend.changes == []
    assert [batch.resources.slurm.nice for batch in cluster.backend.batches] == [None, None]


def test_a_priority_that_changes_while_they_wait(cluster: ClusterRig, waiting: tuple[str, str]) -> None:
    one, other = waiting
    prefer(cluster, OTHER, 10)
    assert order(cluster) == [([one], 50)]
    cluster.step(5, seconds=60)
    assert len(order(cluster)) == 1, "it is sent once"
    prefer(cluster, JOB, 20)
    assert sorted(order(cluster)[1:]) == sorted([([one], 0), ([other], 50)])


def test_it_is_requested_in_its_place(cluster: ClusterRig, waiting: tuple[str, str]) -> None:
    cluster.job(job=THIRD, resources=GPUS | {"slurm": {"nice": 7}}, priority=-3)
    cluster.step(5)
    assert [batch.resources.slurm.nice for batch in cluster.backend.batches] == [None, None, 57]
    cluster.step(5, seconds=60)
    assert order(cluster) == [], "it has it already"


def test_what_a_person_asked_for_counts_on_top(cluster: ClusterRig, waiting: tuple[str, str]) -> None:
    one, _ = waiting
    prefer(cluster, OTHER, 10)
    with cluster.db.write() as c:
        jobs.limit(c, JOB, LimitsRequest(nice=100))
    cluster.step(5)
    assert {sent for ids, sent in order(cluster)[1:] if ids == [one]} == {150}


def test_two_that_change_places_all_the_time(cluster: ClusterRig, waiting: tuple[str, str]) -> None:
    for priority in (1, -1, 1, -1):
        prefer(cluster, OTHER, priority)
    assert len(order(cluster)) <= 3
    cluster.step(5, seconds=queue_order.AGAIN_SECONDS + 1)
    assert {ids[0]: sent for ids, sent in order(cluster)} == {waiting[0]: 0, waiting[1]: 50}, "the last order counts"


def test_one_that_does_not_get_through_is_sent_again(cluster: ClusterRig, waiting: tuple[str, str]) -> None:
    cluster.backend.trouble["change"] = BackendUnavailable("down")
    prefer(cluster, OTHER, 10)
    assert order(cluster) == []
    del cluster.backend.trouble["change"]
    cluster.step(5, seconds=30)
    assert ([waiting[0]], 50) in order(cluster)


def test_a_refusal_is_no_warning_and_is_not_repeated(cluster: ClusterRig, waiting: tuple[str, str]) -> None:
    cluster.backend.trouble["change"] = BackendError("priorities were set by an administrator")
    prefer(cluster, OTHER, 10)
    tries = cluster.backend.calls.count("change")
    cluster.step(5, seconds=60)
    assert cluster.backend.calls.count("change") == tries
    assert "priorities" not in str(cluster.detail(JOB).warnings)


def test_a_new_server_knows_what_was_sent(cluster: ClusterRig, waiting: tuple[str, str]) -> None:
    one, other = waiting
    prefer(cluster, OTHER, 10)
    cluster.reopen()
    for _ in range(3):
        cluster.step(5, seconds=60)
    assert order(cluster) == [([one], 50)]
    prefer(cluster, JOB, 20)
    assert sorted(order(cluster)[1:]) == [([one], 0), ([other], 50)]


# --- the order "short" ------------------------------------------------------------------------------------------------


@pytest.fixture
def short(cluster: ClusterRig) -> ClusterRig:
    elastic = cluster.settings.elastic.model_copy(update={"order": JobOrder.SHORT})
    cluster.settings = cluster.settings.model_copy(update={"elastic": elastic})
    cluster.reopen()
    return cluster


def trained(rig: ClusterRig, job: str, program: str, hours: float) -> None:
    """A job whose task has finished after so long."""
    [task] = rig.job(job=job, resources=GPUS)
    about(rig, job, program)
    rig.step(5)
    key, now = f"{job}-a1.0", rig.now()
    rig.backend.run(f"id-{key}")
    rig.say(key, {"e": "runner"}, {"e": "started", "task": task, "pid": 7, "at": now})
    rig.say(key, {"e": "ended", "task": task, "exit": 0, "signal": None, "at": now + hours * 3600}, {"e": "bye"})
    rig.backend.end(f"id-{key}")
    rig.step(5)


def about(rig: ClusterRig, job: str, program: str) -> None:
    with rig.db.write() as c:
        c.execute(sa.update(job_rows).where(job_rows.c.id == job).values(program=program))
    rig.engine.context.forget(job)


def in_order(rig: ClusterRig) -> list[str]:
    places = rig.engine.context.places
    return sorted((JOB, OTHER, THIRD), key=lambda job: places.get(job, 0))


def test_what_is_not_known_comes_neither_first_nor_last(short: ClusterRig) -> None:
    """What is known of programs counts for their next jobs."""
    trained(short, "aaa23456", "long", 8)
    trained(short, "bbb23456", "quick", 1)
    for job, program in ((JOB, "new"), (OTHER, "long"), (THIRD, "quick")):
        short.job(job=job, resources=GPUS)
        about(short, job, program)
    short.step(5, seconds=60)  # what was not known is looked up again
    assert in_order(short) == [THIRD, JOB, OTHER]


def test_a_time_limit_says_how_long_it_may_be(short: ClusterRig) -> None:
    trained(short, "aaa23456", "long", 8)
    for job, program, limit in ((OTHER, "long", None), (JOB, "new", None), (THIRD, "newer", 600)):
        short.job(job=job, resources=GPUS | ({"time_limit": limit} if limit else {}))
        about(short, job, program)
    short.step(5, seconds=60)  # what was not known is looked up again
    assert in_order(short)[0] == THIRD
    assert short.engine.context.places[OTHER] == 1, "as old as the one that counts the same"

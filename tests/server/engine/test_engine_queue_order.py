"""The order of jobs is passed on to a scheduler."""

import pytest

from paddock.errors import BackendError, BackendUnavailable
from paddock.models import LimitsRequest
from paddock.server.engine import queue_order
from paddock.server.store import jobs
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

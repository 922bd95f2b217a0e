"""What is reserved on a cluster is asked of its scheduler, and its answer is recorded and told."""

import pytest

from paddock.backends.base import Enforcement
from paddock.errors import BackendUnavailable
from paddock.models import Role, SignInSource
from paddock.server.engine import enforcing
from paddock.server.store import groups, team, users
from tests.server.engine.cluster_rig import ClusterRig


def test_what_is_reserved_is_asked_for_until_it_is_cancelled(cluster: ClusterRig) -> None:
    id = cluster.reserve("n2", "n1")
    cluster.step()
    [one] = cluster.asked()
    assert (one.name, one.nodes, one.users, one.maintenance) == (
        f"paddock-{id}",
        {"n1": None, "n2": None},
        set(),
        False,
    )
    assert cluster.enforced(id) == ("yes", None)
    asked = len(cluster.backend.reserved)
    cluster.step()
    assert len(cluster.backend.reserved) == asked, "nothing has changed"
    cluster.step(seconds=enforcing.AGAIN_SECONDS)
    assert len(cluster.backend.reserved) == asked + 1, "somebody else may have deleted it"
    cluster.change(id, live=False, cancelled_at=cluster.now())
    cluster.step()
    assert cluster.asked() == []
    assert id in cluster.backend.reserved[-1][1], "it is ours to delete"


def test_a_refusal_is_recorded_and_told_once(cluster: ClusterRig) -> None:
    id = cluster.reserve("n1", title="thesis")
    cluster.backend.enforcements[id] = Enforcement("no", "Requested nodes are busy: until 14:00")
    cluster.step()
    assert cluster.enforced(id) == ("no", "Requested nodes are busy: until 14:00")
    assert cluster.told("alice") == ["thesis: others are not kept away"]
    cluster.backend.enforcements[id] = Enforcement("no", "Requested nodes are busy: until 15:00")
    cluster.step(seconds=enforcing.AGAIN_SECONDS)
    assert cluster.enforced(id) == ("no", "Requested nodes are busy: until 15:00")
    del cluster.backend.enforcements[id]
    cluster.step(seconds=enforcing.AGAIN_SECONDS)
    assert cluster.enforced(id) == ("yes", None)
    assert len(cluster.told("alice")) == 1


def test_a_scheduler_that_is_away_changes_nothing(cluster: ClusterRig) -> None:
    cluster.backend.trouble["reserve"] = BackendUnavailable("away")
    id = cluster.reserve("n1", enforced="pending")
    cluster.step()
    assert cluster.enforced(id) == ("pending", None)
    del cluster.backend.trouble["reserve"]
    cluster.step(seconds=enforcing.AGAIN_SECONDS)
    assert cluster.enforced(id) == ("yes", None)


@pytest.mark.parametrize("cluster", [{"reservations": "gpus"}], indirect=True)
def test_single_gpus_are_counted_by_node(cluster: ClusterRig) -> None:
    cluster.reserve("n1:1", "n2:0", "n1:0", owner=None)
    cluster.step()
    [one] = cluster.asked()
    assert (one.nodes, one.maintenance) == ({"n1": 2, "n2": 1}, True)


@pytest.mark.parametrize("cluster", [{"run_as": "user"}], indirect=True)
def test_who_runs_as_themselves_is_named(cluster: ClusterRig) -> None:
    with cluster.db.write() as c:
        team.switch(c, True, 1.0)
        for name in ("alice", "bob", "carol", "dave"):
            unix = {"unix_name": f"u-{name}"} if name != "bob" else {}
            users.add(c, name, Role.USER, SignInSource.PASSWORD, 1.0, **unix)
        groups.add(c, "vision", 1.0)
        groups.set_members(c, "vision", ["carol"])
    cluster.reserve("n1", guests=["bob"], guest_groups=["vision"])
    cluster.step()
    assert cluster.asked()[0].users == {"u-alice", "u-carol"}

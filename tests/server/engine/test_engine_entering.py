"""Jobs run in the reservations of their owner on a cluster, by themselves."""

import json
from pathlib import Path
from typing import Any

import pytest

from paddock.common import layout
from paddock.errors import BackendError
from paddock.models import AllocationState, AllocationStatus, Cause, Role, SignInSource
from paddock.server.engine import entering, launch
from paddock.server.store import groups, team, users
from tests.server.engine.cluster_rig import HOUR, ClusterRig
from tests.server.engine.engine_rig import JOB

OWNER = "ann"


def asked(gpus: int = 1, **more: Any) -> dict[str, Any]:
    return {"resources": {"backend": "fake", "gpus": gpus, **more}}


def test_as_many_as_fit_enter_and_the_others_wait_as_usual(cluster: ClusterRig) -> None:
    id = cluster.reserve("n1", start=-60, owner=OWNER)
    cluster.job(3, **asked())
    cluster.step()
    name = f"paddock-{id}"
    assert cluster.requests() == [(name, 2), (None, 1)]
    manifest = json.loads(Path(layout.manifest(cluster.batch(name).folder_of(0))).read_text())
    assert manifest["yields"].keys() == {"0", "1"}
    leaves = {row.key: row.leaves_at for row in cluster.rows()}
    assert manifest["yields"]["1"]["at"] == leaves[f"{JOB}-a1.1"] and leaves[f"{JOB}-a2.0"] is None
    cluster.step()
    assert len(cluster.backend.batches) == 2, "nothing goes in and out again"


def test_what_waits_enters_when_it_begins(cluster: ClusterRig) -> None:
    id = cluster.reserve("n1", start=60, owner=OWNER)
    cluster.job(3, **asked())
    cluster.step()
    assert cluster.requests() == [(None, 3)]
    cluster.step(seconds=61)
    assert len(cluster.backend.withdrawn) == 2
    for one in cluster.backend.withdrawn:
        cluster.backend.end(one)
    cluster.step()
    assert cluster.requests()[1:] == [(f"paddock-{id}", 2)]
    cluster.step()
    assert len(cluster.backend.batches) == 2


@pytest.mark.parametrize(
    ("reserved", "resources"),
    [
        ({"owner": "bob"}, {}),
        ({"owner": OWNER, "enforced": "no"}, {}),
        ({"owner": None}, {}),
        ({"owner": OWNER, "start": -HOUR + 30}, {}),
        ({"owner": OWNER}, {"gpus": 0}),
        ({"owner": OWNER}, {"gpu_type": "a100"}),
        ({"owner": OWNER}, {"slurm": {"nodelist": "n2"}}),
        ({"owner": OWNER}, {"slurm": {"exclude": "n[1-3]"}}),
        ({"owner": OWNER}, {"slurm": {"constraint": "fast&big"}}),
        ({"owner": OWNER}, {"nodes": 2}),
    ],
)
def test_what_does_not_belong_there_stays_outside(
    cluster: ClusterRig, reserved: dict[str, Any], resources: dict[str, Any]
) -> None:
    cluster.reserve("n1", **{"start": -60, **reserved})
    cluster.backend.trouble["reserve"] = BackendError("no answer")
    cluster.job(1, **asked(**resources))
    cluster.engine.wake()
    cluster.engine.round()
    cluster.wait_for_backends()
    assert [entered for entered, _ in cluster.requests()] in ([None], [])


def test_guests_and_members_of_guest_groups_enter(cluster: ClusterRig) -> None:
    with cluster.db.write() as c:
        team.switch(c, True, 1.0)
        users.add(c, OWNER, Role.USER, SignInSource.PASSWORD, 1.0)
        groups.add(c, "vision", 1.0)
        groups.set_members(c, "vision", [OWNER])
    one = cluster.reserve("n1", start=-60, owner="bob", guest_groups=["vision"])
    two = cluster.reserve("n2", start=-60, owner="carol", guests=[OWNER])
    cluster.job(4, **asked())
    cluster.step()
    assert sorted(cluster.requests()) == sorted([(f"paddock-{one}", 2), (f"paddock-{two}", 2)])


def test_a_refusal_of_the_scheduler_does_not_end_the_job(cluster: ClusterRig) -> None:
    id = cluster.reserve("n1", start=-60, owner=OWNER)
    cluster.backend.trouble["submit"] = BackendError("Requested node configuration is not available")
    [task] = cluster.job(1, **asked())
    cluster.round()
    cluster.backend.trouble.clear()
    cluster.step(seconds=launch.AGAIN_SECONDS)
    assert (JOB, f"paddock-{id}") in cluster.engine.context.turned_away
    assert cluster.requests() == [(None, 1)]
    assert cluster.task(task).state == "submitted"


def test_what_would_never_start_inside_waits_outside(cluster: ClusterRig) -> None:
    cluster.reserve("n1", start=-60, owner=OWNER)
    cluster.job(1, **asked())
    cluster.step()
    [key] = cluster.keys()
    pending = AllocationStatus(state=AllocationState.PENDING, never=True, reason="PartitionConfig")
    cluster.backend.statuses[f"id-{key}"] = pending
    cluster.step()
    assert cluster.backend.withdrawn == [f"id-{key}"]
    cluster.step(seconds=launch.AGAIN_SECONDS)
    assert cluster.requests()[-1] == (None, 1)


def test_runners_inside_learn_when_its_end_changes(cluster: ClusterRig) -> None:
    id = cluster.reserve("n1", start=-60, owner=OWNER)
    [task] = cluster.job(1, **asked())
    cluster.step()
    [key] = cluster.keys()
    cluster.started(key, task)
    longer = cluster.now() + 3 * HOUR
    cluster.change(id, ends_at=longer, planned_end=longer, enforced="pending")
    cluster.step()
    [order] = cluster.control()
    assert order == {"op": "yield", "allocation": key, "at": longer, "why": entering.WHY}
    soon = cluster.now() + 5  # it is released while the engine, whose clock stands still in a round, looks
    cluster.change(id, ends_at=soon, released_at=soon)
    cluster.step()
    assert [one["at"] for one in cluster.control()] == [longer, None]
    [row] = cluster.rows()
    assert (row.leaves_at, row.state) == (None, AllocationState.RUNNING)


def test_what_waits_inside_leaves_when_it_is_over(cluster: ClusterRig) -> None:
    id = cluster.reserve("n1", start=-60, owner=OWNER)
    first, _ = cluster.job(2, **asked())
    cluster.step()
    running, waiting = cluster.keys()
    cluster.started(running, first)
    cluster.step(seconds=HOUR)
    assert cluster.control() == [], "it ends as it was told"
    assert cluster.backend.withdrawn == [f"id-{waiting}"]
    cluster.backend.end(f"id-{waiting}")
    cluster.backend.end(f"id-{running}", Cause.TIME_LIMIT)
    cluster.step()
    assert cluster.requests()[0] == (f"paddock-{id}", 2)
    assert {entered for entered, _ in cluster.requests()[1:]} == {None}

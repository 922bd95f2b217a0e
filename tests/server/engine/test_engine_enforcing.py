"""What is reserved on a cluster is asked of its scheduler, and its answer is recorded and told."""

from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from paddock.backends.base import Enforcement, WantedReservation
from paddock.errors import BackendUnavailable
from paddock.models import Device, Node, Role, SignInSource
from paddock.paths import Home
from paddock.server.engine import enforcing
from paddock.server.store import devices, groups, notices, team, users
from paddock.server.store.tables import bookings, reservations
from paddock.settings import Settings, SlurmSettings, TeamSettings
from tests.server.engine.engine_rig import Rig, rigged
from tests.support.reservations import add_reservation

HOUR = 3600.0


class ClusterRig(Rig):
    """A cluster of two nodes with two GPUs each."""

    def open(self):  # type: ignore[no-untyped-def]
        gpus = [Device(id=str(n), kind="gpu", name="h200") for n in range(2)]
        nodes = [Node(name=name, backend="fake", cpus=8, slots=2, cpu_slots=8, devices=gpus) for name in ("n1", "n2")]
        self.backend.nodes = lambda: nodes  # type: ignore[method-assign]
        return super().open()

    def devices(self) -> dict[str, str]:
        with self.db.read() as c:
            return {row.name: row.id for row in devices.in_use(c)}

    def reserve(self, *names: str, start: float = HOUR, **given: object) -> str:
        self.step(rounds=1)
        known, now = self.devices(), self.now()
        return add_reservation(self.db, [known[name] for name in names], now + start, now + start + HOUR, **given)  # type: ignore[arg-type]

    def asked(self) -> list[WantedReservation]:
        return list(self.backend.reserved[-1][0])

    def enforced(self, id: str) -> tuple[str, str | None]:
        with self.db.read() as c:
            row = c.execute(sa.select(reservations).where(reservations.c.id == id)).one()
        return row.enforced, row.enforced_why

    def told(self, user: str) -> list[str]:
        with self.db.read() as c:
            return [one.title for one in notices.page(c, user).items]


@pytest.fixture
def cluster(
    home: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[ClusterRig]:
    given = {"reservations": "nodes", "run_as": "server"} | getattr(request, "param", {})
    slurm, run_as = SlurmSettings(reservations=given["reservations"]), TeamSettings(run_as=given["run_as"])
    changed = settings.model_copy(update={"backends": {"fake": slurm}, "owner": "alice", "team": run_as})
    with rigged(ClusterRig, home, changed, monkeypatch) as made:
        yield made


def change(rig: Rig, id: str, live: bool = True, **values: object) -> None:
    with rig.db.write() as c:
        c.execute(sa.update(reservations).where(reservations.c.id == id).values(**values))
        times = {name: value for name, value in values.items() if name in ("starts_at", "ends_at")}
        c.execute(sa.update(bookings).where(bookings.c.reservation == id).values(live=live, **times))


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
    change(cluster, id, live=False, cancelled_at=cluster.now())
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

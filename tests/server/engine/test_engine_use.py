"""How devices and reservations are used is recorded while they are, and what is idle has consequences."""

from collections.abc import Iterator, Sequence

import pytest

from paddock.models import Device, GpuProcess, Node, Notice, Role, SignInSource, Traits
from paddock.paths import Home
from paddock.rules.use import HOUR, HourOfDevice, ReservedSums
from paddock.server.engine.use import GAP_SECONDS
from paddock.server.store import device_use, devices, groups, notices, reservations, team, users
from paddock.settings import Settings, SlurmSettings
from tests.server.engine.engine_rig import Rig, rigged
from tests.support.reservations import add_reservation

GB = 2**30
STEP = 20.0


def process(owner: str | None, **given: object) -> GpuProcess:
    return GpuProcess.model_validate({"pid": 7, "owner": owner, "memory": 4 * GB, **given})


def gpu(number: int, load: float | None, *processes: GpuProcess, memory: int | None = 4 * GB) -> Device:
    about = {"uuid": f"GPU-{number}", "load": load, "memory_used": None if load is None else memory}
    return Device.model_validate(
        {"id": str(number), "kind": "gpu", "name": "H200", "processes": list(processes), **about}
    )


class UseRig(Rig):
    """With bare nodes of scripted GPUs, and accounts."""

    def show(self, *gpus: Device, second: Sequence[Device] = ()) -> None:
        """What the hosts h1 and h2 report from now on."""
        hosts = {"h1": list(gpus), "h2": list(second)}
        nodes = [
            Node(name=name, backend="fake", cpus=8, slots=1, cpu_slots=8, devices=of) for name, of in hosts.items()
        ]
        self.backend.nodes = lambda: nodes  # type: ignore[method-assign]
        self.engine.context.workers["fake"].refresh_nodes()

    def watch(self, seconds: float) -> None:
        """Let this time pass with looks."""
        passed = 0.0
        while passed < seconds:
            self.step(rounds=1, seconds=STEP)
            passed += STEP

    def device(self, name: str) -> str:
        with self.db.read() as c:
            return next(row.id for row in devices.in_use(c) if row.name == name)

    def use(self, reservation: str, name: str) -> ReservedSums:
        with self.db.read() as c:
            return device_use.uses_of(c, [reservation])[reservation, self.device(name)]

    def hours(self, name: str) -> HourOfDevice:
        """What is stored of a device, added up."""
        with self.db.read() as c:
            rows = [one for one in device_use.between(c, 0, 10**7) if one.device == self.device(name)]
        by = {user: sum(one.by.get(user, 0.0) for one in rows) for user in {user for one in rows for user in one.by}}
        held: dict[str, list[float]] = {}
        for owner in {owner for one in rows for owner in one.held}:
            held[owner] = [sum(one.held.get(owner, [0.0, 0.0])[at] for one in rows) for at in (0, 1)]
        return HourOfDevice(rows[0].device, 0, sum(one.busy for one in rows), by, held)

    def notices(self, user: str) -> list[Notice]:
        with self.db.read() as c:
            return notices.page(c, user).items

    def configure(self, **given: object) -> None:
        changed = self.settings.reservations.model_copy(update=given)
        self.engine.context.settings = self.settings.model_copy(update={"reservations": changed})


@pytest.fixture
def rig(home: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[UseRig]:
    with rigged(UseRig, home, settings, monkeypatch) as made:
        made.backend.traits = Traits()
        with made.db.write() as c:
            for name in ("alice", "bob", "carol"):
                users.add(c, name, Role.USER, SignInSource.PASSWORD, 1.0, unix_name=f"u-{name}")
            groups.add(c, "vision", 1.0)
            groups.set_members(c, "vision", ["carol"])
            team.switch(c, True, 1.0)
        made.show(gpu(0, 0.0), gpu(1, 0.0), second=[gpu(0, 0.0)])
        made.step(rounds=1)
        yield made


def test_use_is_recorded_while_a_reservation_runs_and_on_the_second_host(rig: UseRig) -> None:
    now = rig.now()
    mine = add_reservation(rig.db, [rig.device("h1:0"), rig.device("h2:0")], now, now + 7200)
    rig.show(gpu(0, 0.5, process("u-alice")), gpu(1, 0.0), second=[gpu(0, 0.25, process("u-alice"))])
    rig.watch(100)
    first, second = rig.use(mine, "h1:0"), rig.use(mine, "h2:0")
    assert first.seen == pytest.approx(first.busy)
    assert 60 <= first.seen <= 200
    assert first.load_mean == pytest.approx(0.5)
    assert second.load_mean == pytest.approx(0.25)
    assert first.memory_peak == 4 * GB
    assert (first.foreign, first.idle_since) == (0.0, None)
    assert rig.hours("h2:0").by == {"alice": pytest.approx(second.seen, abs=STEP)}
    assert rig.hours("h2:0").held == {"alice": [pytest.approx(second.seen, abs=1), pytest.approx(second.busy, abs=1)]}
    assert rig.hours("h1:1").by == {}


def test_guests_use_it_and_intruders_do_not(rig: UseRig) -> None:
    now = rig.now()
    mine = add_reservation(rig.db, [rig.device("h1:0")], now, now + 7200, guest_groups=["vision"])
    rig.show(gpu(0, 0.9, process("u-bob"), process("root", command="Xorg :0", memory=10)))
    rig.watch(100)
    before = rig.use(mine, "h1:0")
    assert before.busy == 0.0
    assert before.foreign == pytest.approx(before.seen)
    assert rig.hours("h1:0").by == {"bob": pytest.approx(before.seen, abs=STEP)}
    rig.show(gpu(0, 0.9, process("u-carol")))
    rig.watch(100)
    after = rig.use(mine, "h1:0")
    assert after.busy == pytest.approx(after.seen - before.seen)
    assert after.foreign == pytest.approx(before.foreign)


def test_a_process_cannot_claim_the_task_of_somebody_else(rig: UseRig) -> None:
    rig.job(owner="alice")
    claims = process("nobody", task="k3v9x2ab-1")
    rig.show(gpu(0, 0.9, claims))
    rig.watch(60)
    assert set(rig.hours("h1:0").by) == {"unix:nobody"}


def test_what_was_not_watched_is_not_counted(rig: UseRig) -> None:
    now = rig.now()
    mine = add_reservation(rig.db, [rig.device("h1:0")], now, now + 86_400)
    rig.watch(100)
    seen = rig.use(mine, "h1:0")
    assert seen.idle_since is not None
    rig.show(gpu(0, None))  # the host does not answer
    rig.watch(100)
    assert rig.use(mine, "h1:0").seen == pytest.approx(seen.seen)
    rig.step(seconds=3600)  # the server was down
    rig.show(gpu(0, 0.0))
    rig.watch(100)
    after = rig.use(mine, "h1:0")
    assert after.seen - seen.seen < 100 + GAP_SECONDS
    assert after.idle_since is not None
    assert after.idle_since > seen.idle_since + 3600, "it may have been busy in between"


def test_a_new_server_goes_on_adding(rig: UseRig) -> None:
    now = rig.now()
    mine = add_reservation(rig.db, [rig.device("h1:0")], now, now + 86_400)
    rig.show(gpu(0, 0.9, process("u-alice")))
    rig.watch(60)
    before = rig.use(mine, "h1:0")
    rig.reopen()
    rig.watch(60)
    after = rig.use(mine, "h1:0")
    assert after.seen > before.seen
    assert after.first_used_at == before.first_used_at
    assert rig.hours("h1:0").by["alice"] == pytest.approx(after.seen, abs=STEP)


def test_a_card_that_loads_data_is_not_idle(rig: UseRig) -> None:
    now = rig.now()
    mine = add_reservation(rig.db, [rig.device("h1:0")], now, now + 86_400)
    for grown in range(1, 5):
        rig.show(gpu(0, 0.0, process("u-alice"), memory=(4 + grown) * GB))
        rig.watch(STEP)
    assert rig.use(mine, "h1:0").idle_since is None
    rig.watch(60)
    assert rig.use(mine, "h1:0").idle_since is not None


def test_the_owner_of_an_idle_reservation_is_told_once(rig: UseRig) -> None:
    now = rig.now()
    mine = add_reservation(rig.db, [rig.device("h1:0"), rig.device("h1:1")], now, now + 86_400)
    rig.show(gpu(0, 0.9, process("u-alice")), gpu(1, 0.0))
    rig.watch(700)
    assert rig.notices("alice") == [], "one of its GPUs is busy"
    rig.show(gpu(0, 0.01, process("u-alice")), gpu(1, 0.0))
    rig.watch(700)
    [told] = rig.notices("alice")
    assert told.title == "Your reservation of h1:0, h1:1 is idle"
    assert told.link == f"/calendar?reservation={mine}"
    rig.watch(300)
    assert len(rig.notices("alice")) == 1


def test_a_reservation_that_was_never_used_is_released_after_a_warning(rig: UseRig) -> None:
    rig.configure(release_after_minutes=15)
    now = rig.now()
    mine = add_reservation(rig.db, [rig.device("h1:0")], now, now + 86_400)
    used = add_reservation(rig.db, [rig.device("h1:1")], now, now + 86_400, owner="bob")
    rig.show(gpu(0, 0.0), gpu(1, 0.9, process("u-bob")))
    rig.watch(100)
    rig.show(gpu(0, 0.0), gpu(1, 0.0))
    rig.watch(400)
    [warning] = rig.notices("alice")
    assert "not used" in warning.title
    assert "10 minutes" in warning.text
    with rig.db.read() as c:
        assert reservations.get(c, mine).released_at is None
    rig.watch(700)
    with rig.db.read() as c:
        done = reservations.get(c, mine)
        assert reservations.get(c, used).released_at is None, "it was used once"
    assert done.released_at == done.ends_at
    assert done.planned_end > done.ends_at
    assert rig.notices("alice")[0].title == "Your reservation of h1:0 was released"
    assert 900 <= done.ends_at.timestamp() - now < 1300


def test_nothing_is_released_that_could_not_be_watched(rig: UseRig) -> None:
    rig.configure(release_after_minutes=15)
    now = rig.now()
    mine = add_reservation(rig.db, [rig.device("h1:0")], now, now + 86_400)
    rig.show(gpu(0, None))
    rig.watch(1200)
    with rig.db.read() as c:
        assert reservations.get(c, mine).released_at is None
    assert rig.notices("alice") == []


def test_of_a_node_of_a_cluster_the_gpus_count_that_are_used(rig: UseRig) -> None:
    rig.backend.traits = Traits(queued=True)
    cluster = SlurmSettings.model_validate({"kind": "slurm", "reservations": "nodes"})
    rig.engine.context.settings = rig.settings.model_copy(update={"backends": {"fake": cluster}})
    free = Device(id="1", kind="gpu", name="h200")
    rig.show(gpu(0, 0.8, process("u-alice")), free)  # the runner of alice reports the GPU that it has
    rig.watch(100)
    found = rig.hours("h1")
    assert found.by == {"alice": pytest.approx(found.busy)}
    before = found.busy
    rig.show(gpu(0, 0.8, process("u-alice")), free.model_copy(update={"busy": True}))
    rig.watch(100)
    assert rig.hours("h1").busy == before, "nobody reports what is done with the other one"


def test_allocations_that_leave_all_their_gpus_idle_are_known(rig: UseRig) -> None:
    def on(number: int, load: float, *keys: str) -> Device:
        return gpu(number, load).model_copy(update={"used_by": list(keys)})

    rig.show(on(0, 0.0, "a-a1.0"), on(1, 0.9, "b-a1.0"), second=[on(0, 0.0, "a-a1.0")])
    rig.watch(60)
    since = rig.engine._use.idle["a-a1.0"]
    assert set(rig.engine._use.idle) == {"a-a1.0"}
    rig.watch(40)
    assert rig.engine._use.idle == {"a-a1.0": since}
    add_reservation(rig.db, [rig.device("h2:0")], rig.now() - 1, rig.now() + 3600)
    rig.watch(40)
    assert rig.engine._use.idle == {}, "who has reserved a GPU may leave it idle"


def test_hours_are_split_where_they_end(rig: UseRig) -> None:
    to_next = HOUR - rig.now() % HOUR
    rig.step(rounds=1, seconds=to_next - 30)
    rig.show(gpu(0, 0.9, process("u-alice")))
    rig.watch(100)
    with rig.db.read() as c:
        rows = [one for one in device_use.between(c, 0, 10**7) if one.device == rig.device("h1:0")]
    busy = [one.busy for one in sorted(rows, key=lambda one: one.hour)][-2:]
    assert len(busy) == 2
    assert all(part > 0 for part in busy)

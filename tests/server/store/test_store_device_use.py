"""How devices and reservations were used, as it is stored."""

from paddock.rules.use import HourOfDevice, HourSums, ReservedSums
from paddock.server.store import device_use, reservations
from paddock.server.store.db import Database
from tests.support.reservations import add_devices, add_reservation


def test_sums_are_stored_as_they_are_now(db: Database) -> None:
    first, second = add_devices(db, gpus=2)
    id = add_reservation(db, [first, second], 100.0, 4000.0)
    hours = {(first, 1): HourSums(10.0, 5.0, 2.5, 0.5, 7.0, 1.5, {"alice": 5.0}, {"alice": [10.0, 5.0]})}
    uses = {(id, first): ReservedSums(10.0, 5.0, 2.5, 0.5, foreign=1.0, seen_at=20.0)}
    with db.write() as c:
        device_use.store_hours(c, hours)
        device_use.store_uses(c, uses)
    hours |= {
        (first, 1): HourSums(20.0, 5.0, by={"alice": 5.0}),
        (second, 30): HourSums(10.0, load_sum=5.0, load_peak=0.9),
    }
    uses |= {(id, first): ReservedSums(20.0, 5.0, idle_since=11.0), (id, second): ReservedSums()}
    with db.write() as c:
        device_use.store_hours(c, hours)
        device_use.store_uses(c, uses)
    with db.read() as c:
        assert device_use.hours_of(c, {(first, 1), (second, 1)}) == {(first, 1): hours[first, 1]}
        assert device_use.uses_of(c, [id, "nobody"]) == uses
        assert list(device_use.between(c, 1, 1)) == [HourOfDevice(first, 1, 5.0, {"alice": 5.0}, {})]
        nothing: list[float | None] = [None] * 24
        loads = sorted(device_use.loads_between(c, 1, 30), key=lambda one: one[1])
        assert loads[0] == (first, 0, nothing), "without a measured load there is no mean"
        assert loads[1] == (second, 24, [*nothing[:6], 0.5, *nothing[7:]])
    with db.write() as c:
        device_use.forget_hours(c, 30)
        assert [one.hour for one in device_use.between(c, 0, 99)] == [30]


def test_parts_are_of_what_was_not_cancelled(db: Database) -> None:
    one, other = add_devices(db, gpus=2)
    mine = add_reservation(db, [one, other], 100.0, 200.0)
    add_reservation(db, [one], 300.0, 400.0, owner="bob")
    add_reservation(db, [one], 500.0, 600.0, cancelled_at=450.0)
    with db.read() as c:
        found = device_use.parts(c, 0.0, 1000.0, owner="alice")
        assert {(part.reservation, part.device) for part in found} == {(mine, one), (mine, other)}
        assert device_use.parts(c, 200.0, 1000.0, owner="alice") == []
        assert device_use.parts(c, float("-inf"), float("inf"), reservation=mine) == found


def test_something_is_claimed_once_and_only_while_it_goes_on(db: Database) -> None:
    [one] = add_devices(db, gpus=1)
    id = add_reservation(db, [one], 100.0, 200.0, told={"start": 100.0})
    with db.write() as c:
        assert device_use.claim(c, id, "idle", 150.0)
        assert not device_use.claim(c, id, "idle", 160.0)
        assert not device_use.claim(c, id, "unused", 200.0)
        [found] = [kept for kept in reservations.unfinished(c) if kept.id == id]
        assert found.told == {"start": 100.0, "idle": 150.0}

"""Reserving: what is refused and why, series, for others, changes, cancelling, releasing."""

from datetime import timedelta

import pytest

from paddock.errors import Conflict, InvalidInput, NotAllowed
from paddock.models import BookingResult, Reservation
from paddock.server.booking import making
from paddock.server.store import notices, reservations
from paddock.server.store.db import Database
from paddock.settings import Settings
from tests.server.booking.office import DAY, HOUR, Office, at
from tests.server.store.given import add_job


def kinds(result: BookingResult) -> list[str]:
    assert not result.reservations
    return [one.kind for one in result.problems]


def test_gpu_0_can_be_reserved_and_who_has_it_is_told(office: Office) -> None:
    made = office.made("alice", HOUR, 2.0, title="paper")
    assert (made.owner, made.by, made.devices, made.title) == ("alice", "alice", office.gpus[:1], "paper")
    refused = office.reserve("bob", 2 * HOUR, 4.0)
    [problem] = refused.problems
    assert (problem.kind, problem.owner, problem.reservation) == ("taken", "alice", made.id)
    assert problem.message == "gpu1:0 is reserved by alice from Wed 18 Nov 13:00 until 15:00 UTC."
    first = refused.free[0]
    assert (first.devices, first.starts_at) == ([office.gpus[1]], at(2 * HOUR))  # the other GPU of the same host
    assert office.made("bob", 3 * HOUR, 1.0).starts_at == made.ends_at  # end to end
    assert office.audited() == ["reservation.add", "reservation.add"]


def test_times_have_limits(office: Office) -> None:
    assert kinds(office.reserve(since=-120, hours=5)) == ["past"]
    assert office.made(since=-30, hours=0.1)  # from now on: as it arrived a little late
    assert kinds(office.reserve(since=HOUR, hours=0.4)) == ["length"]
    assert kinds(office.reserve(since=HOUR, hours=193)) == ["length"]
    assert kinds(office.reserve(since=61 * DAY)) == ["ahead"]
    for wrong in ({}, {"ends_at": at(0)}, {"ends_at": at(HOUR), "seconds": 60}, {"seconds": 3600, "gpus": 1}):
        with pytest.raises(InvalidInput):
            _raw(office, **wrong)
    with pytest.raises(InvalidInput, match="no device 'nothere'"):
        office.reserve(devices=["nothere"])


def _raw(office: Office, **given: object) -> object:
    from paddock.models import ReservationRequest

    what = ReservationRequest.model_validate({"devices": office.gpus[:1], "starts_at": at(0), **given})
    with office.db.write() as c:
        return making.make(c, office.settings, office.caller("alice"), what, office.now)


def test_any_devices_of_one_host_that_fit(office: Office) -> None:
    office.made("bob", None, 2.0)
    made = office.made("alice", None, 1.0, gpus=2, model="h200")
    assert made.devices == sorted(office.gpus[2:])
    refused = office.reserve("carol", None, 1.0, gpus=2)
    assert kinds(refused) == ["taken"]
    assert refused.free[0].host == "gpu2" and refused.free[0].starts_at == at(HOUR)
    with pytest.raises(InvalidInput, match="not so many GPUs"):
        office.reserve("carol", None, 1.0, gpus=2, model="A100")


def test_rules_and_quotas_are_the_owners_also_when_an_admin_reserves(office: Office) -> None:
    office.rule("deny", who={"accounts": ["bob"]}, acts=["reserve"])
    office.quota("account", subject="carol", longest_hours=1)
    assert kinds(office.reserve("bob")) == ["rule"]
    refused = office.reserve("ann", owner="bob", devices=office.gpus[:2])
    [problem] = refused.problems
    assert problem.message.startswith("gpu1:0, gpu1:1: The rule 'r' forbids it from Wed 18 Nov 12:00 until 13:00")
    assert refused.free == []  # nothing is free for bob
    assert kinds(office.reserve("ann", hours=2, owner="carol")) == ["quota"]
    assert office.made("ann", hours=2).owner == "ann"  # admins are not bound
    with pytest.raises(NotAllowed):
        office.reserve("bob", owner="alice")
    for nobody in ("gina", "nemo"):
        with pytest.raises(InvalidInput, match="no active account"):
            office.reserve("ann", owner=nobody)


def test_a_series_is_reserved_completely_or_says_what_is_left_out(office: Office) -> None:
    office.made("bob", 7 * DAY + HOUR, 1.0)
    until = at(20 * DAY)
    refused = office.reserve("alice", HOUR, 2.0, repeat_until=until)
    assert kinds(refused) == ["taken"] and refused.problems[0].owner == "bob"
    with office.db.read() as c:
        assert len(reservations.listed(c, 0, 1e12).items) == 1  # nothing of it
    some = office.reserve("alice", HOUR, 2.0, repeat_until=until, skip_conflicts=True)
    assert [one.starts_at for one in some.reservations] == [at(HOUR), at(14 * DAY + HOUR)]
    assert len({one.series for one in some.reservations}) == 1 and some.reservations[0].series
    assert [one.kind for one in some.problems] == ["taken"]
    office.quota(gpu_hours_week=100, open_reservations=4)
    over = office.reserve("alice", 5 * HOUR, 1.0, repeat_until=until)  # 2 and 3 more
    assert kinds(over) == ["quota"] and over.problems[0].starts_at == at(14 * DAY + 5 * HOUR)
    for hours, last in ((1.0, at(200 * DAY)), (170.0, until)):
        with pytest.raises(InvalidInput):
            office.reserve("alice", HOUR, hours, devices=office.gpus[1:2], repeat_until=last)
    gone = office.cancel("alice", some.reservations[0], series=True)
    assert [one.id for one in gone] == [one.id for one in some.reservations]


def test_only_what_has_not_been_can_be_changed(office: Office) -> None:
    made = office.made("alice", HOUR, 2.0)
    moved = office.change("alice", made, starts_at=at(2 * HOUR), ends_at=at(4 * HOUR), devices=office.gpus[1:3])
    assert isinstance(moved, Reservation)
    assert (moved.starts_at, moved.version) == (at(2 * HOUR), made.version + 1)
    assert moved.devices == sorted(office.gpus[1:3])
    with pytest.raises(Conflict, match="changed in the meantime"):
        office.change("alice", made, title="stale")
    with pytest.raises(NotAllowed):
        office.change("bob", moved, title="mine now")
    office.now += 3 * HOUR  # it has begun
    for wrong in ({"starts_at": at(2.5 * HOUR)}, {"devices": office.gpus[:1]}, {"ends_at": at(2.5 * HOUR)}):
        with pytest.raises(Conflict, match="has begun"):
            office.change("alice", moved, **wrong)
    other = office.made("bob", 5 * HOUR, 1.0, devices=office.gpus[1:2])
    refused = office.change("alice", moved, ends_at=at(5.5 * HOUR))
    assert isinstance(refused, BookingResult) and refused.problems[0].reservation == other.id
    longer = office.change("ann", moved, ends_at=at(5 * HOUR), title="longer", guests=["bob"], guest_groups=["vision"])
    assert isinstance(longer, Reservation) and longer.ends_at == at(5 * HOUR) and longer.planned_end == at(5 * HOUR)
    with office.db.read() as c:
        assert [one.title for one in notices.page(c, "alice").items] == ["ann changed your reservation"]
    office.now += 3 * HOUR
    with pytest.raises(Conflict, match="has ended"):
        office.change("ann", longer, title="x")
    with pytest.raises(Conflict, match="has ended"):
        office.release("ann", longer)
    with pytest.raises(Conflict, match="has ended"):
        office.cancel("ann", longer)


def test_editing_does_not_revive_a_cancelled_one(office: Office) -> None:
    made = office.made("alice", HOUR, 2.0)
    office.cancel("alice", made, why="not needed")
    cancelled = office.get(made.id)
    assert (cancelled.cancelled_by, cancelled.cancelled_why) == ("alice", "not needed")
    again = office.made("bob", HOUR, 2.0)
    with pytest.raises(Conflict, match="is cancelled"):
        office.change("alice", cancelled, ends_at=at(4 * HOUR))
    with pytest.raises(Conflict, match="is cancelled"):
        office.cancel("alice", cancelled)
    assert again.devices == made.devices


def test_released_time_is_free_and_given_back_to_the_quota(office: Office) -> None:
    office.quota(gpu_hours_week=4)
    made = office.made("alice", None, 4.0)
    assert kinds(office.reserve("alice", 5 * HOUR)) == ["quota"]
    with pytest.raises(Conflict, match="has begun: release it"):
        office.cancel("alice", made)
    with pytest.raises(NotAllowed):
        office.release("bob", made)
    office.now += HOUR
    released = office.release("ann", made)
    assert (released.ends_at, released.planned_end) == (at(HOUR), made.planned_end)
    assert office.made("bob", HOUR, 1.0).devices == made.devices
    assert office.made("alice", 5 * HOUR, 3.0)
    later = office.made("ann", 9 * HOUR)
    with pytest.raises(Conflict, match="has not begun: cancel it"):
        office.release("ann", later)


def test_guests_are_accounts_and_groups(office: Office) -> None:
    made = office.made("alice", None, guests=["bob"], guest_groups=["vision"])
    with office.db.read() as c:
        [booked] = reservations.live(c, office.now, office.now + 1)
        assert [booked.is_for(name, groups) for name, groups in (("bob", ()), ("carol", {"vision"}), ("eve", ()))] == [
            True,
            True,
            False,
        ]
        mine = reservations.listed(c, office.now, office.now + 1, mine=("carol", {"vision"}))
        assert [one.id for one in mine.items] == [made.id]
    with pytest.raises(InvalidInput, match="no account 'nemo'"):
        office.reserve("alice", DAY, guests=["nemo"])
    with pytest.raises(InvalidInput, match="no group 'nobody'"):
        office.reserve("alice", DAY, guest_groups=["nobody"])


def test_maintenance_is_for_admins_and_blocks(office: Office) -> None:
    with pytest.raises(NotAllowed):
        office.reserve("alice", HOUR, kind="maintenance")
    made = office.made("ann", HOUR, 300.0, kind="maintenance", devices=office.gpus)
    assert made.owner is None
    [problem] = office.reserve("alice", 2 * HOUR).problems
    assert problem.message.startswith("gpu1:0 is in maintenance from")
    with pytest.raises(NotAllowed):
        office.cancel("alice", made)


def test_the_first_free_slot_is_one_that_may_be_reserved(office: Office) -> None:
    office.rule("deny", who={"accounts": ["bob"]}, what={"hosts": ["gpu1"]})
    office.made("alice", None, 3.0, devices=office.gpus[2:])
    assert [one.host for one in office.first("bob", 2, 1.0)] == ["gpu2"]
    assert office.first("bob", 2, 1.0)[0].starts_at == at(3 * HOUR)
    assert office.first("carol", 2, 1.0)[0].host == "gpu1"
    office.quota("account", subject="bob", ahead_days=0.1)
    assert office.first("bob", 2, 1.0) == []


def test_alone_everything_belongs_to_the_owner_of_the_server(db: Database, settings: Settings) -> None:
    office = Office(db, settings, on=False)
    made = office.made("anybody", None, gpus=1)
    assert made.owner == settings.owner
    with pytest.raises(InvalidInput, match="Accounts are not in use"):
        office.reserve("anybody", DAY, guests=["bob"])
    assert office.change("anybody", made, ends_at=made.ends_at + timedelta(hours=1))
    assert office.audited() == []


def test_the_servers_token_reserves_only_for_somebody(office: Office) -> None:
    with pytest.raises(InvalidInput, match="for which account"):
        office.reserve("server")
    assert office.made("server", owner="bob").owner == "bob"


def test_work_that_runs_has_its_notice(office: Office) -> None:
    _runs(office, "bob", "gpu1", ["0"])
    [problem] = office.reserve("alice", None).problems
    assert (problem.kind, problem.owner) == ("notice", "bob")
    assert "Work of bob runs on gpu1:0, and has 15 min to end" in problem.message
    assert office.made("alice", None, gpus=1, host="gpu1").devices == office.gpus[1:2]  # the one that is idle
    assert office.first("alice", 1, 1.0, host="gpu1")[0].starts_at == at(15 * 60)
    assert office.made("alice", 15 * 60).devices == office.gpus[:1]
    assert office.made("bob", None, 0.25)  # one's own work needs no notice


def _runs(office: Office, owner: str, node: str, devices: list[str]) -> None:
    """An allocation of a job of somebody that runs on a node."""
    from paddock.models import AllocationBatch, AllocationState, Resources
    from paddock.models.allocations import Place
    from paddock.server.store.tables import allocations, batches

    add_job(office.db, owner=owner)
    batch = AllocationBatch(
        key="k3v9x2ab-a1",
        name="x",
        folder="/x",
        runner=["x"],
        resources=Resources(gpus=1),
        places=[Place(node=node, devices=devices)],
    )
    with office.db.write() as c:
        made = {"key": batch.key, "job_id": "k3v9x2ab", "backend": "lab", "created_at": office.now}
        c.execute(batches.insert().values(**made, spec=batch.model_dump(mode="json")))
        key = {"key": f"{batch.key}.0", "batch": batch.key, "state": AllocationState.RUNNING, "offsets": []}
        c.execute(allocations.insert().values(**made | key))

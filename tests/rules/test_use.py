"""What a look at a device finds, what is summed up of it, and what reports say."""

from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.models import Device, GpuProcess
from paddock.rules.booking import Booked
from paddock.rules.use import (
    HOUR,
    UNKNOWN,
    DeviceLook,
    GpuLook,
    HourOfDevice,
    HourSums,
    KnownDevice,
    Question,
    Report,
    ReservedSums,
    hours_between,
    look,
    owners_by_hour,
    week_of,
)

LOW = 0.05
UTC = ZoneInfo("UTC")


def gpu(load: float | None = None, memory: int | None = None, processes: int = 0) -> Device:
    listed = [GpuProcess(pid=number + 1) for number in range(processes)]
    return Device(id="0", kind="gpu", load=load, memory_used=memory, processes=listed)


def at(active: bool, *users: str, load: float | None = 0.5, memory: int | None = 10) -> GpuLook:
    return GpuLook(active, frozenset(users) or frozenset([UNKNOWN]), load, memory)


def booked(device: str, owner: str | None, since: float, until: float) -> Booked:
    kind = "reservation" if owner else "maintenance"
    return Booked("r1", kind, device, owner, (), (), since * HOUR, until * HOUR, None, 1)


@pytest.mark.parametrize(
    ("device", "grew", "active"),
    [
        (gpu(0.0, 10), False, False),
        (gpu(0.04, 10, 1), False, False),  # a process that only holds memory does not use it
        (gpu(0.05, 10), False, True),
        (gpu(0.0, 10, 1), True, True),  # it loads its data
        (gpu(None, 10, 1), False, True),  # an instance of a GPU has no load
        (gpu(None, 10), False, False),
    ],
)
def test_what_is_active(device: Device, grew: bool, active: bool) -> None:
    found = look(device, ["alice"], LOW, grew=grew)
    assert found is not None
    assert found.active is active


def test_without_data_nothing_is_known() -> None:
    assert look(gpu(), ["alice"], LOW) is None, "its host is silent, and what runs there may do anything"
    assert ReservedSums().load_mean is None
    assert ReservedSums().memory_mean is None


def test_people_on_one_gpu_share_it() -> None:
    found = DeviceLook((at(True, "alice", "bob"), at(True, "alice"), at(False, "carol"), at(True)))
    assert found.by == {"alice": 0.375, "bob": 0.125, UNKNOWN: 0.25}
    assert found.busy == 0.75
    assert found.busy_by(lambda user: user == "bob") == 0.5, "one with bob, and one of which nobody knows"
    assert found.has_others(lambda user: user in ("alice", "bob"))
    assert not found.has_others(lambda user: True)


def test_means_are_not_whole_numbers_and_peaks_are_kept() -> None:
    use = ReservedSums()
    use.note(0.0, 10.0, DeviceLook((at(True, "alice", load=0.333, memory=1),)), lambda _: True)
    use.note(10.0, 15.0, DeviceLook((at(False, load=0.0, memory=2),)), lambda _: True)
    assert use.load_mean == pytest.approx(0.222)
    assert use.memory_mean == pytest.approx(4 / 3)
    assert (use.load_peak, use.memory_peak, use.busy, use.seen) == (0.333, 2, 10.0, 15.0)
    assert (use.first_used_at, use.last_used_at, use.idle_since) == (10.0, 10.0, 10.0)


def test_idle_is_judged_on_the_last_stretch() -> None:
    """A reservation that was busy for a day and is idle now is idle; the mean of its life does not show it."""
    use = ReservedSums()
    busy, idle = DeviceLook((at(True, load=0.9),)), DeviceLook((at(False, load=0.0),))
    use.note(0.0, 86_400.0, busy, lambda _: True)
    use.note(86_400.0, 86_700.0, idle, lambda _: True)
    use.note(86_700.0, 87_000.0, idle, lambda _: True)
    assert use.idle_since == 86_400.0
    assert (use.load_mean or 0) > 0.8
    use.note(87_000.0, 87_005.0, busy, lambda _: True)
    assert use.idle_since is None


def test_what_intruders_use_is_not_the_owners_use() -> None:
    use = ReservedSums()
    use.note(0.0, 10.0, DeviceLook((at(True, "mallory"),)), lambda user: user == "alice")
    assert (use.busy, use.foreign, use.first_used_at, use.idle_since) == (0.0, 10.0, None, 0.0)


@given(st.floats(0, 1e6), st.floats(0, 1e5))
def test_hours_add_up(since: float, seconds: float) -> None:
    found = dict(hours_between(since, since + seconds))
    assert sum(found.values()) == pytest.approx(seconds)
    assert all(0 < part <= HOUR for part in found.values())


def test_an_hour_knows_who_used_and_who_held_it() -> None:
    sums = HourSums()
    sums.credit(10.0, DeviceLook((at(True, "alice"), at(False))))
    sums.credit(10.0, DeviceLook((at(True, "bob"), at(True, "bob"))))
    sums.hold("alice", 10.0, 0.5)
    sums.hold("alice", 10.0, 0.0)
    assert (sums.by, sums.held) == ({"alice": 5.0, "bob": 10.0}, {"alice": [20.0, 5.0]})


# --- reports ----------------------------------------------------------------------------------------------------------

KNOWN = {"d1": KnownDevice("gpu1:0", 1), "n1": KnownDevice("node1", 4)}
MONDAY = 2000 * 168 + 96  # in hours since 1970, which began on a Thursday


def report(by: str, only: str | None = None, zone: ZoneInfo = UTC) -> dict[str, tuple[float, float, float]]:
    question = Question(by, (MONDAY - 2) * HOUR, (MONDAY + 200) * HOUR, zone, only)  # type: ignore[arg-type]
    made = Report(question, KNOWN, {"alice": ["vision", "llm"], "bob": []})
    made.add_hour(HourOfDevice("d1", MONDAY, 1800.0, {"alice": 1800.0}, {"alice": [3600.0, 900.0]}))
    made.add_hour(HourOfDevice("n1", MONDAY + 168, 3600.0, {"bob": 3600.0, "unix:eve": 1800.0}, {}))
    made.add_booking(booked("d1", "alice", MONDAY - 4, MONDAY + 2))
    made.add_booking(booked("n1", "bob", MONDAY + 168, MONDAY + 169))
    made.add_booking(booked("n1", None, MONDAY + 170, MONDAY + 171))
    return {row.name: (row.reserved, row.used, row.idle) for row in made.rows()}


def test_gpu_hours_by_account_device_group_and_week() -> None:
    assert report("account") == {
        "alice": (4.0, 0.5, 0.75),
        "bob": (4.0, 4.0, 0.0),
        "eve (no account)": (0.0, 2.0, 0.0),
    }
    assert report("device") == {"gpu1:0": (4.0, 0.5, 0.75), "node1": (4.0, 6.0, 0.0)}
    assert report("group") == {
        "vision": (4.0, 0.5, 0.75),
        "llm": (4.0, 0.5, 0.75),
        "no group": (4.0, 6.0, 0.0),
    }
    weeks = report("week")
    assert list(weeks.values()) == [(2.0, 0.0, 0.0), (2.0, 0.5, 0.75), (4.0, 6.0, 0.0)]
    assert list(weeks) == sorted(weeks)


def test_weeks_begin_on_monday_in_the_zone_of_the_team() -> None:
    assert week_of(MONDAY * HOUR, UTC) != week_of(MONDAY * HOUR - 1, UTC)
    assert week_of(MONDAY * HOUR, ZoneInfo("America/New_York")) == week_of(MONDAY * HOUR - 1, UTC)
    assert next(iter(report("week", zone=ZoneInfo("Asia/Tokyo")).values())) == (4.0, 0.5, 0.75)


def test_people_see_only_their_own() -> None:
    assert report("account", "bob") == {"bob": (4.0, 4.0, 0.0)}
    assert report("device", "bob") == {"node1": (4.0, 4.0, 0.0)}
    assert report("account", "nobody") == {}


def test_efficiency_is_of_what_was_measured() -> None:
    question = Question("account", 0.0, 10 * HOUR, UTC)
    made = Report(question, KNOWN, {})
    made.add_hour(HourOfDevice("d1", 1, 900.0, {"alice": 900.0}, {"alice": [3600.0, 900.0]}))
    made.add_booking(booked("d1", "alice", 1, 3))
    made.add_booking(booked("d1", "bob", 4, 5))
    rows = {row.name: row for row in made.rows()}
    assert rows["alice"].efficiency == 0.25
    assert rows["bob"].efficiency is None, "nobody looked: that is no zero"


def test_the_owner_of_most_of_an_hour() -> None:
    spans = [booked("d1", "alice", 9.5, 11.25), booked("d1", "bob", 11.25, 12.5), booked("d1", None, 13, 14)]
    assert owners_by_hour(spans, 9, 5) == ["alice", "alice", "bob", "bob", ""]
    assert owners_by_hour(spans, 14, 2) == [None, None]
    assert owners_by_hour(spans, 10, 1) == ["alice"]
    assert owners_by_hour([booked("d1", "bob", 1.25, 1.5), booked("d1", "alice", 1.5, 2)], 0, 3) == [
        None,
        "alice",
        None,
    ]


@given(st.lists(st.floats(0, 50), min_size=2, max_size=12, unique=True), st.integers(0, 20), st.integers(1, 30))
def test_owners_are_those_of_most_of_each_hour(times: list[float], first: int, hours: int) -> None:
    edges = sorted(times)
    spans = [booked("d1", f"p{at}", since, until) for at, (since, until) in enumerate(pairwise(edges))]
    for at, owner in enumerate(owners_by_hour(spans, first, hours)):
        parts = {
            one.owner: min(one.ends_at / HOUR, first + at + 1) - max(one.starts_at / HOUR, first + at) for one in spans
        }
        largest = max(parts.values())
        assert (largest <= 1e-9) if owner is None else parts[owner] == pytest.approx(largest, abs=1e-9)

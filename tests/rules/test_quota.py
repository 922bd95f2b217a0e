"""Quotas: which limits bind somebody, what a reservation would exceed, and what is left."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from paddock.models.access import Quota
from paddock.rules.access import AccessPerson
from paddock.rules.quota import HOUR, Held, breaches, left, strictest, week_of

ALICE = AccessPerson("alice", frozenset({"students"}))
WARSAW = "Europe/Warsaw"


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(WARSAW)).timestamp()


NOW = at("2026-11-11 12:00")  # a Wednesday


def quota(kind: str = "account", subject: str = "alice", **limits: Any) -> Quota:
    return Quota.model_validate({"id": f"{kind}-{subject}", "kind": kind, "subject": subject, **limits})


def held(start: str, hours: float, gpus: int = 1, id: str = "old", owner: str = "alice") -> Held:
    return Held(id, owner, gpus, at(start), at(start) + hours * HOUR)


def broken(new: Held, *quotas: Quota, there: tuple[Held, ...] = ()) -> list[str]:
    return breaches(there, new, strictest(quotas, ALICE), NOW, WARSAW)


def test_the_strictest_of_those_that_apply_counts() -> None:
    quotas = [
        quota(gpu_hours_week=50, longest_hours=10),
        quota("group", "students", gpu_hours_week=40),
        quota("group", "staff", gpu_hours_week=1),
        quota("everyone", "", gpu_hours_week=60, longest_hours=5, ahead_days=7),
        quota(subject="bob", longest_hours=0),
    ]
    found = {one.field: (one.value, one.quota.id) for one in strictest(quotas, ALICE)}
    assert found == {
        "gpu_hours_week": (40, "group-students"),
        "longest_hours": (5, "everyone-"),
        "ahead_days": (7, "everyone-"),
    }
    assert strictest(quotas, AccessPerson("alice", admin=True)) == []


def test_gpu_hours_are_counted_in_each_week_by_itself() -> None:
    week = quota(gpu_hours_week=10)
    over_sunday = held("2026-11-15 20:00", 12, id="new")  # four hours in this week, eight in the next
    assert broken(over_sunday, week) == []
    assert broken(over_sunday, week, there=(held("2026-11-12 00:00", 6),)) == []
    (text,) = broken(over_sunday, week, there=(held("2026-11-17 00:00", 1.5, gpus=2),))
    assert text == (
        "10 GPU-hours may be reserved in a week: in that of 2026-11-16 3 are, and this takes 8 (your quota)."
    )
    assert broken(over_sunday, week, there=(held("2026-11-17 00:00", 9, owner="bob"),)) == []


def test_a_week_with_25_more_hours_of_sunday() -> None:
    monday, end = week_of(at("2026-10-25 12:00"), WARSAW)
    assert (monday, end) == (at("2026-10-19 00:00"), at("2026-10-26 00:00"))
    assert end - monday == 169 * HOUR


def test_gpus_at_once_are_those_of_the_fullest_moment() -> None:
    two = quota("everyone", "", devices_at_once=2)
    one_after_the_other = (held("2026-11-12 08:00", 2), held("2026-11-12 10:00", 2, id="next"))
    assert broken(held("2026-11-12 08:00", 4, id="new"), two, there=one_after_the_other) == []
    both = (*one_after_the_other, held("2026-11-12 09:00", 2, id="more"))
    (text,) = broken(held("2026-11-12 08:00", 4, id="new"), two, there=both)
    assert text == "2 GPUs may be reserved at once: 2 are, and this takes 1 (the quota of everyone)."


def test_a_changed_reservation_does_not_count_twice() -> None:
    strict = quota(devices_at_once=1, open_reservations=1, gpu_hours_week=4)
    assert broken(held("2026-11-12 09:00", 4), strict, there=(held("2026-11-12 08:00", 4),)) == []


def test_what_begins_soon_does_not_count_for_gpus_at_once() -> None:
    near = quota(devices_at_once=1, near_hours=24)
    soon, later = held("2026-11-11 20:00", 48, gpus=8, id="new"), held("2026-11-13 00:00", 4, id="new")
    assert broken(soon, near) == []
    assert broken(later, near, there=(held("2026-11-11 20:00", 48, gpus=8),)) == []
    assert broken(later, near, there=(held("2026-11-13 00:00", 4),))
    # A second, higher limit still counts what is near.
    assert broken(soon, near, quota("everyone", "", devices_at_once=4))


def test_limits_of_one_reservation() -> None:
    one = quota(open_reservations=2, longest_hours=8, ahead_days=7)
    assert broken(held("2026-11-12 00:00", 8, id="new"), one) == []
    assert "8 h long, and this is 8.5 h" in broken(held("2026-11-12 00:00", 8.5, id="new"), one)[0]
    assert "7 days ahead" in broken(held("2026-11-18 12:01", 1, id="new"), one)[0]
    ended = held("2026-11-11 01:00", 2, id="ended")
    there = (held("2026-11-12 08:00", 1), ended)
    assert broken(held("2026-11-13 00:00", 1, id="new"), one, there=there) == []
    there = (held("2026-11-12 08:00", 1), held("2026-11-11 11:00", 2, id="now"))
    assert (
        "2 reservations may be open at once, and 2 are"
        in broken(held("2026-11-13 00:00", 1, id="x"), one, there=there)[0]
    )


def test_zero_is_a_limit() -> None:
    assert broken(held("2026-11-12 00:00", 1, id="new"), quota(devices_at_once=0))
    assert len(broken(held("2026-11-12 00:00", 1, id="new"), quota(gpu_hours_week=0, open_reservations=0))) == 2


def test_what_is_left() -> None:
    limits = strictest([quota(gpu_hours_week=10, devices_at_once=4, open_reservations=2, longest_hours=8)], ALICE)
    mine = [held("2026-11-11 11:00", 2, gpus=2), held("2026-11-17 11:00", 3, id="next")]
    found = {one.field: (one.used, one.left) for one in left(mine, limits, NOW, WARSAW)}
    assert found == {
        "gpu_hours_week": (4, 6),
        "devices_at_once": (2, 2),
        "open_reservations": (2, 0),
        "longest_hours": (None, 8),
    }
    found = {one.field: (one.used, one.left) for one in left(mine, limits, NOW, WARSAW, at("2026-11-17 12:00"))}
    assert (found["gpu_hours_week"], found["devices_at_once"]) == ((3, 7), (1, 3))


some = st.builds(
    Held,
    st.uuids().map(str),
    st.just("alice"),
    st.integers(1, 8),
    st.integers(0, 400).map(lambda n: NOW + n * 900.0),
    st.just(0.0),
).flatmap(
    lambda one: st.integers(1, 96).map(
        lambda n: Held(one.reservation, "alice", one.devices, one.starts_at, one.starts_at + n * 900.0)
    )
)


@given(st.lists(some, max_size=8), some, st.integers(0, 20), st.integers(0, 200))
def test_limits_are_kept_at_every_quarter_of_an_hour(there: list[Held], new: Held, most: int, week_hours: int) -> None:
    limits = strictest([quota(devices_at_once=most, gpu_hours_week=week_hours)], ALICE)
    found = breaches(there, new, limits, NOW, WARSAW)
    looks = range(int(new.starts_at), int(new.ends_at), 900)
    fullest = max(sum(one.devices for one in [*there, new] if one.starts_at <= at < one.ends_at) for at in looks)
    assert any("at once" in text for text in found) == (fullest > most)
    weeks: dict[tuple[float, float], float] = {}
    for one in [*there, new]:
        for moment in range(int(one.starts_at), int(one.ends_at), 900):
            week = week_of(moment, WARSAW)
            weeks[week] = weeks.get(week, 0) + one.devices / 4
    over = [week for week in {week_of(at, WARSAW) for at in looks} if weeks[week] > week_hours]
    assert any("in a week" in text for text in found) == bool(over)

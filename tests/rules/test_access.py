"""Access rules: when somebody may use a device, compared with a look at the clock every quarter of an hour."""

from datetime import UTC, datetime
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.models.access import AccessRule, AccessWindow
from paddock.rules.access import AccessPerson, AccessTarget, Interval, hours, in_words, judge

QUARTER = 900
DAY = 86_400
# Half an hour of summer time, offsets of quarters, jumps at midnight, winter time that is counted as an exception.
ZONES = (
    "UTC",
    "Europe/Warsaw",
    "America/New_York",
    "America/Santiago",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "Pacific/Chatham",
)
ALICE = AccessPerson("alice", frozenset({"students"}))
GPU = AccessTarget("dev0", "lab", "gpu1", frozenset({"short"}))


def rule(effect: str = "allow", **values: Any) -> AccessRule:
    return AccessRule.model_validate({"id": "r1", "name": "one", "effect": effect, **values})


def window(days: str, since: str = "00:00", until: str = "00:00") -> dict[str, Any]:
    return {"days": [int(day) for day in days], "since": since, "until": until}


def at(text: str, zone: str = "UTC") -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp()


def allowed(rules: list[AccessRule], start: str, end: str | None = None, zone: str = "UTC") -> bool:
    within = at(start, zone), at(end or start, zone)
    return judge(rules, ALICE, GPU, "reserve", within, default=False).allowed


def changes(zone: str, year: int) -> list[float]:
    """Return when the clocks of a zone are set in a year."""
    info, found = ZoneInfo(zone), []
    start = int(datetime(year, 1, 1, tzinfo=UTC).timestamp())
    for moment in range(start, start + 365 * DAY, QUARTER):
        if datetime.fromtimestamp(moment, info).utcoffset() != datetime.fromtimestamp(moment - 1, info).utcoffset():
            found.append(float(moment))
    return found


CHANGES = [(zone, moment) for zone in ZONES for moment in changes(zone, 2026)]


def on_the_clock(window: AccessWindow, moment: float, zone: str) -> bool:
    """Look at the clock: is this in the window?"""
    wall = datetime.fromtimestamp(moment, ZoneInfo(zone))
    clock, today, yesterday = f"{wall:%H:%M}", wall.weekday(), (wall.weekday() - 1) % 7
    if window.since < window.until:
        return today in window.days and window.since <= clock < window.until
    return (today in window.days and clock >= window.since) or (yesterday in window.days and clock < window.until)


def comes_twice(moment: float, zone: str) -> bool:
    wall = datetime.fromtimestamp(moment, ZoneInfo(zone))
    return wall.replace(fold=0).timestamp() != wall.replace(fold=1).timestamp()


def inside(intervals: list[Interval], moment: float) -> bool:
    return any(start <= moment < end for start, end in intervals)


quarters = st.integers(0, 95).map(lambda n: f"{n // 4:02}:{n % 4 * 15:02}")
windows = st.builds(
    AccessWindow, days=st.lists(st.integers(0, 6), min_size=1, max_size=7), since=quarters, until=quarters
)


@st.composite
def stretches(draw: st.DrawFn) -> tuple[str, float]:
    """A zone, and a moment in it: mostly near one at which its clocks are set."""
    if draw(st.integers(0, 3)):
        zone, moment = draw(st.sampled_from(CHANGES))
        return zone, moment - DAY - draw(st.integers(0, 95)) * QUARTER
    return draw(st.sampled_from(ZONES)), 1_767_225_600.0 + draw(st.integers(0, 365 * 96)) * QUARTER


@given(stretches(), st.lists(windows, min_size=1, max_size=3))
def test_hours_are_those_of_the_clock(stretch: tuple[str, float], windows: list[AccessWindow]) -> None:
    zone, start = stretch
    one = rule(windows=windows, zone=zone)
    found = hours([one], ALICE, GPU, "run", (start, start + 3 * DAY), default=False)
    for moment in range(int(start), int(start) + 3 * DAY, QUARTER):
        looked = any(on_the_clock(window, moment, zone) for window in windows)
        if comes_twice(moment, zone):
            assert inside(found, moment) or not looked  # one unbroken stretch: never shorter
        else:
            assert inside(found, moment) == looked, datetime.fromtimestamp(moment, ZoneInfo(zone))


@given(st.lists(st.tuples(st.sampled_from(["allow", "deny"]), st.sampled_from(ZONES), windows), max_size=4), st.data())
def test_denied_is_taken_away_from_what_is_allowed(
    rules: list[tuple[str, str, AccessWindow]], data: st.DataObject
) -> None:
    start = 1_767_225_600.0 + data.draw(st.integers(0, 365 * 96)) * QUARTER
    default = data.draw(st.booleans())
    written = [rule(effect, zone=zone, windows=[window]) for effect, zone, window in rules]
    within = start, start + 2 * DAY
    found = hours(written, ALICE, GPU, "reserve", within, default=default)
    verdict = judge(written, ALICE, GPU, "reserve", within, default=default)
    assert verdict.allowed == (found == [within])
    assert all(a[1] < b[0] for a, b in pairwise(found))
    if verdict.gap:
        assert not inside(found, verdict.gap[0])
        assert not any(a < verdict.gap[1] and b > verdict.gap[0] for a, b in found)
        assert verdict.gap[0] == (found[0][1] if found and found[0][0] == start else start)
    for moment in range(int(start), int(start) + 2 * DAY, QUARTER):
        if not any(comes_twice(moment, zone) for _, zone, _ in rules):
            speak = {effect for effect, zone, window in rules if on_the_clock(window, moment, zone)}
            assert inside(found, moment) == ("deny" not in speak and (default or "allow" in speak))


def test_a_window_goes_on_from_sunday_into_monday() -> None:
    night = [rule(windows=[window("6", "22:00", "06:00")], zone="Europe/Warsaw")]
    assert allowed(night, "2026-11-08 22:00", "2026-11-09 06:00", "Europe/Warsaw")
    assert allowed(night, "2026-11-09 00:00", zone="Europe/Warsaw")
    assert not allowed(night, "2026-11-09 05:00", "2026-11-09 06:01", "Europe/Warsaw")
    assert not allowed(night, "2026-11-08 00:30", zone="Europe/Warsaw")


def test_monday_after_midnight_is_monday() -> None:
    assert allowed([rule(windows=[window("0")])], "2026-11-09 00:00", "2026-11-10 00:00")
    assert not allowed([rule(windows=[window("0")])], "2026-11-08 23:59")
    assert not allowed([rule(windows=[window("0")])], "2026-11-10 00:00")


def test_2359_leaves_no_gap_before_midnight() -> None:
    days = [rule(windows=[window("0123456", "00:00", "23:59")])]
    assert allowed(days, "2026-11-08 12:00", "2026-11-11 12:00")
    assert "every day UTC" in in_words(days[0])


def test_rules_join_end_to_end() -> None:
    both = [rule(windows=[window("0", "08:00", "16:00")]), rule(windows=[window("0", "16:00", "08:00")])]
    assert allowed(both, "2026-11-09 10:00", "2026-11-10 07:00")


def test_a_rule_that_has_expired_does_not_speak() -> None:
    old = rule(until="2026-11-01T00:00:00Z")
    coming = rule(since="2026-12-01T00:00:00Z")
    assert not allowed([old, coming], "2026-11-09 10:00")
    assert allowed([old], "2026-10-31 10:00", "2026-11-01 00:00")
    assert not allowed([old], "2026-10-31 10:00", "2026-11-01 00:01")
    assert judge(
        [rule("deny", until="2026-11-01T00:00:00Z")], ALICE, GPU, "run", (at("2026-11-02 00:00"),) * 2, default=True
    ).allowed
    assert not allowed([rule(active=False)], "2026-11-09 10:00")


def test_a_time_that_is_jumped_over_is_the_jump() -> None:
    found = hours(
        [rule(windows=[window("6", "02:30", "05:00")], zone="Europe/Warsaw")],
        ALICE,
        GPU,
        "run",
        (at("2026-03-29 00:00"), at("2026-03-30 00:00")),
        default=False,
    )
    assert found == [(at("2026-03-29 01:00"), at("2026-03-29 03:00"))]


def test_an_end_at_the_hour_that_comes_twice_is_its_first_beginning() -> None:
    found = hours(
        [rule(windows=[window("6", "00:00", "02:00")], zone="Europe/Warsaw")],
        ALICE,
        GPU,
        "run",
        (at("2026-10-24 00:00"), at("2026-10-26 00:00")),
        default=False,
    )
    assert found == [(at("2026-10-24 22:00"), at("2026-10-25 00:00"))]


@pytest.mark.parametrize(
    ("values", "speaks"),
    [
        ({}, True),
        ({"who": {"accounts": ["bob"]}}, False),
        ({"who": {"accounts": ["bob"], "groups": ["students"]}}, True),
        ({"what": {"hosts": ["gpu2"]}}, False),
        ({"what": {"hosts": ["gpu2"], "devices": ["dev0"]}}, True),
        ({"what": {"partitions": ["short"]}}, True),
        ({"what": {"backends": ["other"], "partitions": ["short"]}}, False),
        ({"what": {"backends": ["lab"]}}, True),
        ({"what": {"backends": ["lab"], "hosts": ["gpu2"]}}, False),
        ({"acts": ["run"]}, False),
    ],
)
def test_whom_and_what_a_rule_is_about(values: dict[str, Any], speaks: bool) -> None:
    assert allowed([rule(**values)], "2026-11-09 10:00") == speaks


def test_admins_are_not_bound() -> None:
    within = (0.0, 10.0)
    boss = AccessPerson("carol", admin=True)
    assert judge([rule("deny")], boss, GPU, "run", within, default=False).allowed
    assert hours([rule("deny")], boss, GPU, "run", within, default=False) == [within]


def test_a_refusal_names_the_stretch_and_the_rule() -> None:
    lecture = rule("deny", name="Lectures", windows=[window("01234", "08:00", "20:00")], zone="Europe/Warsaw")
    verdict = judge([lecture], ALICE, GPU, "reserve", (at("2026-11-08 20:00"), at("2026-11-10 20:00")), default=True)
    assert verdict.rule is lecture
    assert verdict.gap == (at("2026-11-09 07:00"), at("2026-11-09 19:00"))
    assert verdict.why == (
        "The rule 'Lectures' forbids it from Mon 9 Nov 08:00 until 20:00 Europe/Warsaw: "
        "Nobody may reserve or run jobs on anything Mon-Fri 08:00-20:00 Europe/Warsaw."
    )
    nights = rule(name="Nights", windows=[window("01234", "20:00", "06:00")], zone="Europe/Warsaw")
    verdict = judge([nights], ALICE, GPU, "run", (at("2026-11-09 20:00"), at("2026-11-10 06:00")), default=False)
    assert verdict.gap == (at("2026-11-10 05:00"), at("2026-11-10 06:00"))
    assert verdict.why.startswith(
        "No rule allows it from Tue 10 Nov 06:00 until 07:00 Europe/Warsaw. Allowed: Everyone"
    )
    assert "No rule allows it, and" in judge([], ALICE, GPU, "run", (0, 1), default=False).why


@pytest.mark.parametrize(
    ("effect", "values", "sentence"),
    [
        ("allow", {}, "Everyone may reserve and run jobs on everything"),
        ("deny", {"acts": ["run"]}, "Nobody may run jobs on anything"),
        (
            "allow",
            {
                "who": {"groups": ["students"]},
                "what": {"hosts": ["gpu1", "gpu2"]},
                "acts": ["reserve"],
                "windows": [window("01234", "20:00", "06:00")],
                "zone": "Europe/Warsaw",
            },
            "Members of students may reserve gpu1 and gpu2 Mon-Fri 20:00-06:00 Europe/Warsaw",
        ),
        (
            "deny",
            {
                "who": {"accounts": ["bob", "alice"], "groups": ["guests"]},
                "what": {"backends": ["slurm"], "partitions": ["long"], "devices": ["dev0"]},
                "windows": [window("056"), window("2", "08:00", "12:00")],
                "until": "2026-12-01T00:00:00Z",
            },
            "bob, alice and members of guests may not reserve or run jobs on gpu1:0 and partition long of slurm "
            "Sat-Mon, Wed 08:00-12:00 UTC until 2026-12-01 00:00 UTC",
        ),
    ],
)
def test_a_rule_in_words(effect: str, values: dict[str, Any], sentence: str) -> None:
    assert in_words(rule(effect, **values), {"dev0": "gpu1:0"}) == sentence

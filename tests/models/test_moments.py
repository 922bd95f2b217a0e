"""Test that moments are read as people mean them, in their time zone."""

from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.models import moments

WARSAW = ZoneInfo("Europe/Warsaw")
NOW = datetime(2026, 11, 18, 15, 20, tzinfo=WARSAW)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("now", "2026-11-18 15:20"),
        ("2h", "2026-11-18 17:20"),
        ("+90m", "2026-11-18 16:50"),
        ("in 2d", "2026-11-20 15:20"),
        ("18:00", "2026-11-18 18:00"),
        ("9:00", "2026-11-19 09:00"),
        ("15:20", "2026-11-19 15:20"),
        ("today 9:00", "2026-11-18 09:00"),
        ("tomorrow 14:00", "2026-11-19 14:00"),
        ("Tomorrow, 14:00", "2026-11-19 14:00"),
        ("tomorrow at 14:00", "2026-11-19 14:00"),
        ("fri 9:00", "2026-11-20 09:00"),
        ("Friday 09:00", "2026-11-20 09:00"),
        ("wed 16:00", "2026-11-18 16:00"),
        ("wed 15:00", "2026-11-25 15:00"),
        ("next tue 0:00", "2026-11-24 00:00"),
        ("2026-12-01 08:30", "2026-12-01 08:30"),
        ("2026-12-01T08:30", "2026-12-01 08:30"),
        ("2026-12-01T08:30Z", "2026-12-01 09:30"),
        ("2026-12-01t08:30:00+03:00", "2026-12-01 06:30"),
        ("2026-07-01 08:30", "2026-07-01 08:30"),
    ],
)
def test_moments_to_come(text: str, expected: str) -> None:
    found = moments.read(text, NOW, WARSAW)
    assert f"{found.astimezone(WARSAW):%Y-%m-%d %H:%M}" == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7d", "2026-11-11 15:20"),
        ("14:00", "2026-11-18 14:00"),
        ("16:00", "2026-11-17 16:00"),
        ("yesterday", "2026-11-17 00:00"),
        ("mon", "2026-11-16 00:00"),
        ("wed", "2026-11-18 00:00"),
        ("fri", "2026-11-13 00:00"),
        ("2026-10-01", "2026-10-01 00:00"),
    ],
)
def test_moments_before_now(text: str, expected: str) -> None:
    found = moments.read(text, NOW, WARSAW, bare=time(), back=True)
    assert f"{found.astimezone(WARSAW):%Y-%m-%d %H:%M}" == expected


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("", "is no time: write now, 2h"),
        ("soon", "is no time"),
        ("2 fortnights", "is no time"),
        ("14", "is no time"),
        ("25:00", "there is no time 25:00"),
        ("24:00", "0:00 of the next day"),
        ("2026-02-30 9:00", "there is no day 2026-02-30"),
        ("tomorrow", "write tomorrow 9:00"),
        ("fri", "write fri 9:00"),
        ("t 9:00", "is no time"),
        ("fri sat 9:00", "is no time"),
        ("2027-03-28 2:30", "clocks go forward"),
        ("9" * 1000, "is no time"),
        ("99999999d", "too far away"),
    ],
)
def test_what_is_no_moment(text: str, reported: str) -> None:
    with pytest.raises(ValueError, match=reported):
        moments.read(text, NOW, WARSAW)


def test_an_hour_that_comes_twice_is_the_first() -> None:
    found = moments.read("2026-10-25 2:30", NOW, WARSAW)
    assert found.astimezone(UTC) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


@given(st.text(max_size=30), st.booleans())
def test_no_text_is_worse_than_refused(text: str, back: bool) -> None:
    try:
        found = moments.read(text, NOW, WARSAW, back=back, bare=time())
    except ValueError:
        return
    assert found.tzinfo is not None


def test_without_a_zone_it_is_that_of_this_machine() -> None:
    found = moments.read("tomorrow 14:00", datetime(2026, 11, 18, 12, tzinfo=UTC))
    assert (found.astimezone().hour, found.tzinfo is not None) == (14, True)

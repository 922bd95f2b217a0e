"""Reservations as iCalendar: hostile titles stay in their line."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from paddock.models import Reservation
from paddock.server.booking import ical

AT = datetime(2026, 11, 18, 13, 30, tzinfo=UTC)


def made(title: str = "", **given: object) -> Reservation:
    times = {"starts_at": AT, "ends_at": AT.replace(hour=15), "planned_end": AT.replace(hour=15), "created_at": AT}
    about = {"id": "0a1b", "owner": "alice", "title": title, "devices": ["d0"], "by": "alice", "version": 3}
    return Reservation.model_validate(about | times | given)


def unfolded(text: str) -> list[str]:
    assert text.endswith("\r\n")
    return text.replace("\r\n ", "").split("\r\n")[:-1]


def test_an_event() -> None:
    lines = unfolded(ical.feed("Paddock: alice", [made("paper; a, b")], {"d0": "gpu1:0"}, "https://lab"))
    assert lines[0] == "BEGIN:VCALENDAR" and lines[-1] == "END:VCALENDAR"
    assert "UID:0a1b@paddock" in lines and "SEQUENCE:3" in lines and "STATUS:CONFIRMED" in lines
    assert "DTSTART:20261118T133000Z" in lines and "DTEND:20261118T153000Z" in lines
    assert r"SUMMARY:gpu1:0 (alice): paper\; a\, b" in lines
    assert "URL:https://lab/calendar?reservation=0a1b" in lines
    assert "STATUS:CANCELLED" in unfolded(ical.feed("x", [made(cancelled_at=AT)], {}))


@given(st.text(max_size=100), st.text(max_size=500))
def test_nothing_leaves_its_line(title: str, description: str) -> None:
    title, description = (text.replace("\0", "") for text in (title, description))
    text = ical.feed("x", [made(title=title, description=description)], {})
    assert all(len(line.encode("utf-8", "surrogatepass")) <= 75 for line in text.split("\r\n"))
    names = [line.partition(":")[0] for line in unfolded(text)]
    assert names.count("BEGIN") == names.count("END") == 2
    assert set(names) <= {
        *("BEGIN", "END", "VERSION", "PRODID", "X-WR-CALNAME", "UID", "SEQUENCE", "DTSTAMP", "DTSTART", "DTEND"),
        *("SUMMARY", "STATUS", "DESCRIPTION", "URL"),
    }

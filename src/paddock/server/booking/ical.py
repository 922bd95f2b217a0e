"""Reservations as iCalendar (RFC 5545), for calendars that subscribe to them. Pure.

Titles come from people: whatever is in them stays inside their line.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime

from paddock.models import Reservation

_FOLD = 73  # octets of a line; 75 are allowed, with the space before what goes on


def feed(name: str, items: Iterable[Reservation], devices: Mapping[str, str], page: str = "") -> str:
    """Return a calendar of reservations. `devices`: what people call them by id; `page`: its address, for links."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Paddock//Paddock//EN", f"X-WR-CALNAME:{escaped(name)}"]
    for one in items:
        lines += _event(one, [devices.get(id, id) for id in one.devices], page)
    return "".join(f"{part}\r\n" for line in [*lines, "END:VCALENDAR"] for part in folded(line))


def _event(one: Reservation, on: list[str], page: str) -> list[str]:
    who = one.owner or "Maintenance"
    what = f"{', '.join(on)} ({who})" + (f": {one.title}" if one.title else "")
    lines = [
        "BEGIN:VEVENT",
        f"UID:{one.id}@paddock",
        f"SEQUENCE:{one.version}",
        f"DTSTAMP:{_utc(one.created_at)}",
        f"DTSTART:{_utc(one.starts_at)}",
        f"DTEND:{_utc(one.ends_at)}",
        f"SUMMARY:{escaped(what)}",
        f"STATUS:{'CANCELLED' if one.cancelled_at is not None else 'CONFIRMED'}",
    ]
    lines += [f"DESCRIPTION:{escaped(one.description)}"] if one.description else []
    lines += [f"URL:{page}/calendar?reservation={one.id}"] if page else []
    return [*lines, "END:VEVENT"]


def _utc(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def escaped(text: str) -> str:
    """Return a text as a value of a line: without control characters, line ends written as such."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    plain = ("".join(char for char in line if unicodedata.category(char)[0] != "C") for line in lines)
    marked = (line.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,") for line in plain)
    return "\\n".join(marked)


def folded(line: str) -> Iterator[str]:
    """Yield a line in parts that are not too long, and never within a character."""
    part, size = "", 0
    for char in line:
        octets = len(char.encode())
        if size + octets > _FOLD:
            yield part
            part, size = " ", 1
        part, size = part + char, size + octets
    yield part

"""Read moments as people write them: `tomorrow 14:00`, `fri 9:00`, `2026-11-20 14:00`, `2h` from now."""

import re
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from paddock.models import units

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
FORMS = "now, 2h (from now), 14:00, tomorrow 14:00, fri 9:00 or 2026-11-20 14:00"
FORMS_BACK = "now, 7d (ago), 14:00, yesterday 14:00, fri or 2026-11-20"
_CLOCK = re.compile(r"^(\d{1,2}):(\d{2})$")
_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}$")
_RELATIVE = {"today": 0, "tomorrow": 1, "yesterday": -1}


def read(
    text: str, now: datetime, zone: ZoneInfo | None = None, *, bare: time | None = None, back: bool = False
) -> datetime:
    """Return the moment that a text means; raise ValueError with what to write if it means none.

    It is read in this time zone, or in that of this machine. A time or day of the week is the next one after `now`;
    `back`: the last one before it, and a duration goes back. `bare` is the time of a day that is given without one.
    """
    try:
        return _read(text, now, zone, bare, back)
    except OverflowError:
        raise ValueError(f"{text[: units.MAX_TEXT]!r} is too far away") from None


def _read(text: str, now: datetime, zone: ZoneInfo | None, bare: time | None, back: bool) -> datetime:
    short = " ".join(text.replace(",", " ").lower().split())[: units.MAX_TEXT]
    if short == "now":
        return now
    if found := _whole(short.upper()):
        return found if found.tzinfo else _placed(found, zone)
    if (length := _duration(short)) is not None:
        return now - length if back else now + length
    *words, last = short.removeprefix("next ").replace(" at ", " ").split() or [""]
    clock = _clock(last)
    words += [] if clock else [last]
    here = now.astimezone(zone)
    if not words and clock:
        return _next(here, here.date(), clock, 1, zone, back)
    day = _day(words[0], here, back) if len(words) == 1 else None
    if day is None:
        raise ValueError(f"{text[: units.MAX_TEXT]!r} is no time: write {FORMS_BACK if back else FORMS}")
    at = clock or bare
    if at is None:
        raise ValueError(f"{words[0]} has no time: write {words[0]} 9:00")
    if words[0] in _RELATIVE or _DATE.match(words[0]):
        return _placed(datetime.combine(day, at), zone)
    return _next(here, day, at, 7, zone, back)


def _day(word: str, here: datetime, back: bool) -> date | None:
    """Return the day that a word means, of a day of the week the next or the last, with today; None if it is none."""
    if word in _RELATIVE:
        return here.date() + timedelta(days=_RELATIVE[word])
    if _DATE.match(word):
        try:
            return date.fromisoformat(word)
        except ValueError:
            raise ValueError(f"there is no day {word}") from None
    days = [number for number, name in enumerate(DAYS) if len(word) >= 2 and name.startswith(word)]
    if len(days) != 1:
        return None
    apart = (here.weekday() - days[0]) % 7 if back else (days[0] - here.weekday()) % 7
    return here.date() + timedelta(days=-apart if back else apart)


def _whole(text: str) -> datetime | None:
    """Return a moment in the form of ISO 8601 with date and time; None for other texts."""
    try:
        return None if _DATE.match(text) else datetime.fromisoformat(text)
    except ValueError:
        return None


def _duration(text: str) -> timedelta | None:
    length = text.removeprefix("in ").removeprefix("+").strip()
    if not length[-1:].isalpha():  # 14:00 is a time of the day, not 14 minutes
        return None
    try:
        return timedelta(seconds=units.seconds(length))
    except (ValueError, OverflowError):
        return None


def _clock(text: str) -> time | None:
    found = _CLOCK.match(text)
    if not found:
        return None
    if (int(found[1]), int(found[2])) == (24, 0):
        raise ValueError("24:00 is 0:00 of the next day: write it so")
    try:
        return time(int(found[1]), int(found[2]))
    except ValueError:
        raise ValueError(f"there is no time {text}") from None


def _next(now: datetime, day: date, at: time, days: int, zone: ZoneInfo | None, back: bool) -> datetime:
    """Return this time on this day, or this many days later (earlier, if `back`) if that is over (to come)."""
    found = _placed(datetime.combine(day, at), zone)
    if found > now if back else found <= now:
        found = _placed(datetime.combine(day + timedelta(days=-days if back else days), at), zone)
    return found


def _placed(wall: datetime, zone: ZoneInfo | None) -> datetime:
    """Return a time of the clock on the wall as a moment. Of one that comes twice, the first."""
    found = wall.replace(tzinfo=zone) if zone else wall.astimezone()
    if datetime.fromtimestamp(found.timestamp(), found.tzinfo if zone else None).replace(tzinfo=None) != wall:
        raise ValueError(f"there is no {wall:%H:%M} on {wall:%Y-%m-%d}, as clocks go forward then")
    return found

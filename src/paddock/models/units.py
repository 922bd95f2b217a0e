"""Read and write durations and sizes as people write them."""

import math
import re
from typing import Any

from paddock.common.size import size_text as size_text

_PARTS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_NUMBER = r"\d+(?:\.\d+)?"
_WORDED = re.compile(rf"^(?:{_NUMBER}\s*[smhdw]\s*)+$", re.IGNORECASE)
_CLOCK = re.compile(r"^(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?$")
_SIZE = re.compile(rf"^({_NUMBER})\s*([kmgtp])(?:i?b)?$", re.IGNORECASE)
_POWERS = "kmgtp"
LEAST_BYTES = 1024**2
MAX_TEXT = 100


def seconds(given: Any) -> Any:
    """Read `90m`, `2h30m`, `1-12:00:00`, `2:00:00`, or a number of seconds."""
    if not isinstance(given, str):
        return given
    text = _short(given)
    if _WORDED.match(text):
        found = re.findall(rf"({_NUMBER})\s*([smhdw])", text, re.IGNORECASE)
        return _whole(sum(float(number) * _PARTS[unit.lower()] for number, unit in found), given)
    clock = _CLOCK.match(text)
    if clock and (clock[1] or clock[3]):
        days, first, second, third = (int(part) if part else None for part in clock.groups())
        # As Slurm reads it: minutes:seconds, hours:minutes:seconds; after days, hours come first.
        if days is None and third is None:
            return (first or 0) * 60 + (second or 0)
        return (days or 0) * 86_400 + (first or 0) * 3600 + (second or 0) * 60 + (third or 0)
    if text.isdigit():
        raise ValueError(f"{text} of what? Write {text}m for minutes or {text}h for hours")
    raise ValueError(f"{given!r} is no duration: write 90m, 4h, 2d, 2:00:00 or 1-12:00:00")


def size(given: Any) -> Any:
    """Read `16G`, `500M`, `1.5T` (powers of 1024), or a number of bytes."""
    if isinstance(given, bool):
        raise ValueError("give a size such as 16G")
    if isinstance(given, str):
        found = _SIZE.match(_short(given))
        if not found:
            raise ValueError(f"{given!r} is no size: write it with its unit, such as 16G or 500M")
        return _whole(float(found[1]) * 1024 ** (_POWERS.index(found[2].lower()) + 1), given)
    if isinstance(given, int) and 0 < given < LEAST_BYTES:
        raise ValueError(f"{given} bytes are too few: write the unit, such as {given}M or {given}G")
    return given


def _short(given: str) -> str:
    if len(given) > MAX_TEXT:
        raise ValueError(f"{given[:20]!r}... has {len(given):,} characters: write a number and its unit")
    return given.strip()


def _whole(value: float, given: str) -> int:
    if not math.isfinite(value):
        raise ValueError(f"{given[:20]}... is too large")
    return round(value)


def clock(total: float) -> str:
    """Return a duration as Slurm writes it: `1-02:03:04`, `2:03:04`."""
    minutes, second = divmod(round(total), 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    return f"{days}-{hour:02}:{minute:02}:{second:02}" if days else f"{hour}:{minute:02}:{second:02}"


def words(total: float) -> str:
    """Return a duration in words, exactly: `1 d 12 h`, `1 min 30 s`."""
    rest, parts = round(total), []
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        count, rest = divmod(rest, size)
        parts += [f"{count} {unit}"] if count else []
    return " ".join(parts) or "0 s"


def size_of(part: float, whole: float) -> str:
    """Return `1.2 of 139 GiB`, with the unit once where both have the same."""
    all_of_it = size_text(whole)
    return f"{size_text(part).removesuffix(all_of_it[all_of_it.index(' ') :])} of {all_of_it}"

"""Reads journals: from an offset, complete lines only, whatever is in them. Pure: bytes in, records out."""

import json
import re
from dataclasses import dataclass
from typing import Any

Record = dict[str, Any]

ABOUT_AN_ATTEMPT = frozenset({"started", "metric", "reset", "total", "usage", "warning", "ended"})
KINDS = ABOUT_AN_ATTEMPT | {"runner", "node", "packing", "bye"}
LATEST = 1e11  # seconds since 1970: what comes later is no time
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True)
class Batch:
    """What one reading gave."""

    records: list[Record]
    consumed: int  # bytes, always up to and including a newline
    skipped: int  # lines that are no record, or of a kind that this version does not know


def parse(data: bytes) -> Batch:
    """Take the complete lines of `data`. A last line without a newline is left for the next time."""
    end = data.rfind(b"\n") + 1
    records: list[Record] = []
    skipped = 0
    for line in data[:end].splitlines():
        if not line.strip():
            continue
        record = _record(line)
        if record is None:
            skipped += 1
        else:
            records.append(record)
    return Batch(records, end, skipped)


def _record(line: bytes) -> Record | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or not _known(record.get("e")) or not _is_time(record.get("at")):
        return None
    if record["e"] in ABOUT_AN_ATTEMPT and not (
        isinstance(record.get("task"), str) and type(record.get("attempt")) is int
    ):
        return None
    cleaned: Record = _cleaned(record) if b"\\u" in line else record
    return cleaned


def _known(kind: Any) -> bool:
    return isinstance(kind, str) and kind in KINDS


def _is_time(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < LATEST


def _cleaned(value: Any) -> Any:
    """Without the characters that JSON can write and a database cannot: one line must not hold up all others."""
    match value:
        case str():
            return _UNSTORABLE.sub("\ufffd", value)
        case list():
            return [_cleaned(one) for one in value]
        case dict():
            return {_cleaned(name): _cleaned(one) for name, one in value.items()}
    return value

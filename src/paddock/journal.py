"""Reads journals: from an offset, complete lines only, whatever is in them. Pure: bytes in, records out."""

import json
from dataclasses import dataclass
from typing import Any

Record = dict[str, Any]

KINDS = frozenset({"runner", "started", "metric", "reset", "total", "usage", "warning", "ended", "bye"})
ABOUT_AN_ATTEMPT = KINDS - {"runner", "bye"}


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
    except ValueError:
        return None
    if not isinstance(record, dict) or record.get("e") not in KINDS or not isinstance(record.get("at"), (int, float)):
        return None
    if record["e"] in ABOUT_AN_ATTEMPT and not (
        isinstance(record.get("task"), str) and isinstance(record.get("attempt"), int)
    ):
        return None
    return record

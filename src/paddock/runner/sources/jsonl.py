"""JSON lines: one object per line, as `paddock.report` and many loggers write."""

from __future__ import annotations

import json
from typing import Any, Mapping

from .axis import XAxis, counts
from .base import REPORT, LineSource, Point


class JsonlSource(LineSource):
    overlong = "has lines that are not JSON; they are not read, write one JSON object per line"

    def begin(self) -> None:
        super().begin()
        self._axis = XAxis()

    def line(self, line: bytes, complete: bool) -> Point | None:
        if not line.strip():
            return None
        try:
            found = json.loads(line.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            if complete:  # the last line of a process that was killed is often cut short
                self.unreadable(self.overlong)
            return None
        if not isinstance(found, dict):
            return None
        row = flatten(found)
        if self.rank == REPORT and 1 <= row.get("of", 0) < 2**31:  # step 3 of 10
            self._batch.total = int(row.pop("of"))
        if not self._sure:
            self._sure = counts(row)
            self.rejected = not self._sure
        return None if self.rejected else self._axis.point(row)

    def give_up(self, text: str) -> None:
        self.warn(text)  # the other lines are read


def flatten(found: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers in an object; those of an object inside it as `outer/inner`."""
    row: dict[str, float] = {}
    for name, value in found.items():
        inside = {"%s/%s" % (name, k): v for k, v in value.items()} if isinstance(value, dict) else {name: value}
        for full, one in inside.items():
            if isinstance(one, (int, float)) and not isinstance(one, bool):
                row[full.strip()] = _float(one)
    return row


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # JSON sets no limit to integers
        return float("inf") if value > 0 else float("-inf")

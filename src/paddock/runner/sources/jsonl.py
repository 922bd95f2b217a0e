"""JSON lines: an object a line, as `paddock.report` and many loggers write."""

from __future__ import annotations

import json
from typing import Any, Iterator, Mapping

from .axis import XAxis, counts
from .base import REPORT, Point, Source
from .tail import Lines, Tail


class JsonlSource(Source):
    """`sure`: a metric log for certain; otherwise its first object decides, and it may turn out `rejected`."""

    def __init__(self, tail: Tail, label: str, rank: int, sure: bool = True) -> None:
        self._sure = sure
        super().__init__(tail, label, rank)

    def begin(self) -> None:
        self._lines = Lines()
        self._axis = XAxis()

    def read(self, data: bytes, end: bool) -> Iterator[tuple[int, Point]]:
        for start, line, complete in self._lines.feed(data, end):
            point = self._line(line, complete)
            if point:
                yield start, point
            if self.rejected:
                return
        if self._lines.overlong:
            self._broken()

    def _line(self, line: bytes, complete: bool) -> Point | None:
        if not line.strip():
            return None
        try:
            found = json.loads(line.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            if complete:  # the last line of a process that was killed is often cut short
                self._broken()
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

    def _broken(self) -> None:
        if self._sure:
            self.warn("has lines that are not JSON; they are left out, write one JSON object a line")
        else:
            self.rejected = True


def flatten(found: Mapping[str, Any]) -> dict[str, float]:
    """The numbers in an object; those of an object inside it as `outer/inner`."""
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

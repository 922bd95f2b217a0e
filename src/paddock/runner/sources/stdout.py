"""Standard output of the script: metrics, if they are printed in an unambiguous form."""

from __future__ import annotations

import re
from typing import Iterator

from .axis import XAxis, tidy
from .base import Point, Source
from .keras_bar import HEADER, KerasBars, is_bar
from .pairs import LineValues, parse

_MAX_SEGMENT = 64 * 1024
_MAX_TEXT = 16 * 1024  # of a line that is searched for metrics
_OVERWRITE = re.compile(rb"[\r\b]+")
_ANSI = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CANDIDATE = re.compile(rb"[:=]\s*[-+.'\"]?(?:\d|nan|inf)|Epoch \d+/\d", re.IGNORECASE)


class StdoutSource(Source):
    def begin(self) -> None:
        self._rest = b""
        self._skipping = False
        self._bars = KerasBars()
        self._axis = XAxis()
        self._bar_names: set[str] = set()
        self._seen: dict[str, int] = {}  # how often a name came without an epoch or step

    def read(self, data: bytes, end: bool) -> Iterator[tuple[int, Point]]:
        for line in self._lines(data, end):
            if b"\x1b" in line:
                line = _ANSI.sub(b"", line)
            if _CANDIDATE.search(line):
                for point in self._line(line.decode("utf-8", "replace").strip()):
                    yield 0, point
        last = self._bars.flush() if end else None
        if last:
            yield 0, last

    def _lines(self, data: bytes, end: bool) -> Iterator[bytes]:
        """Yield each line as it was at its end, without what was overwritten (\\r, \\b)."""
        lines = data.split(b"\n")
        last = len(lines) - 1
        drawing = _OVERWRITE.search(data) is not None
        for i, line in enumerate(lines):
            overwrite = _OVERWRITE.search(line) if drawing else None
            if self._skipping and overwrite:
                line, self._skipping = line[overwrite.start() :], False
            whole = self._rest + line if self._rest else line
            if overwrite or self._rest[-1:] in (b"\r", b"\b"):
                whole = _shown(whole)
            complete = i < last or end
            skipping = self._skipping or len(whole) > _MAX_SEGMENT
            self._skipping = skipping and not complete
            self._rest = b"" if complete or skipping else whole
            if complete and not skipping and (b":" in whole or b"=" in whole or b"Epoch" in whole):
                yield whole[:_MAX_TEXT]

    def _line(self, line: str) -> Iterator[Point]:
        header = HEADER.match(line)
        if header:
            self._batch.total = int(header[2])
            point = self._bars.header(int(header[1]))
        elif is_bar(line):
            point = self._bars.bar(line)
        else:
            reading = parse(line)
            if reading:
                yield from self._pairs(reading)
            return
        if point:
            self._bar_names.update(point.values)
            yield point

    def _pairs(self, reading: LineValues) -> Iterator[Point]:
        self._batch.total = reading.total or self._batch.total
        values = {name: value for name, value in reading.values.items() if name not in self._bar_names}
        if not values:
            return
        if reading.epoch is None and reading.step is None:
            for name, value in values.items():
                count = self._seen.get(name, 0)
                self._seen[name] = count + 1
                yield Point(count, {name: value})
            return
        step, epoch = self._axis.place(reading.step, reading.epoch)
        yield Point(tidy(step), values, epoch)


def _shown(line: bytes) -> bytes:
    """Return what was last written over a line. A trailing \\r alone (of Windows) overwrites nothing."""
    segments = [segment for segment in _OVERWRITE.split(line) if segment.strip()]
    if not segments:
        return b""
    # If the line goes on, what follows overwrites it.
    return segments[-1] + (line[-1:] if line[-1:] in (b"\r", b"\b") else b"")

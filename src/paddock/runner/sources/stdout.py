"""Standard output of the script: metrics, if they are printed in an unambiguous form."""

from __future__ import annotations

import re
from typing import Iterable, Iterator

from . import names
from .axis import XAxis
from .base import Point, Source
from .keras_bar import HEADER, KerasBars, is_bar
from .pairs import LineValues, parse
from .tables import Tables

_MAX_SEGMENT = 64 * 1024
_MAX_TEXT = 16 * 1024  # of a line that is searched for metrics
_OVERWRITE = re.compile(rb"[\r\b]+")
_ANSI = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_STAMP = re.compile(rb"\[?\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d[.,\d]*")
_STAMPED = (b"[", b"1", b"2")
# All alternatives begin with one of few characters: that makes the search fast.
_CANDIDATE = re.compile(rb"[:=][ \t]*[-+.'\"\[]?[ \t]*(?:\d|[nN]a[nN]|[iI]nf)|\d\.\d|\d%\|")
_TAILS = frozenset(b"|:- \x82\x83\x98")  # last bytes of headings, and of lines of tables
_SIGNS = (b"\x1b", b"poch", b" nan", *(b"%c\n" % last for last in b"|:-\x82\x83\x98"), b": \n", b"- \n", b"E  ")
_SHAPE = re.compile(  # a heading such as `Test Error:`, a line of a table, the end of one
    rb"\s*(?:[Tt]est|[Vv]al|[Tt]rain|[Ee]val)\w*(?: \w+)?:\s*$|\s*E  |[| ]*(?:[Ii]ter|[Ss]tep)\w*[ |]"
    rb"|\s*(?:[|]|\xe2\x94[\x82\x83]).*(?:[|]|\xe2\x94[\x82\x83])\s*$|\s*-[- ]{7,}$|\s*\xe2\x94\x94"
)
_TQDM = re.compile(rb"\d%\|[^|]*\|\s*(\d+)/(\d+) ?\[")
_DECIMAL = re.compile(rb"(?<![\w:.,/+-])-?\d+\.\d+(?![\w.:/])")
_TESTS = frozenset(("val", "valid", "test", "eval", "dev"))


SOME = 3  # so many lines with numbers show that a log has something to mark


class StdoutSource(Source):
    numbers = 0  # lines with a decimal number
    wanted = ""  # the objective as the job names it, where names were written in another way before

    def begin(self) -> None:
        self._rest = b""
        self._skipping = False
        self._bars = KerasBars()
        self._tables = Tables()
        self._axis = XAxis()
        self._bar_names: set[str] = set()
        self._bar = (-1, 0)  # how far a bar of tqdm was when it last counted
        self._wanted = names.tidy(self.wanted) if self.wanted else ""
        self._heading = ""  # `Test Error:`, the phase of the next line
        self._phase = ""
        self._testing: LineValues | None = None  # the progress of a validation, until it is over
        self._epoch: float | None = None  # of the last line that had one
        self._place: tuple[float, float | None] | None = None  # where lines without an epoch or step belong
        self._here: set[str] = set()  # names that came at that place
        self._last: dict[str, float] = {}  # the last step of each name that came without an epoch or step

    def read(self, data: bytes, end: bool) -> Iterator[tuple[int, Point]]:
        for line in self._lines(data, end):
            if self.numbers < SOME and _DECIMAL.search(line):
                self.numbers += 1
            for point in self._line(line.decode("utf-8", "replace")):
                yield 0, point
        if end:
            for point in self._flush():
                yield 0, point
            last = self._bars.flush()
            if last:
                yield 0, last

    def _lines(self, data: bytes, end: bool) -> Iterator[bytes]:
        """Yield each line that may contain metrics, as it was at its end, without what was overwritten (\\r, \\b)."""
        lines = data.split(b"\n")
        last = lines.pop()
        if b"\r" in data or b"\b" in data:
            for line in lines:
                yield from self._drawn(line, True)
        elif lines:
            yield from self._drawn(lines[0], True)
            candidate = _CANDIDATE.search
            shapes = any(sign in data for sign in _SIGNS)
            for line in lines[1:]:
                if shapes or line[:1] in _STAMPED:
                    yield from _mattering(line)
                elif (b":" in line or b"." in line or b"=" in line) and candidate(line):
                    yield line[:_MAX_TEXT]
        yield from self._drawn(last, end)

    def _drawn(self, line: bytes, complete: bool) -> Iterator[bytes]:
        """Return what a line that is drawn again and again has shown: its end, and bars of tqdm on their way."""
        overwrite = _OVERWRITE.search(line)
        if self._skipping and overwrite:
            line, self._skipping = line[overwrite.start() :], False
        whole = self._rest + line if self._rest else line
        found: list[bytes] = []
        if overwrite or self._rest[-1:] in (b"\r", b"\b"):
            segments = _segments(whole)
            found = [one for one in segments[:-1] if b"%|" in one and self._advanced(one)]
            whole = segments[-1] if segments else b""
        skipping = self._skipping or len(whole) > _MAX_SEGMENT
        self._skipping = skipping and not complete
        self._rest = b"" if complete or skipping else whole
        if complete and not skipping and (b"%|" not in whole or self._advanced(whole)):
            found.append(whole)
        for one in found:
            yield from _mattering(one)

    def _advanced(self, line: bytes) -> bool:
        """Return True if a bar has gone on by a hundredth since it last counted: tqdm draws ten times per second."""
        bar = _TQDM.search(line)
        if not bar:
            return True
        at, of = int(bar[1]), max(1, int(bar[2]))
        before, self._bar = self._bar, (at, of)
        if before[1] == of and (at == before[0] or (0 < at - before[0] < of / 100 and at < of)):
            self._bar = before
            return False
        return True

    def _line(self, raw: str) -> Iterable[Point]:
        line = raw.strip()
        header = HEADER.match(line) if line[:6] == "Epoch " else None
        if header:
            points = self._flush()
            self._batch.total = int(header[2])
            self._epoch = float(header[1])
            self._at(self._axis.place(None, self._epoch))
            return points + self._bar_point(self._bars.header(int(header[1])))
        if line[:1].isdigit() and is_bar(line) and not self._tables.open:
            if self._bars.epoch is not None:
                self._at((self._bars.epoch - 1, None))  # as Keras counts
            return self._bar_point(self._bars.bar(line))
        reading = parse(line)
        if reading:
            return self._take(reading, line)
        if not self._tables.open and ("=" in line or (":" in line and "%|" not in line)):
            return []
        return [point for row in self._tables.line(raw) for point in self._take(row, line)]

    def _bar_point(self, point: Point | None) -> list[Point]:
        if point:
            self._bar_names.update(point.values)
        return [point] if point else []

    def _take(self, reading: LineValues, line: str) -> list[Point]:
        if reading.total:
            self._batch.total = reading.total
        if reading.heading:
            self._heading = reading.phase if line[-1] == ":" else ""
            return []
        star = line[0] == "*"  # ` * Acc@1 76.1` after the lines of a test
        phase, values = reading.phase, reading.values
        if not phase and (self._heading or star):
            phase = self._heading or self._phase
            values = {names.with_phase(phase, name): value for name, value in values.items()}
        self._heading = ""
        points: list[Point] = []
        if self._testing is not None:
            if star or (reading.progress and phase == self._phase):
                values = {**self._testing.values, **values}
            else:
                points = self._flush()
        if reading.progress and phase in _TESTS:
            self._phase, self._testing = phase, reading._replace(values=values)
            return points
        if star and self._testing is not None:
            reading, self._testing = self._testing._replace(step=None), None
        self._phase = phase or self._phase
        return points + self._points(reading, values)

    def _flush(self) -> list[Point]:
        """Return what a validation showed last, when it is over."""
        testing, self._testing = self._testing, None
        return [] if testing is None else self._points(testing._replace(step=None), testing.values)

    def _points(self, reading: LineValues, values: dict[str, float]) -> list[Point]:
        if self._wanted in values:
            values = {self.wanted if name == self._wanted else name: value for name, value in values.items()}
        if self._bar_names:
            values = {name: value for name, value in values.items() if name not in self._bar_names}
        if reading.epoch is None and reading.step is None:
            return self._unplaced(values)
        if reading.epoch is not None:
            self._epoch = reading.epoch
        step, epoch = place = self._axis.place(reading.step, self._epoch, reading.of)
        self._place, self._here = place, set(values)
        return [Point(step, values, epoch)] if values else []

    def _unplaced(self, values: dict[str, float]) -> list[Point]:
        """Return points of a line without an epoch or step: those of the line before, if there they are new."""
        at, epoch = self._place or (-1, None)
        points: dict[float, dict[str, float]] = {}
        for name, value in values.items():
            if self._place and name not in self._here:
                self._here.add(name)
                points.setdefault(at, {})[name] = value
            else:  # a second time at this place: from here on they are counted
                self._last[name] = max(self._last.get(name, at), at) + 1
                points.setdefault(self._last[name], {})[name] = value
        return [Point(step, some, epoch) for step, some in points.items()]

    def _at(self, place: tuple[float, float | None]) -> None:
        self._place = place
        self._here = set()


def _mattering(line: bytes) -> Iterable[bytes]:
    """Return the line without colours if it may contain metrics."""
    if b"\x1b" in line:
        line = _ANSI.sub(b"", line)
    if len(line) > _MAX_SEGMENT:
        return ()
    stamp = _STAMP.match(line) if line[:1] in b"[12" else None
    if _CANDIDATE.search(line, stamp.end() if stamp else 0) or b"poch" in line or b" nan" in line:
        return (line[:_MAX_TEXT],)
    return (line,) if line and line[-1] in _TAILS and _SHAPE.match(line) else ()


def _segments(line: bytes) -> list[bytes]:
    """Return what was written over a line, in order. A trailing \\r alone (of Windows) overwrites nothing."""
    segments = [segment for segment in _OVERWRITE.split(line) if segment.strip()]
    if segments and line[-1:] in (b"\r", b"\b"):  # if the line goes on, what follows overwrites it
        segments[-1] += line[-1:]
    return segments

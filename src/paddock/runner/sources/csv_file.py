"""CSV logs: Keras' CSVLogger, Lightning's metrics.csv, and all others with a header row."""

from __future__ import annotations

import csv
from typing import Iterator

from .axis import XAxis, counts, number
from .base import LineSource, Point

_SEPARATORS = ",;\t|"
_MAX_OPEN = 64 * 1024
_NO_HEADER = "the first line is no header row; write the names of the columns first, as in epoch,loss,val_loss"


class CsvSource(LineSource):
    overlong = "has lines of more than 1 MiB and is not read; write one short row per step"

    def begin(self) -> None:
        super().begin()
        self._axis = XAxis()
        self._header: list[str] = []
        self._separator = ","
        self._open = ""  # a line that ended inside quotes

    def read(self, data: bytes, end: bool) -> Iterator[tuple[int, Point]]:
        if b"\0" in data:
            self.unreadable("this is not text; name the CSV file itself, or take it off the list of metric files")
            return iter(())
        return super().read(data, end)

    def line(self, raw: bytes, complete: bool) -> Point | None:
        line = raw.decode("utf-8", "replace")
        if not self._header:
            self._read_header(line.lstrip("\ufeff"), complete)
            return None
        line = self._open + line
        self._open = ""
        if complete and line.count('"') % 2 and len(line) < _MAX_OPEN:
            self._open = line + "\n"
            return None
        if not line.strip() or line.startswith("#"):
            return None
        cells = split(line, self._separator)
        if not complete and len(cells) < len(self._header):
            cells.pop()  # the last cell may be incomplete
        if self._new_header(cells):
            self._header = cells
            return None
        return self._row(cells)

    def _read_header(self, line: str, complete: bool) -> None:
        line = line.lstrip("# ") if line.startswith("#") else line  # as numpy.savetxt writes it
        if not line.strip() or not complete:
            return
        separator = detect(line)
        names = split(line, separator)
        if not any(names) or any(number(name) is not None for name in names) or "\ufffd" in line:
            self.unreadable(_NO_HEADER)
        elif not self._sure and not counts(names[:1] if separator == " " else names):  # a sentence is no header
            self.rejected = True
        else:
            self._separator, self._header = separator, names

    def _new_header(self, cells: list[str]) -> bool:
        """Return True for another header, maybe with more columns: only names, some of which are known."""
        if any(number(cell) is not None for cell in cells):
            return False
        return any(cell in self._header for cell in cells if cell)

    def _row(self, cells: list[str]) -> Point | None:
        if any(cells[len(self._header) :]):
            self.warn("rows are longer than the header row; cells without a name are not read, so name all columns")
        named = [(name, number(cells[i])) for i, name in enumerate(self._header[: len(cells)])]
        return self._axis.point({name: value for name, value in named if value is not None})


def detect(header: str) -> str:
    """Return the separator of a header row; a space only if there is no other."""
    unquoted = "".join(header.split('"')[::2])
    best = max(_SEPARATORS, key=unquoted.count)
    if best in unquoted:
        return best
    return " " if " " in unquoted.strip() else ","


def split(line: str, separator: str) -> list[str]:
    if '"' in line:
        try:
            cells = next(csv.reader([line], delimiter=separator, skipinitialspace=True))
        except (csv.Error, StopIteration):
            cells = line.split(separator)
    else:
        cells = line.split(None if separator == " " else separator)
    return [cell.strip() for cell in cells]

"""Tables on standard output: a row per epoch (fastai, skorch, spaCy, YOLO), or a box of names and values per report."""

from __future__ import annotations

import re
from typing import Iterator

from . import names
from .axis import number
from .pairs import LineValues

_HEADER = re.compile(
    r"[|\s]*(?:epochs?|iter(?:ation)?|step|E|Class)[\s|]+[A-Za-z_#][\w\s|()#./-]{0,2000}(?::\s+\d+%\|.*)?$",
    re.IGNORECASE,
)
_RULE = re.compile(r"[\s|+:═─=-]*$")
_DASHES = re.compile(r"-+")
_BAR = re.compile(r":\s+\d+%\|.*$")
_CELL = re.compile(r"\d+(?:/\d+)?$")
_BOX = re.compile(r"[|│┃]\s*([A-Za-z][\w./@() -]{0,60}?)\s*[|│┃]\s*(\S*)\s*[|│┃]$")
_BOX_END = re.compile(r"[-=+─━└┴┘╰╯]{8,}$")
MAX_COLUMNS = 60


class Tables:
    """Gives the rows of a table as its header names them; a box is given when it ends."""

    def __init__(self) -> None:
        self._header = ""
        self._columns: list[str] = []
        self._box: dict[str, float] = {}
        self._group = ""

    @property
    def open(self) -> bool:
        return bool(self._columns)

    def line(self, raw: str) -> Iterator[LineValues]:
        line = raw.strip()
        box = _BOX.match(line) if line[:1] in "|│┃" else None
        if box:
            self._cell(box[1], box[2])
        elif self._box and _BOX_END.match(line):
            yield from self._end_of_box()
        elif self._columns and _RULE.match(line):
            self._split_by_rule(raw)
        elif _HEADER.match(line):
            self._header = _BAR.sub("", raw)
            self._columns = _cells(self._header)[:MAX_COLUMNS]
        elif self._columns:
            yield from self._row(_cells(_BAR.sub("", line)))
        if box and self._columns:  # a table of two columns
            yield from self._row([box[1], box[2]])

    def _split_by_rule(self, line: str) -> None:
        """Divide the header where the dashes below it are divided, as names of columns may contain spaces."""
        spans = [dashes.span() for dashes in _DASHES.finditer(line)]
        if len(spans) > 1 and "|" not in line:
            ends = [*(start for start, _ in spans[1:]), len(self._header)]
            cells = [self._header[start:end].strip() for (start, _), end in zip(spans, ends)]  # noqa: B905 (Python 3.8)
            self._columns = ["_".join(cell.split()) for cell in cells][:MAX_COLUMNS]

    def _row(self, cells: list[str]) -> Iterator[LineValues]:
        first, columns = self._columns[0].lower(), self._columns
        if len(cells) != len(columns) or not (_CELL.match(cells[0]) or (first == "class" and cells[0] == "all")):
            return
        found = {name: number(cell) for name, cell in zip(columns, cells)}  # noqa: B905 (Python 3.8)
        row = {name.rstrip(")"): value for name, value in found.items() if value is not None}
        at = None if first == "class" else float(cells[0].partition("/")[0])
        total = cells[0].partition("/")[2]
        step = next((row[name] for name in row if name.lower() in names.STEPS), None)
        values = {name: value for name, value in row.items() if not names.is_reserved(name) and name != columns[0]}
        if values:
            epoch = at if first in names.EPOCHS else None
            yield LineValues(values, epoch, step if epoch is not None else at, int(total) if total else None)

    def _cell(self, name: str, cell: str) -> None:
        value = number(cell)
        if not cell:
            self._group = name if name.endswith("/") else ""
        elif value is not None and len(self._box) < 1000:
            self._box[self._group + name] = value

    def _end_of_box(self) -> Iterator[LineValues]:
        box, self._box, self._group = self._box, {}, ""
        last = {name.rpartition("/")[2].lower(): value for name, value in box.items()}
        step = next((last[name] for name in ("total_timesteps", "totalenvinteracts", "step") if name in last), None)
        epoch = last.get("epoch")
        values = {n: v for n, v in box.items() if not n.startswith("time/") and not names.is_reserved(n)}
        if values:
            yield LineValues(values, epoch, step)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip(" |\t").split("|")] if "|" in line else line.split()

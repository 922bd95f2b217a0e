"""Decide from which source a metric is taken: the best of those that give it."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterable, Tuple

from .base import PATTERN, STDOUT, TENSORBOARD, Point, Source

Record = Dict[str, Any]
Owner = Tuple[int, int]  # rank, and which of that rank

MAX_NAMES = 1000


class Ledger:
    def __init__(self) -> None:
        self.muted = False  # a file gives metrics: standard output would only repeat the points
        self._owners: dict[str, Owner] = {}
        self._aliases: dict[tuple[Owner, str], str] = {}
        self._renewed: set[Owner] = set()
        self._full = False
        self.empty = True  # no metric was found

    def take(self, source: Source, points: Iterable[Point]) -> list[Record]:
        """Return records of those points for which this source is the one to use."""
        records: list[Record] = []
        mine = _owner(source)
        for point in points:
            if source.rank not in (STDOUT, PATTERN) and not self.muted:
                self.muted = True
                records += self._drop(STDOUT, 0)
            if source.rank == STDOUT and self.muted:
                break
            lost: list[str] = []
            values = {}
            for plain, value in point.values.items():
                name = self._aliases.get((mine, plain), plain)
                if self._owners.get(name) != mine:
                    name = self._claim(source, name, lost, records)
                if name:
                    values[name] = value
            if lost:
                records.append({"e": "reset", "names": lost})
            if values:
                self.empty = False
                records.append(_metric(point, values))
        return records

    def restart(self, source: Source, renewed: bool) -> list[Record]:
        """Drop what a source gave, as it begins anew.

        `renewed`: its file replaces a log of the attempt before, whose points are dropped too.
        """
        if renewed:
            self._renewed.add(_owner(source))
        return self._drop(*_owner(source))

    def _claim(self, source: Source, name: str, lost: list[str], records: list[Record]) -> str:
        """Return the name under which the source may give this metric; empty if a better source gives it."""
        mine, owner = _owner(source), self._owners.get(name)
        if owner is not None and owner[0] < mine[0]:
            return ""
        if owner is not None and owner != mine and owner[0] == mine[0]:
            # Two logs of one kind, such as train.csv and val.csv: metrics of the later one get its name as a prefix.
            alias = "%s/%s" % (os.path.splitext(source.label)[0], name)
            self._aliases[mine, name] = alias
            return self._claim(source, alias, lost, records)
        if owner is None and len(self._owners) >= MAX_NAMES:
            if not self._full:
                text = "more than %d metrics; the others are not stored, report fewer names" % MAX_NAMES
                records.append({"e": "warning", "text": text})
            self._full = True
            return ""
        if owner is not None or mine in self._renewed:
            lost.append(name)
        self._owners[name] = mine
        return name

    def _drop(self, rank: int, which: int) -> list[Record]:
        names = sorted(name for name, owner in self._owners.items() if owner == (rank, which))
        for name in names:
            del self._owners[name]
        return [{"e": "reset", "names": names}] if names else []


def _owner(source: Source) -> Owner:
    """Return the owner. Event files share one, as a run may write several, and `Names` keeps their tags apart."""
    return source.rank, 0 if source.rank in (STDOUT, TENSORBOARD) else id(source)


def _metric(point: Point, values: dict[str, float]) -> Record:
    record: Record = {"e": "metric", "step": point.step, "v": values}
    if point.epoch is not None:
        record["epoch"] = point.epoch
    return record

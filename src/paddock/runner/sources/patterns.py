"""Metrics that people have marked in the log: lines of standard output that match a pattern of the job."""

from __future__ import annotations

import contextlib
import re
import signal
import threading
from typing import Any, Dict, Iterator, List, Optional, Pattern, Tuple

from ...common import patterns
from .axis import XAxis, number
from .base import PATTERN, Point, Source
from .tail import Lines, Tail

_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_SECONDS = 2.0  # of the processor for one slice of a log; a pattern that takes longer is not used any more
_TOO_SLOW = "the metric pattern %s takes too long to search for and is not used; write it without nested repetitions"


class TooSlow(Exception):
    pass


class PatternSource(Source):
    """Follow a log for patterns, beside what is found there without any."""

    def __init__(self, tail: Tail, label: str, wanted: List[str]) -> None:
        self._wanted = [patterns.compiled(one) for one in wanted]
        super().__init__(tail, label, PATTERN)

    def begin(self) -> None:
        self._lines = Lines()
        self._axis = XAxis()
        self._placed = False
        self._counts: dict[str, int] = {}

    def read(self, data: bytes, end: bool) -> Iterator[Tuple[int, Point]]:
        found: List[Tuple[int, Point]] = []
        lines = self._lines.feed(data, end)
        with _limited(_SECONDS):
            for wanted in list(self._wanted):
                try:
                    for start, line, _ in lines:
                        found += [(start, point) for point in self._search(wanted, line)]
                except TooSlow:
                    self._wanted.remove(wanted)
                    self.warn(_TOO_SLOW % wanted.pattern)
        return iter(sorted(found, key=lambda one: one[0]))

    def _search(self, wanted: Pattern[str], raw: bytes) -> Iterator[Point]:
        line = raw[: 4 * patterns.MAX_LINE].decode("utf-8", "replace")
        if "\r" in line:
            line = next((part for part in reversed(line.split("\r")) if part.strip()), "")
        if "\x1b" in line:
            line = _ANSI.sub("", line)
        match = wanted.search(line[: patterns.MAX_LINE])
        if not match:
            return
        groups = match.groupdict()
        special = (*patterns.PLACES, "name", "value")
        values = {name: _number(text) for name, text in groups.items() if name not in special}
        if groups.get("name"):
            values[groups["name"].strip()] = _number(groups.get("value"))
        kept = {name: value for name, value in values.items() if value is not None}
        if not kept:
            return
        step, epoch = _number(groups.get("step")), _number(groups.get("epoch"))
        if step is not None or epoch is not None or self._placed:
            self._placed = True
            yield Point(*self._at(step, epoch, kept))
            return
        for name, value in kept.items():
            self._counts[name] = self._counts.get(name, -1) + 1
            yield Point(self._counts[name], {name: value})

    def _at(self, step: Optional[float], epoch: Optional[float], values: dict[str, float]) -> Tuple[Any, ...]:
        x, other = self._axis.place(step, epoch)
        return x, values, other


Found = Tuple[float, Dict[str, float]]  # step, values
MOST = 100_000  # points per log


def search(asked: Tuple[List[str], List[str]]) -> List[List[Found]]:
    """Return what patterns give in each of some logs. For a process of its own: a pattern may take very long."""
    logs, wanted = asked
    found: List[List[Found]] = []
    for log in logs:
        source, more = PatternSource(Tail(log), "out.log", wanted), True
        points: List[Found] = []
        while more and len(points) < MOST:
            batch = source.poll(True)
            points += [(point.step, point.values) for point in batch.points]
            more = batch.more
        found.append(points[:MOST])
    return found


def _number(text: Optional[str]) -> Optional[float]:
    return None if text is None else number(text.strip().rstrip("%,;"))


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise TooSlow inside after this many seconds of the processor. Only the main thread can be limited."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)  # for the patterns after this one
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)

"""What all sources have in common: a file that is followed, and batches of points."""

from __future__ import annotations

from typing import Iterable, NamedTuple

from ...common.files import NotPlain
from .tail import Tail

# The lower, the more a source is to be trusted with a metric that several give.
REPORT, NAMED, CSV, JSONL, TENSORBOARD, STDOUT = range(6)


class Point(NamedTuple):
    """Values at one step. `epoch` only where it differs from the step."""

    step: float
    values: dict[str, float]
    epoch: float | None = None


class SourceBatch:
    """What one look at a source gave."""

    def __init__(self) -> None:
        self.points: list[Point] = []
        self.warnings: list[str] = []
        self.total: int | None = None
        self.restarted = False  # the file was rewritten: forget the points it gave before
        self.more = False  # there is more to read at once


class Source:
    """Follows one file. Subclasses say how to begin and how to read what the file gained."""

    def __init__(self, tail: Tail, label: str, rank: int) -> None:
        self.tail = tail
        self.label = label  # the file's name as a person would say it
        self.rank = rank
        self.dead = False  # cannot be read: warned about, not looked at again
        self.rejected = False  # turned out not to be a metric log
        self._warned = False
        self._batch = SourceBatch()
        self.begin()

    def poll(self, final: bool = False) -> SourceBatch:
        """Read at most one slice of what is new; at the end (`final`) an unfinished last line too."""
        self._batch = SourceBatch()
        if self.dead or self.rejected:
            return self._batch
        try:
            chunk = self.tail.read(final)
        except NotPlain as e:
            self.warn("is not read: %s; write it as a plain file" % e.strerror)
            return self._batch
        except OSError as e:
            self.warn("cannot be read (%s); make it readable for the user the training runs as" % (e.strerror or e))
            return self._batch
        if chunk.restarted:
            self.begin()
        self._batch.restarted = chunk.restarted
        self._batch.more = chunk.more
        end = final and not chunk.more
        if chunk.data or end:
            old = self.tail.old
            self._batch.points += [point for start, point in self.read(chunk.data, end) if start >= old]
        return self._batch

    def restart(self) -> None:
        """Read the file from its beginning again."""
        self.tail.rewind()
        self.dead = False
        self.begin()

    def begin(self) -> None:
        """Forget what was read of the file."""
        raise NotImplementedError

    def read(self, data: bytes, end: bool) -> Iterable[tuple[int, Point]]:
        """The points in `data`, each with the place in the file where its record begins."""
        raise NotImplementedError

    def warn(self, text: str) -> None:
        """One warning a file: the first says what is wrong, the rest would bury it."""
        if not self._warned:
            self._warned = True
            self._batch.warnings.append("%s: %s" % (self.label, text))

    def give_up(self, text: str) -> None:
        self.warn(text)
        self.dead = True

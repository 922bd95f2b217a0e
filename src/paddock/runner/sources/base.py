"""What all sources have in common: a file that is followed, and batches of points."""

from __future__ import annotations

from typing import Iterable, Iterator, NamedTuple

from ...common.files import NotPlain
from .tail import Lines, Tail

# Ranks: where several sources give the same metric, the one with the lowest rank is taken.
REPORT, NAMED, PATTERN, CSV, JSONL, TENSORBOARD, STDOUT = range(7)


class Point(NamedTuple):
    """Values at one step. `epoch` is set only where it differs from the step."""

    step: float
    values: dict[str, float]
    epoch: float | None = None


class SourceBatch:
    """What one poll of a source gave."""

    def __init__(self) -> None:
        self.points: list[Point] = []
        self.warnings: list[str] = []
        self.total: int | None = None
        self.restarted = False  # the file was rewritten: forget the points that it gave before
        self.more = False  # there is more to read at once


class Source:
    """Follow one file. Subclasses define how to begin, and how to read what was appended to the file."""

    def __init__(self, tail: Tail, label: str, rank: int) -> None:
        self.tail = tail
        self.label = label  # the name of the file, for messages
        self.rank = rank
        self.dead = False  # cannot be read: there was a warning, and it is not polled again
        self.rejected = False  # turned out not to be a metric log
        self.changed = False  # something was read since the follower last looked at this
        self.changed_at: float | None = None
        self.due_at = 0.0  # when to look at the file again
        self.more = False  # the last look did not reach the end
        self._warned = False
        self._batch = SourceBatch()
        self.begin()

    def poll(self, final: bool = False) -> SourceBatch:
        """Read up to one slice of what is new; at the end (`final`) an unfinished last line too."""
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
        self.changed = self.changed or chunk.restarted or bool(chunk.data)
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
        """Return the points in `data`, each with the offset in the file at which its record begins."""
        raise NotImplementedError

    def warn(self, text: str) -> None:
        """Warn once per file: further warnings would bury the first, which names the problem."""
        if not self._warned:
            self._warned = True
            self._batch.warnings.append("%s: %s" % (self.label, text))

    def give_up(self, text: str) -> None:
        self.warn(text)
        self.dead = True


class LineSource(Source):
    """Follow a file of lines. `sure`: it is a metric log; otherwise its first line decides, and it may be rejected."""

    overlong = ""  # the warning about a line that is too long to be read

    def __init__(self, tail: Tail, label: str, rank: int, sure: bool = True) -> None:
        self._sure = sure
        super().__init__(tail, label, rank)

    def begin(self) -> None:
        self._lines = Lines()

    def read(self, data: bytes, end: bool) -> Iterator[tuple[int, Point]]:
        for start, line, complete in self._lines.feed(data, end):
            point = self.line(line, complete)
            if point:
                yield start, point
            if self.dead or self.rejected:
                return
        if self._lines.overlong:
            self.unreadable(self.overlong)

    def line(self, line: bytes, complete: bool) -> Point | None:
        """Return the point in a line, if it has one. `complete` is False for a last line without its end."""
        raise NotImplementedError

    def unreadable(self, text: str) -> None:
        if self._sure:
            self.give_up(text)
        else:
            self.rejected = True

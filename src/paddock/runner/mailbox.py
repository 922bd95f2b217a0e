"""The engine's files for the runners: tasks.jsonl, control.jsonl and the claims."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import zlib
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from ..common import files, layout
from .process.deadline import Yield, parse_yield
from .sharing import oom_retry

# Bytes of each of the engine's files that are read at once.
READ_BYTES = 8_000_000
# Bytes of tasks.jsonl that are kept: a runner that is alone reads it once per this many.
KEPT_BYTES = 16_000
# In a queue of more attempts, the folder of claims shows which are free.
WALK = 8
# Attempts that others have, one after the other, before the folder is listed (again).
STALE_MISSES, FRESH_MISSES = 2, 4
# Claims after which it is listed again, to come back to attempts that were passed over.
LIST_AFTER = 4
# The farthest place from the first free attempt at which a claim begins.
FARTHEST = 4096
# Characters of why tasks end.
LONGEST_REASON = 300
# Orders that were read less than this many seconds ago are not read again for the next try.
ORDERS_SECONDS = 0.05

Identity = Tuple[str, int]


class QueuedAttempt(NamedTuple):
    """A line of tasks.jsonl. What `line` contains besides the identity is checked when the attempt is started."""

    task: str
    number: int
    line: Dict[str, Any]

    @property
    def identity(self) -> Identity:
        return self.task, self.number

    @property
    def resume(self) -> bool:
        return bool(self.line.get("resume"))

    @property
    def source(self) -> Optional[str]:
        """The task from whose checkpoint it continues."""
        value = self.line.get("from")
        return value if isinstance(value, str) and value and os.sep not in value and value != ".." else None

    @property
    def params(self) -> Dict[str, Any]:
        given = self.line.get("params")
        return given if isinstance(given, dict) else {}

    @property
    def memory_needed(self) -> oom_retry.MemoryNeeded:
        return oom_retry.parse(self.line.get("room"))

    @property
    def seconds(self) -> Optional[float]:
        """How long the engine expects it to take."""
        value = self.line.get("seconds")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
            return None
        return float(value)

    @property
    def size(self) -> Optional[int]:
        """The number of GPUs that it has to have; None: those that its allocation gives to each task."""
        value = self.line.get("size")
        return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


class QueuedLine(NamedTuple):
    """Where the line of an attempt is. The line itself is read when the attempt is to be claimed: it may be long."""

    task: str
    number: int
    offset: int
    size: int


class JsonLinesTail:
    """Reads the complete JSON objects that were appended to a file since the last time."""

    def __init__(self, path: str, below: str) -> None:
        self._path = path
        self._below = below
        self._offset = 0
        self.found = False  # the file exists
        self.more = False  # there is more than is read at once

    def read(self) -> Iterator[Tuple[int, int, Dict[str, Any]]]:
        """Yield offset, size and content of each."""
        # Opening, unlike stat, makes a network file system ask its server for the size. While the file does not exist,
        # its folder has to be opened too: otherwise it would not be seen for a while.
        try:
            below = None if self.found else self._below
            data = files.read_plain(self._path, READ_BYTES, offset=self._offset, below=below)
        except OSError:
            self.found = self.more = False
            return
        self.found = True
        self.more = len(data) == READ_BYTES
        end = data.rfind(b"\n") + 1
        if not end and self.more:
            end = len(data)  # the engine writes no line of megabytes: skip it
        first, self._offset = self._offset, self._offset + end
        start = 0
        while start < end:
            stop = data.find(b"\n", start, end) + 1 or end
            line = _parse(data[start:stop])
            if line is not None:
                yield first + start, stop - start, line
            start = stop


class Mailbox:
    """Reads the engine's files, and claims attempts.

    A runner that is alone claims them in their order there. Of many runners, each begins at a place of its own among
    the first free ones, as all but one would fail to claim the first. If attempts are dealt to allocations, each has
    its own list and its own claims, by which the engine can take back what has not begun.
    """

    def __init__(
        self,
        job_dir: str,
        key: str,
        start: int = 1,
        clock: Callable[[], float] = time.monotonic,
        dealt: bool = False,
        size: int = 0,
    ) -> None:
        """`size`: the number of GPUs that each task gets; attempts that have to have another are not for this one."""
        self._clock = clock
        self._size = size
        self._job_dir = job_dir
        self._key = key
        self._start = start
        self._folder = layout.queue(job_dir, key, dealt)
        self._path = os.path.join(self._folder, layout.TASKS)
        if dealt:  # the job's own folder has one; an allocation's need not have one yet
            os.makedirs(os.path.join(self._folder, layout.CLAIMS), mode=0o755, exist_ok=True)
        self._tasks = JsonLinesTail(self._path, job_dir)
        self._control = JsonLinesTail(os.path.join(job_dir, layout.CONTROL), job_dir)
        self._queue: List[QueuedLine] = []
        self._kept = (0, b"")  # offset and content of the part of tasks.jsonl that was read last
        self._complaint = ""
        self._orders_at = 0.0
        number = key.rpartition(".")[2]
        self._index = int(number) if number.isdigit() and not dealt else 0
        # What is known of other runners, see `_place`.
        self._listed_at = self._clock()
        self._fresh = False  # the queue was compared with the claims for the present claim
        self._misses = 0  # attempts that others had, in the present claim
        self._claims = 0  # own ones since the folder was listed
        self._pace: Optional[float] = None  # what others claim per second
        self._reach = 1
        self._places = 0
        self.orders: Dict[Identity, str] = {}
        self.drained = False
        self.dismissed = False  # drained, and its tasks have to end too: the allocation is over
        self.makes_room = ""  # for whom: then tasks that have a checkpoint end at once
        self.held = False
        self.time_limit: Optional[float] = None  # in place of the manifest's
        self.yields: Optional[Yield] = None  # in place of the manifest's
        self.patterns: Optional[List[str]] = None  # of metrics in the log, in place of the manifest's
        self.closed = False
        self.unfit = False

    @property
    def empty(self) -> bool:
        return not self._queue

    @property
    def found(self) -> bool:
        """True if the file of orders exists, and with it the job's folder."""
        return self._control.found

    def read(self) -> None:
        self.read_orders()
        self.read_tasks()

    def read_tasks(self) -> None:
        """Read new attempts."""
        for offset, size, line in self._tasks.read():
            self.closed = line.get("end") is True
            attempt = _attempt(line)
            if attempt is not None and attempt.size in (None, self._size):
                self._queue.append(QueuedLine(attempt.task, attempt.number, offset, size))
                self.unfit = False
        self.closed = self.closed and not self._tasks.more

    def read_orders(self) -> None:
        """Read all new orders."""
        self._orders_at = self._clock()
        while True:
            for _, _, line in self._control.read():
                self._apply_order(line)
            if not self._control.more:
                return

    def claim(self, deadline: float, fits: Callable[[QueuedAttempt], Optional[bool]]) -> Optional[QueuedAttempt]:
        """Claim and return the next attempt that fits and that no other runner has; the others stay in the queue.

        It gives up at the deadline, as other runners may have thousands, and when `fits` returns None: then nothing
        fits now. Afterwards `unfit` is True if nothing that is left fits.
        """
        left: List[QueuedLine] = []
        self._fresh, self._misses, self._orders_at = False, 0, 0.0
        try:
            return self._next(deadline, fits, left)
        except OSError as error:
            self._complain("cannot claim a task: %s" % error)
            return None
        finally:
            self.unfit = bool(left) and not self._queue
            if left:
                self._queue = sorted(left + self._queue, key=lambda line: line.offset)

    def _next(
        self, deadline: float, fits: Callable[[QueuedAttempt], Optional[bool]], left: List[QueuedLine]
    ) -> Optional[QueuedAttempt]:
        while self._queue and self._clock() < deadline:
            if self._has_to_list:
                self._list_claims()
                continue
            place = self._place()
            attempt = self._read_line(self._queue[place])
            fit = attempt is not None and fits(attempt)
            if fit is None:
                return None
            if attempt is None or not fit:
                line = self._queue.pop(place)
                left += [line] if attempt is not None else []
                continue
            # The allocation may be over by now.
            if self._clock() - self._orders_at > ORDERS_SECONDS:
                self.read_orders()
            if self.drained or self.held:
                return None
            mine = attempt.identity not in self.orders and self._take(attempt)
            del self._queue[place]
            if mine:
                self._claims += 1
                self._reach = max(1, self._reach // 2)
                return attempt
            self._misses += 1
            if self._fresh:
                self._reach = min(FARTHEST, 4 * self._reach)
        return None

    def claim_this(self, attempt: QueuedAttempt) -> bool:
        """Claim an attempt of the queue; return False if another runner has it, or this one may claim no more."""
        self.read_orders()
        if self.drained or self.held:
            return False
        try:
            mine = attempt.identity not in self.orders and self._take(attempt)
        except OSError as error:
            self._complain("cannot claim %s: %s" % (attempt.task, error))
            return False
        self._queue = [line for line in self._queue if (line.task, line.number) != attempt.identity]
        self._claims += mine
        return mine

    @property
    def _has_to_list(self) -> bool:
        if len(self._queue) <= WALK:
            return False
        if self._fresh:
            return self._misses >= FRESH_MISSES
        if self._pace is None:
            return self._claims + self._misses > 0
        passed = self._pace > 0 and (self._claims >= LIST_AFTER or self._expected >= len(self._queue))
        return passed or self._misses >= STALE_MISSES

    @property
    def _expected(self) -> int:
        """How many of the first in the queue others have claimed since the folder was listed."""
        return int((self._pace or 0.0) * (self._clock() - self._listed_at))

    def _place(self) -> int:
        """Return where in the queue to begin: beyond what others will have by now, and not where they begin.

        The first claim begins at the number of the allocation in its batch, as they may all start at the same moment.
        """
        if self._pace is None and not (self._fresh or self._claims):
            return self._index % len(self._queue)
        first = self._expected
        first = first if first < len(self._queue) else 0
        self._places += 1
        own = zlib.crc32(b"%s %d" % (self._key.encode(), self._places))
        return first + own % min(self._reach, len(self._queue) - first)

    def _list_claims(self) -> None:
        """Remove from the queue what others have claimed, and measure how fast they claim."""
        path = os.path.join(self._folder, layout.CLAIMS)
        with files.in_folder(path, below=self._job_dir) as folder, os.scandir(folder) as entries:
            claimed = {entry.name for entry in entries}
        before = len(self._queue)
        self._queue = [line for line in self._queue if layout.claim_name(line.task, line.number) not in claimed]
        now = self._clock()
        if self._claims:
            self._pace = (before - len(self._queue) + self._misses) / max(now - self._listed_at, 1.0)
        self._listed_at, self._fresh, self._misses, self._claims = now, True, 0, 0

    def _read_line(self, line: QueuedLine) -> Optional[QueuedAttempt]:
        """Return the attempt; None if its line is not there any more."""
        first, data = self._kept
        if not first <= line.offset <= line.offset + line.size <= first + len(data):
            size = max(line.size, KEPT_BYTES)
            first, data = line.offset, files.read_plain(self._path, size, offset=line.offset)
            self._kept = (first, data)
        content = _parse(data[line.offset - first : line.offset - first + line.size])
        attempt = content and _attempt(content)
        return attempt if attempt and attempt.identity == (line.task, line.number) else None

    def _take(self, attempt: QueuedAttempt) -> bool:
        path = layout.claim(self._folder, attempt.task, attempt.number)
        try:
            claim = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        except FileExistsError:
            return False
        # The attempt is claimed now, even if its key cannot be written.
        with contextlib.suppress(OSError):
            try:
                os.write(claim, (self._key + "\n").encode())
            finally:
                os.close(claim)
        return True

    def _apply_order(self, line: Dict[str, Any]) -> None:
        order = line.get("op")
        if order == "drain":
            last = line.get("start")  # it is for this start and earlier ones; without it, for all
            if line.get("allocation") == self._key and not (isinstance(last, int) and self._start > last):
                self.drained = True
                self.dismissed = self.dismissed or line.get("now") is True
                if line.get("saved") is True:
                    self.makes_room = str(line.get("why") or "made room for others")[:LONGEST_REASON]
        elif order in ("hold", "release"):
            self.held = order == "hold"
        elif order == "yield":
            if line.get("allocation") == self._key:
                self.yields = parse_yield(line)
        elif order == "limit":
            given = line.get("time_limit")
            self.time_limit = float(given) if isinstance(given, (int, float)) and given > 0 else self.time_limit
        elif order == "patterns":
            given = line.get("patterns")
            self.patterns = [str(one) for one in given] if isinstance(given, list) else self.patterns
        elif order in ("stop", "prune", "follow", "resize"):
            task, number = line.get("task"), line.get("attempt")
            if isinstance(task, str) and isinstance(number, int):
                self.orders.setdefault((task, number), order)

    def _complain(self, text: str) -> None:
        if text != self._complaint:
            self._complaint = text
            print(text, file=sys.stderr, flush=True)


def _parse(line: bytes) -> Optional[Dict[str, Any]]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _attempt(line: Dict[str, Any]) -> Optional[QueuedAttempt]:
    task, number = line.get("task"), line.get("attempt")
    if not isinstance(task, str) or not isinstance(number, int):
        return None
    # It becomes the name of a folder.
    if not task or task.startswith(".") or "/" in task or "\0" in task or len(task) > 200:
        return None
    return QueuedAttempt(task, number, line)

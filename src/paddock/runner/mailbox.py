"""The engine's files for the runners: tasks.jsonl, control.jsonl and the claims."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, List, NamedTuple, Optional, Tuple

from ..common import files, layout
from .sharing import oom_retry

# Bytes of each of the engine's files that are read at once.
READ_BYTES = 8_000_000

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


class JsonLinesTail:
    """Reads the complete JSON objects that were appended to a file since the last time."""

    def __init__(self, path: str, below: str) -> None:
        self._path = path
        self._below = below
        self._offset = 0
        self.more = False  # there is more than is read at once

    def read(self) -> List[Dict[str, Any]]:
        # Opening, unlike stat, makes a network file system ask its server for the size.
        try:
            data = files.read_plain(self._path, READ_BYTES, offset=self._offset, below=self._below)
        except OSError:
            self.more = False
            return []
        self.more = len(data) == READ_BYTES
        end = data.rfind(b"\n") + 1
        if not end and self.more:
            end = len(data)  # the engine writes no line of megabytes: skip it
        self._offset += end
        return [line for line in map(_parse, data[:end].splitlines()) if line is not None]


class Mailbox:
    """Reads the engine's files, and claims attempts in their order there."""

    def __init__(self, job_dir: str, key: str, start: int = 1) -> None:
        self._job_dir = job_dir
        self._key = key
        self._start = start
        self._tasks = JsonLinesTail(os.path.join(job_dir, layout.TASKS), job_dir)
        self._control = JsonLinesTail(os.path.join(job_dir, layout.CONTROL), job_dir)
        self._queue: Deque[QueuedAttempt] = deque()
        self._complaint = ""
        self.orders: Dict[Identity, str] = {}
        self.drained = False
        self.dismissed = False  # drained, and its tasks have to end too: the allocation is over
        self.held = False
        self.time_limit: Optional[float] = None  # in place of the manifest's
        self.closed = False
        self.unfit = False

    @property
    def empty(self) -> bool:
        return not self._queue

    def read(self) -> None:
        self.read_orders()
        for line in self._tasks.read():
            self.closed = line.get("end") is True
            attempt = _attempt(line)
            if attempt is not None:
                self._queue.append(attempt)
        self.closed = self.closed and not self._tasks.more

    def read_orders(self) -> None:
        """Read all new orders."""
        while True:
            for line in self._control.read():
                self._apply_order(line)
            if not self._control.more:
                return

    def claim(self, deadline: float, fits: Callable[[QueuedAttempt], Optional[bool]]) -> Optional[QueuedAttempt]:
        """Claim and return the next attempt that fits and that no other runner has; the others stay in the queue.

        It gives up at the deadline, as other runners may have thousands, and when `fits` returns None: then nothing
        fits now. Afterwards `unfit` is True if nothing that is left fits.
        """
        left: List[QueuedAttempt] = []
        try:
            return self._next(deadline, fits, left)
        finally:
            self.unfit = bool(left) and not self._queue
            self._queue.extendleft(reversed(left))

    def _next(
        self, deadline: float, fits: Callable[[QueuedAttempt], Optional[bool]], left: List[QueuedAttempt]
    ) -> Optional[QueuedAttempt]:
        while self._queue and time.monotonic() < deadline:
            attempt = self._queue[0]
            fit = fits(attempt)
            if fit is None:
                return None
            if not fit:
                left.append(self._queue.popleft())
                continue
            self.read_orders()  # before each claim: the allocation may be over by now
            if self.drained or self.held:
                return None
            try:
                mine = attempt.identity not in self.orders and self._take(attempt)
            except OSError as error:
                self._complain("cannot claim %s: %s" % (attempt.task, error))
                return None
            self._queue.popleft()
            if mine:
                return attempt
        return None

    def _take(self, attempt: QueuedAttempt) -> bool:
        path = layout.claim(self._job_dir, attempt.task, attempt.number)
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
        elif order in ("hold", "release"):
            self.held = order == "hold"
        elif order == "limit":
            given = line.get("time_limit")
            self.time_limit = float(given) if isinstance(given, (int, float)) and given > 0 else self.time_limit
        elif order in ("stop", "prune", "follow"):
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

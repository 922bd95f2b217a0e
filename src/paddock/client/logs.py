"""Read what a task printed, in ranges of bytes."""

import codecs
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass

from paddock.client.connection import Connection
from paddock.client.events import polled
from paddock.models.states import TaskState

PART = 10_000_000
MOST = 50_000_000  # that the server gives at once
FOLLOW_SECONDS = 0.4


@dataclass(frozen=True)
class LogPart:
    """A range of a log: where it starts, how large the whole log is, and the bytes."""

    start: int
    size: int
    data: bytes

    @property
    def end(self) -> int:
        return self.start + len(self.data)

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", errors="replace")


class TaskLog:
    """The log of one attempt; the current one when `attempt` is not given."""

    def __init__(self, connection: Connection, task: str, attempt: int | None = None) -> None:
        self._connection = connection
        self._path = f"/tasks/{task}"
        self._attempt = attempt

    def part(self, offset: int = 0, limit: int = PART) -> LogPart:
        """Return a range of bytes; a negative offset counts from the end."""
        params = {"offset": offset, "limit": limit} | ({"attempt": self._attempt} if self._attempt else {})
        response = self._connection.request("GET", f"{self._path}/log", params=params)
        start, size = (int(response.headers.get(name, "0")) for name in ("x-log-start", "x-log-size"))
        return LogPart(start, size, response.content)

    def whole(self) -> LogPart:
        parts: list[bytes] = []
        end = 0
        while True:
            part = self.part(end)
            parts.append(part.data)
            end += len(part.data)
            if not part.data or end >= part.size:
                return LogPart(0, part.size, b"".join(parts))

    def tail(self, lines: int) -> LogPart:
        """Return the last lines; fewer if these have more than 50 MB."""
        reach = 65_536
        while True:
            part = self.part(-reach, reach)
            if part.start == 0 or reach >= MOST or part.data[:-1].count(b"\n") >= lines:
                found = part.data.split(b"\n")
                last = lines + (not found[-1])  # a log that ends with a line feed has an empty piece after it
                kept = b"\n".join(found[-last:]) if lines else b""
                return LogPart(part.end - len(kept), part.size, kept)
            reach = min(reach * 8, MOST)

    def follow(self, offset: int = 0) -> Iterator[str]:
        """Return what is printed while it is printed, until the attempt has ended. The server may be away meanwhile."""
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        # Whether it has ended is asked before reading: nothing comes after.
        for ended, part in polled(lambda: (self._ended(), self.part(offset))):  # noqa: B023 - the one of that moment
            if part.size < offset:  # its middle was dropped: go on behind what is there
                offset = part.size
                yield "\n[paddock] the middle of this log was dropped\n"
            elif part.data:
                offset = part.end
                yield decoder.decode(part.data)
            elif ended:
                return
            else:
                time.sleep(FOLLOW_SECONDS)

    def _ended(self) -> bool:
        found = json.loads(self._connection.request("GET", f"{self._path}/attempts").content)
        self._attempt = self._attempt or int(found[-1]["number"])
        return TaskState(found[self._attempt - 1]["state"]).ended if self._attempt <= len(found) else True

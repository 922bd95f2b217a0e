"""Follow the event stream of a server across interruptions."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from paddock.client.connection import Connection
from paddock.errors import Busy, DatabaseUnavailable, PaddockError, ServerUnreachable

if TYPE_CHECKING:
    from paddock.models import Event

AWAY_SECONDS, AWAY_PAUSE = 60.0, 0.5
Seen = TypeVar("Seen")


@dataclass(frozen=True)
class Sent:
    """One server-sent event."""

    event: str
    data: str
    id: str | None


def events(connection: Connection, job: str | None, last: int | None) -> "Iterator[Event]":
    """Return events as they happen. If the server was away for a while, the stream is resumed where it was."""
    position = last
    outage: Outage | None = None  # a server that never answered is an error at once
    while True:
        try:
            resumed = {"Last-Event-ID": str(position)} if position is not None else {}
            with connection.stream("/events", resumed, job=job) as response:
                outage = outage or Outage()
                outage.end()
                for sent in server_sent(response.parts()):
                    position = int(sent.id) if sent.id and sent.id.isdigit() else position
                    if event := _event(sent, job, position):
                        yield event
            ended: PaddockError = ServerUnreachable("The server closed the event stream.")
        except (ServerUnreachable, Busy, DatabaseUnavailable) as error:
            ended = error
        if outage is None:
            raise ended
        outage.go_on(ended)


def _event(sent: "Sent", job: str | None, position: int | None) -> "Event | None":
    from pydantic import ValidationError

    from paddock.models import Event

    if sent.event == "hello":
        return None
    if sent.event == "reset":
        # More happened than the server keeps: the caller must fetch the present state.
        return Event(id=position or 0, at=datetime.now(UTC), job=job, kind="job", data={"change": "missed"})
    try:
        return Event.model_validate_json(sent.data)
    except ValidationError:  # of a newer server
        return None


def server_sent(parts: Iterable[bytes]) -> Iterator[Sent]:
    """Return the events of a stream. Lines end with line feeds only: JSON may contain other line ends of Unicode."""
    event, last = "message", None
    data: list[str] = []
    for line in _lines(parts):
        if not line:
            if data:
                yield Sent(event, "\n".join(data), last)
            event, data = "message", []
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            event = value
        elif field == "data":
            data.append(value)
        elif field == "id":
            last = value


def _lines(parts: Iterable[bytes]) -> Iterator[str]:
    rest = b""
    for part in parts:
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            yield line.removesuffix(b"\r").decode("utf-8", errors="replace")


class Outage:
    """The time since a server last answered, while a caller follows something."""

    def __init__(self) -> None:
        self._since: float | None = None

    def end(self) -> None:
        self._since = None

    def go_on(self, error: PaddockError) -> None:
        """Wait a little; raise the error if the server has been away for too long."""
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        if now - self._since >= AWAY_SECONDS:
            raise error
        time.sleep(AWAY_PAUSE)


def polled(fetch: Callable[[], Seen]) -> Iterator[Seen]:
    """Return what `fetch` returns, each time the caller asks; a server may be away for a while in between."""
    outage = Outage()
    while True:
        try:
            seen = fetch()
        except ServerUnreachable as error:
            outage.go_on(error)
            continue
        outage.end()
        yield seen

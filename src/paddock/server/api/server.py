"""What all routes share."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Depends, Request

from paddock.paths import Home
from paddock.rules.task_view import Outline
from paddock.server.api import acts
from paddock.server.api.acts import AuditedReads
from paddock.server.api.caller import Caller
from paddock.server.api.file_threads import FileThreads
from paddock.server.api.health_watch import HealthWatch
from paddock.server.api.kept import Kept
from paddock.server.api.measured import MeasuredValues
from paddock.server.api.recent import RecentAnswers
from paddock.server.api.streams import Streams
from paddock.server.api.wakeup import Wakeup
from paddock.server.engine.engine import Engine
from paddock.server.notify.outbox import Outbox
from paddock.server.outposts.registry import Outposts
from paddock.server.store.db import Connection, Database
from paddock.settings import Settings


@dataclass(frozen=True)
class Server:
    db: Database
    home: Home
    settings: Settings
    engine: Engine
    wakeup: Wakeup
    page: str = ""  # the address that people open, for links in messages
    streams: Streams = field(init=False)
    watch: HealthWatch = field(init=False)
    outbox: Outbox = field(init=False)
    reads: AuditedReads = field(init=False)
    outlines: Kept[list[Outline]] = field(init=False, default_factory=lambda: Kept(50_000))  # tasks
    measured: MeasuredValues = field(init=False, default_factory=MeasuredValues)
    searches: Kept[bytes] = field(init=False, default_factory=lambda: Kept(32_000_000))  # reports in JSON
    histories: RecentAnswers = field(init=False, default_factory=RecentAnswers)
    files: FileThreads = field(init=False, default_factory=FileThreads)

    def __post_init__(self) -> None:
        object.__setattr__(self, "streams", Streams(self.db, self.wakeup))
        object.__setattr__(self, "reads", AuditedReads(self.db))
        object.__setattr__(self, "watch", HealthWatch(self.db, self.home))
        object.__setattr__(self, "outbox", Outbox(self.db, self.home.root, self.settings, self.page))

    @property
    def outposts(self) -> Outposts:
        """Return where the folders of jobs lie."""
        return self.engine.context.outposts

    @contextmanager
    def change(
        self, by: Caller, act: str, object: str, detail: Mapping[str, Any] | None = None
    ) -> Iterator[Connection]:
        """Open a transaction that writes what a person wants, and who it was (`acts.record`).

        Then wake the engine, which acts, and the streams.
        """
        with self.db.write() as c:
            acts.record(c, self.settings, by, act, object, detail)
            yield c
        self.changed()

    def did(self, by: Caller, act: str, object: str) -> None:
        """Record what a person wanted and other transactions have written; then wake the engine and the streams."""
        if by.team:
            with self.db.write() as c:
                acts.record(c, self.settings, by, act, object)
        self.changed()

    def changed(self) -> None:
        """Wake the engine, which acts on what was written, and the event streams."""
        self.engine.wake()
        self.wakeup.ring()


async def _server(request: Request) -> Server:  # async: needs no worker thread
    server: Server = request.app.state.server
    return server


At = Annotated[Server, Depends(_server)]

"""What the routes share."""

from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Path, Request

from paddock.paths import Home
from paddock.server.api.streams import Streams
from paddock.server.api.wakeup import Bell
from paddock.server.api.watch import Watch
from paddock.server.engine.engine import Engine
from paddock.server.store.db import Database
from paddock.settings import Settings


@dataclass(frozen=True)
class Server:
    db: Database
    home: Home
    settings: Settings
    engine: Engine
    bell: Bell
    streams: Streams = field(init=False)
    watch: Watch = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "streams", Streams(self.db, self.bell))
        object.__setattr__(self, "watch", Watch(self.db, self.home))

    def changed(self) -> None:
        """Intent was written: the engine acts on it, and those who follow hear of it."""
        self.engine.wake()
        self.bell.ring()


async def _server(request: Request) -> Server:  # async: needs no worker thread
    server: Server = request.app.state.server
    return server


At = Annotated[Server, Depends(_server)]
JobId = Annotated[str, Path(description="id of a job, or its beginning", max_length=64)]
TaskId = Annotated[str, Path(description="id of a task; the job's part may be shortened", max_length=64)]

"""What the routes share."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Request

from paddock.api.bell import Bell
from paddock.engine.engine import Engine
from paddock.paths import Home
from paddock.settings import Settings
from paddock.store.db import Database


@dataclass(frozen=True)
class Server:
    db: Database
    home: Home
    settings: Settings
    engine: Engine
    bell: Bell

    def changed(self) -> None:
        """Intent was written: the engine acts on it, and those who follow hear of it."""
        self.engine.wake()
        self.bell.ring()


def _server(request: Request) -> Server:
    server: Server = request.app.state.server
    return server


At = Annotated[Server, Depends(_server)]
JobId = Annotated[str, Path(description="id of a job, or its beginning", max_length=64)]
TaskId = Annotated[str, Path(description="id of a task; the job's part may be shortened", max_length=64)]

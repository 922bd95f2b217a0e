"""`paddock up`: one process with the API and the engine."""

import fcntl
import json
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

import uvicorn

from paddock.api.app import create_app
from paddock.api.bell import Bell
from paddock.api.server import Server
from paddock.backends.base import Backend
from paddock.backends.local import LocalBackend
from paddock.engine.engine import Engine
from paddock.errors import Conflict, InvalidInput
from paddock.paths import Home, write_once
from paddock.settings import Settings
from paddock.store.db import Database
from paddock.version import __version__

Announce = Callable[[str, str], None]  # address, address with the token


def serve(settings: Settings, *, announce: Announce | None = None) -> int:
    """Serve until told to end (SIGINT, SIGTERM). Runners go on after that."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)  # also what uvicorn hands the signal on to when it has shut down
    home = Home(settings.home)
    home.create()
    os.umask(0o077)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("alembic").setLevel(logging.WARNING)
    with _alone(home), _listen(settings.host, settings.port) as listener:
        db = open_database(settings, home)
        try:
            bell = Bell()
            engine = Engine(db, home, settings, backends(settings, home), bell.ring)
            token = home.ensure_token()
            app = create_app(Server(db, home, settings, engine, bell), token)
            url = _url(settings.host, listener.getsockname()[1])
            config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=3, access_log=False)
            _Uvicorn(config, home, url, lambda: (announce or _print)(url, f"{url}/?token={token}")).run([listener])
        finally:
            db.close()
    return 0


def _leave(number: int, _: object) -> None:
    raise SystemExit(0)


def open_database(settings: Settings, home: Home) -> Database:
    db = Database(settings.database or f"sqlite:///{home.database}")
    db.migrate()
    return db


def backends(settings: Settings, home: Home) -> list[Backend]:
    if settings.backend != "local":
        raise InvalidInput(f"There is no backend {settings.backend!r}; there is: local.")
    return [LocalBackend(home.local, settings.local)]


class _Uvicorn(uvicorn.Server):
    """Says where it is once it answers, and no longer when it does not."""

    def __init__(self, config: uvicorn.Config, home: Home, url: str, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._home = home
        self._address = url
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            about = {"url": self._address, "pid": os.getpid(), "version": __version__}
            write_once(self._home.server, json.dumps(about), mode=0o600)
            self._announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._home.server.unlink(missing_ok=True)
        await super().shutdown(sockets)


def _print(url: str, link: str) -> None:
    sys.stdout.write(f"Paddock {__version__} serves at {url}\nOpen {link}\n")
    sys.stdout.flush()


@contextmanager
def _alone(home: Home) -> Iterator[TextIO]:
    """One server to a home: the lock goes with the process, however it ends."""
    with open(home.lock, "a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Conflict(
                f"A server already runs on {home.root}: use it, or choose another home with --home."
            ) from None
        yield file


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise Conflict(
            f"Port {port} on {host} cannot be used ({error.strerror}): choose another with --port, or 0 for any."
        ) from None
    return listener


def _url(host: str, port: int) -> str:
    shown = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)  # noqa: S104
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"

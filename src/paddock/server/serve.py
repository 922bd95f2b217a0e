"""Implements `paddock up`: one process with the API and the engine."""

import asyncio
import errno
import fcntl
import logging
import os
import signal
import socket
import ssl
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from typing import TextIO

import uvicorn
from starlette.types import ASGIApp

from paddock.agents.host_links import HostLinks
from paddock.agents.links import Links
from paddock.backends.base import Backend
from paddock.backends.hosts.backend import HostsBackend
from paddock.backends.kubernetes.backend import KubernetesBackend
from paddock.backends.local import LocalBackend
from paddock.backends.slurm.backend import SlurmBackend
from paddock.errors import Conflict, InvalidInput
from paddock.home import lease, server_file, tls, unix_socket
from paddock.home.server_file import ServerAddress
from paddock.login import door
from paddock.paths import Home
from paddock.server import slurm_server
from paddock.server.api.app import create_app
from paddock.server.api.connections import Protocol, raise_limit
from paddock.server.api.server import Server
from paddock.server.api.wakeup import Wakeup
from paddock.server.engine.engine import Engine
from paddock.server.store import backups, team
from paddock.server.store.db import Database
from paddock.server.store.hosts import StoredRoster
from paddock.settings import Settings
from paddock.version import __version__

Announce = Callable[[str, str], None]  # address, address with the token
WAIT_SECONDS = 0.25
ANNOUNCE_EVERY = 4  # a successor announces itself again after this many waits
# Clients keep an idle connection for 5 s (httpx), proxies for a minute. If the server closed it just when they use it
# again, their request would be lost.
KEEP_ALIVE_SECONDS = 75
TLS_SECONDS = 10.0  # for a handshake, which strangers can begin too
REQUEST_CONNECTIONS = 40  # one per thread that answers requests
log = logging.getLogger("paddock.serve")


def serve(
    settings: Settings, *, announce: Announce | None = None, cluster: str | None = None, succeed: bool = False
) -> int:
    """Serve until SIGINT or SIGTERM. Runners continue after that.

    `cluster`: the Slurm cluster that this server was submitted to. `succeed`: take over from the server that runs.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)  # uvicorn also raises the signal again when it has shut down
    secure = tls.context(settings)
    home = _prepared_home(settings)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for name in ("alembic", "httpx2"):
        logging.getLogger(name).setLevel(logging.WARNING)
    if cluster:
        slurm_server.Handover(slurm_server.host(settings, home, cluster), os.environ.get("SLURM_JOB_ID")).arm()
    with (
        _succeed(home) if succeed or _requeued(home, cluster) else _alone(home),
        lease.held(home) as held,
        _listen(settings.host, settings.port, other=cluster is not None) as listener,
        unix_socket.opened(home) as inside,
        door.opened(settings.team.door) as outside,
        closing(open_database(settings, home)) as db,
        closing(Database(_database_url(settings, home))) as own,  # the engine never waits for connections of requests
        closing(backups.Daily(own, home.backups)) as daily,
        _fleets(settings, home) as fleets,
    ):
        _refuse_clear_text(settings, db)
        wakeup = Wakeup()
        links = Links.of(settings.team)
        engine = Engine(
            own,
            home,
            settings,
            [*backends(settings, home, links), *fleet_backends(settings, home, own, fleets)],
            wakeup.ring,
            links=links,
            fleets=fleets,
        )
        daily.start()
        token = home.ensure_token()
        port = listener.getsockname()[1]
        url = _url(settings.host, port, "https" if secure else "http")
        about = ServerAddress.here(url, port, cluster, tls.certificate(settings), settings.public_url)
        page = (settings.public_url or url).rstrip("/")
        app = create_app(Server(db, home, settings, engine, wakeup, page), token)
        held.add_address(url)
        server = _Uvicorn(app, secure, home, about, lambda: (announce or _print)(url, f"{page}/?token={token}"))
        server.config.proxy_headers = settings.public_url is not None  # anybody on this machine can send these headers
        held.when_lost(lambda: _give_way(server, engine))
        server.run([listener, *inside, *outside])
        held.refuse_lost()
    return 0


def _prepared_home(settings: Settings) -> Home:
    home = Home(settings.home)
    home.refuse_foreign()
    home.create()
    os.umask(0o027 if settings.group else 0o077)
    if settings.group:
        home.share_with(settings.group)
        home.database.touch(0o600)  # members may pass through the home, but only its owner reads the database
    return home


def _give_way(server: uvicorn.Server, engine: Engine) -> None:
    """End this server at once: another one has the home."""
    server.should_exit = True
    engine.close()


def _leave(number: int, _: object) -> None:
    raise SystemExit(0)


def open_database(settings: Settings, home: Home) -> Database:
    """Open the database, with this version's schema. An older one is backed up before it is migrated."""
    db = Database(_database_url(settings, home), connections=REQUEST_CONNECTIONS)
    try:
        backups.before_migration(db, home.backups)
        db.migrate()
    except BaseException:
        db.close()
        raise
    return db


def _refuse_clear_text(settings: Settings, db: Database) -> None:
    """Raise InvalidInput if accounts are in use, and passwords would go over a network that others can read."""
    with db.read() as c:
        on = team.is_on(c)
    if on:
        tls.refuse_clear_text(settings)


def _database_url(settings: Settings, home: Home) -> str:
    return settings.database or f"sqlite:///{home.database}"


def backends(settings: Settings, home: Home, links: Links | None = None) -> list[Backend]:
    """Return one backend per name in the settings; the local one first."""
    every = settings.every_backend
    if settings.backend not in every:
        known = ", ".join(dict.fromkeys(["local", "slurm", *sorted(every)]))
        raise InvalidInput(f"There is no backend {settings.backend!r}; there are: {known}.")
    local = LocalBackend(home.local, settings.local, stuck_seconds=settings.runner.stuck_seconds, links=links)
    slurm = (SlurmBackend(name, one, links=links) for name, one in sorted(settings.clusters.items()))
    pods = (
        KubernetesBackend(name, home.root / "kubernetes" / name, one, home.root)
        for name, one in sorted(settings.pod_clusters.items())
    )
    return [local, *slurm, *pods]


@contextmanager
def _fleets(settings: Settings, home: Home) -> Iterator[dict[str, HostLinks]]:
    """Yield the links to the hosts of each backend of hosts; close them at the end."""
    for name, one in settings.fleets.items():
        if settings.team.run_as == "user" and one.shared_home and one.as_user == "none":
            raise InvalidInput.at(
                f"backends.{name}.as_user",
                "with team.run_as = user and a shared home, jobs lie in people's homes: write sudo or ssh",
            )
    found = {name: HostLinks(one, settings.team, home.root, name=name) for name, one in settings.fleets.items()}
    try:
        yield found
    finally:
        for links in found.values():
            links.close()


def fleet_backends(settings: Settings, home: Home, db: Database, fleets: Mapping[str, HostLinks]) -> list[Backend]:
    """Return the backends of hosts."""
    found: list[Backend] = []
    for name, links in sorted(fleets.items()):
        one = settings.fleets[name]
        roster = StoredRoster(db, name, one.names)
        folder = home.root / "hosts" / name
        found.append(HostsBackend(name, folder, one, links, roster, stuck_seconds=settings.runner.stuck_seconds))
    return found


class _Uvicorn(uvicorn.Server):
    """A server that publishes its address while it answers, and ends when a successor waits."""

    def __init__(
        self,
        app: ASGIApp,
        secure: ssl.SSLContext | None,
        home: Home,
        about: ServerAddress,
        announce: Callable[[], None],
    ) -> None:
        Protocol.most = raise_limit()
        config = uvicorn.Config(
            app,
            http=Protocol,
            ws="none",
            log_level="warning",
            timeout_graceful_shutdown=3,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            access_log=False,
        )
        super().__init__(config)
        self._secure = secure
        self._home = home
        self._about = about
        self._announce = announce
        self._successor = lease.HeartbeatWatch()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        port, *inside = sockets or []
        await super().startup(inside if self._secure else sockets)
        if self.started and self._secure:
            await self._begin_tls(port, self._secure)
        if self.started:
            self._about.write(self._home)
            server_file.handover(self._home).unlink(missing_ok=True)  # our own, or of a server that never took over
            self._announce()

    async def _begin_tls(self, port: socket.socket, secure: ssl.SSLContext) -> None:
        """Use TLS on the port only: nobody but its owner can reach the socket in the home."""
        made = await asyncio.get_running_loop().create_server(
            partial(Protocol, config=self.config, server_state=self.server_state, app_state=self.lifespan.state),
            sock=port,
            ssl=secure,
            backlog=self.config.backlog,
            ssl_handshake_timeout=TLS_SECONDS,
            ssl_shutdown_timeout=2.0,
        )
        self.servers.append(made)

    async def on_tick(self, counter: int) -> bool:
        if counter % 10 == 0:
            self._look_for_successor()
        return await super().on_tick(counter)

    def _look_for_successor(self) -> None:
        waiting = server_file.waiting(self._home)
        lives = self._successor.lives(waiting)
        if waiting and lives:
            log.info("%s takes over: this server ends", waiting.words)
            self.should_exit = True
        elif waiting and lives is False:
            server_file.handover(self._home).unlink(missing_ok=True)  # that successor has given up

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._about.withdraw(self._home)
        await super().shutdown(sockets)


def _print(url: str, link: str) -> None:
    sys.stdout.write(f"Paddock {__version__} serves at {url}\nOpen {link}\n")
    sys.stdout.flush()


@contextmanager
def _alone(home: Home) -> Iterator[TextIO]:
    """Hold the lock of the home, which ends with this process. Servers on other nodes are seen from the lease."""
    with open(home.lock, "a+") as file:
        if not _locked(file):
            raise lease.refusal(home, lease.read(home))
        lease.refuse_second(home)
        yield file


@contextmanager
def _succeed(home: Home) -> Iterator[TextIO]:
    """Hold the lock of the home, once the server that runs has ended."""
    beat, watch = 0, lease.HeartbeatWatch()
    with open(home.lock, "a+") as file:
        while not (_gone(home, watch) and _locked(file)):
            if beat % ANNOUNCE_EVERY == 0:
                server_file.announce_handover(home, beat)
            if beat == 0:
                log.info("waiting for the server that runs on %s to end", home.root)
            beat += 1
            time.sleep(WAIT_SECONDS)
        if beat:
            log.info("taking over")
        yield file


def _gone(home: Home, watch: lease.HeartbeatWatch) -> bool:
    try:
        return watch.lives(lease.read(home)) is False
    except OSError:
        return False  # unknown: look again


def _requeued(home: Home, cluster: str | None) -> bool:
    """Return True if Slurm has started this job again. Its first start may not have ended yet on another node."""
    job = os.environ.get("SLURM_JOB_ID") if cluster else None
    found = lease.read(home) if job else None
    return found is not None and found.slurm == job


def _locked(file: TextIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        log.warning("%s cannot be locked (%s): only the lease keeps a second server away", file.name, error.strerror)
    return True


def _listen(host: str, port: int, *, other: bool = False) -> socket.socket:
    """Listen on the port. `other`: use any free one if it is taken, as by another person's server on the same node."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends small parts at once; otherwise a reply on a kept connection takes 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        if other and error.errno == errno.EADDRINUSE:
            log.info("port %d is taken on this node: using another one", port)
            return _listen(host, 0)
        raise Conflict(
            f"Port {port} on {host} cannot be used ({error.strerror}): choose another with --port, or 0 for any."
        ) from None
    return listener


def _url(host: str, port: int, scheme: str) -> str:
    shown = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)  # noqa: S104
    return f"{scheme}://[{shown}]:{port}" if ":" in shown else f"{scheme}://{shown}:{port}"

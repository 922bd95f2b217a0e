"""The commands `up --in-slurm`, tunnel and down: run the server as a Slurm job, reach it, and end it."""

import getpass
import os
import signal
import socket
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer

from paddock import __version__, settings
from paddock.backends.slurm import reasons
from paddock.backends.slurm.parse import QueueRow
from paddock.cli import base, render
from paddock.cli.base import Json
from paddock.client.client import Client
from paddock.errors import BackendError, Conflict, ServerUnreachable
from paddock.home import lease, server_file, tls
from paddock.home.server_file import ServerAddress
from paddock.models import Resources, jobfile
from paddock.paths import Home, home_folder
from paddock.server import slurm_server
from paddock.server.slurm_server import SlurmServer

POLL_SECONDS, SELDOM_SECONDS = 1.0, 10.0
ANSWER_SECONDS = 3.0
END_SECONDS = 20.0
_OWN_WAY = {"PADDOCK_HOME", "PADDOCK_BACKEND", "PADDOCK_PORT", "PADDOCK_HOST", "PADDOCK_TOKEN", "PADDOCK_URL"}
_LAST_LINES = 8


def asked(**given: Any) -> Resources:
    """Return the resources that the server itself asks for. Raises InvalidInput."""
    return jobfile.validated({"resources": given}, "What the server asks for").resources


def start(found: settings.Settings, wanted: Resources, *, backend: str | None, as_json: bool) -> None:
    """Submit the server and wait until it answers; if one runs already, print where."""
    tls.context(found)  # errors are reported here, not in the log of a Slurm job
    home = Home(found.home)
    running = _running(home)
    if running:
        base.note(f"A server already runs on {home.root}.")
        _announce(home, running, as_json)
        return
    host = slurm_server.host(found, home, backend)
    queued = host.jobs()
    if queued:
        job = queued[0].id
        base.note(f"The server is already in the queue, as Slurm job {job}.")
    else:
        _warn_of_variables()
        job = host.start(host.plan(wanted, found.port))
        base.note(f"Slurm job {job} submitted.")
    try:
        running = _wait(host, job)
    except KeyboardInterrupt:
        base.note(
            "",
            f"Slurm job {job} stays in the queue, and the server starts when Slurm starts it.",
            "  paddock up --in-slurm   waits for it again",
            "  paddock tunnel          shows how to reach it once it runs",
            "  paddock down            cancels it",
        )
        raise
    _announce(home, running, as_json)


def _warn_of_variables() -> None:
    """Warn about variables that are not passed on: Slurm stores the environment of a job, and it may hold passwords."""
    names = sorted(name for name in os.environ if name.startswith("PADDOCK_") and name not in _OWN_WAY)
    if names:
        base.warn([f"{', '.join(names)}: not passed on to Slurm: write them into settings.toml in Paddock's home"])


def _wait(host: SlurmServer, job: str) -> ServerAddress:
    """Wait until the server answers, and report on standard error what happens meanwhile."""
    noted, pause = "", POLL_SECONDS
    while True:
        running = _running(host.home)
        if running:
            return running
        try:
            row = next((row for row in host.jobs() if row.id == job), None)
        except BackendError as error:  # Slurm is busy: it is asked again
            now = f"Slurm does not answer: {error.message}"
        else:
            if row is None:
                raise _ended(host, job)
            now = f"Slurm job {job} {_state(row)}"
            there = server_file.read(host.home)
            if there and there.slurm == job:
                now += f" and serves at {there.url}, but does not answer: check if this computer can reach the nodes"
        if now != noted:
            base.note(render.clean(now))
        noted = now
        time.sleep(pause)
        pause = min(pause * 1.2, SELDOM_SECONDS)


def _state(row: QueueRow) -> str:
    """Return the state of a Slurm job as text."""
    if row.state == "PENDING":
        starts_at = datetime.fromtimestamp(row.starts_at, UTC) if row.starts_at else None
        return reasons.waiting(row, False, None) + render.expected(starts_at)
    where = f" on {row.nodes}" if row.nodes else ""
    return f"runs{where}" if row.state == "RUNNING" else f"is {row.state.lower()}{where}"


def _ended(host: SlurmServer, job: str) -> Conflict:
    log = host.home.root / "server.log"
    try:
        lines = log.read_text(errors="replace").splitlines()[-_LAST_LINES:]
    except OSError:
        lines = []
    base.note(*(f"  {render.clean(line)}" for line in lines))
    hint = f"the end of {log} is above" if lines else f"{log} is empty: check if the nodes see {host.home.root}"
    return Conflict(f"Slurm job {job} has ended, and no server answers: {hint}.")


def _running(home: Home) -> ServerAddress | None:
    with Client(home=home.root, timeout=ANSWER_SECONDS) as client:
        return server_file.read(home) if client.answers() else None


# --- the way to it ----------------------------------------------------------------------------------------------------


def tunnel(
    ctx: typer.Context,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port on your own computer; that of the server when not given.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the ssh command that brings the server's page to your own computer.

    Run this where the server's home is, such as on a login node, and the printed command on your own computer.

    Examples:
        paddock tunnel
        paddock tunnel --port 8080
    """
    home = Home(home_folder(base.place(ctx).home))
    running = _running(home)
    if running is None:
        raise ServerUnreachable(
            f"No Paddock server runs on {home.root}: start one with `paddock up` or `paddock up --in-slurm`."
        )
    facts = _facts(home, running, port)
    base.only_json(as_json, facts)
    typer.echo(facts["tunnel"])
    base.note("Run it on your own computer, then open", f"  {facts['page']}")


def _facts(home: Home, running: ServerAddress, port: int | None = None) -> dict[str, Any]:
    token = home.read_token() or ""
    at = port or running.port
    return {
        "url": running.url,
        "link": f"{running.url}/?token={token}",
        "tunnel": running.tunnel(getpass.getuser(), socket.gethostname(), port),
        "page": f"{urlsplit(running.url).scheme}://localhost:{at}/?token={token}",
        "home": str(home.root),
        **{name: getattr(running, name) for name in ("version", "host", "port", "node", "slurm", "cluster")},
    }


def _announce(home: Home, running: ServerAddress, as_json: bool) -> None:
    facts = _facts(home, running)
    base.warn(server_file.exposure(running.url))
    if as_json:
        base.emit(facts)
        return
    where = f" (Slurm job {running.slurm} on {running.node})" if running.slurm else ""
    typer.echo(f"Paddock {__version__} serves at {running.url}{where}")
    typer.echo(f"Open {facts['link']}")
    typer.echo(f"or, from your own computer,\n  {facts['tunnel']}\nand then {facts['page']}")


# --- its end ----------------------------------------------------------------------------------------------------------


def down(ctx: typer.Context, as_json: Json = False) -> None:
    """End the server of this home, on this node or in Slurm, and its successors. Running tasks go on.

    Example:
        paddock down
    """
    found = settings.load(base.place(ctx).home)
    home = Home(found.home)
    running = server_file.read(home)
    if running and running.slurm is None:
        _end_here(home, running)
        ended = [f"process {running.pid}"]
    else:
        ended = [f"Slurm job {one}" for one in _end_in_slurm(found, home, running)]
    base.only_json(as_json, {"ended": ended})
    typer.echo(f"The server of {home.root} has ended ({', '.join(ended)}); running tasks go on.")


def _end_here(home: Home, running: ServerAddress) -> None:
    if running.host and running.host != socket.gethostname():
        raise Conflict(f"The server runs on {running.host}: run `paddock down` there.")
    if not (lease.serves_here(home) and _is_paddock(running.pid)):
        raise _nobody(home)
    os.kill(running.pid, signal.SIGTERM)
    if not _until(lambda: not lease.serves_here(home)):
        raise Conflict(
            f"The server (process {running.pid}) has not ended after {END_SECONDS:g} s: end it with kill {running.pid}."
        )


def _end_in_slurm(found: settings.Settings, home: Home, running: ServerAddress | None) -> list[str]:
    """End all Slurm jobs of the server: waiting ones first, so that none of them takes over."""
    try:
        cluster = running.cluster if running else slurm_server.read(home).cluster
    except (OSError, ValueError):
        raise _nobody(home) from None
    host = slurm_server.host(found, home, cluster)
    rows = host.jobs()
    if not rows:
        raise _nobody(home)
    waiting = [row.id for row in rows if row.state == "PENDING"]
    others = [row.id for row in rows if row.state != "PENDING"]
    if waiting:
        host.cancel(waiting)
    if others:
        host.end(others)
        if not _until(lambda: not host.jobs()):
            host.cancel(others)
    return [*others, *waiting]


def _nobody(home: Home) -> ServerUnreachable:
    return ServerUnreachable(f"No Paddock server runs on {home.root}: there is nothing to end.")


def _is_paddock(pid: int) -> bool:
    """Return True if the process is one of Paddock: its number may have been reused."""
    try:
        return b"paddock" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _until(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + END_SECONDS
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True

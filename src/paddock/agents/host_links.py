"""Agents on other machines, by the system's ssh: one link per host and person, made when it is first needed."""

import base64
import hashlib
import os
import shlex
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from paddock.agents import loader
from paddock.agents.link import Link
from paddock.agents.links import check_account
from paddock.agents.ssh_key import identity_options
from paddock.errors import AgentUnavailable, InvalidInput
from paddock.models.hosts import expand
from paddock.settings import HostsSettings, TeamSettings

AT_ONCE = 4  # connections that begin at the same time: each costs both ends some work, and sshd refuses many
GATE_SECONDS = 2.0  # after which a connection that still begins does not keep others waiting: its host may be down
SILENT_SECONDS = 20.0  # without a sign of an agent, after which it is connected anew; ssh itself needs 15
OPTIONS = {
    "BatchMode": "yes",  # never ask anybody
    "StrictHostKeyChecking": "yes",
    "ServerAliveInterval": "5",
    "ServerAliveCountMax": "3",
    "ConnectTimeout": "10",
}
_GLOBAL = ("/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2")
_KEPT = ("SSH_AUTH_SOCK", "KRB5CCNAME")  # variables by which ssh finds keys and tickets


def known_hosts(home: Path) -> Path:
    """Return the file of host keys that people have confirmed. ssh reads it beside its own files."""
    return home / "known_hosts"


class HostLinks:
    """One `Link` per host and account. Any thread may use it. A link connects when it is first asked something."""

    def __init__(
        self, settings: HostsSettings, team: TeamSettings, home: Path, *, name: str = "", **options: Any
    ) -> None:
        """`name` of the backend; `options` are those of `Link`.

        Agents end earlier ones of the same home, backend, host and account, so a server must have one of these per
        backend. For anything else beside the server, give `server=None`.
        """
        self._name = name
        self._settings, self._team, self._home, self._options = settings, team, home, options
        self._links: dict[tuple[str, str | None], Link] = {}
        self._lock = threading.Lock()
        self._gate = _Gate(AT_ONCE)

    def get(self, host: str, user: str | None = None) -> Link:
        """Return the link to an account on a host. Nothing is started.

        None is the account that ssh signs in as; so is everybody if `as_user` is none.
        """
        if _names(host) != [host]:
            raise InvalidInput.at("host", f"{host!r} is not the name of a host")
        user = None if self._settings.as_user == "none" else user
        if user is not None:
            check_account(user)
        with self._lock:
            if (host, user) not in self._links:
                self._links[host, user] = self._link(host, user)
            return self._links[host, user]

    @property
    def connected(self) -> int:
        """Return the number of agents that run."""
        with self._lock:
            links = list(self._links.values())
        return sum(link.connected for link in links)

    def close(self) -> None:
        """End all connections. What the agents have started goes on."""
        with self._lock:
            links, self._links = list(self._links.values()), {}
        for link in links:
            link.close(0.0)
        for link in links:  # they leave side by side
            link.close()

    def _link(self, host: str, user: str | None) -> Link:
        folder = self._settings.folder or self._team.folder
        if self._settings.shared_home and user is None:
            folder = str(self._home)  # the jobs of the server's own account are there
        if user is not None:
            folder = folder.replace("{user}", user)
        given: dict[str, Any] = {
            "environment": {name: os.environ[name] for name in _KEPT if name in os.environ},
            "gate": self._gate.passing,
            "silent_seconds": SILENT_SECONDS,
            "server": self._identity(host),
        }
        name = host if user is None else f"{user} on {host}"
        return Link(name, lambda: self._argv(host, user), folder.replace("{host}", host), **given | self._options)

    def _identity(self, host: str) -> str:
        """Return by what agents know that they belong to the same link, also of an earlier server of this home."""
        parts = (socket.gethostname(), str(self._home), self._name, host)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]

    def _argv(self, host: str, user: str | None) -> list[str]:
        destination = f"{user}@{host}" if user is not None and self._settings.as_user == "ssh" else host
        return [*ssh_argv(self._settings, self._home), "-T", destination, self._command(user)]

    def _command(self, user: str | None) -> str:
        """Return what the shell on the host runs. It may be any shell, so it is one line without special characters."""
        if user is not None and self._settings.as_user == "sudo":
            return shlex.join(["exec", *(one.replace("{user}", user) for one in self._team.agent)])
        source = base64.b64encode(Path(loader.__file__).read_bytes()).decode()
        program = f'exec(__import__("base64").b64decode("{source}"))'
        return shlex.join(["exec", self._settings.python, "-IS", "-c", program])


def ssh_argv(settings: HostsSettings, home: Path) -> list[str]:
    """Return the command line of ssh without a host: its own files apply, and what the home has beside them.

    That is the host keys that were confirmed here, and the server's own key if there is one.
    """
    known = [*_GLOBAL, f'"{known_hosts(home)}"']
    options = {**OPTIONS, "GlobalKnownHostsFile": " ".join(known)}
    given = [part for name, value in options.items() for part in ("-o", f"{name}={value}")]
    return [*settings.ssh, *given, *identity_options(home)]


def _names(host: str) -> list[str]:
    try:
        return expand(host)
    except ValueError as error:
        raise InvalidInput.at("host", str(error)) from None


class _Gate:
    """Lets a few connections begin at a time."""

    def __init__(self, width: int) -> None:
        self._free = threading.Semaphore(width)

    @contextmanager
    def passing(self, seconds: float) -> Iterator[None]:
        """Wait for one's turn, up to `seconds`; give it back at the end, or before if it takes long."""
        if not self._free.acquire(timeout=seconds):
            raise AgentUnavailable("too many other connections begin at the moment")
        turns = [self._free]

        def leave() -> None:
            with suppress(IndexError):  # once: `pop` takes it from one of the two only
                turns.pop().release()

        late = threading.Timer(GATE_SECONDS, leave)
        late.daemon = True
        late.start()
        try:
            yield
        finally:
            late.cancel()
            leave()

"""The address of the server of a home: it writes `server.json` when it answers requests, and removes it at its end.

The file `handover` exists while a successor waits for the server to end: the server looks for it, and clients wait.
"""

import json
import os
import socket
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paddock.paths import Home, write_once
from paddock.version import __version__

if TYPE_CHECKING:
    from paddock.home import lease  # every command reads this file, and few need what the lease imports


@dataclass(frozen=True)
class ServerAddress:
    """The address of a running server. Fields of a newer version are ignored."""

    url: str
    pid: int = 0
    version: str = __version__
    host: str = ""
    port: int = 0
    node: str | None = None  # Slurm's name of it
    slurm: str | None = None  # the id of the Slurm job that it runs in
    cluster: str | None = None  # the name of that cluster in the settings
    public: str | None = None  # the address that people open, where it is another one (behind a proxy)
    certificate: str | None = None  # PEM, if the port uses HTTPS; a client that reads it here can trust it

    @classmethod
    def here(
        cls, url: str, port: int, cluster: str | None, certificate: str | None = None, public: str | None = None
    ) -> "ServerAddress":
        """Return the address of this process. `cluster`: the Slurm cluster that it was submitted to, if any."""
        job, node = (os.environ.get(name) for name in ("SLURM_JOB_ID", "SLURMD_NODENAME"))
        made = cls(url, os.getpid(), host=socket.gethostname(), port=port, certificate=certificate, public=public)
        return replace(made, node=node, slurm=job, cluster=cluster) if cluster else made

    def write(self, home: Home) -> None:
        write_once(home.server, json.dumps(asdict(self)), mode=0o600)

    def withdraw(self, home: Home) -> None:
        """Remove the file, unless another server has written it since."""
        if read(home) == self:
            home.server.unlink(missing_ok=True)

    def tunnel(self, user: str, login: str, port: int | None = None) -> str:
        """Return the ssh command that makes the server available at `port` of one's own computer."""
        inside = "127.0.0.1" if _loopback(self.url) else self.host
        return f"ssh -N -L {port or self.port}:{inside}:{self.port} {user}@{login}"


def read(home: Home) -> ServerAddress | None:
    """Return the address of the server of this home; None: no server runs."""
    try:
        given: dict[str, Any] = json.loads(home.server.read_text())
        known = {one.name: given[one.name] for one in fields(ServerAddress) if one.name in given}
        kinds: dict[str, Any] = {one.name: one.type for one in fields(ServerAddress)}
        return ServerAddress(**known) if all(isinstance(one, kinds[name]) for name, one in known.items()) else None
    except (OSError, ValueError, TypeError, RecursionError):
        return None


def start_command(home: Home) -> str:
    """Return the command that starts the server of this home where it ran before."""
    last = read(home)
    try:
        in_slurm = last.slurm is not None if last else hosted(home).exists()
    except OSError:
        in_slurm = False
    return "paddock up --in-slurm" if in_slurm else "paddock up"


def hosted(home: Home) -> Path:
    """Return the file that stores how the server was submitted to Slurm."""
    return home.root / "hosting.json"


def handover(home: Home) -> Path:
    return home.root / "handover"


def announce_handover(home: Home, beat: int = 0) -> None:
    """Write that this process waits to take over.

    To be repeated with another `beat` while it waits: on another node, that shows that the process still runs.
    """
    from paddock.home import lease

    waiting = lease.Process.model_validate(lease.here() | {"beat": beat})
    write_once(handover(home), waiting.model_dump_json(), mode=0o600)


def waiting(home: Home) -> "lease.Process | None":
    """Return the process that waits to take over, if the file can be read: a server ends only for a real successor."""
    try:
        content = handover(home).read_bytes()
    except OSError:
        return None
    from paddock.home import lease

    try:
        return lease.Process.model_validate_json(content)
    except ValueError:  # pydantic's errors are such
        return None


def successor(home: Home) -> str | None:
    """Return the words for the process that waits to take over, as far as it can be seen from here."""
    found = waiting(home)
    return None if found is None or found.lives is False else found.words


def exposure(url: str) -> list[str]:
    """Return a warning about plain HTTP if others can reach the address."""
    if _loopback(url) or not url.startswith("http://"):
        return []
    return [
        f"{url} is plain HTTP: anybody who can read the traffic between that node and your computer sees everything, "
        "also the token, and can act as you; for HTTPS, set `tls_certificate` and `tls_key`"
    ]


def _loopback(url: str) -> bool:
    return any(f"//{name}:" in url for name in ("127.0.0.1", "localhost", "[::1]"))

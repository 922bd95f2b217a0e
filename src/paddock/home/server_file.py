"""Where the server of a home is: it writes `server.json` when it answers, and removes it when it no longer does.

`handover` lies in the home while a successor waits for the server to end: the server looks for it, and clients wait.
"""

import os
import socket
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from paddock.home import lease
from paddock.paths import Home, write_once
from paddock.version import __version__


class Whereabouts(BaseModel):
    """Of a server that runs. What a newer one says beyond this is ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    url: str
    pid: int = 0
    version: str = __version__
    host: str = ""
    port: int = 0
    node: str | None = None  # as Slurm calls it
    slurm: str | None = None  # the id of the Slurm job that it runs in
    cluster: str | None = None  # the name of that cluster in the settings
    certificate: str | None = None  # as PEM, where the port speaks HTTPS: who reads it here knows the server by it

    @classmethod
    def here(cls, url: str, port: int, cluster: str | None, certificate: str | None = None) -> "Whereabouts":
        """Of this process. `cluster`: where it was submitted to, when it was."""
        job, node = (os.environ.get(name) for name in ("SLURM_JOB_ID", "SLURMD_NODENAME"))
        hosted = {"node": node, "slurm": job, "cluster": cluster} if cluster else {}
        process = {"pid": os.getpid(), "host": socket.gethostname()}
        return cls.model_validate({"url": url, "port": port, "certificate": certificate} | process | hosted)

    def write(self, home: Home) -> None:
        write_once(home.server, self.model_dump_json(), mode=0o600)

    def withdraw(self, home: Home) -> None:
        """Unless it is another's by now."""
        if read(home) == self:
            home.server.unlink(missing_ok=True)

    def tunnel(self, user: str, login: str, port: int | None = None) -> str:
        """The command that brings the server to one's own machine, at `port` there."""
        inside = "127.0.0.1" if _loopback(self.url) else self.host
        return f"ssh -N -L {port or self.port}:{inside}:{self.port} {user}@{login}"


def read(home: Home) -> Whereabouts | None:
    """None: no server says that it runs."""
    try:
        return Whereabouts.model_validate_json(home.server.read_text())
    except (OSError, ValidationError):
        return None


def start_command(home: Home) -> str:
    """How the server of this home is started: where it ran before."""
    last = read(home)
    try:
        in_slurm = last.slurm is not None if last else hosted(home).exists()
    except OSError:
        in_slurm = False
    return "paddock up --in-slurm" if in_slurm else "paddock up"


def hosted(home: Home) -> Path:
    """There once a server was submitted to Slurm: how it was."""
    return home.root / "hosting.json"


def handover(home: Home) -> Path:
    return home.root / "handover"


def announce_handover(home: Home, beat: int = 0) -> None:
    """To be repeated while one waits, with another `beat` each time: from another machine that is how one sees that
    somebody still waits."""
    waiting = lease.Process.model_validate(lease.here() | {"beat": beat})
    write_once(handover(home), waiting.model_dump_json(), mode=0o600)


def waiting(home: Home) -> lease.Process | None:
    """Who waits to take over, or did. What cannot be read is nobody: a server ends itself for a successor only."""
    try:
        return lease.Process.model_validate_json(handover(home).read_bytes())
    except (OSError, ValidationError):
        return None


def successor(home: Home) -> str | None:
    """Who waits to take over, in words, as far as can be seen from here; None: nobody."""
    found = waiting(home)
    return None if found is None or found.lives is False else found.words


def exposure(url: str) -> list[str]:
    """What plain HTTP means at an address that others reach; nothing at one of this machine alone."""
    if _loopback(url) or not url.startswith("http://"):
        return []
    return [
        f"{url} is plain HTTP: whoever can listen on the network between its machine and yours, such as the cluster's, "
        "can read all that is sent, the token of the link as well, and act as you with it; the settings "
        "`tls_certificate` and `tls_key` make it HTTPS"
    ]


def _loopback(url: str) -> bool:
    return any(f"//{name}:" in url for name in ("127.0.0.1", "localhost", "[::1]"))

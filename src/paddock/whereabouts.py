"""Where the server of a home is: it writes `server.json` when it answers, and removes it when it no longer does.

`handover` lies in the home while a successor waits for the server to end: the server looks for it, and clients wait.
"""

import fcntl
import json
import os
import socket
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

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

    @classmethod
    def here(cls, url: str, port: int, cluster: str | None) -> "Whereabouts":
        """Of this process. `cluster`: where it was submitted to, when it was."""
        job, node = (os.environ.get(name) for name in ("SLURM_JOB_ID", "SLURMD_NODENAME"))
        hosted = {"node": node, "slurm": job, "cluster": cluster} if cluster else {}
        return cls.model_validate({"url": url, "pid": os.getpid(), "host": socket.gethostname(), "port": port} | hosted)

    def write(self, home: Home) -> None:
        write_once(home.server, self.model_dump_json(), mode=0o600)

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


def locked(home: Home) -> bool:
    """Whether a process of this machine serves the home, or is about to."""
    try:
        with open(home.lock) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def handover(home: Home) -> Path:
    return home.root / "handover"


def announce_handover(home: Home) -> None:
    """To be repeated while one waits: a server that starts removes what others left."""
    if not handover(home).exists():
        who = {"slurm": os.environ.get("SLURM_JOB_ID"), "node": os.environ.get("SLURMD_NODENAME"), "pid": os.getpid()}
        write_once(handover(home), json.dumps(who), mode=0o600)


def successor(home: Home) -> str | None:
    """Who waits to take over, in words; None: nobody."""
    try:
        who = json.loads(handover(home).read_text())
        return f"Slurm job {who['slurm']} on {who['node']}" if who["slurm"] else f"process {who['pid']}"
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        return "another server"


def _loopback(url: str) -> bool:
    return any(f"//{name}:" in url for name in ("127.0.0.1", "localhost", "[::1]"))

"""The faults of a campaign: a seed chooses which come; what they hit depends on what runs at that moment.

What is hit stays away for a while, and other faults come meanwhile. A fault that hits nothing raises `Nobody`.
"""

import contextlib
import os
import random
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from tests.slurm import leftovers
from tests.slurm.cluster import Cluster
from tests.support.server import ServerProcess

KINDS = (
    "server", "runner", "guard", "slurmd", "slurmstepd", "slurmctld", "slurmdbd", "node down", "power", "scancel",
    "requeue",
)  # fmt: skip
AWAY_SECONDS = (1.0, 14.0)  # a node is given up after 10
NODES_SECONDS = 10.0


class Nobody(Exception):
    """There was nobody to strike."""


def plan(seed: int, count: int) -> list[str]:
    """Every kind comes as often as the others, in an order of the seed's."""
    chosen = random.Random(seed)
    found: list[str] = []
    while len(found) < count:
        found += chosen.sample(KINDS, len(KINDS))
    return found[:count]


class Faults:
    def __init__(self, cluster: Cluster, server: ServerProcess, seed: int) -> None:
        self.cluster, self.server = cluster, server
        self._chosen = random.Random(seed + 1)
        self._away: dict[str, tuple[float, Callable[[], None]]] = {}  # who -> until when, and what brings it back
        self._nodes_at = 0.0
        self.cancelled: set[str] = set()  # allocations, as Slurm names them
        self._do: dict[str, Callable[[], str]] = {
            "server": self._server,
            "runner": lambda: self._kill(self.runners),
            "guard": lambda: self._kill(self.guards),
            "slurmd": lambda: self._daemon(f"slurmd:{self._node()}"),
            "slurmstepd": lambda: self._kill(self._steps),
            "slurmctld": lambda: self._daemon("slurmctld"),
            "slurmdbd": lambda: self._daemon("slurmdbd"),
            "node down": self._node_down,
            "power": lambda: self._daemon(f"slurmd:{self._node()}", with_jobs=True),
            "scancel": self._cancel,
            "requeue": self._requeue,
        }

    def strike(self, kind: str) -> str:
        """Whom it hit, in words."""
        return self._do[kind]()

    def tend(self) -> None:
        """As an operator would: bring back what was away long enough, and what has ended or drained by itself.

        A slurmctld that is started while slurmdbd is away may end; it drains a node on which a job is started twice.
        """
        now = time.monotonic()
        for who, (until, back) in list(self._away.items()):
            if now >= until:
                back()
                del self._away[who]
        for name in self.cluster._daemons():
            if name not in self._away:
                self.cluster.start_daemon(name)
        if now >= self._nodes_at and "slurmctld" not in self._away:
            self._nodes_at = now + NODES_SECONDS
            with contextlib.suppress(subprocess.SubprocessError):
                for node, state in self.cluster.node_states().items():
                    if state.startswith(("down", "drain", "fail")) and f"slurmd:{node}" not in self._away:
                        self._resume(node)

    def mend(self) -> None:
        """All daemons are there again."""
        self._away = {who: (0.0, back) for who, (_, back) in self._away.items()}
        self._nodes_at = 0.0
        self.tend()

    # --- whom ---------------------------------------------------------------------------------------------------------

    def runners(self) -> list[int]:
        """Also a guard whose runner is gone."""
        mine = self._of_home()
        return [pid for pid in mine if mine[pid] not in mine]

    def guards(self) -> list[int]:
        """Those that runners have forked: what is about to become a task looks the same, but not for long."""
        before = self._of_home()
        time.sleep(0.05)
        mine = self._of_home()
        return [pid for pid in mine if mine[pid] in mine and pid in before]

    def _of_home(self) -> dict[int, int]:
        return {pid: parent for pid, parent, argv in processes() if str(self.server.home.runners) in argv}

    def _steps(self) -> list[int]:
        mark = f"{leftovers.CLUSTER_MARK}={self.cluster.folder}".encode()
        return [pid for pid, _, argv in processes() if argv.startswith("slurmstepd") and mark in environment(pid)]

    def _node(self) -> str:
        """One that is there, and on which something runs."""
        names = {text[len(b"SLURMD_NODENAME=") :] for pid in self.runners() for text in environment(pid)
                 if text.startswith(b"SLURMD_NODENAME=")}  # fmt: skip
        there = [node for node in self.cluster.nodes if node.encode() in names and f"slurmd:{node}" not in self._away]
        return self._choose(there)

    def _choose(self, found: list[str]) -> str:
        if not found:
            raise Nobody
        return self._chosen.choice(sorted(found))

    # --- what ---------------------------------------------------------------------------------------------------------

    def _kill(self, find: Callable[[], list[int]]) -> str:
        pid = self._choose([str(pid) for pid in find()])
        try:
            os.kill(int(pid), signal.SIGKILL)
        except ProcessLookupError:
            raise Nobody from None
        return f"process {pid}"

    def _leave(self, who: str, back: Callable[[], None]) -> str:
        seconds = self._chosen.uniform(*AWAY_SECONDS)
        self._away[who] = (time.monotonic() + seconds, back)
        return f"{who}, for {seconds:.0f} s"

    def _server(self) -> str:
        if "server" in self._away:
            raise Nobody
        self.server.kill()
        return self._leave("server", self._start_server)

    def _start_server(self) -> None:
        self.server.start()

    def _daemon(self, name: str, with_jobs: bool = False) -> str:
        if name in self._away:
            raise Nobody
        self.cluster.kill(name, with_jobs=with_jobs)
        return self._leave(name, lambda: self.cluster.start_daemon(name))

    def _node_down(self) -> str:
        node = self._node()
        self._ask("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=chaos")
        return self._leave(f"slurmd:{node}", lambda: self._resume(node))

    def _resume(self, node: str) -> None:
        """Once more in the end: a controller that is away does not hear it."""
        with contextlib.suppress(subprocess.SubprocessError):
            self.cluster.run("scontrol", "update", f"NodeName={node}", "State=RESUME", timeout=15)

    def _cancel(self) -> str:
        one = self._running()
        self.cancelled.add(one)  # before: whatever the answer is, it may have been heard
        self._ask("scancel", one)
        return f"allocation {one}"

    def _requeue(self) -> str:
        one = self._running()
        self._ask("scontrol", "update", f"JobId={one}", "Requeue=1")
        self._ask("scontrol", "requeue", one)
        return f"allocation {one}"

    def _running(self) -> str:
        return self._choose(self._ask("squeue", "-h", "-r", "-t", "RUNNING", "-o", "%i").split())

    def _ask(self, *command: str) -> str:
        """Where Slurm does not answer, or the job has just ended, nothing is struck."""
        if "slurmctld" in self._away:
            raise Nobody
        try:
            return self.cluster.run(*command, timeout=15)
        except subprocess.SubprocessError:
            raise Nobody from None


def killed_by_slurm(log: str) -> set[str]:
    """Allocations that Slurm itself has cancelled, from slurmctld's log; of an array's first number, the whole array.

    A controller that has forgotten that it started a job starts it again. The node refuses, asks for a requeue, and,
    where that is not allowed, has the job killed as if somebody had done so: 22.05 then takes the number of the last
    element for that of the array.
    """
    names = {raw: element for element, raw in re.findall(r"JobId=(\d+_\d+)\((\d+)\)", log)}
    refused = set(re.findall(r"_slurm_rpc_requeue: Requeue of JobId=(\d+) returned an error", log))
    killed = refused & set(re.findall(r"REQUEST_KILL_JOB JobId=(\d+) uid", log))
    whole = {element for element in names.values() if element.partition("_")[0] in killed}
    return whole | {names[raw] for raw in killed if raw in names}


def processes() -> list[tuple[int, int, str]]:
    """Number, parent and command line of all that live."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, parent = (path / "stat").read_text(errors="replace").rpartition(")")[2].split()[:2]
            argv = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
            if state not in "ZX":
                found.append((int(path.name), int(parent), argv))
    return found


def environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []

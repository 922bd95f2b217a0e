"""The faults of a campaign: which come is chosen by a seed, whom they hit by what runs at that moment."""

import contextlib
import os
import random
import signal
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
        self._do: dict[str, Callable[[], str]] = {
            "server": self._server,
            "runner": lambda: self._kill(self.runners()[0]),
            "guard": lambda: self._kill(self.runners()[1]),
            "slurmd": lambda: self._daemon(f"slurmd:{self._node()}"),
            "slurmstepd": lambda: self._kill(self._steps()),
            "slurmctld": lambda: self._daemon("slurmctld"),
            "slurmdbd": lambda: self._daemon("slurmdbd"),
            "node down": self._node_down,
            "power": lambda: self._daemon(f"slurmd:{self._node()}", with_jobs=True),
            "scancel": lambda: self._of_queue("scancel"),
            "requeue": lambda: self._of_queue("scontrol", "requeue"),
        }

    def strike(self, kind: str) -> str:
        """Whom it hit, in words."""
        return self._do[kind]()

    def mend(self) -> None:
        """All daemons and nodes are there again."""
        for name in self.cluster._daemons():
            self.cluster.start_daemon(name)
        with contextlib.suppress(Exception):
            for node, state in self.cluster.node_states().items():
                if state.startswith(("down", "drain", "fail")):
                    self.cluster.run("scontrol", "update", f"NodeName={node}", "State=RESUME", check=False)

    # --- whom ---------------------------------------------------------------------------------------------------------

    def _node(self) -> str:
        return self._chosen.choice(self.cluster.nodes)

    def runners(self) -> tuple[list[int], list[int]]:
        """Runners, and the guards that they have forked."""
        mine = {pid: parent for pid, parent, argv in _processes() if str(self.server.home.runners) in argv}
        return [pid for pid in mine if mine[pid] not in mine], [pid for pid in mine if mine[pid] in mine]

    def _steps(self) -> list[int]:
        mark = f"{leftovers.CLUSTER_MARK}={self.cluster.folder}".encode()
        return [pid for pid, _, argv in _processes() if argv.startswith("slurmstepd") and mark in _environment(pid)]

    # --- what ---------------------------------------------------------------------------------------------------------

    def _kill(self, pids: list[int]) -> str:
        if not pids:
            return "nobody was there"
        pid = self._chosen.choice(sorted(pids))
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        return f"process {pid}"

    def _server(self) -> str:
        self.server.kill()
        time.sleep(self._chosen.uniform(0, 3))
        self.server.start()
        return "killed and started again"

    def _daemon(self, name: str, with_jobs: bool = False) -> str:
        self.cluster.kill(name, with_jobs=with_jobs)
        seconds = self._chosen.uniform(1, 14)  # a node is given up after 10
        time.sleep(seconds)
        self.cluster.start_daemon(name)
        return f"{name} away for {seconds:.0f} s"

    def _node_down(self) -> str:
        node = self._node()
        self.cluster.run("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=chaos", check=False)
        time.sleep(self._chosen.uniform(1, 6))
        self.cluster.run("scontrol", "update", f"NodeName={node}", "State=RESUME", check=False)
        return node

    def _of_queue(self, *command: str) -> str:
        ids = self.cluster.run("squeue", "-h", "-r", "-t", "RUNNING", "-o", "%i", check=False).split()
        if not ids:
            return "nobody was there"
        one = self._chosen.choice(sorted(ids))
        if "requeue" in command:
            self.cluster.run("scontrol", "update", f"JobId={one}", "Requeue=1", check=False)
        self.cluster.run(*command, one, check=False)
        return one


def _processes() -> list[tuple[int, int, str]]:
    """Number, parent and command line of all that live."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, parent = (path / "stat").read_text(errors="replace").rpartition(")")[2].split()[:2]
            argv = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
            if state not in "ZX":
                found.append((int(path.name), int(parent), argv))
    return found


def _environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def of_jobs(jobs: list[str]) -> list[str]:
    """Processes of these jobs' tasks that are still there, in words."""
    marks = {f"PADDOCK_JOB={job}".encode() for job in jobs}
    return [f"process {pid}: {argv[:80]}" for pid, _, argv in _processes() if marks.intersection(_environment(pid))]

"""Servers of ordinary users on one cluster: their sweeps, and who had what of it, as Slurm reports it."""

import json
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.slurm.cluster import Cluster
from tests.support.server import ServerProcess, wait_for
from tests.support.user_packages import copy_packages
from tests.support.user_server import UserServer

PATIENCE = 120.0
RESOURCES = {"gpus": 1, "cpus": 1}

# Files in `folder` say how long tasks take: `hurry`: they end, `hold`: they go on until it is gone.
TASK = """
import argparse, os, time
parser = argparse.ArgumentParser()
parser.add_argument("--number", type=int)
parser.add_argument("--seconds", type=float)
parser.add_argument("--folder")
args = parser.parse_args()

def note(what):
    with open(os.path.join(args.folder, os.environ["PADDOCK_TASK"]), "a") as file:
        file.write(what + " ")

def there(name):
    return os.path.exists(os.path.join(args.folder, name))

began = time.monotonic()
note("began")
while not there("hurry") and (there("hold") or time.monotonic() - began < args.seconds):
    time.sleep(0.05)
note("done")
print("loss:", args.number, flush=True)
"""


@contextmanager
def user_packages() -> Iterator[Path]:
    """Yield Paddock and what it imports, in a folder that every user may read."""
    with tempfile.TemporaryDirectory(prefix="packages-", dir="/tmp", ignore_cleanup_errors=True) as made:
        copy_packages(Path(made))
        yield Path(made)


@contextmanager
def serving(
    user: str,
    folder: Path,
    cluster: Cluster,
    python: str,
    packages: Path,
    slurm: dict[str, Any] | None = None,
    **settings: Any,
) -> Iterator[UserServer]:
    """Start a server of a user. `slurm`: settings of the backend."""
    slurm = {"conf": str(cluster.conf), "poll_seconds": 0.5, "rest_seconds": 2, **(slurm or {})}
    server = UserServer(
        user,
        folder / user,
        python,
        packages,
        backend="lab",
        backends=json.dumps({"lab": slurm}),
        runner__grace_seconds=1,
        **settings,
    )
    try:
        yield server.start()
        end_jobs(server)
    finally:
        if server.process is not None:
            server.stop()


def end_jobs(server: ServerProcess) -> None:
    jobs = [job["id"] for job in server.get("/jobs")["items"] if not job["ended"]]
    for job in jobs:
        server.post(f"/jobs/{job}/stop")
        server.wait(job, PATIENCE)


class Sweep:
    """A sweep of a user, larger than the cluster, whose tasks write down that they ran."""

    def __init__(self, server: UserServer, folder: Path, tasks: int, seconds: float, *, hold: bool = False) -> None:
        self.server, self.user = server, server.user
        self.folder = Path(tempfile.mkdtemp(prefix=f"{server.user}-", dir=folder))
        shutil.chown(self.folder, server.user, server.user)
        if hold:
            self.hold()
        params = {"number": list(range(1, tasks + 1)), "seconds": seconds, "folder": str(self.folder)}
        self.job = server.submit(TASK, params=params, objective="loss", resources=RESOURCES)

    def hold(self) -> None:
        """Let no task end."""
        (self.folder / "hold").touch()

    def go_on(self) -> None:
        (self.folder / "hold").unlink()

    def hurry(self) -> None:
        """Let all tasks end at once."""
        (self.folder / "hurry").touch()

    @property
    def orders(self) -> list[str]:
        """Return the allocations that were told to leave after their task, once per order."""
        path = self.server.home.job(self.job).control
        lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        return [line["allocation"] for line in lines if line["op"] == "drain" and "now" not in line]

    @property
    def requests(self) -> int:
        """Return how often allocations were asked for, with those that were withdrawn before they began."""
        return len(list(self.server.home.job(self.job).root.rglob("*.manifest.json")))

    def lost(self) -> int:
        """Wait for the end. Return how many tasks have not finished at the first attempt, or ran never or twice."""
        tasks = self.server.wait(self.job, PATIENCE)
        well = (one for one in tasks if (one["state"], one["attempt"]) == ("finished", 1))
        return len(tasks) - sum(self._notes(one["id"]) == "began done " for one in well)

    def _notes(self, task: str) -> str:
        path = self.folder / task
        return path.read_text() if path.exists() else ""


# --- what Slurm reports -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Began:
    """An allocation that has begun, and when it ended; None: it runs."""

    id: str
    user: str
    began: float
    ended: float | None


def history(cluster: Cluster) -> list[Began]:
    """Return all allocations that have begun, as far as Slurm remembers (MinJobAge). Its times are full seconds."""
    found = []
    for line in cluster.run("squeue", "-h", "-r", "-t", "all", "-o", "%i|%u|%T|%N|%S|%e").splitlines():
        id, user, state, nodes, began, ended = line.split("|")
        if nodes and state not in ("PENDING", "CONFIGURING"):
            over = state not in ("RUNNING", "COMPLETING")
            found.append(Began(id, user, _time(began), _time(ended) if over else None))
    return sorted(found, key=lambda one: (one.began, one.id))


def _time(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def held(cluster: Cluster) -> Counter[str]:
    """Return how many allocations each user has now."""
    return Counter(cluster.run("squeue", "-h", "-r", "-t", "RUNNING", "-o", "%u").split())


def wait_shares(cluster: Cluster, seconds: float = PATIENCE, **shares: int) -> None:
    """Wait until users have this many allocations, and no others are there."""
    wait_for(lambda: held(cluster) == Counter(shares), seconds, f"allocations to be {shares}")


def changes(past: Sequence[Began], since: float, until: float) -> dict[str, list[str]]:
    """Return what has begun and what has ended in a time, by user: at equal shares there should be nothing."""
    found: dict[str, list[str]] = {}
    for one in past:
        if since < one.began <= until:
            found.setdefault(one.user, []).append(f"{one.id} began at +{one.began - since:.0f} s")
        if one.ended is not None and since < one.ended <= until:
            found.setdefault(one.user, []).append(f"{one.id} ended at +{one.ended - since:.0f} s")
    return found


def begun(past: Sequence[Began], since: float = 0.0) -> Counter[str]:
    """Return how many allocations each user has begun since then."""
    return Counter(one.user for one in past if one.began >= since)


def observe(cluster: Cluster, seconds: float) -> dict[str, list[str]]:
    """Return what changes within this time."""
    began = time.time()
    time.sleep(seconds)
    return changes(history(cluster), began, time.time())

"""python -m tests.chaos [--seed N] [--faults N] [--tasks N] [--minutes N]: only root can start a Slurm."""

import argparse
import contextlib
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.chaos import faults, judge, witness
from tests.slurm.cluster import Cluster, missing
from tests.slurm.conftest import _port, _slot
from tests.support.server import ServerProcess

STEPS, JOBS, NODES = 20, 4, 4
SETTLE_SECONDS = 90.0


class Campaign:
    def __init__(self, cluster: Cluster, server: ServerProcess, folder: Path, seed: int) -> None:
        self.cluster, self.server = cluster, server
        self.witness = folder / "witness"
        self.witness.mkdir()
        self.faults = faults.Faults(cluster, server, seed)
        self.jobs: list[str] = []

    def submit(self, tasks: int) -> None:
        for part in range(min(JOBS, tasks)):
            numbers = list(range(part, tasks, min(JOBS, tasks)))
            params = {"number": numbers, "steps": STEPS, "witness": str(self.witness)}
            asked = {"gpus": 0, "cpus": 1, "memory": "200M", "time_limit": "30m"}
            self.jobs.append(self.server.submit(witness.TRAIN, params=params, objective="loss", resources=asked))

    def operate(self) -> bool:
        """As a person would after scancel: let held jobs go on, and what was stopped. Whether all have ended well."""
        over = True
        for job in self.jobs:
            detail = self.server.get(f"/jobs/{job}")
            if detail["held"]:
                self.server.post(f"/jobs/{job}/release")
            stopped = [task["id"] for task in self._tasks(job) if task["state"] == "stopped"]
            if stopped:
                self.server.post(f"/jobs/{job}/restart", {"tasks": stopped, "resume": True})
            over = over and detail["ended"] and not stopped
        return over

    def wait(self, until: float) -> bool:
        while time.monotonic() < until:
            with contextlib.suppress(Exception):  # a server that is busy is asked again
                if self.operate():
                    return True
            self.faults.mend()
            time.sleep(2)
        return False

    def told(self) -> dict[str, judge.Told]:
        return {task["id"]: self._told(task["id"]) for job in self.jobs for task in self._tasks(job)}

    def _tasks(self, job: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.server.get(f"/jobs/{job}/tasks", limit=10_000)["items"]
        return found

    def _told(self, task: str) -> judge.Told:
        detail = self.server.get(f"/tasks/{task}")
        curves = self.server.get(f"/tasks/{task}/metrics", metric="loss")
        points = [point for one in curves for point in zip(map(int, one["steps"]), one["values"], strict=True)]
        return judge.Told(detail["state"], detail["cause"], [one["cause"] for one in detail["attempts"]], points)

    def left(self) -> list[str]:
        """What is still there a while after the end."""
        end = time.monotonic() + SETTLE_SECONDS
        while True:
            found = faults.of_jobs(self.jobs)
            found += [f"runner {pid}" for pid in self.faults.runners()[0]]
            rows = self.cluster.run("squeue", "-h", "-r", "-o", "%i %T %j", check=False).splitlines()
            found += [f"in the queue: {row}" for row in rows]
            if not found or time.monotonic() > end:
                return found
            time.sleep(1)


def run(seed: int, count: int, tasks: int, minutes: float) -> int:
    began = time.monotonic()
    until = began + 60 * minutes
    with (
        _slot() as slot,
        tempfile.TemporaryDirectory(prefix="chaos-", dir="/tmp", ignore_cleanup_errors=True) as name,
    ):
        folder = Path(name)
        folder.chmod(0o755)
        with Cluster(folder / "c", prefix=f"chs{chr(ord('a') + slot)}", port=_port(slot), nodes=NODES) as cluster:
            slurm = {"poll_seconds": 0.5, "rest_seconds": 2}
            environment = cluster.environment | {"PATH": os.environ["PATH"]}
            server = ServerProcess(
                folder / "home", environment=environment, backend="slurm", backends=json.dumps({"slurm": slurm})
            ).start()
            try:
                found = _campaign(Campaign(cluster, server, folder, seed), seed, count, tasks, until)
            finally:
                if server.process is not None and server.process.poll() is None:
                    server.stop()
    print(f"\n{tasks} tasks, {count} faults, seed {seed}: {time.monotonic() - began:.0f} s\n")
    for charge, who in found.items():
        print(f"  {len(who):5}  {charge}")
        for one in who[:10]:
            print(f"         {one}")
    return int(any(found.values()))


def _campaign(made: Campaign, seed: int, count: int, tasks: int, until: float) -> dict[str, list[str]]:
    pauses = random.Random(seed + 2)
    made.submit(tasks)
    hit: Counter[str] = Counter()
    for number, kind in enumerate(faults.plan(seed, count), start=1):
        made.wait(min(time.monotonic() + pauses.uniform(2, 8), until))
        try:
            whom = made.faults.strike(kind)
        except Exception as error:  # a command that a fault before it has left without a daemon
            whom = f"not done: {type(error).__name__}: {error}"
        hit[kind] += not whom.startswith(("nobody", "not done"))
        print(f"  {number:4}  {kind:10}  {whom}", flush=True)
    made.faults.mend()
    made.wait(until)
    print("\n  " + ", ".join(f"{kind} {hit[kind]}" for kind in faults.KINDS))
    return judge.judge(judge.Case(STEPS, made.told(), witness.read(made.witness), made.left()))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--faults", type=int, default=100)
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=60, help="after these it is judged, whatever still runs")
    given = parser.parse_args()
    if os.geteuid() != 0 or missing():
        print(f"needs root, and these packages: {', '.join(missing()) or 'all are there'}", file=sys.stderr)
        return 2
    return run(given.seed, given.faults, given.tasks, given.minutes)


if __name__ == "__main__":
    sys.exit(main())

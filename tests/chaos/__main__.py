"""Run a sweep on a new real Slurm, kill everything that can be killed, and judge the result. Needs root.

Exit status: 0 no violation, 1 a violation or too few faults (the files are kept), 2 it cannot run here.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import time
from collections import Counter, deque
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.chaos import faults, judge, left, witness
from tests.slurm.cluster import Cluster, missing
from tests.slurm.conftest import _port, _slot
from tests.support.server import ServerProcess

STEPS, NODES, CORES = 20, 4, 8
PAUSE_SECONDS = 6.0  # between two faults, on the average
JOBS = 8  # one after the other
IN_USE = 0.8  # of the cores: nodes are away, allocations are given up
SHORTEST, LONGEST = 4.0, 40.0  # seconds of a task
DRAWS = 4  # so often, on the average, a fault may be drawn until it strikes somebody
TOO_FEW = "too few faults"
# The jobs of a campaign: what its tasks ask for beside one core. One is requeued by Slurm itself.
KINDS_OF_JOBS: tuple[dict[str, Any], ...] = ({}, {"slots": 4}, {"slots": 2}, {"options": ["--requeue"]})


class Campaign:
    def __init__(self, cluster: Cluster, server: ServerProcess, folder: Path, given: argparse.Namespace) -> None:
        self.cluster, self.server, self.given = cluster, server, given
        self.began, self.began_at = time.monotonic(), time.time()
        self.until = self.began + 60 * given.minutes
        self.witness = folder / "witness"
        self.witness.mkdir()
        self.faults = faults.Faults(cluster, server, given.seed)
        self.struck: Counter[str] = Counter()
        self.jobs: list[str] = []
        self.done = 0  # tasks, as last seen
        self._submitted, self._submitted_at, self._lasts = 0, 0.0, 0.0
        self._over = False

    def submit_next(self) -> None:
        """The next job, when the ones before it are nearly done. Together their parameters are 0, 1, ..., each once."""
        part, now, tasks = len(self.jobs), time.monotonic(), self.given.tasks
        if self._submitted == tasks or (part and self.done < self._submitted - NODES * CORES):
            return
        lasts = self._next_lasts(now)
        numbers = list(range(part, tasks, JOBS))
        params = {"number": numbers, "steps": STEPS, "seconds": lasts / STEPS, "witness": str(self.witness)}
        asked = {"gpus": 0, "cpus": 1, "memory": "200M", "time_limit": "2h", **KINDS_OF_JOBS[part % 4]}
        self.jobs.append(self.server.submit(witness.TRAIN, params=params, objective="loss", resources=asked))
        self._submitted += len(numbers)
        self._submitted_at, self._lasts = now, lasts

    def _next_lasts(self, now: float) -> float:
        """How long the next tasks last: so that the jobs last as long as the faults do, on whatever machine."""
        struck, part = self.struck.total(), len(self.jobs)
        each = (now - self.began) / struck if struck else self.given.pause
        target = (self.given.faults - struck) * each / (JOBS - part)
        lasts, took = self._lasts, now - self._submitted_at
        if not part:
            lasts = target * JOBS / self.given.tasks * NODES * CORES * IN_USE
        elif took > lasts:  # else it says nothing of how long a job takes
            lasts *= target / took
        return min(max(lasts, SHORTEST), LONGEST)

    def strike_all(self) -> None:
        """Whom a fault does not find, it looks for later."""
        pauses = random.Random(self.given.seed + 2)
        kinds = deque(faults.plan(self.given.seed, self.given.faults))
        draws = DRAWS * len(kinds)
        while kinds and draws and not self.wait(pauses.uniform(0.3, 1.7) * self.given.pause):
            draws -= 1
            kind = kinds.popleft()
            try:
                whom = self.faults.strike(kind)
            except faults.Nobody:
                kinds.append(kind)
                continue
            self.struck[kind] += 1
            self.tell(f"{self.struck.total():4} of {self.given.faults}  {kind:10}  {whom}")

    def tell(self, text: str) -> None:
        seconds = time.monotonic() - self.began
        print(f"  {seconds:5.0f} s  {self.done:4} of {self.given.tasks} tasks ended  {text}", flush=True)

    def wait(self, seconds: float) -> bool:
        """For so long. Whether all is over before, or the time is up."""
        end = min(time.monotonic() + seconds, self.until)
        while not self._over and time.monotonic() < end:
            self.faults.tend()
            with contextlib.suppress(Exception):  # a server that is away or busy is asked again
                self._over = self.operate()
            time.sleep(min(1.0, max(end - time.monotonic(), 0)))
        return self._over or time.monotonic() >= self.until

    def operate(self) -> bool:
        """As a person would after scancel: let held jobs go on, and what was stopped. Whether all have ended well."""
        over, done = True, 0
        for job in self.jobs:
            detail = self.server.get(f"/jobs/{job}")
            if detail["held"]:
                self.server.post(f"/jobs/{job}/release")
            stopped = [task["id"] for task in self._tasks(job, state="stopped")]
            if stopped:
                self.server.post(f"/jobs/{job}/restart", {"tasks": stopped, "resume": True})
            over = over and detail["ended"] and not stopped
            done += sum(detail["counts"].get(state, 0) for state in judge.ENDED)
        self.done = done
        over = over and self._submitted == self.given.tasks
        self.submit_next()
        return over

    def verdict(self) -> dict[str, list[str]]:
        behind = left.behind(self.faults, self.jobs, self.began_at)
        case = judge.Case(STEPS, self.given.tasks, self.told(), witness.read(self.witness), behind)
        self._write_down(case)
        found = judge.judge(case)
        found[TOO_FEW] = self._too_few()
        if not any(found.values()):  # else they are evidence
            found[judge.LEFT_BEHIND] += left.after_removal(self.faults, self.jobs)
        return found

    def _too_few(self) -> list[str]:
        wanted = Counter(faults.plan(self.given.seed, self.given.faults))
        return [f"{kind}: {self.struck[kind]} of {wanted[kind]}" for kind in wanted if self.struck[kind] < wanted[kind]]

    def _write_down(self, case: judge.Case) -> None:
        told = {task: asdict(one) for task, one in case.told.items()}
        (self.witness.parent / "told.json").write_text(json.dumps(told, indent=1))

    def told(self) -> dict[str, judge.Told]:
        with contextlib.closing(sqlite3.connect(f"file:{self.server.home.database}?mode=ro", uri=True)) as c:
            ids = c.execute("SELECT key, backend_id FROM allocations").fetchall()
        log = (self.cluster.folder / "log" / "slurmctld.log").read_text(errors="replace")
        by_hand = self.faults.cancelled | faults.killed_by_slurm(log)
        cancelled = {key for key, slurm in ids if slurm in by_hand}
        return {task["id"]: self._told(task["id"], cancelled) for job in self.jobs for task in self._tasks(job)}

    def _tasks(self, job: str, **query: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.server.get(f"/jobs/{job}/tasks", limit=10_000, **query)["items"]
        return found

    def _told(self, task: str, cancelled: set[str]) -> judge.Told:
        detail = self.server.get(f"/tasks/{task}")
        curves = self.server.get(f"/tasks/{task}/metrics", metric="loss")
        points = [point for one in curves for point in zip(one["steps"], one["values"], strict=True)]
        attempts = [
            judge.Attempt(one["number"], one["state"], one["cause"], one["allocation"] in cancelled)
            for one in detail["attempts"]
        ]
        return judge.Told(detail["state"], detail["cause"], attempts, points, detail["params"]["number"])


def campaign(given: argparse.Namespace, folder: Path) -> dict[str, list[str]]:
    """All of it: Slurm, server, faults, verdict."""
    with (
        _slot() as slot,
        Cluster(
            folder / "c", prefix=f"chs{chr(ord('a') + slot)}", port=_port(slot), nodes=NODES, cpus=CORES, nice=5
        ) as cluster,
    ):
        slurm = {"poll_seconds": 0.5, "rest_seconds": 2}
        environment = cluster.environment | {"PATH": os.environ["PATH"]}
        server = ServerProcess(
            folder / "home",
            environment=environment,
            backend="slurm",
            backends=json.dumps({"slurm": slurm}),
            runner__silence_seconds=given.silence,
        ).start()
        try:
            made = Campaign(cluster, server, folder, given)
            made.submit_next()
            made.strike_all()
            made.faults.mend()
            made.tell("no more faults")
            made.wait(60 * given.minutes)
            made.faults.mend()
            found = made.verdict()
            made.tell("judged")
            print("\n  " + ", ".join(f"{kind} {made.struck[kind]}" for kind in faults.KINDS))
        finally:
            if server.process is not None and server.process.poll() is None:
                server.stop()
    return found


def run(given: argparse.Namespace) -> int:
    began = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="chaos-", dir="/tmp"))
    folder.chmod(0o755)
    print(f"seed {given.seed}; all files are in {folder} until it is over", flush=True)
    found = campaign(given, folder)
    print(f"\n{given.tasks} tasks, {given.faults} faults, seed {given.seed}: {time.monotonic() - began:.0f} s\n")
    for charge, who in found.items():
        print(f"  {len(who):5}  {charge}")
        for one in who[:10]:
            print(f"         {one}")
    guilty = any(found.values())
    if guilty or given.keep:
        print(f"\nThe evidence (home, journals, witness, Slurm's logs) is in {folder}.")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return int(guilty)


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="chooses the faults; else it is the time")
    parser.add_argument("--faults", type=int, default=100, help="that strike somebody (%(default)s)")
    parser.add_argument("--tasks", type=int, default=1000, help="of all jobs together (%(default)s)")
    parser.add_argument("--pause", type=float, default=PAUSE_SECONDS, help="seconds between faults (%(default)s)")
    parser.add_argument("--silence", type=float, default=60, help="the setting runner.silence_seconds (%(default)s)")
    parser.add_argument("--minutes", type=float, default=60, help="then it is judged, whatever runs (%(default)s)")
    parser.add_argument("--keep", action="store_true", help="keep all files also when all is well")
    return parser.parse_args(arguments)


def main() -> int:
    given = options()
    if os.geteuid() != 0 or missing():
        print(f"needs root, and these packages: {', '.join(missing()) or 'all are there'}", file=sys.stderr)
        return 2
    return run(given)


if __name__ == "__main__":
    sys.exit(main())

"""Measure 1,000 trivial tasks inside one allocation of two cores: Paddock's runner and HyperQueue."""

import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from paddock.common import layout
from paddock.runner import build

TASKS = 1000
CORES = 2
ROUNDS = 3


def paddock(folder: Path) -> float:
    """Run the runner as an allocation starts it, on a job folder as the engine writes it; return the seconds."""
    job = folder / "job"
    for name in ("code", "claims", "allocations/a.0", "results"):
        (job / name).mkdir(parents=True)
    (job / "job.json").write_text("{}")
    lines = [
        {"task": f"job-{n}", "attempt": 1, "argv": ["/bin/true"], "env": {}, "params": {"n": n}} for n in range(TASKS)
    ]
    (job / "tasks.jsonl").write_text("".join(json.dumps(line) + "\n" for line in [*lines, {"end": True}]))
    allocation = job / "allocations" / "a.0"
    manifest = {"job": "job", "job_dir": str(job), "slots": CORES, "poll_seconds": 0.2, "idle_seconds": 0.1}
    Path(layout.manifest(str(allocation))).write_text(json.dumps(manifest))
    runner = folder / "runner.pyz"
    build.build(runner)
    began = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-S", str(runner), str(allocation)], check=True)
    seconds = time.perf_counter() - began
    ended = Path(layout.journal(str(allocation), 1)).read_text().count('"e":"ended"')
    assert ended == TASKS, ended
    return seconds


# Its server and a worker with as many cores run already. Default settings: one file for output and one for errors.
HYPERQUEUE = """
import sys, time
from hyperqueue import Job, LocalCluster
from hyperqueue.cluster import WorkerConfig
with LocalCluster(sys.argv[1], WorkerConfig(cores=%d)) as cluster:
    client = cluster.client()
    time.sleep(1)
    began = time.perf_counter()
    job = Job(default_workdir=sys.argv[1])
    for number in range(%d):
        job.program(["/bin/true"])
    client.wait_for_jobs([client.submit(job)])
    print("took", time.perf_counter() - began)
"""


def hyperqueue(folder: Path) -> float:
    command = [sys.executable, "-c", HYPERQUEUE % (CORES, TASKS), str(folder)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return float(done.stdout.split("took")[1])


def main() -> None:
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    there = importlib.util.find_spec("hyperqueue") is not None
    ours, theirs = [], []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            ours.append(paddock(Path(folder)))
        if there:
            with tempfile.TemporaryDirectory() as folder:
                theirs.append(hyperqueue(Path(folder)))
    print(f"Paddock's runner: {statistics.median(ours):.2f} s ({TASKS / statistics.median(ours):.0f} tasks/s)")
    if theirs:
        print(f"HyperQueue:       {statistics.median(theirs):.2f} s ({TASKS / statistics.median(theirs):.0f} tasks/s)")
        ratio = statistics.median(theirs) / statistics.median(ours)
        print(f"Paddock is {ratio:.2f} times as fast (goal: at least 1; median of {ROUNDS} each, in turns)")
    else:
        print("HyperQueue is not installed (pip install hyperqueue; it has packages for x86-64 only)")


if __name__ == "__main__":
    main()

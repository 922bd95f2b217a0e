"""Measure 1,000 trivial tasks: Paddock, one sbatch per task, a plain array, and submitit's array."""

import importlib.util
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.slurm.cluster import Cluster
from tests.support.server import running, wait_for

from benchmarks.slurm.rig import Calls, cluster, described

TASKS = 1000


@dataclass(frozen=True)
class Figures:
    submitted: float
    finished: float
    calls: Counter[str]


def paddock(folder: Path, calls: Calls) -> Figures:
    with running(folder / "home", backend="slurm") as server:
        wait_for(lambda: [n for n in server.get("/nodes") if n["backend"] == "slurm"], 30)
        calls.take()
        began = time.perf_counter()
        spec = {"command": "true", "params": {"n": list(range(TASKS))}, "resources": {"gpus": 0, "partition": "cpu"}}
        job = server.post("/jobs", {"spec": spec}, 201)["id"]
        wait_for(lambda: list((folder / "home" / "jobs" / job / "allocations").glob("*.id")), 60)
        submitted = time.perf_counter() - began
        server.wait(job, 600)
        finished = time.perf_counter() - began
        assert server.get(f"/jobs/{job}")["counts"]["finished"] == TASKS
        return Figures(submitted, finished, calls.take())


def one_each(folder: Path, calls: Calls) -> Figures:
    began = time.perf_counter()
    for number in range(TASKS):
        wrap = ["sbatch", "--parsable", "-p", "cpu", "-o", "/dev/null", "--wrap", f"true {number}"]
        subprocess.run(wrap, check=True, capture_output=True)
    return _drained(began, time.perf_counter() - began, calls)


def plain_array(folder: Path, calls: Calls) -> Figures:
    began = time.perf_counter()
    wrap = ["sbatch", "--parsable", "-p", "cpu", "-o", "/dev/null", f"--array=0-{TASKS - 1}", "--wrap", "true"]
    subprocess.run(wrap, check=True, capture_output=True)
    return _drained(began, time.perf_counter() - began, calls)


SUBMITIT = """
import sys, time
import submitit
executor = submitit.SlurmExecutor(folder=sys.argv[1])
executor.update_parameters(time=60, partition="cpu", array_parallelism=1000)
began = time.perf_counter()
jobs = executor.map_array(int, range(%d))
print("took", time.perf_counter() - began, flush=True)
[job.result() for job in jobs]
print("took", time.perf_counter() - began)
"""


def submitit(folder: Path, calls: Calls) -> Figures:
    command = [sys.executable, "-c", SUBMITIT % TASKS, str(folder / "submitit")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    submitted, finished = (float(line.split()[-1]) for line in done.stdout.splitlines() if line.startswith("took"))
    return Figures(submitted, finished, calls.take())


def _drained(began: float, submitted: float, calls: Calls) -> Figures:
    """Wait until the queue is empty; the calls made for that are not counted."""
    made = calls.take()
    while subprocess.run(["squeue", "-h"], check=True, capture_output=True).stdout.strip():
        time.sleep(0.2)
    finished = time.perf_counter() - began
    calls.take()
    return Figures(submitted, finished, made)


def main() -> None:
    ways: dict[str, Callable[[Path, Calls], Figures]] = {
        "Paddock": paddock,
        "one sbatch per task": one_each,
        "a plain array": plain_array,
        "submitit": submitit,
    }
    if importlib.util.find_spec("submitit") is None:
        print("submitit is not installed (pip install submitit): it is left out")
        del ways["submitit"]
    with cluster() as (made, counted), tempfile.TemporaryDirectory() as folder:
        figures = {name: _measured(way, Path(folder), made, counted) for name, way in ways.items()}
    for name, one in figures.items():
        calls = described(one.calls)
        print(f"{name:19} submitted in {one.submitted:7.3f} s, all finished in {one.finished:6.1f} s; {calls}")
    ours = figures["Paddock"]
    for name in list(ways)[1:]:
        other = figures[name]
        print(
            f"Paddock is {other.submitted / ours.submitted:.1f} times faster to submit than {name}, "
            f"{other.finished / ours.finished:.1f} times to all finished"
        )
    print("goals: 20 times faster to submit than one sbatch per task; 3 times to all finished than a plain array")


def _measured(way: Callable[[Path, Calls], Figures], folder: Path, made: Cluster, calls: Calls) -> Figures:
    made.clear(300)
    calls.take()
    return way(folder, calls)


if __name__ == "__main__":
    main()

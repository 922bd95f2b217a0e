"""How soon another user's job starts beside a sweep that fills a cluster, and how soon all GPUs are used again."""

import tempfile
import time
from pathlib import Path

from tests.slurm.cluster import Cluster
from tests.slurm.support import TRAIN
from tests.support.server import ServerProcess, running, wait_for

from benchmarks.slurm.rig import cluster

TASK = 8.0  # seconds that a task sleeps
STEPS = 16
LOOK, GRACE = 15.0, 3.0  # the defaults of others_seconds, and the grace time below
HOLD = "sleep 1000"
WISHES = {
    "1 GPU": ("--gres=gpu:1",),
    "2 GPUs of a node": ("--gres=gpu:2",),
    "a whole node": ("--exclusive",),
    "an array of 2, 1 GPU each": ("--array=0-1", "--gres=gpu:1"),
}
PATIENCE = 600.0


def used(made: Cluster, job: str) -> int:
    rows = made.run("squeue", "-h", "-r", "-t", "RUNNING", "-o", "%j").splitlines()
    return sum(f"paddock-{job}-" in row for row in rows)


def begun(made: Cluster, one: str) -> int:
    return len(made.run("squeue", "-h", "-r", "-t", "RUNNING", "-j", one, "-o", "%i").splitlines())


def sweep(made: Cluster, server: ServerProcess, folder: Path, way: str) -> None:
    """Let another user ask for one thing after the other beside one sweep."""
    witness = folder / way
    witness.mkdir()
    count = 120 if way == "between" else 6
    steps = STEPS if way == "between" else 100_000  # tasks that never end by themselves while this is measured
    params = {"number": list(range(1, count + 1)), "steps": steps, "seconds": TASK / STEPS, "witness": str(witness)}
    job = server.submit(TRAIN, params=params, objective="loss", resources={"gpus": 1, "cpus": 1}, elastic=way)
    gpus = len(made.nodes) * made.gpus
    wait_for(lambda: used(made, job) == gpus, PATIENCE, "the sweep to use all GPUs")
    for what, options in WISHES.items():
        asked = time.monotonic()
        one = made.submit(HOLD, *options, user="bob")
        number = 2 if "--array=0-1" in options else 1
        wait_for(lambda one=one, number=number: begun(made, one) == number, PATIENCE, f"{what} to start")  # type: ignore[misc]
        started = time.monotonic()
        made.run("scancel", one)
        left = time.monotonic()
        wait_for(lambda: used(made, job) == gpus, PATIENCE, "all GPUs to be used again")
        bar = LOOK + (TASK + 2 if way == "between" else GRACE) + 5
        print(
            f"{way:8} {what:26} starts after {started - asked:5.1f} s (goal: {bar:.0f} s); "
            f"all GPUs again {time.monotonic() - left:5.1f} s after it ended (goal: 60 s)",
            flush=True,
        )
    server.post(f"/jobs/{job}/stop")
    tasks = server.wait(job, PATIENCE)
    lost = sum(task["state"] not in ("finished", "stopped") for task in tasks)
    again = sum(task["attempt"] > 1 for task in tasks)
    print(f"{way:8} {lost} of {count} tasks lost, {again} went on from a checkpoint")


def main() -> None:
    with (
        cluster(nodes=3) as (made, _),
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder) / "home", backend="slurm", runner__grace_seconds=GRACE) as server,
    ):
        wait_for(lambda: [n for n in server.get("/nodes") if n["backend"] == "slurm"], PATIENCE)
        for way in ("between", "now"):
            sweep(made, server, Path(folder), way)


if __name__ == "__main__":
    main()

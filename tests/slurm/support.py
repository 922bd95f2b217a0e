"""Paddock on a real Slurm: a server, a training script that resumes from its checkpoint, and independent witnesses."""

import contextlib
import ctypes
import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.slurm.cluster import Cluster
from tests.support.server import ServerProcess, wait_for

PATIENCE = 120.0
STEPS = 10
# Paddock's own patience, where it is not what a test is about: see ServerProcess.
WAITS = {
    "server.engine.backend_worker.BUSY_SECONDS": 3.0,
    "server.engine.linger.QUIET_SECONDS": 3.0,
    "server.engine.observe.HELD_SECONDS": 3.0,
    "server.engine.observe.MISSING_SECONDS": 4.0,
    "server.engine.observe.TOUCH_SECONDS": 1.0,
}
PTRACE_SEIZE, PTRACE_INTERRUPT, WAIT_ALL = 0x4206, 0x4207, 0x40000000

# Tells a witness outside of Paddock what it does; two processes of one task at a time would not go unnoticed.
TRAIN = """
import argparse, fcntl, os, signal, sys, time
from paddock import report

parser = argparse.ArgumentParser()
parser.add_argument("--number", type=int, default=1)
parser.add_argument("--steps", type=int, default=10)
parser.add_argument("--seconds", type=float, default=0.2)
parser.add_argument("--witness")
parser.add_argument("--handles", type=int, default=0)
parser.add_argument("--fails", type=int, default=0)
parser.add_argument("--hog", type=int, default=0)
parser.add_argument("--megabytes", type=int, default=600)
parser.add_argument("--holds", type=int, default=0)
parser.add_argument("--hangs", type=int, default=0)
args = parser.parse_args()

witness = os.path.join(args.witness, os.environ["PADDOCK_TASK"])
def say(what):
    with open(witness, "a") as file:
        file.write(what + " " + os.environ["PADDOCK_ATTEMPT"] + "\\n")

lock = open(witness + ".lock", "a")
try:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    say("doubled")
say("began")
if args.handles:
    signal.signal(signal.SIGUSR1, lambda *_: say("warned"))
if args.fails:
    raise ValueError("as asked for")

saved = os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "step")
first = int(open(saved).read()) if os.path.exists(saved) else 0
held = b"x" * (args.holds << 20)
print("ready at", first, "until", os.environ.get("PADDOCK_ENDS_AT"), flush=True)
for step in range(first, args.steps):
    time.sleep(args.seconds)
    report(step=step, loss=args.number + 1 / (step + 1))
    with open(saved + ".new", "w") as file:
        file.write(str(step + 1))
    os.replace(saved + ".new", saved)
    if args.hangs in (args.number, -1) and step == 3 and os.environ["PADDOCK_ATTEMPT"] == "1":
        time.sleep(600)
    if args.hog == args.number:
        blocks = []
        blocks += (bytearray(b"x" * (10 << 20)) for _ in range(args.megabytes // 10))
say("done")
"""


class Witness:
    """What the training scripts wrote about themselves."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def said(self, what: str, task: str = "*") -> list[str]:
        """Return the attempts that wrote this, once per time, by task."""
        lines = [line for file in sorted(self.folder.glob(task)) for line in self._lines(file)]
        return [line.split()[1] for line in lines if line.startswith(f"{what} ")]

    def _lines(self, file: Path) -> list[str]:
        return [] if file.suffix == ".lock" else file.read_text().splitlines()


class Lab:
    """A server on a cluster, and what tests ask of both."""

    def __init__(self, server: ServerProcess, cluster: Cluster, witness: Witness) -> None:
        self.server, self.cluster, self.witness = server, cluster, witness

    def submit(self, resources: dict[str, Any] | None = None, *, parallel: int | None = None, **params: Any) -> str:
        """Submit the training script; parameters with a list are a sweep."""
        given = {"steps": STEPS, "witness": str(self.witness.folder), **params}
        return self.server.submit(TRAIN, params=given, objective="loss", resources=resources or {}, parallel=parallel)

    def attempts(self, job: str, number: int = 1) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.server.task(job, number)["attempts"]
        return found

    def ends(self, job: str, number: int = 1) -> list[str]:
        """Return how each attempt of a task ended: its cause if it has one, otherwise its state."""
        return [one["cause"] or one["state"] for one in self.attempts(job, number)]

    def wait_ends(self, job: str, *ends: str, number: int = 1, seconds: float = PATIENCE) -> None:
        """Wait until the attempts of a task ended like this."""
        with contextlib.suppress(AssertionError):
            wait_for(lambda: self.ends(job, number) == list(ends), seconds)
        attempts = self.attempts(job, number)
        assert self.ends(job, number) == list(ends), f"{attempts}, {self.server.task(job, number)['allocation']}"

    def wait_attempt(self, job: str, attempt: int, number: int = 1, seconds: float = PATIENCE) -> dict[str, Any]:
        """Wait until this attempt of a task runs and has begun to train."""

        def begun() -> bool:
            task = self.server.task(job, number)
            there = task["state"] == "running" and task["attempt"] == attempt
            return there and "ready" in self.server.log_of(job, number)

        wait_for(begun, seconds, f"attempt {attempt} of {job}-{number} to run")
        return self.attempts(job, number)[-1]

    def wait_steps(self, job: str, count: int, number: int = 1, seconds: float = PATIENCE) -> None:
        """Wait until a task has reported this many steps."""
        wait_for(lambda: len(self.steps(job, number)) >= count, seconds, f"{count} steps of {job}-{number}")

    def steps(self, job: str, number: int = 1) -> list[int]:
        """Return the steps of a task's curve, over all attempts that continued each other."""
        curves = self.server.get(f"/tasks/{job}-{number}/metrics", metric="loss")
        return [int(step) for curve in curves for step in curve["steps"]]

    def assert_finished(self, job: str, tasks: int = 1, steps: int = STEPS) -> None:
        """Wait for a job. All its tasks finish, with complete curves, and none ever runs twice at a time."""
        found = self.server.wait(job, PATIENCE)
        assert [task["state"] for task in found] == ["finished"] * tasks, found
        for number in range(1, tasks + 1):
            assert self.steps(job, number) == list(range(steps)), self.steps(job, number)
            assert len(self.witness.said("done", f"{job}-{number}")) == 1, self.attempts(job, number)
        assert not self.witness.said("doubled")

    def allocation(self, job: str, number: int = 1) -> str:
        """Return Slurm's id of the allocation of a task."""
        found: str = self.server.task(job, number)["allocation"]["backend_id"]
        return found

    def queue(self, job: str, *options: str) -> list[str]:
        """Return the ids of the job's allocations in Slurm's queue."""
        rows = self.cluster.run("squeue", "-h", "-r", *options, "-o", "%i %j").splitlines()
        return [row.split()[0] for row in rows if f"paddock-{job}-" in row]

    def wait_gone(self, job: str) -> None:
        """Wait until nothing of a job is left in the queue."""
        wait_for(lambda: not self.queue(job), PATIENCE, f"the allocations of {job} to leave")

    def arrays(self, job: str) -> list[str]:
        """Return all arrays that were ever submitted for a job, as far as Slurm remembers."""
        return sorted({row.partition("_")[0] for row in self.queue(job, "-t", "all")}, key=int)

    def save_queue(self) -> None:
        """Wait until slurmctld has saved its queue. That may take long: a submission makes it hurry."""
        file = self.cluster.folder / "state" / "job_state"

        def saved() -> bool:
            asked = time.time()
            self.cluster.run("scancel", self.cluster.submit("true", "--hold"))
            time.sleep(1)
            return file.exists() and file.stat().st_mtime > asked

        wait_for(saved, PATIENCE, "slurmctld to write its queue down")

    def revive(self) -> None:
        """Start the server again if a test that failed left it dead."""
        assert self.server.process is not None
        if self.server.process.poll() is not None:
            self.server.kill()
            self.server.start()

    def runner(self, pid: int) -> int:
        """Return the process of the runner of a task."""
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@contextlib.contextmanager
def lab(
    folder: Path,
    cluster: Cluster,
    path: str = "",
    slurm: dict[str, Any] | None = None,
    waits: dict[str, float] | None = None,
    **settings: Any,
) -> Iterator[Lab]:
    """Start a server. `path` comes before the rest of PATH, for the server only; `slurm`: settings of the backend."""
    folder.mkdir(parents=True, exist_ok=True)
    slurm = {"poll_seconds": 0.5, "rest_seconds": 1, "warn_seconds": 15, **(slurm or {})}
    server = ServerProcess(
        folder / "home",
        environment=cluster.environment | {"PATH": f"{path}{os.environ['PATH']}"},
        backend="slurm",
        backends=json.dumps({"slurm": slurm}),
        runner__grace_seconds=3,
        runner__usage_seconds=1,
        runner__silence_seconds=6,
        waits=WAITS | (waits or {}),
        **settings,
    ).start()
    made = Lab(server, cluster, Witness(folder / "witness"))
    try:
        yield made
    finally:
        end_jobs(made)
        server.stop()


def end_jobs(made: Lab) -> None:
    """Stop what still runs, so that nothing is left for the next test."""
    process = made.server.process
    if process is None or process.poll() is not None:
        return
    unended = [job["id"] for job in made.server.get("/jobs", limit=500)["items"] if not job["ended"]]
    for job in unended:
        made.server.post(f"/jobs/{job}/stop")
    for job in unended:
        made.server.wait(job, PATIENCE)


def freeze(pid: int) -> None:
    """Keep a process from reacting until it is killed, as a debugger does: Slurm wakes what a signal has stopped."""
    libc = ctypes.CDLL(None, use_errno=True)
    stopped = threading.Event()

    def hold() -> None:
        for request in (PTRACE_SEIZE, PTRACE_INTERRUPT):
            assert libc.ptrace(request, pid, None, None) == 0, os.strerror(ctypes.get_errno())
        while os.WIFSTOPPED(os.waitpid(pid, WAIT_ALL)[1]):
            stopped.set()

    threading.Thread(target=hold, daemon=True).start()  # what it has stopped would go on if it ended
    assert stopped.wait(PATIENCE), f"process {pid} does not stop"


def text_of(path: Path) -> str:
    """Return the content of a file; nothing if there is none."""
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""

"""Run 10,000 tasks on a real Slurm of 100 nodes on this machine, and kill the server in the middle.

Run it as root: `python -m benchmarks.scale.slurm_hundred [--tasks 1000] [--nodes 100] [--seconds 0]`. It starts 100
`slurmd` with one core each, runs a job of trivial tasks on up to 100 allocations, kills the server with SIGKILL when
half of them have run, and starts it again after a while. Each task appends a line to a file, which shows whether it ran
exactly once. All calls of Slurm's commands are counted. Ten thousand tasks take minutes on two cores, so no test does
this.
"""

import argparse
import json
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from tests.slurm import cluster as slurm
from tests.support.server import ServerProcess

from benchmarks.measure import cpu_seconds, peak_megabytes
from benchmarks.slurm.rig import Calls, cluster, described

WINDOW = 60.0
GOAL = 5.0
AWAY = 20.0  # seconds without a server


class Run:
    """A job of trivial tasks, and what happens to it."""

    def __init__(
        self, server: ServerProcess, calls: Calls, tasks: int, seconds: float, allocations: int, folder: Path
    ) -> None:
        self._server, self._calls, self._tasks = server, calls, tasks
        self._ran = folder / "ran"
        self._ran.touch()
        calls.take()
        self.began = time.time()
        spec = {
            "command": f"sleep {seconds:g}; echo {{n}} >> {self._ran}" if seconds else f"echo {{n}} >> {self._ran}",
            "params": {"n": list(range(tasks))},
            "parallel": allocations,
            "resources": {"gpus": 0, "cpus": 1, "partition": "cpu"},
        }
        self._job = server.post("/jobs", {"spec": spec}, 201)["id"]
        self._note("accepted")

    def ran(self) -> int:
        return self._ran.read_bytes().count(b"\n")

    def counts(self) -> dict[str, int]:
        found: dict[str, int] = self._server.get(f"/jobs/{self._job}")["counts"]
        return found

    def ended(self) -> bool:
        return bool(self._server.get(f"/jobs/{self._job}")["ended"])

    def until(self, wanted: int) -> None:
        while self.ran() < wanted:
            time.sleep(0.5)
        self._note(f"{self.ran():,} of {self._tasks:,} tasks have run")

    def finish(self) -> None:
        while not self.ended():
            time.sleep(1)
        self._note("all tasks have ended")

    def _note(self, what: str) -> None:
        print(f"{time.time() - self.began:7.1f} s  {what}", flush=True)

    def judge(self) -> bool:
        """Print whether each task ran exactly once and is known to have finished; return whether that is so."""
        lines = Counter(self._ran.read_text().split())
        twice = sum(count > 1 for count in lines.values())
        tasks = [
            task
            for offset in range(0, self._tasks, 1000)
            for task in self._server.get(f"/jobs/{self._job}/tasks", offset=offset, limit=1000)["items"]
        ]
        finished = sum(task["state"] == "finished" for task in tasks)
        again = sum(task["attempt"] > 1 for task in tasks)
        print(
            f"{finished:,} of {self._tasks:,} tasks finished; {self._tasks - len(lines):,} never ran, "
            f"{twice:,} ran more than once, {again:,} have more than one attempt"
        )
        return finished == len(lines) == self._tasks and not twice

    def rates(self, ended: float) -> None:
        """Print how often Slurm's commands were called, on the whole and in the busiest minute."""
        made = [(at, name) for at, name in self._calls.made() if at <= ended]
        names = Counter(name for _, name in made)
        times = [at for at, _ in made]
        busiest = max((sum(at <= other < at + WINDOW for other in times) for at in times), default=0)
        seconds = ended - self.began
        print(
            f"calls of Slurm's commands: {described(names)} in {seconds:.0f} s, one per "
            f"{seconds / max(len(made), 1):.1f} s (goal: at most one per {GOAL:g} s); at most {busiest} in {WINDOW:g} s"
        )
        print("calls per 30 s:", [sum(0 <= at - begin < 30 for at in times) for begin in _steps(self.began, ended, 30)])


def _steps(begin: float, end: float, step: int) -> list[float]:
    return [begin + step * number for number in range(int((end - begin) // step) + 1)]


def main(tasks: int = 10_000, nodes: int = 100, nice: int = 5, seconds: float = 0) -> bool:
    if missing := slurm.missing():
        print(f"not measured: {', '.join(missing)} are missing")
        return True
    starting = time.time()
    with (
        cluster(nodes=nodes, cpus=1, nice=nice) as (_, calls),
        tempfile.TemporaryDirectory() as folder,
    ):
        print(f"{nodes} nodes up after {time.time() - starting:.1f} s", flush=True)
        server = ServerProcess(Path(folder) / "home", backend="slurm", runner__grace_seconds=0).start()
        _prefer(server)
        try:
            run = Run(server, calls, tasks, seconds, nodes, Path(folder))
            return _measured(server, run, tasks)
        finally:
            server.stop()


def _prefer(server: ServerProcess) -> None:
    """Let the server run before the nodes: elsewhere they are other machines.

    Linux gives each session the same share of the processor, whatever the priorities of its processes are, and here
    every allocation is a session.
    """
    assert server.process is not None
    with suppress(OSError):
        Path(f"/proc/{server.process.pid}/autogroup").write_text("-10")


def _measured(server: ServerProcess, run: Run, tasks: int) -> bool:
    run.until(tasks // 2)
    print("           the server is killed;", json.dumps(run.counts()), flush=True)
    used, memory = cpu_seconds(server), peak_megabytes(server)
    server.kill()
    time.sleep(AWAY)
    print(f"           {run.ran():,} tasks have run when it is started again", flush=True)
    server.start()
    _prefer(server)
    run.finish()
    ended = time.time()
    run.rates(ended)
    used, memory = used + cpu_seconds(server), max(memory, peak_megabytes(server))
    busy = ended - run.began - AWAY
    print(f"the server used {used:.1f} s of CPU, {100 * used / busy:.0f} % of a core, and up to {memory:.0f} MB")
    return run.judge()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--nice", type=int, default=5, help="the priority of what runs on the nodes")
    parser.add_argument("--seconds", type=float, default=0, help="how long each task sleeps")
    raise SystemExit(0 if main(**vars(parser.parse_args())) else 1)

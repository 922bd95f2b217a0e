"""Start a server with a sweep in it, and describe what was measured."""

import statistics
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support.server import ServerProcess, running, wait_for


@contextmanager
def running_sweep(script: str, tasks: int) -> Iterator[ServerProcess]:
    """Yield a server in which this many tasks of one job run `script`, all at the same time."""
    settings = {"local__slots": tasks, "runner__grace_seconds": 0}
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "home", **settings) as server:
        job = server.submit(script, params={"n": list(range(tasks))})
        wait_for(lambda: server.get(f"/jobs/{job}")["counts"]["running"] == tasks)
        yield server


def described(seconds: Sequence[float], digits: int = 3) -> str:
    """Return median, 95th percentile and worst of these durations."""
    if not seconds:
        return "nothing was measured"
    found = sorted(seconds)
    parts = {"median": statistics.median(found), "p95": found[int(len(found) * 0.95)], "worst": found[-1]}
    return ", ".join(f"{name} {value:.{digits}f} s" for name, value in parts.items())


def cpu_seconds(server: ServerProcess, *, children: bool = False) -> float:
    """Return the CPU time of the server so far; with `children`, also that of its child processes that have ended."""
    assert server.process is not None
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11 : 15 if children else 13])) / 100


def peak_megabytes(server: ServerProcess) -> float:
    """Return the largest memory that the server has had so far."""
    assert server.process is not None
    lines = Path(f"/proc/{server.process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024

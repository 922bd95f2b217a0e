"""Measure what the quick commands cost: processor time and elapsed time of whole processes, beside a running server."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.support.server import running

RUNS = 15
GOAL = 0.3


def main() -> None:
    with tempfile.TemporaryDirectory() as compiled:
        os.environ["PYTHONPYCACHEPREFIX"] = compiled  # as after an installation: all modules are compiled
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        _measure()


def _measure() -> None:
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "home", local__slots=1) as server:
        jobs = [
            server.submit("import time; time.sleep(600)", params={"lr": [0.1, 0.2], "n": [1, 2, 3]}) for _ in "abcde"
        ]
        commands = [
            ["ls"], ["ls", "--json"], ["show", jobs[0]], ["show", f"{jobs[0]}-1"], ["stop", f"{jobs[1]}-1"],
            ["tasks", jobs[0]], ["logs", f"{jobs[1]}-1"], ["best", jobs[0]], ["metrics", jobs[0]], ["export", jobs[0]],
            ["restart", jobs[0], "--failed"], ["hold", jobs[2]], ["objective", jobs[0]],
            ["--help"], ["submit", "--help"], ["--version"],
        ]  # fmt: skip
        print(f"{'command':24}  {'CPU':>16}  {'elapsed':>16}   (median and worst of {RUNS}; goal {GOAL} s elapsed)")
        for command in commands:
            _run(server.home.root, command)
            cpu, elapsed = zip(*(_run(server.home.root, command) for _ in range(RUNS)), strict=True)
            name = " ".join(command).replace(jobs[0], "JOB").replace(jobs[1], "JOB")
            print(f"paddock {name:16}  {_shown(cpu)}  {_shown(elapsed)}", flush=True)


def _run(home: Path, command: list[str]) -> tuple[float, float]:
    """Return the processor time and the elapsed time of one process."""
    began = time.perf_counter()
    with open(os.devnull, "w") as nowhere:
        process = subprocess.Popen(
            [sys.executable, "-m", "paddock", "--home", home, *command], stdout=nowhere, stderr=nowhere
        )
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return used.ru_utime + used.ru_stime, time.perf_counter() - began


def _shown(seconds: tuple[float, ...]) -> str:
    return f"{statistics.median(seconds):6.3f} / {max(seconds):5.3f} s"


if __name__ == "__main__":
    main()

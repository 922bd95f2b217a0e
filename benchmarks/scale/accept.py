"""Measure how long the server takes to accept a job of 10,000 tasks over REST, and to stop its tasks by their ids."""

import statistics
import tempfile
import time
from pathlib import Path

from tests.support.server import running

from benchmarks.measure import cpu_seconds

TASKS, TIMES = 10_000, 3


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "home", local__slots=1) as server:
        accepted, used, stopped = [], [], []
        for _ in range(TIMES):
            body = {
                "spec": {"script": "train.py", "params": {"a": list(range(TASKS // 100)), "b": list(range(100))}},
                "files": {"train.py": "import time; time.sleep(60)"},
            }
            before, began = cpu_seconds(server, children=True), time.perf_counter()
            job = server.post("/jobs", body, 201)
            accepted.append(time.perf_counter() - began)
            used.append(cpu_seconds(server, children=True) - before)
            assert sum(job["counts"].values()) == TASKS
            began = time.perf_counter()
            server.post(f"/jobs/{job['id']}/stop", {"tasks": [f"{job['id']}-{n}" for n in range(1, TASKS + 1)]})
            stopped.append(time.perf_counter() - began)
            server.wait(job["id"])
    print(f"{TASKS:,} tasks accepted in {_shown(accepted)}, {_shown(used)} of CPU (goal: 3 s)")
    print(f"{TASKS:,} tasks stopped by their ids: the request took {_shown(stopped)}")


def _shown(seconds: list[float]) -> str:
    return f"{statistics.median(seconds):.2f} s (worst {max(seconds):.2f})"


if __name__ == "__main__":
    main()

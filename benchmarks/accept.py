"""Measure how long the server takes to accept a sweep of 1,000 tasks."""

import statistics
import tempfile
import time
from pathlib import Path

from tests.support.server import running

TASKS = 1000


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "home", local__slots=1) as server:
        times = []
        for _ in range(5):
            body = {
                "spec": {
                    "script": "train.py",
                    "params": {"a": list(range(10)), "b": list(range(10)), "c": list(range(10))},
                },
                "files": {"train.py": "import os, time; time.sleep(60)"},
            }
            began = time.perf_counter()
            job = server.post("/jobs", body, 201)
            times.append(time.perf_counter() - began)
            assert sum(job["counts"].values()) == TASKS
            server.post(f"/jobs/{job['id']}/stop")
            server.wait(job["id"])
    print(
        f"{TASKS} tasks accepted over REST in {statistics.median(times):.3f} s "
        f"(median of 5; worst {max(times):.3f} s; goal 1 s)"
    )


if __name__ == "__main__":
    main()

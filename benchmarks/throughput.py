"""Measure trivial tasks on the local backend with 2 slots, and the same with a plain `xargs -P2`."""

import subprocess
import tempfile
import time
from pathlib import Path

from tests.support.server import running

TASKS = 2000


def paddock() -> float:
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "home", local__slots=2) as server:
        began = time.perf_counter()
        job = server.post("/jobs", {"spec": {"command": "true", "params": {"n": list(range(TASKS))}}}, 201)["id"]
        server.wait(job, 300)
        seconds = time.perf_counter() - began
        assert server.get(f"/jobs/{job}")["counts"]["finished"] == TASKS
    return seconds


def xargs(command: list[str]) -> float:
    numbers = "".join(f"{i}\n" for i in range(TASKS)).encode()
    began = time.perf_counter()
    subprocess.run(["xargs", "-P2", "-n1", *command], input=numbers, check=True)
    return time.perf_counter() - began


def main() -> None:
    ours, plain, shell = paddock(), xargs(["true"]), xargs(["sh", "-c", "true"])
    print(f"Paddock:               {TASKS / ours:7.0f} tasks/s  ({TASKS} in {ours:.2f} s, submission to all finished)")
    print(f"xargs -P2 sh -c true:  {TASKS / shell:7.0f} tasks/s  (no logs, no states, no restarts)")
    print(f"xargs -P2 true:        {TASKS / plain:7.0f} tasks/s")
    print("goal: 100 tasks/s")


if __name__ == "__main__":
    main()

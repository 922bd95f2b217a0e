"""Measure calls of Slurm's commands with 200 tasks, and the time from a start or end on a node until a person sees it.

Tasks on the nodes have a low priority: elsewhere nodes are separate machines, but here they share two cores with the
server and the scheduler.
"""

import json
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import httpx2
from tests.support.server import ServerProcess, running, wait_for

from benchmarks.measure import described as seconds
from benchmarks.slurm.rig import cluster, described

TASKS = 200
SECONDS = 60
SHORT = 200
PARALLEL = 20

# Each task writes down when it started, and when it was about to end.
SHORT_SCRIPT = """
import argparse, pathlib, sys, time
n = sys.argv[sys.argv.index("--n") + 1]
folder = pathlib.Path({folder!r})
(folder / f"{{n}}.start").write_text(repr(time.time()))
time.sleep(2)
(folder / f"{{n}}.end").write_text(repr(time.time()))
"""


class Watcher(threading.Thread):
    """Note when each task was first shown as running, and as finished."""

    def __init__(self, server: ServerProcess) -> None:
        super().__init__(daemon=True)
        self._server = server
        self.seen: dict[tuple[int, str], float] = {}

    def run(self) -> None:
        headers = {"Authorization": f"Bearer {self._server.token}"}
        with (
            suppress(httpx2.HTTPError),  # the server has ended
            httpx2.stream("GET", f"{self._server.url}/api/v1/events", headers=headers, timeout=None) as answer,
        ):
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    now = time.time()
                    event = json.loads(line[6:])
                    for task in event["data"].get("tasks", []) if event.get("kind") == "tasks" else []:
                        self.seen.setdefault((task["params"]["n"], task["state"]), now)


def delays(server: ServerProcess, folder: Path) -> None:
    watcher = Watcher(server)
    watcher.start()
    spec = {
        "script": "train.py",
        "convention": "flags",
        "params": {"n": list(range(SHORT))},
        "parallel": PARALLEL,
        "resources": {"gpus": 0, "partition": "cpu"},
    }
    job = server.post("/jobs", {"spec": spec, "files": {"train.py": SHORT_SCRIPT.format(folder=str(folder))}}, 201)
    while not server.get(f"/jobs/{job['id']}")["ended"]:
        time.sleep(2)
    time.sleep(2)
    for event, state, goal in (("start", "running", 2.0), ("end", "finished", 1.5)):
        found = [
            # For a task that ended before it was shown as running, the time when it was shown as finished counts.
            watcher.seen.get((n, state), watcher.seen[n, "finished"]) - float((folder / f"{n}.{event}").read_text())
            for n in range(SHORT)
        ]
        print(f"{event} of a task -> shown as {state}: {seconds(found, 2)} ({SHORT} tasks; goal: p95 under {goal} s)")


def main() -> None:
    with (
        cluster(nodes=4, cpus=60, nice=19) as (_, calls),
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder) / "home", backend="slurm", runner__grace_seconds=0) as server,
    ):
        wait_for(lambda: [n for n in server.get("/nodes") if n["backend"] == "slurm"], 30)
        delays(server, Path(folder))
        spec = {
            "command": "sleep 600",
            "params": {"n": list(range(TASKS))},
            "resources": {"gpus": 0, "partition": "cpu"},
        }
        job = server.post("/jobs", {"spec": spec}, 201)["id"]
        while server.get(f"/jobs/{job}")["counts"]["running"] < TASKS:
            time.sleep(2)
        time.sleep(20)
        calls.take()
        time.sleep(SECONDS)
        made = calls.take()
        print(
            f"{TASKS} running tasks: {described(made)} calls in {SECONDS} s, "
            f"one per {SECONDS / max(made.total(), 1):.1f} s (goal: at most one per 5 s)"
        )


if __name__ == "__main__":
    main()

"""From a metric written to a file to its arrival on the event stream, with 50 running tasks."""

import json
import statistics
import tempfile
import time
from pathlib import Path

import httpx2
from tests.support.server import ServerProcess, running, wait_for

TASKS = 50
SECONDS = 20

# The value of the metric is the moment at which it was written.
SCRIPT = """
import random, time
random.seed()
with open("log.csv", "w") as log:
    log.write("epoch,val_loss\\n")
    for epoch in range(10000):
        time.sleep(random.uniform(0.5, 1.5))
        log.write(f"{epoch},{time.time():.6f}\\n")
        log.flush()
"""


def main() -> None:
    settings = {"local__slots": TASKS, "runner__grace_seconds": 0}
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "home", **settings) as server:
        body = {"spec": {"params": {"n": list(range(TASKS))}}, "files": {"train.py": SCRIPT}}
        job = server.post("/jobs", body, 201)["id"]
        wait_for(lambda: server.get(f"/jobs/{job}")["counts"]["running"] == TASKS, 60)
        time.sleep(3)
        before = _cpu(server)
        delays = _listen(server)
        busy = (_cpu(server) - before) / SECONDS
        server.post(f"/jobs/{job}/stop")
        server.wait(job)
    delays.sort()
    p95 = delays[int(len(delays) * 0.95)]
    print(
        f"{len(delays)} points of {TASKS} running tasks in {SECONDS} s: median {statistics.median(delays):.3f} s, "
        f"p95 {p95:.3f} s, worst {delays[-1]:.3f} s (goal: p95 under 1 s)"
    )
    print(f"the server was busy for {busy:.1%} of a core")


def _listen(server: ServerProcess) -> list[float]:
    delays: list[float] = []
    end = time.time() + SECONDS
    headers = {"Authorization": f"Bearer {server.token}"}
    with httpx2.stream("GET", f"{server.url}/api/v1/events", headers=headers, timeout=30) as answer:
        for line in answer.iter_lines():
            now = time.time()
            if now > end:
                break
            if line.startswith("data: ") and '"points"' in line:
                points = json.loads(line[6:])["data"]["points"]
                delays += [now - p[1] for series in points.values() for p in series.get("val_loss", [])]
    return delays


def _cpu(server: ServerProcess) -> float:
    assert server.process is not None
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


if __name__ == "__main__":
    main()

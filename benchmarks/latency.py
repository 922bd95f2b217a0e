"""Measure the time from a metric written to a file to its arrival on the event stream, with 50 running tasks.

As root also where tasks run as two other people, and all that they write comes through their agents.
"""

import json
import os
import time

import httpx2
from tests.support.server import ServerProcess, wait_for
from tests.support.team import ALICE, BOB
from tests.team.member_server import member_server

from benchmarks.measure import cpu_seconds, described, running_sweep

TASKS = 50
SECONDS = 20

# The value of the metric is the time at which it was written.
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
    with running_sweep(SCRIPT, TASKS) as server:
        time.sleep(3)
        before = cpu_seconds(server)
        delays = listen(server)
        busy = (cpu_seconds(server) - before) / SECONDS
    print(f"{len(delays)} points of {TASKS} running tasks in {SECONDS} s: {described(delays)} (goal: p95 under 1 s)")
    print(f"the server used {busy:.1%} of a core")
    if os.geteuid() == 0:
        _through_agents()


def _through_agents() -> None:
    with member_server(local__slots=TASKS) as lab:
        jobs = [(name, lab.submit(name, SCRIPT, {"n": list(range(TASKS // 2))})) for name in (ALICE, BOB)]
        for name, job in jobs:
            wait_for(lambda: set(lab.states(name, job)) == {"running"}, 300, "all tasks to run")  # noqa: B023
        time.sleep(3)
        before = cpu_seconds(lab.server)
        delays = listen(lab.server)
        busy = (cpu_seconds(lab.server) - before) / SECONDS
    print(f"{len(delays)} points of {TASKS} tasks of two people, through their agents: {described(delays)}")
    print(f"the server used {busy:.1%} of a core")


def listen(server: ServerProcess) -> list[float]:
    """Return how late the points of some seconds arrived on the event stream."""
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


if __name__ == "__main__":
    main()

"""Measure the engine with 1,000 running tasks, each in its own allocation, writing one point per second."""

import json
import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.workload import JOB, batch_of, bench, started
from paddock.server.engine.engine import Engine
from paddock.server.store import allocations

TASKS, SECONDS = 1000, 20


def main() -> None:
    with bench(TASKS) as made:
        job = made.home.job(JOB)
        made.say(started(TASKS, time.time()))
        with made.context.db.write() as c:
            batch = batch_of(made.home, f"{JOB}-a2", TASKS)
            for key in batch.keys:
                job.allocation(key).mkdir()
            allocations.plan(c, JOB, "local", batch)
            allocations.submitted(c, batch.key, batch.keys)
        engine = Engine(made.context.db, made.home, made.context.settings, [], lambda: None)
        writer = subprocess.Popen([sys.executable, "-m", "benchmarks.load", str(job.root)])
        engine.start()
        time.sleep(5)
        before = _cpu()
        time.sleep(SECONDS)
        busy = (_cpu() - before) / SECONDS
        writer.terminate()
        writer.wait()
        engine.close()
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{TASKS} tasks at 1 point/s: {busy:.1%} of a core, {memory:.0f} MB at the most (goal: 25 %, 300 MB)")


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def write(root: Path) -> None:
    """Write what the runners would write, spread evenly over each second."""
    order = list(range(1, TASKS + 1))
    random.Random(1).shuffle(order)
    for step in range(10_000):
        began = time.time()
        for count, n in enumerate(order):
            record = {
                "e": "metric",
                "at": time.time(),
                "task": f"{JOB}-{n}",
                "attempt": 1,
                "step": step,
                "v": {"val_loss": 1.0},
            }
            path = root / "allocations" / f"{JOB}-a2.{n - 1}" / "journal.1.jsonl"
            with open(path, "a") as file:
                file.write(json.dumps(record) + "\n")
            ahead = began + count / TASKS - time.time()
            if ahead > 0.005:
                time.sleep(ahead)
        if os.getppid() == 1:
            return


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write(Path(sys.argv[1]))
    else:
        main()

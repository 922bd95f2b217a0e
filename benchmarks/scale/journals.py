"""Measure the time from a point in a journal to the event stream, with 800 allocations on a slow file system.

The engine runs in this process; each `os.open`, `os.stat` and `os.lstat` in it takes 1 ms more (wrapped). Another
process writes what runners write: usage of every task every 2 s, and points of some tasks every second, of some every
10 s, and of the others every 40 s.
"""

import json
import os
import random
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measure import described
from benchmarks.workload import JOB, batch_of, bench, started
from paddock.models import AllocationState, AllocationStatus
from paddock.server.engine.engine import Engine
from paddock.server.store import allocations, events

ALLOCATIONS, SECONDS, LATENCY = 800, 45, 0.001
PERIODS = {1.0: 100, 10.0: 200, 40.0: 500}  # seconds between the points of a task -> tasks
USAGE_SECONDS = 2.0


def main() -> None:
    calls = 0
    with bench(ALLOCATIONS) as made:
        job = made.home.job(JOB)
        batch = batch_of(made.home, f"{JOB}-a2", ALLOCATIONS)
        with made.context.db.write() as c:
            allocations.close(c, f"{JOB}-a1.0")
            allocations.plan(c, JOB, "elsewhere", batch)
            allocations.submitted(c, batch.key, batch.keys)
            for key in batch.keys:
                allocations.seen(c, key, AllocationStatus(state=AllocationState.RUNNING, node="n1"))
        for key, record in zip(batch.keys, started(ALLOCATIONS, time.time()), strict=True):
            job.allocation(key).mkdir()
            made.say([record], job.journal(key, 1))
        changed = threading.Event()
        engine = Engine(made.context.db, made.home, made.context.settings, [], changed.set)
        while engine.round():
            pass
        plain = {name: getattr(os, name) for name in ("open", "stat", "lstat")}

        def slow(call: Callable[..., Any]) -> Callable[..., Any]:
            def slowly(*args: Any, **options: Any) -> Any:
                nonlocal calls
                calls += 1
                time.sleep(LATENCY)
                return call(*args, **options)

            return slowly

        for name, call in plain.items():
            setattr(os, name, slow(call))
        writer = subprocess.Popen([sys.executable, "-m", "benchmarks.scale.journals", str(job.root)])
        engine.start()
        time.sleep(10)  # by now it is known which are quiet
        before, calls = _cpu(), 0
        delays = _listen(engine, changed)
        assert engine.problem is None and not engine.set_aside, (engine.problem, engine.set_aside)
        busy, made_calls = (_cpu() - before) / SECONDS, calls / SECONDS
        writer.terminate()
        writer.wait()
        engine.close()
        for name, call in plain.items():
            setattr(os, name, call)
    print(f"{ALLOCATIONS} allocations, 1 ms in each open and stat; a point in the journal -> on the event stream:")
    for period in PERIODS:
        print(f"  one point per {period:.0f} s: {described(delays[period])}")
    print(f"  all: {described([one for some in delays.values() for one in some])} (goal: p95 under 1.5 s)")
    print(f"  {made_calls:.0f} opens and stats per second, {busy:.0%} of a core")


def _listen(engine: Engine, changed: threading.Event) -> dict[float, list[float]]:
    delays: dict[float, list[float]] = {period: [] for period in PERIODS}
    with engine.context.db.read() as c:
        last = events.newest(c)
    end = time.time() + SECONDS
    while time.time() < end:
        changed.wait(1)
        changed.clear()
        with engine.context.db.read() as c:
            found = list(events.after(c, last))
        now = time.time()
        for one in found:
            last = one.id
            for series in (json.loads(one.data).get("points") or {}).values():
                for period in PERIODS:
                    delays[period] += [now - point[1] for point in series.get(f"p{period:.0f}", [])]
    return delays


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def write(root: Path) -> None:
    """Write what the runners would write. The value of a point is when it was written."""
    periods = [period for period, tasks in PERIODS.items() for _ in range(tasks)]
    chance = random.Random(1)
    turns = [(chance.uniform(0, period), n, period, "metric") for n, period in enumerate(periods)]
    turns += [(chance.uniform(0, USAGE_SECONDS), n, USAGE_SECONDS, "usage") for n in range(ALLOCATIONS)]
    turns.sort()
    began, step = time.time(), 0
    while os.getppid() != 1:
        at, n, period, kind = turns.pop(0)
        time.sleep(max(0.0, began + at - time.time()))
        step += 1
        now = time.time()
        about: dict[str, Any] = {"e": kind, "at": now, "task": f"{JOB}-{n + 1}", "attempt": 1}
        about |= {"memory": 1, "cpu": 1.0} if kind == "usage" else {"step": step, "v": {f"p{period:.0f}": now}}
        with open(root / "allocations" / f"{JOB}-a2.{n}" / "journal.1.jsonl", "a") as file:
            file.write(json.dumps(about) + "\n")
        turns.append((at + period, n, period, kind))
        turns.sort()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write(Path(sys.argv[1]))
    else:
        main()

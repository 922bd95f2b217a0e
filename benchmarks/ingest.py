"""Measure how many metric points per second go from the journal into the database, events included."""

import time

from benchmarks.workload import JOB, Bench, bench, started
from paddock.server.engine.ingest import Ingest
from paddock.server.store import allocations

TASKS, ROUNDS, NAMES = 100, 100, ("loss", "accuracy", "val_loss", "val_accuracy")


def main() -> None:
    with bench(TASKS) as made:
        ingest = Ingest()
        made.say(started(TASKS, time.time()))
        _round(ingest, made)
        points, busy = 0, 0.0
        for epoch in range(ROUNDS):  # one epoch of every task per round: many small appends, the hard case
            made.say(_epoch(epoch))
            began = time.perf_counter()
            _round(ingest, made)
            busy += time.perf_counter() - began
            points += TASKS * len(NAMES)
        made.say([record for epoch in range(ROUNDS, 5 * ROUNDS) for record in _epoch(epoch)])
        began = time.perf_counter()
        while _round(ingest, made):
            pass
        burst = time.perf_counter() - began
    print(
        f"one epoch of {TASKS} tasks per round: {points / busy:,.0f} points/s ({busy / ROUNDS * 1000:.1f} ms per round)"
    )
    print(f"a backlog of {points * 4:,} points: {points * 4 / burst:,.0f} points/s")
    print("goal: 20,000 points/s")


def _epoch(epoch: int) -> list[dict[str, object]]:
    at = time.time()
    values = dict.fromkeys(NAMES, 1 / (epoch + 1))
    return [
        {"e": "metric", "at": at, "task": f"{JOB}-{n}", "attempt": 1, "step": epoch, "v": values}
        for n in range(1, TASKS + 1)
    ]


def _round(ingest: Ingest, made: Bench) -> bool:
    with made.context.db.read() as c:
        rows = allocations.unclosed(c)
    return ingest.run(made.context, rows).more


if __name__ == "__main__":
    main()

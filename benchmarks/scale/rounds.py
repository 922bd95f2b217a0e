"""Measure rounds of the engine with 1,000 jobs, 100 nodes, 1,000 open allocations and 1,000 running tasks."""

import resource
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from benchmarks.scale.world import World, world
from paddock.server.engine import ingest

ROUNDS, FEW = 30, 8
POINTS = 40


def main() -> None:
    began, clock = time.process_time(), time.time()
    with world() as made:
        print(f"made in {time.process_time() - began:.1f} s of CPU, {time.time() - clock:.1f} s")
        measured = _Measured(made)
        ingest.QUIET_SECONDS, ingest.PAUSES = 0.0, (1e9, 1e9, 1e9)
        measured.rounds("a quiet round, once per 0.25 s")
        ingest.PAUSES = (0.0, 0.0, 0.0)
        measured.rounds("one that reads all journals, once per second")
        measured.rounds("one with all steps, once per second", house=True)
        measured.rounds(f"one with {POINTS} points", lambda n: _points(made, n))
        measured.rounds(f"one with {POINTS} ends, all steps", lambda n: _ends(made, n), house=True)
        measured.rounds("one with the backend's answer, all steps", lambda _: _poll(made), house=True)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory: {memory:.0f} MB at the most")


class _Measured:
    """Measures rounds, and their steps by name."""

    def __init__(self, made: World) -> None:
        self._made = made
        self._used: dict[str, float] = defaultdict(float)
        plain = made.engine._step

        def step(name: str, call: Callable[[], Any]) -> Any:
            began = time.thread_time()
            try:
                return plain(name, call)
            finally:
                self._used[name] += time.thread_time() - began

        made.engine._step = step  # type: ignore[method-assign,assignment]

    def rounds(self, what: str, before: Callable[[int], None] | None = None, *, house: bool = False) -> None:
        used, steps = [], defaultdict[str, list[float]](list)
        for number in range(ROUNDS if before is None else FEW):
            if before is not None:
                before(number)
            self._used.clear()
            began = time.thread_time()
            _round(self._made, house=house)
            used.append(time.thread_time() - began)
            for name, spent in self._used.items():
                steps[name].append(spent)
            steps["between the steps"].append(used[-1] - sum(self._used.values()))
        assert self._made.engine.problem is None, self._made.engine.problem
        print(f"{what}: median {statistics.median(used) * 1000:.1f} ms of CPU, most {max(used) * 1000:.1f} ms")
        each = sorted(((statistics.median(spent) * 1000, name) for name, spent in steps.items()), reverse=True)
        print("   " + ", ".join(f"{name} {spent:.2f}" for spent, name in each if spent > 0.1), flush=True)


def _round(made: World, *, house: bool) -> None:
    made.engine._asked = False
    made.engine._others_at = 0.0 if house else time.time()
    made.engine.round()


def _points(made: World, step: int) -> None:
    now = time.time()
    for key, task in made.keys[:: len(made.keys) // POINTS]:
        values = {"loss": 1 / (step + 1), "accuracy": 0.5}
        made.say(key, {"e": "metric", "at": now, "task": task, "attempt": 1, "step": step, "v": values})


def _ends(made: World, number: int) -> None:
    now = time.time()
    for key, task in made.keys[number * POINTS : (number + 1) * POINTS]:
        made.say(key, {"e": "ended", "at": now, "task": task, "attempt": 1, "exit": 0})


def _poll(made: World) -> None:
    for worker in made.engine.context.workers.values():
        worker.hurry()
        worker._asked_at = 0.0
    _round(made, house=True)
    for worker in made.engine.context.workers.values():
        worker._executor.submit(lambda: None).result()


if __name__ == "__main__":
    main()

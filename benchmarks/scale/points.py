"""Measure the engine with 1,000 running tasks that write one point per second, beside 1,000 jobs and 100 nodes.

The clock is made: it goes on by the CPU time of a round and by the engine's pause after it, so that a busy machine
changes little.
"""

import resource
import time

from benchmarks.scale.world import World, world
from paddock.server.engine.engine import OTHER_STEPS_SECONDS, pause

SECONDS = 20


def main() -> None:
    with world() as made:
        measured = _Measured(made)
        while measured.now < SECONDS:
            measured.round()
        assert made.engine.problem is None, made.engine.problem
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        measured.show(memory)


class _Measured:
    def __init__(self, made: World) -> None:
        self._made = made
        self._written = [0] * len(made.keys)
        self._rounds = 0
        self._used = 0.0
        self._others_at = 0.0
        self._late: list[float] = []  # how long each point waited for the round that took it up
        self.now = 0.0

    def round(self) -> None:
        """Write the points that are due, carry out a round, and let the time pass that follows from it."""
        self._write()
        engine = self._made.engine
        due = self.now - self._others_at > OTHER_STEPS_SECONDS
        self._others_at = self.now if due else self._others_at
        engine._asked = False
        engine._others_at = 0.0 if due else time.time()
        began = time.thread_time()
        engine.round()
        used = time.thread_time() - began
        self._rounds += 1
        self._used += used
        self.now += used + pause(used, engine.context.settings.tick_seconds)

    def _write(self) -> None:
        for place, (key, task) in enumerate(self._made.keys):
            due = self._written[place] + place / len(self._made.keys)  # each task has its own moment of a second
            while due <= self.now:
                record = {"e": "metric", "at": time.time(), "task": task, "attempt": 1, "step": self._written[place]}
                self._made.say(key, record | {"v": {"loss": 1 / (1 + due)}})
                self._late.append(self.now - due)
                self._written[place] += 1
                due += 1

    def show(self, memory: float) -> None:
        count, late = len(self._made.keys), sorted(self._late)
        share = self._used / self.now
        print(f"{count:,} tasks at 1 point/s: {share:.1%} of a core, {memory:.0f} MB (goal: 25 %, 300 MB)")
        print(f"   {self._rounds / self.now:.1f} rounds per second, {len(late) / self._rounds:.0f} points in each")
        print(f"   a point waits for its round: median {late[len(late) // 2]:.2f} s, worst {late[-1]:.2f} s")


if __name__ == "__main__":
    main()

"""Count the file-system calls of 800 runners that claim 10,000 tasks, and the memory of the list of tasks in a runner.

The runners are threads with the runner's own Mailbox and real files, on a made clock: one thread runs at a time, each
open, stat and part of a listing takes 1 ms as on a network file system, and a task takes 30 to 90 s. So the result does
not depend on how busy the machine is. Calls are counted by wrapping the functions of `os`.
"""

import heapq
import json
import multiprocessing
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from paddock.runner.mailbox import Mailbox

ALLOCATIONS, TASKS = 800, 10_000
LATENCY = 0.001
ENTRIES = 680  # of a folder per call of getdents, as measured with strace


def main() -> None:
    allocations, tasks = (int(given) for given in sys.argv[1:3]) if len(sys.argv) > 2 else (ALLOCATIONS, TASKS)
    with tempfile.TemporaryDirectory() as below:
        root = Path(below)
        _write(root, tasks)
        _memory(root, tasks)
        _claims(root, allocations, tasks)


def _write(root: Path, tasks: int) -> None:
    (root / "claims").mkdir()
    (root / "control.jsonl").touch()
    with open(root / "tasks.jsonl", "w") as file:
        for number in range(tasks):
            params = {"lr": 0.001 * number, "width": number % 7, "seed": number}
            argv = [
                "/home/someone/venv/bin/python",
                "train.py",
                *(f"--{name}={value}" for name, value in params.items()),
            ]
            line = {"task": f"k3v9x2ab-{number}", "attempt": 1, "resume": False, "argv": argv, "params": params}
            line |= {"env": {"PADDOCK_SEED": str(number), "PYTHONUNBUFFERED": "1"}, "epochs": 10}
            file.write(json.dumps(line) + "\n")
        file.write('{"end": true}\n')


def _memory(root: Path, tasks: int) -> None:
    answer, other = multiprocessing.get_context("fork").Pipe()
    child = multiprocessing.get_context("fork").Process(target=_read_alone, args=(root, other))
    child.start()
    megabytes, seconds = answer.recv()
    child.join()
    print(
        f"a runner that has read {tasks:,} tasks: {megabytes:.1f} MB more, {seconds * 1000:.0f} ms of CPU", flush=True
    )


def _read_alone(root: Path, answer: Any) -> None:
    before, cpu = _resident(), time.process_time()
    box = Mailbox(str(root), "k3v9x2ab-a1.0")
    box.read()
    assert box.closed and not box.empty
    answer.send((_resident() - before, time.process_time() - cpu))


def _resident() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


class Clock:
    """Runs threads one at a time, in the order of their made times."""

    def __init__(self) -> None:
        self.now = 0.0
        self._turns: list[tuple[float, int, threading.Semaphore]] = []
        self._ended = threading.Semaphore(0)
        self._count = 0

    def sleep(self, seconds: float) -> None:
        turn = threading.Semaphore(0)
        self._count += 1
        heapq.heappush(self._turns, (self.now + seconds, self._count, turn))
        self._hand_over()
        turn.acquire()

    def run(self, calls: list[Callable[[], None]]) -> None:
        for call in calls:
            turn = threading.Semaphore(0)
            self._count += 1
            heapq.heappush(self._turns, (0.0, self._count, turn))
            threading.Thread(target=self._begin, args=(turn, call), daemon=True).start()
        self._hand_over()
        self._ended.acquire()

    def _begin(self, turn: threading.Semaphore, call: Callable[[], None]) -> None:
        turn.acquire()
        call()
        self._hand_over()

    def _hand_over(self) -> None:
        if self._turns:
            self.now, _, turn = heapq.heappop(self._turns)
            turn.release()
        else:
            self._ended.release()


def _claims(root: Path, allocations: int, tasks: int) -> None:
    """Let all runners claim until nothing is left."""
    clock, calls = Clock(), Counter[str]()
    read = Mailbox(str(root), "")
    read.read()
    claimed: list[tuple[float, int]] = []
    boxes = [Mailbox(str(root), f"k3v9x2ab-a1.{number}", clock=lambda: clock.now) for number in range(allocations)]
    for box in boxes:  # as if each had read the list
        box.__dict__ |= {"_queue": list(read._queue), "closed": True}
    cpu, before = (
        time.process_time(),
        {name: getattr(os, name) for name in ("open", "stat", "lstat", "mkdir", "scandir")},
    )
    for name, call in before.items():
        setattr(os, name, _slow(name, call, clock, calls))
    clock.run([lambda box=box: _one(box, clock, claimed) for box in boxes])  # type: ignore[misc]
    for name, call in before.items():
        setattr(os, name, call)
    assert len({number for _, number in claimed}) == len(claimed) == tasks, "every task is claimed, and by one runner"
    shift = sorted(abs(place - number) for place, (_, number) in enumerate(claimed))
    per = {name: count / tasks for name, count in calls.items()}
    inside = per.pop("getdents", 0.0)  # system calls within a listing
    print(f"{allocations} runners claimed {tasks:,} tasks: {sum(per.values()):.2f} calls per task (goal: 5):", end=" ")
    print(", ".join(f"{name} {count:.2f}" for name, count in sorted(per.items())), end="; ")
    print(f"within scandir {inside:.2f} getdents;", end=" ")
    print(f"{(time.process_time() - cpu) / tasks * 1000:.2f} ms of CPU per task")
    print(f"a task began this many places from its own: median {statistics.median(shift):.0f}, ", end="")
    print(f"p95 {shift[int(0.95 * tasks)]}, worst {shift[-1]}")


def _one(box: Mailbox, clock: Clock, claimed: list[tuple[float, int]]) -> None:
    clock.sleep(random.uniform(0, 2))  # allocations of an array start within seconds
    while not box.empty:
        attempt = box.claim(clock.now + 0.2, lambda _: True)
        if attempt is not None:
            claimed.append((clock.now, int(attempt.task.partition("-")[2])))
            clock.sleep(random.uniform(30, 90))


def _slow(name: str, call: Callable[..., Any], clock: Clock, calls: Counter[str]) -> Callable[..., Any]:
    def slow(*args: Any, **options: Any) -> Any:
        calls["claim" if name == "open" and args[1] & os.O_EXCL else name] += 1
        clock.sleep(LATENCY)
        found = call(*args, **options)
        if name == "scandir":
            found = _Listed(found)
            parts = 1 + len(found) // ENTRIES
            calls["getdents"] += parts
            clock.sleep(LATENCY * parts)
        return found

    return slow


class _Listed(list):  # type: ignore[type-arg]
    """The entries of a folder, with the manners of `os.scandir`."""

    def __enter__(self) -> "_Listed":
        return self

    def __exit__(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    main()

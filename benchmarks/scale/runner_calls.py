"""Count the file-system calls per second of a runner whose task writes nothing, and measure how soon a stop arrives.

Counted with strace, in the job's folder only: calls that name a file or list a folder (on a network file system each of
them may ask the file server), and all calls, with those on open files (fstat, read, write, close).
"""

import collections
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.runner.folder import Folder

from benchmarks.measure import described
from paddock.runner.build import build

# The task writes for a moment, as at the beginning of a training, and is quiet then.
TASK = """
import sys, time
with open("log.csv", "w") as log:
    log.write("epoch,val_loss\\n")
    for epoch in range(3):
        log.write(f"{epoch},{1 / (epoch + 1)}\\n")
        print("epoch", epoch, flush=True)
        log.flush()
        time.sleep(1)
time.sleep(3600)
"""
STOPS, QUIET_SECONDS, SECONDS = 10, 240.0, 20.0
ON_OPEN_FILES = ("fstat", "read", "pread64", "write", "pwrite64", "close", "lseek", "fcntl", "ioctl", "fsync")


def main() -> None:
    with tempfile.TemporaryDirectory() as below:
        pyz = Path(below) / "runner.pyz"
        build(pyz)
        folders = [(Folder(Path(below) / f"job{slots}", pyz), slots) for slots in (1, 4)]
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda one: _measure(*one), folders))
        stops = Folder(Path(below) / "stops", pyz)
        print(f"an order to stop, written -> the process has ended: {described(_stops(stops))} (goal: under 1 s)")


def _measure(folder: Folder, slots: int) -> None:
    (folder.root / "control.jsonl").touch()
    for number in range(2 * slots):
        folder.add(f"t-{number}", sys.executable, folder.code(f"t-{number}.py", TASK))
    folder.end()
    folder.allocate(slots=slots, poll_seconds=0.2, usage_seconds=2.0)
    runner = folder.start()
    for number in range(slots):
        folder.await_record("started", f"t-{number}")
    for after in (15.0, QUIET_SECONDS - 15.0 - SECONDS):
        time.sleep(after)
        named, everything = _calls(runner.pid, str(folder.root))
        per = sum(named.values()) / SECONDS / slots
        names = ", ".join(f"{name} {count / SECONDS / slots:.2f}" for name, count in named.most_common())
        print(
            f"{slots} running tasks, no writes: {per:.1f} calls per second and task that name a file ({names});",
            end=" ",
        )
        print(f"{everything / SECONDS / slots:.1f} calls of any kind (goal: under 5)", flush=True)
    folder.close()


def _calls(pid: int, root: str) -> tuple[collections.Counter[str], int]:
    with tempfile.NamedTemporaryFile("r") as out:
        argv = ["strace", "-y", "-s", "4096", "-e", "trace=%file,%desc", "-o", out.name, "-p", str(pid)]
        tracer = subprocess.Popen(argv, stderr=subprocess.DEVNULL)
        time.sleep(SECONDS)
        tracer.terminate()
        tracer.wait()
        lines = [line for line in out if root in line]
    named: collections.Counter[str] = collections.Counter()
    for line in lines:
        name = line.partition("(")[0]
        if name not in ON_OPEN_FILES and not (name == "newfstatat" and '""' in line):
            named[name] += 1
    return named, len(lines)


def _stops(folder: Folder) -> list[float]:
    """Return how long orders take that come at any moment, to a runner to which nothing has happened for a while."""
    (folder.root / "control.jsonl").touch()
    for number in range(STOPS):
        folder.add(f"t-{number}", "sleep", "3600")
    folder.allocate(slots=STOPS, poll_seconds=0.2)
    folder.start()
    for number in range(STOPS):
        folder.await_record("started", f"t-{number}")
    took = []
    for number in range(STOPS):
        time.sleep(7.37)
        began = time.time()
        folder.order("stop", task=f"t-{number}", attempt=1)
        took.append(folder.await_record("ended", f"t-{number}")["at"] - began)
    folder.close()
    return took


if __name__ == "__main__":
    main()

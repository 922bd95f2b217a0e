"""Measure an agent behind sudo: start, round trip, rest, 200 watched journals, and the way of a line to the server.

As root it makes Unix users of its own and removes them; otherwise the agent is this user's, without sudo.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.agents.support import LOADER, agent_pid
from tests.team.unix_users import unix_users

from benchmarks.measure import described
from paddock.agents.link import Link
from paddock.common import processes

STARTS = 7
ROUND_TRIPS = 2_000
JOURNALS = 200
SECONDS = 20.0
# A runner reports every 5 s what its task uses; lines with the time at which they were written.
WRITER = """
    import random, sys, time
    folder, count, pause, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
    files = [open("%s/journals/%d/journal.1.jsonl" % (folder, n), "ab", buffering=0) for n in range(count)]
    end = time.time() + seconds
    while time.time() < end:
        random.choice(files).write(b"%.6f %s\\n" % (time.time(), b"x" * 150))
        time.sleep(pause * random.uniform(0.5, 1.5))
"""


@contextmanager
def agents() -> Iterator[Callable[[], Link]]:
    """Yield what makes a link to a new agent."""
    if os.geteuid() == 0:
        with unix_users() as users:
            argv = [one.replace("{user}", users.alice) for one in users.through]
            print("behind sudo, as another user (root -> service account -> member: sudo twice)")
            yield lambda: Link(users.alice, argv, "~/.paddock-jobs")
    else:
        with tempfile.TemporaryDirectory() as folder:
            print("without sudo")
            yield lambda: Link("me", LOADER, folder)


def cpu(pid: int) -> float:
    found = processes.stat(pid)
    assert found is not None
    return found.cpu_seconds


def megabytes(pid: int) -> tuple[float, float]:
    """Return the resident memory of a process, and what of it is its own (PSS)."""
    resident = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    shared = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    own = next(line for line in shared if line.startswith("Pss:"))
    return int(resident.split()[1]) / 1024, int(own.split()[1]) / 1024


def starts(make: Callable[[], Link]) -> None:
    taken = []
    for _ in range(STARTS):
        link = make()
        began = time.perf_counter()
        link.hello()
        taken.append(time.perf_counter() - began)
        link.close()
    first, *others = taken
    print(f"start: the first, with the program sent, {first:.2f} s; with the kept copy {described(others, 2)}")


def round_trips(link: Link) -> None:
    taken = []
    for _ in range(ROUND_TRIPS):
        began = time.perf_counter()
        link.alive([])
        taken.append((time.perf_counter() - began) * 1000)
    taken.sort()
    print(f"round trip: median {statistics.median(taken):.2f} ms, p95 {taken[int(len(taken) * 0.95)]:.2f} ms")


def at_rest(link: Link) -> None:
    pid = agent_pid(link)
    before = cpu(pid)
    time.sleep(SECONDS)
    resident, own = megabytes(pid)
    share = (cpu(pid) - before) / SECONDS
    print(f"at rest: {share:.2%} of a core, {resident:.1f} MB resident ({own:.1f} MB its own)")


def watched(link: Link, pause: float, what: str) -> None:
    """Watch journals; `pause` is the time between two lines, over all of them."""
    late: list[float] = []
    lock = threading.Lock()

    def grown(path: str, offset: int, data: bytes) -> None:
        now = time.time()
        with lock:
            late.extend(now - float(line.split()[0]) for line in data.splitlines() if line)

    def failed(path: str, error: OSError) -> None:
        raise AssertionError(f"{path}: {error}")

    root, names = link.hello().root, [f"journals/{number}/journal.1.jsonl" for number in range(JOURNALS)]
    link.mkdir(*[name.rpartition("/")[0] for name in names])
    sizes = {name: link.append(name, 0, b"") for name in names}
    link.watch(sizes, grown, failed)
    time.sleep(7)  # files without news are looked at less often after 5 s
    pid = agent_pid(link)
    before, own_before = cpu(pid), time.process_time()
    argv = [sys.executable, "-c", textwrap.dedent(WRITER), root, str(JOURNALS), str(pause), str(SECONDS)]
    began = time.monotonic()
    subprocess.run(argv, check=True)
    passed = time.monotonic() - began
    share, own = (cpu(pid) - before) / passed, (time.process_time() - own_before) / passed
    time.sleep(2)
    link.forget(names)
    print(f"{JOURNALS} watched journals, {what}: agent {share:.2%} of a core, server {own:.2%}, {len(late)} lines")
    print(f"  line written -> at the server: {described(late, 2)}")


def main() -> None:
    with agents() as make:
        starts(make)
        link = make()
        try:
            round_trips(link)
            at_rest(link)
            watched(link, 0.025, "40 lines per second over all")
            watched(link, 1.0, "one line per second over all (most are quiet)")
            resident, own = megabytes(agent_pid(link))
            print(f"memory after that: {resident:.1f} MB resident ({own:.1f} MB its own)")
        finally:
            link.close()


if __name__ == "__main__":
    main()

"""Find what is still there some time after the end, and must not be."""

import contextlib
import os
import re
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.chaos.faults import Faults, environment, processes

SETTLE_SECONDS = 90.0


def behind(faults: Faults, jobs: list[str], since: float) -> list[str]:
    """What is left while the jobs are still there; `since`: when the campaign began."""

    def look() -> list[str]:
        rows = faults.cluster.run("squeue", "-h", "-r", "-o", "%i %T %j", check=False).splitlines()
        found = of_jobs(jobs) + [f"runner {pid}" for pid in faults.runners()]
        found += [f"in the queue: {row}" for row in rows]
        return found + _unclosed(faults.server.home.database) + _temporary(since)

    return _settled(look)


def after_removal(faults: Faults, jobs: list[str]) -> list[str]:
    """What is left when the jobs have been removed."""
    for job in jobs:
        faults.server.client.delete(f"/jobs/{job}").raise_for_status()
    home = faults.server.home

    def look() -> list[str]:
        found = [*home.jobs.iterdir(), *home.incoming.iterdir(), *home.root.glob(".*")]
        return [f"after its job was removed: {path.relative_to(home.root)}" for path in found]

    return _settled(look)


def of_jobs(jobs: list[str]) -> list[str]:
    """Processes of these jobs' tasks and runners (MPS is a runner's), in words. Whatever they have become since."""
    marks = tuple(f"{name}={job}".encode() for job in jobs for name in ("PADDOCK_JOB", "PADDOCK_RUNNER"))
    return [
        f"process {pid}: {argv[:80]}"
        for pid, _, argv in processes()
        if any(text.startswith(marks) for text in environment(pid))
    ]


def _unclosed(database: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as c:
        rows = c.execute("SELECT key, state FROM allocations WHERE NOT closed").fetchall()
    return [f"not closed: allocation {key}, {state}" for key, state in rows]


def _temporary(since: float) -> list[str]:
    """Of runners: they make folders for MPS and for terminals there. Other tests have their own, with other names."""
    found = []
    for path in Path(tempfile.gettempdir()).glob("paddock-*"):
        if not re.fullmatch(r"paddock-(mps-)?[a-z0-9_]{8}", path.name):
            continue
        with contextlib.suppress(OSError):
            if path.stat().st_ctime > since and path.stat().st_uid == os.getuid():
                found.append(f"in the folder for temporary files: {path.name}")
    return found


def _settled(look: Callable[[], list[str]]) -> list[str]:
    end = time.monotonic() + SETTLE_SECONDS
    while (found := look()) and time.monotonic() < end:
        time.sleep(1)
    return found

"""Measure what it costs a request to find out whether its caller may do this, among 10,000 jobs of 100 people."""

import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from paddock.errors import NotFound
from paddock.models import CodeInfo, Interpreter, JobSpec, Role, Visibility
from paddock.search.tasks import NewTask
from paddock.server.api import permissions
from paddock.server.api.acts import AuditedReads
from paddock.server.api.caller import Caller
from paddock.server.api.permissions import PERMISSIONS, Right
from paddock.server.api.server import Server
from paddock.server.store import jobs
from paddock.server.store.db import Database
from paddock.server.store.sight import EVERYTHING, Sight
from paddock.settings import Settings

JOBS, PEOPLE = 10_000, 100
CALLS = 2_000
GOAL = 0.001


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        db = Database(f"sqlite:///{Path(folder) / 'x.db'}")
        db.migrate()
        with db.write() as c:
            for number in range(JOBS):
                jobs.insert(c, _job(number))
        at = cast(Server, SimpleNamespace(db=db, settings=Settings(), reads=AuditedReads(db)))
        by = Caller("user1", Role.USER, team=True)
        found = {
            "role and token": lambda n: permissions.check(PERMISSIONS["show_job"], by),
            "a job by its id": lambda n: permissions.find(at, by, f"{4 * n % JOBS:08d}", Right.READ),
            "a job by 7 of 8 characters": lambda n: permissions.find(at, by, "0000001", Right.SEE),
        }
        for what, ask in found.items():
            taken = _taken(ask)
            print(f"{what}: {1e6 * taken:.0f} µs of CPU per request (goal: under {1e6 * GOAL:.0f} µs)")
        for who, sight in {"an admin": EVERYTHING, "a user": by.sight}.items():
            taken = _taken(partial(_page, db, sight), 20)
            print(f"the newest 50 of {JOBS:,} jobs for {who}: {1e3 * taken:.1f} ms of CPU")
        db.close()


def _job(number: int) -> jobs.NewJob:
    """Return one of many jobs, half of which are private."""
    spec = JobSpec(name="sweep", command="true", visibility=list(Visibility)[number // 2 % 2])
    tasks = [NewTask({}, None, 1)]
    return jobs.NewJob(f"{number:08d}", f"user{number % PEOPLE}", spec, None, CodeInfo(), Interpreter(argv=[]), tasks)


def _page(db: Database, sight: Sight, _: int) -> None:
    with db.read() as c:
        jobs.page(c, sight)


def _taken(ask: Callable[[int], Any], calls: int = CALLS) -> float:
    """Return the CPU seconds of a call. What is refused costs as much."""
    begun = time.process_time()
    for number in range(calls):
        with suppress(NotFound):
            ask(number)
    return (time.process_time() - begun) / calls


if __name__ == "__main__":
    main()

"""Make a database with one job whose tasks run, for the benchmarks of the store and of ingest."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from paddock import settings
from paddock.models import AllocationBatch, CodeInfo, Interpreter, JobSpec, Resources
from paddock.paths import Home
from paddock.search.tasks import NewTask
from paddock.server.engine.context import Context
from paddock.server.outposts.registry import Outposts
from paddock.server.serve import open_database
from paddock.server.store import allocations, jobs

JOB = "bench000"
BATCH = f"{JOB}-a1"
KEY = f"{BATCH}.0"


@dataclass
class Bench:
    home: Home
    context: Context

    @property
    def journal(self) -> Path:
        return self.home.job(JOB).journal(KEY, 1)

    def say(self, records: list[dict[str, object]], journal: Path | None = None) -> None:
        with open(journal or self.journal, "a") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)


@contextmanager
def bench(tasks: int) -> Iterator[Bench]:
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        home.create()
        chosen = settings.load(home.root)
        db = open_database(chosen, home)
        new = jobs.NewJob(
            id=JOB,
            owner="bench",
            spec=JobSpec(command="true"),
            script=None,
            code=CodeInfo(),
            interpreter=Interpreter(argv=["python3"]),
            tasks=[NewTask({"n": n}, None, n + 1) for n in range(tasks)],
        )
        allocation = home.job(JOB).allocation(KEY)
        allocation.mkdir(parents=True)
        with db.write() as c:
            jobs.insert(c, new)
            allocations.plan(c, JOB, "local", batch_of(home, BATCH))
        yield Bench(home, Context(db, home, chosen, {}, Outposts(home)))
        db.close()


def batch_of(home: Home, key: str, count: int = 1) -> AllocationBatch:
    folder = str(home.job(JOB).allocation(key))
    return AllocationBatch(key=key, count=count, name=key, folder=folder, runner=["true"], resources=Resources())


def started(tasks: int, at: float) -> list[dict[str, object]]:
    return [{"e": "started", "at": at, "task": f"{JOB}-{n}", "attempt": 1, "pid": 1} for n in range(1, tasks + 1)]

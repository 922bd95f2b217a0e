"""Make a home with 1,000 jobs, 100 nodes, 1,000 open allocations and 1,000 running tasks, and an engine for it."""

import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from tests.server.engine.fake_backend import FakeBackend

from paddock import settings
from paddock.backends.base import PollPace
from paddock.models import CodeInfo, Device, Interpreter, JobSpec, Node, TaskState
from paddock.paths import Home
from paddock.search.tasks import NewTask
from paddock.server.engine.engine import Engine
from paddock.server.serve import open_database
from paddock.server.store import allocations, jobs
from paddock.server.store.db import Database

NODES, GPUS = 100, 8
RUNNING, LARGE, WAITING, HELD, ENDED = 20, 2, 200, 50, 730  # jobs; LARGE of the running ones have 10,000 tasks
ALLOCATIONS, AT_ONCE = 40, 50  # of a running job: allocations, and tasks that run in them
OWNERS = [f"person{n}" for n in range(12)]


class Cluster(FakeBackend):
    """A backend with 100 nodes of 8 GPUs that is asked as often as Slurm."""

    def __init__(self) -> None:
        super().__init__("fake", PollPace(2.0, 15.0, 30.0))

    def nodes(self) -> Sequence[Node]:
        size: dict[str, Any] = {"cpus": 64, "slots": GPUS, "cpu_slots": 64}
        devices = [Device(id=str(n), kind="gpu", name="H200", memory=140 << 30) for n in range(GPUS)]
        return [Node(name=f"n{n}", backend=self.name, devices=devices, **size) for n in range(NODES)]


class World:
    """The home, its engine, and what runners write."""

    def __init__(self, db: Database, home: Home, chosen: settings.Settings) -> None:
        self.db, self.home, self.backend = db, home, Cluster()
        self.running = [
            self._job(f"run{n:05}", n, 10_000 if n < LARGE else AT_ONCE, ALLOCATIONS) for n in range(RUNNING)
        ]
        for n in range(WAITING):
            self._job(f"wait{n:04}", n, 10, 1)
        for n in range(HELD):
            self._job(f"held{n:04}", n, 10, 1)
        for n in range(ENDED):
            self._job(f"over{n:04}", n, 20, 1)
        with db.write() as c:
            for n in range(HELD):
                jobs.hold(c, f"held{n:04}")
            over = {"state": TaskState.FINISHED.value, "now": time.time()}
            c.execute(sa.text("UPDATE tasks SET state = :state WHERE job_id >= 'over' AND job_id < 'ovez'"), over)
            change = "UPDATE attempts SET state = :state, started_at = :now, ended_at = :now, published = true"
            c.execute(sa.text(f"{change} WHERE job_id >= 'over' AND job_id < 'ovez'"), over)
        self.engine = Engine(db, home, chosen, [self.backend], lambda: None)
        for worker in self.engine.context.workers.values():
            worker.begin()
        self.settle()
        self._begin()

    def _job(self, job: str, n: int, tasks: int, parallel: int) -> str:
        self.home.job(job).claims.mkdir(parents=True)
        spec = {"command": "true", "parallel": parallel, "resources": {"backend": "fake", "gpus": 1}}
        new = jobs.NewJob(
            id=job,
            owner=OWNERS[n % len(OWNERS)],
            spec=JobSpec.model_validate(spec),
            script=None,
            code=CodeInfo(),
            interpreter=Interpreter(argv=["python3"]),
            tasks=[NewTask({"lr": number / tasks, "seed": number}, 100, number + 1) for number in range(tasks)],
        )
        with self.db.write() as c:
            jobs.insert(c, new)
        return job

    def _begin(self) -> None:
        """Start the allocations of the running jobs, and tasks in them."""
        with self.db.read() as c:
            rows = allocations.unclosed(c)
        now = time.time()
        self.keys: list[tuple[str, str]] = []  # allocation and task of all that run
        for job in self.running:
            mine = [row for row in rows if row.job_id == job]
            for place in range(AT_ONCE):
                self.keys.append((mine[place % len(mine)].key, f"{job}-{place + 1}"))
            for number, row in enumerate(mine):
                self.backend.run(row.backend_id or "", f"n{number % NODES}")
        for key, task in self.keys:
            self.say(key, {"e": "started", "at": now, "task": task, "attempt": 1, "pid": 7})
        self.settle()

    def say(self, key: str, record: dict[str, Any]) -> None:
        """Write what the runner of an allocation would write."""
        with open(self.home.job(key.rpartition("-a")[0]).journal(key, 1), "a") as file:
            file.write(json.dumps(record) + "\n")

    def settle(self) -> None:
        """Carry out rounds, with all answers of the backend, until nothing is left to do."""
        more = 3
        while more:
            for worker in self.engine.context.workers.values():
                worker.hurry()
                worker._asked_at = 0.0
            self.engine.wake()
            more = 3 if self.engine.round() else more - 1
            for worker in self.engine.context.workers.values():
                worker._executor.submit(lambda: None).result()
        assert self.engine.problem is None, self.engine.problem


@contextmanager
def world() -> Iterator[World]:
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        home.create()
        chosen = settings.load(home.root)
        db = open_database(chosen, home)
        made = World(db, home, chosen)
        yield made
        made.engine.close()
        db.close()

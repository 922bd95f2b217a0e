"""An engine whose rounds and clock the test controls, with a scripted backend."""

import json
from collections.abc import Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest

from paddock.common.clock import Clock
from paddock.models import (
    Attempt,
    JobDetail,
    Task,
)
from paddock.paths import Home
from paddock.server.engine import backend_worker
from paddock.server.engine.engine import Engine
from paddock.server.store import allocations, jobs, tasks
from paddock.server.store.db import Database
from paddock.settings import Settings
from tests.server.engine.fake_backend import FakeBackend
from tests.server.store.given import add_job
from tests.support.database import new_database

JOB = "k3v9x2ab"


class RigClock(Clock):
    """The time of day, and as much more as the test says. Its ticks are the real ones: nothing of it seems to hang."""

    ahead = 0.0

    def now(self) -> float:
        return super().now() + self.ahead


class Rig:
    """An engine whose rounds and whose clock are ours."""

    def __init__(self, db: Database, home: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        self.db, self.home, self.settings = db, home, settings
        self.backend = FakeBackend()
        monkeypatch.setattr(backend_worker, "RETRY_SECONDS", 0.0)
        self.engine = self.open()

    @property
    def ahead(self) -> float:
        assert isinstance(self.db.clock, RigClock)
        return self.db.clock.ahead

    @ahead.setter
    def ahead(self, seconds: float) -> None:
        assert isinstance(self.db.clock, RigClock)
        self.db.clock.ahead = seconds

    def now(self) -> float:
        return self.db.clock.now()

    def open(self) -> Engine:
        """As a server that is started."""
        made = Engine(self.db, self.home, self.settings, [self.backend], lambda: None)
        for one in made.context.workers.values():
            one.begin()
        return made

    def reopen(self) -> None:
        self.engine.close()
        self.engine = self.open()

    def job(self, tasks: int = 1, job: str = JOB, **spec: Any) -> list[str]:
        folder = self.home.job(job)
        folder.claims.mkdir(parents=True)
        given = {"command": "echo {lr}", "resources": {"backend": "fake"}} | spec
        return add_job(self.db, job, tasks, **given)

    def step(self, rounds: int = 3, seconds: float = 0.0) -> None:
        """Rounds, with all answers in between."""
        assert isinstance(self.db.clock, RigClock)
        self.db.clock.ahead += seconds
        self.wait_for_backends()  # the last round of the step before may have asked them something
        for _ in range(rounds):
            self.round()
            wait([asked.reading for asked in self.engine.context.recovery._asked.values()], 120)
        self.engine.wake()
        self.engine.round()
        assert self.engine.problem is None, self.engine.problem

    def round(self) -> None:
        """A round, and the answers of the backends."""
        self.engine.wake()
        self.engine.round()
        self.wait_for_backends()
        self.engine._sweeper.submit(lambda: None).result(120)  # what is deleted at leisure

    def wait_for_backends(self) -> None:
        for one in self.engine.context.workers.values():
            one._executor.submit(lambda: None).result(120)

    def say(self, key: str, *records: dict[str, Any], start: int = 1) -> None:
        """What the runner of an allocation would write."""
        path = self.home.job(key.rpartition("-a")[0]).journal(key, start)
        with open(path, "a") as file:
            for record in records:
                file.write(json.dumps({"at": 2e9, "attempt": 1, **record}) + "\n")

    def started(self, key: str, task: str, attempt: int = 1, start: int = 1) -> None:
        """The allocation runs, and the task in it."""
        self.backend.run(f"id-{key}")
        self.say(key, {"e": "runner"}, {"e": "started", "task": task, "attempt": attempt, "pid": 7}, start=start)
        self.step()

    def rows(self, job: str = JOB) -> list[allocations.AllocationRow]:
        with self.db.read() as c:
            return list(reversed(allocations.last(c, job, 100)))

    def keys(self, job: str = JOB) -> list[str]:
        return [row.key for row in self.rows(job)]

    def detail(self, job: str = JOB) -> JobDetail:
        with self.db.read() as c:
            return jobs.detail(c, job, "")

    def task(self, task: str) -> Task:
        with self.db.read() as c:
            return tasks.get(c, task)

    def attempts(self, task: str) -> list[Attempt]:
        with self.db.read() as c:
            return tasks.attempts_of(c, task)

    def control(self, job: str = JOB) -> list[dict[str, Any]]:
        path = self.home.job(job).control
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def lines(self, job: str = JOB) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.home.job(job).tasks.read_text().splitlines()]

    def published(self, job: str = JOB) -> list[dict[str, Any]]:
        return [line for line in self.lines(job) if "task" in line]


R = TypeVar("R", bound=Rig)


@contextmanager
def rigged(kind: type[R], home: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[R]:
    new_database(home.database)
    db = Database(f"sqlite:///{home.database}", clock=RigClock())
    made = kind(db, home, settings, monkeypatch)
    try:
        yield made
    finally:
        made.backend.open.set()
        made.engine.close()
        db.close()

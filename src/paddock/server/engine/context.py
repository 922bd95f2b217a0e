"""What every step of the engine works with."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from paddock.models import Cause, Interpreter, JobSpec, Objective, ScriptReport
from paddock.paths import Home
from paddock.server.engine.backend_worker import BackendWorker
from paddock.server.engine.boundary import Boundary
from paddock.server.engine.recover_metrics import Unread
from paddock.server.store import jobs, metrics
from paddock.server.store.db import Connection, Database
from paddock.server.store.jobs import JobRow
from paddock.settings import Settings

READ_IT = "read its description"


@dataclass(frozen=True)
class JobFacts:
    """What does not change in the life of a job."""

    id: str
    owner: str
    spec: JobSpec
    script: ScriptReport | None
    interpreter: Interpreter
    objective: Objective
    program: str | None = None  # what its script or command is known by


@dataclass
class Context:
    db: Database
    home: Home
    settings: Settings
    workers: dict[str, BackendWorker]
    clock: Callable[[], float] = time.time
    appender: metrics.Appender = field(default_factory=metrics.Appender)
    missing: dict[str, float] = field(default_factory=dict)  # allocation -> since when its backend lists it no more
    starts: dict[str, dict[str, int]] = field(default_factory=dict)  # backend -> allocation -> starts known when asked
    requeued: dict[str, tuple[int, float]] = field(default_factory=dict)  # allocation that waits again -> starts, since
    restarted: dict[tuple[str, int], float] = field(default_factory=dict)  # allocation, start -> when it was noticed
    holds: dict[tuple[str, int], float] = field(default_factory=dict)  # allocation, change -> since when it is held
    asked_to_end: dict[str, float] = field(default_factory=dict)  # allocation -> when its backend was last asked
    ordered_since: dict[str, float] = field(default_factory=dict)  # task that runs, and was ordered to stop -> when
    stuck: set[str] = field(default_factory=set)  # allocations with such tasks whose runners do not obey
    drained: set[tuple[str, int]] = field(default_factory=set)  # allocation, start: told to end, as it waits again
    lingering: dict[str, float] = field(default_factory=dict)  # allocation that ended without a good-bye -> since when
    silent: dict[str, float] = field(default_factory=dict)  # allocation that says nothing -> when it was last heard of
    searching: set[str] = field(default_factory=set)  # jobs that will have further tasks
    dismissed: set[str] = field(default_factory=set)  # jobs whose runners were told that there is no more
    erasing: dict[str, float] = field(default_factory=dict)  # removed jobs whose rows are being deleted -> until when
    unreadable: set[str] = field(default_factory=set)  # jobs whose description is not valid any more
    _facts: dict[str, JobFacts] = field(default_factory=dict)
    boundary: Boundary = field(init=False)
    unread: Unread = field(init=False)

    def __post_init__(self) -> None:
        self.boundary = Boundary(self.db)
        self.unread = Unread(self)

    def facts(self, c: Connection, ids: Sequence[str]) -> dict[str, JobFacts]:
        """Of those jobs that can be read; see `mend`."""
        unknown = [job for job in set(ids) if job not in self._facts and job not in self.unreadable]
        if unknown:
            for job, row in jobs.launchable(c, unknown).items():
                try:
                    self._facts[job] = _facts_of(row)
                except Exception:  # of whatever kind: others are not to wait for it
                    self.unreadable.add(job)
        return {job: self._facts[job] for job in ids if job in self._facts}

    def learn(self, ids: Collection[str]) -> None:
        """Have the facts of these jobs, or know that they cannot be had."""
        unknown = [job for job in ids if job not in self._facts and job not in self.unreadable]
        if unknown:
            with self.db.read() as c:
                self.facts(c, unknown)

    def mend(self) -> None:
        """Show which jobs cannot be read, and try again. Not in a transaction."""
        for job in list(self.unreadable):
            if self.boundary.rests(job, READ_IT):
                continue
            with self.boundary.job(job, READ_IT):
                with self.db.read() as c:
                    row = jobs.launchable(c, [job]).get(job)
                if row is not None:
                    self._facts[job] = _facts_of(row)
                self.unreadable.discard(job)

    def forget(self, job: str) -> None:
        self._facts.pop(job, None)
        self.unreadable.discard(job)

    def retries(self, facts: JobFacts, cause: Cause) -> int:
        return facts.spec.retries.get(cause, self.settings.retries.limit(cause))

    def worker(self, facts: JobFacts) -> BackendWorker | None:
        return self.workers.get(facts.spec.resources.backend or self.settings.backend)


def _facts_of(row: JobRow) -> JobFacts:
    return JobFacts(
        id=row.id,
        owner=row.owner,
        spec=JobSpec.model_validate(row.spec),
        script=row.script_report(),
        interpreter=Interpreter.model_validate(row.interpreter),
        objective=Objective(metric=row.metric, goal=row.goal),
        program=row.program,
    )

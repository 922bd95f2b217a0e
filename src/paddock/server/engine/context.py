"""The state that all steps of the engine share."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from paddock.models import Cause, Interpreter, JobSpec, Objective, ScriptReport
from paddock.paths import Home
from paddock.server.engine.backend_worker import BackendWorker
from paddock.server.engine.boundary import Boundary
from paddock.server.engine.recover_metrics import MetricRecovery
from paddock.server.store import jobs, metrics
from paddock.server.store.db import Connection, Database
from paddock.server.store.jobs import JobRow
from paddock.settings import Settings

READ_IT = "read its description"


@dataclass(frozen=True)
class JobFacts:
    """The properties of a job that do not change."""

    id: str
    owner: str
    spec: JobSpec
    script: ScriptReport | None
    interpreter: Interpreter
    objective: Objective
    program: str | None = None  # an id of its script or command


@dataclass
class Context:
    db: Database
    home: Home
    settings: Settings
    workers: dict[str, BackendWorker]
    clock: Callable[[], float] = time.time
    appender: metrics.Appender = field(default_factory=metrics.Appender)
    missing: dict[str, float] = field(default_factory=dict)  # allocation -> since when its backend does not list it
    starts: dict[str, dict[str, int]] = field(default_factory=dict)  # backend -> allocation -> starts known when asked
    requeued: dict[str, tuple[int, float]] = field(default_factory=dict)  # allocation that waits again -> starts, since
    restarted: dict[tuple[str, int], float] = field(default_factory=dict)  # allocation, start -> when it was noticed
    holds: dict[tuple[str, int], float] = field(default_factory=dict)  # allocation, change -> since when it is held
    asked_to_end: dict[str, float] = field(default_factory=dict)  # allocation -> when its backend was last asked
    ordered_since: dict[str, float] = field(default_factory=dict)  # task that runs, and was ordered to stop -> when
    stuck: set[str] = field(default_factory=set)  # allocations with such tasks whose runners do not obey
    drained: set[tuple[str, int]] = field(default_factory=set)  # allocation, start: its runner was told to end
    lingering: dict[str, float] = field(default_factory=dict)  # allocation that ended without `bye` -> since when
    silent: dict[str, float] = field(default_factory=dict)  # allocation that reports nothing -> its last report
    searching: set[str] = field(default_factory=set)  # jobs that will have further tasks
    dismissed: set[str] = field(default_factory=set)  # jobs whose runners know that no more tasks come
    erasing: dict[str, float] = field(default_factory=dict)  # removed jobs whose rows are being deleted -> until when
    unreadable: set[str] = field(default_factory=set)  # jobs whose description is not valid any more
    _facts: dict[str, JobFacts] = field(default_factory=dict)
    boundary: Boundary = field(init=False)
    recovery: MetricRecovery = field(init=False)

    def __post_init__(self) -> None:
        self.boundary = Boundary(self.db)
        self.recovery = MetricRecovery(self)

    def facts(self, c: Connection, ids: Sequence[str]) -> dict[str, JobFacts]:
        """Return the facts of those jobs that can be read; see `mend`."""
        unknown = [job for job in set(ids) if job not in self._facts and job not in self.unreadable]
        if unknown:
            for job, row in jobs.launchable(c, unknown).items():
                try:
                    self._facts[job] = _facts_of(row)
                except Exception:  # of any kind: other jobs must not wait for it
                    self.unreadable.add(job)
        return {job: self._facts[job] for job in ids if job in self._facts}

    def learn(self, ids: Collection[str]) -> None:
        """Load the facts of these jobs, or record that they cannot be read."""
        unknown = [job for job in ids if job not in self._facts and job not in self.unreadable]
        if unknown:
            with self.db.read() as c:
                self.facts(c, unknown)

    def mend(self) -> None:
        """Try again to read jobs that could not be read, and show the failures. Not in a transaction."""
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

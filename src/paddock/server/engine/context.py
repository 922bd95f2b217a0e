"""The state that all steps of the engine share."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from paddock.common.clock import Clock
from paddock.models import Cause, Interpreter, JobSpec, Objective, ObjectiveChoice, ScriptReport, SizeChange, Waits
from paddock.paths import Home
from paddock.rules import placement
from paddock.rules.pool import Pool
from paddock.server.engine.backend_worker import BackendWorker
from paddock.server.engine.boundary import Boundary
from paddock.server.engine.recover_metrics import MetricRecovery
from paddock.server.outposts.registry import Outposts
from paddock.server.store import jobs, metrics
from paddock.server.store.db import Connection, Database
from paddock.server.store.estimates import Estimates
from paddock.server.store.jobs import JobRow
from paddock.settings import Settings

READ_IT = "read its description"


@dataclass(frozen=True)
class JobFacts:
    """The properties of a job that seldom change; its spec has the objective that counts."""

    id: str
    owner: str
    spec: JobSpec
    script: ScriptReport | None
    interpreter: Interpreter
    objective: Objective
    choice: ObjectiveChoice
    program: str | None  # an id of its script or command
    adjusted: int  # the number of its last change when it was read


@dataclass
class AllocationNotes:
    """What the engine remembers of an allocation until it is closed. A new server begins without it."""

    starts_asked: int = 0  # starts that were known when its backend was last asked about it
    missing_since: float | None = None  # its backend does not list it
    held_since: tuple[int, float] | None = None  # a change of its job; held although that was a release
    requeued: tuple[int, float] | None = None  # starts that were known, and since when it waits again
    started_again: tuple[int, float] | None = None  # its starts, and when the last of them was noticed
    asked_to_end: float = -math.inf  # when its backend was last asked to end it
    dismissed: int = 0  # the runners of this start and of earlier ones were told to end, as it waits again
    others: tuple[str, ...] = ()  # its nodes beside the first one, as its backend last reported
    stuck: bool = False  # it has tasks that were ordered to stop, and its runner does not obey
    too_much: bool = False  # it reported more than what is taken, and was told to take no more tasks
    lingers_since: float | None = None  # it has ended, and its runner may not know it


@dataclass
class Context:
    db: Database
    home: Home
    settings: Settings
    workers: dict[str, BackendWorker]
    outposts: Outposts
    appender: metrics.Appender = field(default_factory=metrics.Appender)
    notes: dict[str, AllocationNotes] = field(default_factory=lambda: defaultdict(AllocationNotes))
    ordered_since: dict[str, float] = field(default_factory=dict)  # task that runs, and was ordered to stop -> when
    awaited: set[str] = field(default_factory=set)  # allocations with such a task: something will be in their journals
    silent: dict[str, float] = field(default_factory=dict)  # allocation that reports nothing -> its last report
    waits: dict[str, Waits] = field(default_factory=dict)  # job with waiting tasks -> why, as the policy decided
    lines: dict[str, list[str]] = field(default_factory=dict)  # backend -> jobs that wait, in the order of the policy
    estimates: Estimates = field(default_factory=Estimates)
    searching: set[str] = field(default_factory=set)  # jobs that will have further tasks
    free: dict[str, dict[str, int]] = field(default_factory=dict)  # `Demand.key` of tasks that are resized -> by node
    pools: dict[str, Pool] = field(default_factory=dict)  # by backend, as the policy last saw them
    next_sizes: dict[str, list[SizeChange]] = field(default_factory=dict)  # job -> what the policy would change
    unsized: dict[str, float] = field(default_factory=dict)  # job that awaits a choice of sizes -> since when
    sized: dict[str, float] = field(default_factory=dict)  # job -> when sizes were last chosen for it
    places: dict[str, int] = field(default_factory=dict)  # job that comes later in its backend's queue -> its place
    nices: dict[str, int] = field(default_factory=dict)  # allocation -> the Nice that it was requested with, or got
    unfit: dict[tuple[str, str], float] = field(default_factory=dict)  # job, node -> until when it starts nothing there
    turned_away: dict[tuple[str, str], float] = field(default_factory=dict)  # job, reservation -> until when
    end_written: set[str] = field(default_factory=set)  # jobs whose runners know that no more tasks come
    reported: dict[str, set[str]] = field(default_factory=dict)  # job whose objective is not final -> its metrics
    to_choose: set[str] = field(default_factory=set)  # jobs whose objective is to be looked at
    unsure: set[str] = field(default_factory=set)  # jobs that may lack reports of their objective, or have them at last
    erasing: dict[str, float] = field(default_factory=dict)  # removed jobs whose rows are being deleted -> until when
    finished: set[str] = field(
        default_factory=set
    )  # jobs of which tasks have finished, whose curves are to be compared
    marked: set[str] = field(default_factory=set)  # jobs with patterns that may have been added
    compared: set[str] = field(default_factory=set)  # jobs of which enough curves were compared
    unreadable: set[str] = field(default_factory=set)  # jobs whose description is not valid any more
    _facts: dict[str, JobFacts] = field(default_factory=dict)
    boundary: Boundary = field(init=False)
    recovery: MetricRecovery = field(init=False)

    def __post_init__(self) -> None:
        self.boundary = Boundary(self.db, self.clock.ticks)
        self.recovery = MetricRecovery(self)

    @property
    def clock(self) -> Clock:
        """Return the clock by which the engine acts: that of the database, so that both always agree."""
        return self.db.clock

    @property
    def seen(self) -> dict[str, Any]:
        """Return what the store does not know of jobs and tasks, and shows: see `store/jobs.py`."""
        return {"silent": self.silent, "waits": self.waits, "estimates": self.estimates}

    def keep_notes(self, keys: Iterable[str]) -> None:
        """Forget what is remembered of all other allocations."""
        self.notes = defaultdict(AllocationNotes, {key: self.notes[key] for key in keys})

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

    def newest_facts(self, c: Connection, ids: Sequence[str]) -> dict[str, JobFacts]:
        """Return the facts as they are in this transaction: a person may have changed the objective a moment ago."""
        for job, adjusted in jobs.adjustments(c, list(set(ids))).items():
            if job in self._facts and self._facts[job].adjusted != adjusted:
                del self._facts[job]
        return self.facts(c, ids)

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
        for known in (self.unreadable, self.compared):
            known.discard(job)

    def retries(self, facts: JobFacts, cause: Cause) -> int:
        return facts.spec.retries.get(cause, self.settings.retries.limit(cause))

    def grace_seconds(self, spec: JobSpec) -> float:
        return self.settings.runner.grace_seconds if spec.grace_seconds is None else spec.grace_seconds

    def kind_of(self, facts: JobFacts, node: str | None) -> str | None:
        """Return the kind of the GPUs of a node of a job's backend; None if that is not known."""
        worker = self.worker(facts)
        found = [one for one in worker.nodes if one.name == node] if worker and node else []
        return next((device.name or "GPU" for one in found for device in one.devices if device.kind == "gpu"), None)

    def whole_nodes(self, facts: JobFacts) -> int | None:
        """Return how many GPUs of a node the tasks of a job have that run on several; None: they cannot."""
        worker, own = self.worker(facts), facts.spec.resources
        if worker is None or own.launcher is None or not worker.backend.traits.multi_node:
            return None
        return placement.gpus_of_a_node(own, worker.nodes) or None

    def worker(self, facts: JobFacts) -> BackendWorker | None:
        return self.workers.get(facts.spec.resources.backend or self.settings.backend)


def _facts_of(row: JobRow) -> JobFacts:
    return JobFacts(
        id=row.id,
        owner=row.owner,
        spec=row.job_spec(),
        script=row.script_report(),
        interpreter=Interpreter.model_validate(row.interpreter),
        objective=row.objective(),
        choice=ObjectiveChoice.model_validate(row.choice or {}),
        program=row.program,
        adjusted=row.adjusted,
    )

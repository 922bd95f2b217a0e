"""When jobs and their tasks will be done: read what `rules/durations.py` needs, and keep what it says for a moment."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from paddock.models import AllocationState, Expected, TaskState, Waits
from paddock.rules.durations import Band, Lengths, PastRun, TaskWork, Underway, adjusted, outlook
from paddock.rules.estimate import Pace, whole_seconds
from paddock.server.store import predictions
from paddock.server.store.rows import clock_of, moment
from paddock.server.store.tables import CURRENT, RUNNING, UNCLOSED, allocations, attempts, jobs, tasks

LEAST_AGE, MOST_AGE = 1.0, 30.0  # seconds for which an estimate is kept
AGE_PER_COST = 25.0  # one that takes long is kept for longer
MOST_ENDED, MOST_WAITING = 200, 1_000  # tasks of a job that are read
LEAST_RUNS = 3  # below which runners are not told how long tasks take
LENGTHS_SECONDS = 10.0
FEW_RUNS, EARLIER_JOBS = 10, 3  # a job with fewer ended tasks learns from this many earlier jobs of its program


@dataclass(frozen=True)
class Estimate:
    """When a job is done, and when its tasks begin and end, by id. `plain`: not adjusted by earlier predictions."""

    at: float = 0.0
    done: Band | None = None
    begins: Mapping[str, Band] = field(default_factory=dict)
    ends: Mapping[str, Band] = field(default_factory=dict)
    plain_done: Band | None = None
    plain_ends: Mapping[str, Band] = field(default_factory=dict)

    def left(self, now: float) -> float | None:
        """Return the seconds that will probably pass until the job is done."""
        return None if self.done is None else self.done.at(now).likely - now


NOTHING = Estimate()


def expected(band: Band | None, now: float) -> Expected | None:
    """Return a band as it is shown."""
    if band is None:
        return None
    found = band.at(now)
    times = {name: moment(getattr(found, name)) for name in ("early", "likely", "late")}
    return Expected(**times, unsure=found.unsure)


@dataclass(frozen=True)
class _Kept:
    estimate: Estimate
    until: float


class Estimates:
    """The estimates of jobs. Any thread may use them: two that make the same one at a time do no harm."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}
        self._lengths: dict[str, tuple[float, Lengths]] = {}
        self.places: dict[str, int] = {}  # how many tasks of a job may run at a time, as the engine knows

    def of(self, c: sa.Connection, job: str, now: float, waits: Waits | None = None) -> Estimate:
        """Return the estimate of a job, at most as old as the constants say."""
        kept = self._kept.get(job)
        if kept is not None and kept.estimate.at <= now < kept.until:
            return kept.estimate
        began = time.perf_counter()
        found = _estimate(c, job, now, waits, self.places.get(job, 1))
        age = min(max(AGE_PER_COST * (time.perf_counter() - began), LEAST_AGE), MOST_AGE)
        self._kept[job] = _Kept(found, now + age)
        return found

    def of_many(
        self, c: sa.Connection, ids: Sequence[str], now: float, waits: Mapping[str, Waits], seconds: float
    ) -> dict[str, Estimate]:
        """Return the estimates of jobs; after so many seconds the others as they were made last, if they were."""
        end = time.perf_counter() + seconds
        found = {}
        for job in sorted(ids, key=lambda one: self._kept[one].estimate.at if one in self._kept else 0.0):
            kept = self._kept.get(job)
            late = kept is not None and time.perf_counter() > end
            found[job] = kept.estimate if kept is not None and late else self.of(c, job, now, waits.get(job))
        return found

    def at_most(
        self, c: sa.Connection, job: str, whose: tuple[str, str | None], works: Sequence[TaskWork]
    ) -> list[float] | None:
        """Return the seconds that tasks which wait will hardly exceed; None if too little is known of them.

        `whose`: the owner of the job, and its program.
        """
        until, lengths = self._lengths.get(job, (0.0, None))
        if lengths is None or until < clock_of(c).ticks():
            lengths = Lengths(_runs(c, job, *whose))
            self._lengths[job] = clock_of(c).ticks() + LENGTHS_SECONDS, lengths
        return lengths.at_most(works) if lengths.count >= LEAST_RUNS else None

    def keep_only(self, ids: set[str]) -> None:
        """Forget all other jobs."""
        for known in (self._kept, self._lengths, self.places):
            for job in set(known) - ids:
                known.pop(job, None)


def to_come(searching: bool, spec: Mapping[str, Any], there: int) -> int | None:
    """Return how many tasks the search of a job will still add; None if that is not known."""
    if not searching:
        return 0
    planned, repeat = spec["search"]["trials"], spec["search"]["repeat"]
    return None if planned is None else max(planned * repeat - there, 0)


_PACE = (tasks.c.epochs, tasks.c.epoch, tasks.c.epoch_at, tasks.c.first_epoch, attempts.c.first_epoch)
_PACE_TIMES = (attempts.c.started_at, attempts.c.first_epoch_at)
_ROWS = sa.select(tasks.c.id, tasks.c.params, *_PACE, *_PACE_TIMES).join(attempts, CURRENT)
_ORDINARY = tasks.c.reduces.is_(False)


def _estimate(c: sa.Connection, job: str, now: float, waits: Waits | None, places: int) -> Estimate:
    of_job = sa.select(jobs.c.owner, jobs.c.program, jobs.c.held, jobs.c.searching, jobs.c.spec)
    row = c.execute(of_job.where(jobs.c.id == job)).one_or_none()
    if row is None:
        return Estimate(now)
    running = c.execute(_ROWS.where(tasks.c.job_id == job, RUNNING, _ORDINARY)).all()
    underway = [_underway(Pace(*pace), params, now) for _, params, *pace in running]
    counts = c.execute(sa.select(tasks.c.state, sa.func.count()).where(tasks.c.job_id == job).group_by(tasks.c.state))
    states: dict[TaskState, int] = {state: count for state, count in counts}  # noqa: C416  (rows are no pairs to mypy)
    more = to_come(row.searching, row.spec, sum(states.values()))
    names, waiting = _waiting(c, job)
    if more is not None and len(names) == MOST_WAITING:  # only their number counts
        more += states[TaskState.SUBMITTED] - MOST_WAITING
    stuck = row.held or (waits is not None and waits.never)
    if stuck and (names or more):
        names, waiting, more = [], [], None
    runs = [*_runs(c, job, row.owner, row.program), *_still_running(underway)]
    crude = not runs
    lengths = Lengths(runs or _still_running(underway, crude=True))
    free, supposed = _places(c, job, now, len(running), len(names) + (more or 0), waits, places)
    found = outlook(now, lengths, underway, waiting, free, more or 0, unsure=supposed or crude)
    ends = {one.id: band for one, band in zip(running, found.running, strict=True) if band is not None}
    learned = predictions.scores(c, row.owner, row.program, "task") if ends else []
    whole = predictions.scores(c, row.owner, row.program, "job") if found.done else []
    done = found.done if more is not None else None
    return Estimate(
        now,
        done and adjusted(now, done, whole),
        dict(zip(names, found.begins, strict=False)),
        {task: adjusted(now, band, learned) for task, band in ends.items()}
        | dict(zip(names, found.ends, strict=False)),
        done,
        ends,
    )


def _underway(pace: Pace, params: Mapping[str, Any], now: float) -> Underway:
    elapsed = max(now - (pace.started_at or now), 0.0)
    return Underway(TaskWork(params, pace.epochs), elapsed, pace.seconds_left(now), pace.progress() or 0.0, pace.steps)


def _still_running(underway: Sequence[Underway], *, crude: bool = False) -> list[PastRun]:
    """Return what is known of tasks that run: those that have ended are the short ones.

    `crude`: also of those of which only the time with the start-up is known.
    """
    known = [one for one in underway if one.left is not None and (one.steps or crude)]
    return [PastRun(one.work, one.elapsed + (one.left or 0.0), None) for one in known]


def _waiting(c: sa.Connection, job: str) -> tuple[list[str], list[TaskWork]]:
    reached = (tasks.c.epoch, tasks.c.first_epoch, attempts.c.resumed)
    query = sa.select(tasks.c.id, tasks.c.params, tasks.c.epochs, *reached).join(attempts, CURRENT)
    where = (tasks.c.job_id == job, tasks.c.state == TaskState.SUBMITTED, tasks.c.stopping.is_(False), _ORDINARY)
    names, works = [], []
    rows = c.execute(query.where(*where).order_by(tasks.c.number).limit(MOST_WAITING)).all()
    for task, params, epochs, epoch, first, resumed in rows:
        done = Pace(epochs, epoch, None, first, None, None).progress() if resumed else None
        names.append(task)
        works.append(TaskWork(params, epochs, max(1 - (done or 0.0), 0.02)))
    return names, works


def runs_of(c: sa.Connection, owner: str, program: str) -> list[PastRun]:
    """Return how long tasks of a program took, from its newest jobs."""
    return _runs(c, "", owner, program)


def _runs(c: sa.Connection, job: str, owner: str, program: str | None) -> list[PastRun]:
    """Return how long ended tasks took: those of the job, and while they are few, those of earlier jobs."""
    found = list(_ended(c, [job], (TaskState.FINISHED, TaskState.PRUNED)))
    if len(found) < FEW_RUNS and program is not None:
        same = sa.select(jobs.c.id).where(jobs.c.program == program, jobs.c.owner == owner, jobs.c.id != job)
        earlier = list(c.scalars(same.order_by(jobs.c.created_at.desc()).limit(EARLIER_JOBS)))
        found += _ended(c, earlier, (TaskState.FINISHED,)) if earlier else []
    return found


def _ended(c: sa.Connection, ids: Sequence[str], states: Sequence[TaskState]) -> Iterator[PastRun]:
    query = _ROWS.add_columns(attempts.c.ended_at)
    where = (tasks.c.job_id.in_(ids), tasks.c.state.in_(states), attempts.c.resumed.is_(False), _ORDINARY)
    newest = query.where(*where).order_by(attempts.c.ended_at.desc()).limit(MOST_ENDED)
    for _, params, *pace, ended_at in c.execute(newest):
        one = Pace(*pace)
        whole = whole_seconds(one, ended_at or 0.0)
        if whole is not None:
            yield PastRun(TaskWork(params, one.epochs), *whole)


def _places(
    c: sa.Connection, job: str, now: float, running: int, waiting: int, waits: Waits | None, supposed: int
) -> tuple[list[float], bool]:
    """Return in how many seconds further places for tasks are free, and whether that is only supposed."""
    query = sa.select(allocations.c.state, allocations.c.starts_at).where(allocations.c.job_id == job, UNCLOSED)
    rows = c.execute(query.where(allocations.c.leaving_for.is_(None), allocations.c.never.is_(False))).all()
    there = sum(state is AllocationState.RUNNING for state, _ in rows)
    starts = [max(at - now, 0.0) for state, at in rows if state is AllocationState.PENDING and at is not None]
    free = [0.0] * max(there - running, 0) + sorted(starts)[:waiting]
    if running or free or not waiting:
        return free, False
    start = max(waits.starts_at.timestamp() - now, 0.0) if waits and waits.starts_at else 0.0
    return [start] * max(min(supposed, waiting), 1), True

"""Choose by age what a home no longer keeps. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from paddock.models import PruneKind, PruneReport, PruneRequest
from paddock.models.keep import KeepPolicy
from paddock.models.units import size_text

DAY = 86_400.0
LEFTOVER_DAYS = 1.0  # nothing is written for longer than this
_WORDS = {
    PruneKind.JOB: ("job", "jobs"),
    PruneKind.ATTEMPTS: ("earlier attempt", "earlier attempts"),
    PruneKind.JOURNALS: ("job's journals", "jobs' journals"),
    PruneKind.RUNNER: ("old runner", "old runners"),
    PruneKind.LEFTOVER: ("leftover", "leftovers"),
}


@dataclass(frozen=True)
class StoredJob:
    id: str
    name: str
    ended_at: float | None  # None: it has not ended, or one of its allocations has not ended
    journals: bool = False  # some of its journals, claims or task lists exist


@dataclass(frozen=True)
class StoredAttempt:
    """An attempt of a task that has a later one."""

    job: str
    task: str
    number: int
    ended_at: float


@dataclass(frozen=True)
class StoredFile:
    path: Path
    used_at: float


@dataclass(frozen=True)
class HomeContents:
    jobs: list[StoredJob] = field(default_factory=list)
    attempts: list[StoredAttempt] = field(default_factory=list)
    runners: list[StoredFile] = field(default_factory=list)  # without those in use
    leftovers: list[StoredFile] = field(default_factory=list)


@dataclass(frozen=True)
class Deletion:
    kind: PruneKind
    what: str  # id of a job, name of a file
    since: float
    name: str | None = None
    attempts: tuple[StoredAttempt, ...] = ()
    path: Path | None = None


def resolved(keep: KeepPolicy, asked: PruneRequest) -> KeepPolicy:
    """Return the settings, with the ages that the request contains."""
    given = asked.model_dump(exclude={"dry_run"}, exclude_none=True)
    return keep.model_copy(update=given)


def choose(there: HomeContents, keep: KeepPolicy, now: float) -> list[Deletion]:
    """Return what is older than the policy keeps it. Jobs that have not ended stay whole."""
    ended = {job.id: job for job in there.jobs if job.ended_at is not None}
    gone = {job.id for job in ended.values() if _old(job.ended_at, keep.jobs_days, now)}
    found = []
    for job in ended.values():
        goes = Deletion(PruneKind.JOB, job.id, job.ended_at or 0.0, job.name)
        if job.id in gone:
            found.append(goes)
        elif job.journals and _old(job.ended_at, keep.journals_days, now):
            found.append(replace(goes, kind=PruneKind.JOURNALS))
    by_job: dict[str, list[StoredAttempt]] = {}
    for one in there.attempts:
        if one.job in ended and one.job not in gone and _old(one.ended_at, keep.attempts_days, now):
            by_job.setdefault(one.job, []).append(one)
    for job_id, some in by_job.items():
        newest = max(one.ended_at for one in some)
        found.append(Deletion(PruneKind.ATTEMPTS, job_id, newest, ended[job_id].name, tuple(some)))
    found += _files(PruneKind.RUNNER, there.runners, keep.runners_days, now)
    return found + _files(PruneKind.LEFTOVER, there.leftovers, LEFTOVER_DAYS, now)


def _files(kind: PruneKind, given: Iterable[StoredFile], days: float | None, now: float) -> list[Deletion]:
    return [Deletion(kind, one.path.name, one.used_at, path=one.path) for one in given if _old(one.used_at, days, now)]


def _old(at: float | None, days: float | None, now: float) -> bool:
    """Return True if something is older than this many days. Times in the future (wrong clocks) count as new."""
    return at is not None and days is not None and at <= now - days * DAY


def summary(report: PruneReport) -> list[str]:
    """Return what was deleted, or would be, as one text per kind: `3 jobs (1.5 GiB)`."""
    at = "" if report.measured else "at least "
    return [f"{one.count:,} {_WORDS[one.kind][one.count != 1]} ({at}{size_text(one.bytes)})" for one in report.totals]

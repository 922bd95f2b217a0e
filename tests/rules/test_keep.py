"""Test what of a home may be deleted, by its age."""

from pathlib import Path
from typing import Any

from paddock.models import PruneKind, PruneRequest
from paddock.models.keep import KeepPolicy
from paddock.rules.keep import (
    DAY,
    LEFTOVER_DAYS,
    Deletion,
    HomeContents,
    StoredAttempt,
    StoredFile,
    StoredJob,
    choose,
    resolved,
)

K = PruneKind
NOW = 1_000 * DAY
ALL = KeepPolicy(jobs_days=100, attempts_days=20, journals_days=10, runners_days=5)


def ago(days: float) -> float:
    return NOW - days * DAY


def job(name: str, days: float | None, *, journals: bool = True) -> StoredJob:
    return StoredJob(name, f"the {name}", None if days is None else ago(days), journals)


def chosen(there: HomeContents, keep: KeepPolicy = ALL) -> set[tuple[PruneKind, str]]:
    return {(one.kind, one.what) for one in choose(there, keep, NOW)}


def test_by_default_no_job_and_no_attempt_goes() -> None:
    there = HomeContents(
        jobs=[job("ancient", 900)],
        attempts=[StoredAttempt("ancient", "ancient-1", 1, ago(900))],
        runners=[StoredFile(Path("aa.pyz"), ago(900))],
        leftovers=[StoredFile(Path("upload"), ago(900))],
    )
    assert chosen(there, KeepPolicy()) == {(K.JOURNALS, "ancient"), (K.RUNNER, "aa.pyz"), (K.LEFTOVER, "upload")}


def test_each_kind_has_its_own_age() -> None:
    there = HomeContents(
        jobs=[job("old", 101), job("young", 99), job("fresh", 9)],
        attempts=[
            StoredAttempt(name, f"{name}-1", n, ago(days))
            for name in ("young", "fresh")
            for n, days in ((1, 21), (2, 19))
        ],
        runners=[StoredFile(Path("old.pyz"), ago(6)), StoredFile(Path("young.pyz"), ago(4))],
        leftovers=[
            StoredFile(Path("old"), ago(LEFTOVER_DAYS + 0.1)),
            StoredFile(Path("young"), ago(LEFTOVER_DAYS - 0.1)),
        ],
    )
    assert chosen(there) == {
        (K.JOB, "old"),
        (K.JOURNALS, "young"),
        (K.ATTEMPTS, "young"),
        (K.ATTEMPTS, "fresh"),
        (K.RUNNER, "old.pyz"),
        (K.LEFTOVER, "old"),
    }
    numbers = [[a.number for a in one.attempts] for one in choose(there, ALL, NOW) if one.kind is K.ATTEMPTS]
    assert numbers == [[1], [1]]


def test_of_a_job_that_goes_nothing_is_told_twice() -> None:
    there = HomeContents(jobs=[job("old", 500)], attempts=[StoredAttempt("old", "old-1", 1, ago(600))])
    assert choose(there, ALL, NOW) == [Deletion(K.JOB, "old", ago(500), "the old")]


def test_a_job_that_has_not_ended_keeps_everything() -> None:
    there = HomeContents(
        jobs=[job("runs", None)],
        attempts=[StoredAttempt("runs", "runs-1", 1, ago(900)), StoredAttempt("unknown", "unknown-1", 1, ago(900))],
    )
    assert choose(there, ALL, NOW) == []


def test_journals_that_are_gone_do_not_go_again() -> None:
    assert choose(HomeContents(jobs=[job("old", 50, journals=False)]), ALL, NOW) == []


def test_what_is_of_the_future_stays() -> None:
    there = HomeContents(
        jobs=[job("strange", -5)],
        attempts=[StoredAttempt("strange", "strange-1", 1, ago(-5))],
        runners=[StoredFile(Path("aa.pyz"), ago(-5))],
    )
    nothing: dict[str, Any] = dict.fromkeys(("jobs_days", "attempts_days", "journals_days", "runners_days"), 0)
    assert choose(there, resolved(ALL, PruneRequest(**nothing)), NOW) == []


def test_what_is_asked_for_counts_before_the_settings() -> None:
    keep = resolved(KeepPolicy(attempts_days=3), PruneRequest(jobs_days=0, journals_days=2))
    assert (keep.jobs_days, keep.attempts_days, keep.journals_days, keep.runners_days) == (0, 3, 2, 7)
    assert resolved(ALL, PruneRequest(dry_run=True)) == ALL

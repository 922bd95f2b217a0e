"""Test what of a home may be deleted, by its age."""

from pathlib import Path
from typing import Any

from paddock.models import PruneKind, PruneRequest
from paddock.models.keep import KeepPolicy
from paddock.rules.keep import DAY, LEFTOVER_DAYS, AttemptThere, FileThere, Goes, JobThere, There, choose, resolved

K = PruneKind
NOW = 1_000 * DAY
ALL = KeepPolicy(jobs_days=100, attempts_days=20, journals_days=10, runners_days=5)


def ago(days: float) -> float:
    return NOW - days * DAY


def job(name: str, days: float | None, *, journals: bool = True) -> JobThere:
    return JobThere(name, f"the {name}", None if days is None else ago(days), journals)


def chosen(there: There, keep: KeepPolicy = ALL) -> set[tuple[PruneKind, str]]:
    return {(one.kind, one.what) for one in choose(there, keep, NOW)}


def test_by_default_no_job_and_no_attempt_goes() -> None:
    there = There(
        jobs=[job("ancient", 900)],
        attempts=[AttemptThere("ancient", "ancient-1", 1, ago(900))],
        runners=[FileThere(Path("aa.pyz"), ago(900))],
        leftovers=[FileThere(Path("upload"), ago(900))],
    )
    assert chosen(there, KeepPolicy()) == {(K.JOURNALS, "ancient"), (K.RUNNER, "aa.pyz"), (K.LEFTOVER, "upload")}


def test_each_kind_has_its_own_age() -> None:
    there = There(
        jobs=[job("old", 101), job("young", 99), job("fresh", 9)],
        attempts=[
            AttemptThere(name, f"{name}-1", n, ago(days))
            for name in ("young", "fresh")
            for n, days in ((1, 21), (2, 19))
        ],
        runners=[FileThere(Path("old.pyz"), ago(6)), FileThere(Path("young.pyz"), ago(4))],
        leftovers=[
            FileThere(Path("old"), ago(LEFTOVER_DAYS + 0.1)),
            FileThere(Path("young"), ago(LEFTOVER_DAYS - 0.1)),
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
    there = There(jobs=[job("old", 500)], attempts=[AttemptThere("old", "old-1", 1, ago(600))])
    assert choose(there, ALL, NOW) == [Goes(K.JOB, "old", ago(500), "the old")]


def test_a_job_that_has_not_ended_keeps_everything() -> None:
    there = There(
        jobs=[job("runs", None)],
        attempts=[AttemptThere("runs", "runs-1", 1, ago(900)), AttemptThere("unknown", "unknown-1", 1, ago(900))],
    )
    assert choose(there, ALL, NOW) == []


def test_journals_that_are_gone_do_not_go_again() -> None:
    assert choose(There(jobs=[job("old", 50, journals=False)]), ALL, NOW) == []


def test_what_is_of_the_future_stays() -> None:
    there = There(
        jobs=[job("strange", -5)],
        attempts=[AttemptThere("strange", "strange-1", 1, ago(-5))],
        runners=[FileThere(Path("aa.pyz"), ago(-5))],
    )
    nothing: dict[str, Any] = dict.fromkeys(("jobs_days", "attempts_days", "journals_days", "runners_days"), 0)
    assert choose(there, resolved(ALL, PruneRequest(**nothing)), NOW) == []


def test_what_is_asked_for_counts_before_the_settings() -> None:
    keep = resolved(KeepPolicy(attempts_days=3), PruneRequest(jobs_days=0, journals_days=2))
    assert (keep.jobs_days, keep.attempts_days, keep.journals_days, keep.runners_days) == (0, 3, 2, 7)
    assert resolved(ALL, PruneRequest(dry_run=True)) == ALL

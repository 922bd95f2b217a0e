"""How long a home keeps things, and the reports of what was deleted."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from paddock.models.base import Model


def _for_ever(given: Any) -> Any:
    """Read "forever" as None. TOML has no null, and 0 could mean nothing or everything."""
    if isinstance(given, str) and given.strip().lower() in ("forever", "for ever"):
        return None
    if isinstance(given, bool):
        raise ValueError('give a number of days, or "forever"')
    if given in (0, "0"):
        raise ValueError('0 days would keep nothing: write "forever" to keep all of it')
    return given


Days = Annotated[Annotated[float, Field(gt=0, le=36_500)] | None, BeforeValidator(_for_ever)]


class KeepPolicy(Model):
    """How long things are kept, in days, or "forever". Once a day the server deletes what is older."""

    jobs_days: Days = Field(None, description="ended jobs with all their files; kept for ever when not given")
    attempts_days: Days = Field(
        None,
        description="logs and results of earlier attempts of tasks that ran again, in ended jobs; "
        "kept for ever when not given",
    )
    journals_days: Days = Field(
        30.0,
        description="journals, claims and task lists of ended jobs, whose contents are in the database; "
        'keep them longer than the copies of the database; "forever" keeps them for ever',
    )
    runners_days: Days = Field(
        7.0,
        description='runners of earlier versions that nothing has used for this long; "forever" keeps them for ever',
    )


class PruneKind(StrEnum):
    JOB = "job"  # an ended job with all its files
    ATTEMPTS = "attempts"  # logs and results of earlier attempts of its tasks
    JOURNALS = "journals"  # what the server and the job's runners wrote for each other
    RUNNER = "runner"  # the runner of an earlier version
    LEFTOVER = "leftover"  # remains of interrupted work: uploads, removals, half written files


class PruneRequest(Model):
    """Ages in days beyond which things are deleted; the settings `keep` apply where no age is given."""

    dry_run: bool = Field(False, description="only report what would be deleted")
    jobs_days: float | None = Field(None, ge=0, le=36_500, description="ended jobs")
    attempts_days: float | None = Field(None, ge=0, le=36_500, description="earlier attempts of tasks of ended jobs")
    journals_days: float | None = Field(None, ge=0, le=36_500, description="journals of ended jobs")
    runners_days: float | None = Field(None, ge=0, le=36_500, description="runners that nothing has used since")


class PruneItem(Model):
    kind: PruneKind
    what: str = Field(description="id of the job, or the name of the file")
    name: str | None = Field(None, description="name of the job")
    count: int = Field(1, description="number of attempts; 1 for all other kinds")
    since: datetime = Field(description="when the job or its attempts ended, or the file was last used")
    bytes: int = Field(description="bytes on the disk, without those in the database")


class PruneTotal(Model):
    kind: PruneKind
    count: int
    bytes: int


class PruneReport(Model):
    """What was deleted, or would be."""

    dry_run: bool
    items: list[PruneItem] = Field(description="the largest items, largest first")
    totals: list[PruneTotal] = Field(description="sums over all items, by kind")
    bytes: int = Field(description="sum over all items")
    measured: bool = Field(description="false: there was no time to measure everything, and the true sums are higher")
    problems: list[str] = Field(description="what could not be deleted; the server tries it again the next day")

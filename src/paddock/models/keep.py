"""What a home keeps, and what goes."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from paddock.models.base import Model


def _for_ever(given: Any) -> Any:
    """TOML has no word for nothing, and 0 could mean either."""
    if isinstance(given, str) and given.strip().lower() in ("forever", "for ever"):
        return None
    if isinstance(given, bool):
        raise ValueError('give a number of days, or "forever"')
    if given in (0, "0"):
        raise ValueError('0 days would keep nothing: write "forever" to keep all of it')
    return given


Days = Annotated[Annotated[float, Field(gt=0, le=36_500)] | None, BeforeValidator(_for_ever)]


class KeepPolicy(Model):
    """How long things are kept, in days, or "forever". Once a day what is older goes by itself."""

    jobs_days: Days = Field(None, description="ended jobs with all that belongs to them; for ever when not given")
    attempts_days: Days = Field(
        None,
        description="of tasks that ran again, in ended jobs: logs and results of the earlier attempts; "
        "for ever when not given",
    )
    journals_days: Days = Field(
        30.0,
        description="journals, claims and task lists of ended jobs: all they say is in the database; "
        'longer than the copies of that are kept; "forever" for ever',
    )
    runners_days: Days = Field(
        7.0, description='runners of earlier versions that nothing has used since; "forever" for ever'
    )


class PruneKind(StrEnum):
    JOB = "job"  # an ended job with all that belongs to it
    ATTEMPTS = "attempts"  # logs and put aside results of earlier attempts of its tasks
    JOURNALS = "journals"  # what the server and the job's runners told each other
    RUNNER = "runner"  # the runner of an earlier version
    LEFTOVER = "leftover"  # what was cut off: uploads, removals, half written files


class PruneRequest(Model):
    """What is older than so many days goes; as the settings `keep` say where nothing is given."""

    dry_run: bool = Field(False, description="only say what would go")
    jobs_days: float | None = Field(None, ge=0, le=36_500, description="ended jobs")
    attempts_days: float | None = Field(None, ge=0, le=36_500, description="earlier attempts of tasks of ended jobs")
    journals_days: float | None = Field(None, ge=0, le=36_500, description="journals of ended jobs")
    runners_days: float | None = Field(None, ge=0, le=36_500, description="runners that nothing has used since")


class PruneItem(Model):
    kind: PruneKind
    what: str = Field(description="id of the job, or the name of the file")
    name: str | None = Field(None, description="of the job")
    count: int = Field(1, description="how many attempts, else 1")
    since: datetime = Field(description="the job or its attempts ended then, the file was last used then")
    bytes: int = Field(description="on the disk; without what the database holds of it")


class PruneTotal(Model):
    kind: PruneKind
    count: int
    bytes: int


class PruneReport(Model):
    """What went, or would go."""

    dry_run: bool
    items: list[PruneItem] = Field(description="the largest, largest first")
    totals: list[PruneTotal] = Field(description="of all, by kind")
    bytes: int = Field(description="of all")
    measured: bool = Field(description="false: there was no time to measure all of it, so it is more")
    problems: list[str] = Field(description="what could not be done; it stays, and is tried again the next day")

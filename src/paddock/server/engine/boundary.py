"""Confines a failure to its job: the job is set aside with a warning and tried again, the others continue."""

import logging
import time
import traceback
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from paddock.errors import PaddockError
from paddock.server.store import jobs
from paddock.server.store.db import Database, database_failed

FIRST_SECONDS = 1.0
LONGEST_SECONDS = 30.0
MAX_REASON = 500
MAX_TRACE = 4_000

log = logging.getLogger("paddock.engine")
P = ParamSpec("P")
T = TypeVar("T")


@dataclass
class _Failure:
    reason: str
    wait: float
    not_before: float


class Boundary:
    """Records which steps fail for which jobs. A step that failed is left out for a while, for this job only."""

    def __init__(self, db: Database, clock: Callable[[], float] = time.monotonic) -> None:
        self._db = db
        self._clock = clock
        self._failures: dict[str, dict[str, _Failure]] = {}

    @property
    def aside(self) -> dict[str, str]:
        """Return the jobs that are set aside, with the reasons. Any thread may call this."""
        return {job: failed[0].reason for job, steps in [*self._failures.items()] if (failed := [*steps.values()])}

    def rests(self, job: str, doing: str) -> bool:
        """Return True if this step is to be left out for this job in this round, as it failed a moment ago."""
        failure = self._failures.get(job, {}).get(doing)
        return failure is not None and self._clock() < failure.not_before

    @contextmanager
    def job(self, job: str, doing: str) -> Iterator[None]:
        """Carry out a step for one job. `doing` names the step, and completes "Paddock cannot ...".

        Errors of the database concern all jobs, and are raised.
        """
        try:
            yield
        except Exception as error:
            if database_failed(error):
                raise
            self._failed(job, doing, error)
        else:
            self._went_well(job, doing)

    def try_for(self, job: str, doing: str, step: Callable[P, T], *args: P.args, **given: P.kwargs) -> T | None:
        """Carry out a step for one job as `job` does, unless it is to be left out in this round."""
        if not self.rests(job, doing):
            with self.job(job, doing):
                return step(*args, **given)
        return None

    def together(self, jobs: Collection[str], doing: str, step: Callable[[Collection[str]], None]) -> set[str]:
        """Carry out a step for all these jobs at once; if that fails, job by job. Returns those that succeeded."""
        try:
            step(jobs)
        except Exception as error:
            if database_failed(error):
                raise
        else:
            for job in jobs:
                self._went_well(job, doing)
            return set(jobs)
        done = set()
        for job in jobs:
            with self.job(job, doing):
                step([job])
                done.add(job)
        return done

    def forget(self, job: str) -> None:
        self._failures.pop(job, None)

    def _failed(self, job: str, doing: str, error: Exception) -> None:
        steps = self._failures.setdefault(job, {})
        known = steps.get(doing)
        wait = FIRST_SECONDS if known is None else min(known.wait * 2, LONGEST_SECONDS)
        reason = _reason(doing, error)
        steps[doing] = _Failure(reason, wait, self._clock() + wait)
        if known is None or known.reason != reason:
            log.warning("job %s is set aside: cannot %s\n%s", job, doing, _trace(error))
            self._show(job)

    def _went_well(self, job: str, doing: str) -> None:
        steps = self._failures.get(job)
        if steps is None or doing not in steps:
            return
        del steps[doing]
        if not steps:
            del self._failures[job]
            log.info("job %s continues: Paddock can %s again", job, doing)
        self._show(job)

    def _show(self, job: str) -> None:
        with self._db.write() as c:
            jobs.set_aside(c, job, self.aside.get(job))


def _trace(error: Exception) -> str:
    """Return the traceback for the log, printable and of limited length."""
    text = "".join(traceback.format_exception(error))
    return text[-MAX_TRACE:].encode("utf-8", "backslashreplace").decode()


def _plain(error: OSError) -> str:
    """Return the error's text without its number."""
    if error.strerror is None:
        return str(error)
    return f"{error.strerror}: {error.filename!r}" if error.filename else error.strerror


def _reason(doing: str, error: Exception) -> str:
    if isinstance(error, PaddockError):
        what = [error.message.removesuffix(".")]
    else:
        what = (_plain(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}").splitlines()
    text = (what[0] if what else type(error).__name__)[:MAX_REASON].encode("utf-8", "replace").decode()
    return (
        f"Paddock cannot {doing}: {text}. The job is set aside, and continues by itself when this is fixed; "
        "if it cannot be fixed, remove the job."
    )

"""Tells owners when their jobs have ended, when tasks fail, and when a job needs somebody.

What a job is like follows from the database at any time, and that it was told is written with the notice. So a crash
neither loses a notice nor doubles it.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from paddock.models import AllocationState, Expected, NoticeKind
from paddock.server.engine.context import Context
from paddock.server.notify import texts
from paddock.server.notify.tell import tell_of_job
from paddock.server.store import jobs, notices, reduces
from paddock.server.store.allocations import AllocationRow
from paddock.server.store.db import Connection
from paddock.server.store.estimates import expected
from paddock.server.store.notices import UnnoticedJob

TELL = "tell its owner"
ERRORS = "errors"
GATHER_SECONDS = 30.0  # after the first task in error: several that fail at once are one notice
ASIDE_SECONDS = 60.0
NEVER_SECONDS = 120.0
SILENT_SECONDS = 600.0
OVER_SECONDS = 600.0  # after which something that comes again is news
AT_ONCE = 50  # jobs per round
MOST_OTHERS = 20  # jobs of the owner; of more it is not said when they will be done
REST_SECONDS = 0.05  # of a round, to find that out

Found = tuple[str, str]  # a job, and what is the matter with it


class JobNotices:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._since: dict[Found, float] = {}  # what is the matter, and since when
        self._gone: dict[Found, float] = {}  # what was told and is no longer the matter, and since when

    def run(self, rows: list[AllocationRow], now: float) -> None:
        with self._context.db.read() as c:
            known = notices.unnoticed(c)
            over = [job for job in notices.over(c) if job in known]
            over = [job for job in over if job not in reduces.due(c, over)] if over else []
            failing = [job for job in notices.with_errors(c) if job in known and job not in over]
        for job in over[:AT_ONCE]:
            others = [one.id for one in known.values() if one.owner == known[job].owner and one.id not in over]
            self._context.boundary.try_for(job, TELL, self._tell_end, known[job], others, now)
        matters = {(job, ERRORS): ("", GATHER_SECONDS) for job in failing}
        matters |= {
            (job, what): (text, seconds)
            for job, what, text, seconds in _matters(self._context, known, rows, now)
            if job not in over
        }
        for found, (text, seconds) in list(matters.items()):
            since = self._since.setdefault(found, now)
            one = known[found[0]]
            if now - since >= seconds and found[1] not in (one.noticed or {}):
                self._context.boundary.try_for(one.id, TELL, self._tell, one, found[1], text, now)
        self._since = {found: at for found, at in self._since.items() if found in matters}
        self._forget_past(known, matters, now)

    def _tell_end(self, one: UnnoticedJob, others: list[str], now: float) -> None:
        with self._context.db.read() as c:
            job = jobs.summary(c, one.id)
            rest = self._rest(c, others, now)
        if job is None:
            return
        failed = job.counts.error > 0 and ERRORS not in (one.noticed or {})
        kinds = (NoticeKind.FAILED, NoticeKind.ENDED) if failed else (NoticeKind.ENDED,)
        with self._context.db.write() as c:
            # Of a job of which all was stopped, whoever stopped it knows; others are told by `acts`.
            if notices.claim_end(c, one.id) and job.counts.stopped < job.counts.total:
                self._write(c, one, *kinds, words=texts.ended(job, len(others), rest), now=now)

    def _rest(self, c: Connection, others: list[str], now: float) -> Expected | None:
        """Return when other jobs of the same owner will be done; None if there are none, or it is not known."""
        if not others or len(others) > MOST_OTHERS:
            return None
        context = self._context
        found = context.estimates.of_many(c, others, now, context.waits, REST_SECONDS)
        bands = [expected(found[job].done, now) for job in others]
        known = [one for one in bands if one is not None]
        if len(known) < len(others):
            return None
        latest = {name: max(getattr(one, name) for one in known) for name in ("early", "likely", "late")}
        return Expected(**latest, unsure=any(one.unsure for one in known))

    def _tell(self, one: UnnoticedJob, what: str, text: str, now: float) -> None:
        kind, words = NoticeKind.ATTENTION, texts.attention(one.name, text)
        if what == ERRORS:
            with self._context.db.read() as c:
                job = jobs.summary(c, one.id, self._context.waits, self._context.estimates)
            if job is None or not job.counts.error:
                return
            kind, words = NoticeKind.FAILED, texts.failing(job)
        with self._context.db.write() as c:
            if notices.claim(c, one.id, what, now):
                self._write(c, one, kind, words=words, now=now)

    def _write(self, c: Connection, one: UnnoticedJob, *kinds: NoticeKind, words: tuple[str, str], now: float) -> None:
        tell_of_job(c, self._context.settings, *kinds, job=one.id, owner=one.owner, words=words, now=now)

    def _forget_past(self, known: Mapping[str, UnnoticedJob], matters: Mapping[Found, object], now: float) -> None:
        """Let what was told and has been over for a while be told again."""
        past = {
            (job, what)
            for job, one in known.items()
            for what in one.noticed or ()
            if what != ERRORS and (job, what) not in matters
        }
        self._gone = {found: self._gone.get(found, now) for found in past}
        for job, what in [found for found, at in self._gone.items() if now - at >= OVER_SECONDS]:
            with self._context.db.write() as c:
                notices.withdraw(c, job, what)


def _matters(
    context: Context,
    known: Mapping[str, UnnoticedJob],
    rows: list[AllocationRow],
    now: float,
) -> Iterator[tuple[str, str, str, float]]:
    """Yield jobs that need somebody: the job, what is the matter, in words, and after which time it is told."""
    running = {row.job_id for row in rows if row.state is AllocationState.RUNNING}
    never = {row.job_id: row.reason for row in rows if row.never and row.job_id not in running}
    for job, one in known.items():
        if one.aside:
            yield job, "aside", one.aside, ASIDE_SECONDS
        wait = context.waits.get(job)
        reason = wait.reason if wait and wait.never else never.get(job)
        if reason and not one.held:
            yield job, "never", f"Its tasks do not start by themselves: {reason}", NEVER_SECONDS
    silent = [row for row in rows if now - context.silent.get(row.key, now) >= SILENT_SECONDS]
    for row in silent:
        if row.job_id in known:
            at = datetime.fromtimestamp(context.silent[row.key], UTC)
            where = f" on {row.node}" if row.node else ""
            yield row.job_id, "silent", f"Nothing was heard of its tasks{where} since {at:%H:%M} UTC", 0.0

"""What the backends say of the allocations, and what follows for attempts whose allocation is gone."""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from paddock import lifecycle
from paddock.engine.apply import Changes, Subject
from paddock.engine.context import Context
from paddock.lifecycle import Verdict
from paddock.models import AllocationState, AllocationStatus, Cause, TaskState
from paddock.store import allocations, attempts

MISSING_SECONDS = 10.0  # not listed for this long: gone
TOUCH_SECONDS = 5.0
FAILED_STARTS = 3


def observe(context: Context, rows: list[sa.Row[Any]], now: float) -> bool:
    """Take up the answers of the couriers, and send them off again. Whether there were any."""
    heard = False
    for name, courier in context.couriers.items():
        mine = [row for row in rows if row.backend == name]
        answers, polled = courier.answers(), courier.polled()
        if answers or polled:
            heard = True
            with context.db.write() as c:
                for answer in answers:
                    if answer.backend_id is not None:
                        allocations.submitted(c, answer.key, answer.backend_id)
                    elif answer.refused is not None:
                        allocations.failed(c, answer.key, Cause.LAUNCH_FAILED, answer.refused)
                if polled:
                    asked = [
                        row for row in mine if row.backend_id in polled.asked and row.state != AllocationState.ENDED
                    ]
                    _take_up(c, asked, dict(polled.statuses), now)
        courier.ask([row.backend_id for row in mine if row.backend_id and row.state != AllocationState.ENDED])
    return heard


def _take_up(c: sa.Connection, rows: list[sa.Row[Any]], statuses: dict[str, AllocationStatus], now: float) -> None:
    listed = []
    for row in rows:
        status = statuses.get(row.backend_id)
        if status is None:
            if now - (row.seen_at or row.created_at) > MISSING_SECONDS:
                allocations.failed(c, row.key, Cause.LOST, "the backend no longer knows its allocation")
        elif (status.state, status.reason, status.node) != (row.state, row.reason, row.node):
            allocations.seen(c, row.key, status)
        elif now - (row.seen_at or 0) > TOUCH_SECONDS:
            listed.append(row.key)
    allocations.touch(c, listed)


def close(context: Context, rows: list[sa.Row[Any]], read: set[str], now: float) -> bool:
    """Settle allocations that had ended before their journals were read to the end. Whether there were any."""
    ended = [row for row in rows if row.state == AllocationState.ENDED and row.key in read]
    if not ended:
        return False
    with context.db.write() as c:
        changes = Changes(c, context)
        for row in ended:
            cause = Cause(row.cause) if row.cause else None
            changes.end(attempts.open_in(c, row.key), _gone(changes, cause, row.reason), now)
            allocations.close(c, row.key)
        for job in {row.job_id for row in ended}:
            reason = _never_starts(context, c, job)
            if reason:
                verdict = Verdict(TaskState.ERROR, Cause.LAUNCH_FAILED, reason)
                changes.end(attempts.waiting(c, job), _always(verdict), now)
        changes.write()
    return True


def settle_orphans(context: Context, job: str, now: float) -> None:
    """A runner that died between claiming and reporting left a claim that nobody will ever speak of.

    Only to be called when no allocation of the job is left.
    """
    with context.db.read() as c:
        waiting = attempts.waiting(c, job)
    folder = context.home.job(job)
    orphans = [row for row in waiting if folder.claim(row.id, row.a_number).is_dir()]
    if orphans:
        with context.db.write() as c:
            changes = Changes(c, context)
            changes.end(orphans, _gone(changes, None, None), now)
            changes.write()


def _gone(changes: Changes, cause: Cause | None, reason: str | None) -> Callable[[Subject], Verdict]:
    def judge(subject: Subject) -> Verdict:
        tried = changes.tried(subject, cause or Cause.LOST)
        return lifecycle.judge_gone(cause, reason, tried=tried, **changes.judging(subject))

    return judge


def _always(verdict: Verdict) -> Callable[[Subject], Verdict]:
    return lambda _: verdict


def _never_starts(context: Context, c: sa.Connection, job: str) -> str | None:
    """The reason, when the last few allocations of a job ended without their runner saying a word."""
    last = allocations.last(c, job, FAILED_STARTS)
    if len(last) < FAILED_STARTS or any(row.offsets or row.cancelled or not row.closed for row in last):
        return None
    log = context.home.job(job).allocation(last[0].key) / "out.log"
    try:
        lines = log.read_text(errors="replace").strip().splitlines()
    except OSError:
        lines = []
    said = last[0].reason or (lines[-1] if lines else "it printed nothing")
    return f"the runner does not start: {said} (see {log})"

"""Stores what backends report of allocations, and ends the attempts of allocations that are gone."""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from typing import Any

from paddock.common import files
from paddock.models import AllocationState, AllocationStatus, Cause, TaskState
from paddock.models.events import JobChange
from paddock.rules import lifecycle
from paddock.rules.lifecycle import Verdict
from paddock.runner.sharing import oom_retry
from paddock.server.engine import ending, entering, linger, unfit
from paddock.server.engine.apply import AttemptEdit, Changes, changing
from paddock.server.engine.backend_worker import Answer, BackendWorker, Polled
from paddock.server.engine.context import AllocationNotes, Context
from paddock.server.notify.tell import needs_attention
from paddock.server.outposts.claims import Identity
from paddock.server.outposts.outpost import Outpost
from paddock.server.store import allocations, attempts, deals, events, jobs, places
from paddock.server.store.allocations import AllocationRow
from paddock.server.store.attempts import TaskAttempt
from paddock.server.store.db import Connection

MISSING_SECONDS = 10.0  # not listed for this long: what became of it is looked up
GIVE_UP_SECONDS = 600.0  # and not known after this long: lost
FENCE_SECONDS = 30.0  # for a runner to notice that its allocation was started again elsewhere
TOUCH_SECONDS = 5.0
HELD_SECONDS = 10.0  # held for this long although it was released: the backend has forgotten the release
FAILED_STARTS = 3
LOG_BYTES = 10_000  # the end of a runner's own output that is read
SETTLING = "settle what its allocations left"
FENCING = "settle what an earlier start of its allocation left"
SUBMITTING = "submit its allocations"
LISTENING = "store the states of its allocations"
_UNTRIED = (
    Cause.NODE_FAILURE,
    Cause.PREEMPTED,
    Cause.TIME_LIMIT,
    Cause.YIELDED,
)  # not a sign that runners cannot start


def observe(context: Context, rows: list[AllocationRow], now: float) -> bool:
    """Store the answers of the workers, and send new requests. Returns whether there were answers."""
    heard = False
    for name, worker in context.workers.items():
        mine = [row for row in rows if row.backend == name]
        heard = _hear(context, worker, mine, now) or heard
        open_rows = _by_id(mine)
        if worker.ask(list(open_rows)):
            for row in open_rows.values():
                context.notes[row.key].starts_asked = len(row.offsets)
        missing = [one for one, row in open_rows.items() if context.notes[row.key].missing_since is not None]
        worker.trace(missing)
    ending.end_stuck(context, rows, now)
    return heard


def _hear(context: Context, worker: BackendWorker, mine: list[AllocationRow], now: float) -> bool:
    """Store the answers together; if that fails for one job, job by job."""
    answers, polled, traced = worker.answers(), worker.polled(), worker.traced()
    if not (answers or polled or traced):
        return False
    jobs_of = {row.batch: row.job_id for row in mine}
    for answer in answers:
        if answer.waits is None and answer.batch in jobs_of:
            with context.boundary.job(jobs_of[answer.batch], SUBMITTING):
                if answer.failed is not None:
                    raise answer.failed

    def write(some: Collection[str]) -> None:
        theirs = [answer for answer in answers if jobs_of.get(answer.batch) in some]
        _write_down(context, theirs, polled, traced, [row for row in mine if row.job_id in some], now)

    context.boundary.together({*jobs_of.values(), *context.boundary.aside}, LISTENING, write)
    return True


def _write_down(
    context: Context,
    answers: list[Answer],
    polled: Polled | None,
    traced: Polled | None,
    mine: list[AllocationRow],
    now: float,
) -> None:
    forgotten = _forgotten_ids(answers, mine)
    left = [row for row in mine if row.key not in forgotten]
    open_rows = _by_id(left)
    with context.db.write() as c:
        news = set()
        for key in forgotten:
            allocations.failed(c, key, Cause.LOST, "the backend has given its number to another allocation")
        for answer in answers:
            if answer.ids is not None:
                allocations.submitted(c, answer.batch, answer.ids)
            elif answer.refused is not None and entering.turned_away(context, c, answer.batch, now):
                allocations.submitted(c, answer.batch, [])
            elif answer.refused is not None:
                allocations.refused(c, answer.batch, answer.refused)
            elif answer.waits is not None and allocations.waits(c, answer.batch, answer.waits):
                news |= {row.job_id for row in mine if row.batch == answer.batch}
        if polled:
            news |= _take_up(context, c, _about(polled, open_rows), now)
        if traced:
            for row, status in _about(traced, open_rows):
                _settle_missing(context, c, row, status)
        for job in sorted(news):
            events.write(c, job, JobChange(change="waits"))


def _forgotten_ids(answers: list[Answer], mine: list[AllocationRow]) -> list[str]:
    """Return the allocations whose ids belong to new ones now: a crashed controller forgot them and reused the ids.

    What is reported for such an id does not concern them any more.
    """
    new = {one: answer.batch for answer in answers for one in answer.ids or ()}
    return [row.key for one, row in _by_id(mine).items() if new.get(one, row.batch) != row.batch]


def _by_id(rows: list[AllocationRow]) -> dict[str, AllocationRow]:
    """Return the allocations that a backend has and that have not ended, by its ids."""
    return {row.backend_id: row for row in rows if row.backend_id and row.state != AllocationState.ENDED}


def _about(polled: Polled, rows: Mapping[str, AllocationRow]) -> list[tuple[AllocationRow, AllocationStatus | None]]:
    """Return the allocations that were asked about, each with its state, if the backend listed it."""
    return [(rows[one], polled.statuses.get(one)) for one in polled.asked if one in rows]


def _take_up(
    context: Context, c: Connection, about: list[tuple[AllocationRow, AllocationStatus | None]], now: float
) -> set[str]:
    """Store the states. Returns the jobs whose reason for waiting has changed."""
    listed, news = [], set()
    for row, status in about:
        note = context.notes[row.key]
        if status is None:
            if note.missing_since is None and now - (row.seen_at or row.created_at) > MISSING_SECONDS:
                note.missing_since = now
            continue
        note.missing_since, note.others = None, status.others
        _release_again(note, c, row, status.held, now)
        if row.state == AllocationState.RUNNING and status.state is AllocationState.PENDING:
            note.requeued = (note.starts_asked, now)
        if _differs(status, row):
            allocations.seen(c, row.key, status)
            if _waits(status) != _waits(row):
                news.add(row.job_id)
        elif now - (row.seen_at or 0) > TOUCH_SECONDS:
            listed.append(row.key)
    allocations.touch(c, listed)
    return news


def _release_again(note: AllocationNotes, c: Connection, row: AllocationRow, held: bool, now: float) -> None:
    """Release an allocation again if its backend has forgotten the release: it would never start.

    A controller that crashes forgets its last seconds. Once per change of the job: a hold by hand stays.
    """
    if row.adjusted <= 0:
        return  # Paddock has never held it
    if note.held_since is None or note.held_since[0] != row.adjusted:
        note.held_since = (row.adjusted, now)
    if not held and note.held_since[1] != math.inf:
        note.held_since = None
    elif now - note.held_since[1] > HELD_SECONDS and allocations.to_adjust_again(c, row.key):
        note.held_since = (row.adjusted, math.inf)


def _differs(status: AllocationStatus, row: AllocationRow) -> bool:
    known = (row.state, row.reason, row.node, row.starts_at, row.never)
    return (status.state, status.reason, status.node, status.starts_at, status.never) != known


def _waits(one: Any) -> tuple[Any, ...] | None:
    """Return what is shown about its waiting, if it waits."""
    waits = one.state in (AllocationState.PLANNED, AllocationState.PENDING)
    return (one.reason, one.starts_at, one.never) if waits and one.reason else None


def _settle_missing(context: Context, c: Connection, row: AllocationRow, found: AllocationStatus | None) -> None:
    """Store the end of an allocation that the backend does not list any more, with the cause if it is known."""
    gone = AllocationStatus(
        state=AllocationState.ENDED, cause=Cause.LOST, reason="the backend does not know its allocation any more"
    )
    allocations.seen(c, row.key, found if found and found.state is AllocationState.ENDED else gone)
    context.notes[row.key].missing_since = None


def give_up_missing(context: Context, rows: list[AllocationRow], now: float) -> bool:
    """Give up allocations that are not listed and have had no records for long. Returns whether there were any."""
    left = [row for row in rows if now - (context.notes[row.key].missing_since or now) > GIVE_UP_SECONDS]
    if left:
        with context.db.write() as c:
            for row in left:
                _settle_missing(context, c, row, None)
    return bool(left)


def close(context: Context, rows: list[AllocationRow], read: set[str], now: float) -> bool:
    """Settle allocations that had ended before their journals were read completely. Returns whether there were any."""
    ended: dict[str, list[AllocationRow]] = defaultdict(list)
    for row in rows:
        if row.state == AllocationState.ENDED and row.key in read and not context.boundary.rests(row.job_id, SETTLING):
            ended[row.job_id].append(row)
    settled = False
    for job, of_job in ended.items():
        with context.boundary.job(job, SETTLING):
            over = linger.over(context, of_job, now)
            if over and _settle(context, job, over, now):
                _give_up(context, job, now)
                settled = True
    return settled


def _settle(context: Context, job: str, rows: list[AllocationRow], now: float) -> bool:
    """End the open attempts of these allocations whose files have been read. Returns whether there were any."""
    with context.db.read() as c:
        left = {row.key: attempts.open_in(c, row.key) for row in rows}
        waiting = attempts.waiting_keys(c, job)
    owed = {key: some for key, found in left.items() if (some := context.recovery.ask(found)) is not None}
    rows = [row for row in rows if row.key in owed]  # the others follow in a later round
    if not rows:
        return False
    # Also attempts that a runner took without reporting it before it died. Others that wait stay as they are.
    silent = {row.key for row in rows if not linger.left_well(context, row)}
    outpost, back = context.outposts.of(job), set[int]()
    owners: Mapping[Identity, str | None] | None = {}
    if outpost.dealt:
        rows, owners, back = _dealt_left(context, outpost, rows, silent)
    elif silent:
        owners = outpost.held(waiting, silent)
    if owners is None or not rows:
        return False
    with changing(context) as (c, changes):
        changes.apply({key: records for some in owed.values() for key, records in some.items()})
        found = attempts.lookup(c, [one for one, key in owners.items() if key in silent])
        for one, orphan in found.items():
            left[owners[one] or ""].append(orphan)
        deals.take_back(c, back)
        for row in rows:
            by_hand = row.by_hand and not row.ending
            judge = (
                _always(Verdict(TaskState.STOPPED, reason=row.reason))
                if by_hand
                else _gone(changes, row.cause, row.reason)
            )
            changes.end(left[row.key], judge, now)
            allocations.close(c, row.key)
            if by_hand:
                why = f"Held, because an allocation was ended by hand: {row.reason}"
                if jobs.hold(c, row.job_id, warning=why):
                    needs_attention(c, context.settings, row.job_id, why, now)
    return True


def _dealt_left(
    context: Context, outpost: Outpost, rows: list[AllocationRow], silent: Collection[str]
) -> tuple[list[AllocationRow], Mapping[Identity, str | None], set[int]]:
    """Return what becomes of attempts that were dealt to ended allocations and whose begin was not reported.

    These are: the allocations of which it is known, the attempts that their runners had, and the ids of those that can
    be dealt again. What a node that was declared lost has may have begun.
    """
    with context.db.read() as c:
        left = deals.left_in(c, [row.key for row in rows])
        gone = {name: places.lost(c, name) for name in {row.backend for row in rows}}
        nodes = allocations.nodes_of(c, {row.batch for row in rows}) if any(gone.values()) else {}
    lost = {row.key for row in rows if row.key in silent and nodes.get(row.key) in gone[row.backend]}
    unsure = [one for one in left if one.dealt_to in silent and one.dealt_to not in lost]
    known = outpost.withdraw([(one.id, one.attempt_number) for one in unsure])
    open_keys = {one.dealt_to for one in unsure if (one.id, one.attempt_number) not in known}
    begun = [one for one in left if one.dealt_to in lost or known.get((one.id, one.attempt_number)) is False]
    owners = {(one.id, one.attempt_number): one.dealt_to for one in begun if one.dealt_to not in open_keys}
    back = {one.attempt_id for one in left if one not in begun and one.dealt_to not in open_keys}
    return [row for row in rows if row.key not in open_keys], owners, back


def _starts_elsewhere(context: Context, job: str, last: list[AllocationRow], now: float) -> bool:
    """Return True if there are nodes on which the runners of a job may start, where these have not."""
    with context.db.read() as c:
        tried = set(allocations.nodes_of(c, {row.batch for row in last}).values())
        facts = context.facts(c, [job]).get(job)
    worker = context.worker(facts) if facts is not None else None
    return bool(
        tried and facts and worker and unfit.avoid(context, facts, worker, tried, _why_not(context, last[0]), now)
    )


def _give_up(context: Context, job: str, now: float) -> None:
    """End the waiting attempts of a job whose runners do not start on any node."""
    with context.db.read() as c:
        last = _silent_starts(c, job)
    if last and _starts_elsewhere(context, job, last, now):
        return
    with context.db.read() as c:
        waiting = {(row.id, row.attempt_number): row for row in attempts.waiting(c, job)} if last else {}
    if waiting and not any(_forgotten(context, row) for row in last):
        withdrawn = context.outposts.of(job).withdraw(waiting)
        verdict = Verdict(TaskState.ERROR, Cause.LAUNCH_FAILED, _why_not(context, last[0]))
        with changing(context) as (_, changes):
            changes.end([row for one, row in waiting.items() if withdrawn.get(one)], _always(verdict), now)


def put_back(context: Context, rows: list[AllocationRow], now: float) -> None:
    """End the open attempts of allocations that wait in the queue again.

    Attempts whose end the runner has reported are ended at once, the others later: a controller that has forgotten its
    last seconds also reports `pending`, until it has ended what it finds running.
    """
    for row in rows:
        again = context.notes[row.key].requeued
        if again is not None:
            context.boundary.try_for(row.job_id, FENCING, _put_back, context, row, *again, now)


def _put_back(context: Context, row: AllocationRow, starts: int, since: float, now: float) -> None:
    note = context.notes[row.key]
    heard = (row.heard_at or 0.0) if len(row.offsets) <= starts else 0.0  # otherwise another start reported
    over = now - max(since, heard) > FENCE_SECONDS
    if now - since > FENCE_SECONDS and not over and note.dismissed < starts:
        linger.dismiss(context, row, start=starts)  # its runner continues, and does not know it
        note.dismissed = starts
    with context.db.read() as c:
        found = attempts.open_in(c, row.key)
    left = [one for one in found if (one.start or 1) <= starts and (over or one.ended_at is not None)]
    if _end_left(context, left, Cause.PREEMPTED, "its allocation was put back into the queue", now) and over:
        note.requeued = None


def _end_left(context: Context, left: list[TaskAttempt], cause: Cause, reason: str, now: float) -> bool:
    """End these attempts without an end. Returns False while the files of their tasks are read."""
    owed = context.recovery.ask(left)
    if owed is None:
        return False
    if left:
        with changing(context) as (_, changes):
            changes.apply(owed)
            changes.end(left, _gone(changes, cause, reason), now)
    return True


def fence(context: Context, rows: list[AllocationRow], now: float) -> None:
    """End the open attempts of an earlier start of an allocation, once its runner must have noticed the later one.

    A requeued allocation, or one that a recovered controller launched again, has one journal per start.
    """
    for row in rows:
        starts, note = len(row.offsets), context.notes[row.key]
        if starts > 1 and (note.started_again is None or note.started_again[0] != starts):
            note.started_again = (starts, now)
        if note.started_again is not None and now - note.started_again[1] > FENCE_SECONDS:
            context.boundary.try_for(row.job_id, FENCING, _fence, context, row, now)


def _fence(context: Context, row: AllocationRow, now: float) -> None:
    starts = len(row.offsets)
    with context.db.read() as c:
        left = [one for one in attempts.open_in(c, row.key) if (one.start or 1) < starts]
    reason = "its allocation was started again, on the same or another node"
    if _end_left(context, left, Cause.NODE_FAILURE, reason, now):
        context.notes[row.key].started_again = (starts, math.inf)


def settle_orphans(context: Context, job: str, now: float) -> bool:
    """End attempts that a runner claimed and never reported, as it died in between.

    To be called only if the job has no allocation left. Returns False if it is not known yet which they are.
    """
    outpost = context.outposts.of(job)
    if outpost.dealt:  # they were ended when their allocation was closed
        return True
    with context.db.read() as c:
        waiting = attempts.waiting_keys(c, job)
    orphans = outpost.held(waiting, [job])
    if orphans:
        with changing(context) as (c, changes):
            changes.end(list(attempts.lookup(c, orphans).values()), _gone(changes, None, None), now)
    return orphans is not None


def _gone(changes: Changes, known: Cause | None, reason: str | None) -> Callable[[AttemptEdit], Verdict]:
    """Return the judge of attempts without an end, with the cause and the reason that are known."""

    def judge(edit: AttemptEdit) -> Verdict:
        ordered = edit.of_attempt("ended_at") is not None  # its runner was told to end, and ended it
        cause = Cause.PREEMPTED if ordered and known in (None, Cause.LOST) else known
        why = "its runner was told to end" if cause is not known else known and reason
        # The memory was that of all its tasks together: each gets the allocation to itself.
        room, crowded = oom_retry.parse(edit.room), cause is Cause.HOST_OOM and edit.crowded
        again = oom_retry.next_memory_needed(room, oom_retry.HOST, crowded, edit.of_attempt("peak_memory") or 0)
        if again is not None:
            edit.room = again._asdict()
        return lifecycle.judge_gone(
            cause,
            why,
            tried=changes.tried(edit, cause or Cause.LOST),
            shared=again is not None,
            **changes.judging(edit),
        )

    return judge


def _always(verdict: Verdict) -> Callable[[AttemptEdit], Verdict]:
    return lambda _: verdict


def _silent_starts(c: Connection, job: str) -> list[AllocationRow]:
    """Return the last allocations of a job if none of their runners reported anything; else none."""
    last = allocations.last(c, job, FAILED_STARTS)
    if len(last) < FAILED_STARTS and not any(row.cause == Cause.LAUNCH_FAILED for row in last):
        return []
    if any(row.offsets or row.ending or row.by_hand or not row.closed or row.cause in _UNTRIED for row in last):
        return []
    return last


def _forgotten(context: Context, row: AllocationRow) -> bool:
    """Return True if it never started on any node: a controller that crashes forgets what it has just accepted."""
    return row.cause == Cause.LOST and not (context.home.job(row.job_id).allocation(row.key) / "out.log").exists()


def _why_not(context: Context, row: AllocationRow) -> str:
    if row.backend_id is None and row.reason:
        return f"{row.backend} refused its allocation: {row.reason}"
    folder = context.home.job(row.job_id)
    log = folder.allocation(row.key) / "out.log"
    try:
        text = files.read_plain(str(log), LOG_BYTES, offset=-LOG_BYTES, below=str(folder.root))
        lines = text.decode(errors="replace").strip().splitlines()
    except OSError:
        lines = []
    found = row.reason or (lines[-1] if lines else "it printed nothing")
    return f"the runner does not start: {found} (see {log})"

"""Notices: what people were told, what has to be sent outside the page, and what they want where.

A notice and the record that it exists are written in one transaction, so nobody is told something twice.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from paddock.models import Notice, NoticeKind, NoticePage, TaskState
from paddock.models.events import NoticesChanged
from paddock.server.store import events
from paddock.server.store.kept import fetch_kept
from paddock.server.store.rows import columns, model
from paddock.server.store.tables import END_UNNOTICED, UNENDED, jobs, notice_choices, notices, outbox, tasks

DUE_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class UnnoticedJob:
    """A job of whose end its owner has no notice."""

    id: str
    owner: str
    name: str
    notify: list[str] | None
    noticed: dict[str, float] | None
    aside: str | None
    held: bool


@dataclass(frozen=True, slots=True)
class Parcel:
    """A notice that has to be sent to an address."""

    id: int
    user: str
    address: str
    created_at: float
    tries: int
    next_at: float
    kind: str
    title: str
    text: str
    link: str


_MINE = sa.and_(END_UNNOTICED, jobs.c.removing.is_(False))
_OPEN = sa.select(*columns(UnnoticedJob, jobs.c)).where(_MINE)
_ANY = sa.exists().where(tasks.c.job_id == jobs.c.id)
_UNENDED = sa.exists().where(tasks.c.job_id == jobs.c.id, tasks.c.state.in_(UNENDED))
_OVER = sa.select(jobs.c.id).where(_MINE, jobs.c.searching.is_(False), _ANY, ~_UNENDED)
_ERRORS = sa.select(jobs.c.id).where(
    _MINE, sa.exists().where(tasks.c.job_id == jobs.c.id, tasks.c.state == TaskState.ERROR)
)
_PARCEL = (outbox.c.id, outbox.c.user, outbox.c.address, outbox.c.created_at, outbox.c.tries, outbox.c.next_at)
_DUE = (
    sa.select(*_PARCEL, notices.c.kind, notices.c.title, notices.c.text, notices.c.link)
    .join_from(outbox, notices, notices.c.id == outbox.c.notice)
    .where(outbox.c.next_at.is_not(None))
    .order_by(outbox.c.next_at)
    .limit(DUE_AT_ONCE)
)


# --- jobs -------------------------------------------------------------------------------------------------------------


def unnoticed(c: sa.Connection) -> dict[str, UnnoticedJob]:
    """Return the jobs of whose end there is no notice yet."""
    return {one.id: one for one in fetch_kept(c, UnnoticedJob, _OPEN)}


def over(c: sa.Connection) -> list[str]:
    """Return those of them that have ended, but for a reduce that may follow."""
    return fetch_kept(c, str, _OVER)


def with_errors(c: sa.Connection) -> list[str]:
    """Return those of them with tasks in error."""
    return fetch_kept(c, str, _ERRORS)


def claim_end(c: sa.Connection, job: str) -> bool:
    """Record that there is a notice of the end of a job; False if there is one, or the job goes on."""
    change = sa.update(jobs).where(jobs.c.id == job, _MINE, jobs.c.searching.is_(False), ~_UNENDED)
    return bool(c.execute(change.values(end_noticed=True)).rowcount)


def claim(c: sa.Connection, job: str, what: str, now: float) -> bool:
    """Record that there is a notice of this about a job; False if there is one."""
    row = c.execute(sa.select(jobs.c.noticed).where(jobs.c.id == job, jobs.c.removing.is_(False))).one_or_none()
    if row is None or what in (row.noticed or {}):
        return False
    c.execute(sa.update(jobs).where(jobs.c.id == job).values(noticed={**(row.noticed or {}), what: now}))
    return True


def withdraw(c: sa.Connection, job: str, what: str) -> None:
    """Forget that there is a notice of this about a job, as it is over: it may be told again."""
    known = c.scalar(sa.select(jobs.c.noticed).where(jobs.c.id == job)) or {}
    left = {name: at for name, at in known.items() if name != what}
    c.execute(sa.update(jobs).where(jobs.c.id == job).values(noticed=left or None))


def begin_again(c: sa.Connection, job: str) -> None:
    """Forget which notices there are about a job, as a person lets it begin again; tasks still in error are known."""
    failed = sa.exists().where(tasks.c.job_id == job, tasks.c.state == TaskState.ERROR)
    noticed = {"errors": 0.0} if c.scalar(sa.select(failed)) else None
    c.execute(sa.update(jobs).where(jobs.c.id == job).values(end_noticed=False, noticed=noticed))


def owner_and_name(c: sa.Connection, job: str) -> tuple[str, str] | None:
    """Return whose job this is, and its name; None if there is no such job."""
    row = c.execute(sa.select(jobs.c.owner, jobs.c.name).where(jobs.c.id == job)).one_or_none()
    return (row.owner, row.name) if row else None


def wanted(c: sa.Connection, job: str) -> list[NoticeKind] | None:
    """Return what the owner of a job wants outside the page for this job; None: as for all."""
    found = c.scalar(sa.select(jobs.c.notify).where(jobs.c.id == job))
    return None if found is None else [NoticeKind(one) for one in found]


# --- notices ----------------------------------------------------------------------------------------------------------


def add(c: sa.Connection, now: float, addresses: Iterable[str] = (), **values: Any) -> int:
    """Add a notice of a person, with the addresses that it has to be sent to, and the event; return its id."""
    id: int = c.execute(sa.insert(notices).values(**values, created_at=now).returning(notices.c.id)).scalar_one()
    rows = [
        {"notice": id, "user": values["user"], "address": one, "created_at": now, "next_at": now} for one in addresses
    ]
    if rows:
        c.execute(sa.insert(outbox), rows)
    _changed(c, values["user"])
    return id


def send_too(c: sa.Connection, user: str, link: str, address: str, now: float) -> bool:
    """Have the newest notice of a person with this link sent to an address, too; False if there is none."""
    mine = sa.and_(notices.c.user == user, notices.c.link == link)
    id = c.scalar(sa.select(sa.func.max(notices.c.id)).where(mine))
    if id is None:
        return False
    if not c.scalar(sa.select(sa.func.count()).where(outbox.c.notice == id, outbox.c.address == address)):
        row = {"notice": id, "user": user, "address": address, "created_at": now, "next_at": now}
        c.execute(sa.insert(outbox).values(**row))
    return True


def _changed(c: sa.Connection, user: str) -> None:
    events.write_for(c, user, NoticesChanged(user=user, unread=unread(c, user)))


def unread(c: sa.Connection, user: str) -> int:
    query = sa.select(sa.func.count()).select_from(notices).where(notices.c.user == user, notices.c.read_at.is_(None))
    return c.scalar(query) or 0


def page(c: sa.Connection, user: str, *, before: int | None = None, limit: int = 50, new: bool = False) -> NoticePage:
    """Return notices of a person, newest first; `before` is the id of the last one of the page before."""
    query = sa.select(notices, notices.c.job_id.label("job")).where(notices.c.user == user)
    if before is not None:
        query = query.where(notices.c.id < before)
    if new:
        query = query.where(notices.c.read_at.is_(None))
    rows = c.execute(query.order_by(notices.c.id.desc()).limit(limit + 1)).all()
    items = [model(Notice, row) for row in rows[:limit]]
    return NoticePage(items=items, unread=unread(c, user), more=len(rows) > limit)


def mark_read(c: sa.Connection, user: str, now: float, ids: Collection[int] | None, up_to: int | None) -> None:
    """Record that a person has read these notices; all of them, up to an id, if none is named."""
    change = sa.update(notices).where(notices.c.user == user, notices.c.read_at.is_(None))
    if ids is not None:
        change = change.where(notices.c.id.in_(ids))
    if up_to is not None:
        change = change.where(notices.c.id <= up_to)
    if c.execute(change.values(read_at=now)).rowcount:
        _changed(c, user)


def forget(c: sa.Connection, before: float) -> None:
    """Delete notices that are older than this moment, with what is left of them to send."""
    c.execute(sa.delete(notices).where(notices.c.created_at < before))


# --- what people chose ------------------------------------------------------------------------------------------------


def choices(c: sa.Connection, user: str) -> dict[str, Any]:
    """Return what a person chose, as it was stored; nothing if they have not chosen."""
    found: dict[str, Any] | None = c.scalar(sa.select(notice_choices.c.data).where(notice_choices.c.user == user))
    return found or {}


def save_choices(c: sa.Connection, user: str, data: Mapping[str, Any]) -> None:
    change = sa.update(notice_choices).where(notice_choices.c.user == user).values(data=dict(data))
    if not c.execute(change).rowcount:
        c.execute(sa.insert(notice_choices).values(user=user, data=dict(data)))


# --- the outbox -------------------------------------------------------------------------------------------------------


def to_send(c: sa.Connection) -> list[Parcel]:
    """Return what has to be sent, the longest due first; some of it is not due yet."""
    return fetch_kept(c, Parcel, _DUE)


def still_due(c: sa.Connection, ids: Collection[int]) -> set[int]:
    """Return those of these rows that have not been sent or given up."""
    return set(c.scalars(sa.select(outbox.c.id).where(outbox.c.id.in_(ids), outbox.c.next_at.is_not(None))))


def mark_sent(c: sa.Connection, ids: Collection[int], now: float) -> None:
    """Record that these were sent, in one message."""
    values = {"sent_at": now, "next_at": None, "problem": None, "tries": outbox.c.tries + 1}
    c.execute(sa.update(outbox).where(outbox.c.id.in_(ids)).values(**values))


def put_off(c: sa.Connection, ids: Collection[int], until: float | None, problem: str | None) -> None:
    """Record that these are to be sent later, or not at all (None); with a problem, that it was tried."""
    values: dict[str, Any] = {"next_at": until}
    if problem is not None:
        values |= {"problem": problem, "tries": outbox.c.tries + 1}
    c.execute(sa.update(outbox).where(outbox.c.id.in_(ids)).values(**values))


def sent_since(c: sa.Connection, user: str, since: float) -> list[float]:
    """Return when messages were sent to a person since this moment, oldest first."""
    query = sa.select(outbox.c.address, outbox.c.sent_at).where(outbox.c.user == user, outbox.c.sent_at > since)
    return sorted(at for _, at in c.execute(query.distinct()))


def problems(c: sa.Connection, user: str) -> dict[str, str]:
    """Return by address why the last notice of a person that was tried to be sent there was not sent."""
    tried = sa.select(sa.func.max(outbox.c.id)).where(outbox.c.user == user, outbox.c.tries > 0)
    query = sa.select(outbox.c.address, outbox.c.problem).where(outbox.c.id.in_(tried.group_by(outbox.c.address)))
    return {address: problem for address, problem in c.execute(query) if problem}

"""Events: what has changed, for clients that follow. They are kept for a while so that a client can reconnect."""

from collections.abc import Iterator
from dataclasses import dataclass

import sqlalchemy as sa

from paddock.models import Visibility
from paddock.models.events import EventData
from paddock.server.store.guards import dumps
from paddock.server.store.kept import fetch_kept
from paddock.server.store.rows import clock_of, many
from paddock.server.store.tables import events, jobs

# With the only person who may see it, if the job is private: the event may stay longer than the row of the job.
_WRITE = """INSERT INTO events (at, kind, job_id, owner, data)
VALUES (?, ?, ?, (SELECT owner FROM jobs WHERE id = ? AND visibility = 'private'), ?)"""


def write(c: sa.Connection, job: str, data: EventData) -> None:
    """Record an event of a job, without the fields of its data that are None."""
    given = {name: value for name, value in data.model_dump(mode="json").items() if value is not None}
    many(c, _WRITE, [(clock_of(c).now(), data.kind, job, job, dumps(given))])


def write_for(c: sa.Connection, user: str, data: EventData) -> None:
    """Record an event that only this person and admins may see, and that belongs to no job."""
    values = {"at": clock_of(c).now(), "kind": data.kind, "owner": user, "data": data.model_dump(mode="json")}
    c.execute(sa.insert(events).values(**values))


def write_for_all(c: sa.Connection, data: EventData) -> None:
    """Record an event that everybody may see, and that belongs to no job."""
    values = {"at": clock_of(c).now(), "kind": data.kind, "data": data.model_dump(mode="json")}
    c.execute(sa.insert(events).values(**values))


@dataclass(frozen=True)
class Written:
    """An event with its data as JSON text."""

    id: int
    at: float
    job: str | None
    kind: str
    owner: str | None  # the only person who may see it, beside admins
    data: str


def after(c: sa.Connection, last: int, job: str | None = None, limit: int = 500) -> Iterator[Written]:
    """Yield the events after this id, without decoding their JSON: they are only passed on."""
    private = sa.and_(jobs.c.id == events.c.job_id, jobs.c.visibility == Visibility.PRIVATE)
    owner = sa.func.coalesce(jobs.c.owner, events.c.owner)  # a job of the team may have become private since
    columns = (events.c.id, events.c.at, events.c.job_id, events.c.kind, owner, sa.cast(events.c.data, sa.Text))
    query = sa.select(*columns).outerjoin_from(events, jobs, private).where(events.c.id > last)
    if job is not None:
        query = query.where(events.c.job_id == job)
    for row in c.execute(query.order_by(events.c.id).limit(limit)):
        yield Written(*row)


def jobs_after(c: sa.Connection, last: int) -> list[str]:
    """Return the jobs with events after this id."""
    query = sa.select(events.c.job_id).where(events.c.id > last, events.c.job_id.is_not(None))
    return list(c.scalars(query.distinct()))


def newest(c: sa.Connection) -> int:
    """Return the id of the newest event; 0 if there is none."""
    return c.scalar(sa.select(sa.func.max(events.c.id))) or 0


def concern(c: sa.Connection, job: str, last: int) -> bool:
    """Return True if there was an event of this job after this id, or if that is no longer known."""
    oldest = c.scalar(sa.select(sa.func.min(events.c.id))) or 0
    query = sa.select(sa.exists().where(events.c.id > last, events.c.job_id == job))
    return oldest > last + 1 or bool(c.scalar(query))


# For both ends in one query, SQLite would read all events.
_BOUNDS = sa.select(*(sa.select(end(events.c.id)).scalar_subquery() for end in (sa.func.min, sa.func.max)))


def bounds(c: sa.Connection) -> tuple[int, int]:
    """Return the ids of the oldest and the newest event; (0, 0) if there is none."""
    [(oldest, newest)] = fetch_kept(c, lambda *row: row, _BOUNDS)
    return oldest or 0, newest or 0


def forget(c: sa.Connection, older_than: float) -> None:
    """Delete old events, but never the newest: a client needs its id to know how far the stream is."""
    newest = sa.select(sa.func.max(events.c.id)).scalar_subquery()
    # Events come in the order of their times: only those to be deleted are read, and one more.
    young = sa.select(events.c.id).where(events.c.at >= older_than).order_by(events.c.id).limit(1).scalar_subquery()
    c.execute(sa.delete(events).where(events.c.id < sa.func.coalesce(young, newest)))

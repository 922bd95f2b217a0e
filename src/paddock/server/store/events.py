"""Events: what has changed, for clients that follow. They are kept for a while so that a client can reconnect."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import sqlalchemy as sa

from paddock.models.events import EventData
from paddock.server.store.tables import events


def write(c: sa.Connection, job: str, data: EventData, owner: str | None = None) -> None:
    """Record an event of a job, without the fields of its data that are None."""
    given = {name: value for name, value in data.model_dump(mode="json").items() if value is not None}
    c.execute(sa.insert(events).values(at=time.time(), kind=data.kind, job_id=job, owner=owner, data=given))


@dataclass(frozen=True)
class Written:
    """An event with its data as JSON text."""

    id: int
    at: float
    job: str | None
    kind: str
    data: str


def after(c: sa.Connection, last: int, job: str | None = None, limit: int = 500) -> Iterator[Written]:
    """Yield the events after this id, without decoding their JSON: they are only passed on."""
    data = sa.cast(events.c.data, sa.Text)
    query = sa.select(events.c.id, events.c.at, events.c.job_id, events.c.kind, data).where(events.c.id > last)
    if job is not None:
        query = query.where(events.c.job_id == job)
    for row in c.execute(query.order_by(events.c.id).limit(limit)):
        yield Written(*row)


def jobs_after(c: sa.Connection, last: int) -> list[str]:
    """Return the jobs with events after this id."""
    query = sa.select(events.c.job_id).where(events.c.id > last, events.c.job_id.is_not(None))
    return list(c.scalars(query.distinct()))


def bounds(c: sa.Connection) -> tuple[int, int]:
    """Return the ids of the oldest and the newest event; (0, 0) if there is none."""
    row = c.execute(sa.select(sa.func.min(events.c.id), sa.func.max(events.c.id))).one()
    return row[0] or 0, row[1] or 0


def forget(c: sa.Connection, older_than: float) -> None:
    """Delete old events, but never the newest: a client needs its id to know how far the stream is."""
    newest = sa.select(sa.func.max(events.c.id)).scalar_subquery()
    c.execute(sa.delete(events).where(events.c.at < older_than, events.c.id < newest))

"""Quotas, and what counts for them."""

import secrets

import sqlalchemy as sa

from paddock.errors import Conflict, NotFound
from paddock.models.access import Quota, QuotaRequest
from paddock.models.events import CalendarChanged
from paddock.rules.quota import Held
from paddock.server.store import events
from paddock.server.store.rows import model
from paddock.server.store.tables import bookings, devices, quotas, reservations

MOST = 2_000


def listed(c: sa.Connection) -> list[Quota]:
    """Return all quotas: of everyone, of groups, of accounts."""
    order = sa.case({"everyone": 0, "group": 1}, value=quotas.c.kind, else_=2)
    return [model(Quota, row) for row in c.execute(sa.select(quotas).order_by(order, quotas.c.subject))]


def get(c: sa.Connection, id: str) -> Quota:
    """Return a quota; raise NotFound if there is none with this id."""
    row = c.execute(sa.select(quotas).where(quotas.c.id == id)).one_or_none()
    if row is None:
        raise NotFound(f"There is no quota {id!r}: `paddock quota ls` lists those that exist.")
    return model(Quota, row)


def put(c: sa.Connection, what: QuotaRequest, by: str, now: float) -> Quota:
    """Store a quota in place of the one for the same people, and return it. Raise Conflict if there are too many."""
    values = what.model_dump() | {"by": by, "changed_at": now}
    same = sa.and_(quotas.c.kind == what.kind, quotas.c.subject == what.subject)
    id = c.scalar(sa.select(quotas.c.id).where(same))
    if id is None:
        if (c.scalar(sa.select(sa.func.count()).select_from(quotas)) or 0) >= MOST:
            raise Conflict(f"There are {MOST} quotas already: remove one first.")
        id = secrets.token_hex(4)
        c.execute(sa.insert(quotas).values(id=id, **values))
    else:
        c.execute(sa.update(quotas).where(quotas.c.id == id).values(**values))
    _announce(c)
    return get(c, id)


def remove(c: sa.Connection, id: str) -> None:
    """Delete a quota; raise NotFound if there is none with this id."""
    get(c, id)
    c.execute(sa.delete(quotas).where(quotas.c.id == id))
    _announce(c)


def _announce(c: sa.Connection) -> None:
    events.write_for_all(c, CalendarChanged(what=["quotas"]))


def held(c: sa.Connection, owner: str, since: float) -> list[Held]:
    """Return the reservations of somebody that end after this moment, with the number of their GPUs.

    Cancelled ones are left out; what was released counts until then.
    """
    r = reservations.c
    query = (
        sa.select(r.id, sa.func.sum(devices.c.gpus), r.starts_at, r.ends_at)
        .join(bookings, bookings.c.reservation == r.id)
        .join(devices, devices.c.id == bookings.c.device)
        .where(r.owner == owner, r.kind == "reservation", r.cancelled_at.is_(None), r.ends_at > since)
        .group_by(r.id, r.starts_at, r.ends_at)
    )
    return [Held(id, owner, int(gpus), starts_at, ends_at) for id, gpus, starts_at, ends_at in c.execute(query)]

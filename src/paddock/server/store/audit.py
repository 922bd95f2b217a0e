"""Who did what. Entries are only added; triggers of the database refuse anything else but removal by age."""

from collections.abc import Mapping
from typing import Any, Protocol

import sqlalchemy as sa

from paddock.models import AuditEntry, AuditPage
from paddock.server.store.rows import clock_of
from paddock.server.store.tables import audit

MAX_TEXT = 500


class Actor(Protocol):
    """Whoever did something: a `Caller` is one."""

    @property
    def name(self) -> str: ...
    @property
    def via(self) -> str: ...
    @property
    def address(self) -> str: ...
    @property
    def team(self) -> bool: ...


def write(
    c: sa.Connection, by: Actor, act: str, kind: str = "", object: str = "", detail: Mapping[str, Any] | None = None
) -> None:
    """Add an entry, in the transaction of what it reports; nothing while accounts are not in use.

    `act` is what was done (`job.stop`), `kind` and `object` what it was done to. Never put a secret into `detail`.
    """
    if by.team:
        add(c, by, act, kind, object, detail)


def add(
    c: sa.Connection, by: Actor, act: str, kind: str = "", object: str = "", detail: Mapping[str, Any] | None = None
) -> None:
    """Add an entry, whether or not accounts are in use."""
    values = {"at": clock_of(c).now(), "who": by.name[:64], "via": by.via[:120], "address": by.address[:64], "act": act}
    values |= {"kind": kind, "object": object[:200], "detail": {k: _short(v) for k, v in (detail or {}).items()}}
    c.execute(sa.insert(audit).values(**values))


def _short(value: Any) -> Any:
    return value[:MAX_TEXT] if isinstance(value, (str, list)) else value


def page(
    c: sa.Connection,
    *,
    who: str | None = None,
    act: str | None = None,
    object: str | None = None,
    before: int | None = None,
    limit: int = 100,
) -> AuditPage:
    """Return entries, newest first; `before` is the id of the last one of the page before."""
    query = sa.select(audit).order_by(audit.c.id.desc()).limit(limit + 1)
    if who is not None:
        query = query.where(audit.c.who == who)
    if act is not None:
        query = query.where(sa.or_(audit.c.act == act, audit.c.act.startswith(f"{act}.", autoescape=True)))
    if object is not None:
        query = query.where(audit.c.object == object)
    if before is not None:
        query = query.where(audit.c.id < before)
    found = [AuditEntry(**row._mapping) for row in c.execute(query)]
    return AuditPage(entries=found[:limit], more=len(found) > limit)


def forget(c: sa.Connection, before: float) -> None:
    """Delete entries that are older than this moment."""
    c.execute(sa.delete(audit).where(audit.c.at < before))

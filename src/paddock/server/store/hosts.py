"""Hosts that people added, and hosts that were declared lost."""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from paddock.errors import Conflict
from paddock.models.hosts import MOST_HOSTS, ListedHost
from paddock.server.store import audit, team
from paddock.server.store.db import Database
from paddock.server.store.tables import hosts


def listed(c: sa.Connection, backend: str, names: Sequence[str]) -> list[ListedHost]:
    """Return the hosts of a backend: those of the settings, which have these names, then those that were added.

    One that was taken off the list and then declared lost is there, too, until it answers or is forgotten.
    """
    rows = {row.name: row for row in c.execute(sa.select(hosts).where(hosts.c.backend == backend))}
    added = sorted(rows.keys() - set(names))
    found = []
    for name in (*names, *added):
        row = rows.get(name)
        by = row.added_by if row is not None and name not in names else None
        found.append(ListedHost(name, by, row.lost_at if row is not None else None))
    return found


def add(c: sa.Connection, backend: str, names: Sequence[str], by: str, now: float) -> None:
    """Add hosts that are not in the settings. Raise Conflict if there would be too many."""
    there = set(c.scalars(sa.select(hosts.c.name).where(hosts.c.backend == backend)))
    if len(there | set(names)) > MOST_HOSTS:
        raise Conflict(f"A backend has at most {MOST_HOSTS} hosts.")
    new = [{"backend": backend, "name": name, "added_by": by, "added_at": now} for name in names if name not in there]
    if new:
        c.execute(sa.insert(hosts), new)
    # One that is in the settings has a row while it is lost, and may have left them.
    is_one = sa.and_(hosts.c.backend == backend, hosts.c.name.in_(names), hosts.c.added_by.is_(None))
    c.execute(sa.update(hosts).where(is_one).values(added_by=by))


def lose(c: sa.Connection, backend: str, name: str, by: str, now: float) -> None:
    """Declare a host lost."""
    values = {"lost_at": now, "lost_by": by}
    if not c.execute(sa.update(hosts).where(_is(backend, name)).values(**values)).rowcount:
        c.execute(sa.insert(hosts).values(backend=backend, name=name, added_at=now, **values))


def found(c: sa.Connection, backend: str, name: str) -> bool:
    """Note that a lost host answers again. Returns False if it was not lost."""
    is_lost = sa.and_(_is(backend, name), hosts.c.lost_at.is_not(None))
    changed = c.execute(sa.update(hosts).where(is_lost).values(lost_at=None, lost_by=None)).rowcount > 0
    c.execute(sa.delete(hosts).where(_is(backend, name), hosts.c.added_by.is_(None)))
    return changed


def forget(c: sa.Connection, backend: str, name: str) -> None:
    """Take a host that is not in the settings off the list."""
    c.execute(sa.delete(hosts).where(_is(backend, name)))


def _is(backend: str, name: str) -> sa.ColumnElement[bool]:
    return sa.and_(hosts.c.backend == backend, hosts.c.name == name)


@dataclass(frozen=True)
class _Engine:
    """Who finds a host again."""

    team: bool
    name: str = "server"
    via: str = "engine"
    address: str = ""


class StoredRoster:
    """The hosts of one backend, as its backend asks for them. Any thread may use it."""

    def __init__(self, db: Database, backend: str, names: Sequence[str]) -> None:
        self._db, self._backend, self._names = db, backend, list(names)

    def listed(self) -> list[ListedHost]:
        with self._db.read() as c:
            return listed(c, self._backend, self._names)

    def found(self, host: str) -> None:
        with self._db.write() as c:
            if found(c, self._backend, host):
                audit.write(c, _Engine(team.is_on(c)), "host.found", "host", host, {"backend": self._backend})

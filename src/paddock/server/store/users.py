"""Accounts. A row is never deleted, as a name is never given to somebody else."""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from paddock.errors import Conflict, NotFound
from paddock.models import Account, Role, SignInSource
from paddock.server.store import groups
from paddock.server.store.kept import fetch_kept
from paddock.server.store.tables import jobs, users

MOST = 10_000
_UNIX_NAMES = sa.select(users.c.name, users.c.unix_name)


@dataclass(frozen=True)
class UserRow:
    name: str
    full_name: str
    email: str
    role: Role
    unix_name: str | None
    source: SignInSource
    subject: str | None
    password: str | None
    active: bool
    created_at: float
    seen_at: float | None
    zone: str


def get(c: sa.Connection, name: str) -> UserRow:
    """Return an account; raise NotFound if there is none of this name."""
    found = find(c, name)
    if found is None:
        raise NotFound(f"There is no account {name!r}: `paddock users ls` lists those that exist.")
    return found


def find(c: sa.Connection, name: str) -> UserRow | None:
    return _one(c, users.c.name == name)


def of_subject(c: sa.Connection, source: SignInSource, subject: str) -> UserRow | None:
    """Return the account of somebody whom a source knows by this subject."""
    return _one(c, sa.and_(users.c.source == source, users.c.subject == subject))


def _one(c: sa.Connection, where: sa.ColumnElement[bool]) -> UserRow | None:
    row = c.execute(sa.select(users).where(where)).one_or_none()
    return UserRow(**row._mapping) if row is not None else None


def unix_names(c: sa.Connection) -> dict[str, str | None]:
    """Return the Unix account of each account. Kept in memory: any round may ask."""
    return dict(fetch_kept(c, lambda name, unix: (name, unix), _UNIX_NAMES))


def active_admins(c: sa.Connection) -> list[str]:
    return list(c.scalars(sa.select(users.c.name).where(users.c.role == Role.ADMIN, users.c.active)))


def every(c: sa.Connection) -> list[UserRow]:
    return [UserRow(**row._mapping) for row in c.execute(sa.select(users).order_by(users.c.name))]


def listed(c: sa.Connection) -> list[Account]:
    """Return all accounts by name, as the API gives them."""
    of = groups.by_user(c)
    return [as_account(one, of.get(one.name, [])) for one in every(c)]


def as_account(row: UserRow, member_of: list[str]) -> Account:
    return Account(
        name=row.name,
        full_name=row.full_name,
        email=row.email,
        role=row.role,
        unix_name=row.unix_name,
        source=row.source,
        active=row.active,
        groups=member_of,
        created_at=row.created_at,
        seen_at=row.seen_at,
    )


def count(c: sa.Connection) -> int:
    return c.scalar(sa.select(sa.func.count()).select_from(users)) or 0


def add(c: sa.Connection, name: str, role: Role, source: SignInSource, now: float, **values: Any) -> None:
    """Add an account; raise Conflict if its name or its Unix account is taken."""
    if find(c, name) is not None:
        raise Conflict(f"There is an account {name!r} already, and names are never given twice: choose another name.")
    if count(c) >= MOST:
        raise Conflict(f"There are {MOST} accounts already: no more can be made.")
    _refuse_taken(c, name, values.get("unix_name"))
    c.execute(sa.insert(users).values(name=name, role=role, source=source, created_at=now, **values))


def change(c: sa.Connection, name: str, **values: Any) -> None:
    """Change columns of an account; raise Conflict if nobody could manage the team any more."""
    if values.get("role", Role.ADMIN) is not Role.ADMIN or values.get("active") is False:
        _refuse_last_admin(c, name)
    _refuse_taken(c, name, values.get("unix_name"))
    if values:
        c.execute(sa.update(users).where(users.c.name == name).values(**values))


def _refuse_last_admin(c: sa.Connection, name: str) -> None:
    admins = sa.select(users.c.name).where(users.c.role == Role.ADMIN, users.c.active)
    if list(c.scalars(admins)) == [name]:
        raise Conflict(f"{name!r} is the only active admin: make somebody else an admin first.")


def _refuse_taken(c: sa.Connection, name: str, unix_name: str | None) -> None:
    other = unix_name_taken(c, unix_name) if unix_name is not None else None
    if other not in (None, name):
        raise Conflict(f"The Unix account {unix_name!r} belongs to the account {other!r}: one person has one account.")


def unix_name_taken(c: sa.Connection, unix_name: str) -> str | None:
    """Return the account that a Unix account belongs to."""
    found: str | None = c.scalar(sa.select(users.c.name).where(users.c.unix_name == unix_name))
    return found


def owns_jobs(c: sa.Connection, name: str) -> bool:
    """Return True if there are jobs of this name, whether or not it is an account."""
    return c.scalar(sa.select(jobs.c.id).where(jobs.c.owner == name).limit(1)) is not None


def seen(c: sa.Connection, at: dict[str, float]) -> None:
    """Record when accounts were last seen."""
    for name, when in at.items():
        c.execute(sa.update(users).where(users.c.name == name).values(seen_at=when))

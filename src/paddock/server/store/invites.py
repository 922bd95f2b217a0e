"""One-time links: an invitation, or a link that gives an account its password. Only digests are stored."""

from dataclasses import dataclass

import sqlalchemy as sa

from paddock.errors import Conflict, NotFound
from paddock.models import Invite, Role
from paddock.server.store.tables import invites

INVITE, SETUP = "invite", "setup"
MOST = 1_000
FORGET_SECONDS = 30 * 86_400.0  # links that are no longer valid are listed for this long
DEAD = "This link is not valid: it was used already, it is too old, or it is incomplete. Ask for a new one."


@dataclass(frozen=True)
class InviteRow:
    hash: str
    id: str
    kind: str
    name: str | None  # the account that the link is for, if that exists already
    role: Role
    groups: list[str]
    email: str
    by: str
    created_at: float
    expires_at: float
    used_by: str | None = None


def add(c: sa.Connection, row: InviteRow) -> None:
    """Record a link. Older ones for the same account are no longer valid."""
    if row.name is not None:
        c.execute(sa.delete(invites).where(invites.c.name == row.name, invites.c.used_by.is_(None)))
    c.execute(sa.delete(invites).where(invites.c.expires_at < row.created_at - FORGET_SECONDS))
    if (c.scalar(sa.select(sa.func.count()).select_from(invites)) or 0) >= MOST:
        raise Conflict(f"There are {MOST} invitations already: withdraw one first.")
    c.execute(sa.insert(invites).values(**row.__dict__))


def open_one(c: sa.Connection, hash: str, now: float) -> InviteRow:
    """Return a link that can be used; raise NotFound if it is unknown, used or too old."""
    usable = sa.and_(invites.c.hash == hash, invites.c.used_by.is_(None), invites.c.expires_at > now)
    row = c.execute(sa.select(invites).where(usable)).one_or_none()
    if row is None:
        raise NotFound(DEAD)
    return InviteRow(**row._mapping)


def use(c: sa.Connection, hash: str, user: str) -> None:
    """Record that an account was made by a link, which is dead from then on."""
    c.execute(sa.update(invites).where(invites.c.hash == hash).values(used_by=user))


def listed(c: sa.Connection) -> list[Invite]:
    """Return all links, newest first, without their codes."""
    hidden = ("hash", "kind")
    return [
        Invite(**{name: value for name, value in row._mapping.items() if name not in hidden})
        for row in c.execute(sa.select(invites).order_by(invites.c.created_at.desc(), invites.c.id))
    ]


def withdraw(c: sa.Connection, id: str) -> None:
    """Delete a link that nobody has used; raise NotFound if there is none."""
    if not c.execute(sa.delete(invites).where(invites.c.id == id, invites.c.used_by.is_(None))).rowcount:
        raise NotFound(f"There is no open invitation {id!r}: `paddock invite --list` lists those that exist.")

"""Personal tokens. Only their digests are stored."""

from dataclasses import dataclass

import sqlalchemy as sa

from paddock.errors import Conflict, NotFound
from paddock.models import PersonalToken, TokenScope
from paddock.server.store.tables import tokens

MOST = 200  # valid tokens of an account
FORGET_SECONDS = 30 * 86_400.0  # tokens that are no longer valid are listed for this long


@dataclass(frozen=True)
class TokenRow:
    id: str
    user: str
    name: str
    hash: str
    scope: TokenScope
    expires_at: float | None
    used_at: float | None


def valid(c: sa.Connection, now: float) -> list[TokenRow]:
    """Return the tokens of all accounts that are neither revoked nor expired."""
    columns = [tokens.c[name] for name in ("id", "user", "name", "hash", "scope", "expires_at", "used_at")]
    return [TokenRow(**row._mapping) for row in c.execute(sa.select(*columns).where(_valid(now)))]


def _valid(now: float) -> sa.ColumnElement[bool]:
    return sa.and_(tokens.c.revoked_at.is_(None), sa.or_(tokens.c.expires_at.is_(None), tokens.c.expires_at > now))


def add(c: sa.Connection, row: TokenRow, now: float) -> None:
    """Record a token; forget old ones of the same account."""
    c.execute(
        sa.delete(tokens).where(
            tokens.c.user == row.user,
            sa.or_(tokens.c.expires_at < now - FORGET_SECONDS, tokens.c.revoked_at < now - FORGET_SECONDS),
        )
    )
    many = sa.select(sa.func.count()).select_from(tokens).where(tokens.c.user == row.user, _valid(now))
    if (c.scalar(many) or 0) >= MOST:
        raise Conflict(f"There are {MOST} tokens of this account already: revoke one first.")
    values = {"id": row.id, "user": row.user, "name": row.name, "hash": row.hash, "scope": row.scope}
    c.execute(sa.insert(tokens).values(**values, created_at=now, expires_at=row.expires_at))


def listed(c: sa.Connection, user: str) -> list[PersonalToken]:
    """Return the tokens of an account, newest first, without the tokens themselves."""
    query = sa.select(tokens).where(tokens.c.user == user).order_by(tokens.c.created_at.desc(), tokens.c.id)
    return [
        PersonalToken(**{name: value for name, value in row._mapping.items() if name not in ("user", "hash")})
        for row in c.execute(query)
    ]


def revoke(c: sa.Connection, user: str, id: str, now: float) -> str:
    """Revoke a token of this account; return its name. Raise NotFound if the account has no such token."""
    name = c.scalar(sa.select(tokens.c.name).where(tokens.c.user == user, tokens.c.id == id))
    if name is None:
        raise NotFound(f"You have no token {id!r}: `paddock token ls` lists those that you have.")
    mine = sa.and_(tokens.c.user == user, tokens.c.id == id, tokens.c.revoked_at.is_(None))
    c.execute(sa.update(tokens).where(mine).values(revoked_at=now))
    return str(name)


def used(c: sa.Connection, at: dict[str, float]) -> None:
    """Record when tokens were last used."""
    for id, when in at.items():
        c.execute(sa.update(tokens).where(tokens.c.id == id).values(used_at=when))

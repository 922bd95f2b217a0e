"""Sessions: browsers that have signed in. Only digests are stored."""

from dataclasses import dataclass

import sqlalchemy as sa

from paddock.server.store.tables import sessions


@dataclass(frozen=True)
class SessionRow:
    hash: str
    created_at: float
    expires_at: float
    user: str | None = None  # null: signed in with the server's token
    seen_at: float | None = None
    address: str = ""
    browser: str = ""


_COLUMNS = [sessions.c[name] for name in SessionRow.__dataclass_fields__]


def begin(c: sa.Connection, row: SessionRow, token: str) -> None:
    """Record a session. `token` is the digest of the server's token: with another one, no session stays valid."""
    c.execute(sa.insert(sessions).values(**row.__dict__, token=token))


def end(c: sa.Connection, hash: str) -> None:
    """Delete a session."""
    c.execute(sa.delete(sessions).where(sessions.c.hash == hash))


def end_of_user(c: sa.Connection, user: str, but: str | None = None) -> None:
    """Delete the sessions of an account, all but one."""
    c.execute(sa.delete(sessions).where(sessions.c.user == user, sessions.c.hash != (but or "")))


def end_of_accounts(c: sa.Connection) -> None:
    """Delete the sessions of all accounts; those of the server's token stay."""
    c.execute(sa.delete(sessions).where(sessions.c.user.is_not(None)))


def forget(c: sa.Connection, token: str, now: float) -> None:
    """Delete the sessions that have expired, or were begun with another token."""
    c.execute(sa.delete(sessions).where(sa.or_(sessions.c.expires_at <= now, sessions.c.token != token)))


def known(c: sa.Connection) -> dict[str, SessionRow]:
    """Return all sessions by digest, oldest session first."""
    query = sa.select(*_COLUMNS).order_by(sessions.c.created_at, sessions.c.hash)
    return {row.hash: SessionRow(**row._mapping) for row in c.execute(query)}


def seen(c: sa.Connection, rows: list[SessionRow]) -> None:
    """Record when sessions were last used, and until when they are valid."""
    for row in rows:
        values = {"seen_at": row.seen_at, "expires_at": row.expires_at}
        c.execute(sa.update(sessions).where(sessions.c.hash == row.hash).values(**values))

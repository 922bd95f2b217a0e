"""Sessions: browsers that have signed in. Only digests are stored."""

import sqlalchemy as sa

from paddock.server.store.tables import sessions


def begin(c: sa.Connection, hash: str, token: str, now: float, expires: float) -> None:
    """Record a session that was begun with this token."""
    c.execute(sa.insert(sessions).values(hash=hash, token=token, created_at=now, expires_at=expires))


def end(c: sa.Connection, hash: str) -> None:
    """Delete a session."""
    c.execute(sa.delete(sessions).where(sessions.c.hash == hash))


def forget(c: sa.Connection, token: str, now: float) -> None:
    """Delete the sessions that have expired, or were begun with another token."""
    c.execute(sa.delete(sessions).where(sa.or_(sessions.c.expires_at <= now, sessions.c.token != token)))


def known(c: sa.Connection) -> dict[str, float]:
    """Return by digest when each session expires, oldest session first."""
    query = sa.select(sessions.c.hash, sessions.c.expires_at).order_by(sessions.c.created_at, sessions.c.hash)
    return {row.hash: row.expires_at for row in c.execute(query)}

"""Sessions: browsers that have signed in. Only digests are kept."""

import sqlalchemy as sa

from paddock.server.store.tables import sessions


def begin(c: sa.Connection, hash: str, token: str, now: float, expires: float) -> None:
    c.execute(sa.insert(sessions).values(hash=hash, token=token, created_at=now, expires_at=expires))


def end(c: sa.Connection, hash: str) -> None:
    c.execute(sa.delete(sessions).where(sessions.c.hash == hash))


def forget(c: sa.Connection, token: str, now: float) -> None:
    """Those that have expired, or were begun with another token."""
    c.execute(sa.delete(sessions).where(sa.or_(sessions.c.expires_at <= now, sessions.c.token != token)))


def known(c: sa.Connection) -> dict[str, float]:
    """Digest -> when it expires, the oldest first."""
    query = sa.select(sessions.c.hash, sessions.c.expires_at).order_by(sessions.c.created_at, sessions.c.hash)
    return {row.hash: row.expires_at for row in c.execute(query)}

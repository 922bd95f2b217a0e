"""Who has gone to a single sign-on provider and not come back yet. Only the digest of the state is stored."""

from dataclasses import dataclass

import sqlalchemy as sa

from paddock.server.store.tables import pending_logins

MOST = 5_000  # beyond this number, the oldest are forgotten


@dataclass(frozen=True)
class PendingLoginRow:
    hash: str
    provider: str
    nonce: str
    verifier: str
    next: str
    invite: str | None  # the digest of an invitation's code
    expires_at: float


def add(c: sa.Connection, row: PendingLoginRow, now: float) -> None:
    """Record that somebody has gone."""
    c.execute(sa.delete(pending_logins).where(pending_logins.c.expires_at <= now))
    newest = sa.select(pending_logins.c.hash).order_by(pending_logins.c.expires_at.desc()).offset(MOST - 1)
    c.execute(sa.delete(pending_logins).where(pending_logins.c.hash.in_(list(c.scalars(newest)))))
    c.execute(sa.insert(pending_logins).values(**row.__dict__))


def take(c: sa.Connection, hash: str, provider: str, now: float) -> PendingLoginRow | None:
    """Return who has come back, once; None if nobody has gone with this state, or too long ago."""
    row = c.execute(sa.select(pending_logins).where(pending_logins.c.hash == hash)).one_or_none()
    c.execute(sa.delete(pending_logins).where(pending_logins.c.hash == hash))
    if row is None or row.expires_at <= now or row.provider != provider:
        return None
    return PendingLoginRow(**row._mapping)

"""Whether accounts are in use: one row, changed while the server runs."""

import sqlalchemy as sa

from paddock.server.store.tables import team


def is_on(c: sa.Connection) -> bool:
    return bool(c.scalar(sa.select(team.c.on).where(team.c.id == 1)))


def switch(c: sa.Connection, on: bool, now: float) -> None:
    """Begin or stop using accounts. What is known of them stays."""
    changed = c.execute(sa.update(team).where(team.c.id == 1).values(on=on, changed_at=now)).rowcount
    if not changed:
        c.execute(sa.insert(team).values(id=1, on=on, changed_at=now))

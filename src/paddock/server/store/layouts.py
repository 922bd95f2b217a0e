"""How people have arranged pages."""

import sqlalchemy as sa

from paddock.errors import Conflict
from paddock.models.load import PageLayout
from paddock.server.store.tables import layouts

MOST = 20  # pages of a person


def get(c: sa.Connection, user: str, page: str) -> PageLayout:
    """Return how a person has arranged a page; without tiles if they have not."""
    data = c.scalar(sa.select(layouts.c.data).where(layouts.c.user == user, layouts.c.page == page))
    return PageLayout() if data is None else PageLayout.model_validate(data)


def save(c: sa.Connection, user: str, page: str, layout: PageLayout, now: float) -> None:
    """Save how a person has arranged a page, in place of what was; without tiles, only forget that."""
    c.execute(sa.delete(layouts).where(layouts.c.user == user, layouts.c.page == page))
    if layout.tiles is None:
        return
    if (c.scalar(sa.select(sa.func.count()).where(layouts.c.user == user)) or 0) >= MOST:
        raise Conflict(f"You have arranged {MOST} pages already: set one of them back first.")
    data = layout.model_dump(mode="json", exclude_defaults=True)
    c.execute(sa.insert(layouts).values(user=user, page=page, data=data, changed_at=now))

"""Saved views: named filters of the list of jobs."""

import sqlalchemy as sa

from paddock.errors import Conflict, NotFound
from paddock.models.jobs import SavedView
from paddock.server.store.tables import views

MOST = 100


def listed(c: sa.Connection, owner: str) -> list[SavedView]:
    """Return the views of a person, by name."""
    query = sa.select(views.c.name, views.c.filters).where(views.c.owner == owner).order_by(views.c.name)
    return [SavedView(name=row.name, **row.filters) for row in c.execute(query)]


def save(c: sa.Connection, owner: str, view: SavedView) -> None:
    """Save a view in place of the one of the same name."""
    c.execute(sa.delete(views).where(views.c.owner == owner, views.c.name == view.name))
    if (c.scalar(sa.select(sa.func.count()).where(views.c.owner == owner)) or 0) >= MOST:
        raise Conflict(f"There are {MOST} saved views already: delete one first.")
    filters = view.model_dump(mode="json", exclude={"name"}, exclude_defaults=True)
    c.execute(sa.insert(views).values(owner=owner, name=view.name, filters=filters))


def delete(c: sa.Connection, owner: str, name: str) -> None:
    if not c.execute(sa.delete(views).where(views.c.owner == owner, views.c.name == name)).rowcount:
        raise NotFound(f"There is no saved view {name!r}.")

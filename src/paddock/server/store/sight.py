"""Which jobs somebody may see: a condition for every query that begins with what a person asks for."""

from dataclasses import dataclass

import sqlalchemy as sa

from paddock.models import Visibility
from paddock.server.store.tables import jobs


@dataclass(frozen=True)
class Sight:
    """The jobs of the team, and this person's own; all jobs if there is no name."""

    name: str | None = None

    @property
    def where(self) -> sa.ColumnElement[bool]:
        """Return the condition on a row of `jobs`."""
        if self.name is None:
            return sa.true()
        return sa.or_(jobs.c.visibility == Visibility.TEAM, jobs.c.owner == self.name)

    def sees(self, owner: str | None, visibility: Visibility) -> bool:
        return self.name is None or visibility is Visibility.TEAM or owner == self.name


EVERYTHING = Sight()

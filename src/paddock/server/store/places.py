"""Which jobs have their folder in somebody's home, and which Unix account somebody has."""

from dataclasses import dataclass

import sqlalchemy as sa

from paddock.server.store.rows import columns, fetch
from paddock.server.store.tables import jobs, users


@dataclass(frozen=True, slots=True)
class JobPlace:
    """A job whose folder is in the home of the person as whom it runs."""

    id: str
    unix_name: str
    folder: str


def all_away(c: sa.Connection) -> list[JobPlace]:
    return fetch(c, JobPlace, sa.select(*columns(JobPlace, jobs.c)).where(jobs.c.folder.is_not(None)))


def unix_name_of(c: sa.Connection, account: str) -> str | None:
    """Return the Unix account of somebody; None: the account has none, or there is no such account."""
    name: str | None = c.scalar(sa.select(users.c.unix_name).where(users.c.name == account))
    return name or None

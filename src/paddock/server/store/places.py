"""Where the folders of jobs are if not in the server's home, and which Unix account somebody has."""

from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa

from paddock.models import TaskState
from paddock.server.store.rows import columns, fetch, portions
from paddock.server.store.tables import attempts, hosts, jobs, users


@dataclass(frozen=True, slots=True)
class JobPlace:
    """A job whose folder is in the home of the person as whom it runs, or on hosts."""

    id: str
    unix_name: str | None  # None: it runs on hosts, as the account that ssh signs in as
    folder: str
    fleet: str | None = None  # the backend on whose hosts it has folders


@dataclass(frozen=True, slots=True)
class DealtAttempt:
    """An attempt of a job on hosts, and which allocation it belongs to."""

    task_id: str
    number: int
    state: TaskState
    dealt_to: str | None
    allocation: str | None  # the one that has begun it

    @property
    def key(self) -> str | None:
        return self.allocation or self.dealt_to


def all_away(c: sa.Connection) -> list[JobPlace]:
    return fetch(c, JobPlace, sa.select(*columns(JobPlace, jobs.c)).where(jobs.c.folder.is_not(None)))


def dealt(c: sa.Connection, tasks: Iterable[str]) -> list[DealtAttempt]:
    """Return all attempts of these tasks, the oldest first."""
    query = sa.select(*columns(DealtAttempt, attempts.c)).order_by(attempts.c.task_id, attempts.c.number)
    wanted = portions(sorted(set(tasks)))
    return [one for some in wanted for one in fetch(c, DealtAttempt, query.where(attempts.c.task_id.in_(some)))]


def lost(c: sa.Connection, fleet: str) -> frozenset[str]:
    """Return the hosts of a backend that an administrator has declared lost."""
    query = sa.select(hosts.c.name).where(hosts.c.backend == fleet, hosts.c.lost_at.is_not(None))
    return frozenset(c.scalars(query))


def unix_name_of(c: sa.Connection, account: str) -> str | None:
    """Return the Unix account of somebody; None: the account has none, or there is no such account."""
    name: str | None = c.scalar(sa.select(users.c.unix_name).where(users.c.name == account))
    return name or None

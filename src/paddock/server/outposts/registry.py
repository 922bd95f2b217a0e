"""Which outpost each job has."""

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from paddock.agents.link import Link
from paddock.agents.links import Links
from paddock.common import layout
from paddock.errors import AgentUnavailable
from paddock.models import AllocationState
from paddock.paths import Home
from paddock.server.outposts.away import Away
from paddock.server.outposts.claims import Identity
from paddock.server.outposts.courier import Courier
from paddock.server.outposts.here import Here
from paddock.server.outposts.outpost import Outpost
from paddock.server.outposts.person import Person
from paddock.server.store.allocations import AllocationRow
from paddock.server.store.places import JobPlace

JOBS = "jobs"  # the folder of all jobs, in the agent's
CAUGHT_UP_SECONDS = 10.0  # for so long a journal that was read to its end counts as read
AGAIN_SECONDS = 2.0

log = logging.getLogger("paddock.outposts")


class Fleet(Protocol):
    """The agents on the hosts of one backend."""

    def get(self, host: str, user: str | None = None) -> Link: ...

    def close(self) -> None: ...


class Outposts:
    """The outposts of all jobs. Any thread may ask; `attend` is for the engine's."""

    def __init__(
        self,
        home: Home,
        links: Links | None = None,
        wake: Callable[[], None] = lambda: None,
        fleets: Mapping[str, Fleet] | None = None,
    ) -> None:
        """`fleets`: by the name of the backend."""
        self._home, self._links, self._wake, self._fleets = home, links, wake, fleets or {}
        self._away: dict[str, Away] = {}
        self._couriers: dict[str, Courier] = {}
        self._caught_up: dict[str, float] = {}  # ended allocation -> when its journals were read to their ends
        self._open: set[str] = set()  # jobs with allocations
        self._lock = threading.Lock()

    def close(self) -> None:
        for courier in self._couriers.values():
            courier.close()
        if self._links is not None:
            self._links.close()

    def of(self, job: str) -> Outpost:
        return self._away.get(job) or Here(self._home, job)

    def away(self, job: str) -> Away | None:
        """Return the outpost of a job if it is in somebody's home."""
        return self._away.get(job)

    def person(self, user: str) -> Person:
        """Return what can be done as a person."""
        return Person(user, self._courier(user).link)

    def load(self, places: Iterable[JobPlace]) -> None:
        """Take up the jobs that an earlier server has left in people's homes."""
        for one in places:
            self._add(one.id, one.unix_name, one.folder)

    def establish(self, job: str, user: str) -> Away:
        """Return an outpost for a new job in the home of a person. It may block."""
        root = self._courier(user).link.hello().root
        return self._add(job, user, f"{root}/{JOBS}/{job}")

    def forget(self, job: str) -> None:
        """Forget a job that was removed."""
        away = self._away.pop(job, None)
        if away is not None and away.user:
            self._courier(away.user).forget(job)

    def _add(self, job: str, user: str, folder: str) -> Away:
        courier = self._courier(user)
        courier.add(job, folder)
        claims: dict[Identity, bool] = {}
        away = self._away[job] = Away(self._home, job, folder, courier, claims)
        return away

    def _courier(self, user: str) -> Courier:
        with self._lock:
            if user not in self._couriers:
                if self._links is None:
                    raise AgentUnavailable("This server was started without agents: jobs cannot run as somebody else.")
                self._couriers[user] = Courier(self._home, user, self._links.get(user), self._wake)
            return self._couriers[user]

    # --- what runners report ------------------------------------------------------------------------------------------

    def attend(self, rows: Sequence[AllocationRow]) -> set[str]:
        """Follow the journals of these allocations, and no others.

        Returns the ended ones of which there may be more than what is here. To be called before journals are read.
        """
        if not self._couriers:
            return set()
        theirs = [(row, away) for row in rows if (away := self._away.get(row.job_id)) is not None]
        wanted: dict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
        for row, away in theirs:
            if away.full:
                continue
            for number in range(1, len(row.offsets) + 2):  # with the next start
                name = layout.journal(f"{layout.ALLOCATIONS}/{row.key}", number)
                wanted[away.user or ""][f"{away.folder.root}/{name}"] = (row.job_id, name)
        for job in {row.job_id for row, _ in theirs} - self._open:
            self._away[job].resume()  # an earlier server may have written what was not carried
        self._open = {row.job_id for row, _ in theirs}
        for user, courier in list(self._couriers.items()):
            courier.follow(wanted[user])
        ended = {row.key: (row, away) for row, away in theirs if row.state == AllocationState.ENDED}
        self._caught_up = {key: at for key, at in self._caught_up.items() if key in ended}
        return {key for key, (row, away) in ended.items() if not self._is_caught_up(row, away)}

    def _is_caught_up(self, row: AllocationRow, away: Away) -> bool:
        now = time.monotonic()
        at = self._caught_up.get(row.key, float("-inf"))
        if now - at > AGAIN_SECONDS:
            with suppress(AgentUnavailable, OSError):  # shown on the job; see `reach`
                at = away.catch_up(row.key) or at
                self._caught_up[row.key] = at
        return now - at < CAUGHT_UP_SECONDS

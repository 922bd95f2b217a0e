"""Which outpost each job has."""

import itertools
import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol

from paddock.agents.link import Link
from paddock.agents.links import Links
from paddock.common import layout
from paddock.errors import AgentUnavailable
from paddock.models import AllocationState
from paddock.paths import Home
from paddock.server.outposts.away import Away
from paddock.server.outposts.courier import Courier
from paddock.server.outposts.here import Here
from paddock.server.outposts.outpost import Outpost
from paddock.server.outposts.person import JobSite, Person
from paddock.server.outposts.spread import JOBS, Spread
from paddock.server.store.allocations import AllocationRow
from paddock.server.store.db import Database
from paddock.server.store.places import JobPlace

CAUGHT_UP_SECONDS = 10.0  # for so long a journal that was read to its end counts as read
AGAIN_SECONDS = 2.0
MOST_TRIED = 5  # hosts of which one must let a person in

log = logging.getLogger("paddock.outposts")


class Fleet(Protocol):
    """The agents on the hosts of one backend."""

    @property
    def connected(self) -> int: ...

    def get(self, host: str, user: str | None = None) -> Link: ...

    def close(self) -> None: ...


class _Whose(NamedTuple):
    """Whose a courier is: a person on this machine, or an account on a host of a backend."""

    fleet: str | None
    host: str | None
    user: str | None


class Outposts:
    """The outposts of all jobs. Any thread may ask; `attend` is for the engine's."""

    def __init__(
        self,
        home: Home,
        links: Links | None = None,
        wake: Callable[[], None] = lambda: None,
        fleets: Mapping[str, Fleet] | None = None,
        db: Database | None = None,
    ) -> None:
        """`fleets`: by the name of the backend. `db`: where it is known what was dealt to their hosts."""
        self._home, self._links, self._wake, self._fleets, self._db = home, links, wake, fleets or {}, db
        self._away: dict[str, Away | Spread] = {}
        self._couriers: dict[_Whose, Courier] = {}
        self._caught_up: dict[str, float] = {}  # ended allocation -> when its journals were read to their ends
        self._open: set[tuple[str, str | None]] = set()  # jobs with allocations, and on which hosts
        self._lock = threading.Lock()

    def close(self) -> None:
        for courier in self._couriers.values():
            courier.close()
        for links in (self._links, *self._fleets.values()):
            if links is not None:
                links.close()

    @property
    def agents(self) -> dict[str, int]:
        """Return the number of agents that run: of people on this machine (``), and on the hosts of each backend."""
        here = {} if self._links is None else {"": self._links.connected}
        return here | {name: fleet.connected for name, fleet in self._fleets.items()}

    def of(self, job: str) -> Outpost:
        return self._away.get(job) or Here(self._home, job)

    def away(self, job: str) -> Away | Spread | None:
        """Return the outpost of a job if it is in somebody's home, or on hosts."""
        return self._away.get(job)

    def person(self, user: str) -> Person:
        """Return what can be done as a person on this machine."""
        return self._person(_Whose(None, None, user))

    def person_on(self, fleet: str, hosts: Iterable[str], user: str | None) -> Person:
        """Return what can be done as a person on one of these hosts, the first that answers. It may block."""
        problems = []
        for host in itertools.islice(hosts, MOST_TRIED):
            found = self._person(_Whose(fleet, host, user))
            try:
                found.link.hello()
                return found
            except AgentUnavailable as error:
                problems.append(error.message)
        raise AgentUnavailable(" ".join(problems[:3]) or f"{fleet} has no host that answers at the moment.")

    def load(self, places: Iterable[JobPlace]) -> None:
        """Take up the jobs that an earlier server has left in people's homes, and on hosts."""
        for one in places:
            self._add(one)

    def establish(self, job: str, site: JobSite) -> Away | Spread:
        """Return an outpost for a new job, in the home of a person or on hosts. It may block."""
        person = site.workbench or self._person(_Whose(None, None, site.user))
        return self._add(JobPlace(job, site.user, f"{person.link.hello().root}/{JOBS}/{job}", site.fleet), person)

    def forget(self, job: str) -> None:
        """Forget a job that was removed."""
        away = self._away.pop(job, None)
        if away is not None:
            away.forget()

    def _add(self, place: JobPlace, person: Person | None = None) -> Away | Spread:
        made: Away | Spread
        if place.fleet is not None and self._db is not None:
            fleet, user = place.fleet, place.unix_name
            made = Spread(self._home, place, lambda host: self._courier(_Whose(fleet, host, user)), self._db, person)
        else:
            courier = self._courier(_Whose(None, None, place.unix_name))
            courier.add(place.id, place.folder)
            made = Away(self._home, place.id, place.folder, courier, {})
        self._away[place.id] = made
        return made

    def _person(self, whose: _Whose) -> Person:
        courier = self._courier(whose)
        return Person(courier.name, courier.link)

    def _courier(self, whose: _Whose) -> Courier:
        with self._lock:
            if whose not in self._couriers:
                self._couriers[whose] = Courier(self._home, whose.user, self._link(whose), self._wake, whose.host)
            return self._couriers[whose]

    def _link(self, whose: _Whose) -> Link:
        if whose.host is not None:
            fleet = self._fleets.get(whose.fleet or "")
            if fleet is None:
                raise AgentUnavailable(f"This server has no backend {whose.fleet}, on whose hosts the job is.")
            return fleet.get(whose.host, whose.user)
        if self._links is None or whose.user is None:
            raise AgentUnavailable("This server was started without agents: jobs cannot run as somebody else.")
        return self._links.get(whose.user)

    # --- what runners report ------------------------------------------------------------------------------------------

    def attend(self, rows: Sequence[AllocationRow]) -> set[str]:
        """Follow the journals of these allocations, and no others.

        Returns the ended ones of which there may be more than what is here. To be called before journals are read.
        """
        if not self._away:
            return set()
        full = {job for job in {row.job_id for row in rows} & self._away.keys() if self._away[job].full}
        theirs = list(self._stations([row for row in rows if row.job_id in self._away]))
        wanted: dict[Courier, dict[str, tuple[str, str]]] = defaultdict(dict)
        for row, away in theirs:
            if row.job_id in full:
                continue
            for number in range(1, len(row.offsets) + 2):  # with the next start
                name = layout.journal(f"{layout.ALLOCATIONS}/{row.key}", number)
                wanted[away.courier][f"{away.folder.root}/{name}"] = (row.job_id, name)
        stations = {(row.job_id, away.host): away for row, away in theirs}
        for whose in stations.keys() - self._open:
            stations[whose].resume()  # an earlier server may have written what was not carried
        self._open = set(stations)
        for courier in list(self._couriers.values()):
            courier.follow(wanted[courier])
        ended = {row.key: (row, away) for row, away in theirs if row.state == AllocationState.ENDED}
        self._caught_up = {key: at for key, at in self._caught_up.items() if key in ended}
        return {key for key, (row, away) in ended.items() if not self._is_caught_up(row, away)}

    def _stations(self, rows: Sequence[AllocationRow]) -> Iterator[tuple[AllocationRow, Away]]:
        """Yield allocations with where their journals are. Those on lost hosts are left out: nothing more comes."""
        lost: dict[str, frozenset[str]] = {}
        for row in rows:
            away = self._away[row.job_id]
            if isinstance(away, Away):
                yield row, away
                continue
            if away.fleet not in lost:
                lost[away.fleet] = away.lost()
            with suppress(AgentUnavailable):  # the backend is not in the settings any more
                station = away.station(row.key, lost[away.fleet])
                if station is not None:
                    yield row, station

    def _is_caught_up(self, row: AllocationRow, away: Away) -> bool:
        now = time.monotonic()
        at = self._caught_up.get(row.key, float("-inf"))
        if now - at > AGAIN_SECONDS:
            with suppress(AgentUnavailable, OSError):  # shown on the job; see `reach`
                at = away.catch_up(row.key) or at
                self._caught_up[row.key] = at
        return now - at < CAUGHT_UP_SECONDS

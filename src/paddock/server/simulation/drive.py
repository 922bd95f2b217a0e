"""Drives the engine over simulated time: rounds as ever while something happens, and in between the clock jumps."""

import heapq
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from paddock.backends.simulated import SimulatedBackend, SimulatedCluster
from paddock.backends.simulated_runners import Courses
from paddock.common.clock import Clock
from paddock.models import CodeInfo, Node, Traits
from paddock.paths import Home
from paddock.server.engine.engine import Engine
from paddock.server.engine.executors import AtOnce
from paddock.server.intake import submission
from paddock.server.store import totals
from paddock.server.store.db import Database
from paddock.settings import (
    LoginSettings,
    NotifySettings,
    ReservationSettings,
    Settings,
    TeamSettings,
    ViolationSettings,
)

TICK_SECONDS = 0.5
QUIET_SECONDS = 1.5  # with nothing new, after which the clock jumps: longer than runners wait between two looks
LOOK_SECONDS = 300.0  # the longest jump, as the policy may decide otherwise when time passes
STUCK_SECONDS = 3600.0  # nothing runs, nothing comes, and the engine starts nothing for this long


class SimulatedClock(Clock):
    """A clock that is set. Its ticks are seconds since the beginning."""

    def __init__(self, at: float) -> None:
        self.at = self._began = at

    def now(self) -> float:
        return self.at

    def ticks(self) -> float:
        return self.at - self._began


@dataclass(frozen=True)
class ClusterSize:
    """A backend of a simulation. `start_seconds`: how long its scheduler takes to start something."""

    nodes: Sequence[Node]
    traits: Traits
    start_seconds: float = 0.0


class Simulation:
    """A server in a folder of its own, with its own database and without threads, processes and network."""

    def __init__(
        self,
        root: Path,
        clusters: Mapping[str, ClusterSize],
        courses: Courses,
        settings: Settings,
        began: float,
        look_seconds: float = LOOK_SECONDS,
        grain_seconds: float = 0.0,
    ) -> None:
        """`settings`: only those of the policy and of runners count; nothing outside the folder is used.

        The clock jumps by `look_seconds` at most, and by `grain_seconds` at least: what is sooner is seen at once.
        Where the engine chooses sizes, it jumps by no more than the time between two decisions on them.
        """
        self.clock = SimulatedClock(began)
        self.home = Home(root)
        self.home.create()
        self.settings = inward(settings, root, clusters)
        self.db = Database(f"sqlite:///{self.home.database}", clock=self.clock)
        self.db.migrate()
        self.clusters = {
            name: SimulatedCluster(size.nodes, self.clock, courses, size.traits, start_seconds=size.start_seconds)
            for name, size in clusters.items()
        }
        backends = [SimulatedBackend(cluster, name) for name, cluster in self.clusters.items()]
        self.engine = Engine(self.db, self.home, self.settings, list(backends), lambda: None, executors=AtOnce)
        for worker in self.engine.context.workers.values():
            worker.begin()
        self._grain_seconds, self._look_seconds = grain_seconds, max(look_seconds, grain_seconds)
        self._arrivals: list[tuple[float, int, Callable[[], object]]] = []
        self.rounds = 0

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self.engine.close()
        self.db.close()

    def at(self, when: float, what: Callable[[], object]) -> None:
        """Do something at that time, such as submitting a job."""
        heapq.heappush(self._arrivals, (when, len(self._arrivals), what))

    def submit(self, made: submission.Plan, owner: str) -> str:
        """Submit a job now; return its id."""
        elastic = self.settings.elastic
        if made.spec.resources.most_gpus is not None and elastic.sizes:
            self._look_seconds = max(min(self._look_seconds, elastic.sizes_seconds), self._grain_seconds)
        job = submission.accept(made, CodeInfo(), owner, self.home, self.db, self.settings, tried=False)
        self.engine.wake()
        return job

    def run(self, seconds: float = math.inf, going_on: Callable[[], bool] = lambda: True) -> bool:
        """Go on until all jobs have ended; return False if that is not so after this time, or nothing goes on any more.

        `going_on` is asked before each jump, to end it early.
        """
        until, moved_at = self.clock.at + seconds, self.clock.at
        while going_on():
            if self._go_round():
                moved_at = self.clock.at
            if not self._arrivals and self._all_ended():
                return True
            event = min(self._next_event(), self._arrivals[0][0] if self._arrivals else math.inf)
            stuck = event == math.inf and self.clock.at - moved_at > STUCK_SECONDS
            if self.clock.at >= until or stuck:
                return False
            now = self.clock.at
            self.clock.at = min(max(event, now + self._grain_seconds), now + self._look_seconds, until)
        return False

    def _next_event(self) -> float:
        return min(cluster.next_at() for cluster in self.clusters.values())

    def _go_round(self) -> bool:
        """Carry out rounds until nothing follows from anything any more; return whether there was anything."""
        moved, quiet = self.engine.asked, 0.0
        self.engine.wake()
        while quiet < QUIET_SECONDS:
            before = self._moves()
            while self._arrivals and self._arrivals[0][0] <= self.clock.at:
                heapq.heappop(self._arrivals)[-1]()
            for cluster in self.clusters.values():
                cluster.advance()
            more = self.engine.round()
            self.rounds += 1
            if self.engine.problem:
                raise RuntimeError(f"the engine fails in a simulation: {self.engine.problem}")
            new = more or self.engine.asked or self._moves() > before
            moved = moved or new
            quiet = 0.0 if new else quiet + TICK_SECONDS
            self.clock.at += TICK_SECONDS
        return moved

    def _moves(self) -> int:
        return sum(cluster.moves for cluster in self.clusters.values())

    def _all_ended(self) -> bool:
        with self.db.read() as c:
            found = totals.count(c)
        return all(state == "ended" for _, state in found.jobs)


def inward(settings: Settings, root: Path, backends: Collection[str]) -> Settings:
    """Return the settings without what reaches outside: no other database, people, notices or hooks."""
    return settings.model_copy(
        update={
            "home": root,
            "database": None,
            "group": None,
            "backend": settings.backend if settings.backend in backends else next(iter(backends)),
            "team": TeamSettings(),
            "login": LoginSettings(),
            "notify": NotifySettings(),
            "reservations": ReservationSettings(),
            "violations": ViolationSettings(),
        }
    )

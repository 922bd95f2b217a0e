"""Lets jobs run in reservations of their owner, or of somebody whose guest the owner is, on clusters.

Slurm keeps everybody out of a reservation who does not name it. So allocations are requested for it while it has room,
and those that wait elsewhere are withdrawn for that. Slurm ends what is inside when the reservation ends: the runners
know that time, warn their tasks, and end them before.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from paddock.backends.base import RESERVATION_PREFIX
from paddock.backends.slurm.parse import expand_nodes
from paddock.models import AllocationBatch, AllocationState, Node, Resources, SlurmResources
from paddock.rules import placement
from paddock.server.engine.backend_worker import BackendWorker
from paddock.server.engine.context import Context, JobFacts
from paddock.server.engine.ending import end
from paddock.server.engine.gather import BackendView
from paddock.server.store import allocations, enforcement, groups
from paddock.server.store.allocations import AllocationRow
from paddock.server.store.db import Connection
from paddock.server.store.enforcement import BookedPlace

LEAST_SECONDS = 60.0  # what is left of a reservation, so that it is worth to begin something
CALLED_SECONDS = 30.0  # what was withdrawn for a reservation is requested for it by then
TURNED_AWAY_SECONDS = 300.0  # after which a job that the scheduler refused may try again
ENDING = "tell its runners when their reservation ends"
WHY = "the reservation that it is in ends then"


@dataclass(frozen=True)
class Entrance:
    """A reservation that has begun."""

    name: str
    nodes: frozenset[str]
    gpus: int | None  # None: all of its nodes
    people: frozenset[str]  # accounts
    starts_at: float
    ends_at: float
    enforced: bool  # the scheduler has it


class Entering:
    """Decides which allocations are requested for which reservation."""

    def __init__(self, context: Context) -> None:
        self._context = context
        clusters = context.settings.clusters
        self._clusters = [name for name in context.workers if name in clusters and clusters[name].reservations != "off"]
        self._open: dict[str, list[Entrance]] = {}  # by backend
        self._inside: dict[str, Counter[str]] = {}  # backend -> reservation -> allocations
        self._called: dict[str, tuple[int, float]] = {}  # reservation -> how many were withdrawn for it; until when

    def look(self, c: Connection, now: float) -> None:
        """Read which reservations there are."""
        if not self._clusters:
            return
        places = [one for one in enforcement.places(c, self._clusters, now) if one.starts_at <= now]
        places = [one for one in places if one.owner is not None]
        members = groups.by_user(c) if any(one.guest_groups for one in places) else {}
        self._open = defaultdict(list)
        away = self._context.turned_away
        self._context.turned_away = {one: until for one, until in away.items() if now < until}
        self._called = {name: one for name, one in self._called.items() if now < one[1]}
        for (backend, _), some in groupby(
            sorted(places, key=lambda one: (one.backend, one.ends_at, one.reservation)),
            key=lambda one: (one.backend, one.reservation),
        ):
            self._open[backend].append(_entrance(list(some), members))

    def tend(self, view: BackendView, batches: Mapping[str, AllocationBatch | None], now: float) -> None:
        """Withdraw what waits on the wrong side of a reservation, and tell runners inside when it ends."""
        name = view.worker.backend.name
        if name not in self._clusters:
            return
        entrances = {one.name: one for one in self._open.get(name, ())}
        within = {row.key: _entered(batches.get(row.batch)) for row in view.rows.values()}
        self._inside[name] = Counter(one for one in within.values() if one is not None)
        outside: dict[str, list[AllocationRow]] = defaultdict(list)
        late = []
        for row in view.rows.values():
            entrance = entrances.get(within[row.key] or "")
            if row.key in view.unused and not row.ending:
                if within[row.key] is None:
                    outside[row.job_id].append(row)
                elif entrance is None or row.never or not _is_of(view, row, entrance):
                    late.append(row)
                    if row.never and entrance is not None:  # it would wait there to the end
                        self._context.turned_away[row.job_id, entrance.name] = now + TURNED_AWAY_SECONDS
            elif row.state == AllocationState.RUNNING and within[row.key] is not None:
                self._update_end(row, entrance, now)
        end(self._context, late + self._called_in(view, outside, now), waiting_only=True)

    def _called_in(
        self, view: BackendView, outside: Mapping[str, list[AllocationRow]], now: float
    ) -> list[AllocationRow]:
        """Return those that wait for nodes of others, although there is room in a reservation."""
        found = []
        for job, rows in outside.items():
            work = view.work.get(job)
            if work is None or work.facts is None or work.paused:
                continue
            for entrance in self._suitable(view.worker, work.facts, now):
                coming, _ = self._called.get(entrance.name, (0, 0.0))
                room = max(self._room(view.worker, work.facts, entrance) - coming, 0)
                if rows[:room]:
                    self._called[entrance.name] = (coming + len(rows[:room]), now + CALLED_SECONDS)
                    found += rows[:room]
                    rows = rows[room:]
        return found

    def _update_end(self, row: AllocationRow, entrance: Entrance | None, now: float) -> None:
        """Tell a runner when its reservation ends, if that is not what it knows."""
        known, ends_at = row.leaves_at, entrance.ends_at if entrance else None
        if known is None or (ends_at is None and known <= now + LEAST_SECONDS):
            return  # it may stay, or its reservation is over
        if (ends_at is not None and abs(ends_at - known) < 1) or self._context.boundary.rests(row.job_id, ENDING):
            return
        with self._context.boundary.job(row.job_id, ENDING):
            order = {"op": "yield", "allocation": row.key, "at": ends_at, "why": WHY}
            self._context.outposts.of(row.job_id).order([order])
            with self._context.db.write() as c:
                allocations.leaves_at(c, row.key, ends_at)

    def parts(
        self, worker: BackendWorker, facts: JobFacts, count: int, now: float
    ) -> list[tuple[Entrance | None, int]]:
        """Return how many of a request are for which reservation; None: for none."""
        found: list[tuple[Entrance | None, int]] = []
        for entrance in self._suitable(worker, facts, now):
            some = min(count, max(self._room(worker, facts, entrance), 0))
            if some:
                self._inside[worker.backend.name][entrance.name] += some
                coming, until = self._called.get(entrance.name, (0, 0.0))
                self._called[entrance.name] = (max(coming - some, 0), until)
                found.append((entrance, some))
                count -= some
        return [*found, (None, count)] if count else found

    def _suitable(self, worker: BackendWorker, facts: JobFacts, now: float) -> list[Entrance]:
        """Return the reservations that a job may use, those that end first at last."""
        limit = facts.spec.resources.time_limit or float("inf")
        shortest = self._context.settings.reservations.yield_minutes * 60
        found = []
        for one in self._open.get(worker.backend.name, ()):
            enough = max(min(shortest, limit, (one.ends_at - one.starts_at) / 2), LEAST_SECONDS)
            away = (facts.id, one.name) in self._context.turned_away
            if one.enforced and facts.owner in one.people and one.ends_at - now >= enough and not away:
                found.append(one)
        return sorted(found, key=lambda one: -one.ends_at)

    def _room(self, worker: BackendWorker, facts: JobFacts, entrance: Entrance) -> int:
        """Return how many more allocations of a job fit into a reservation."""
        fitting = _fit(facts.spec.resources, worker, entrance)
        return fitting - self._inside.get(worker.backend.name, Counter())[entrance.name]


def turned_away(context: Context, c: Connection, batch: str, now: float) -> bool:
    """Return True if a batch was refused that was for a reservation: its job goes on without that for a while."""
    found = allocations.batches_by_key(c, [batch]).get(batch)
    name, job = _entered(found), batch.rpartition("-a")[0]
    if name is None:
        return False
    context.turned_away[job, name] = now + TURNED_AWAY_SECONDS
    return True


def within(resources: Resources, entrance: Entrance) -> Resources:
    """Return what is requested from the scheduler for an allocation in a reservation."""
    slurm = resources.slurm.model_copy(update={"reservation": entrance.name})
    return resources.model_copy(update={"slurm": slurm})


def _entrance(places: Sequence[BookedPlace], members: Mapping[str, Sequence[str]]) -> Entrance:
    first = places[0]
    wanted = set(first.guest_groups)
    guests = [user for user, of in members.items() if wanted & set(of)]
    people = frozenset([first.owner or "", *first.guests, *guests])
    gpus = None if first.number is None else len(places)
    nodes = frozenset(one.host for one in places)
    name, enforced = f"{RESERVATION_PREFIX}{first.reservation}", first.enforced == "yes"
    return Entrance(name, nodes, gpus, people, first.starts_at, first.ends_at, enforced)


def _entered(batch: AllocationBatch | None) -> str | None:
    return batch.entered if batch is not None else None


def _is_of(view: BackendView, row: AllocationRow, entrance: Entrance) -> bool:
    """Return True if the owner of an allocation may use a reservation."""
    work = view.work.get(row.job_id)
    return work is None or work.facts is None or work.facts.owner in entrance.people


def _fit(asked: Resources, worker: BackendWorker, entrance: Entrance) -> int:
    """Return how many allocations fit into a reservation if nothing else is there; 0 for what asks for other nodes."""
    if asked.slurm.reservation or any(option.startswith("--reservation") for option in asked.slurm.options):
        return 0
    gpus = placement.resolved(asked, worker.nodes).gpus or 0
    if not gpus:  # it can run beside the work of others
        return 0
    nodes = _allowed(asked.slurm, [node for node in worker.nodes if node.name in entrance.nodes])
    fitting = placement.width(asked, nodes, worker.backend.traits) if nodes else 0
    return fitting if entrance.gpus is None else min(fitting, entrance.gpus // gpus)


def _allowed(slurm: SlurmResources, nodes: Sequence[Node]) -> list[Node]:
    """Return those of the nodes that a job accepts, as far as that is certain."""
    names = {node.name for node in nodes}
    listed, left_out = set(expand_nodes(slurm.nodelist or "")), set(expand_nodes(slurm.exclude or ""))
    if not listed <= names:
        return []
    feature = slurm.constraint
    if feature and not re.fullmatch(r"[A-Za-z0-9_.\-]+", feature):
        return []
    accepted = [node for node in nodes if node.name not in left_out and (not listed or node.name in listed)]
    return [node for node in accepted if not feature or feature in node.features]

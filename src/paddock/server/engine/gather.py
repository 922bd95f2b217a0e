"""Gathers what the policy decides on: the nodes, the jobs and the allocations of one backend."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any
from zoneinfo import ZoneInfo

from paddock.models import (
    AllocationBatch,
    AllocationState,
    Elastic,
    Giving,
    JobOrder,
    JobSpec,
    Node,
    Resources,
    TaskState,
)
from paddock.rules import placement
from paddock.rules.gaps import Gaps
from paddock.rules.pool import GpuDevice, Holding, JobDemand, Need, PolicyNode, Pool, demand_key, job_of
from paddock.rules.queue_order import with_median
from paddock.server.engine.backend_worker import BackendWorker
from paddock.server.engine.bookings import BookingGatherer, can_yield
from paddock.server.engine.context import Context, JobFacts
from paddock.server.engine.others import OthersWatch
from paddock.server.store import allocations, attempts, deals, packings, usage
from paddock.server.store.allocations import AllocationRow
from paddock.server.store.attempts import Demand, RunningPace
from paddock.server.store.db import Connection
from paddock.server.store.estimates import runs_of

ESTIMATE_SECONDS = 0.02  # in which estimates of jobs are renewed, per decision
DURATION_SECONDS = 30.0  # how long a mean duration of tasks is used
MEASURED_SECONDS = 10.0  # how long measurements of earlier jobs are used
USAGE_SECONDS = 30.0  # how often it is stored who uses how much
LONG_WAIT_SECONDS = 3600.0  # from then on, a job that waits comes nearer to the first place
CAUTION = 1.25  # tasks may take this much longer than they did on average
NOWHERE = ("",)
Where = tuple[tuple[str, ...], tuple[str, ...]]  # nodes, and devices on them
Measured = Mapping[str, Mapping[str, Any]]  # kind of GPU -> how an earlier job shared it


@dataclass(frozen=True)
class JobShape:
    """What the allocations of a job need, and how many of them there can be."""

    facts: JobFacts
    nodes: tuple[PolicyNode, ...]
    need: Need
    shape: placement.Shape
    most: int  # allocations at a time when nothing else runs
    strict: bool  # there are never more; otherwise more may wait in the queue of the backend


@dataclass(frozen=True)
class Work:
    """A job that has tasks to run on a backend."""

    demand: Demand
    facts: JobFacts | None
    shape: JobShape | None
    paused: bool


@dataclass
class BackendView:
    """What is known of a backend in a round."""

    worker: BackendWorker
    pool: Pool
    work: dict[str, Work]  # by `Demand.key`
    rows: dict[str, AllocationRow]  # those that count, by key
    unused: Collection[str]
    keys: dict[str, str] = field(default_factory=dict)  # allocation -> `Demand.key` of the tasks that it can run


@dataclass
class Gatherer:
    """Builds the pools. It remembers what does not change from round to round."""

    context: Context
    batches: dict[str, AllocationBatch | None] = field(default_factory=dict)  # of all allocations, by key
    _nodes: dict[str, tuple[Sequence[Node], tuple[PolicyNode, ...]]] = field(default_factory=dict)  # by backend
    _shapes: dict[str, JobShape] = field(default_factory=dict)  # by `Demand.key`, as are the idle ones
    _held: dict[str, tuple[AllocationRow, object, Holding]] = field(default_factory=dict)  # by key
    _idle: dict[str, float] = field(default_factory=dict)  # job that waits without an allocation -> since when
    _measured: dict[tuple[str, str | None], tuple[float, Measured]] = field(default_factory=dict)
    _durations: tuple[float, frozenset[str], Mapping[str, float]] = (-math.inf, frozenset(), {})
    _programs: dict[tuple[str, str], tuple[float, float | None]] = field(default_factory=dict)
    _used: dict[str, usage.PastUse] = field(default_factory=dict)  # by backend
    _bookings: BookingGatherer = field(init=False)
    _others: OthersWatch = field(init=False)

    def __post_init__(self) -> None:
        self._bookings = BookingGatherer(closed=self.context.settings.team.access == "closed")
        self._others = OthersWatch(self.context.settings.elastic.others_seconds)

    def view(
        self,
        c: Connection,
        worker: BackendWorker,
        rows: Sequence[AllocationRow],
        demands: Sequence[Demand],
        facts: Mapping[str, JobFacts],
        resting: Collection[str],
        unused: Collection[str],
        now: float,
    ) -> BackendView:
        """Return the backend with the jobs of `demands` and the allocations `rows`, which are its own."""
        nodes = self._policy_nodes(worker)
        holdings, counted = self._holdings(c, worker, rows, unused)
        staying = Counter(one.job for one in holdings if one.leaving_for is None)
        leaving = [one.key for one in holdings if one.leaving_for is not None]
        keys = {one.key: one.job for one in holdings}
        away = Counter(keys[one.allocation] for one in attempts.running_in(c, leaving))
        pins = _Pins.of(c, holdings) if worker.backend.traits.dealt else None
        work: dict[str, Work] = {}
        jobs: list[JobDemand] = []
        places: Counter[str] = Counter()
        for demand in demands:
            one = facts.get(demand.job)
            known = one is not None and bool(worker.nodes)
            shape = self._shape(worker, one, nodes, demand) if one is not None and known else None
            paused = not known or demand.held or demand.job in resting
            work[demand.key] = Work(demand, one, shape, paused)
            wanted, there = staying[demand.key], staying[demand.key]
            most_on, no_more_on = None, {}
            if one is not None and shape is not None and not paused:
                tasks = demand.waiting + demand.running + demand.coming - away[demand.key]
                if pins is not None:
                    each = tasks_at_once(shape.shape, self._measurements(c, one, now))
                    tasks, most_on = pins.limit(demand, tasks, each, shape.need.on)
                no_more_on = self._unfit(demand, holdings, now)
                wanted = self._wanted(c, _parallel(demand, demands, one.spec), shape, tasks, there, now)
                places[demand.job] += wanted * tasks_at_once(shape.shape, self._measurements(c, one, now))
                wanted = wanted if demand.waiting or demand.coming else min(wanted, there)
                wanted = max(wanted, there if demand.key in self.context.searching else 0)
            self._note_idle(demand, there, now)
            idle_since = self._idle.get(demand.key, math.inf)
            made = _job_demand(demand, one, shape, wanted, paused, idle_since)
            jobs.append(replace(made, most_on=most_on, no_more_on=no_more_on))
        for job in sorted(self.context.searching & staying.keys() - work.keys()):
            jobs.append(_kept(job, staying[job]))  # the search will have a task for each of them
        self.context.estimates.places |= places
        keyed = {*(one.job for one in jobs), *keys.values(), *(one.job_id for one in rows)}
        giving = self._giving(c, keyed)
        look = self._others.look(worker, counted, holdings, giving, now)
        pool = self._pool(c, worker, nodes, jobs, holdings, now)
        queued = worker.backend.traits.queued
        crowded = queued and (_crowded(worker.nodes, holdings) if look is None else bool(look.others.waiting))
        blind = self._others.blind(worker.backend.name, now)
        pool = replace(pool, crowded=crowded, look=look, blind=blind, giving=giving)
        return BackendView(worker, pool, work, {row.key: row for row in counted}, unused, keys)

    def _pool(
        self,
        c: Connection,
        worker: BackendWorker,
        nodes: tuple[PolicyNode, ...],
        jobs: Sequence[JobDemand],
        holdings: Sequence[Holding],
        now: float,
    ) -> Pool:
        """Return the pool without what others do there."""
        settings, name = self.context.settings, worker.backend.name
        owners = {*(one.owner for one in jobs), *(one.owner for one in holdings)} - {""}
        queued = worker.backend.traits.queued
        return Pool(
            nodes,
            tuple(jobs),
            tuple(holdings),
            worker.backend.traits,
            weights=settings.shares.weights,
            one_owner_a_node=self._one_owner(name),
            bookings=() if queued else self._bookings.of(c, name, nodes, owners, now),
            notice=settings.reservations.notice_minutes * 60,
            yield_seconds=settings.reservations.yield_minutes * 60,
            zone=ZoneInfo(settings.team.zone),
            order=settings.elastic.order,
        )

    def _giving(self, c: Connection, keys: Collection[str]) -> dict[str, tuple[Giving, int]]:
        """Return when the allocations of each demand make room for others, and how many it keeps."""
        usual, found = self.context.settings.elastic, {}
        facts = self.context.facts(c, sorted({job_of(key) for key in keys}))
        for key in keys:
            one = facts.get(job_of(key))
            asked = one.spec.elastic if one else Elastic()
            when = asked.give_way or usual.give_way
            if when is Giving.NOW and (one is None or not can_yield(one)):
                when = Giving.BETWEEN  # its tasks would begin anew
            found[key] = (when, usual.keep if asked.keep is None else asked.keep)
        return found

    def _unfit(self, demand: Demand, holdings: Sequence[Holding], now: float) -> dict[str, int]:
        """Return the nodes on which a job could not start anything lately, with the allocations that it has there."""
        known = self.context.unfit
        nodes = [node for (whose, node), until in known.items() if whose == demand.job and now < until]
        staying = [one for one in holdings if one.job == demand.key and one.leaving_for is None] if nodes else []
        return {node: sum(node in one.nodes for one in staying) for node in nodes}

    def _one_owner(self, backend: str) -> bool:
        fleet = self.context.settings.fleets.get(backend)
        return fleet is not None and fleet.one_user_a_host

    def forget(self, rows: Sequence[AllocationRow], jobs: set[str]) -> None:
        """Forget batches and jobs that are over."""
        batches, keys = {row.batch for row in rows}, {row.key for row in rows}
        for known, still in (
            (self.batches, batches),
            (self._held, keys),
            (self._shapes, jobs),
            (self._idle, jobs),
        ):
            for key in known.keys() - still:
                del known[key]

    # --- nodes and needs --------------------------------------------------------------------------------------------

    def _policy_nodes(self, worker: BackendWorker) -> tuple[PolicyNode, ...]:
        """Return the nodes, and the same object as before if nothing has changed."""
        seen, made = self._nodes.get(worker.backend.name, (None, ()))
        if seen is worker.nodes:
            return made
        fresh = tuple(_policy_node(node) for node in worker.nodes)
        made = made if fresh == made else fresh
        self._nodes[worker.backend.name] = (worker.nodes, made)
        return made

    def _shape(self, worker: BackendWorker, facts: JobFacts, nodes: tuple[PolicyNode, ...], demand: Demand) -> JobShape:
        found = self._shapes.get(demand.key)
        if found is not None and found.facts is facts and found.nodes is nodes:
            return found
        traits = worker.backend.traits
        resources = placement.sized(facts.spec.resources, demand.size, worker.nodes, traits)
        on = frozenset(node.name for node in placement.eligible_nodes(resources, worker.nodes))
        everywhere = [node.model_copy(update={"usable": True}) for node in worker.nodes]
        most = max(placement.width(resources, everywhere, traits), 1)
        strict = not traits.queued or resources.triple is not None
        need = _need(placement.resolved(resources, worker.nodes), on)
        made = JobShape(facts, nodes, need, placement.shape(resources, worker.nodes), most, strict)
        self._shapes[demand.key] = made
        return made

    def _wanted(self, c: Connection, parallel: int | None, shape: JobShape, tasks: int, there: int, now: float) -> int:
        """Return how many allocations have work, as far as there can be so many: more would change nothing."""
        measured = self._measurements(c, shape.facts, now)
        needed = allocations_needed(parallel, tasks_at_once(shape.shape, measured), tasks) if parallel != 0 else 0
        return min(needed, shape.most if shape.strict else max(shape.most, there))

    def _measurements(self, c: Connection, facts: JobFacts, now: float) -> Measured:
        """Return what earlier jobs have measured of this program, by kind of GPU."""
        if facts.spec.resources.per_gpu is None and facts.spec.resources.triple is None:
            return {}
        key = (facts.owner, facts.program)
        at, found = self._measured.get(key, (-math.inf, {}))
        if now - at > MEASURED_SECONDS:
            found = packings.measured(c, facts.owner, facts.program)
            self._measured[key] = (now, found)
        return found

    def _note_idle(self, demand: Demand, there: int, now: float) -> None:
        if there or not demand.waiting or demand.held:
            self._idle.pop(demand.key, None)
        else:
            self._idle.setdefault(demand.key, now)

    # --- allocations ------------------------------------------------------------------------------------------------

    def _holdings(
        self, c: Connection, worker: BackendWorker, rows: Sequence[AllocationRow], unused: Collection[str]
    ) -> tuple[list[Holding], list[AllocationRow]]:
        self._learn_batches(c, rows)
        queued, notes = worker.backend.traits.queued, self.context.notes
        facts = self.context.facts(c, [row.job_id for row in rows])
        holdings, counted = [], []
        for row in rows:
            note = notes[row.key]
            withdrawn = row.ending and (row.key in unused or (row.state == AllocationState.ENDED and not row.offsets))
            if note.lingers_since is not None or withdrawn:
                continue
            known = self._held.get(row.key)
            remembered = (note.stuck, note.others)
            if known is None or known[0] is not row or known[1] != remembered:
                known = (row, remembered, self._holding(row, facts.get(row.job_id), worker))
                if queued or known[2].nodes:  # otherwise it depends on what the backend reports next
                    self._held[row.key] = known
            holdings.append(known[2])
            if row.state != AllocationState.ENDED:
                counted.append(row)
        return holdings + ([] if queued else self._strangers(c, worker, rows)), counted

    def _holding(self, row: AllocationRow, facts: JobFacts | None, worker: BackendWorker) -> Holding:
        note = self.context.notes[row.key]
        leaving = "" if note.stuck else row.leaving_for
        batch = self.batches.get(row.batch)
        need = _need(batch.resources, frozenset()) if batch else Need(frozenset())
        if row.state == AllocationState.ENDED:  # it counts: it is not known yet which tasks it leaves behind
            where: Where = NOWHERE, ()
        elif worker.backend.traits.queued:
            where = _queued_place(row, note.others)
        else:
            where = _bare_place(row, batch, worker.nodes)
        job = demand_key(row.job_id, facts.spec.resources.unusual(need.gpus * need.nodes) if facts else None)
        owner = facts.owner if facts else ""
        return Holding(row.key, job, owner, need, *where, leaving_for=leaving, until=row.leaves_at)

    def _strangers(self, c: Connection, worker: BackendWorker, rows: Sequence[AllocationRow]) -> list[Holding]:
        """Return the allocations that the backend runs and that nobody knows: those of a database that is gone."""
        used: dict[tuple[str, str, bool], list[str]] = defaultdict(list)
        for node in worker.nodes:
            for device in node.devices:
                for key in device.used_by:
                    used[key, node.name, device.kind == "gpu"].append(device.id)
        keys = {key for key, _, _ in used} - {row.key for row in rows}
        unknown = keys - allocations.jobs_of(c, keys).keys() if keys else set()
        return [
            Holding(key, "", "", Need(frozenset(), gpus=len(ids) * gpu), (name,), tuple(ids), leaving_for="")
            for (key, name, gpu), ids in used.items()
            if key in unknown
        ]

    def _learn_batches(self, c: Connection, rows: Sequence[AllocationRow]) -> None:
        new = {row.batch for row in rows} - self.batches.keys()
        if new:
            self.batches |= dict.fromkeys(new) | allocations.batches_by_key(c, new)

    # --- times and use ----------------------------------------------------------------------------------------------

    def with_times(self, c: Connection, view: BackendView, now: float) -> Pool:
        """Return the pool with the times at which allocations are expected to become free, and with past use."""
        paces = attempts.running_paces(c, now)
        short = view.pool.order is JobOrder.SHORT
        waiting = [job_of(one.job) for one in view.pool.demands] if view.pool.bookings or short else []
        jobs = frozenset([*(one.job for one in paces), *waiting])
        at, known, durations = self._durations
        if known != jobs or now - at > DURATION_SECONDS:
            durations = attempts.mean_durations(c, jobs)
            self._durations = (now, jobs, durations)
        in_allocation: dict[str, list[float | None]] = defaultdict(list)
        in_job: dict[str, list[float | None]] = defaultdict(list)
        for one in paces:
            left = _left(one, durations.get(one.job), now)
            in_allocation[one.allocation].append(left)
            in_job[one.job].append(left)
        expected = self.context.estimates.of_many(c, sorted(in_job), now, self.context.waits, ESTIMATE_SECONDS)
        ends = {job: one.left(now) for job, one in expected.items()}
        holdings = tuple(
            replace(one, frees_at=_after(now, _longest(in_allocation.get(one.key, []))), ends_at=_after(now, found))
            if (found := ends.get(job_of(one.job))) is not None or one.key in in_allocation
            else one
            for one in view.pool.holdings
        )
        past = self._usage(c, view.worker.backend.name).mean(now)
        demands = tuple(_with_length(one, view, durations) for one in view.pool.demands) if waiting else None
        if short and demands:
            demands = self._with_work_left(c, view, demands, durations, paces, now)
        return replace(view.pool, holdings=holdings, past=past, demands=demands or view.pool.demands)

    def _with_work_left(
        self,
        c: Connection,
        view: BackendView,
        demands: Sequence[JobDemand],
        durations: Mapping[str, float],
        paces: Sequence[RunningPace],
        now: float,
    ) -> tuple[JobDemand, ...]:
        """Return the demands with how much work their jobs have left; of whom nothing is known, the median of others.

        A task that waits counts as long as others of its job took or will take, else as those of earlier jobs of its
        program. Where neither is known, a time limit bounds what is supposed.
        """
        running: dict[str, list[RunningPace]] = defaultdict(list)
        for one in paces:
            running[one.job].append(one)
        left: list[float | None] = []
        most: list[float] = []
        for demand in demands:
            job, work = job_of(demand.job), view.work.get(demand.job)
            siblings = [whole for one in running[job] if (whole := _whole(one, now)) is not None]
            usual = durations.get(job) or (fmean(siblings) if siblings else None)
            if usual is None and work is not None and work.facts is not None:
                usual = self._of_program(c, work.facts, now)
            left.append(_work_left(demand, view, [_left(one, usual, now) for one in running[job]], usual))
            limit = work.facts.spec.resources.time_limit if work is not None and work.facts is not None else None
            tasks = work.demand.waiting + work.demand.running if work is not None else 0
            most.append(tasks * limit * view.pool.amount(demand.need) if limit else math.inf)
        return tuple(
            replace(one, left=amount / max((now - one.idle_since) / LONG_WAIT_SECONDS, 1.0))
            for one, amount in zip(demands, with_median(left, most), strict=True)
        )

    def _of_program(self, c: Connection, facts: JobFacts, now: float) -> float | None:
        """Return how long the tasks of earlier jobs of a program took on average."""
        if facts.program is None:
            return None
        at, found = self._programs.get((facts.owner, facts.program), (-math.inf, None))
        if now - at > DURATION_SECONDS:
            runs = runs_of(c, facts.owner, facts.program)
            found = fmean(one.seconds for one in runs) if runs else None
            self._programs = {whose: one for whose, one in self._programs.items() if now - one[0] <= DURATION_SECONDS}
            self._programs[facts.owner, facts.program] = (now, found)
        return found

    def account(self, view: BackendView, now: float) -> None:
        """Store now and then how much each owner has of a backend."""
        name = view.worker.backend.name
        with self.context.db.read() as c:
            used = self._usage(c, name)
        if now - used.at < USAGE_SECONDS:
            return
        held: dict[str, float] = defaultdict(float)
        gaps = Gaps(view.pool.bookings, now, 0.0, {})
        for one in view.pool.holdings:
            own = any(gaps.gap(one.owner, name, device).mine for name in one.nodes for device in one.devices)
            if one.owner and one.nodes not in ((), NOWHERE) and not own:
                held[one.owner] += view.pool.amount(one.need)
        if held or used.amounts:
            self._used[name] = used.after(now, held)
            with self.context.db.write() as c:
                usage.store(c, name, self._used[name])

    def _usage(self, c: Connection, backend: str) -> usage.PastUse:
        if backend not in self._used:
            self._used[backend] = usage.load(c, backend, self.context.settings.shares.half_life_hours * 3600)
        return self._used[backend]


@dataclass(frozen=True)
class _Pins:
    """Where tasks have to run, as their files are there. Of jobs whose attempts are dealt."""

    waiting: Mapping[str, Counter[str]]  # demand -> node -> tasks, also those that are to come from another size
    running: Mapping[str, Counter[str]]
    there: Mapping[str, Counter[str]]  # allocations

    @classmethod
    def of(cls, c: Connection, holdings: Sequence[Holding]) -> "_Pins":
        made = cls(defaultdict(Counter), defaultdict(Counter), defaultdict(Counter))
        every = {one.key: one.nodes[0] for one in holdings if one.nodes}
        nodes = {one.key: one.nodes[0] for one in holdings if one.nodes and one.leaving_for is None}
        for one in holdings:
            if one.key in nodes:
                made.there[one.job][nodes[one.key]] += 1
        for pinned in deals.pinned(c):
            made.waiting[demand_key(pinned.job_id, pinned.size)][pinned.node] += pinned.published
        coming = {one.id: one.size_wanted for one in attempts.resizing(c)}
        for held in deals.in_hand(c):
            if held.state == TaskState.RUNNING and held.dealt_to in nodes:
                made.running[demand_key(held.job_id, held.size)][nodes[held.dealt_to]] += 1
            if held.state == TaskState.RUNNING and held.task_id in coming and held.dealt_to in every:
                made.waiting[demand_key(held.job_id, coming[held.task_id])][every[held.dealt_to]] += 1
        return made

    def limit(self, demand: Demand, tasks: int, each: int, nodes: Collection[str]) -> tuple[int, dict[str, int] | None]:
        """Return how many tasks count for allocations, and how many allocations have work on each node; None: any."""
        waiting, running, there = self.waiting[demand.key], self.running[demand.key], self.there[demand.key]
        if not waiting:
            return tasks, None
        free = max(demand.waiting + demand.coming - waiting.total(), 0)
        most = {
            name: max(math.ceil((free + waiting[name] + running[name]) / each), there[name])
            for name in {*nodes, *waiting}
        }
        bound = sum(math.ceil((waiting[name] + running[name]) / each) * each for name in {*waiting, *running})
        return max(tasks, free + bound), most


def tasks_at_once(shape: placement.Shape, measured: Measured) -> int:
    """Return how many tasks run at a time in one allocation, as far as it is known."""
    found = [one["tasks"] for one in measured.values()]
    return shape.tasks_at_once(min(found) if found else None)


def allocations_needed(parallel: int | None, each: int, tasks: int) -> int:
    """Return how many allocations have work, whatever the backend can run at a time."""
    return min(math.ceil(tasks / each), max((parallel or tasks) // each, 1))


def _parallel(demand: Demand, demands: Sequence[Demand], spec: JobSpec) -> int | None:
    """Return how many tasks of this size may run at a time: those that were resized come before the others."""
    if spec.parallel is None or demand.size is not None:
        return spec.parallel
    resized = [one for one in demands if one.job == demand.job and one.size is not None]
    others = sum(one.waiting + one.running + one.coming for one in resized) - demand.coming
    return max(spec.parallel - others, 0)


def _job_demand(
    demand: Demand, facts: JobFacts | None, shape: JobShape | None, wanted: int, paused: bool, idle_since: float
) -> JobDemand:
    return JobDemand(
        demand.key,
        facts.owner if facts else "",
        shape.need if shape else Need(frozenset()),
        max(wanted, 0),
        demand.created_at,
        demand.priority,
        paused,
        idle_since,
    )


def _with_length(demand: JobDemand, view: BackendView, durations: Mapping[str, float]) -> JobDemand:
    """Return a demand with how long its allocations work, and whether they can make way."""
    work = view.work.get(demand.job)
    if work is None or work.facts is None:
        return demand
    usual = durations.get(work.facts.id)
    known = [work.facts.spec.resources.time_limit, None if usual is None else usual * CAUTION]
    seconds = min((float(one) for one in known if one is not None), default=None)
    return replace(demand, need=replace(demand.need, seconds=seconds, yields=can_yield(work.facts)))


def _work_left(
    demand: JobDemand, view: BackendView, running: Sequence[float | None], usual: float | None
) -> float | None:
    """Return the seconds of devices that a job still takes, as far as that is known."""
    waiting = view.work[demand.job].demand.waiting if demand.job in view.work else 0
    known = [one for one in running if one is not None]
    if len(known) < len(running) or (waiting and usual is None):
        return None
    return (sum(known) + waiting * (usual or 0.0)) * view.pool.amount(demand.need)


def _kept(job: str, there: int) -> JobDemand:
    return JobDemand(job, "", Need(frozenset()), there, 0.0, paused=True)


def _policy_node(node: Node) -> PolicyNode:
    gpus = tuple(GpuDevice(device.id, device.name) for device in node.devices if device.kind == "gpu")
    return PolicyNode(node.name, gpus, node.cpu_slots, node.memory, node.usable)


def _need(resources: Resources, on: frozenset[str]) -> Need:
    return Need(
        on, resources.gpus or 0, resources.gpu_type, resources.cpus or 1, resources.memory, resources.nodes or 1
    )


def _queued_place(row: AllocationRow, others: tuple[str, ...]) -> Where:
    return ((row.node, *others) if row.state == AllocationState.RUNNING and row.node else ()), ()


def _bare_place(row: AllocationRow, batch: AllocationBatch | None, nodes: Sequence[Node]) -> Where:
    number = int(row.key.rpartition(".")[2]) if batch is not None else 0
    if batch is not None and number < len(batch.places):
        place = batch.places[number]
        return (place.node,), tuple(place.devices)
    for node in nodes:  # an older version chose its devices
        found = tuple(device.id for device in node.devices if row.key in device.used_by)
        if found:
            return (node.name,), found
    return (), ()


def _crowded(nodes: Sequence[Node], holdings: Sequence[Holding]) -> bool:
    """Return True if others have allocations there. A scheduler may give somewhat more cores than are asked for."""
    own: Counter[str] = Counter()
    for one in holdings:
        for name in one.nodes:
            own[name] += one.need.cpus
    return any((node.cpus_used or 0) > 2 * own[node.name] for node in nodes)


def _left(one: RunningPace, usual: float | None, now: float) -> float | None:
    """Return how long a task will still take: at its own pace, else as the other tasks of its job did."""
    if one.seconds_left is not None or usual is None or one.started_at is None:
        return one.seconds_left
    return max(usual - (now - one.started_at), 0.0)


def _whole(one: RunningPace, now: float) -> float | None:
    """Return how long a task that runs will have taken, as its own pace says."""
    if one.started_at is None or one.seconds_left is None:
        return None
    return now - one.started_at + one.seconds_left


def _longest(left: Sequence[float | None]) -> float | None:
    known = [one for one in left if one is not None]
    return max(known) if known and len(known) == len(left) else None


def _after(now: float, seconds: float | None) -> float | None:
    return None if seconds is None else now + seconds

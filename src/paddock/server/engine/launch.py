"""Carries out what the policy decides: requests, starts and ends allocations, and reports why jobs wait."""

import json
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from paddock.common import layout
from paddock.errors import AgentUnavailable
from paddock.models import (
    FOLDER,
    AllocationBatch,
    AllocationState,
    Giving,
    JobSpec,
    Launcher,
    Method,
    Node,
    Place,
    Waits,
)
from paddock.models.events import JobChange
from paddock.models.units import clock
from paddock.rules import placement
from paddock.rules.policy import Decision, GiveWay, Leave, Order, Request, Start, Wait, Withdraw, plan
from paddock.rules.pool import Holding, Pool, job_of
from paddock.rules.sizing import free_devices
from paddock.runner import build
from paddock.search import adaptive
from paddock.server.engine import unfit
from paddock.server.engine.backend_worker import BackendWorker
from paddock.server.engine.context import Context, JobFacts
from paddock.server.engine.dealing import UNANSWERING
from paddock.server.engine.ending import end
from paddock.server.engine.entering import WHY, Entering, Entrance, within
from paddock.server.engine.first_sizes import awaited
from paddock.server.engine.gather import (
    BackendView,
    Gatherer,
    Measured,
    Work,
    allocations_needed,
    tasks_at_once,
)
from paddock.server.engine.linger import left_well
from paddock.server.engine.observe import SUBMITTING, settle_orphans
from paddock.server.engine.queue_order import QueueOrder, in_place
from paddock.server.store import allocations, attempts, events, jobs, packings
from paddock.server.store.allocations import AllocationRow
from paddock.server.store.attempts import Demand
from paddock.server.store.rows import moment

IDLE_SECONDS = 5.0
SEARCH_IDLE_SECONDS = 20.0  # while the next configuration is chosen
RESIZE_SECONDS = 15.0  # until a runner has learned of the end of a task that is resized
WORDS = 4  # reports of a runner within the time after which it counts as silent
AGAIN_SECONDS = 5.0  # the policy decides again after this time, although nothing has changed but times
NEWS_SECONDS = 60.0  # an expected start that moves by less is no news
ANNOUNCED_AT_ONCE = 50  # events about waiting jobs per round
LATE_SECONDS = 60.0  # after the time at which an allocation leaves its devices, its backend is asked to end it
TURNS = (
    "This cluster does not show what other users wait for, so allocations take no further task after {} and leave, "
    "to let others have their turn: with `--give-way never` they stay."
)
LAUNCHING = "ask for allocations for it"
WRITING_END = "report to its runners that no more tasks come"


@dataclass(frozen=True)
class Starts:
    """The starts of one job, which are one batch. `node`: on which its folder is, if it has one on each."""

    job: str
    node: str | None
    starts: list[Start]


Carried = Starts | Request | Withdraw | GiveWay | Leave


class Launch:
    """Gathers what the policy needs, lets it decide, and carries its decisions out."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._gatherer = Gatherer(context)
        self._entering = Entering(context)
        self._order = QueueOrder(context)
        self._decided: dict[str, tuple[float, Any]] = {}  # backend -> when, and on what, without times
        self._announced: dict[str, Waits] = {}
        self._passed_on: set[str] | None = None  # batches that may have been submitted, also by an earlier server

    def run(self, rows: list[AllocationRow], now: float) -> bool:
        """Request, start and end allocations as the policy decides. Returns whether any were planned."""
        context = self._context
        self._order.send(rows, now)
        by_backend: dict[str, list[AllocationRow]] = defaultdict(list)
        for row in rows:
            by_backend[row.backend].append(row)
        unused = _unused(context, rows, now)
        context.unfit = {one: until for one, until in context.unfit.items() if now < until}
        with context.db.read() as c:
            if self._passed_on is None:
                self._passed_on = {batch.key for _, _, batch in allocations.planned(c)}
            demands = attempts.demands(c)
            facts = context.facts(c, [demand.job for demand in demands])
            resting = {one.job for one in demands if context.boundary.rests(one.job, LAUNCHING)}
            theirs = self._by_backend(demands, facts, by_backend)
            self._entering.look(c, now)
            views = [
                self._gatherer.view(c, worker, by_backend[name], theirs[name], facts, resting, unused, now)
                for name, worker in context.workers.items()
            ]
        context.pools = {view.worker.backend.name: view.pool for view in views}
        self._gatherer.forget(rows, {one.key for one in demands})
        unclosed = {row.job_id for row in rows}
        planned = False
        for view in views:
            self._gatherer.account(view, now)
            self._entering.tend(view, self._gatherer.batches, now)
            for decision in self._decide(view, now):
                planned = self._carry_out(view, decision, unclosed, now) or planned
        end(context, [row for row in rows if _overdue(context, row, now)])
        # Until they have ended: see `ending`.
        end(context, [row for row in rows if row.ending and row.key in unused], waiting_only=True)
        _write_end(context, {row.job_id for row in rows} - {one.job for one in demands} - context.searching)
        self._submit_planned()
        self._announce(demands)
        return planned

    def _by_backend(
        self, demands: Sequence[Demand], facts: Mapping[str, JobFacts], rows: Mapping[str, Sequence[AllocationRow]]
    ) -> dict[str, list[Demand]]:
        """Return the demands by backend; those whose description cannot be read, where they have allocations."""
        places = {row.job_id: name for name, some in rows.items() for row in some}
        found: dict[str, list[Demand]] = defaultdict(list)
        for demand in demands:
            one = facts.get(demand.job)
            worker = self._context.worker(one) if one is not None else None
            name = worker.backend.name if worker else places.get(demand.job)
            if name is not None:
                found[name].append(demand)
        return found

    def _decide(self, view: BackendView, now: float) -> list[Carried]:
        """Return the decisions; none if nothing has changed since the last ones, as they would be the same."""
        name = view.worker.backend.name
        at, before = self._decided.get(name, (-math.inf, None))
        seen = (view.pool, [_stage(work) for work in view.work.values()])
        if seen == before and now - at < AGAIN_SECONDS:
            return []
        self._decided[name] = (now, seen)
        with self._context.db.read() as c:
            pool = self._gatherer.with_times(c, view, now)
        decisions = plan(pool, now)
        self._note_waits(view, pool, decisions)
        self._order.learn(name, pool, decisions)
        starts: dict[tuple[str, str | None], list[Start]] = defaultdict(list)
        for one in decisions:
            if isinstance(one, Start):
                dealt = self._context.outposts.of(job_of(one.job)).dealt
                starts[one.job, one.node if dealt else None].append(one)
        others = [one for one in decisions if not isinstance(one, Start | Wait | Order)]
        return [*(Starts(*whose, some) for whose, some in starts.items()), *others]

    def _carry_out(self, view: BackendView, decision: Carried, unclosed: set[str], now: float) -> bool:
        """Carry out one decision. Returns whether allocations were planned."""
        context = self._context
        if isinstance(decision, GiveWay | Leave):
            self._leave(view.rows[decision.key], decision)
            return False
        if isinstance(decision, Withdraw):
            mine = [row for row in view.rows.values() if view.keys[row.key] == decision.job and row.key in view.unused]
            end(context, mine[-decision.count :], waiting_only=True)
            return False
        job, worker = job_of(decision.job), view.worker
        facts, idle = _of_size(view.work[decision.job], worker), None
        if facts is not None and view.work[decision.job].demand.coming:
            idle = context.grace_seconds(facts.spec) + RESIZE_SECONDS  # until the task has ended elsewhere
        planned = any(row.state == AllocationState.PLANNED for row in view.rows.values() if row.job_id == job)
        if facts is None or (worker.full and planned):
            return False
        demand = view.work[decision.job].demand
        if demand.size is None and demand.waiting and awaited(context, facts, now):
            self._decided.pop(worker.backend.name, None)
            return False
        node = decision.node if isinstance(decision, Starts) else None
        outpost = context.outposts.of(job)
        with context.boundary.job(job, LAUNCHING):
            if not outpost.reached(node):
                problem = outpost.problem(node)
                # Its account cannot be used there, although the node answers.
                if node and problem and not unfit.avoid(context, facts, worker, [node], problem, now):
                    raise AgentUnavailable(problem)
                self._decided.pop(worker.backend.name, None)
                return False
            if job in unclosed or settle_orphans(context, job, now):
                if isinstance(decision, Request):
                    for entrance, count in self._entering.parts(worker, facts, decision.count, now):
                        _plan(context, facts, worker, count, entrance=entrance, idle=idle)
                else:
                    _plan(context, facts, worker, len(decision.starts), decision.starts, node, idle=idle)
                return True
        self._decided.pop(worker.backend.name, None)  # it was not carried out, so the next round decides again
        return False

    def _leave(self, row: AllocationRow, decision: GiveWay | Leave) -> None:
        """Order a runner to begin no further task, or to leave its devices at a time."""
        context = self._context
        with context.boundary.job(row.job_id, LAUNCHING):
            # First the order: an allocation that is marked without it would never end.
            if isinstance(decision, GiveWay):
                why = f"made room for {decision.who or f'job {job_of(decision.to)}'}"
                more = {"saved": True, "why": why} if decision.now else {}
                context.outposts.of(row.job_id).order([{"op": "drain", "allocation": row.key, **more}])
                with context.db.write() as c:
                    allocations.leave(c, row.key, decision.to, decision.who or None)
                    events.write(c, row.job_id, JobChange(change="waits"))
            else:
                order = {"op": "yield", "allocation": row.key, "at": decision.at, "why": decision.why}
                context.outposts.of(row.job_id).order([order])
                with context.db.write() as c:
                    allocations.leaves_at(c, row.key, decision.at)

    def _submit_planned(self) -> None:
        """Submit what is planned, also what a crash or an unreachable backend left so."""
        context = self._context
        with context.db.read() as c:
            planned = allocations.planned(c)
        passed_on = self._passed_on = (self._passed_on or set()) & {batch.key for _, _, batch in planned}
        for job, backend, batch in planned:
            worker = context.workers.get(backend)
            if worker is None or context.boundary.rests(job, SUBMITTING):
                continue
            if not self._is_laid_out(job, batch):
                self._take_back(worker, batch, unsure=batch.key in passed_on)
                continue
            if worker.backend.traits.queued or batch.places:
                passed_on.add(batch.key)
                worker.submit(batch)
            else:  # an older version planned it for the queue that the backend had then
                with context.db.write() as c:
                    allocations.submitted(c, batch.key, [])

    def _is_laid_out(self, job: str, batch: AllocationBatch) -> bool:
        """Return True if the folders and manifests of a batch are where its runners find them."""
        outpost = self._context.outposts.of(job)
        node = batch.places[0].node if outpost.dealt and batch.places else None
        if outpost.carried(node):
            return True
        problem = outpost.problem(node)
        if problem is not None:
            with self._context.db.write() as c:
                if allocations.waits(c, batch.key, problem):
                    events.write(c, job, JobChange(change="waits"))
        return False

    def _take_back(self, worker: BackendWorker, batch: AllocationBatch, *, unsure: bool) -> None:
        """Forget a batch whose node does not answer any more since it was chosen: others can have its tasks.

        Nothing of it has begun there. `unsure`: it may have been submitted; then only a lost node gives it back.
        """
        if not worker.backend.traits.dealt or not worker.fresh or not batch.places:
            return
        state = next((one.state for one in worker.nodes if one.name == batch.places[0].node), "silent")
        if state == "lost" or (state in UNANSWERING and not unsure):
            with self._context.db.write() as c:
                allocations.submitted(c, batch.key, [])
            self._decided.pop(worker.backend.name, None)

    # --- why jobs wait ------------------------------------------------------------------------------------------------

    def _note_waits(self, view: BackendView, pool: Pool, decisions: Sequence[Decision]) -> None:
        decided = {one.job: one for one in decisions if isinstance(one, Wait)}
        own: dict[str, list[Holding]] = defaultdict(list)
        for holding in pool.holdings:
            own[holding.job].append(holding)
        waits: dict[str, Waits] = {}
        for key, work in view.work.items():
            wait = decided.get(key) or _own_wait(view, work, own[key])
            if work.demand.coming:
                self._context.free[key] = free_devices(pool, key)
            if wait is not None and not work.demand.held and work.demand.waiting:
                at = None if wait.at is None else moment(wait.at)
                waits[work.demand.job] = Waits(reason=wait.reason, starts_at=at, never=wait.never)
        for job in {work.demand.job for work in view.work.values()} - waits.keys():
            self._context.waits.pop(job, None)
        self._context.waits.update(waits)
        in_line = dict.fromkeys(job_of(key) for key, wait in decided.items() if not wait.never)
        queued = view.worker.backend.traits.queued  # there, its own order decides
        self._context.lines[view.worker.backend.name] = [] if queued else [job for job in in_line if job in waits]

    def _announce(self, demands: Sequence[Demand]) -> None:
        """Write events for jobs whose reason or expected start is new, for a few of them per round."""
        waiting = {one.job for one in demands if one.waiting}
        for known in (self._context.waits, self._announced):
            for job in known.keys() - waiting:
                known.pop(job, None)
        news = [job for job, now in self._context.waits.items() if _is_news(now, self._announced.get(job))]
        if news:
            with self._context.db.write() as c:
                for job in news[:ANNOUNCED_AT_ONCE]:
                    self._announced[job] = self._context.waits[job]
                    events.write(c, job, JobChange(change="waits"))


def _own_wait(view: BackendView, work: Work, own: Sequence[Holding]) -> Wait | None:
    """Return why the next task of a job does not run yet, if no other job is in its way; None: it starts now."""
    job, backend = work.demand.job, view.worker
    if not backend.nodes:
        return Wait(job, f"waits for {backend.backend.name} to answer: {backend.problem or 'its nodes are not known'}")
    known = [one.frees_at for one in own if one.frees_at is not None]
    _, running, as_requested = _stage(work)
    if as_requested and work.facts:
        limit = f"up to {work.facts.spec.parallel} of its tasks run at a time, as requested"
        return Wait(job, f"{limit}: the next starts when one has ended", min(known, default=None))
    if running:
        return Wait(job, "the next task starts when one of those that run has ended", min(known, default=None))
    return None


def _of_size(work: Work, worker: BackendWorker) -> JobFacts | None:
    """Return what is known of a job, with the resources of tasks of this size."""
    if work.facts is None or work.demand.size is None:
        return work.facts
    backend = worker.backend
    resources = placement.sized(work.facts.spec.resources, work.demand.size, worker.nodes, backend.traits)
    return replace(work.facts, spec=work.facts.spec.model_copy(update={"resources": resources}))


def _stage(work: Work) -> tuple[bool, bool, bool]:
    """Return what of a job's progress changes the reason why its tasks wait."""
    parallel = work.facts.spec.parallel if work.facts else None
    waiting, running = work.demand.waiting, work.demand.running
    return waiting > 0, running > 0, parallel is not None and running >= parallel


def _is_news(now: Waits, before: Waits | None) -> bool:
    if before is None or (now.reason, now.never) != (before.reason, before.never):
        return True
    if now.starts_at is None or before.starts_at is None:
        return now.starts_at != before.starts_at
    return abs((now.starts_at - before.starts_at).total_seconds()) > NEWS_SECONDS


def _write_end(context: Context, idle: set[str]) -> None:
    """Report to the runners of these jobs that no more tasks come: others can use their GPUs."""
    context.end_written &= idle
    if not idle - context.end_written:
        return
    with context.db.read() as c:
        facts = context.facts(c, list(idle - context.end_written))
    for job, one in facts.items():
        if not context.boundary.rests(job, WRITING_END):
            with context.boundary.job(job, WRITING_END):
                outpost = context.outposts.of(job)
                own = one.spec.reduce is not None or one.spec.resources.most_gpus is not None
                last = own or one.spec.search.method is Method.PBT  # others: see `mailbox`
                if last and not outpost.dealt:  # see `dealing`
                    outpost.publish([{"end": True}])
                context.end_written.add(job)


def measured_packing(
    context: Context, facts: JobFacts, read: Callable[..., dict[str, dict[str, Any]]] = packings.measured
) -> dict[str, dict[str, Any]]:
    """Return what earlier jobs have measured of this program, by kind of GPU."""
    if facts.spec.resources.per_gpu is None and facts.spec.resources.triple is None:
        return {}
    with context.db.read() as c:
        return read(c, facts.owner, facts.program)


def tasks_per_allocation(spec: JobSpec, nodes: Sequence[Node], measured: Measured) -> int:
    """Return how many tasks run at a time in one allocation, as far as it is known."""
    return tasks_at_once(placement.shape(spec.resources, nodes), measured)


def allocations_to_request(spec: JobSpec, worker: BackendWorker, tasks: int, measured: Measured) -> int:
    """Return how many allocations have work, as far as the backend can run them at a time."""
    width = placement.width(spec.resources, worker.nodes, worker.backend.traits)
    each = tasks_per_allocation(spec, worker.nodes, measured)
    return min(allocations_needed(spec.parallel, each, tasks), max(width, 1))


def _plan(
    context: Context,
    facts: JobFacts,
    worker: BackendWorker,
    count: int,
    starts: Sequence[Start] = (),
    node: str | None = None,
    entrance: Entrance | None = None,
    idle: float | None = None,
) -> None:
    """Write the folders and the manifest, then the rows, so that every allocation in the database can be submitted."""
    with context.db.read() as c:
        number = allocations.next_number(c, facts.id)
    batch = batch_for(context, facts.id, facts.spec, worker, f"{facts.id}-a{number}", count, node)
    places = [Place(node=one.node, devices=list(one.devices)) for one in starts]
    ordered = in_place(context, worker.backend.name, facts.id, batch.resources)
    batch = batch.model_copy(update={"places": places, "resources": ordered})
    ends = [(one.until, one.why) for one in starts]
    if entrance is not None:
        update = {"resources": within(batch.resources, entrance), "entered": entrance.name}
        batch, ends = batch.model_copy(update=update), [(entrance.ends_at, WHY)] * count
    yields = {str(n): {"at": at, "why": why} for n, (at, why) in enumerate(ends) if at is not None}
    manifest = _manifest(context, facts, worker, node) | {"yields": yields}
    manifest["idle_seconds"] = max(manifest["idle_seconds"], idle or 0.0)
    text = json.dumps(manifest, indent=1)
    context.outposts.of(facts.id).plan(batch.keys, Path(layout.manifest(batch.folder_of(0))).name, text, node)
    with context.db.write() as c:
        if _takes_turns(context, facts, worker):
            jobs.warn(c, facts.id, TURNS.format(clock(context.settings.elastic.turn_seconds)))
        allocations.plan(c, facts.id, worker.backend.name, batch, [at for at, _ in ends])
        context.nices |= dict.fromkeys(batch.keys, batch.resources.slurm.nice or 0)
        if worker.full and worker.full_reason:  # it is not submitted yet, and this is why
            allocations.waits(c, batch.key, worker.full_reason)
            events.write(c, facts.id, JobChange(change="waits"))


def batch_for(
    context: Context, job: str, spec: JobSpec, worker: BackendWorker, key: str, count: int, node: str | None = None
) -> AllocationBatch:
    """Return the request to the backend for a job."""
    settings = context.settings
    elsewhere = settings.every_backend.get(worker.backend.name, settings.local)
    python = elsewhere.python or sys.executable
    outpost = context.outposts.of(job)
    return AllocationBatch(
        key=key,
        count=count,
        name=f"paddock-{key}",
        folder=str(outpost.on(node).allocation(key)),
        mirror=str(outpost.mirror.allocation(key)),
        user=outpost.user,
        runner=[python, "-I", "-S", outpost.runner(runner_file(context), node), FOLDER],
        resources=placement.resolved(spec.resources, worker.nodes),
        grace_seconds=context.grace_seconds(spec),
    )


def _manifest(context: Context, facts: JobFacts, worker: BackendWorker, node: str | None = None) -> dict[str, Any]:
    settings, spec = context.settings, facts.spec
    resources = spec.resources
    cluster = settings.clusters.get(worker.backend.name)
    shape = placement.shape(resources, worker.nodes)
    several = (resources.nodes or 1) > 1
    in_pod = worker.backend.name in settings.pod_clusters
    # In a container all cores of the node are visible, whatever it may use.
    threads = shape.threads or (max(shape.cpus // shape.slots, 1) if in_pod else None)
    # The pod itself is the container.
    container = resources.container if not in_pod else None
    members = {
        "nodes": resources.nodes or 1,
        "processes": max(resources.gpus or 1, 1),
        "launcher": (resources.launcher or Launcher.SRUN).value,
    }
    return {
        "job": facts.id,
        "job_dir": str(context.outposts.of(facts.id).on(node).root),
        "dealt": context.outposts.of(facts.id).dealt,
        "node": node,
        "slots": min(shape.slots, spec.parallel or 1024),
        "threads": threads,
        "gpus": {
            "task": shape.task_gpus,
            "per": shape.per_gpu,
            "mps": settings.runner.mps,
            "known": measured_packing(context, facts, packings.known),
        },
        "poll_seconds": settings.runner.poll_seconds,
        "usage_seconds": settings.runner.usage_seconds,
        "word_seconds": settings.runner.silence_seconds / WORDS,
        "log_bytes": settings.runner.log_bytes,
        "grace_seconds": context.grace_seconds(spec),
        "idle_seconds": SEARCH_IDLE_SECONDS if _to_come(spec) else IDLE_SECONDS,
        "turn_seconds": settings.elastic.turn_seconds if _takes_turns(context, facts, worker) else None,
        "time_limit": resources.time_limit,
        "warn_seconds": cluster.warn_seconds if cluster else settings.runner.warn_seconds,
        "umask": 0o027 if settings.group and context.outposts.away(facts.id) is None else 0o077,
        "members": members if several or resources.launcher else None,
        "terminal": spec.terminal,
        "container": container.model_dump(mode="json") if container else None,
        "tasks": 1 if several else None,  # processes that a killed srun leaves on other nodes end with the allocation
        "metrics": spec.metrics.model_dump(mode="json"),
        "objective": spec.objective.metric,
    }


def _takes_turns(context: Context, facts: JobFacts, worker: BackendWorker) -> bool:
    """Return True if allocations of a job leave after a while, as it cannot be seen whether others wait."""
    when = facts.spec.elastic.give_way or context.settings.elastic.give_way
    return worker.backend.hides_others and when is not Giving.NEVER


def _to_come(spec: JobSpec) -> bool:
    return adaptive(spec.search) or spec.search.method is Method.PBT


def runner_file(context: Context) -> Path:
    """Return the runner of this version; the first call makes it."""
    path = context.home.runners / f"{build.digest()}.pyz"
    if not path.exists():
        build.build(path)
    return path


def _overdue(context: Context, row: AllocationRow, now: float) -> bool:
    """Return True if an allocation should have left its devices to others, and its runner has not ended it."""
    late = LATE_SECONDS + context.settings.runner.grace_seconds
    return row.leaves_at is not None and row.state == AllocationState.RUNNING and now > row.leaves_at + late


def _unused(context: Context, rows: list[AllocationRow], now: float) -> set[str]:
    """Return the allocations that wait and have no runner. One that has reported something may run by now."""
    waiting = [row for row in rows if row.state == AllocationState.PENDING]
    again = [row for row in waiting if row.offsets]
    with context.db.read() as c:
        busy = {one.allocation for one in attempts.running_in(c, [row.key for row in again])}
    silence = context.settings.runner.silence_seconds
    idle = [row for row in again if row.key not in busy]
    silent = [row for row in idle if now - (row.heard_at or 0.0) > silence or left_well(context, row)]
    return {row.key for row in waiting if not row.offsets} | {row.key for row in silent}

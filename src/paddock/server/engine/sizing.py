"""Chooses how many GPUs trainings have whose jobs allow a range, and lets `resizing` carry that out.

Once a minute, and when jobs arrive or end, `rules.sizes` decides on all trainings of a backend and a kind of GPU, and
on what waits there. At most a quarter of them are resized per minute: those that shrink first, and those that grow
only into GPUs that nobody uses. A task keeps its size if a person chose that, or if it has saved nothing yet.

Tasks of a program of which it is known how fast it trains on several GPUs begin with what is decided for them, into
GPUs that nobody uses: before they begin, their job asks for a decision (`first_sizes`), in which others keep theirs.
"""

import math
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from paddock.models import Giving, SizeChange, TaskState
from paddock.rules import placement
from paddock.rules import sizes as rules
from paddock.rules.gaps import Gaps
from paddock.rules.giving_way import STALE_SECONDS, Look, equal_share
from paddock.rules.pool import Holding, JobDemand, PolicyNode, Pool, demand_key, job_of
from paddock.rules.profiles import EpochTime, Timing, compared, epoch_speeds, remember
from paddock.rules.size_steps import Sized, steps
from paddock.rules.sizes import ElasticTraining
from paddock.server.engine.context import Context, JobFacts
from paddock.server.engine.first_sizes import chooses, settle
from paddock.server.store import attempts, profiles, sizes, usage
from paddock.server.store.db import Connection
from paddock.server.store.estimates import Estimate
from paddock.server.store.sizes import POLICY, SizedTask

AT_LEAST = 5.0  # seconds between two decisions, however many jobs arrive
TAKE_BACK = 2.0  # intervals; a wish that could not be carried out for so long is taken back
NEARLY_DONE = 0.95
USUAL_COST, USUAL_PAUSE, MOST_COST = 30.0, 2.0, 3600.0  # seconds
MOST_WAITING = 64  # tasks of a job that wait are looked at
ESTIMATE_SECONDS = 0.02
FIRST = 1e6  # the weight of others, compared to that of trainings

Identity = tuple[str, int]


@dataclass(frozen=True)
class Trainee:
    """A task that can be resized."""

    row: SizedTask
    facts: JobFacts
    has: int
    place: rules.Place  # none: it waits
    on: frozenset[str]
    whole: int | None  # more GPUs than this are those of several nodes; None: it has one node in all sizes

    @property
    def node(self) -> str | None:
        return self.place[0][0] if self.place else None


@dataclass
class KindShare:
    """What is decided together: the trainings on GPUs of one kind of a backend, and what waits for them."""

    pool: Pool
    gpus: dict[str, int]  # by node
    free: dict[str, int]
    trainees: list[Trainee]
    waiting: list[ElasticTraining]
    names: dict[str, str]  # of what waits -> in words
    weights: "Weights"


class Sizer:
    """Wants tasks to be resized. It remembers when, so a new server may resize some a little sooner."""

    def __init__(self, context: Context, ordered: Callable[[], Collection[Identity]]) -> None:
        """`ordered`: the attempts whose runners were told to end them."""
        self._context = context
        self._ordered = ordered
        self._at = -math.inf
        self._seen: object = None
        self._since: dict[Identity, float] = {}  # what is wanted and not yet done
        self._changed: deque[float] = deque()  # when tasks were resized in the last interval

    def run(self, now: float) -> bool:
        """Decide if it is time to. Return True if tasks begin now that have waited for it."""
        context, every = self._context, self._context.settings.elastic.sizes_seconds
        pools = context.pools
        seen = {(one.job, one.wanted > 0, one.paused) for pool in pools.values() for one in pool.demands}
        due = now - self._at >= every or (seen != self._seen and now - self._at >= min(AT_LEAST, every))
        asked = list(context.unsized)
        if not due and not asked:
            return False
        if due:
            self._at, self._seen = now, seen
        self._decide_all(asked, now, due=due)
        settle(context, now)
        return bool(asked)

    def _decide_all(self, asked: Sequence[str], now: float, *, due: bool) -> None:
        context, every, pools = self._context, self._context.settings.elastic.sizes_seconds, self._context.pools
        while self._changed and now - self._changed[0] >= every:
            self._changed.popleft()
        with context.db.read() as c:
            facts = self._facts(c, pools, asked)
            tasks = [*sizes.of_jobs(c, facts.keys()), *self._waiting(c, facts)] if facts else []
        self._take_back(tasks, now)
        if not context.settings.elastic.sizes or not tasks:
            context.next_sizes = {}
            return
        following: dict[str, list[SizeChange]] = defaultdict(list)
        for one in tasks:
            if one.resize_by == POLICY:
                following[one.job_id].append(_pending(one, facts[one.job_id]))
        for name, pool in pools.items():
            if not pool.blind and any(self._backend(facts[one.job_id]) == name for one in tasks):
                for share in self._shares(name, pool, tasks, facts, now):
                    for change in self._decide(share, now, due=due):
                        following[job_of_task(change.task)].append(change)
        context.next_sizes = dict(following)

    def _facts(self, c: Connection, pools: Mapping[str, Pool], asked: Sequence[str]) -> dict[str, JobFacts]:
        jobs = {job_of(one.job) for pool in pools.values() for one in pool.demands}
        found = self._context.facts(c, sorted({*jobs, *asked} - {""}))
        return {job: one for job, one in found.items() if one.spec.resources.most_gpus is not None}

    def _waiting(self, c: Connection, facts: Mapping[str, JobFacts]) -> list[SizedTask]:
        """Return tasks that wait with the fewest GPUs, of programs of which it is known how fast they are on more."""
        found = []
        for job, one in facts.items():
            if chooses(self._context, one) and profiles.known(c, one.owner, one.program, ""):
                found += sizes.waiting(c, job, MOST_WAITING)
        return found

    def _backend(self, facts: JobFacts) -> str:
        return facts.spec.resources.backend or self._context.settings.backend

    def _take_back(self, tasks: Sequence[SizedTask], now: float) -> None:
        """Forget what could not be carried out for long, as others were faster; and all of it if nothing is wanted."""
        settings = self._context.settings.elastic
        wanted = {(one.id, one.attempt) for one in tasks if one.resize_by == POLICY} - set(self._ordered())
        self._since = {one: self._since.get(one, now) for one in wanted}
        patience = TAKE_BACK * max(settings.sizes_seconds, AT_LEAST)
        late = [one for one, since in self._since.items() if now - since > patience or not settings.sizes]
        if late:
            with self._context.db.write() as c:
                for task, _ in late:
                    sizes.take_back(c, task)

    # --- what is known ----------------------------------------------------------------------------------------------

    def _shares(
        self,
        backend: str,
        pool: Pool,
        tasks: Sequence[SizedTask],
        facts: Mapping[str, JobFacts],
        now: float,
    ) -> list[KindShare]:
        """Return the GPUs of a backend that are decided on together, with what trains and waits there."""
        kinds = {node.name: _kind(node) for node in pool.nodes if node.usable and node.gpus}
        free = self._free(backend, pool, now)
        held = {one.key: one for one in pool.holdings}
        with self._context.db.read() as c:
            half_life = self._context.settings.shares.half_life_hours * 3600
            past = usage.load(c, backend, half_life).mean(now)
            lengths = attempts.mean_durations(c, {job_of(one.job) for one in pool.demands})
        weights = _weights(pool, past, self._context.settings.shares.weights)
        paused = {job_of(one.job) for one in pool.demands if one.paused}
        to_begin, trainees = _Beginning(pool, facts, tasks), list[Trainee]()
        for row in tasks:
            one = facts[row.job_id]
            holding = held.get(row.allocation or "")
            if self._backend(one) != backend or row.job_id in paused or not self._movable(row, one, holding):
                continue
            if holding is None and not to_begin.takes(row):
                continue
            on = self._eligible(pool, one).intersection(kinds)
            has = row.size or one.spec.resources.gpus or 1
            place: rules.Place = ()
            if holding is not None:
                place = tuple((node, holding.need.gpus) for node in holding.nodes)
                has = holding.need.gpus * len(place)
            if self._context.outposts.of(row.job_id).dealt:  # its checkpoint is there
                on &= {node for node, _ in place} or ({row.node} if row.node else on)
            trainees.append(Trainee(row, one, has, place, on, self._context.whole_nodes(one)))
        waiting = [one for one in pool.demands if to_begin.lacking[one.job] and not one.paused and one.need.gpus]
        groups = node_groups(kinds, {*(one.on for one in trainees), *(one.need.on for one in waiting)})
        made: dict[str, KindShare] = {}
        counts = {one.name: len(one.gpus) for one in pool.nodes}
        for name, group in groups.items():
            share = made.setdefault(group, KindShare(pool, {}, {}, [], [], {}, weights))
            share.gpus[name], share.free[name] = counts[name], free.get(name, 0)
        for trainee in trainees:
            its = {groups.get(node) for node, _ in trainee.place}
            where = _best(made, groups, trainee.on) if not its else its.pop() if len(its) == 1 else None
            if where is not None:
                several = trainee.whole == max(made[where].gpus.values())
                made[where].trainees.append(trainee if several else replace(trainee, whole=None))
        for demand in waiting:
            where = _best(made, groups, demand.need.on)
            if where is not None:
                left = lengths.get(job_of(demand.job))
                _add_waiting(made[where], demand, to_begin.lacking[demand.job], weights, left, now)
        if pool.look is not None and now - pool.look.at <= STALE_SECONDS:
            for share in made.values():
                _add_others(share, pool.look, now)
        return [share for share in made.values() if share.trainees]

    def _movable(self, row: SizedTask, facts: JobFacts, holding: Holding | None) -> bool:
        """Return True if the policy may resize a task now."""
        context = self._context
        if row.stopping or row.reduces or row.resize_by is not None or row.sized_by is not None:
            return False
        if not chooses(context, facts):
            return False
        if row.state is not TaskState.RUNNING:
            waits_for = context.clock.now() - row.attempt_created_at
            return not row.held and (row.attempt == 1 or waits_for > USUAL_COST)
        if holding is None or holding.key in context.silent or holding.until is not None:
            return False
        if len(holding.nodes) != holding.need.nodes:  # it is not known where it is
            return False
        return row.saved_at is not None and (row.pace.progress() or 0.0) < NEARLY_DONE

    def _eligible(self, pool: Pool, facts: JobFacts) -> frozenset[str]:
        found = [one.need.on for one in pool.demands if job_of(one.job) == facts.id]
        if found:
            return frozenset().union(*found)
        worker = self._context.worker(facts)  # it has published nothing yet
        nodes = placement.eligible_nodes(facts.spec.resources, worker.nodes) if worker is not None else []
        return frozenset(node.name for node in nodes)

    def _free(self, backend: str, pool: Pool, now: float) -> dict[str, int]:
        """Return the GPUs of each node that nobody uses or has reserved, as far as trainings may take them."""
        if pool.traits.queued:
            known = {one.name: one for one in self._context.workers[backend].nodes}
            found = {
                node.name: max(len(node.gpus) - known[node.name].slots_used, 0)
                for node in pool.nodes
                if node.usable and node.name in known
            }
        else:
            taken = {(name, device) for one in pool.holdings for name in one.nodes for device in one.devices}
            gaps = Gaps(pool.bookings, now, 0.0, {})
            found = {
                node.name: sum(
                    (node.name, gpu.id) not in taken
                    and gaps.gap("", node.name, gpu.id).until > now + pool.yield_seconds
                    for gpu in node.gpus
                )
                for node in pool.nodes
                if node.usable
            }
        most = self._context.settings.elastic.most_gpus
        if most is not None:
            room = most - sum(one.need.gpus * one.need.nodes for one in pool.holdings if one.nodes)
            for name in sorted(found, key=lambda one: (-found[one], one)):
                found[name] = min(found[name], max(room, 0))
                room -= found[name]
        return found

    # --- the decision -----------------------------------------------------------------------------------------------

    def _decide(self, share: KindShare, now: float, *, due: bool) -> list[SizeChange]:
        """Want some tasks to be resized, and return all that are to be. `due`: also some that run."""
        trainings = self._trainings(share, now)
        places = rules.decide([*trainings, *share.waiting, *_used(share, now)], share.gpus, now)
        chosen = {name: sum(gpus for _, gpus in place) for name, place in places.items()}
        waiting = [one for one in share.trainees if one.node is None]
        promised = sum(chosen[one.id] for one in share.waiting)
        promised += sum(min(chosen[one.row.id], one.has) for one in waiting)
        running = len(share.trainees) - len(waiting)
        most = rules.changes([1] * running) - len(self._changed) if due else 0
        wanted = {
            one.row.id: Sized(one.row.id, one.node, one.has, chosen[one.row.id] or one.has, one.on, one.whole)
            for one in share.trainees
        }
        first = {one.task for one in steps(list(wanted.values()), share.free, promised, most)}
        return self._want([(one, wanted[one.row.id]) for one in share.trainees], first, _Reasons(share, chosen), now)

    def _want(
        self, decided: Sequence[tuple[Trainee, Sized]], first: Collection[str], reasons: "_Reasons", now: float
    ) -> list[SizeChange]:
        """Record what is to be done first, and return all that is decided."""
        found = []
        for trainee, one in decided:
            if not one.grows:
                continue
            row, why, begun = trainee.row, reasons.of(one), False
            if row.id in first:
                size = trainee.facts.spec.resources.unusual(one.to)
                with self._context.db.write() as c:
                    if row.published:
                        begun = sizes.choose(c, row.id, row.attempt, size, why)
                    else:
                        sizes.begin_with(c, row.id, row.attempt, size)
                self._changed += [now] * (begun and one.node is not None)
            if row.published and (begun or one.node is not None):
                found.append(SizeChange(task=row.id, now=one.has, to=one.to, why=why, begun=begun))
        return found

    def _trainings(self, share: KindShare, now: float) -> list[ElasticTraining]:
        context, possible = self._context, rules.possible_sizes(share.gpus)
        jobs = sorted({one.row.job_id for one in share.trainees})
        kind = next((_kind(node) for node in share.pool.nodes if node.name in share.gpus), "")
        fewest = {one.row.id: one.facts.spec.resources.gpus or 1 for one in share.trainees}
        with context.db.read() as c:
            estimates = context.estimates.of_many(c, jobs, now, context.waits, ESTIMATE_SECONDS)
            times: dict[str, list[EpochTime]] = {}
            for whole in {one.whole for one in share.trainees}:
                some = [one.row.id for one in share.trainees if one.whole == whole]
                times |= profiles.epoch_times(c, {task: fewest[task] for task in some}, whole)
            facts = {one.row.job_id: one.facts for one in share.trainees}
            known = {job: profiles.known(c, one.owner, one.program, kind) for job, one in facts.items()}
        found, used = [], _kept(share)
        for one in share.trainees:
            row, most = one.row, one.facts.spec.resources.most_gpus or one.has
            if one.whole is None:  # on its nodes it cannot have what others keep there
                most = min(most, max((share.gpus[node] - used[node] for node in one.on & used.keys()), default=most))
            speed = _speed(one, most, possible, known[row.job_id], times.get(row.id, []))
            seconds = _seconds(estimates.get(row.job_id), row.id, now)
            left = None if seconds is None else seconds * speed[one.has]
            found.append(
                ElasticTraining(
                    row.id,
                    speed,
                    arrived=row.created_at,
                    place=one.place,
                    left=left,
                    begun=one.node is not None or row.attempt > 1,
                    cost=_cost(row),
                    kept=max(now - (row.started_at or now), 0.0),
                    weight=share.weights(one.facts.owner, row.priority),
                    stays=True,
                )
            )
        return found


class _Beginning:
    """Which of the tasks that wait would begin next, of each demand: those for which there is no allocation yet.

    Those with the fewest GPUs only if nothing was requested for them either: another size would lose the place that
    they have in a queue.
    """

    def __init__(self, pool: Pool, facts: Mapping[str, JobFacts], tasks: Sequence[SizedTask]) -> None:
        staying = [one for one in pool.holdings if one.leaving_for is None]
        requested = Counter(one.job for one in staying)
        there = Counter(one.job for one in staying if one.nodes)  # not in a queue
        self.lacking = Counter({one.job: max(one.wanted - there[one.job], 0) for one in pool.demands})
        self._unasked = Counter({one.job: max(one.wanted - requested[one.job], 0) for one in pool.demands})
        running = Counter(one.job_id for one in tasks if one.state is TaskState.RUNNING)
        parallel = {job: one.spec.parallel for job, one in facts.items()}
        self._new = Counter(
            {job: MOST_WAITING if most is None else max(most - running[job], 0) for job, most in parallel.items()}
        )

    def takes(self, row: SizedTask) -> bool:
        """Return True if this is one of them, and count it."""
        if not row.published:
            return _counted(row.job_id, self._new)
        counts = [self.lacking] if row.size else [self.lacking, self._unasked]
        return _counted(demand_key(row.job_id, row.size), *counts)


def _counted(key: str, *counts: Counter[str]) -> bool:
    """Return True if there is one left in all of these, and take it."""
    if any(one[key] <= 0 for one in counts):
        return False
    for one in counts:
        one[key] -= 1
    return True


def _seconds(estimate: Estimate | None, task: str, now: float) -> float | None:
    """Return how long a task will still train, once it runs."""
    end = estimate.ends.get(task) if estimate else None
    if estimate is None or end is None:
        return None
    begin = estimate.begins.get(task)
    return max(end.at(now).likely - (now if begin is None else max(begin.at(now).likely, now)), 0.0)


def _used(share: KindShare, now: float) -> list[ElasticTraining]:
    """Return what keeps its place on each node."""
    return [
        ElasticTraining(f"@{name}", {gpus: gpus}, now, ((name, gpus),), fixed=True)
        for name, gpus in _kept(share).items()
        if gpus > 0
    ]


def _kept(share: KindShare) -> dict[str, int]:
    """Return the GPUs of each node that are neither free nor of a task that can be resized."""
    mine = Counter[str]()
    for one in share.trainees:
        mine.update(dict(one.place))
    return {name: max(gpus - share.free[name] - mine[name], 0) for name, gpus in share.gpus.items()}


def _speed(
    one: Trainee, most: int, possible: Mapping[int, int], known: Sequence[Timing], times: Sequence[EpochTime]
) -> dict[int, float]:
    """Return the sizes that a task may have, and how much faster than one GPU each is."""
    fewest = one.facts.spec.resources.gpus or 1
    allowed = {
        size: nodes
        for size, nodes in possible.items()
        if (nodes == 1 or one.whole is not None) and fewest <= size <= most
    }
    allowed |= {size: profiles.nodes_of(size, one.whole) for size in (fewest, one.has)}
    each = one.row.pace.epoch_seconds
    own = [*times]
    if each is not None and one.row.samples_per_second is None:
        own = [*(time for time in times if time.gpus != one.has), EpochTime(one.has, max(len(one.place), 1), each)]
    timings = tuple(known)
    for timing in compared(known, own):
        timings = remember(timings, timing)
    return epoch_speeds(timings, allowed, tried=one.has)


def _cost(row: SizedTask) -> float:
    """Return the seconds that a resize costs: the start, and half an epoch where only whole ones are saved."""
    startup = row.startup
    if startup is None:
        return USUAL_COST
    lost = (row.pace.epoch_seconds or 0.0) / 2 if row.samples_per_second is None else 0.0
    return min(startup + USUAL_PAUSE + lost, MOST_COST)


Weights = Callable[[str, int], float]  # of an owner, and a priority


def _weights(pool: Pool, past: Mapping[str, float], given: Mapping[str, float]) -> Weights:
    owners = {*(one.owner for one in pool.demands), *(one.owner for one in pool.holdings)} - {""}
    fair = sum(past.get(one, 0.0) for one in owners) / max(len(owners), 1)

    def weight(owner: str, priority: int) -> float:
        used = past.get(owner, 0.0) / given.get(owner, 1.0)
        return rules.weight_of(priority, *((used, fair) if fair > 0 else (1.0, 1.0)))

    return weight


def _add_waiting(
    share: KindShare, demand: JobDemand, count: int, weights: Weights, left: float | None, now: float
) -> None:
    """Count so many tasks of a job that wait and that could run."""
    since = demand.idle_since if math.isfinite(demand.idle_since) else now
    weight = weights(demand.owner, demand.priority)
    for number in range(min(count, MOST_WAITING)):
        for place, size in enumerate(_parts(demand.need.gpus, share.gpus, demand.need.nodes)):
            name = f"{demand.job}#{number}.{place}"
            share.names[name] = f"job {job_of(demand.job)}"
            whole = None if left is None else left * size
            share.waiting.append(
                ElasticTraining(name, {size: size}, demand.created, left=whole, waits_since=since, weight=weight)
            )


def _add_others(share: KindShare, look: Look, now: float) -> None:
    """Count what other users of a cluster wait for, as far as they have less than their share."""
    pool = share.pool
    own = sum(pool.amount(one.need) for one in pool.holdings if one.nodes)
    if all(pool.gives(one.row.job_id) is Giving.NEVER for one in share.trainees):
        return
    left = int(sum(share.free.values()) + max(own - equal_share(pool, look), 0.0))
    largest = max(share.gpus.values(), default=0)
    partitions = frozenset[str]().union(*(room.partitions for room in look.rooms if room.name in share.gpus))
    for waiting in look.others.waiting:
        if not waiting.partitions & partitions:
            continue
        each = largest if waiting.whole else min(waiting.gpus, largest)
        for number in range(min(waiting.count * waiting.nodes, MOST_WAITING) if each else 0):
            for place, size in enumerate(_parts(min(each, left), share.gpus)):
                name = f"{waiting.id}@{number}.{place}"
                share.names[name] = waiting.words
                share.waiting.append(ElasticTraining(name, {size: size}, now, weight=FIRST))
                left -= size


def _parts(gpus: int, nodes: Mapping[str, int], several: int = 1) -> list[int]:
    """Return a number of GPUs of each of `several` nodes as sizes that trainings can have, the largest first."""
    found: list[int] = []
    possible = rules.possible_sizes(nodes)
    if several > 1:
        return [gpus * several] if gpus * several in possible else _parts(gpus, nodes) * several
    for size in sorted((size for size, count in possible.items() if count == 1), reverse=True):
        while gpus >= size:
            found.append(size)
            gpus -= size
    return found


class _Reasons:
    """Why tasks are resized, in words."""

    def __init__(self, share: KindShare, chosen: Mapping[str, int]) -> None:
        self._free = sum(share.free.values())
        served = Counter(share.names[one.id] for one in share.waiting if chosen.get(one.id))
        self._served = [name for name, _ in served.most_common()]

    def of(self, one: Sized) -> str:
        if one.grows > 0:
            return f"{self._free} GPU{'s are' if self._free != 1 else ' is'} free" if self._free else "it gains most"
        if not self._served:
            return "other trainings gain more"
        more = len(self._served) - 1
        return f"makes room for {self._served[0]}" + (f" and {more} more" if more else "")


def _pending(row: SizedTask, facts: JobFacts) -> SizeChange:
    fewest = facts.spec.resources.gpus or 1
    return SizeChange(
        task=row.id, now=row.size or fewest, to=row.size_wanted or fewest, why=row.resize_why or "", begun=True
    )


def job_of_task(task: str) -> str:
    return task.rpartition("-")[0]


def _kind(node: PolicyNode) -> str:
    return next((gpu.kind or "GPU" for gpu in node.gpus), "")


def node_groups(kinds: Mapping[str, str], wanted: Collection[frozenset[str]]) -> dict[str, str]:
    """Return by node what stands for all that are decided on together: nodes of one kind that somebody can choose from.

    `wanted`: the nodes on which each can run that trains or waits.
    """
    found = {name: name for name in kinds}
    for on in wanted:
        for kind in {kinds[name] for name in on & kinds.keys()}:
            together = {found[name] for name in on & kinds.keys() if kinds[name] == kind}
            first = min(together)
            found = {name: first if group in together else group for name, group in found.items()}
    return found


def _best(made: Mapping[str, KindShare], groups: Mapping[str, str], on: Collection[str]) -> str | None:
    """Return the group of nodes in which most GPUs are free, and that has most of these nodes."""
    counts = Counter(groups[name] for name in on if name in groups)
    return max(counts, key=lambda group: (sum(made[group].free.values()), counts[group], group), default=None)

"""Decides which job gets which devices next: one decision over all jobs of a backend. Pure.

1. Shares: how many allocations each job should have, dealt one by one over all nodes. The owner who holds the least
   goes first, counted together with a part of what was used recently, per weight. Within an owner the job of the
   highest priority goes first, then the one that has least, then the oldest.
2. Devices: a job below its share starts on free devices. If there are none, allocations of jobs above their share
   give way: they end after the tasks that run in them.
3. What is still free goes to whoever can use it, in the same order.

A device that is reserved is for those who reserved it. Others get it when their work will be done before the next
reservation begins, or can make way (`gaps`); work that runs there learns when it has to leave.

A backend with a queue of its own (Slurm) chooses the nodes: there, only the numbers are decided.
"""

import copy
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from paddock.models.choices import Giving, JobOrder
from paddock.rules import giving_way
from paddock.rules.gaps import FOREVER, Booking, Gap, Gaps, clock_time, in_words, yield_time
from paddock.rules.pool import Holding, JobDemand, Need, Pool
from paddock.rules.queue_order import places
from paddock.rules.shares import Shares

TINY = 1e-9
# To tell when something begins where devices are reserved, this much is looked at:
MOST_ENDS = 50  # ends of reservations
MOST_ASKED = 10  # jobs; what comes after so many others cannot be told anyway
PATIENCE = 1800.0  # seconds; a job that smaller ones have overtaken for this long gets a node to itself
STARVED = 4 * 3600.0  # the same where jobs go first by their length or age


@dataclass(frozen=True)
class Start:
    """Start an allocation of the job on these devices. `until`: when it has to leave them to others, and why."""

    job: str
    node: str
    devices: tuple[str, ...]
    until: float | None = None
    why: str = ""


@dataclass(frozen=True)
class Request:
    """Request this many more allocations from the backend's queue."""

    job: str
    count: int


@dataclass(frozen=True)
class Withdraw:
    """Take this many requests back that wait in the backend's queue."""

    job: str
    count: int


@dataclass(frozen=True)
class GiveWay:
    """End the allocation after the tasks that run in it, or `now`, in the middle of tasks that have a checkpoint."""

    key: str
    to: str  # the job that gets its devices; see also `giving_way.OTHERS`
    who: str = ""  # whose it is, if it is not of this server
    now: bool = False


@dataclass(frozen=True)
class Leave:
    """Let the allocation leave its devices to others at this time; None: it may stay."""

    key: str
    at: float | None
    why: str = ""


@dataclass(frozen=True)
class Wait:
    """Leave the job waiting, for this reason. `at` is the expected time of its next start."""

    job: str
    reason: str
    at: float | None = None
    never: bool = False  # it will not start by itself


@dataclass(frozen=True)
class Order:
    """Let the backend's queue start what a job waits for after so many other jobs. Those without one go first."""

    job: str
    place: int


Decision = Start | Request | Withdraw | GiveWay | Leave | Wait | Order


def plan(pool: Pool, now: float) -> list[Decision]:
    """Return what to do, and why jobs with waiting tasks do not get more."""
    gpus = {node.name: node.ids(gpus=True) for node in pool.nodes}
    gaps = Gaps(() if pool.traits.queued else pool.bookings, now, pool.yield_seconds, gpus)
    shares = Shares(pool, gaps)
    ordered = pool.order is not JobOrder.FAIR
    overdue = [
        one
        for one in pool.demands
        if (one.job in shares.overtaken and now - one.idle_since > PATIENCE)
        or (ordered and one.job in shares.without and now - one.idle_since > STARVED)
    ]
    first = min(overdue, key=lambda one: (one.idle_since, one.job)).job if overdue else None
    if first is not None:
        shares = Shares(pool, gaps, first)
    if pool.traits.queued:
        return _queue(pool, shares, first, now)
    return [*_leaves(pool, gaps), *_Devices(pool, shares, gaps, first).decide()]


def _leaves(pool: Pool, gaps: Gaps) -> Iterator[Leave]:
    """Return which allocations have to leave their devices at another time than they know of."""
    for one in pool.holdings:
        if not one.owner or not one.devices or not (gaps.any or one.until):
            continue
        gap = gaps.gap_of_all(one.owner, one.nodes[0], one.devices if one.need.gpus else [None])
        at = yield_time(gap.next.starts_at if gap.next else None, one.until, gaps.now, pool.notice)
        if (at is None) != (one.until is None) or abs((at or 0.0) - (one.until or 0.0)) >= 1:
            yield Leave(one.key, at, _made_way(gap, gaps.now, pool) if at is not None else "")


def _made_way(gap: Gap, now: float, pool: Pool) -> str:
    """Return why work leaves its devices at the end of a gap: what its task is told to have ended for."""
    if gap.next is None:
        return ""
    where = f"{gap.next.node}:{gap.next.device}" if gap.next.device else gap.next.node
    since = f" since {clock_time(gap.next.starts_at, now, pool.zone)}"
    return f"{where} {gap.next.why or 'is reserved'}{since}"


def _queue(pool: Pool, shares: Shares, first: str | None, now: float) -> list[Decision]:
    """Decide how many allocations are in the backend's queue, and which leave for others."""
    decisions = _in_queue(pool, shares, first, now)
    for holding, waiting in giving_way.to_give(pool):
        at_once = pool.gives(holding.job) is Giving.NOW
        decisions.append(GiveWay(holding.key, giving_way.OTHERS + waiting.id, waiting.words, at_once))
    queued = {one.job for one in pool.holdings if not one.nodes}
    queued |= {one.job for one in decisions if isinstance(one, Request)}
    order = places(pool.order, shares.turns, queued)
    return [*decisions, *(Order(job, place) for job, place in order.items() if place)]


def _in_queue(pool: Pool, shares: Shares, first: str | None, now: float) -> list[Decision]:
    there = Counter(one.job for one in pool.holdings if one.leaving_for is None)
    waiting = Counter(one.job for one in pool.holdings if not one.nodes)
    usable = all(node.usable for node in pool.nodes)
    keeps = shares if usable else Shares(_all_usable(pool), Gaps((), 0.0, 0.0, {}), first)
    left = waiting.keys() - {one.job for one in pool.demands}
    decisions: list[Decision] = [Withdraw(job, waiting[job]) for job in sorted(left)]
    ready = [one for one in pool.demands if not one.paused]
    unmet = [one for one in ready if keeps.dealt[one.job] < one.wanted]
    most: dict[str, int] = {}  # owner -> the highest priority of a job that has less than it can use
    for one in unmet:
        most[one.owner] = max(one.priority, most.get(one.owner, one.priority))
    # At least one waits in the backend's queue: it starts as soon as something is free, and the backend reports why
    # it does not.
    later = {one.job for one in ready if one.priority < most.get(one.owner, one.priority)}
    least = {one.job: 0 if one.job in later else min(one.wanted, 1) for one in ready}
    target = {job: max(shares.dealt[job], few) for job, few in least.items()}
    allowed = giving_way.allowed(pool, shares.turns, first, now)
    if allowed is not None:
        target = {job: min(count, allowed[job]) for job, count in target.items()}
    short = any(target[one.job] > there[one.job] for one in ready)
    for one in ready:
        # What waits keeps its place in the queue as long as no other job needs it, and while nodes are down.
        kept = max(keeps.dealt[one.job], least[one.job]) if short else one.wanted
        kept = kept if allowed is None else min(kept, allowed[one.job])
        if target[one.job] > there[one.job]:
            decisions.append(Request(one.job, target[one.job] - there[one.job]))
        elif kept < there[one.job] and waiting[one.job]:
            decisions.append(Withdraw(one.job, min(there[one.job] - kept, waiting[one.job])))
        elif one.job in later and one.wanted and not there[one.job]:
            decisions.append(Wait(one.job, f"jobs of {one.owner} with a higher priority come first"))
        elif pool.look is not None and allowed is not None and one.wanted and not max(allowed[one.job], there[one.job]):
            decisions.append(Wait(one.job, "other users wait, and their jobs come first"))
    return decisions if pool.crowded else decisions + _leave_queue(pool, shares, waiting)


def _all_usable(pool: Pool) -> Pool:
    return replace(pool, nodes=tuple(replace(node, usable=True) for node in pool.nodes))


def _leave_queue(pool: Pool, shares: Shares, waiting: Counter[str]) -> list[Decision]:
    """Let running allocations above their share give way to those that wait in the queue below theirs."""
    promised = Counter(one.leaving_for for one in pool.holdings if one.leaving_for)
    above = _surplus(pool, shares)
    leaving = [one for one in pool.holdings if one.nodes and above[one.job] > 0 and one.leaving_for is None]
    leaving = [one for one in leaving if pool.gives(one.job) is not Giving.NEVER]
    leaving.sort(key=_soonest)
    decisions: list[Decision] = []
    for one in pool.demands:
        if one.paused:
            continue
        missing = min(waiting[one.job], shares.dealt[one.job]) - promised[one.job]
        for _ in range(missing):
            able = (x for x in leaving if above[x.job] > 0 and x.job != one.job and _serves(x, one.need))
            victim = next(able, None)
            if victim is None:
                break
            leaving.remove(victim)
            above[victim.job] -= 1
            decisions.append(GiveWay(victim.key, one.job, now=pool.gives(victim.job) is Giving.NOW))
    return decisions


def _serves(holding: Holding, need: Need) -> bool:
    """Return True if the job can use what this allocation alone leaves behind."""
    its = holding.need
    return (
        set(holding.nodes) <= need.on
        and (its.gpus >= need.gpus and its.nodes >= need.nodes)
        and (its.cpus >= need.cpus and (its.memory or 0) >= (need.memory or 0))
    )


def _surplus(pool: Pool, shares: Shares) -> Counter[str]:
    """Return how many allocations each job has above its share."""
    there = Counter(one.job for one in pool.holdings if one.leaving_for is None)
    ready = [one.job for one in pool.demands if not one.paused]
    return Counter({job: there[job] - shares.dealt[job] for job in ready if there[job] > shares.dealt[job]})


def _soonest(holding: Holding) -> tuple[float, str]:
    at = _frees_at(holding)
    return math.inf if at is None else at, holding.key


def _frees_at(holding: Holding) -> float | None:
    """Return when its devices will be free, at the latest when it has to leave them to others."""
    return min((at for at in (holding.frees_at, holding.until) if at is not None), default=None)


class _Devices:
    """Chooses nodes and devices where the backend has no queue of its own."""

    def __init__(self, pool: Pool, shares: Shares, gaps: Gaps, first: str | None) -> None:
        self._pool, self._shares, self._gaps, self._first = pool, shares, gaps, first
        self._personal = pool.one_owner_a_node or gaps.any  # what is free for one owner is not for another
        self._demands = {one.job: one for one in pool.demands if not one.paused}
        self._free = _Unused(pool, gaps)
        self._staying = [one for one in pool.holdings if one.leaving_for is None]
        self._count = Counter(one.job for one in self._staying)
        self._there = Counter((one.job, name) for one in self._staying for name in one.nodes)
        self._above = _surplus(pool, shares)
        self._promised: Counter[str] = Counter()  # job -> allocations for which others give way
        self._next: dict[str, list[Holding]] = {}  # job -> those who give way to it
        self._full: set[tuple[Need, str]] = set()  # needs for which nothing is free, and of whom
        self._decisions: list[Decision] = []

    def decide(self) -> list[Decision]:
        self._keep_promises()
        turns, had, later = Counter[str](), Counter(self._count), list[JobDemand]()
        for demand in self._shares.turns:
            turns[demand.job] += 1
            if turns[demand.job] > had[demand.job] and not self._start(demand):
                later.append(demand)
                if self._promised[demand.job] > 0:
                    self._promised[demand.job] -= 1
                elif turns[demand.job] <= self._shares.dealt[demand.job]:
                    self._make_way(demand)
        order = {one.job: one for one in [*later, *self._shares.turns]}.values()
        for demand in order:  # more than its share: what was dealt to others does not fit for them yet
            while self._start(demand):
                pass
        return [*self._decisions, *self._waits([one for one in order if self._count[one.job] < one.wanted])]

    def _start(self, demand: JobDemand) -> bool:
        """Start an allocation on free devices: on the node on which the fewest are left then."""
        need, owner = demand.need, demand.owner
        whose = owner if self._personal else ""
        if (need, whose) in self._full or self._count[demand.job] >= demand.wanted:
            return False
        some = self._gaps.any  # otherwise all devices suit alike
        free = {name: self._free.of(need, name, owner) for name in self._nodes(demand)}
        fits = [
            (not self._free.is_of(name, owner), self._suits(demand, name, devices) if some else (), len(devices), name)
            for name, devices in free.items()
            if len(devices) >= need.units
        ]
        if not fits:
            if demand.most_on is None and not demand.no_more_on:
                self._full.add((need, whose))
            return False
        name = min(fits)[-1]
        devices = tuple(free[name][: need.units])
        self._free.take(need, name, devices, owner)
        self._count[demand.job] += 1
        self._there[demand.job, name] += 1
        gap = self._gaps.gap_of_all(owner, name, devices if need.gpus else [None])
        until, why = (None, "") if gap.next is None else (gap.until, _made_way(gap, self._gaps.now, self._pool))
        self._decisions.append(Start(demand.job, name, devices, until, why))
        return True

    def _suits(self, demand: JobDemand, name: str, devices: Sequence[str]) -> tuple[tuple[int, float], ...]:
        """Return how well the first of these devices suit, by their reservations: own ones first."""
        need, gaps = demand.need, self._gaps
        ids: Sequence[str | None] = devices[: need.units] if need.gpus else [None]
        known = (gaps.suits(gaps.gap(demand.owner, name, one), need.seconds, need.yields) for one in ids)
        return tuple(sorted(how for how in known if how is not None))

    def _nodes(self, demand: JobDemand) -> list[str]:
        """Return the nodes on which one more allocation of the job may start, and has work."""
        able = self._free.nodes(demand.need, demand.owner)
        return [name for name in able if demand.has_work_on(name, self._there[demand.job, name])]

    def _keep_promises(self) -> None:
        """Keep what is free on the nodes where others give way, for the jobs to which they do."""
        groups: dict[tuple[str, str], list[Holding]] = defaultdict(list)
        for one in self._pool.holdings:
            if one.leaving_for in self._demands and one.nodes:
                groups[one.leaving_for, one.nodes[0]].append(one)
        for (job, name), leaving in sorted(groups.items(), key=lambda item: item[0]):
            need = self._demands[job].need
            missing = self._shares.dealt[job] - self._count[job] - self._promised[job]
            if self._pool.one_owner_a_node:  # the whole node will be free
                count = self._room(self._demands[job], name) // need.units
            else:
                count = math.ceil(self._free.left_by(need, leaving, self._demands[job].owner) / need.units)
            self._keep(job, name, leaving, min(count, missing))

    def _keep(self, job: str, name: str, leaving: Sequence[Holding], count: int) -> None:
        """Keep the free devices that this many allocations need beside what others leave them."""
        if count > 0:
            need, owner = self._demands[job].need, self._demands[job].owner
            lacking = max(count * need.units - self._free.left_by(need, leaving, owner), 0)
            if self._pool.one_owner_a_node:
                self._free.promise(name, owner)
            else:
                self._free.take(need, name, self._free.of(need, name, owner)[:lacking], owner)
            self._promised[job] += count
            self._next.setdefault(job, []).extend(leaving)

    def _make_way(self, demand: JobDemand) -> None:
        """Let allocations above their share give way, on the node where they will have ended first."""
        ways = self._whole_nodes(demand) if self._pool.one_owner_a_node else self._ways(demand)
        options = [(max(map(_soonest, found)), name, found) for name, found in ways]
        if options:
            _, name, leaving = min(options, key=lambda one: one[:2])
            self._keep(demand.job, name, leaving, 1)
            self._promised[demand.job] -= 1
            for one in leaving:
                self._above[one.job] -= 1
                self._staying.remove(one)
                self._decisions.append(GiveWay(one.key, demand.job, now=self._pool.gives(one.job) is Giving.NOW))

    def _ways(self, demand: JobDemand) -> Iterator[tuple[str, list[Holding]]]:
        """Return per node the allocations that have to give way, where those that may do suffice."""
        need = demand.need
        if not +self._above and demand.job != self._first:
            return
        for name in self._nodes(demand):
            above, found = Counter(self._above), list[Holding]()
            there = len(self._free.of(need, name, demand.owner))
            able = [one for one in self._staying if name in one.nodes and one.job != demand.job and self._gives(one)]
            for one in sorted(able, key=_soonest):
                useful = self._free.left_by(need, [one], demand.owner)
                if there < need.units and useful and (above[one.job] > 0 or demand.job == self._first):
                    above[one.job] -= 1
                    there += useful
                    found.append(one)
            if found and there >= need.units:
                yield name, found

    def _whole_nodes(self, demand: JobDemand) -> Iterator[tuple[str, list[Holding]]]:
        """Return per node of another owner what has to give way: all of it, where its owner is above the share."""
        for name in self._free.nodes(demand.need):
            there = [one for one in self._pool.holdings if name in one.nodes and one.owner != demand.owner]
            if not there or self._room(demand, name) < demand.need.units:
                continue
            if not demand.has_work_on(name, self._there[demand.job, name]):
                continue
            if any(one not in self._staying or one.job not in self._demands or not self._gives(one) for one in there):
                continue  # it is promised to somebody, or stays as it is
            of_owner: dict[str, float] = defaultdict(float)
            for one in there:
                of_owner[one.owner] += self._pool.amount(one.need)
            enough = all(self._surplus_of(owner) >= amount - TINY for owner, amount in of_owner.items())
            if enough or demand.job == self._first:
                yield name, there

    def _gives(self, holding: Holding) -> bool:
        return self._pool.gives(holding.job) is not Giving.NEVER

    def _room(self, demand: JobDemand, name: str) -> int:
        """Return how many devices of a node a job can use when others have left it."""
        own: set[str] = set()
        for one in self._pool.holdings:
            same = one.owner == demand.owner and (one.need.gpus > 0) == (demand.need.gpus > 0)
            own.update(one.devices if same and name in one.nodes else ())
        return len(self._free.whole(demand.need, name, demand.owner) - own)

    def _surplus_of(self, owner: str) -> float:
        """Return how much an owner has above the share of all their jobs together, in GPUs."""
        own = {job: one for job, one in self._demands.items() if one.owner == owner}
        there = sum(self._pool.amount(one.need) for one in self._staying if one.job in own)
        return there - sum(self._shares.dealt[job] * self._pool.amount(one.need) for job, one in own.items())

    def _waits(self, waiting: Sequence[JobDemand]) -> Iterator[Wait]:
        """Return why jobs wait, and until when, as far as the end of what runs is known."""
        outlook = _Outlook(self._pool, self._free, self._gaps)
        reason = cache(self._reason)
        own: dict[str, list[Holding]] = defaultdict(list)
        for one in self._staying:
            own[one.job].append(one)
        for ahead, demand in enumerate(map(self._where_it_has_work, waiting)):
            at = outlook.first_fit(demand.need, demand.owner)
            leaving = self._next.get(demand.job)
            soonest = min((one.frees_at for one in own[demand.job] if one.frees_at is not None), default=at)
            why, never = reason(demand.need, demand.owner if self._personal else "")
            if demand.most_on is not None:
                names = ", ".join(sorted(demand.need.on)[:3])
                why, never = f"waits for {names}, which has its checkpoint: {why}", False
            if leaving:
                names = ", ".join(sorted({name for one in leaving for name in one.nodes}))
                yield Wait(demand.job, f"next on {names}, when tasks that run there have ended", _last(leaving))
            elif own[demand.job]:  # its next task begins where one of its own ends
                yield Wait(demand.job, why + "; it has its share", soonest if at is None else min(at, soonest or at))
            else:
                yield Wait(demand.job, why if never else why + _behind(ahead), at, never)

    def _where_it_has_work(self, demand: JobDemand) -> JobDemand:
        """Return the demand with only those nodes that its next task may run on."""
        if demand.most_on is None:
            return demand
        work = frozenset(x for x in demand.most_on if demand.has_work_on(x, self._there[demand.job, x]))
        if not work or work >= demand.need.on:
            return replace(demand, most_on=None)
        return replace(demand, need=replace(demand.need, on=work))

    def _reason(self, need: Need, owner: str) -> tuple[str, bool]:
        """Return why such an allocation does not start now, and whether it never will.

        `owner` counts only where owners do not share nodes, or have reserved some.
        """
        what = "CPU slot" if not need.gpus else f"{need.gpu_type} GPU" if need.gpu_type else "GPU"
        needs = f"needs {need.units} {what}" + ("s" if need.units > 1 else "")
        sizes = [(node, len(node.devices(need))) for node in self._pool.nodes if node.name in need.on]
        able = [node for node, size in sizes if size >= need.units]
        if need.nodes > 1 or not able:
            most = max((size for _, size in sizes), default=0)
            return f"{needs} on one node, and no node has {'more than ' + str(most) if most else 'any'}", True
        if not any(node.usable for node in able):
            return f"{', '.join(node.name for node in able[:3])} cannot take work at the moment", False
        if self._pool.one_owner_a_node and not {node.name for node in able} & set(self._free.nodes(need, owner)):
            return f"{needs} on a node without tasks of others, and there is none", False
        names = [node.name for node in able if node.usable]
        free = max(len(self._free.of(need, name, owner)) for name in names)
        reserved = self._reserved(need, owner, names) if self._gaps.any and free < need.units else None
        if reserved is not None:
            return reserved, False
        whole, verb = sum(size for _, size in sizes), "is" if free == 1 else "are"
        if free and len(sizes) > 1:
            return f"{needs} on one node, and no more than {free} {verb} free on one", False
        if free:
            return f"{needs}, and {free} of {whole} {verb} free", False
        use = "in use or reserved" if self._gaps.any else "in use"
        return f"the {what} is {use}" if whole == 1 else f"all {whole} {what}s are {use}", False

    def _reserved(self, need: Need, owner: str, names: Sequence[str]) -> str | None:
        """Return which reservation, or rule, keeps such an allocation from devices that nobody uses; None: none does.

        Of several devices, that one is named which it could use soonest, or for longest.
        """
        unused = {name: self._free.unused(need, name) for name in names}
        some = [(name, one) for name, free in unused.items() if len(free) >= need.units for one in free]
        known = [(self._gaps.gap(owner, name, one if need.gpus else None), name, one) for name, one in some]
        shut = [
            (gap, name, one)
            for gap, name, one in known
            if gap.next is not None and self._gaps.suits(gap, need.seconds, need.yields) is None
        ]
        if not shut:
            return None
        now = self._gaps.now
        open_now = [one for one in shut if one[0].until > now]
        if open_now:
            gap, name, device = max(open_now, key=lambda one: one[0].until)
            return f"{self._called(need, name, device)} is free until {self._clock(gap.until)}, {_wants(need)}"
        ends: list[tuple[float, Booking, str, str]] = [
            (gap.next.ends_at, gap.next, name, one) for gap, name, one in shut if gap.next is not None
        ]
        at, booking, name, device = min(ends, key=lambda one: one[0])
        others = len({self._called(need, name, one) for _, name, one in shut}) - 1
        until = "" if at == FOREVER else f" until {self._clock(at)}"
        until += f", and {others} more {'is' if others == 1 else 'are'} not free sooner" if others else ""
        return f"{self._called(need, name, device)} {booking.why or 'is reserved'}{until}"

    def _called(self, need: Need, name: str, device: str) -> str:
        return f"{name}:{device}" if need.gpus else name

    def _clock(self, at: float) -> str:
        return clock_time(at, self._gaps.now, self._pool.zone)


def _wants(need: Need) -> str:
    if need.seconds is not None:
        return f"this needs {in_words(need.seconds)}"
    if need.yields:
        return "too soon to begin"
    return "and it is not known how long this takes: give a time limit, or let it make way (--yield)"


class _Unused:
    """The devices of usable nodes that nobody has."""

    def __init__(self, pool: Pool, gaps: Gaps) -> None:
        self._gaps = gaps
        self.at: float | None = None  # reservations are looked at as they are then; None: now
        self._known = {node.name: node for node in pool.nodes if node.usable}
        self._free = {(name, gpus): node.ids(gpus=gpus) for name, node in self._known.items() for gpus in (True, False)}
        self._alone = pool.one_owner_a_node
        self._owners: dict[str, Counter[str]] = {name: Counter() for name in self._known}  # allocations by owner
        self._promised: dict[str, str] = {}  # node -> the owner who gets it when others have left
        for one in pool.holdings:
            for name in set(one.nodes) & self._known.keys():
                self.take(one.need, name, one.devices, one.owner)

    def copy(self) -> "_Unused":
        other = copy.copy(self)
        other._free = {place: list(devices) for place, devices in self._free.items()}
        other._owners = {name: Counter(owners) for name, owners in self._owners.items()}
        return other

    def nodes(self, need: Need, owner: str | None = None) -> list[str]:
        """Return the nodes on which such an allocation may run. Here none runs on several.

        `owner`: only those where this owner may start something, if owners do not share nodes.
        """
        able = [name for name in self._known if name in need.on and need.nodes == 1]
        return able if owner is None or not self._alone else [name for name in able if self._open_to(name, owner)]

    def _open_to(self, name: str, owner: str) -> bool:
        return self._promised.get(name, owner) == owner and not (+self._owners[name]).keys() - {owner}

    def is_of(self, name: str, owner: str) -> bool:
        """Return True if owners do not share nodes, and this one has the node."""
        return self._alone and self._owners[name][owner] > 0

    def promise(self, name: str, owner: str) -> None:
        """Keep a whole node for an owner."""
        self._promised[name] = owner

    def whole(self, need: Need, name: str, owner: str) -> set[str]:
        """Return all devices of a node that such an allocation can use, free or not; none if it is not usable."""
        return set(self._open(need, name, self._known[name].devices(need), owner)) if name in self._known else set()

    def unused(self, need: Need, name: str) -> list[str]:
        """Return the devices that such an allocation could use if nobody had reserved any."""
        return self._known[name].suitable(need, self._free[name, need.gpus > 0])

    def of(self, need: Need, name: str, owner: str) -> list[str]:
        """Return the devices that such an allocation of this owner can use, the best first."""
        devices = self._known[name].suitable(need, self._free[name, need.gpus > 0])
        return self._open(need, name, devices, owner) if self._gaps.any else devices

    def _open(self, need: Need, name: str, devices: Sequence[str], owner: str) -> list[str]:
        """Return those of these devices that are not for others before such work is done, the best first."""
        if not self._gaps.any:
            return list(devices)
        if self.at is None:
            able = self._gaps.open(owner, name, need.work)
        else:
            able = self._gaps.open_at(owner, name, devices if need.gpus else [None], need.work, self.at)
        if not need.gpus:
            return list(devices) if able else []
        there = set(devices)
        return [one for one in able if one in there and one is not None]

    def left_by(self, need: Need, leaving: Sequence[Holding], owner: str) -> int:
        """Return how many devices such an allocation can use of those that these will leave."""
        same = [one for one in leaving if (one.need.gpus > 0) == (need.gpus > 0) and one.nodes[0] in self._known]
        left = [(one.nodes[0], self._known[one.nodes[0]].suitable(need, one.devices)) for one in same]
        return sum(len(self._open(need, name, devices, owner)) for name, devices in left)

    def take(self, need: Need, name: str, devices: Sequence[str], owner: str) -> None:
        taken, place = set(devices), (name, need.gpus > 0)
        self._free[place] = [one for one in self._free[place] if one not in taken]
        self._owners[name][owner] += 1

    def give(self, holding: Holding) -> None:
        for name in set(holding.nodes) & self._known.keys():
            self._free[name, holding.need.gpus > 0] += holding.devices
            self._owners[name][holding.owner] -= 1


class _Outlook:
    """The devices that will be free, in the order of time."""

    def __init__(self, pool: Pool, free: _Unused, gaps: Gaps) -> None:
        self._free = free.copy()
        ends: list[tuple[float, str, Holding | None]] = [
            (at, name, one) for one in pool.holdings for name in one.nodes if (at := _end(one)) is not None
        ]
        ends += [(at, name, None) for at, name in gaps.ends(MOST_ENDS)]
        self._ends = sorted(ends, key=lambda item: (item[0], item[2].key if item[2] else ""))
        self._next = 0  # of these ends
        self._never: set[tuple[Need, str]] = set()
        self._alone, self._reserved = pool.one_owner_a_node, gaps.any
        self._personal = self._alone or self._reserved
        self._asked = 0

    def first_fit(self, need: Need, owner: str) -> float | None:
        """Return when such an allocation will fit beside those asked about before; None: nobody knows."""
        whose = owner if self._personal else ""
        self._asked += 1
        if (need, whose) in self._never or (self._reserved and self._asked > MOST_ASKED):
            return None
        before = (self._free.copy(), self._next) if self._reserved else None
        names = able = self._free.nodes(need, owner)
        while True:
            for name in names:
                devices = self._free.of(need, name, owner)[: need.units]
                if len(devices) == need.units:
                    self._free.take(need, name, devices, owner)
                    return self._free.at
            if self._next == len(self._ends):
                self._never.add((need, whose))
                break
            self._free.at, ended_on, ended = self._ends[self._next]
            self._next += 1
            if ended is not None:
                self._free.give(ended)
            able = self._free.nodes(need, owner) if self._alone else able
            names = [ended_on] if ended_on in able else []
        if before is not None:  # others may begin before all these have ended
            self._free, self._next = before
        return None


def _end(holding: Holding) -> float | None:
    known = (holding.frees_at if holding.leaving_for else holding.ends_at, holding.until)
    return min((at for at in known if at is not None), default=None)


def _last(leaving: Sequence[Holding]) -> float | None:
    known = [_frees_at(one) for one in leaving]
    return None if None in known else max((at for at in known if at is not None), default=None)


def _behind(ahead: int) -> str:
    return (
        "; it is next" if not ahead else "; 1 job comes before it" if ahead == 1 else f"; {ahead} jobs come before it"
    )

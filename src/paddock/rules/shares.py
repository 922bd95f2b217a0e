"""How many allocations each job should have: they are dealt one by one over empty nodes. Pure."""

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from paddock.models.choices import JobOrder
from paddock.rules.gaps import Gaps
from paddock.rules.pool import Holding, JobDemand, Need, PolicyNode, Pool

PAST = 0.5  # how much the mean use of the recent hours counts beside what is held now
MARGIN = 0.25  # an owner keeps what is held unless another is behind by more: nothing moves to and fro


class _Free:
    """What is left of a node."""

    def __init__(self, node: PolicyNode) -> None:
        self.gpus = {gpu.id: gpu.kind.lower() for gpu in node.gpus}
        self.cpus = node.cpus
        self.memory = node.memory
        self.owner: str | None = None  # who has something of it

    def matching(self, need: Need, able: Sequence[str | None] | None = None) -> list[str]:
        """Return the GPUs that such an allocation can use; `able`: of these, in their order."""
        kind = need.gpu_type.lower() if need.gpu_type else None
        some = self.gpus if able is None else able
        return [gpu for gpu in some if gpu is not None and gpu in self.gpus and kind in (None, self.gpus[gpu])]

    def fits(self, need: Need, owner: str, pool: Pool, able: Sequence[str | None] | None) -> bool:
        if pool.one_owner_a_node and self.owner not in (None, owner):
            return False
        if able is not None and not able:
            return False
        if need.gpus and len(self.matching(need, able)) < need.gpus:
            return False
        if pool.counts_cores(need) and self.cpus < need.cpus:
            return False
        return not (pool.traits.counts_memory and need.memory and self.memory and self.memory < need.memory)

    def take(self, need: Need, owner: str, pool: Pool, able: Sequence[str | None] | None = None) -> list[str]:
        """Take so much, and return the GPUs; `able`: of these, else any."""
        self.owner = owner
        taken = self.matching(need, able)[: need.gpus]
        for gpu in taken:
            del self.gpus[gpu]
        if pool.counts_cores(need):
            self.cpus -= need.cpus
        if self.memory is not None and need.memory:
            self.memory -= need.memory
        return taken


class Shares:
    """Deals allocations one by one over empty nodes. What people use of their own reservations does not count."""

    def __init__(self, pool: Pool, gaps: Gaps, first: str | None = None) -> None:
        self._pool = pool
        self._gaps = gaps
        self._first = first
        self.dealt: Counter[str] = Counter()  # job -> allocations that it should have
        self.turns: list[JobDemand] = []  # in their order; the last one of each job may have got nothing
        self.overtaken: set[str] = set()  # jobs that did not fit when it was their turn, although smaller ones did
        self.without: set[str] = set()  # jobs that got nothing although they could use something
        self._free = {node.name: _Free(node) for node in pool.nodes if node.usable}
        # Nodes on which such a need does not fit any more. Where owners share nodes, it is the same for all of them.
        self._full: dict[tuple[Need, str], set[str]] = defaultdict(set)
        self._homes: dict[str, list[str]] = {}  # owner -> the nodes in the order in which they suit
        self._held = Counter(one.job for one in pool.holdings if one.leaving_for is None)
        self._amounts: dict[str, float] = defaultdict(float)  # owner -> dealt
        self._placed: Counter[tuple[str, str]] = Counter()  # job and node
        ready = {one.job for one in pool.demands if not one.paused}
        # What a job without work still has in a queue is about to end; elsewhere its devices are in use until then.
        ending = {one.job for one in pool.holdings} - {one.job for one in pool.demands} if pool.traits.queued else set()
        for holding in pool.holdings:
            if holding.job not in ready and holding.job not in ending:  # it stays as it is
                self._keep(holding)
        self._deal()

    def _keep(self, holding: Holding) -> None:
        leaves = holding.leaving_for is not None  # such as one of a task that goes on with another number of GPUs
        if not leaves and not any(
            self._gaps.gap(holding.owner, name, one).mine for name in holding.nodes for one in holding.devices
        ):
            self._amounts[holding.owner] += self._pool.amount(holding.need)
        for name in holding.nodes:
            if name in self._free:
                its = holding.devices if self._gaps.any and holding.devices else None
                self._free[name].take(holding.need, holding.owner, self._pool, its)

    def _deal(self) -> None:
        dealt = self.dealt
        queue = _Turns(self, [one for one in self._pool.demands if not one.paused and one.wanted > 0], dealt)
        blocked: set[str] = set()
        for demand in queue:
            self.turns.append(demand)
            amount = self._place(demand)
            if amount is not None:
                dealt[demand.job] += 1
                self._amounts[demand.owner] += amount
                self.overtaken |= blocked
                queue.again(demand)
            elif not dealt[demand.job] and self._has_time(demand):
                blocked.add(demand.job)
                self.without.add(demand.job)

    def _able(self, name: str, need: Need, owner: str) -> Sequence[str | None] | None:
        """Return the devices that are not for others before such work is done, the best first; None: all are."""
        if not self._gaps.any:
            return None
        return self._gaps.open(owner, name, need.work)

    def _has_time(self, demand: JobDemand) -> bool:
        """Return True if reservations leave it enough devices of a node."""
        need = demand.need
        able = [self._able(name, need, demand.owner) for name in self._free if name in need.on]
        return any(some is None or len(some) >= max(need.gpus, 1) for some in able)

    def _place(self, demand: JobDemand) -> float | None:
        """Place one more; return how much it counts, None if there is no room for it."""
        need, owner = demand.need, demand.owner
        alone = self._pool.one_owner_a_node
        full, places = self._full[need, owner if alone or self._gaps.any else ""], []
        for name in self._suiting(owner) if alone or self._gaps.any else self._free:
            if name in full or name not in need.on:
                continue
            if not demand.has_work_on(name, self._placed[demand.job, name]):
                continue
            if self._free[name].fits(need, owner, self._pool, self._able(name, need, owner)):
                places.append(name)
                if len(places) == need.nodes:
                    break
            else:
                full.add(name)
        if len(places) < need.nodes:
            return None
        mine = False
        for name in places:
            taken = self._free[name].take(need, owner, self._pool, self._able(name, need, owner) if need.gpus else None)
            mine = mine or any(self._gaps.gap(owner, name, one).mine for one in taken)
            self._placed[demand.job, name] += 1
        return 0.0 if mine else self._pool.amount(need)

    def _suiting(self, owner: str) -> list[str]:
        """Return the nodes: first those where the owner has reserved something. Where owners do not share nodes, then
        those that the owner has, and those that nobody has: so nobody has to move."""
        if owner not in self._homes:
            held: dict[str, set[str]] = defaultdict(set)
            for one in self._pool.holdings if self._pool.one_owner_a_node else ():
                for name in one.nodes:
                    held[name].add(one.owner)
            reserved = self._gaps.reserved_now[owner]
            self._homes[owner] = sorted(
                self._free, key=lambda name: (name not in reserved, owner not in held[name], bool(held[name]))
            )
        return self._homes[owner]

    def rank(self, demand: JobDemand, dealt: int) -> tuple[float, ...]:
        """Return the place of the owner in the order; the smallest goes first."""
        if demand.job == self._first and not dealt:
            return (-math.inf,)
        pool = self._pool
        if pool.order is not JobOrder.FAIR:
            return self._place_in_order(demand)
        keeps = MARGIN * pool.amount(demand.need) if dealt < self._held[demand.job] else 0.0
        held = self._amounts[demand.owner] + PAST * pool.past.get(demand.owner, 0.0) - keeps
        return (held / pool.weights.get(demand.owner, 1.0),)

    def within(self, demand: JobDemand, dealt: int) -> tuple[float, float, float, str]:
        """Return the place among the jobs of the same owner."""
        first = demand.job == self._first and not dealt
        priority = -math.inf if first else -demand.priority
        if self._pool.order is not JobOrder.FAIR:
            return priority, *self._place_in_order(demand), demand.job
        return priority, dealt * self._pool.amount(demand.need), demand.created, demand.job

    def _place_in_order(self, demand: JobDemand) -> tuple[float, float]:
        """Return the place of a job among all, where owners do not share."""
        return (demand.left if self._pool.order is JobOrder.SHORT else 0.0), demand.created


class _Turns:
    """Whose turn it is: owners by rank, their jobs by priority."""

    def __init__(self, shares: Shares, demands: Sequence[JobDemand], dealt: Counter[str]) -> None:
        self._shares, self._dealt = shares, dealt
        self._jobs: dict[str, list[tuple[tuple[float, float, float, str], JobDemand]]] = defaultdict(list)
        for one in demands:
            self._jobs[one.owner].append((shares.within(one, 0), one))
        for jobs in self._jobs.values():
            heapq.heapify(jobs)

    def __iter__(self) -> Iterator[JobDemand]:
        owners = [self._head(owner) for owner in self._jobs]
        heapq.heapify(owners)
        while owners:
            _, owner = heapq.heappop(owners)
            yield heapq.heappop(self._jobs[owner])[1]
            if self._jobs[owner]:  # its place has changed, and no other owner's has
                heapq.heappush(owners, self._head(owner))

    def _head(self, owner: str) -> tuple[tuple[float, ...], str]:
        demand = self._jobs[owner][0][1]
        return self._shares.rank(demand, self._dealt[demand.job]), owner

    def again(self, demand: JobDemand) -> None:
        """Give the job a further turn, if it has work for one more allocation."""
        if self._dealt[demand.job] < demand.wanted:
            rank = self._shares.within(demand, self._dealt[demand.job])
            heapq.heappush(self._jobs[demand.owner], (rank, demand))

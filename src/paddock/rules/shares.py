"""How many allocations each job should have: they are dealt one by one over empty nodes. Pure."""

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from paddock.rules.pool import JobDemand, Need, PolicyNode, Pool

PAST = 0.5  # how much the mean use of the recent hours counts beside what is held now
MARGIN = 0.25  # an owner keeps what is held unless another is behind by more: nothing moves to and fro


class _Free:
    """What is left of a node."""

    def __init__(self, node: PolicyNode) -> None:
        self.gpus = {gpu.id: gpu.kind.lower() for gpu in node.gpus}
        self.cpus = node.cpus
        self.memory = node.memory
        self.owner: str | None = None  # who has something of it

    def matching(self, need: Need) -> list[str]:
        kind = need.gpu_type.lower() if need.gpu_type else None
        return [gpu for gpu, its in self.gpus.items() if kind in (None, its)]

    def fits(self, need: Need, owner: str, pool: Pool) -> bool:
        if pool.one_owner_a_node and self.owner not in (None, owner):
            return False
        if need.gpus and len(self.matching(need)) < need.gpus:
            return False
        if pool.counts_cores(need) and self.cpus < need.cpus:
            return False
        return not (pool.traits.counts_memory and need.memory and self.memory and self.memory < need.memory)

    def take(self, need: Need, owner: str, pool: Pool) -> None:
        """Take so much of any devices."""
        self.owner = owner
        for gpu in self.matching(need)[: need.gpus]:
            del self.gpus[gpu]
        if pool.counts_cores(need):
            self.cpus -= need.cpus
        if self.memory is not None and need.memory:
            self.memory -= need.memory


class Shares:
    """Deals allocations one by one over empty nodes."""

    def __init__(self, pool: Pool, first: str | None = None) -> None:
        self._pool = pool
        self._first = first
        self.dealt: Counter[str] = Counter()  # job -> allocations that it should have
        self.turns: list[JobDemand] = []  # in their order; the last one of each job may have got nothing
        self.overtaken: set[str] = set()  # jobs that did not fit when it was their turn, although smaller ones did
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
                self._amounts[holding.owner] += pool.amount(holding.need)
                for name in holding.nodes:
                    if name in self._free:
                        self._free[name].take(holding.need, holding.owner, pool)
        self._deal()

    def _deal(self) -> None:
        dealt = self.dealt
        queue = _Turns(self, [one for one in self._pool.demands if not one.paused and one.wanted > 0], dealt)
        blocked: set[str] = set()
        for demand in queue:
            self.turns.append(demand)
            if self._place(demand):
                dealt[demand.job] += 1
                self._amounts[demand.owner] += self._pool.amount(demand.need)
                self.overtaken |= blocked
                queue.again(demand)
            elif not dealt[demand.job]:
                blocked.add(demand.job)

    def _place(self, demand: JobDemand) -> bool:
        need, owner = demand.need, demand.owner
        alone = self._pool.one_owner_a_node
        full, places = self._full[need, owner if alone else ""], []
        for name in self._suiting(owner) if alone else self._free:
            if name in full or name not in need.on:
                continue
            if not demand.has_work_on(name, self._placed[demand.job, name]):
                continue
            if self._free[name].fits(need, owner, self._pool):
                places.append(name)
                if len(places) == need.nodes:
                    break
            else:
                full.add(name)
        if len(places) < need.nodes:
            return False
        for name in places:
            self._free[name].take(need, owner, self._pool)
            self._placed[demand.job, name] += 1
        return True

    def _suiting(self, owner: str) -> list[str]:
        """Return the nodes: first those that the owner has, then those that nobody has: so nobody has to move."""
        if owner not in self._homes:
            held: dict[str, set[str]] = defaultdict(set)
            for one in self._pool.holdings:
                for name in one.nodes:
                    held[name].add(one.owner)
            self._homes[owner] = sorted(self._free, key=lambda name: (owner not in held[name], bool(held[name])))
        return self._homes[owner]

    def rank(self, demand: JobDemand, dealt: int) -> tuple[float, ...]:
        """Return the place of the owner in the order; the smallest goes first."""
        if demand.job == self._first and not dealt:
            return (-math.inf,)
        pool = self._pool
        keeps = MARGIN * pool.amount(demand.need) if dealt < self._held[demand.job] else 0.0
        held = self._amounts[demand.owner] + PAST * pool.past.get(demand.owner, 0.0) - keeps
        return (held / pool.weights.get(demand.owner, 1.0),)

    def within(self, demand: JobDemand, dealt: int) -> tuple[float, float, float, str]:
        """Return the place among the jobs of the same owner."""
        first = demand.job == self._first and not dealt
        priority = -math.inf if first else -demand.priority
        return priority, dealt * self._pool.amount(demand.need), demand.created, demand.job


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
        while self._jobs:
            heads = {owner: jobs[0][1] for owner, jobs in self._jobs.items()}
            owner = min(heads, key=lambda one: (*self._shares.rank(heads[one], self._dealt[heads[one].job]), one))
            _, demand = heapq.heappop(self._jobs[owner])
            if not self._jobs[owner]:
                del self._jobs[owner]
            yield demand

    def again(self, demand: JobDemand) -> None:
        """Give the job a further turn, if it has work for one more allocation."""
        if self._dealt[demand.job] < demand.wanted:
            rank = self._shares.within(demand, self._dealt[demand.job])
            heapq.heappush(self._jobs.setdefault(demand.owner, []), (rank, demand))

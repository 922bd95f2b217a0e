"""Decides which allocations leave so that others, who wait in the same queue, get what they need. Pure.

On a cluster the scheduler deals what becomes free, so all that a server can do is to leave. It leaves for those who
have less than an equal share, in the scheduler's order: only where a whole need is met, only down to its own equal
share, and once for each of them. What others wait for it does not ask for.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paddock.models.choices import Giving

if TYPE_CHECKING:
    from paddock.rules.pool import Holding, JobDemand, Need, Pool

OTHERS = "@"  # before the number of somebody else's job, where else the job stands for which an allocation leaves
AFTER_SECONDS = 30.0  # since there was somebody who may use what becomes free: nothing new is asked for
WARY_SECONDS = 600.0  # since others were last seen waiting: only what is free is asked for
STALE_SECONDS = 180.0  # a look that is older tells nothing
MOST_WAITING = 200  # jobs of others that are looked at, in the scheduler's order
TINY = 1e-9


@dataclass(frozen=True)
class Waiting:
    """A job of somebody else that waits for devices, or the elements of an array that do."""

    id: str
    user: str
    partitions: frozenset[str]
    gpus: int = 0  # on each node
    cpus: int = 1  # on each node
    nodes: int = 1
    gpu_type: str | None = None
    whole: bool = False  # it needs its nodes for itself
    count: int = 1
    new: bool = False  # the scheduler has not looked at it yet: its owner counts, and nothing is given to it

    @property
    def words(self) -> str:
        return f"{self.user}'s job {self.id}"


@dataclass(frozen=True)
class Others:
    """What a scheduler reports of other users in the partitions where this server has something."""

    waiting: tuple[Waiting, ...] = ()  # in the scheduler's order
    held: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # user -> GPUs and cores in use
    partitions: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Room:
    """A node as it was seen: all that it has, and what nobody used."""

    name: str
    partitions: frozenset[str]
    gpus: int
    cpus: int
    free_gpus: int
    free_cpus: int
    kinds: frozenset[str] = frozenset()  # of its GPUs, in small letters


@dataclass(frozen=True)
class Look:
    """What was seen of others at one moment."""

    at: float
    others: Others
    rooms: tuple[Room, ...]  # those of the partitions where this server has something
    there: Mapping[str, int] = field(default_factory=dict)  # job -> allocations that ran then, and stay
    waited_at: float | None = None  # when others were last seen waiting
    called_at: float | None = None  # when there was last somebody who may use what becomes free
    served: frozenset[str] = frozenset()  # those for whom allocations have left since

    @property
    def users(self) -> set[str]:
        return {*self.others.held, *(one.user for one in self.others.waiting)}


def to_give(pool: "Pool") -> list[tuple["Holding", Waiting]]:
    """Return which allocations leave, and for whom."""
    if pool.look is None or not pool.look.others.waiting:
        return []
    return list(_Giver(pool, pool.look).give())


def allowed(pool: "Pool", turns: Sequence["JobDemand"], first: str | None, now: float) -> Counter[str] | None:
    """Return how many allocations each job may have and ask for, while others wait and a while after; None: any number.

    `turns` are the jobs in the order of their shares. `first` is a job that was overtaken for long: it asks for one.
    """
    if pool.blind:
        return Counter(one.job for one in pool.holdings if one.leaving_for is None)
    look = pool.look
    if look is None or look.waited_at is None or now - look.at > STALE_SECONDS or now - look.waited_at > WARY_SECONDS:
        return None
    held = [one for one in pool.holdings if one.nodes and one.leaving_for is None]
    found, turn = Counter(one.job for one in held), Counter[str]()
    there = found.copy()
    mine, share = sum(pool.amount(one.need) for one in held), equal_share(pool, look)
    growing = look.called_at is None or now - look.called_at >= AFTER_SECONDS
    free: dict[Need, int] = {}
    for demand in turns:
        turn[demand.job] += 1
        if turn[demand.job] <= there[demand.job]:
            continue
        need, amount = demand.need, pool.amount(demand.need)
        if need not in free:
            since = sum(max(there[one] - look.there.get(one, 0), 0) for one in there)
            free[need] = max(sum(_fits(room, need) for room in look.rooms) - since, 0)
        eager = pool.gives(demand.job) is Giving.NEVER or (demand.job == first and not found[demand.job])
        if eager or mine + amount <= share + TINY or (growing and free[need] > 0):
            found[demand.job] += 1
            mine += amount
            free[need] -= 1
    return found


def equal_share(pool: "Pool", look: Look) -> float:
    """Return how much the owners of jobs here should have together, if all who have or want something get as much."""
    own = _people(pool)
    whole = sum(max(room.gpus, 0 if room.gpus else room.cpus / pool.cpus_per_gpu) for room in look.rooms)
    return whole * own / (own + len(look.users))


def _people(pool: "Pool") -> int:
    return len({*(one.owner for one in pool.holdings), *(one.owner for one in pool.demands)} - {""}) or 1


def _fits(room: Room, need: "Need") -> int:
    by_gpus = room.free_gpus // need.gpus if need.gpus else room.free_cpus
    return min(by_gpus, room.free_cpus // need.cpus if need.cpus else by_gpus)


class _Giver:
    """Deals what can be given to those who wait, in their order."""

    def __init__(self, pool: "Pool", look: Look) -> None:
        self._pool, self._look = pool, look
        staying = [one for one in pool.holdings if one.nodes and one.leaving_for is None]
        self._spare = sum(pool.amount(one.need) for one in staying) - equal_share(pool, look)
        there = Counter(one.job for one in staying)
        self._able = Counter({job: count - pool.keep(job) for job, count in there.items()})  # that may leave, by job
        self._free = {room.name: (room.free_gpus, room.free_cpus) for room in look.rooms}
        self._on: dict[str, list[Holding]] = {room.name: [] for room in look.rooms}
        for one in sorted(staying, key=self._cost):
            if one.need.nodes == 1 and one.nodes[0] in self._on and pool.gives(one.job) is not Giving.NEVER:
                self._on[one.nodes[0]].append(one)
        # A scheduler may give somewhat more cores than were asked for.
        own = Counter[str]()
        for one in pool.holdings:
            own.update(dict.fromkeys(one.nodes, one.need.cpus))
        self._cores = {
            room.name: max(min((room.cpus - room.free_cpus) / own[room.name], 2.0), 1.0) if own[room.name] else 1.0
            for room in look.rooms
        }
        self._held = defaultdict[str, float](float)
        self._held |= {user: self._amount(*used) for user, used in look.others.held.items()}
        whose = (one.leaving_for for one in pool.holdings if one.leaving_for)
        self._promised = look.served | {to.removeprefix(OTHERS) for to in whose if to.startswith(OTHERS)}

    def give(self) -> Iterator[tuple["Holding", Waiting]]:
        fair = equal_share(self._pool, self._look) / _people(self._pool)
        for one in self._look.others.waiting[:MOST_WAITING]:
            if one.new or one.id in self._promised:
                continue
            for _ in range(one.count):
                if self._held[one.user] >= fair - TINY:
                    break  # that is as much as others have
                leaving = self._place(one)
                if leaving is None:
                    break
                self._held[one.user] += self._amount(one.gpus * one.nodes, one.cpus * one.nodes)
                yield from ((holding, one) for holding in leaving)

    def _place(self, waiting: Waiting) -> list["Holding"] | None:
        """Take what it needs from what is free and what can leave; None: that is not enough."""
        options = [(room, found) for room in self._look.rooms if (found := self._on_node(room, waiting)) is not None]
        options.sort(key=lambda option: (max(map(self._cost, option[1]), default=()), len(option[1]), option[0].name))
        chosen = options[: waiting.nodes]
        leaving = [holding for _, some in chosen for holding in some]
        amount = sum(self._pool.amount(holding.need) for holding in leaving)
        many = Counter(holding.job for holding in leaving)
        if len(chosen) < waiting.nodes or amount > max(self._spare, 0.0) + TINY:
            return None
        if any(count > self._able[job] for job, count in many.items()):
            return None
        self._spare -= amount
        self._able -= many
        for room, some in chosen:
            gpus, cpus = self._need(room, waiting)
            free = self._left_by(room, some)
            self._free[room.name] = (free[0] - gpus, free[1] - cpus)
            self._on[room.name] = [one for one in self._on[room.name] if one not in some]
        return leaving

    def _on_node(self, room: Room, waiting: Waiting) -> list["Holding"] | None:
        """Return what has to leave a node, the cheapest first; None: it cannot run there even then."""
        need = self._need(room, waiting)
        kind = waiting.gpu_type.lower() if waiting.gpu_type else None
        suits = bool(waiting.partitions & room.partitions) and (kind is None or kind in room.kinds)
        if not suits or need[0] > room.gpus or need[1] > room.cpus:
            return None
        found: list[Holding] = []
        able = self._able.copy()
        for one in self._on[room.name]:
            if self._enough(room, found, need):
                break
            if able[one.job] > 0:
                able[one.job] -= 1
                found.append(one)
        if not self._enough(room, found, need):
            return None
        for one in list(found):
            fewer = [other for other in found if other is not one]
            if self._enough(room, fewer, need):
                found = fewer
        return found

    def _need(self, room: Room, waiting: Waiting) -> tuple[int, int]:
        return (room.gpus, room.cpus) if waiting.whole else (waiting.gpus, waiting.cpus)

    def _left_by(self, room: Room, leaving: Sequence["Holding"]) -> tuple[int, int]:
        gpus, cpus = self._free[room.name]
        cores = round(sum(one.need.cpus for one in leaving) * self._cores[room.name])
        return gpus + sum(one.need.gpus for one in leaving), min(cpus + cores, room.cpus)

    def _enough(self, room: Room, leaving: Sequence["Holding"], need: tuple[int, int]) -> bool:
        gpus, cpus = self._left_by(room, leaving)
        return gpus >= need[0] and cpus >= need[1]

    def _amount(self, gpus: int, cpus: int) -> float:
        return max(float(gpus), 0.0 if gpus else cpus / self._pool.cpus_per_gpu)

    def _cost(self, holding: "Holding") -> tuple[float, float, str]:
        """Return how cheap it is that an allocation leaves: one that leaves now, then the one that is done first."""
        if self._pool.gives(holding.job) is Giving.NOW:
            return (0.0, 0.0, holding.key)
        at = min((x for x in (holding.frees_at, holding.until) if x is not None), default=float("inf"))
        return (1.0, at, holding.key)

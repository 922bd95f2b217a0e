"""A cluster with a made clock: jobs arrive, tasks take their time, the policy decides."""

import heapq
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from paddock.models import Traits
from paddock.rules.gaps import Booking
from paddock.rules.policy import Decision, GiveWay, Leave, Order, Request, Start, Wait, Withdraw, plan
from paddock.rules.pool import Holding, JobDemand, Need, PolicyNode, Pool

SLURM = Traits(queued=True, multi_node=True, counts_memory=True, counts_cores_of_gpu_tasks=True)
HALF_LIFE = 4 * 3600.0
ROUNDS = 20  # the policy must have come to rest by then


@dataclass(frozen=True)
class Job:
    name: str
    owner: str
    need: Need
    tasks: Sequence[float]  # seconds of each
    arrives: float = 0.0
    priority: int = 0
    parallel: int | None = None


@dataclass(frozen=True)
class Made:
    """A reservation, the time at which it is made, and the time at which it is cancelled."""

    at: float
    booking: Booking
    cancelled: float = float("inf")


@dataclass
class _Running:
    job: Job
    left: deque[float]
    running: int = 0
    starts: list[float] = field(default_factory=list)
    done: float | None = None
    idle_since: float | None = None


@dataclass
class Cluster:
    """Runs the jobs to their end. `idle` are the device seconds that were free although a task waited."""

    nodes: tuple[PolicyNode, ...]
    jobs: Sequence[Job]
    queued: bool = False
    one_owner_a_node: bool = False
    policy: Callable[[Pool, float], list[Decision]] = plan
    weights: dict[str, float] = field(default_factory=dict)
    made: Sequence[Made] = ()
    notice: float = 900.0
    now: float = 0.0
    holdings: dict[str, Holding] = field(default_factory=dict)
    waits: dict[str, Wait] = field(default_factory=dict)
    used: dict[str, float] = field(default_factory=lambda: defaultdict(float))  # owner -> device seconds
    gave_way: int = 0
    cut: int = 0  # tasks that were ended because their devices were reserved
    idle: float = 0.0

    def __post_init__(self) -> None:
        self.states = {job.name: _Running(job, deque(job.tasks)) for job in self.jobs}
        self._events: list[tuple[float, int, str, str]] = []  # time, order, what, whose
        self._order = 0
        self._past: dict[str, float] = defaultdict(float)
        self._running: dict[str, tuple[float, float]] = {}  # allocation -> when its task began, and how long it takes
        for job in self.jobs:
            self._at(job.arrives, "arrives", job.name)
        for one in self.made:
            for time in (one.at, one.cancelled, one.booking.starts_at, one.booking.ends_at):
                if time < float("inf"):
                    self._at(time, "reserved", "")

    def _at(self, time: float, what: str, whose: str) -> None:
        self._order += 1
        heapq.heappush(self._events, (time, self._order, what, whose))

    def run(self, until: float = float("inf")) -> None:
        while self._events and self._events[0][0] <= until:
            time = self._events[0][0]
            self._pass(time - self.now)
            self.now = time
            while self._events and self._events[0][0] == time:
                _, _, what, whose = heapq.heappop(self._events)
                if what == "ends":
                    self._task_ended(whose)
                elif what == "leaves":
                    self._leave(whose)
                elif what == "arrives":
                    self.states[whose].idle_since = time
            self.decide()
        if not self._events:
            left = [name for name, one in self.states.items() if one.left and self.now >= one.job.arrives]
            assert not left, f"at rest with tasks that wait: {left}"

    def _pass(self, seconds: float) -> None:
        decay = 0.5 ** (seconds / HALF_LIFE)
        pool = self.pool()
        held: dict[str, float] = defaultdict(float)
        for one in self.holdings.values():
            if one.nodes:
                held[one.owner] += pool.amount(one.need)
        for owner in {*held, *self._past}:
            self._past[owner] = self._past[owner] * decay + held[owner] * (1 - decay)
            self.used[owner] += held[owner] * seconds
        if any(one.left and one.job.arrives <= self.now for one in self.states.values()):
            whole = sum(len(node.gpus) or node.cpus for node in self.nodes)
            self.idle += (whole - sum(len(one.devices) for one in self.holdings.values())) * seconds

    def pool(self) -> Pool:
        there = [one for one in self.states.values() if one.job.arrives <= self.now and (one.left or one.running)]
        demands = [
            JobDemand(
                job=one.job.name,
                owner=one.job.owner,
                need=one.job.need,
                wanted=self._wanted(one),
                created=one.job.arrives,
                priority=one.job.priority,
                idle_since=one.idle_since if one.idle_since is not None and one.left else float("inf"),
            )
            for one in there
        ]
        return Pool(
            nodes=self.nodes,
            demands=tuple(demands),
            holdings=tuple(self.holdings.values()),
            traits=SLURM if self.queued else Traits(),
            past=dict(self._past),
            weights=self.weights,
            one_owner_a_node=self.one_owner_a_node,
            bookings=tuple(one.booking for one in self.made if one.at <= self.now < one.cancelled),
            notice=self.notice,
        )

    def _wanted(self, one: _Running) -> int:
        """Return how many allocations have work, beside those that give way."""
        leaving = sum(
            x.leaving_for is not None and x.frees_at is not None
            for x in self.holdings.values()
            if x.job == one.job.name
        )
        return min(len(one.left) + one.running, one.job.parallel or 10**9) - leaving

    def decide(self) -> int:
        """Ask the policy until it has nothing more to do. Returns how many decisions were carried out."""
        done = 0
        for _ in range(ROUNDS):
            decisions = self.policy(self.pool(), self.now)
            self.waits = {one.job: one for one in decisions if isinstance(one, Wait)}
            actions = [one for one in decisions if not isinstance(one, Wait | Leave | Order)]
            self._shorten([one for one in decisions if isinstance(one, Leave)])
            done += len(actions)
            for one in actions:
                self._carry_out(one)
            if self.queued:
                self._schedule()
            if not actions:
                return done
        raise AssertionError(f"the policy does not come to rest: {actions}")

    def _carry_out(self, decision: Start | Request | Withdraw | GiveWay) -> None:
        if isinstance(decision, GiveWay):
            holding = self.holdings[decision.key]
            assert holding.leaving_for is None and holding.job != decision.to
            self.holdings[decision.key] = replace(holding, leaving_for=decision.to)
            self.gave_way += 1
            return
        state = self.states[decision.job]
        if isinstance(decision, Withdraw):
            waiting = [one.key for one in self.holdings.values() if one.job == decision.job and not one.nodes]
            assert len(waiting) >= decision.count
            for key in waiting[-decision.count :]:
                del self.holdings[key]
            return
        count = decision.count if isinstance(decision, Request) else 1
        for _ in range(count):
            self._order += 1
            key = f"{decision.job}-{self._order}"
            job = state.job
            holding = Holding(key, job.name, job.owner, job.need)
            if isinstance(decision, Start):
                self._refuse_taken(decision, job.need)
                holding = replace(holding, nodes=(decision.node,), devices=decision.devices, until=decision.until)
                if decision.until is not None:
                    self._at(decision.until, "leaves", key)
            self.holdings[key] = holding
            if holding.nodes:
                self._take_task(key)

    def _refuse_taken(self, start: Start, need: Need) -> None:
        node = next(node for node in self.nodes if node.name == start.node)
        assert node.usable and node.name in need.on
        assert len(set(start.devices)) == need.units and set(start.devices) <= set(node.devices(need))
        for one in self.holdings.values():
            if start.node in one.nodes and (one.need.gpus > 0) == (need.gpus > 0):
                assert not set(one.devices) & set(start.devices), "a device was given out twice"

    def _schedule(self) -> None:
        """Start what waits in the backend's queue, first come, first served."""
        for key, one in list(self.holdings.items()):
            if one.nodes:
                continue
            for node in self.nodes:
                on = [x for x in self.holdings.values() if node.name in x.nodes]
                gpus = len(node.gpus) - sum(x.need.gpus for x in on)
                cpus = node.cpus - sum(x.need.cpus for x in on)
                if node.name in one.need.on and gpus >= one.need.gpus and cpus >= one.need.cpus:
                    self.holdings[key] = replace(one, nodes=(node.name,))
                    self._take_task(key)
                    break
            else:
                return

    def _shorten(self, leaves: Sequence[Leave]) -> None:
        for one in leaves:
            self.holdings[one.key] = replace(self.holdings[one.key], until=one.at)
            if one.at is not None:
                self._at(one.at, "leaves", one.key)

    def _leave(self, key: str) -> None:
        """End an allocation whose time is over. A task that can make way goes on later, others begin again."""
        holding = self.holdings.get(key)
        if holding is None or holding.until is None or holding.until > self.now:
            return
        state = self.states[holding.job]
        began, seconds = self._running.pop(key)
        done = self.now - began if holding.need.yields else 0.0
        state.left.appendleft(max(seconds - done, 1.0))
        state.running -= 1
        self.cut += 1
        self._end(key)

    def _end(self, key: str) -> None:
        holding = self.holdings.pop(key)
        mine = any(one.job == holding.job for one in self.holdings.values())
        self.states[holding.job].idle_since = None if mine else self.now

    def _fits(self, holding: Holding, seconds: float) -> bool:
        """Return True if a runner begins one more task."""
        fresh = holding.frees_at is None
        return fresh or holding.need.yields or holding.until is None or self.now + seconds <= holding.until

    def _take_task(self, key: str) -> None:
        holding = self.holdings[key]
        state = self.states[holding.job]
        if not state.left or holding.leaving_for or not self._fits(holding, state.left[0]):
            self._end(key)
            return
        seconds = state.left.popleft()
        state.running += 1
        state.idle_since = None
        state.starts.append(self.now)
        self.holdings[key] = replace(holding, frees_at=self.now + seconds)
        self._running[key] = (self.now, seconds)
        self._at(self.now + seconds, "ends", key)

    def _task_ended(self, key: str) -> None:
        if key not in self._running or sum(self._running[key]) > self.now:
            return  # it was cut off
        del self._running[key]
        holding = self.holdings[key]
        state = self.states[holding.job]
        state.running -= 1
        if not state.left and not state.running:
            state.done = self.now
        self._take_task(key)

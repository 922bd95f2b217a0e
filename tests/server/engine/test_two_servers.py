"""Two servers of two users on one cluster: each gets half of it, and neither pushes the other to and fro."""

import itertools
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from paddock.models import AllocationState, Device, Giving, Node, Traits
from paddock.rules.giving_way import Others, Waiting
from paddock.rules.policy import GiveWay, Request, Withdraw, plan
from paddock.rules.pool import GpuDevice, Holding, JobDemand, Need, PolicyNode, Pool
from paddock.server.engine.backend_worker import Seen
from paddock.server.engine.others import OthersWatch

GPUS, TASK, EVERY = 6, 20, 15
HERE = frozenset({"gpu"})
NODES = ("n1", "n2", "n3")
NEED = Need(frozenset(NODES), 1)
POLICY_NODES = tuple(PolicyNode(name, (GpuDevice("0"), GpuDevice("1")), 8) for name in NODES)


class Queue:
    """A scheduler with one queue: whoever waits longest gets the next GPU that is free."""

    def __init__(self) -> None:
        self.numbers = itertools.count()
        self.waiting: list[tuple[int, Server]] = []
        self.places: dict[tuple[str, int], Server] = {}

    def deal(self, now: int) -> None:
        for place in itertools.product(NODES, (0, 1)):
            if place not in self.places and self.waiting:
                number, server = self.waiting.pop(0)
                self.places[place] = server
                server.begun(number, place, now)

    def nodes(self) -> list[Node]:
        made = []
        for name in NODES:
            used = [(name, place) in self.places for place in (0, 1)]
            devices = [Device(id=str(place), kind="gpu", name="x", busy=busy) for place, busy in enumerate(used)]
            size: dict[str, Any] = {"cpus": 8, "slots": 2, "cpu_slots": 8, "cpus_used": sum(used)}
            made.append(Node(name=name, backend="slurm", devices=devices, partitions=["gpu"], **size))
        return made


class Server:
    """The policy of one user, with a job that always has more tasks."""

    def __init__(self, queue: Queue, user: str, wanted: int = 100) -> None:
        self.queue, self.user, self.wanted = queue, user, wanted
        self.watch = OthersWatch(EVERY)
        self.held: dict[int, Holding] = {}
        self.until: dict[int, int] = {}  # when the present task of an allocation ends
        self.given: list[int] = []  # when something was given
        self._seen: list[Seen] = []
        self._look_due = 0
        backend = SimpleNamespace(name="slurm", traits=Traits(queued=True))
        self.worker = cast(Any, SimpleNamespace(backend=backend, look=self._look, looked=self._looked))

    def begun(self, number: int, place: tuple[str, int], now: int) -> None:
        self.held[number] = replace(self.held[number], nodes=(place[0],), devices=(str(place[1]),))
        self.until[number] = now + TASK

    def _look(self, every: float, now: float) -> None:
        if now >= self._look_due:
            self._look_due = int(now + every)
            waiting = [Waiting(str(n), one.user, HERE, 1) for n, one in self.queue.waiting if one is not self]
            held = {one.user: (one.running, one.running) for one in self.queue.places.values() if one is not self}
            self._seen.append(Seen(now, Others(tuple(waiting), held, HERE), self.queue.nodes()))

    def _looked(self) -> Seen | None:
        return self._seen.pop() if self._seen else None

    @property
    def running(self) -> int:
        return sum(bool(one.nodes) for one in self.held.values())

    def step(self, now: int) -> None:
        for number, until in list(self.until.items()):
            held = self.held[number]
            if until <= now and held.leaving_for is None:
                self.until[number] = now + TASK
            elif until <= now:
                del self.held[number], self.until[number]
                del self.queue.places[held.nodes[0], int(held.devices[0])]
        rows = cast(Any, [_row(one) for one in self.held.values()])
        holdings = tuple(replace(one, frees_at=float(self.until.get(n, 0))) for n, one in self.held.items())
        look = self.watch.look(self.worker, rows, holdings, {"j": (Giving.BETWEEN, 1)}, now)
        jobs = (JobDemand("j", self.user, NEED, self.wanted, 0.0),) if self.wanted else ()
        for one in plan(Pool(POLICY_NODES, jobs, holdings, Traits(queued=True), look=look), now):
            if isinstance(one, Request):
                for _ in range(one.count):
                    number = next(self.queue.numbers)
                    self.held[number] = Holding(str(number), "j", self.user, NEED)
                    self.queue.waiting.append((number, self))
            elif isinstance(one, Withdraw):
                for number in [n for n, server in self.queue.waiting if server is self][-one.count :]:
                    self.queue.waiting = [each for each in self.queue.waiting if each[0] != number]
                    del self.held[number]
            elif isinstance(one, GiveWay):
                self.held[int(one.key)] = replace(self.held[int(one.key)], leaving_for=one.to)
                self.given.append(now)

    def stop(self) -> None:
        """Its job is over."""
        self.wanted = 0
        for number, one in self.held.items():
            self.held[number] = replace(one, leaving_for="end") if one.nodes else one


def _row(one: Holding) -> SimpleNamespace:
    state = AllocationState.RUNNING if one.nodes else AllocationState.PENDING
    return SimpleNamespace(state=state, job_id="j", leaving_for=one.leaving_for)


@pytest.mark.parametrize("later", [1, 7, 100])
def test_each_has_half_and_nothing_moves_to_and_fro(later: int) -> None:
    queue = Queue()
    anna, bob = Server(queue, "anna"), Server(queue, "bob")
    for now in range(1200):
        anna.step(now)
        if now >= later:
            bob.step(now)
        queue.deal(now)
        assert anna.running >= 3 or now < later
        assert bob.running == 3 or now < later + EVERY + TASK + 5, "bob has his half soon, and keeps it"
    assert (anna.running, bob.running) == (3, 3)
    assert len(anna.given) == 3 and not bob.given, "once, and never again"


def test_when_one_is_done_the_other_has_all_within_a_minute() -> None:
    queue = Queue()
    anna, bob = Server(queue, "anna"), Server(queue, "bob")
    for now in range(200):
        anna.step(now)
        bob.step(now)
        queue.deal(now)
    bob.stop()
    gone = next(now for now in range(200, 400) if not _go(queue, anna, bob, now))
    for now in range(gone + 1, gone + 60):
        anna.step(now)
        queue.deal(now)
    assert anna.running == GPUS


def _go(queue: Queue, anna: Server, bob: Server, now: int) -> int:
    anna.step(now)
    bob.step(now)
    queue.deal(now)
    return bob.running

"""What the policy decides on: nodes, the demands of jobs, and the allocations that they have. Pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from functools import cached_property

from paddock.models import Traits
from paddock.models.choices import Giving, JobOrder
from paddock.rules.gaps import Booking, Work
from paddock.rules.giving_way import Look

FOR_NOBODY = ""  # in place of the job for which an allocation leaves: no other has a claim to what it leaves


def demand_key(job: str, size: int | None) -> str:
    """Return what a job is for the policy: tasks with another number of GPUs than usual are a job of their own."""
    return job if size is None else f"{job}@{size}"


def job_of(key: str) -> str:
    """Return the job of such a key."""
    return key.partition("@")[0]


@dataclass(frozen=True)
class GpuDevice:
    id: str
    kind: str = ""


@dataclass(frozen=True)
class PolicyNode:
    """A node with all its devices, free or not."""

    name: str
    gpus: tuple[GpuDevice, ...] = ()
    cpus: int = 1
    memory: int | None = None
    usable: bool = True

    def ids(self, *, gpus: bool) -> list[str]:
        return [gpu.id for gpu in self.gpus] if gpus else [str(slot) for slot in range(self.cpus)]

    def suitable(self, need: "Need", ids: Sequence[str]) -> list[str]:
        """Return those of these devices that such an allocation can use."""
        if need.gpu_type is None or not need.gpus:
            return list(ids)
        kinds = {gpu.id: gpu.kind.lower() for gpu in self.gpus}
        return [one for one in ids if kinds.get(one) == need.gpu_type.lower()]

    def devices(self, need: "Need") -> list[str]:
        return self.suitable(need, self.ids(gpus=need.gpus > 0))


@dataclass(frozen=True)
class Need:
    """What an allocation needs on each of its nodes, which are among `on`."""

    on: frozenset[str]
    gpus: int = 0
    gpu_type: str | None = None
    cpus: int = 1
    memory: int | None = None
    nodes: int = 1
    seconds: float | None = None  # how long it works, if that is known
    yields: bool = False  # it can make way: its tasks go on later from where they were

    @property
    def work(self) -> Work:
        return self.gpus > 0, self.seconds, self.yields

    @property
    def units(self) -> int:
        """Return how many devices it needs on a node, where CPU slots of allocations with GPUs are not counted."""
        return self.gpus or self.cpus


@dataclass(frozen=True)
class JobDemand:
    """A job that has tasks to run."""

    job: str  # see `demand_key`, here and in all decisions
    owner: str
    need: Need
    wanted: int  # allocations that have work
    created: float
    priority: int = 0
    paused: bool = False  # keeps what it has, and gets nothing
    idle_since: float = math.inf  # since when it has tasks that wait and no allocation
    most_on: Mapping[str, int] | None = None
    """Allocations that have work on each node: tasks may have to run where their files are. None: it is not limited."""

    no_more_on: Mapping[str, int] = field(default_factory=dict)
    """Nodes on which it cannot start anything at the moment -> the allocations that it has there."""

    left: float = 0.0  # seconds of devices that its work will take, as it is supposed; less if it waits for long

    def has_work_on(self, node: str, there: int) -> bool:
        """Return True if one more allocation on this node has work, beside those that are there."""
        if there >= self.no_more_on.get(node, math.inf):
            return False
        return self.most_on is None or there < self.most_on.get(node, 0)


@dataclass(frozen=True)
class Holding:
    """An allocation that a job has or has requested. `nodes` is empty while the backend's own queue has it."""

    key: str
    job: str
    owner: str
    need: Need
    nodes: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()  # ids of GPUs if it needs GPUs, else numbers of CPU slots
    leaving_for: str | None = None  # the job for which it gives way; see also `giving_way.OTHERS`
    frees_at: float | None = None  # when the tasks that run in it will have ended, as far as it can be told
    ends_at: float | None = None  # when the work of its job will be done
    until: float | None = None  # when it has to leave its devices to others, as it was told


@dataclass(frozen=True)
class Pool:
    """All that is known of a backend and its jobs."""

    nodes: tuple[PolicyNode, ...]
    demands: tuple[JobDemand, ...] = ()
    holdings: tuple[Holding, ...] = ()
    traits: Traits = field(default_factory=Traits)
    crowded: bool = False  # others use it too: what is given up there may go to them
    past: Mapping[str, float] = field(default_factory=dict)  # owner -> mean amount held in the recent hours
    weights: Mapping[str, float] = field(default_factory=dict)  # owner -> share; 1 for others
    one_owner_a_node: bool = False  # a node that has allocations of one owner gets none of another
    bookings: tuple[Booking, ...] = ()  # where the backend has no queue of its own
    notice: float = 900.0  # seconds that running work keeps when its devices are reserved
    yield_seconds: float = 1800.0  # the shortest gap between bookings for work that can make way
    zone: tzinfo = UTC  # of times in reasons
    look: Look | None = None  # what others wait for, where the backend's queue is not for this server alone
    blind: bool = False  # the first look is not done yet: nothing more is asked for, and nothing grows
    giving: Mapping[str, tuple[Giving, int]] = field(default_factory=dict)
    """Job -> when its allocations leave for others, and how many it keeps; of those that are missing: between, 1."""

    order: JobOrder = JobOrder.FAIR

    def gives(self, job: str) -> Giving:
        return self.giving[job][0] if job in self.giving else Giving.BETWEEN

    def keep(self, job: str) -> int:
        return self.giving[job][1] if job in self.giving else 1

    @cached_property
    def cpus_per_gpu(self) -> float:
        """Return how many CPU slots count as much as a GPU; 1 where there are no GPUs."""
        gpus = sum(len(node.gpus) for node in self.nodes)
        return sum(node.cpus for node in self.nodes) / gpus if gpus else 1.0

    def amount(self, need: Need) -> float:
        """Return how much an allocation counts, in GPUs."""
        cpus = need.cpus / self.cpus_per_gpu if self.counts_cores(need) else 0.0
        return max(need.gpus, cpus) * need.nodes

    def counts_cores(self, need: Need) -> bool:
        return self.traits.counts_cores_of_gpu_tasks or not need.gpus

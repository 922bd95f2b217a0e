"""Nodes, devices and backends, and the health of the server."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import Field

from paddock.models.base import Model
from paddock.models.reservations import BookingResult
from paddock.models.resources import Resources


@dataclass(frozen=True)
class Traits:
    """What a kind of backend can do, and what it counts. The default is a bare backend of one node."""

    queued: bool = False
    """It has a scheduler of its own, such as Slurm. False: it starts what it is told, where it is told."""
    multi_node: bool = False  # one allocation may have several nodes
    counts_memory: bool = False  # an allocation gets the memory that it asks for, and no more
    counts_cores_of_gpu_tasks: bool = False  # False: allocations with GPUs share the cores
    dealt: bool = False
    """Its nodes have no common file system: each attempt is dealt to one allocation, on whose node its files stay."""


class GpuProcess(Model):
    """A process on a GPU, of any user."""

    pid: int
    owner: str | None = None
    command: str | None = None
    memory: int | None = Field(None, description="bytes on the GPU")
    start: int | None = Field(None, description="clock ticks since boot: another process may get the same pid later")
    session: int | None = Field(None, description="the pid of the process that began its session")
    task: str | None = Field(None, description="the task that it belongs to")


class Device(Model):
    id: str
    kind: Literal["gpu", "cpu"]
    name: str = ""
    memory: int | None = Field(None, description="bytes")
    busy: bool = Field(False, description="in use by any process")
    used_by: list[str] = Field(default_factory=list, description="keys of the allocations on it")
    tasks: list[str] = Field(default_factory=list, description="ids of the tasks that run on it")
    uuid: str | None = None
    load: float | None = Field(None, description="share of the time in which it is busy, as last measured")
    memory_used: int | None = Field(None, description="bytes in use by all processes")
    temperature: float | None = Field(None, description="degrees Celsius")
    power: float | None = Field(None, description="watts")
    power_limit: float | None = Field(None, description="watts")
    processes: list[GpuProcess] = Field(default_factory=list, description="the processes on it that the server can see")


class Node(Model):
    name: str
    backend: str
    state: str = "up"
    cpus: int
    load: float | None = Field(None, description="processes that run or wait for a core, over the last minute")
    cpus_used: float | None = Field(None, description="busy cores; on Slurm: allocated cores")
    cpus_busy: float | None = Field(None, description="busy cores, where they were measured on the node")
    memory: int | None = Field(None, description="bytes")
    memory_free: int | None = Field(None, description="bytes that are available")
    memory_used: int | None = Field(None, description="bytes in use, where they were measured on the node")
    slots: int = Field(description="number of tasks that run at a time when each needs one device")
    slots_used: int = 0
    cpu_slots: int = Field(description="number of tasks that run at a time when each needs one core and no GPU")
    devices: list[Device] = Field(default_factory=list)
    tasks: list[str] = Field(default_factory=list, description="ids of the tasks that run on it")
    usable: bool = Field(True, description="takes new work")
    reason: str | None = Field(None, description="why it takes no new work")
    partitions: list[str] = Field(default_factory=list)
    features: list[str] = Field(default_factory=list)
    processes: int | None = Field(None, description="number of processes, where they were counted on the node")
    people: list["SignedInPerson"] = Field(default_factory=list, description="who is logged in on the node")


class SignedInPerson(Model):
    """A person who is logged in on a node."""

    user: str
    terminal: str = ""
    since: float | None = Field(None, description="seconds since 1970")


class BackendInfo(Model):
    """A backend: a place where jobs can run."""

    name: str
    kind: Literal["local", "slurm", "hosts", "kubernetes"]
    default: bool = Field(description="jobs that name no backend run here")
    state: str = Field(description="ok, or what is wrong")
    since: datetime | None = Field(None, description="since when the state has not been ok")
    defaults: Resources = Field(description="resources of jobs that do not ask for others")
    partitions: list[str] = Field(default_factory=list)


class Health(Model):
    ok: bool
    engine_beat: datetime | None = Field(None, description="when the engine's last round ended")
    database: str
    backends: dict[str, str] = Field(description="name -> ok, or what is wrong")
    problems: list[str] = Field(default_factory=list)
    set_aside: int = Field(0, description="number of jobs that the engine cannot process now; see their warnings")


class Version(Model):
    version: str
    api: str = "v1"


class ErrorBody(Model):
    code: str
    message: str
    fields: dict[str, str] = Field(default_factory=dict)
    booking: BookingResult | None = Field(None, description="with the code `refused`: why, and what is free")


class ErrorReply(Model):
    error: ErrorBody

"""Where jobs run, and how the server is."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from paddock.models.base import Model
from paddock.models.resources import Resources


class GpuProcess(Model):
    """A process on a GPU, whoever's it is."""

    pid: int
    owner: str | None = None
    command: str | None = None
    memory: int | None = Field(None, description="bytes on the GPU")
    task: str | None = Field(None, description="the task that it belongs to")


class Device(Model):
    id: str
    kind: Literal["gpu", "cpu"]
    name: str = ""
    memory: int | None = Field(None, description="bytes")
    busy: bool = Field(False, description="in use, by whomever")
    used_by: list[str] = Field(default_factory=list, description="keys of the allocations on it")
    tasks: list[str] = Field(default_factory=list, description="ids of the tasks that run on it")
    uuid: str | None = None
    load: float | None = Field(None, description="share of the time in which it is busy, as last measured")
    memory_used: int | None = Field(None, description="bytes, by whomever")
    processes: list[GpuProcess] = Field(default_factory=list, description="those on it, as far as they can be seen")


class Node(Model):
    name: str
    backend: str
    state: str = "up"
    cpus: int
    load: float | None = Field(None, description="processes that run or wait for a core, over the last minute")
    cpus_used: float | None = Field(None, description="cores that are busy; on Slurm: that are given away")
    cpus_busy: float | None = Field(None, description="cores that are busy, where somebody has looked")
    memory: int | None = Field(None, description="bytes")
    memory_free: int | None = Field(None, description="bytes that could be had")
    memory_used: int | None = Field(None, description="bytes in use, where somebody has looked")
    slots: int = Field(description="how many tasks run at a time when each asks for one device")
    slots_used: int = 0
    cpu_slots: int = Field(description="how many tasks of one core without a GPU run at a time")
    devices: list[Device] = Field(default_factory=list)
    tasks: list[str] = Field(default_factory=list, description="ids of the tasks that run on it")
    usable: bool = Field(True, description="takes new work")
    reason: str | None = Field(None, description="why it does not")
    partitions: list[str] = Field(default_factory=list)
    features: list[str] = Field(default_factory=list)


class BackendInfo(Model):
    """Where jobs can run."""

    name: str
    kind: Literal["local", "slurm"]
    default: bool = Field(description="for jobs that name none")
    state: str = Field(description="ok, or what is wrong")
    since: datetime | None = Field(None, description="since when it has been wrong")
    defaults: Resources = Field(description="what jobs get there that do not ask for something else")
    partitions: list[str] = Field(default_factory=list)


class Health(Model):
    ok: bool
    engine_beat: datetime | None = Field(None, description="when the engine's last round ended")
    database: str
    backends: dict[str, str] = Field(description="name -> ok, or what is wrong")
    problems: list[str] = Field(default_factory=list)
    set_aside: int = Field(0, description="jobs that the engine cannot go on with; each says why in its warnings")


class Version(Model):
    version: str
    api: str = "v1"


class ErrorBody(Model):
    code: str
    message: str
    fields: dict[str, str] = Field(default_factory=dict)


class ErrorReply(Model):
    error: ErrorBody

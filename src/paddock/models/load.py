"""How busy nodes are, by node, user and job, and what was measured on them."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field

from paddock.models.base import Model
from paddock.models.cluster import GpuProcess, Node, SignedInPerson


class Share(Model):
    """What running tasks use together."""

    tasks: int = 0
    cores: float = Field(0.0, description="busy cores, as measured")
    memory: int = Field(0, description="bytes")
    gpus: int = Field(0, description="number of GPUs that the tasks are on")
    gpu_memory: int = Field(0, description="bytes")


class Hint(Model):
    """Something that the owner of a job could change."""

    kind: Literal["share_gpu", "near_gpu_memory", "near_memory", "idle_cores", "idle_gpu"]
    text: str
    per_gpu: int | None = Field(None, description="share_gpu: this many tasks could share a GPU")


class UserLoad(Share):
    user: str


class JobLoad(Share):
    job: str
    name: str
    user: str
    gpu_load: float | None = Field(None, description="mean over the GPUs that its tasks are on, 0 to 1")
    advice: list[Hint] = Field(default_factory=list)


class LoadReport(Model):
    """How busy nodes are at one moment, and who uses them."""

    at: datetime
    nodes: list[Node]
    users: list[UserLoad]
    jobs: list[JobLoad]


class LoadSeries(Model):
    """How busy a node, or one GPU of it, was over time. What was not measured is null."""

    node: str
    backend: str
    device: str | None = Field(None, description="id of a GPU; null: the node itself")
    times: list[float] = Field(description="seconds since 1970")
    load: list[float | None] = Field(description="share of the cores, or of the GPU, that was busy, 0 to 1")
    memory: list[float | None] = Field(description="bytes in use")
    temperature: list[float | None] = Field(description="of a GPU, degrees Celsius; empty if it was never measured")
    power: list[float | None] = Field(description="of a GPU, watts; empty if it was never measured")
    processes: list[float | None] = Field(
        description="number of processes on the node, or on the GPU; empty if they were never counted"
    )


MOST_TILES = 200


class Tile(Model):
    """A part of a page that a person has put there."""

    kind: str = Field(pattern="^[a-z][a-z0-9_-]*$", max_length=32, description="what it shows")
    backend: str | None = Field(None, max_length=200)
    node: str | None = Field(None, max_length=255, description="null: all nodes")
    device: str | None = Field(None, max_length=200, description="id of a GPU; null: the node, or all its GPUs")
    x: int = Field(ge=0, le=1000, description="columns from the left")
    y: int = Field(ge=0, le=10_000, description="rows from the top")
    w: int = Field(ge=1, le=1000, description="width in columns")
    h: int = Field(ge=1, le=1000, description="height in rows")


class PageLayout(Model):
    """How a person has arranged a page."""

    tiles: list[Tile] | None = Field(None, max_length=MOST_TILES, description="null: as the page begins")


MOST_GPUS = 128  # of a node
MOST_PEOPLE = 64  # on a node
MOST_PROCESSES = 64  # of a GPU: a runner reports no more


def _short(processes: list[GpuProcess]) -> list[GpuProcess]:
    for one in processes:
        if any(len(text or "") > 200 for text in (one.owner, one.command, one.task)):
            raise ValueError("a text about a process is too long")
        numbers = (one.memory, one.start, one.session)
        if not (0 <= one.pid < 2**31 and all(0 <= (number or 0) <= 2**63 for number in numbers)):
            raise ValueError("a number of a process is out of bounds")
    return processes


def _named(people: list[SignedInPerson]) -> list[SignedInPerson]:
    for one in people:
        if not 0 < len(one.user) <= 64 or len(one.terminal) > 64 or not (one.user + one.terminal).isprintable():
            raise ValueError("a text about a person is not one")
    return people


class GpuSample(Model):
    """What paddock.common.node_stats measured on a GPU."""

    model_config = ConfigDict(extra="ignore")

    id: str = Field(max_length=200)
    number: int = Field(ge=0, lt=2**31)
    place: str | None = Field(None, max_length=200, description="what the scheduler calls it")
    name: str = Field("", max_length=200)
    memory: int | None = Field(None, ge=0, le=2**63)
    used: int | None = Field(None, ge=0, le=2**63)
    load: float | None = Field(None, ge=0, le=1)
    temperature: float | None = Field(None, ge=-100, le=1000)
    power: float | None = Field(None, ge=0, le=1e6)
    power_limit: float | None = Field(None, ge=0, le=1e6)
    processes: Annotated[list[GpuProcess], AfterValidator(_short)] = Field(
        default_factory=list, max_length=MOST_PROCESSES
    )


class NodeSample(Model):
    """What paddock.common.node_stats measured on a node."""

    model_config = ConfigDict(extra="ignore")

    cores: int = Field(ge=1, le=2**20)
    busy: float | None = Field(None, ge=0, le=1e6)
    load: float | None = Field(None, ge=0, le=1e6)
    memory: int | None = Field(None, ge=0, le=2**63)
    free: int | None = Field(None, ge=0, le=2**63)
    cards: list[GpuSample] = Field(default_factory=list, max_length=MOST_GPUS)
    processes: int | None = Field(None, ge=0, le=2**31)
    people: Annotated[list[SignedInPerson], AfterValidator(_named)] = Field(
        default_factory=list, max_length=MOST_PEOPLE
    )

    @property
    def used(self) -> int | None:
        return None if self.memory is None or self.free is None else max(self.memory - self.free, 0)

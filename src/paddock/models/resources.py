"""The resources that a task needs."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from paddock.models.base import MOST_SECONDS, Bytes, Model, Name, Seconds
from paddock.models.choices import Launcher
from paddock.models.container import ContainerLike
from paddock.models.hosts import HostNames, expand


def _free_option(option: str) -> str:
    """Refuse options of sbatch that Paddock sets itself: they would break its allocations."""
    given = option.partition("=")[0].removeprefix("--")
    name = next((ours for ours in (given, *_OUR_OPTIONS) if ours in _OUR_OPTIONS and ours.startswith(given)), None)
    if name:  # or an abbreviation of it, which sbatch takes as well
        raise ValueError(f"--{name} is set by Paddock" + (f": use {_OUR_OPTIONS[name]}" if _OUR_OPTIONS[name] else ""))
    if given in _NO_JOB:
        raise ValueError(f"--{given} submits nothing here")
    return option


_OUR_OPTIONS = {
    "array": "", "job-name": "", "comment": "", "output": "", "error": "", "input": "", "chdir": "", "wrap": "",
    "open-mode": "", "signal": "", "parsable": "", "test-only": "", "wait": "", "export": "", "export-file": "",
    "dependency": "", "uid": "", "gid": "", "hold": "", "ntasks": "", "ntasks-per-node": "", "overcommit": "",
    "partition": "the field partition", "gres": "the field gpus", "gpus": "the field gpus",
    "gpus-per-node": "the field gpus", "gpus-per-task": "the field gpus", "cpus-per-task": "the field cpus",
    "mem": "the field memory", "time": "the field time_limit", "nodes": "the field nodes",
    "account": "the field account", "qos": "the field qos", "constraint": "the field constraint",
    "nodelist": "the field nodelist", "exclude": "the field exclude", "reservation": "the field reservation",
    "nice": "the field nice",
}  # fmt: skip

_NO_JOB = {"help", "usage", "version", "cluster", "clusters"}


def _like(pattern: str, example: str, most: int = 500) -> AfterValidator:
    """Return a check for text that is passed to Slurm unchanged: what could mean something else to it is refused."""
    allowed = re.compile(pattern)

    def check(text: str) -> str:
        stripped = text.strip()
        if len(stripped) > most or not allowed.fullmatch(stripped):
            raise ValueError(f"{text!r} cannot be used: write it like {example}")
        return stripped

    return AfterValidator(check)


SlurmNames = Annotated[str, _like(r"[A-Za-z0-9_.,+@:\-]+", "volta or gpu,cpu")]
SlurmNodes = Annotated[str, _like(r"[A-Za-z0-9_.,\[\]\-]+", "node[01-04],node7", 2000)]
SlurmFeatures = Annotated[str, _like(r"[A-Za-z0-9_.,:=+&|*()\[\]\-]+", "a100|v100")]
SlurmOption = Annotated[
    str,
    _like(r"--[a-z][a-z0-9-]*(=[^\x00-\x1f\x7f\"'\\`$]*)?", "--licenses=matlab:1, without quotes"),
    AfterValidator(_free_option),
]


class Triple(Model):
    """Nodes, tasks at a time per node, threads per task. Text form: `2,8,4`."""

    nodes: int = Field(ge=1, le=10_000)
    tasks: int = Field(ge=1, le=1024)
    threads: int = Field(ge=1, le=4096)


def _triple(given: Any) -> Any:
    parts = given.strip("[]() ").split(",") if isinstance(given, str) else given
    if not isinstance(parts, list | tuple):
        return given
    try:
        nodes, tasks, threads = (int(part) for part in parts)
    except (TypeError, ValueError):
        raise ValueError(f"write NODES,TASKS_PER_NODE,THREADS_PER_TASK: such as 2,8,4, not {given!r}") from None
    return {"nodes": nodes, "tasks": tasks, "threads": threads}


MOST_PER_GPU = 256


def _sharing(given: Any) -> Any:
    """Read `auto` or a number, which may be text."""
    text = given.strip() if isinstance(given, str) else given
    number = int(text) if isinstance(text, str) and text.isdecimal() else text
    if number is None or number == "auto":
        return number
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MOST_PER_GPU:
        raise ValueError(f"write a number from 1 to {MOST_PER_GPU}, or auto, not {given!r}")
    return number


class SlurmResources(Model):
    """What only Slurm knows. Other backends ignore it."""

    partition: SlurmNames | None = Field(None, description="a partition, or several separated by commas")
    account: SlurmNames | None = None
    qos: SlurmNames | None = None
    constraint: SlurmFeatures | None = Field(None, description="features that the nodes must have")
    nodelist: SlurmNodes | None = Field(None, description="only on these nodes")
    exclude: SlurmNodes | None = Field(None, description="not on these nodes")
    reservation: SlurmNames | None = None
    nice: int | None = Field(None, ge=0, le=2_147_483_645, description="how much to lower the priority of the job")
    options: list[SlurmOption] = Field(default_factory=list, max_length=50, description="other options of sbatch")


class HostsResources(Model):
    """What only backends of kind hosts know. Others ignore it."""

    only: list[HostNames] = Field(
        default_factory=list, max_length=1000, description="only on these hosts, such as gpu1 or gpu[3-8]"
    )

    @property
    def names(self) -> frozenset[str]:
        """Return the names one by one; empty: all hosts."""
        return frozenset(name for one in self.only for name in expand(one))


def in_sections(given: Any) -> Any:
    """Return resources with the names of Slurm in their section: they may be beside the others, as in older files.

    Raise ValueError if a name is in both places with different values.
    """
    names = SlurmResources.model_fields.keys()
    section = given.get("slurm", {}) if isinstance(given, Mapping) else None
    section = section.model_dump() if isinstance(section, SlurmResources) else section
    if not isinstance(section, Mapping) or not names & given.keys():
        return given
    inside = {name: value for name, value in section.items() if value not in (None, [])}
    beside = {name: given[name] for name in names & given.keys() if given[name] not in (None, [])}
    for name, value in beside.items():
        if inside.get(name, value) != value:
            raise ValueError(f"{name} and slurm.{name} are both given and differ: leave one of them out")
    return {name: value for name, value in given.items() if name not in names} | {"slurm": inside | beside}


class Resources(Model):
    """What one task needs. Fields that are not given come from the profile, then from the settings of the backend."""

    backend: Name | None = Field(None, description="name of the backend; the server's default when not given")
    profile: Name | None = Field(None, description="name of a profile (resources with a name) in the settings")
    gpus: int | None = Field(None, ge=0, le=1024, description="GPUs per node; when not given: one if nodes have GPUs")
    most_gpus: int | None = Field(
        None, ge=1, le=1024, description="up to how many GPUs a running task can be resized; `gpus: 1..4` sets both"
    )
    gpu_type: SlurmNames | None = Field(None, description="the kind of GPU, by its name in the cluster")
    cpus: int | None = Field(None, ge=1, le=4096, description="cores per node; one when not given")
    memory: Bytes | None = Field(None, ge=1, le=2**53, description="memory per node, such as 16G")
    time_limit: Seconds | None = Field(
        None,
        ge=60,
        le=MOST_SECONDS,
        description="time limit of an allocation, such as 4h; tasks that it interrupts go on in the next one",
    )
    nodes: int | None = Field(None, ge=1, le=10_000, description="nodes per task; one when not given")
    launcher: Launcher | None = Field(None, description="how the processes of one task are started")
    slots: int | None = Field(None, ge=1, le=1024, description="tasks at a time per allocation; one when not given")
    per_gpu: Annotated[
        Annotated[int, Field(ge=1, le=MOST_PER_GPU)] | Literal["auto"] | None, BeforeValidator(_sharing)
    ] = Field(
        None,
        description="tasks that share a GPU, as far as its memory suffices; auto: as many as increase the throughput",
    )
    triple: Annotated[
        Triple | None, BeforeValidator(_triple, json_schema_input_type=Triple | str | list[int] | None)
    ] = Field(None, description="nodes, tasks at a time per node, threads per task: in place of slots, cpus and gpus")
    container: ContainerLike = Field(None, description="the image that tasks run in; none: they run on the node itself")
    slurm: SlurmResources = Field(
        SlurmResources(), description="what only Slurm knows; its names are also accepted without `slurm`"
    )
    hosts: HostsResources = Field(HostsResources(), description="what only backends of kind hosts know")

    @model_validator(mode="before")
    @classmethod
    def _in_sections(cls, given: Any) -> Any:
        return in_sections(given)

    @model_validator(mode="before")
    @classmethod
    def _range_of_gpus(cls, given: Any) -> Any:
        """Read `gpus: 1..4` as one GPU, and four at most."""
        text = given.get("gpus") if isinstance(given, dict) else None
        if not isinstance(text, str) or ".." not in text:
            return given
        if given.get("most_gpus") is not None:
            raise ValueError(f"gpus: {text} contains the most already: leave most_gpus out")
        least, most = (part.strip() for part in text.split("..", 1))
        if not (least.isdecimal() and most.isdecimal()):
            raise ValueError(f"gpus: {text} is not possible: write the fewest and the most, such as 1..4")
        return {**given, "gpus": int(least), "most_gpus": int(most)}

    @model_validator(mode="before")
    @classmethod
    def _part_of_a_gpu(cls, given: Any) -> Any:
        """Read `gpus: 0.25` as a quarter of a GPU: four tasks share one."""
        part = given.get("gpus") if isinstance(given, dict) else None
        if not isinstance(part, float) or part.is_integer():
            return given
        if not 0 < part < 1:
            raise ValueError(f"gpus: {part:g} is not possible: write a whole number, or a part of one such as 0.25")
        if given.get("per_gpu") is not None:
            raise ValueError(f"gpus: {part:g} means that several tasks share a GPU: leave per_gpu out")
        return {name: value for name, value in given.items() if name != "gpus"} | {"per_gpu": int(1 / part + 1e-9)}

    @model_validator(mode="after")
    def _nothing_twice(self) -> "Resources":
        if self.triple is not None:
            names = ("slots", "cpus", "nodes", "per_gpu", "launcher")
            twice = [name for name in names if getattr(self, name) is not None] + ["gpus"] * bool(self.gpus)
            if twice:
                raise ValueError(f"triple contains this already: leave {', '.join(twice)} out")
        if self.per_gpu is not None and self.gpus == 0:
            raise ValueError("per_gpu needs GPUs, and gpus is 0")
        if self.per_gpu is not None and (self.nodes or 1) > 1:
            raise ValueError("tasks over several nodes have their GPUs to themselves: leave per_gpu out")
        return self

    @model_validator(mode="after")
    def _of_one_size(self) -> "Resources":
        """Check what a range of GPUs excludes: a task that changes its size has its allocation to itself."""
        if self.most_gpus is None:
            return self
        if not self.gpus or self.gpus > self.most_gpus:
            raise ValueError("most_gpus needs gpus, from 1 up to it: write both as one range, such as gpus: 1..4")
        several = [name for name in ("slots", "nodes") if (getattr(self, name) or 1) > 1]
        shared = [name for name in ("per_gpu", "triple") if getattr(self, name) is not None]
        if several or shared:
            raise ValueError(
                "a task whose GPUs change in number runs alone, on as many nodes as they need: "
                f"leave {', '.join(several + shared)} out"
            )
        return self

    @property
    def all_gpus(self) -> int:
        """Return the GPUs of all its nodes together."""
        return (self.gpus or 0) * (self.nodes or 1)

    def unusual(self, gpus: int | None) -> int | None:
        """Return a number of GPUs if tasks can have several, and it is not the fewest; else None."""
        return gpus if self.most_gpus is not None and gpus != self.gpus else None

    def of_size(self, gpus: int | None, on_a_node: int | None = None) -> "Resources":
        """Return what a task with this many GPUs needs: cores and memory grow with them. None: as they are.

        `on_a_node`: a multiple of so many is on several nodes.
        """
        if gpus is None or not self.gpus or gpus == self.gpus:
            return self
        several = on_a_node and gpus > on_a_node and gpus % on_a_node == 0
        each = on_a_node if on_a_node and several else gpus
        grown = {
            name: given * each // self.gpus for name in ("cpus", "memory") if (given := getattr(self, name)) is not None
        }
        nodes = {"nodes": gpus // each, "most_gpus": None} if several else {}  # as one that has always had several
        return self.model_copy(update={"gpus": each, **grown, **nodes})

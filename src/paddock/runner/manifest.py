"""The manifest of a batch: what its allocations are for."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, NamedTuple, Optional

from ..common import layout
from ..common.containers import ContainerImage, parsed
from ..common.files import read_plain
from .process.deadline import Yield, parse_yield

LOG_BYTES = 1024**3
_LARGEST = 16_000_000  # bytes of a manifest
WORD_SECONDS = 15.0
TORCHRUN, TENSORFLOW, SRUN = "torchrun", "tensorflow", "srun"


class Members(NamedTuple):
    """The processes of a task that has several."""

    nodes: int
    processes: int  # per node
    launcher: str

    @property
    def per_node(self) -> int:
        """The number of processes to start per node; torchrun starts its processes itself."""
        return self.processes if self.launcher == SRUN else 1

    @property
    def total(self) -> int:
        return self.nodes * self.per_node


class Manifest(NamedTuple):
    job: str
    key: str
    job_dir: str
    slots: int
    poll_seconds: float
    usage_seconds: float
    grace_seconds: float
    idle_seconds: float
    metric_files: List[str]
    metric_stdout: bool
    metric_patterns: List[str]
    objective: str = ""  # the metric, if the job names one
    time_limit: Optional[float] = None
    warn_seconds: float = 60.0
    tasks: Optional[int] = None
    umask: Optional[int] = None
    members: Optional[Members] = None
    threads: Optional[int] = None  # per task, as requested
    task_gpus: int = 0
    per_gpu: Optional[int] = 1  # tasks that may share a GPU; None: the runner finds out how many
    mps: bool = True
    log_bytes: int = LOG_BYTES  # per attempt
    word_seconds: float = WORD_SECONDS  # it reports at least this often
    terminal: bool = False  # each task has a terminal, to which its owner can attach
    known: Optional[Dict[str, Any]] = None  # kind of GPU -> what earlier jobs found: need, tasks, limit
    dealt: bool = False  # tasks are dealt to each allocation, which has its own list of them
    node: Optional[str] = None  # what the server calls the node, if that is known
    yields: Yield = Yield()
    container: Optional[ContainerImage] = None  # the image that tasks run in
    turn_seconds: Optional[float] = None  # after this long it takes no further task, so that others have their turn

    @property
    def size(self) -> int:
        """How many GPUs a task gets, on all its nodes together."""
        return self.task_gpus * (self.members.nodes if self.members else 1)


def load(allocation_dir: str) -> Manifest:
    data: Dict[str, Any] = json.loads(read_plain(layout.manifest(allocation_dir), _LARGEST).decode("utf-8"))
    metrics = data.get("metrics") or {}
    return Manifest(
        job=data["job"],
        key=os.path.basename(os.path.abspath(allocation_dir)),
        job_dir=data["job_dir"],
        slots=max(1, int(data.get("slots", 1))),
        poll_seconds=max(0.01, float(data.get("poll_seconds", 0.2))),
        usage_seconds=max(0.1, float(data.get("usage_seconds", 2.0))),
        grace_seconds=max(0.0, float(data.get("grace_seconds", 10.0))),
        idle_seconds=float(data.get("idle_seconds", 0.0)),
        metric_files=list(metrics.get("files") or []),
        metric_stdout=bool(metrics.get("stdout", True)),
        metric_patterns=list(metrics.get("patterns") or []),
        objective=str(data.get("objective") or ""),
        time_limit=_optional(float, data.get("time_limit")) or None,
        warn_seconds=max(0.0, float(data.get("warn_seconds", 60.0))),
        tasks=_optional(int, data.get("tasks")),
        umask=_optional(int, data.get("umask")),
        members=_members(data.get("members")),
        threads=_optional(int, data.get("threads")) or None,
        terminal=data.get("terminal") is True,
        log_bytes=_optional(int, data.get("log_bytes")) or LOG_BYTES,
        word_seconds=max(0.1, _optional(float, data.get("word_seconds")) or WORD_SECONDS),
        dealt=data.get("dealt") is True,
        node=str(data["node"]) if data.get("node") else None,
        turn_seconds=_optional(float, data.get("turn_seconds")) or None,
        yields=_yields(data.get("yields"), os.path.abspath(allocation_dir)),
        container=parsed(data.get("container")),
        **_sharing(data.get("gpus")),
    )


def _optional(kind: Any, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
        raise ValueError("the manifest contains %r where a number of 0 or more should be" % (value,))
    return kind(value)


def _yields(value: Any, allocation_dir: str) -> Yield:
    """Return when this allocation of the batch leaves its devices to others."""
    number = allocation_dir.rpartition(".")[2]
    return parse_yield(value.get(number)) if isinstance(value, dict) else Yield()


def _sharing(value: Any) -> Dict[str, Any]:
    if not isinstance(value, dict):
        return {}
    per = value.get("per", 1)
    return {
        "task_gpus": max(0, int(value.get("task", 1))),
        "per_gpu": None if per == "auto" else max(1, int(per)),
        "mps": value.get("mps") is not False,
        "known": value.get("known"),
    }


def _members(value: Any) -> Optional[Members]:
    if value is None:
        return None
    members = Members(
        nodes=max(1, int(value.get("nodes", 1))),
        processes=max(1, int(value.get("processes", 1))),
        launcher=value["launcher"],
    )
    if members.launcher not in (TORCHRUN, TENSORFLOW, SRUN):
        raise ValueError("the manifest names an unknown launcher: %r" % (members.launcher,))
    return members

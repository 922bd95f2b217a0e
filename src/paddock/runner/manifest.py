"""What an allocation is for: manifest.json."""

from __future__ import annotations

import json
from typing import Any, Dict, List, NamedTuple

from . import layout


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


def load(allocation_dir: str) -> Manifest:
    with open(layout.manifest(allocation_dir), encoding="utf-8") as file:
        data: Dict[str, Any] = json.load(file)
    metrics = data.get("metrics") or {}
    return Manifest(
        job=data["job"],
        key=data["key"],
        job_dir=data["job_dir"],
        slots=max(1, int(data.get("slots", 1))),
        poll_seconds=max(0.01, float(data.get("poll_seconds", 0.2))),
        usage_seconds=max(0.1, float(data.get("usage_seconds", 2.0))),
        grace_seconds=max(0.0, float(data.get("grace_seconds", 10.0))),
        idle_seconds=float(data.get("idle_seconds", 0.0)),
        metric_files=list(metrics.get("files") or []),
        metric_stdout=bool(metrics.get("stdout", True)),
    )

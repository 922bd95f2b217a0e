"""Paddock: an execution manager for training neural networks. See README.md."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from paddock.version import __version__

if TYPE_CHECKING:
    from paddock.client.client import Client
    from paddock.client.job import JobHandle
    from paddock.client.shortcuts import job, jobs, submit
    from paddock.runner import elastic
    from paddock.runner.reporting import report

__all__ = ["Client", "JobHandle", "__version__", "elastic", "job", "jobs", "report", "submit"]


_SHORTCUTS = "paddock.client.shortcuts"
_HOMES = {
    "Client": "paddock.client.client", "JobHandle": "paddock.client.job", "report": "paddock.runner.reporting",
    "submit": _SHORTCUTS, "job": _SHORTCUTS, "jobs": _SHORTCUTS,
}  # fmt: skip


def __getattr__(name: str) -> Any:
    # On demand: a training script that imports paddock to report must not pay for the client.
    if name == "elastic":
        return import_module("paddock.runner.elastic")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

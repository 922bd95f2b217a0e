"""What the environment contains about the node and the scheduler."""

from __future__ import annotations

import os
import socket
from typing import Mapping, Optional


def node(environ: Mapping[str, str]) -> str:
    return environ.get("PADDOCK_NODE") or environ.get("SLURMD_NODENAME") or socket.gethostname()


def device(environ: Mapping[str, str]) -> Optional[str]:
    if environ.get("PADDOCK_DEVICE"):
        return environ["PADDOCK_DEVICE"]
    if environ.get("SLURM_JOB_GPUS"):
        return "gpu " + environ["SLURM_JOB_GPUS"]
    visible = environ.get("CUDA_VISIBLE_DEVICES")
    # Without cgroups these are the numbers that the node uses.
    numbers = visible and environ.get("SLURM_JOB_ID") and visible.replace(",", "").isdigit()
    return "gpu %s" % visible if numbers else visible


def identity(environ: Mapping[str, str]) -> Optional[str]:
    """Return the job's number as its scheduler writes it."""
    array, index = environ.get("SLURM_ARRAY_JOB_ID"), environ.get("SLURM_ARRAY_TASK_ID")
    return "%s_%s" % (array, index) if array and index else environ.get("SLURM_JOB_ID") or None


def in_slurm() -> bool:
    return bool(os.environ.get("SLURM_JOB_ID"))

"""The cores of an allocation, and how tasks share them."""

from __future__ import annotations

import contextlib
import os
import re
from typing import Dict, List, Mapping, Sequence

from . import processes

# What the numerical libraries of training scripts take their number of threads from.
THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "TF_NUM_INTRAOP_THREADS",
)
# TensorFlow: operations at a time, each of which has so many threads.
OPERATIONS = "TF_NUM_INTEROP_THREADS"


# In Slurm scripts take how many workers they start from these, which speak of the whole allocation.
_COUNTS = ("SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE")
_TRES = "SLURM_TRES_PER_TASK"  # of newer ones: must not contradict the first, or srun refuses to start


class Cores:
    def __init__(self, own: Sequence[int], count: int) -> None:
        self.own = tuple(own)  # none: which ones they are is not known, so nobody is bound to any
        self.count = max(1, count)


def of_allocation(environ: Mapping[str, str]) -> Cores:
    """Those that the backend named; else those that the kernel allows, where that is what the scheduler gave."""
    allowed = sorted(_allowed())
    named = parse(environ.get("PADDOCK_CORES", ""))
    if named:
        return Cores([core for core in named if core in allowed], len(named))
    # What was given, not what was asked for: with --exclusive, or where a core has two threads, that is more.
    given = environ.get("SLURM_CPUS_ON_NODE") or environ.get("SLURM_CPUS_PER_TASK") or ""
    count = int(given) if given.isdigit() and int(given) > 0 else len(allowed)
    if environ.get("SLURM_JOB_ID") and count < len(allowed):
        return Cores([], count)  # this Slurm binds nobody: which cores are ours is not said
    return Cores(allowed, count)


def slurm_variables(threads: int, environ: Mapping[str, str]) -> Dict[str, str]:
    """What Slurm's variables should say to one of several tasks, where they say anything."""
    found = {name: str(threads) for name in _COUNTS if environ.get(name)}
    if environ.get(_TRES):
        found[_TRES] = re.sub(r"\bcpu([:=])\d+", r"cpu\g<1>%d" % threads, environ[_TRES])
    return found


def deal(count: int, cores: Sequence[int]) -> List[List[int]]:
    """Cores for so many seats, evenly: each has its own where there are enough, else all share all of them."""
    cores = sorted(cores)
    if count > len(cores):
        return [list(cores) for _ in range(count)]
    bounds = [len(cores) * seat // count for seat in range(count + 1)] if count > 0 else [0]
    return [cores[bounds[seat] : bounds[seat + 1]] for seat in range(count)]


def bind(root: int, cores: Sequence[int]) -> None:
    """A process and all that descend from it, with all their threads."""
    if not cores:
        return
    for pid in list(processes.tree(root)):
        for thread in processes.threads(pid):
            with contextlib.suppress(OSError):
                os.sched_setaffinity(thread, cores)


def parse(text: str) -> List[int]:
    """`0-3,8` as Linux writes sets of cores; nothing where it is not one."""
    found: List[int] = []
    try:
        for part in filter(None, text.split(",")):
            first, _, last = part.partition("-")
            found += range(int(first), int(last or first) + 1)
    except ValueError:
        return []
    return sorted(set(found))


def _allowed() -> Sequence[int]:
    try:
        return sorted(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        return range(os.cpu_count() or 1)

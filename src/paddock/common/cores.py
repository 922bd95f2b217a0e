"""The cores of an allocation, and how tasks share them."""

from __future__ import annotations

import contextlib
import os
import re
from typing import Dict, List, Mapping, Sequence

from . import processes

# Variables from which the numerical libraries of training scripts take their number of threads.
THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "TF_NUM_INTRAOP_THREADS",
)
# TensorFlow: the number of operations at a time, each of which has this many threads.
OPERATIONS = "TF_NUM_INTEROP_THREADS"


# In Slurm, scripts take their number of workers from these variables, which count the cores of the whole allocation.
_COUNTS = ("SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE")
_TRES = "SLURM_TRES_PER_TASK"  # of newer versions: if it contradicts the first, srun refuses to start


class Cores:
    def __init__(self, own: Sequence[int], count: int) -> None:
        self.own = tuple(own)  # empty: it is not known which ones they are, so no task is bound to any
        self.count = max(1, count)


def of_allocation(environ: Mapping[str, str]) -> Cores:
    """Return the cores that the backend named, else those that the kernel allows, if the scheduler bound us to them."""
    allowed = sorted(_allowed())
    named = parse(environ.get("PADDOCK_CORES", ""))
    if named:
        return Cores([core for core in named if core in allowed], len(named))
    # The cores that were given: with --exclusive, or where a core has two threads, more than were requested.
    given = environ.get("SLURM_CPUS_ON_NODE") or environ.get("SLURM_CPUS_PER_TASK") or ""
    count = int(given) if given.isdigit() and int(given) > 0 else len(allowed)
    if environ.get("SLURM_JOB_ID") and count < len(allowed):
        return Cores([], count)  # this Slurm binds no job to cores: which ones are ours is not known
    return Cores(allowed, count)


def slurm_variables(threads: int, environ: Mapping[str, str]) -> Dict[str, str]:
    """Return the values that Slurm's variables should have for one of several tasks, if they are set."""
    found = {name: str(threads) for name in _COUNTS if environ.get(name)}
    if environ.get(_TRES):
        found[_TRES] = re.sub(r"\bcpu([:=])\d+", r"cpu\g<1>%d" % threads, environ[_TRES])
    return found


def deal(count: int, cores: Sequence[int]) -> List[List[int]]:
    """Return the cores of each of `count` seats: its own where there are enough, else all of them for each."""
    cores = sorted(cores)
    if count > len(cores):
        return [list(cores) for _ in range(count)]
    bounds = [len(cores) * seat // count for seat in range(count + 1)] if count > 0 else [0]
    return [cores[bounds[seat] : bounds[seat + 1]] for seat in range(count)]


def bind(root: int, cores: Sequence[int]) -> None:
    """Bind a process and its descendants, with all their threads, to these cores."""
    if not cores:
        return
    for pid in list(processes.tree(root)):
        for thread in processes.threads(pid):
            with contextlib.suppress(OSError):
                os.sched_setaffinity(thread, cores)


def parse(text: str) -> List[int]:
    """Return the cores in a text such as `0-3,8`, as Linux writes it; none if it is not valid."""
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

"""The share of an allocation that a task gets: GPUs, cores, and the environment variables that name them."""

from __future__ import annotations

from typing import Any, Collection, Dict, Mapping, NamedTuple, Optional, Sequence, Tuple

from ...common import cores
from ...common.cores import Cores
from ...common.gpus import GpuInfo
from ..manifest import TENSORFLOW, Manifest


class AssignedSeat(NamedTuple):
    place: int
    gpus: Tuple[GpuInfo, ...]
    cores: Tuple[int, ...]  # empty: all of the allocation
    threads: Optional[int]
    environment: Dict[str, str]
    group: Optional[int] = None  # of GPUs
    names: Tuple[str, ...] = ()  # of its GPUs, if it does not have all of them
    sharing: Optional[str] = None
    why: Optional[str] = None
    early: bool = False  # there may be no room for it on its GPU yet

    def record(self) -> Dict[str, Any]:
        """Return the seat as the journal has it."""
        return {
            "gpus": [str(gpu.number) if gpu.id.isdigit() else gpu.id for gpu in self.gpus],
            "gpu_name": self.gpus[0].name if self.gpus else None,
            "cores": list(self.cores),
            "threads": self.threads,
            "sharing": self.sharing,
            "why": self.why,
        }


class Seats:
    """Divides the cores of an allocation among its seats."""

    def __init__(self, manifest: Manifest, own: Cores, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._several = manifest.slots > 1
        self._asked = manifest.threads
        self._members = manifest.members
        self._cores = own

    def make(self, seats: int, taken: Collection[int]) -> AssignedSeat:
        """Return the next free seat of this many, without GPUs yet."""
        place = next(number for number in range(len(taken) + 1) if number not in taken)
        if self._members is not None:
            # The processes of a task that has several are started by a launcher, and share its cores among themselves.
            each = 1 if self._members.launcher == TENSORFLOW else self._members.processes
            threads = max(1, (self._asked or self._cores.count) // each)
            return AssignedSeat(place, (), (), threads, {name: str(threads) for name in cores.THREADS})
        threads = self._asked or max(1, self._cores.count // max(seats, 1))
        environment = {name: str(threads) for name in cores.THREADS}
        if self._several:
            environment[cores.OPERATIONS] = str(min(threads, 2))
            environment.update(cores.slurm_variables(threads, self._environ))
        return AssignedSeat(place, (), self.cores_of(place, max(seats, place + 1)), threads, environment)

    def cores_of(self, place: int, seats: int) -> Tuple[int, ...]:
        if not self._several or self._members is not None:
            return ()
        mine = cores.deal(seats, self._cores.own)[place]
        return () if len(mine) == len(self._cores.own) else tuple(mine)

    def bind(self, pid: int, mine: Sequence[int]) -> None:
        """Bind a process to its cores, or to all of the allocation if it has none of its own."""
        if self._several and self._members is None:
            cores.bind(pid, mine or self._cores.own)


def with_gpus(
    seat: AssignedSeat, group: int, gpus: Tuple[GpuInfo, ...], all_gpus: Sequence[GpuInfo], places: Sequence[str]
) -> AssignedSeat:
    """Return the seat with these GPUs. `places` are the scheduler's names of all, if known: the driver's may differ."""
    # In the order of the driver: CUDA would put the fastest first.
    environment = {**seat.environment, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    seat = seat._replace(group=group, gpus=gpus, environment=environment)
    if len(gpus) == len(all_gpus):
        return seat
    known = len(places) == len(all_gpus)
    names = tuple(places[all_gpus.index(gpu)] if known else str(gpu.number) for gpu in gpus)
    mine = {"CUDA_VISIBLE_DEVICES": ",".join(gpu.id for gpu in gpus)}
    return seat._replace(names=names, environment={**seat.environment, **mine})


def sharing(seat: AssignedSeat, how: str, why: Optional[str], variables: Dict[str, str]) -> AssignedSeat:
    """Return the seat for a GPU that is shared: frameworks must not take all of its memory."""
    own = {"TF_FORCE_GPU_ALLOW_GROWTH": "true", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    return seat._replace(environment={**seat.environment, **own, **variables}, sharing=how, why=why)

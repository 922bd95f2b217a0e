"""How busy this machine is: its cores, its memory, its GPUs and who is on them. Cheap enough for every few seconds."""

from __future__ import annotations

import os
import pwd
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple

from . import processes

if TYPE_CHECKING:  # only those that have GPUs need what is behind it
    from .gpus import GpuDriver, GpuInfo

EVERY_SECONDS = 10.0
_COMMAND = 80  # letters of a command line
_MANY = 64  # processes of a GPU that are told of


class NodeStats:
    """Looks again and again: how many cores were busy is known from one look to the next."""

    def __init__(
        self, driver: Optional[GpuDriver] = None, gpus: Sequence[GpuInfo] = (), places: Sequence[str] = ()
    ) -> None:
        """`places`: what the scheduler calls the GPUs, where that is known."""
        self._driver = driver
        known = len(places) == len(gpus)
        self._gpus = [(gpu, places[at] if known else None) for at, gpu in enumerate(gpus)]
        self._ticks = _ticks()
        self._busy: Optional[float] = None

    def sample(self) -> Dict[str, Any]:
        """What can be told, as JSON has it. What this machine does not tell is None."""
        memory, free = _memory()
        return {
            "cores": os.cpu_count() or 1,
            "busy": self._busy_cores(),
            "load": _load(),
            "memory": memory,
            "free": free,
            "cards": self.gpus(),
        }

    def gpus(self) -> List[Dict[str, Any]]:
        return [self._gpu(gpu, place) for gpu, place in self._gpus]

    def _busy_cores(self) -> Optional[float]:
        before, self._ticks = self._ticks, _ticks()
        if before is None or self._ticks is None:
            return None
        busy, whole = self._ticks[0] - before[0], self._ticks[1] - before[1]
        if whole > 0:  # else it was a moment ago
            self._busy = round(min(max(busy / whole, 0.0), 1.0) * (os.cpu_count() or 1), 3)
        return self._busy

    def _gpu(self, gpu: GpuInfo, place: Optional[str]) -> Dict[str, Any]:
        reading = self._driver.read(gpu) if self._driver is not None else None
        users = self._driver.processes(gpu) if self._driver is not None else {}
        largest = sorted(users, key=lambda pid: (-(users[pid] or 0), pid))[:_MANY]
        return {
            "id": gpu.id,
            "number": gpu.number,
            "place": place,
            "name": gpu.name,
            "memory": gpu.memory,
            "used": reading.used if reading is not None else None,
            "load": reading.load if reading is not None else None,
            "processes": [{"pid": pid, "memory": users[pid], **describe(pid)} for pid in largest],
        }


def of_allocation(driver: GpuDriver, environ: Mapping[str, str]) -> NodeStats:
    """With the GPUs that this process may use."""
    from .gpus import visible

    return NodeStats(driver, visible(driver.gpus(), environ.get("CUDA_VISIBLE_DEVICES")), places(environ))


def places(environ: Mapping[str, str]) -> List[str]:
    """The numbers by which Slurm knows the GPUs of an allocation, in their order."""
    return [one for one in environ.get("SLURM_JOB_GPUS", "").split(",") if one.isdigit()]


def describe(pid: int) -> Dict[str, Optional[str]]:
    """Whose process it is, what it runs, and of which task it is. Nothing is known of one that is not seen here."""
    task = processes.variable(pid, "PADDOCK_TASK")
    return {"owner": _owner(pid), "command": _command(pid), "task": task if task and task.isascii() else None}


def _owner(pid: int) -> Optional[str]:
    try:
        uid = os.stat("/proc/%d" % pid).st_uid
    except OSError:
        return None
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _command(pid: int) -> Optional[str]:
    """Its command line, the program without its folder, and no more of it than fits on a line."""
    argv = [part.decode("utf-8", "replace") for part in _read("/proc/%d/cmdline" % pid).split(b"\0")]
    text = " ".join([os.path.basename(argv[0]), *argv[1:]]).strip()
    return (text if len(text) <= _COMMAND else text[: _COMMAND - 1] + "…") or None


def _ticks() -> Optional[Tuple[int, int]]:
    """Of all cores together: busy, and all. What guests got is in `user` already."""
    fields = _read("/proc/stat", 1024).split(b"\n", 1)[0].split()[1:9]
    if len(fields) < 5:
        return None
    ticks = [int(field) for field in fields]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def _load() -> Optional[float]:
    try:
        return round(os.getloadavg()[0], 2)
    except OSError:
        return None


def _memory() -> Tuple[Optional[int], Optional[int]]:
    """In bytes: what there is, and what could be had of it."""
    found: Dict[bytes, int] = {}
    for line in _read("/proc/meminfo", 1024).splitlines():
        name, _, rest = line.partition(b":")
        if name in (b"MemTotal", b"MemAvailable") and rest.endswith(b"kB"):
            found[name] = int(rest.split()[0]) * 1024
    return found.get(b"MemTotal"), found.get(b"MemAvailable")


def _read(path: str, most: int = 4096) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(most) or b""
    except OSError:
        return b""

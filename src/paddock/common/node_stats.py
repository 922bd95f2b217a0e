"""How busy this node is: its cores, its memory, its GPUs and their users. Cheap enough for every few seconds."""

from __future__ import annotations

import os
import pwd
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple

from . import processes
from .people import people

if TYPE_CHECKING:  # loaded only where there are GPUs
    from .gpus import GpuDriver, GpuInfo

EVERY_SECONDS = 10.0
_COMMAND = 80  # characters of a command line that are reported
_MANY = 64  # processes per GPU that are reported


class NodeStats:
    """Samples this node again and again: how many cores were busy follows from two samples."""

    def __init__(
        self, driver: Optional[GpuDriver] = None, gpus: Sequence[GpuInfo] = (), places: Sequence[str] = ()
    ) -> None:
        """`places` are the scheduler's names of the GPUs, if they are known."""
        self._driver = driver
        known = len(places) == len(gpus)
        self._gpus = [(gpu, places[at] if known else None) for at, gpu in enumerate(gpus)]
        self._ticks = _ticks()
        self._busy: Optional[float] = None

    def sample(self) -> Dict[str, Any]:
        """Return a sample as JSON has it. What this node does not report is None."""
        total, free = memory()
        return {
            "cores": os.cpu_count() or 1,
            "busy": self._busy_cores(),
            "load": _load(),
            "memory": total,
            "free": free,
            "cards": self.gpus(),
            "processes": len(processes.all_pids()) or None,
            "people": people(),
        }

    def gpus(self, *, measured: bool = True) -> List[Dict[str, Any]]:
        """Return the GPUs. Without `measured` only what does not change: the driver is not asked."""
        return [self._gpu(gpu, place, self._driver if measured else None) for gpu, place in self._gpus]

    def _busy_cores(self) -> Optional[float]:
        before, self._ticks = self._ticks, _ticks()
        if before is None or self._ticks is None:
            return None
        busy, whole = self._ticks[0] - before[0], self._ticks[1] - before[1]
        if whole > 0:  # else the last sample was a moment ago
            self._busy = round(min(max(busy / whole, 0.0), 1.0) * (os.cpu_count() or 1), 3)
        return self._busy

    def _gpu(self, gpu: GpuInfo, place: Optional[str], driver: Optional[GpuDriver]) -> Dict[str, Any]:
        reading = driver.read(gpu) if driver is not None else None
        users = driver.processes(gpu) if driver is not None else {}
        largest = sorted(users, key=lambda pid: (-(users[pid] or 0), pid))[:_MANY]
        return {
            "id": gpu.id,
            "number": gpu.number,
            "place": place,
            "name": gpu.name,
            "memory": gpu.memory,
            "used": reading.used if reading is not None else None,
            "load": reading.load if reading is not None else None,
            "temperature": reading.temperature if reading is not None else None,
            "power": reading.power if reading is not None else None,
            "power_limit": reading.power_limit if reading is not None else None,
            "processes": [{"pid": pid, "memory": users[pid], **describe(pid)} for pid in largest],
        }


def of_allocation(driver: GpuDriver, environ: Mapping[str, str]) -> NodeStats:
    """Return the statistics of this node, with the GPUs that this process may use."""
    from .gpus import visible

    return NodeStats(driver, visible(driver.gpus(), environ.get("CUDA_VISIBLE_DEVICES")), places(environ))


def places(environ: Mapping[str, str]) -> List[str]:
    """Return Slurm's numbers of the GPUs of an allocation, in their order."""
    return [one for one in environ.get("SLURM_JOB_GPUS", "").split(",") if one.isdigit()]


def describe(pid: int) -> Dict[str, Any]:
    """Return who owns a process, what it runs, since when, and its task. All are None for one that is not visible."""
    task = processes.variable(pid, "PADDOCK_TASK")
    known = task if task and task.isascii() and len(task) <= _COMMAND else None
    about = {"owner": _owner(pid), "command": _command(pid), "start": processes.started(pid)}
    return {**about, "session": processes.session(pid), "task": known}


def printable(text: str) -> str:
    """Return a text of strangers without characters that could confuse a terminal or a page."""
    return "".join(one if one.isprintable() else " " if one.isspace() else "?" for one in text)


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
    """Return its command line, the program without its folder, cut to one line."""
    argv = [part.decode("utf-8", "replace") for part in processes.read("/proc/%d/cmdline" % pid, 4096).split(b"\0")]
    text = printable(" ".join([os.path.basename(argv[0]), *argv[1:]])).strip()
    return (text if len(text) <= _COMMAND else text[: _COMMAND - 1] + "…") or None


def _ticks() -> Optional[Tuple[int, int]]:
    """Return the busy ticks and all ticks of all cores together. Those of guests are in `user` already."""
    fields = processes.read("/proc/stat", 1024).split(b"\n", 1)[0].split()[1:9]
    if len(fields) < 5:
        return None
    ticks = [int(field) for field in fields]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def _load() -> Optional[float]:
    try:
        return round(os.getloadavg()[0], 2)
    except OSError:
        return None


def memory() -> Tuple[Optional[int], Optional[int]]:
    """Return the bytes of memory that there are, and those that a process could have."""
    found: Dict[bytes, int] = {}
    for line in processes.read("/proc/meminfo", 1024).splitlines():
        name, _, rest = line.partition(b":")
        if name in (b"MemTotal", b"MemAvailable") and rest.endswith(b"kB"):
            found[name] = int(rest.split()[0]) * 1024
    return found.get(b"MemTotal"), found.get(b"MemAvailable")

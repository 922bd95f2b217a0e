"""The GPUs of this node as the driver reports them: memory, load and processes.

NVML is called through ctypes (decision 100); where it cannot be, nvidia-smi is. Without a driver there are no GPUs.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import time
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

_MANY = 512  # processes per GPU
_SMI_GPU = "index,uuid,name,memory.total,memory.used,utilization.gpu,temperature.gpu,power.draw,power.limit"
_SMI_SECONDS = 20.0
_SMI_FRESH_SECONDS = 1.0


class GpuInfo(NamedTuple):
    """A GPU, or an instance of one (MIG)."""

    id: str  # as CUDA_VISIBLE_DEVICES takes it
    number: int  # of the whole GPU, in the order of the bus
    name: str
    memory: int  # bytes in all


class GpuReading(NamedTuple):
    """What the driver reports about a GPU at one moment."""

    used: int  # bytes, by all processes
    load: Optional[float]  # share of the time in which something ran on it
    processes: Dict[int, int]  # process -> bytes, without those whose memory the driver does not report
    temperature: Optional[float] = None  # degrees Celsius
    power: Optional[float] = None  # watts
    power_limit: Optional[float] = None  # watts


class GpuDriver:
    """The interface to a driver. This one has no GPUs, as a node without a driver."""

    sees_processes = False  # it names processes by the numbers that they have here

    def gpus(self) -> List[GpuInfo]:
        return []

    def read(self, gpu: GpuInfo) -> Optional[GpuReading]:
        return None

    def processes(self, gpu: GpuInfo) -> Dict[int, Optional[int]]:
        """Return all processes on a GPU, those for graphics too, with their bytes; None if these are not reported."""
        reading = self.read(gpu)
        return dict(reading.processes) if reading is not None else {}


class _Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class _Utilization(ctypes.Structure):
    _fields_ = [("gpu", ctypes.c_uint), ("memory", ctypes.c_uint)]


class _Process(ctypes.Structure):
    _fields_ = [
        ("pid", ctypes.c_uint),
        ("memory", ctypes.c_ulonglong),
        ("instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    ]


_UNKNOWN = (1 << 64) - 1  # the driver does not report it
_COMPUTE = "nvmlDeviceGetComputeRunningProcesses_v3"
_GRAPHICS = "nvmlDeviceGetGraphicsRunningProcesses_v3"


class Nvml(GpuDriver):
    """NVIDIA's driver. Raises OSError if there is none, or it does not answer."""

    def __init__(self) -> None:
        self.sees_processes = _first_namespace()
        self._library: Any = ctypes.CDLL("libnvidia-ml.so.1")
        if self._library.nvmlInit_v2() != 0:
            raise OSError("the NVIDIA driver does not answer")
        self._handles: Dict[str, Any] = {}

    def gpus(self) -> List[GpuInfo]:
        count = ctypes.c_uint()
        if self._library.nvmlDeviceGetCount_v2(ctypes.byref(count)) != 0:
            return []
        found: List[GpuInfo] = []
        for index in range(count.value):
            handle = ctypes.c_void_p()
            if self._library.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle)) == 0:
                found += self._instances(index, handle) or [self._gpu(index, handle)]
        return found

    def read(self, gpu: GpuInfo) -> Optional[GpuReading]:
        handle = self._handles.get(gpu.id)
        memory = _Memory()
        if handle is None or self._library.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory)) != 0:
            return None
        load = _Utilization()
        known = self._library.nvmlDeviceGetUtilizationRates(handle, ctypes.byref(load)) == 0
        by_process = {pid: size for pid, size in self._listed(_COMPUTE, handle).items() if size is not None}
        return GpuReading(
            memory.used,
            min(load.gpu, 100) / 100 if known else None,
            by_process,
            self._number("nvmlDeviceGetTemperature", handle, ctypes.c_uint(0)),
            _watts(self._number("nvmlDeviceGetPowerUsage", handle)),
            _watts(self._number("nvmlDeviceGetEnforcedPowerLimit", handle)),
        )

    def processes(self, gpu: GpuInfo) -> Dict[int, Optional[int]]:
        handle = self._handles.get(gpu.id)
        return {} if handle is None else {**self._listed(_GRAPHICS, handle), **self._listed(_COMPUTE, handle)}

    def _gpu(self, index: int, handle: Any) -> GpuInfo:
        memory = _Memory()
        self._library.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory))
        gpu = GpuInfo(
            self._text("nvmlDeviceGetUUID", handle), index, self._text("nvmlDeviceGetName", handle), memory.total
        )
        self._handles[gpu.id] = handle
        return gpu

    def _instances(self, index: int, handle: Any) -> List[GpuInfo]:
        mode, pending, most = ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()
        library = self._library
        if library.nvmlDeviceGetMigMode(handle, ctypes.byref(mode), ctypes.byref(pending)) != 0 or not mode.value:
            return []
        library.nvmlDeviceGetMaxMigDeviceCount(handle, ctypes.byref(most))
        found = []
        for number in range(most.value):
            instance = ctypes.c_void_p()
            if library.nvmlDeviceGetMigDeviceHandleByIndex(handle, number, ctypes.byref(instance)) == 0:
                found.append(self._gpu(index, instance))
        return found

    def _listed(self, function: str, handle: Any) -> Dict[int, Optional[int]]:
        count, rows = ctypes.c_uint(_MANY), (_Process * _MANY)()
        call = getattr(self._library, function, None)  # old drivers do not have it
        if call is None or call(handle, ctypes.byref(count), rows) != 0:
            return {}
        return {row.pid: None if row.memory == _UNKNOWN else row.memory for row in rows[: count.value]}

    def _number(self, function: str, *given: Any) -> Optional[int]:
        """Return a number that not every GPU and not every driver reports."""
        found, call = ctypes.c_uint(), getattr(self._library, function, None)
        return found.value if call is not None and call(*given, ctypes.byref(found)) == 0 else None

    def _text(self, function: str, handle: Any) -> str:
        buffer = ctypes.create_string_buffer(96)
        getattr(self._library, function)(handle, buffer, 96)
        return buffer.value.decode("utf-8", "replace")


def _watts(milliwatts: Optional[int]) -> Optional[float]:
    return None if milliwatts is None else milliwatts / 1000


class NvidiaSmi(GpuDriver):
    """NVIDIA's driver, where its library cannot be loaded but its program runs. One look answers for all GPUs."""

    def __init__(self, program: str) -> None:
        self._program = program
        self._looked_at = float("-inf")
        self._rows: Dict[str, List[str]] = {}
        self._processes: Dict[str, Dict[int, Optional[int]]] = {}

    def gpus(self) -> List[GpuInfo]:
        self._look()
        return [GpuInfo(id, int(row[0]), row[2], _bytes(row[3]) or 0) for id, row in self._rows.items()]

    def read(self, gpu: GpuInfo) -> Optional[GpuReading]:
        self._look()
        row = self._rows.get(gpu.id)
        used = _bytes(row[4]) if row is not None else None
        if row is None or used is None:
            return None
        load, temperature, power, limit = (_float(one) for one in row[5:9])
        known = {pid: size for pid, size in self._processes.get(gpu.id, {}).items() if size is not None}
        share = None if load is None else min(load, 100.0) / 100
        return GpuReading(used, share, known, temperature, power, limit)

    def processes(self, gpu: GpuInfo) -> Dict[int, Optional[int]]:
        self._look()
        return dict(self._processes.get(gpu.id, {}))

    def _look(self) -> None:
        if time.monotonic() - self._looked_at < _SMI_FRESH_SECONDS:
            return
        rows = [row for row in self._ask("--query-gpu=" + _SMI_GPU) if len(row) == 9 and row[0].isdigit()]
        self._rows = {row[1]: row for row in rows}
        self._processes = {}
        for row in self._ask("--query-compute-apps=gpu_uuid,pid,used_memory") if rows else []:
            if len(row) == 3 and row[1].isdigit():
                self._processes.setdefault(row[0], {})[int(row[1])] = _bytes(row[2])
        self._looked_at = time.monotonic()

    def _ask(self, query: str) -> List[List[str]]:
        argv = [self._program, query, "--format=csv,noheader,nounits"]
        try:
            answer = subprocess.run(
                argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SMI_SECONDS, check=True
            )
        except (OSError, subprocess.SubprocessError):
            return []
        lines = answer.stdout.decode("utf-8", "replace").splitlines()
        return [[part.strip() for part in line.split(",")] for line in lines]


def _float(text: str) -> Optional[float]:
    try:
        found = float(text)
    except ValueError:  # [N/A], [Not Supported]
        return None
    return found if 0 <= found < 1e9 else None


def _bytes(mebibytes: str) -> Optional[int]:
    found = _float(mebibytes)
    return None if found is None else int(found * 2**20)


def _first_namespace() -> bool:
    """Return True if processes have the same numbers here as for the driver, which is not so in most containers."""
    try:
        return os.readlink("/proc/self/ns/pid") == "pid:[4026531836]"  # Linux gives this number to the first one
    except OSError:
        return False


def find_driver() -> GpuDriver:
    """Return the driver of this node, or one without GPUs."""
    try:
        return Nvml()
    except (OSError, AttributeError):  # no driver, or one that is too old
        program = shutil.which("nvidia-smi")
        return GpuDriver() if program is None else NvidiaSmi(program)


def visible(gpus: Sequence[GpuInfo], given: Optional[str]) -> List[GpuInfo]:
    """Return the GPUs that CUDA_VISIBLE_DEVICES names, in its order; None: all. An unknown name ends the list."""
    if given is None:
        return list(gpus)
    found: List[GpuInfo] = []
    for text in filter(None, (part.strip() for part in given.split(","))):
        if text.isdigit():
            match = next((gpu for gpu in gpus if gpu.number == int(text)), None)
        else:
            match = next((gpu for gpu in gpus if gpu.id.startswith(text)), None)
        if match is None or match in found:
            break
        found.append(match)
    return found

"""The GPUs of this machine, as the driver tells of them: memory, load, and who uses them.

NVML is called through ctypes: the runner has no dependencies. Where there is no driver there are no cards.
"""

from __future__ import annotations

import ctypes
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

_MANY = 512  # processes on one card


class Card(NamedTuple):
    """A card, or an instance of one (MIG)."""

    id: str  # as CUDA_VISIBLE_DEVICES takes it
    number: int  # of the card, in the order of the bus
    name: str
    memory: int  # bytes in all


class GpuReading(NamedTuple):
    """How a card stands."""

    used: int  # bytes, by whomever
    load: Optional[float]  # share of the time in which something ran on it
    processes: Dict[int, int]  # process -> bytes; those of which the driver does not tell are not in it


class Gpus:
    """No cards: what machines without a driver have. Others have the same methods."""

    def cards(self) -> List[Card]:
        return []

    def read(self, card: Card) -> Optional[GpuReading]:
        return None

    def processes(self, card: Card) -> Dict[int, Optional[int]]:
        """All that are on it, also those that draw, with their bytes; None: the driver does not tell."""
        reading = self.read(card)
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


_UNKNOWN = (1 << 64) - 1  # the driver does not tell
_COMPUTE = "nvmlDeviceGetComputeRunningProcesses_v3"
_GRAPHICS = "nvmlDeviceGetGraphicsRunningProcesses_v3"


class Nvml(Gpus):
    """Raises OSError when there is no driver that answers."""

    def __init__(self) -> None:
        self._library: Any = ctypes.CDLL("libnvidia-ml.so.1")
        if self._library.nvmlInit_v2() != 0:
            raise OSError("the NVIDIA driver does not answer")
        self._handles: Dict[str, Any] = {}

    def cards(self) -> List[Card]:
        count = ctypes.c_uint()
        if self._library.nvmlDeviceGetCount_v2(ctypes.byref(count)) != 0:
            return []
        found: List[Card] = []
        for index in range(count.value):
            handle = ctypes.c_void_p()
            if self._library.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle)) == 0:
                found += self._instances(index, handle) or [self._card(index, handle)]
        return found

    def read(self, card: Card) -> Optional[GpuReading]:
        handle = self._handles.get(card.id)
        memory = _Memory()
        if handle is None or self._library.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory)) != 0:
            return None
        load = _Utilization()
        known = self._library.nvmlDeviceGetUtilizationRates(handle, ctypes.byref(load)) == 0
        told = {pid: size for pid, size in self._listed(_COMPUTE, handle).items() if size is not None}
        return GpuReading(memory.used, load.gpu / 100 if known else None, told)

    def processes(self, card: Card) -> Dict[int, Optional[int]]:
        handle = self._handles.get(card.id)
        return {} if handle is None else {**self._listed(_GRAPHICS, handle), **self._listed(_COMPUTE, handle)}

    def _card(self, index: int, handle: Any) -> Card:
        memory = _Memory()
        self._library.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory))
        card = Card(
            self._text("nvmlDeviceGetUUID", handle), index, self._text("nvmlDeviceGetName", handle), memory.total
        )
        self._handles[card.id] = handle
        return card

    def _instances(self, index: int, handle: Any) -> List[Card]:
        mode, pending, most = ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()
        library = self._library
        if library.nvmlDeviceGetMigMode(handle, ctypes.byref(mode), ctypes.byref(pending)) != 0 or not mode.value:
            return []
        library.nvmlDeviceGetMaxMigDeviceCount(handle, ctypes.byref(most))
        found = []
        for number in range(most.value):
            instance = ctypes.c_void_p()
            if library.nvmlDeviceGetMigDeviceHandleByIndex(handle, number, ctypes.byref(instance)) == 0:
                found.append(self._card(index, instance))
        return found

    def _listed(self, function: str, handle: Any) -> Dict[int, Optional[int]]:
        count, rows = ctypes.c_uint(_MANY), (_Process * _MANY)()
        call = getattr(self._library, function, None)  # drivers that are too old do not have it
        if call is None or call(handle, ctypes.byref(count), rows) != 0:
            return {}
        return {row.pid: None if row.memory == _UNKNOWN else row.memory for row in rows[: count.value]}

    def _text(self, function: str, handle: Any) -> str:
        buffer = ctypes.create_string_buffer(96)
        getattr(self._library, function)(handle, buffer, 96)
        return buffer.value.decode("utf-8", "replace")


def find() -> Gpus:
    """The real ones, where there are any."""
    try:
        return Nvml()
    except (OSError, AttributeError):  # no driver, or one that is too old to ask
        return Gpus()


def visible(cards: Sequence[Card], given: Optional[str]) -> List[Card]:
    """Those that CUDA_VISIBLE_DEVICES (or its like) names, in its order; None: all. What is not there ends the list."""
    if given is None:
        return list(cards)
    found: List[Card] = []
    for text in filter(None, (part.strip() for part in given.split(","))):
        if text.isdigit():
            match = next((card for card in cards if card.number == int(text)), None)
        else:
            match = next((card for card in cards if card.id.startswith(text)), None)
        if match is None or match in found:
            break
        found.append(match)
    return found

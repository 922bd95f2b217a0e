"""What the `ended` record of a task contains that shared its GPU or its allocation with others."""

from __future__ import annotations

from typing import Any, Dict

from ...common.size import size_text
from ..process import causes, host_memory
from . import oom_retry
from .mps import Mps
from .occupants import Occupant

_MORE = 1.3  # times the memory that a task held is what it needs, where it did not report how much it wanted


def fields(occupant: Occupant, log: str, ended: Dict[str, Any], mps: Mps) -> Dict[str, Any]:
    """Return the fields to add to the record, or to put in place of its own."""
    found: Dict[str, Any] = {}
    if any(gpu.memory for gpu in occupant.seat.gpus):
        found["peak_gpu_memory"] = occupant.total_peak
        if occupant.seat.sharing is not None and occupant.measured and not occupant.divided and occupant.peak:
            found["gpu_need"] = occupant.peak
    if ended["by"] is not None:
        return found
    if ended["cause"] == causes.GPU_OOM:
        found.pop("gpu_need", None)  # it would have needed more
        found.update(_gpu(occupant, log, ended))
    elif ended["cause"] == causes.HOST_OOM:
        found.update(_host(occupant, ended))
    elif ended["cause"] == causes.USER_ERROR and occupant.seat.sharing == "mps":
        found.update(_fault(occupant, log, ended, mps))
    return found


def _gpu(occupant: Occupant, log: str, ended: Dict[str, Any]) -> Dict[str, Any]:
    held, wanted = max(occupant.peak, causes.held(log) or 0), causes.wanted(log) or 0
    total = min((gpu.memory for gpu in occupant.seat.gpus), default=0)
    need = int(max(held + wanted, held * _MORE))
    needed = oom_retry.next_memory_needed(
        occupant.attempt.memory_needed, oom_retry.GPU, occupant.shared_gpu, need, total
    )
    if needed is not None:
        return {"again": needed._asdict()}
    if not total:
        return {}
    had = "it had the GPU to itself" + (" and held %s" % size_text(held) if held else "")
    more = ", wanted %s more" % size_text(wanted) if wanted else ""
    advice = "use a smaller batch, or a GPU with more memory"
    return {"reason": "%s; %s%s, of %s: %s" % (ended["reason"], had, more, size_text(total), advice)}


def _host(occupant: Occupant, ended: Dict[str, Any]) -> Dict[str, Any]:
    memory = host_memory.read()
    total = memory.total if memory is not None else 0
    peak = max(occupant.memory_peak, ended["peak_memory"] or 0)
    needed = oom_retry.next_memory_needed(
        occupant.attempt.memory_needed, oom_retry.HOST, occupant.shared_allocation, int(peak * _MORE), total
    )
    if needed is not None:
        return {"again": needed._asdict()}
    held = "no other task was beside it, and it held %s" % size_text(peak)
    return {"reason": "%s; %s of %s: request more memory" % (ended["reason"], held, size_text(total))} if total else {}


def _fault(occupant: Occupant, log: str, ended: Dict[str, Any], mps: Mps) -> Dict[str, Any]:
    """Have a task run alone after a fault under MPS, which ends the tasks beside it too: this shows whose it was."""
    needed = oom_retry.next_memory_needed(occupant.attempt.memory_needed, oom_retry.FAULT, occupant.shared_gpu)
    trouble = mps.trouble()
    if needed is None or (trouble is None and not causes.is_cuda_fault(log)):
        return {}
    why = trouble or "a CUDA error while it shared the GPU through MPS, where one task's error ends the others'"
    return {"cause": "lost", "reason": "%s; %s" % (ended["reason"], why), "again": needed._asdict()}

"""What follows when a task has run out of memory beside others: it runs again with more room, alone in the end."""

from __future__ import annotations

from typing import Any, Dict

from ...common.size import size_text
from ..process import causes, host_memory
from .mps import Mps
from .occupants import Occupant

_MORE = 1.3  # so much more room than it held, when it did not say how much it wanted


def of(occupant: Occupant, log: str, ended: Dict[str, Any], mps: Mps) -> Dict[str, Any]:
    """Fields of the `ended` record beside those that every task has."""
    found: Dict[str, Any] = {}
    if any(gpu.memory for gpu in occupant.seat.gpus):
        found["peak_gpu_memory"] = occupant.total_peak
    if ended["by"] is not None:
        return found
    if ended["cause"] == causes.GPU_OOM:
        found.update(_gpu(occupant, log, ended))
    elif ended["cause"] == causes.HOST_OOM:
        found.update(_host(occupant, ended))
    elif ended["cause"] == causes.USER_ERROR and occupant.seat.sharing == "mps" and occupant.shared_gpu:
        found.update(_fault(log, ended, mps))
    return found


def _gpu(occupant: Occupant, log: str, ended: Dict[str, Any]) -> Dict[str, Any]:
    held, wanted = max(occupant.peak, causes.held(log) or 0), causes.wanted(log) or 0
    total = min((gpu.memory for gpu in occupant.seat.gpus), default=0)
    if not occupant.shared_gpu:
        had = "it had the GPU to itself" + (" and held %s" % size_text(held) if held else "")
        more = ", wanted %s more" % size_text(wanted) if wanted else ""
        return {"reason": "%s; %s%s, of %s" % (ended["reason"], had, more, size_text(total))} if total else {}
    room = int(max(held + wanted, held * _MORE))
    alone = occupant.attempt.room.gpu is not None or not total or room > total * 0.9
    return {"again": {"gpu": min(room, total) if total else None, "host": None, "alone": alone}}


def _host(occupant: Occupant, ended: Dict[str, Any]) -> Dict[str, Any]:
    memory = host_memory.read()
    total = memory.total if memory is not None else 0
    peak = max(occupant.memory_peak, ended["peak_memory"] or 0)
    if not occupant.shared_allocation:
        held = "no other task was beside it, and it held %s" % size_text(peak)
        return {"reason": "%s; %s of %s" % (ended["reason"], held, size_text(total))} if total else {}
    room = int(peak * _MORE)
    alone = occupant.attempt.room.host is not None or room > total * 0.9
    return {"again": {"gpu": None, "host": min(room, int(total * 0.9)) or None, "alone": alone}}


def _fault(log: str, ended: Dict[str, Any], mps: Mps) -> Dict[str, Any]:
    """Under MPS a fault of one task ends those that it shares the GPU with: whose it was, shows when each is alone."""
    trouble = mps.trouble()
    if trouble is None and not causes.is_cuda_fault(log):
        return {}
    why = trouble or "a CUDA error while it shared the GPU through MPS, where one task's error ends the others'"
    reason = "%s; %s" % (ended["reason"], why)
    return {"cause": "lost", "reason": reason, "again": {"gpu": None, "host": None, "alone": True}}

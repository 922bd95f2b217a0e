"""Show how tasks share GPUs, in the words of the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from paddock.cli.render import clean, several, size

if TYPE_CHECKING:
    from paddock.models import FreeMemory, Packing, Seat

_LIMITS = {
    "asked": "as asked for",
    "tasks": "there are no more tasks",
    "memory": "limited by the GPU's memory",
    "host_memory": "limited by the node's memory",
    "cores": "limited by the CPU cores",
    "gain": "more do not help",
}


def packing(one: Packing, *, ended: bool) -> str:
    """Return `24 tasks share each NVIDIA H200; chosen automatically: more do not help; 11x as fast as one`, ..."""
    if one.tasks == 1:
        title = f"each {one.gpu} {'had' if ended else 'has'} one task at a time"
    else:
        title = f"{several(one.tasks, 'task')} {'shared' if ended else 'share'} each {one.gpu}"
    words = [_reason(one, ended)]
    if one.speedup is not None:
        words.append(_speedup(one.speedup))
    if one.need:
        words.append(f"each needs {size(one.need)}" + (f" of {size(one.total)}" if one.total else ""))
    if one.load is not None:
        words.append(f"the GPU {'was' if ended else 'is'} busy {100 * one.load:.0f} % of the time" + _not_the_gpu(one))
    if one.known:
        words.append("began with what was learned before")
    return clean("; ".join([title, *words]))


def _reason(one: Packing, ended: bool) -> str:
    if not one.auto and one.target is not None and one.tasks >= one.target:
        return _LIMITS["asked"]
    if one.limit is None:
        if ended:
            return "chosen automatically" if one.auto else _LIMITS["asked"]
        return "chosen automatically, still growing" if one.auto else "still growing"
    if one.auto:
        return "chosen automatically" if one.limit == "asked" else f"chosen automatically: {_LIMITS[one.limit]}"
    asked = one.limit in ("asked", "tasks")
    return _LIMITS[one.limit] if asked else f"fewer than asked for: {_LIMITS[one.limit]}"


def _not_the_gpu(one: Packing) -> str:
    """Return what limits the speed of tasks that leave their GPU idle for much of the time, if that is known."""
    limits = [
        "the processor" if (one.processor or 0) >= 0.75 else "",
        "the start of the scripts" if (one.startup or 0) >= 0.3 else "",
    ]
    found = " and ".join(limit for limit in limits if limit)
    idle = one.tasks > 1 and one.load is not None and one.load < 0.7 and one.limit not in ("memory", "host_memory")
    return f", limited by {found}" if found and idle else ""


def _speedup(value: float) -> str:
    times = f"{value:.1f}".removesuffix(".0") if value < 9.95 else f"{value:.0f}"
    return "as fast as one at a time" if times == "1" else f"{times}x as fast as one at a time"


def seat(one: Seat | None) -> str:
    """Return `GPU 0, NVIDIA H200, shared by taking turns; cores 0-3; 4 threads`, or nothing without a seat."""
    if one is None:
        return ""
    parts = []
    if one.gpus:
        named = [f"{'GPU' if len(one.gpus) == 1 else 'GPUs'} {', '.join(one.gpus)}", _name(one), _sharing(one)]
        parts.append(", ".join(part for part in named if part))
    if one.cores:
        parts.append(f"{'core' if len(one.cores) == 1 else 'cores'} {_cores(one.cores)}")
    if one.threads is not None:
        parts.append(several(one.threads, "thread"))
    return clean("; ".join(parts))


def _name(one: Seat) -> str | None:
    return None if one.gpu_name == "GPU" else one.gpu_name  # the name where the driver reports none


def _sharing(one: Seat) -> str:
    if one.sharing is None:
        return ""
    how = "through NVIDIA MPS" if one.sharing == "mps" else "by taking turns"
    return f"shared {how}" + (f" ({one.why})" if one.why else "")


def _cores(cores: Sequence[int]) -> str:
    """Return cores with neighbours as ranges: `0-3, 8`."""
    ranges: list[list[int]] = []
    for core in sorted(cores):
        if ranges and core == ranges[-1][-1] + 1:
            ranges[-1][1:] = [core]
        else:
            ranges.append([core])
    return ", ".join("-".join(map(str, one)) for one in ranges)


def room(one: FreeMemory | None) -> str:
    """Return what a task waits for, after an attempt that ran out of memory."""
    if one is None:
        return ""
    parts = [
        f"{size(one.gpu)} free on the GPU" if one.gpu is not None else "",
        f"{size(one.host)} free on the node" if one.host is not None else "",
        "no other task beside it" if one.alone else "",
    ]
    return " and ".join(part for part in parts if part)

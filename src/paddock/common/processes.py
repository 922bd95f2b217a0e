"""What Linux reports about processes, and signals to them. Without /proc there is nothing to report."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Set

_SET_CHILD_SUBREAPER = 36
_SET_PDEATHSIG = 1
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")

HAS_CHILDREN_FILES = os.path.exists("/proc/self/task/%d/children" % os.getpid())


def _load_prctl() -> Optional[Callable[..., int]]:
    try:
        import ctypes

        prctl: Callable[..., int] = ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError):
        return None
    return prctl


_prctl = _load_prctl()


def adopt_orphans() -> None:
    """Make orphaned descendants children of this process, so that they can be found and ended."""
    if _prctl is not None:
        _prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with(parent: int, number: int = signal.SIGKILL) -> None:
    """Have this process killed, or sent another signal, when its parent ends."""
    if _prctl is not None:
        _prctl(_SET_PDEATHSIG, number, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def ended_child() -> Optional[int]:
    """Return a child that has ended but is not reaped, so that no other process can have its id or its group's yet."""
    try:
        info = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return None if info is None else info.si_pid


def signal_group(leader: int, number: int) -> None:
    """Signal a process group. Only for a leader that is not reaped yet."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def signal_process(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def lock_holders() -> Set[int]:
    """Return the processes that hold locks on files, as far as they are visible here."""
    found: Set[int] = set()
    try:
        with open("/proc/locks", "rb") as file:  # the kernel gives a page at a time
            lines = file.read().splitlines()
    except OSError:
        return found
    for line in lines:
        words = line.split()
        if len(words) > 4 and words[1] != b"->" and words[4].isdigit():
            found.add(int(words[4]))
    return found


class Stat(NamedTuple):
    parent: int
    group: int
    cpu_seconds: float
    memory: int


def stat(pid: int) -> Optional[Stat]:
    fields = _stat_fields(pid)
    if len(fields) < 22:
        return None
    return Stat(int(fields[1]), int(fields[2]), (int(fields[11]) + int(fields[12])) / _TICKS, int(fields[21]) * _PAGE)


def started(pid: int) -> Optional[int]:
    """Return when a live process was started, in clock ticks since boot; None if there is none, or only a zombie."""
    fields = _stat_fields(pid)
    return None if len(fields) < 20 or fields[0] in (b"Z", b"X") else int(fields[19])


def session(pid: int) -> Optional[int]:
    """Return the session of a process, which has the number of the process that began it. Everybody may know it."""
    fields = _stat_fields(pid)
    return int(fields[3]) if len(fields) > 3 else None


def _stat_fields(pid: int) -> List[bytes]:
    # The name in brackets may contain anything, even brackets.
    return read("/proc/%d/stat" % pid).rpartition(b")")[2].split()


def all_pids() -> List[int]:
    return _pids("/proc")


def children(pid: int) -> List[int]:
    return _children_from_files(pid) if HAS_CHILDREN_FILES else _families().get(pid, [])


def tree(root: int) -> Iterator[int]:
    """Yield the process and all its descendants."""
    lookup: Callable[[int], List[int]] = _children_from_files
    if not HAS_CHILDREN_FILES:
        families = _families()
        lookup = lambda pid: families.get(pid, [])  # noqa: E731
    waiting, seen = [root], {root}
    while waiting:
        pid = waiting.pop()
        yield pid
        fresh = [child for child in lookup(pid) if child not in seen]
        seen.update(fresh)
        waiting.extend(fresh)


def ancestry(pid: int) -> Iterator[int]:
    """Yield the process and its ancestors."""
    while pid > 1:
        yield pid
        known = stat(pid)
        if known is None:
            return
        pid = known.parent


def threads(pid: int) -> List[int]:
    return _pids("/proc/%d/task" % pid)


def variable(pid: int, name: str) -> Optional[str]:
    """Return a variable of the environment with which the process was started."""
    prefix = name.encode() + b"="
    for entry in read("/proc/%d/environ" % pid).split(b"\0"):
        if entry.startswith(prefix):
            return os.fsdecode(entry[len(prefix) :])
    return None


def with_variables(wanted: Mapping[str, str]) -> List[int]:
    """Return the processes that were started with these variables in their environment, as far as they are visible."""
    entries = {("%s=%s" % entry).encode() for entry in wanted.items()}
    return [pid for pid in all_pids() if entries.issubset(read("/proc/%d/environ" % pid).split(b"\0"))]


def catches(pid: int, number: int) -> bool:
    """Return True if the process has a handler for this signal."""
    for line in read("/proc/%d/status" % pid).splitlines():
        if line.startswith(b"SigCgt:"):
            return bool(int(line.split()[1], 16) >> (number - 1) & 1)
    return False


def _children_from_files(pid: int) -> List[int]:
    found: List[int] = []
    for thread in threads(pid):
        found.extend(map(int, read("/proc/%d/task/%d/children" % (pid, thread)).split()))
    return found


def _families() -> Dict[int, List[int]]:
    found: Dict[int, List[int]] = {}
    for pid in _pids("/proc"):
        known = stat(pid)
        if known is not None:
            found.setdefault(known.parent, []).append(pid)
    return found


def _pids(folder: str) -> List[int]:
    try:
        return [int(name) for name in os.listdir(folder) if name.isdigit()]
    except OSError:
        return []


def read(path: str, most: int = -1) -> bytes:
    """Return up to `most` bytes of a file of the kernel; nothing if it cannot be read."""
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(most) or b""
    except OSError:
        return b""

"""A small process that kills the tasks when the runner has died, for whatever reason.

Without a runner no one would report the end of a task, and it would be run a second time beside itself. Asking the
kernel for the same in each new process would cost more than everything else at its start.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import time
from typing import BinaryIO, Dict, List, Optional, Set, Tuple

from ...common import containers, processes

MARK = "PADDOCK_RUNNER"
MOST_STARTS = 100  # a guard that dies at once is not started for ever
_SECONDS = 10.0
_END_SECONDS = 2.0


class Guard:
    """Knows the tasks by what the runner sends, and by PADDOCK_RUNNER in their environment. Replaced if it dies."""

    def __init__(self, key: str) -> None:
        self._mark = "%s %d" % (key, os.getpid())
        self._leaders: Set[int] = set()
        self._containers: Dict[int, str] = {}  # by the leader
        self._folders: List[str] = []
        self._starts = 0
        self._start()
        os.environ[MARK] = self._mark

    def _start(self) -> None:
        self._starts += 1
        reader, self._writer = os.pipe()  # tasks do not inherit it: the writing end is closed when the runner is gone
        self._pid = os.fork()
        if not self._pid:
            with contextlib.suppress(BaseException):
                os.close(self._writer)
                _guard(reader, self._mark)
            os._exit(0)
        os.close(reader)
        os.set_blocking(self._writer, False)

    def ended(self, pid: int) -> None:
        """Start a new guard if the child of the runner that has ended was the guard."""
        if pid != self._pid or self._starts >= MOST_STARTS:
            return
        os.close(self._writer)
        self._start()
        for leader in self._leaders:
            self._send(b"+%d\n" % leader)
        for name in self._containers.values():
            self._send(b"=%s\n" % name.encode())
        for folder in self._folders:
            self._send(b"/" + os.fsencode(folder) + b"\n")

    def end(self, seconds: float = _END_SECONDS) -> None:
        """Let it do its work now, and wait for its end, but not for long.

        Slurm, when a job has ended of which a process is left, looks again only after a second.
        """
        os.close(self._writer)
        until = time.monotonic() + seconds
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(self._pid, os.WNOHANG)[0] == 0 and time.monotonic() < until:
                time.sleep(0.005)

    def watch(self, leader: int, container: Optional[str] = None) -> None:
        self._leaders.add(leader)
        self._send(b"+%d\n" % leader)
        if container is not None:
            self._containers[leader] = container
            self._send(b"=%s\n" % container.encode())

    def forget(self, leader: int) -> None:
        """Forget a process that has ended: another may soon have its id."""
        self._leaders.discard(leader)
        self._send(b"-%d\n" % leader)
        name = self._containers.pop(leader, None)
        if name is not None:
            self._send(b"!%s\n" % name.encode())

    def remove(self, folder: str) -> None:
        """Have a folder of the runner removed when the runner is gone."""
        if folder not in self._folders:
            self._folders.append(folder)
            self._send(b"/" + os.fsencode(folder) + b"\n")

    def _send(self, text: bytes) -> None:
        with contextlib.suppress(OSError):
            os.write(self._writer, text)


def _guard(reader: int, mark: str) -> None:
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with os.fdopen(reader, "rb") as orders:
        leaders, folders, names = _read_orders(orders)
    # What engines of containers start beside them has neither the group nor the mark.
    beside = [pid for pid in processes.all_pids() if processes.session(pid) in leaders] if leaders else []
    for leader in leaders:
        with contextlib.suppress(OSError):
            os.killpg(leader, signal.SIGKILL)
    for pid in beside:
        processes.signal_process(pid, signal.SIGKILL)
    _end_marked(mark)
    for name in names:
        containers.remove(name)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def _read_orders(orders: BinaryIO) -> Tuple[Set[int], List[bytes], Set[str]]:
    """Read until the runner is gone; return the tasks that it has left, its folders, and the names of containers."""
    leaders: Set[int] = set()
    folders: List[bytes] = []
    names: Set[str] = set()
    for line in orders:
        kind, what = line[:1], line[1:].rstrip(b"\n")
        if kind == b"/":
            folders.append(what)
        elif kind in (b"=", b"!"):
            (names.add if kind == b"=" else names.discard)(what.decode())
        else:
            (leaders.add if kind == b"+" else leaders.discard)(int(what))
    return leaders, folders, names


def _end_marked(mark: str) -> None:
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        left = [pid for pid in processes.all_pids() if processes.variable(pid, MARK) == mark]
        if not left:
            return
        for pid in left:
            processes.signal_process(pid, signal.SIGKILL)
        time.sleep(0.02)

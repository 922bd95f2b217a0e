"""A small process that outlives the runner for a moment: when the runner dies, however it does, its tasks die with it.

Without a runner nobody would ever report a task's end, and it would be run again beside itself. Asking the kernel for
the same in each new process would cost more than all else that is done to start it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import time
from typing import BinaryIO, List, Set, Tuple

from ...common import processes

MARK = "PADDOCK_RUNNER"
MOST_STARTS = 100  # one that dies at once, whatever the reason, is not started for ever
_SECONDS = 10.0


class Guard:
    """Knows the tasks by what the runner tells it, and by PADDOCK_RUNNER in their environment.

    One that dies is replaced: the runner may be next.
    """

    def __init__(self, key: str) -> None:
        self._mark = "%s %d" % (key, os.getpid())
        self._leaders: Set[int] = set()
        self._folders: List[str] = []
        self._starts = 0
        self._start()
        os.environ[MARK] = self._mark

    def _start(self) -> None:
        self._starts += 1
        reader, self._writer = os.pipe()  # tasks do not inherit it: when the runner is gone, so is the writing end
        self._pid = os.fork()
        if not self._pid:
            with contextlib.suppress(BaseException):
                os.close(self._writer)
                _guard(reader, self._mark)
            os._exit(0)
        os.close(reader)
        os.set_blocking(self._writer, False)

    def ended(self, pid: int) -> None:
        """A child of the runner has ended. If that was the guard, there is a new one now."""
        if pid != self._pid or self._starts >= MOST_STARTS:
            return
        os.close(self._writer)
        self._start()
        for leader in self._leaders:
            self._send(b"+%d\n" % leader)
        for folder in self._folders:
            self._send(b"/" + os.fsencode(folder) + b"\n")

    def watch(self, leader: int) -> None:
        self._leaders.add(leader)
        self._send(b"+%d\n" % leader)

    def forget(self, leader: int) -> None:
        """It has ended: its number may soon be another's."""
        self._leaders.discard(leader)
        self._send(b"-%d\n" % leader)

    def remove(self, folder: str) -> None:
        """When the runner is gone, a folder of its own goes as well."""
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
        leaders, folders = _read_orders(orders)
    for leader in leaders:
        with contextlib.suppress(OSError):
            os.killpg(leader, signal.SIGKILL)
    _end_marked(mark)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def _read_orders(orders: BinaryIO) -> Tuple[Set[int], List[bytes]]:
    """Until the runner is gone: the tasks that it has left, and its folders."""
    leaders: Set[int] = set()
    folders: List[bytes] = []
    for line in orders:
        kind, what = line[:1], line[1:].rstrip(b"\n")
        if kind == b"/":
            folders.append(what)
        else:
            (leaders.add if kind == b"+" else leaders.discard)(int(what))
    return leaders, folders


def _end_marked(mark: str) -> None:
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        left = [pid for pid in processes.everybody() if processes.variable(pid, MARK) == mark]
        if not left:
            return
        for pid in left:
            processes.signal_process(pid, signal.SIGKILL)
        time.sleep(0.02)

"""A small process that outlives the runner for a moment: when the runner dies, however it does, its tasks die with it.

Without a runner nobody would ever report a task's end, and it would be run again beside itself. Asking the kernel for
the same in each new process would cost more than all else that is done to start it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from typing import Set

from . import processes

MARK = "PADDOCK_RUNNER"
_SECONDS = 10.0


class Guard:
    """Knows the tasks by what the runner tells it, and by PADDOCK_RUNNER in their environment."""

    def __init__(self, key: str) -> None:
        mark = "%s %d" % (key, os.getpid())
        reader, self._writer = os.pipe()  # tasks do not inherit it: when the runner is gone, so is the writing end
        if not os.fork():
            with contextlib.suppress(BaseException):
                os.close(self._writer)
                _stand(reader, mark)
            os._exit(0)
        os.close(reader)
        os.environ[MARK] = mark
        os.set_blocking(self._writer, False)

    def watch(self, leader: int) -> None:
        self._tell("+%d\n" % leader)

    def forget(self, leader: int) -> None:
        """It has ended: its number may soon be another's."""
        self._tell("-%d\n" % leader)

    def _tell(self, text: str) -> None:
        with contextlib.suppress(OSError):
            os.write(self._writer, text.encode())


def _stand(reader: int, mark: str) -> None:
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    leaders: Set[int] = set()
    with os.fdopen(reader, encoding="ascii") as told:
        for line in told:
            (leaders.add if line[0] == "+" else leaders.discard)(int(line[1:]))
    for leader in leaders:
        with contextlib.suppress(OSError):
            os.killpg(leader, signal.SIGKILL)
    _end_marked(mark)


def _end_marked(mark: str) -> None:
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        left = [pid for pid in processes.everybody() if processes.variable(pid, MARK) == mark]
        if not left:
            return
        for pid in left:
            processes.signal_process(pid, signal.SIGKILL)
        time.sleep(0.02)

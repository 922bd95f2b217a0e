"""One agent at a time per link of a server.

A server that hears nothing of an agent connects again. The earlier agent, or what carries its bytes, may only have been
stopped: were it to go on later, it would carry out requests that the server has given up, and start a runner that
has been started since. So each agent ends those before it, before it answers anything.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

from ...common import files, processes
from .commands import send_signal
from .tree import Tree

SECONDS = 2.0  # that the end of an earlier one is waited for


class Presence:
    """The file by which the next agent finds this one: its name has the boot, the process and its start."""

    def __init__(self, tree: Tree, server: str) -> None:
        if not server.isalnum() or len(server) > 64:
            raise ValueError("the server has no valid name")
        self._tree, self._folder = tree, "agent/%s" % server
        self._path = ""

    def take(self) -> None:
        """End earlier agents of the same server on this machine, and leave a mark for the next one."""
        boot = processes.read("/proc/sys/kernel/random/boot_id").decode().strip()
        mine = "%s.%d.%d" % (boot, os.getpid(), processes.started(os.getpid()) or 0)
        self._tree.mkdir(self._folder)
        folder = self._tree.whole(self._folder)
        self._path = os.path.join(folder, mine)
        os.close(files.open_plain(self._path, os.O_WRONLY | os.O_CREAT, below=self._tree.root, mode=0o600))
        for name in os.listdir(folder):
            where, _, rest = name.partition(".")
            pid, _, start = rest.partition(".")
            if name != mine and where == boot and pid.isdigit() and start.isdigit():
                _end(int(pid), int(start))
                with suppress(OSError):
                    os.unlink(os.path.join(folder, name))

    def leave(self) -> None:
        with suppress(OSError):
            os.unlink(self._path)


def _end(pid: int, start: int) -> None:
    if b"--agent" not in processes.read("/proc/%d/cmdline" % pid, 65_536).split(b"\0"):
        return
    until = time.monotonic() + SECONDS
    with suppress(OSError):
        while send_signal(pid, start, signal.SIGKILL) and time.monotonic() < until:
            time.sleep(0.01)

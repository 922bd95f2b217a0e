"""Run the program of one member as a child, and report to the runner what it uses and how it ended.

The runner may be on another node, and what srun starts is not its child: it sees only srun. The scheduler signals all
processes of a step, so signals are not passed on: this process only survives them.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import time
from typing import Any, Callable, Dict, NoReturn, Tuple

from ...common import files, layout, processes
from .. import scheduler
from ..process.usage import OomCounter, Sampler

FIRST_SECONDS, EVERY_SECONDS = 1.0, 5.0
_SURVIVED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR2, signal.SIGALRM)


def run(folder: str, rank: int, become: Callable[[], NoReturn]) -> int:
    """Return the exit code of the program; a signal that ended it ends this process too."""
    oom = OomCounter()
    before = oom.read()
    waited = {signal.SIGCHLD, *_SURVIVED}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, waited)
    mine = os.getpid()
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        processes.die_with(mine)
        become()
    missed = signal.sigpending().intersection(_SURVIVED)  # those that came before there was a child
    for number in _SURVIVED:
        signal.signal(number, signal.SIG_IGN)
    for number in missed:
        processes.signal_process(child, number)
    status, used = _watch(folder, rank, child)
    killed = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    code = None if killed is not None else os.WEXITSTATUS(status)
    end = {"exit": code, "signal": killed, "oom": killed == signal.SIGKILL and oom.read() > before}
    _write(
        layout.member_end(folder, rank),
        {"rank": rank, "node": scheduler.node(os.environ), "at": time.time(), **end, **used},
    )
    if killed is not None:
        _die_of(killed)
    return code or 0


def _watch(folder: str, rank: int, child: int) -> Tuple[int, Dict[str, Any]]:
    sampler = Sampler(child)
    pause = FIRST_SECONDS
    while True:
        signal.sigtimedwait([signal.SIGCHLD], pause)
        done, status, used = os.wait4(child, os.WNOHANG)
        if done:
            cpu = round(used.ru_utime + used.ru_stime, 3)
            return status, {"peak_memory": max(sampler.peak_memory, used.ru_maxrss * 1024), "cpu_seconds": cpu}
        pause = EVERY_SECONDS
        found = sampler.sample()
        if found is not None:
            _write(layout.member_usage(folder, rank), {"memory": found.memory, "cpu": found.cpu})


def _write(path: str, record: Dict[str, Any]) -> None:
    # A training goes on even if this cannot be reported.
    with contextlib.suppress(OSError):
        files.write_plain(path, json.dumps(record).encode(), below=os.path.dirname(os.path.dirname(path)))


def _die_of(number: int) -> None:
    """End as the program did, so that srun reports the same; one memory image is enough."""
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)

"""An attempt that runs, from its start until nothing of it is left."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from typing import Callable, Dict, List, Optional, Tuple

from ...common import processes
from ..mailbox import QueuedAttempt
from ..manifest import Manifest
from ..multinode import members
from ..multinode.member import by_srun
from ..sources.follower import Follower
from ..sources.guarded_follower import GuardedFollower, Record
from .causes import explain
from .launch import LaunchError, describe, launch
from .leftovers import Leftover
from .log_limit import LogLimit
from .prepare import AttemptPlace, Preparer
from .usage import OomCounter, Sampler

Explanation = Tuple[Optional[str], Optional[str]]

# For this long what is left of a task is killed; after that something hangs in the kernel, and the task has to end.
KILL_SECONDS = 10.0
# A scheduler signals the runner and its tasks one after the other: the runner's own order may come a moment later.
TERM_SECONDS = 0.2
# What kills all at once (a job that is cut off, a machine that goes down) gets to the runner a moment later: then it is
# not the task that failed, and nothing is to be reported.
KILLED_SECONDS = 1.0


class RunningTask:
    def __init__(
        self,
        attempt: QueuedAttempt,
        place: AttemptPlace,
        process: subprocess.Popen[bytes],
        watch: GuardedFollower,
        oom: OomCounter,
        srun_members: Optional[members.SrunMembers] = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self.attempt = attempt
        self.place = place
        self.watch = watch
        self.pid = process.pid
        self.sampler = members.SrunSampler(srun_members) if srun_members is not None else Sampler(process.pid)
        self.by: Optional[str] = None
        self._why: Explanation = (None, None)
        self._process = process
        self._members = srun_members
        self._warned = False
        self._began = self._clock()
        self._oom = oom
        self._oom_before = oom.read()
        self._kill_at: Optional[float] = None
        self._ended_at: Optional[float] = None
        self._status = 0
        self._max_memory = 0
        self._cpu_seconds = 0.0
        self._stuck = False

    @property
    def alive(self) -> bool:
        return self._ended_at is None

    @property
    def gone(self) -> bool:
        """Whether it has ended, not only been given up, and not because the allocation ends: then there is no time."""
        return not self._stuck and self.by != "shutdown"

    @property
    def took(self) -> Optional[float]:
        """How long it ran, where it came to a good end by itself."""
        good = self.by is None and _exit(self._status) == (0, None)
        return self._ended_at - self._began if good and self._ended_at is not None else None

    def stop(self, by: str, grace: float, why: Explanation = (None, None)) -> None:
        """SIGTERM now, SIGKILL after the grace period. The first order counts."""
        if self.by is not None:
            return
        if self.alive:
            self.by, self._why = by, why
            self._kill_at = self._clock() + grace
            if self._members is None or not self._members.terminate():
                processes.signal_group(self.pid, signal.SIGTERM)
        elif self._was_terminated():
            self.by, self._why = by, why

    def kill(self) -> None:
        self._kill_at = 0.0
        if self.alive:
            if self._members is not None:
                self._members.kill()
            processes.signal_group(self.pid, signal.SIGKILL)

    def kill_if_due(self) -> None:
        if self._kill_at is not None and self._grace_is_over():
            self.kill()

    def warn(self) -> None:
        """Passes SIGUSR1 on, once, to those that handle it: it would end all others."""
        if self._warned or not self.alive:
            return
        self._warned = True
        if self._members is not None:
            # The members have seen to it that it ends none of them. srun waits for signals, it does not catch them.
            if self._members.step is not None:
                processes.signal_process(self.pid, signal.SIGUSR1)
            return
        for pid in processes.tree(self.pid):
            if processes.catches(pid, signal.SIGUSR1):
                processes.signal_process(pid, signal.SIGUSR1)

    def reap(self) -> None:
        """The process has ended. What is left of its group dies, unless it still has a grace period."""
        if self._kill_at is None or self._grace_is_over():
            processes.signal_group(self.pid, signal.SIGKILL)
        _, self._status, usage = os.wait4(self.pid, 0)
        self._process.returncode = self._status
        self._ended_at = self._clock()
        self._max_memory = usage.ru_maxrss * 1024
        self._cpu_seconds = usage.ru_utime + usage.ru_stime
        if self._members is not None:  # not what srun used
            self._max_memory, self._cpu_seconds = self._members.used()
        if self._members is not None and os.WIFSIGNALED(self._status):
            self._members.kill()

    def settled(self, leftovers: List[Leftover]) -> bool:
        """Whether nothing of it is left; if not, kills that."""
        waited = self._clock() - (self._ended_at or 0.0)
        if self.by is None and waited < self._order_seconds():
            return False
        graceful = self._kill_at is not None and not self._grace_is_over()
        for left in leftovers:
            if not (graceful and left.in_group):
                processes.signal_process(left.pid, signal.SIGKILL)
        if leftovers and not graceful and waited > KILL_SECONDS:
            self._stuck = True
            self.watch.warning("could not be ended: process %s" % ", ".join(str(left.pid) for left in leftovers))
            return True
        return not leftovers

    def ended(self) -> Record:
        """The fields of its last record."""
        code, number = _exit(self._status)
        cause, reason = self._why
        if self.by is None and code != 0:
            killed = (number == signal.SIGKILL or code == 128 + signal.SIGKILL) and self._oom.read() > self._oom_before
            unexplained: Explanation = ("user_error", "exit code %s" % code)
            cause, reason = self.watch.guard(lambda: self._explain(code, number, killed), unexplained)
        return {
            "exit": code,
            "signal": number,
            "by": self.by,
            "cause": cause,
            "reason": reason,
            "peak_memory": max(self.sampler.peak_memory, self._max_memory),
            "cpu_seconds": round(self._cpu_seconds, 3),
        }

    def _explain(self, code: Optional[int], number: Optional[int], killed: bool) -> Explanation:
        member = self._members.killed() if self._members is not None and number is None else None
        if member is None:
            return explain(self.place.log, code, number, killed)
        # srun says only that one was killed: which, and of what, it has told itself.
        cause, reason = explain(self.place.log, None, member["signal"], killed or member.get("oom") is True)
        return cause, "rank %s on %s: %s" % (member.get("rank"), member.get("node"), reason)

    def _grace_is_over(self) -> bool:
        return self._kill_at is not None and self._clock() >= self._kill_at

    def _order_seconds(self) -> float:
        if self._was_terminated():
            return TERM_SECONDS
        return KILLED_SECONDS if _exit(self._status) in ((None, signal.SIGKILL), (128 + signal.SIGKILL, None)) else 0.0

    def _was_terminated(self) -> bool:
        # A shell says so with its exit code.
        return _exit(self._status) in ((None, signal.SIGTERM), (128 + signal.SIGTERM, None))


def start(
    manifest: Manifest,
    preparer: Preparer,
    oom: OomCounter,
    attempt: QueuedAttempt,
    seat: Dict[str, str],
    ends_at: Optional[int] = None,
    clock: Callable[[], float] = time.monotonic,
) -> RunningTask:
    """Raises LaunchError."""
    place = None
    try:
        place = preparer.prepare(attempt)
        # Before the process: the follower must know what was there before it.
        limit = LogLimit(place.log, manifest.job_dir, manifest.log_bytes)
        watch = GuardedFollower(lambda: _follower(manifest, attempt, place), limit)
        process = launch(manifest, attempt, place, seat, ends_at)
    except (OSError, ValueError, TypeError, LaunchError) as error:
        if place is not None:
            preparer.tidy(place)
        if isinstance(error, LaunchError):
            raise
        raise LaunchError(describe(error)) from error
    wanted = manifest.members
    srun_members = members.SrunMembers(wanted, place.members) if wanted is not None and by_srun(wanted) else None
    return RunningTask(attempt, place, process, watch, oom, srun_members, clock)


def _follower(manifest: Manifest, attempt: QueuedAttempt, place: AttemptPlace) -> Follower:
    return Follower(
        place.task_dir,
        place.work,
        place.attempt_dir,
        manifest.metric_files,
        manifest.metric_stdout,
        attempt.resume,
        attempt.line.get("epochs"),
    )


def _exit(status: int) -> Tuple[Optional[int], Optional[int]]:
    """Exit code and signal."""
    if os.WIFSIGNALED(status):
        return None, os.WTERMSIG(status)
    return os.WEXITSTATUS(status), None

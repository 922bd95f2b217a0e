"""A running attempt, from its start until none of its processes is left."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from typing import Callable, Dict, List, Optional, Tuple

from ...common import containers, processes
from ..mailbox import QueuedAttempt
from ..manifest import Manifest
from ..multinode import members
from ..multinode.member import by_srun
from ..sources.follower import Follower
from ..sources.guarded_follower import GuardedFollower, Record
from . import apart
from .apart import Apart
from .causes import explain
from .launch import LaunchError, describe, launch
from .leftovers import Leftover
from .log_limit import LogLimit
from .prepare import AttemptPlace, Preparer
from .saves import SaveWatch
from .usage import OomCounter, Sampler

Explanation = Tuple[Optional[str], Optional[str]]

# Left-over processes are killed for this long; after that one hangs in the kernel, and the task ends without it.
KILL_SECONDS = 10.0
# Its logs are read for up to this long after it has ended: one of hundreds of megabytes takes a minute or two.
READ_SECONDS = 900.0
# A scheduler signals the runner and its tasks one after the other: the runner's own signal may come a moment later.
TERM_SECONDS = 0.2
# What kills everything (a cancelled job, a node that shuts down) may reach the runner a moment after its tasks: then
# the task has not failed, and its end must not be reported.
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
        apart: Optional[Apart] = None,
        in_container: bool = False,
    ) -> None:
        self._clock = clock
        self.attempt = attempt
        self.place = place
        self.watch = watch
        self.pid = process.pid
        self.apart = apart
        more = apart.pids if apart is not None else tuple
        self.saves = SaveWatch(place.checkpoint) if attempt.size is not None else None  # it may be resized
        self.sampler = members.SrunSampler(srun_members) if srun_members is not None else Sampler(process.pid, more)
        self.by: Optional[str] = None
        self._why: Explanation = (None, None)
        self._process = process
        self._members = srun_members
        self._in_container = in_container
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
    def reading(self) -> bool:
        """True if it has ended by itself, and its files are not yet read to their end."""
        over = self.by is None and self._ended_at is not None
        return over and self.watch.behind and self._clock() - (self._ended_at or 0.0) < READ_SECONDS

    @property
    def gone(self) -> bool:
        """True if its folders may be tidied: all its processes have ended, and the allocation goes on."""
        return not self._stuck and self.by != "shutdown"

    @property
    def took(self) -> Optional[float]:
        """How long it ran, if it ended by itself with exit code 0."""
        good = self.by is None and _exit(self._status) == (0, None)
        return self._ended_at - self._began if good and self._ended_at is not None else None

    def stop(self, by: str, grace: float, why: Explanation = (None, None)) -> None:
        """Send SIGTERM now and SIGKILL after the grace period. Only the first call counts."""
        if self.by is not None:
            return
        if self.alive:
            self.by, self._why = by, why
            self._kill_at = self._clock() + grace
            if self._members is None or not self._members.terminate():
                processes.signal_group(self.pid, signal.SIGTERM)
                processes.signal_group(self.pid, signal.SIGCONT)  # it may wait for room on its GPU, see EarlyStarts
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
        """Send SIGUSR1, once, to the processes that handle it: it would end the others."""
        if self._warned or not self.alive:
            return
        self._warned = True
        if self._members is not None:
            # The members ignore it unless their program handles it. srun passes it on, though it has no handler.
            if self._members.step is not None:
                processes.signal_process(self.pid, signal.SIGUSR1)
            return
        for pid in {*processes.tree(self.pid), *(self.apart.pids() if self.apart is not None else ())}:
            if processes.catches(pid, signal.SIGUSR1) and not (self._in_container and containers.is_helper(pid)):
                processes.signal_process(pid, signal.SIGUSR1)

    def reap(self) -> None:
        """Take note that the process has ended, and kill the rest of its group unless it still has a grace period."""
        if self._kill_at is None or self._grace_is_over():
            processes.signal_group(self.pid, signal.SIGKILL)
        _, self._status, usage = os.wait4(self.pid, 0)
        self._process.returncode = self._status
        self._ended_at = self._clock()
        self._max_memory = usage.ru_maxrss * 1024
        self._cpu_seconds = usage.ru_utime + usage.ru_stime
        if self._members is not None:  # in place of what srun itself used
            self._max_memory, self._cpu_seconds = self._members.used()
        if os.WIFSIGNALED(self._status):
            if self._members is not None:
                self._members.kill()
            elif self.apart is not None:
                self.apart.remove()

    def settled(self, leftovers: List[Leftover]) -> bool:
        """Return True if none of its processes is left; otherwise kill those."""
        waited = self._clock() - (self._ended_at or 0.0)
        if self.by is None and waited < self._order_seconds():
            return False
        if self.apart is not None:  # what tidies up behind a container ends by itself
            leftovers = [left for left in leftovers if not containers.is_helper(left.pid)]
        graceful = self._kill_at is not None and not self._grace_is_over()
        for left in leftovers:
            if not (graceful and left.in_group):
                processes.signal_process(left.pid, signal.SIGKILL)
        if leftovers and not graceful and waited > KILL_SECONDS:
            self._stuck = True
            pids = ", ".join(str(left.pid) for left in leftovers)
            self.watch.warning("process %s could not be killed: end it by hand, or restart the node" % pids)
            return True
        return not leftovers

    def ended(self) -> Record:
        """Return the fields of its last record."""
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
        # srun reports only that a member was killed; the member itself reported which one and why.
        cause, reason = explain(self.place.log, None, member["signal"], killed or member.get("oom") is True)
        return cause, "rank %s on %s: %s" % (member.get("rank"), member.get("node"), reason)

    def _grace_is_over(self) -> bool:
        return self._kill_at is not None and self._clock() >= self._kill_at

    def _order_seconds(self) -> float:
        if self._was_terminated():
            return TERM_SECONDS
        return KILLED_SECONDS if _exit(self._status) in ((None, signal.SIGKILL), (128 + signal.SIGKILL, None)) else 0.0

    def _was_terminated(self) -> bool:
        # A shell reports a signal by its exit code.
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
    """Start an attempt. Raises LaunchError."""
    place = None
    try:
        place = preparer.prepare(attempt)
        # Before the process starts: the follower has to know which files were there before it.
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
    container = apart.of(manifest, attempt)
    if container is not None:
        oom = OomCounter(everywhere=True)
    in_container = manifest.container is not None
    return RunningTask(attempt, place, process, watch, oom, srun_members, clock, container, in_container)


def _follower(manifest: Manifest, attempt: QueuedAttempt, place: AttemptPlace) -> Follower:
    return Follower(
        place.task_dir,
        place.work,
        place.attempt_dir,
        manifest.metric_files,
        manifest.metric_stdout,
        attempt.resume,
        attempt.line.get("epochs"),
        marked=manifest.metric_patterns,
        objective=manifest.objective,
    )


def _exit(status: int) -> Tuple[Optional[int], Optional[int]]:
    """Return the exit code and the signal."""
    if os.WIFSIGNALED(status):
        return None, os.WTERMSIG(status)
    return os.WEXITSTATUS(status), None

"""A task of several processes, maybe on several nodes: how it is started, signalled and ended.

On several nodes srun starts it. On SIGTERM, srun kills the processes at once, and when srun itself is killed, they go
on without it. So they are signalled as a step, with scancel.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from ...common import layout
from ...common.files import Folder, open_plain
from .. import scheduler
from ..manifest import Members
from ..process.usage import ProcessUsage
from .member import LONGEST, by_srun

# A scheduler that does not answer may delay the runner for this long.
TERM_SECONDS = 5.0
KILL_SECONDS = 10.0


class Unsupported(ValueError):
    """A task of this kind cannot be started here."""


def command(members: Members, folder: str, argv: List[bytes], environ: Mapping[str, str]) -> List[bytes]:
    """Return the command to start in place of argv."""
    before = [sys.executable, "-I", "-S", os.path.abspath(sys.argv[0]), "--member", folder]
    before += [members.launcher, str(members.nodes), str(members.processes), "--"]
    if by_srun(members):
        if not scheduler.in_slurm():
            raise Unsupported("a task on %d nodes can only run in Slurm: choose a Slurm backend" % members.nodes)
        before = _srun(members, environ) + before
    elif members.total > 1:
        raise Unsupported("the launcher srun needs Slurm for %d processes: choose a Slurm backend" % members.total)
    return [os.fsencode(part) for part in before] + argv


def _srun(members: Members, environ: Mapping[str, str]) -> List[str]:
    parts = [_program("srun")]
    parts += ["--nodes=%d" % members.nodes, "--ntasks=%d" % members.total, "--ntasks-per-node=%d" % members.per_node]
    # All the memory of the job, whatever the environment contains, and no binding to cores.
    parts += ["--kill-on-bad-exit=1", "--cpu-bind=none", "--mem=0", "--export=ALL"]
    cpus = environ.get("SLURM_CPUS_PER_TASK", "")
    if cpus.isdigit():
        each = int(cpus) // members.per_node
        parts += ["--cpus-per-task=%d" % max(1, each)]
        if not each:
            parts += ["--overcommit"]
    return parts


def _program(name: str) -> str:
    """Return the path of a program as the runner finds it: a task may have another PATH."""
    import shutil  # it loads much, and everything that is loaded makes every start of a process slower

    return shutil.which(name) or name


class SrunMembers:
    """The processes of an attempt that srun started."""

    def __init__(self, members: Members, folder: str) -> None:
        self._count = members.total
        self._folder = folder
        self._step: Optional[str] = None
        self._killed = False

    @property
    def step(self) -> Optional[str]:
        """JOB.STEP, once a member has reported it."""
        if self._step is None:
            given = (record.get("step") for record in self._records(layout.member))
            self._step = next((step for step in given if _is_step(step)), None)
        return self._step

    def usage(self) -> Optional[ProcessUsage]:
        """Return what all members together use, by their last reports."""
        given = [(_count(one.get("memory")), _count(one.get("cpu"))) for one in self._records(layout.member_usage)]
        if not given:
            return None
        return ProcessUsage(int(sum(memory for memory, _ in given)), round(sum(cpu for _, cpu in given), 3))

    def ends(self) -> List[Dict[str, Any]]:
        """Return how members ended, as far as they reported it, the first first."""
        return sorted(self._records(layout.member_end), key=lambda one: _count(one.get("at")))

    def used(self) -> Tuple[int, float]:
        """Return the most memory that a member had, and the processor time of all of them."""
        ends = self.ends()
        memory = max([_count(one.get("peak_memory")) for one in ends] or [0])
        return int(memory), sum(_count(one.get("cpu_seconds")) for one in ends)

    def killed(self) -> Optional[Dict[str, Any]]:
        """Return the member that was killed, if it was the first to fail: the others may have failed because of it."""
        bad = [one for one in self.ends() if one.get("exit") != 0]
        by_itself = [one for one in bad if one.get("signal") != signal.SIGTERM]
        first = next(iter(by_itself or bad), None)
        return first if first is not None and type(first.get("signal")) is int else None

    def _records(self, path: Callable[[str, int], str]) -> List[Dict[str, Any]]:
        attempt_dir, inner = os.path.split(self._folder)
        try:
            folder = Folder(attempt_dir, attempt_dir)
        except OSError:
            return []
        try:
            records = (_record(folder, inner, os.path.basename(path("", rank))) for rank in range(self._count))
            return [record for record in records if record is not None]
        finally:
            folder.close()

    def terminate(self) -> bool:
        """Send SIGTERM to the members. Return False if that is not possible: then srun has to be signalled."""
        # A scheduler that refuses is ending the job already, and has signalled the members.
        return self.step is not None and self._scancel("TERM", TERM_SECONDS)

    def kill(self) -> None:
        """Kill the members, once, because srun is killed or was."""
        if self._killed:
            return
        self._killed = True
        # First: a member that starts after the step was looked up sees this file, and does not begin.
        with contextlib.suppress(OSError):
            over = layout.over(self._folder)
            os.close(open_plain(over, os.O_CREAT | os.O_WRONLY, below=os.path.dirname(self._folder), mode=0o666))
        if self.step is not None:
            self._scancel("KILL", KILL_SECONDS)

    def _scancel(self, name: str, seconds: float) -> bool:
        """Signal the step. Return True if the scheduler has answered."""
        argv = [_program("scancel"), "--signal=" + name, str(self._step)]
        try:
            subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=sys.stderr, timeout=seconds, check=False)
        except (OSError, subprocess.SubprocessError) as error:
            print("%s: %s" % (" ".join(argv), error), file=sys.stderr, flush=True)
            return False
        return True


class SrunSampler:
    """Measures members by their reports, as they may be on other nodes."""

    def __init__(self, members: SrunMembers) -> None:
        self._members = members
        self.peak_memory = 0

    def sample(self) -> Optional[ProcessUsage]:
        usage = self._members.usage()
        if usage is not None:
            self.peak_memory = max(self.peak_memory, usage.memory)
        return usage


def _record(folder: Folder, inner: str, name: str) -> Optional[Dict[str, Any]]:
    try:
        found = json.loads(folder.read(inner, name, LONGEST, 0).decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _is_step(given: Any) -> bool:
    """Return True for a step of this very job: it becomes an argument of scancel."""
    if not isinstance(given, str) or not re.fullmatch(r"[0-9]+\.[0-9]+", given):
        return False
    return given.partition(".")[0] == os.environ.get("SLURM_JOB_ID", given.partition(".")[0])


def _count(value: Any) -> float:
    """Return a number of a file that may contain anything; 0 if it is not sensible."""
    sensible = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 2**60
    return value if sensible else 0.0

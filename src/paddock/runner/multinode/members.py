"""A task of several processes, maybe on several nodes: how it is started, signalled and ended.

On several nodes srun starts it, and srun has its own mind about signals: on SIGTERM it kills the processes at once,
and when it is killed itself they go on without it. So they are signalled by the step that they are, with scancel.
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

# So long a scheduler that does not answer may hold up the runner.
TERM_SECONDS = 5.0
KILL_SECONDS = 10.0


class Unsupported(ValueError):
    """Such a task cannot be started here."""


def command(members: Members, folder: str, argv: List[bytes], environ: Mapping[str, str]) -> List[bytes]:
    """What is started in place of argv."""
    before = [sys.executable, "-I", "-S", os.path.abspath(sys.argv[0]), "--member", folder]
    before += [members.launcher, str(members.nodes), str(members.processes), "--"]
    if by_srun(members):
        if not scheduler.in_slurm():
            raise Unsupported("a task on %d nodes can run in Slurm only" % members.nodes)
        before = _srun(members, environ) + before
    elif members.total > 1:
        raise Unsupported("the launcher srun can start %d processes in Slurm only" % members.total)
    return [os.fsencode(part) for part in before] + argv


def _srun(members: Members, environ: Mapping[str, str]) -> List[str]:
    parts = [_program("srun")]
    parts += ["--nodes=%d" % members.nodes, "--ntasks=%d" % members.total, "--ntasks-per-node=%d" % members.per_node]
    # All the memory of the job, whatever the environment says of it; and no task is bound to some of its cores.
    parts += ["--kill-on-bad-exit=1", "--cpu-bind=none", "--mem=0", "--export=ALL"]
    cpus = environ.get("SLURM_CPUS_PER_TASK", "")
    if cpus.isdigit():
        each = int(cpus) // members.per_node
        parts += ["--cpus-per-task=%d" % max(1, each)]
        if not each:
            parts += ["--overcommit"]
    return parts


def _program(name: str) -> str:
    """As the runner finds it: a task may have another PATH."""
    import shutil  # it loads much, and all that is loaded makes every start of a process slower

    return shutil.which(name) or name


class SrunMembers:
    """The members of an attempt that runs through srun."""

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
        """Of all members together, as they last reported it."""
        given = [(_count(one.get("memory")), _count(one.get("cpu"))) for one in self._records(layout.member_usage)]
        if not given:
            return None
        return ProcessUsage(int(sum(memory for memory, _ in given)), round(sum(cpu for _, cpu in given), 3))

    def ends(self) -> List[Dict[str, Any]]:
        """How members ended, as far as they could tell it, the first end first."""
        return sorted(self._records(layout.member_end), key=lambda one: _count(one.get("at")))

    def used(self) -> Tuple[int, float]:
        """The most memory that one of them had, and the time that all of them computed."""
        ends = self.ends()
        memory = max([_count(one.get("peak_memory")) for one in ends] or [0])
        return int(memory), sum(_count(one.get("cpu_seconds")) for one in ends)

    def killed(self) -> Optional[Dict[str, Any]]:
        """The member that was killed, where that was the first bad end: those of others may follow from it."""
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
        """Whether the members get SIGTERM; if not, srun has to be signalled."""
        # A scheduler that refuses is ending the job already, and has signalled the members.
        return self.step is not None and self._scancel("TERM", TERM_SECONDS)

    def kill(self) -> None:
        """Once: when srun is killed, or was."""
        if self._killed:
            return
        self._killed = True
        # Before the look: a member that tells of itself later than that sees this, and does not begin.
        with contextlib.suppress(OSError):
            over = layout.over(self._folder)
            os.close(open_plain(over, os.O_CREAT | os.O_WRONLY, below=os.path.dirname(self._folder), mode=0o666))
        if self.step is not None:
            self._scancel("KILL", KILL_SECONDS)

    def _scancel(self, name: str, seconds: float) -> bool:
        """Whether the scheduler has answered."""
        argv = [_program("scancel"), "--signal=" + name, str(self._step)]
        try:
            subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=sys.stderr, timeout=seconds, check=False)
        except (OSError, subprocess.SubprocessError) as error:
            print("%s: %s" % (" ".join(argv), error), file=sys.stderr, flush=True)
            return False
        return True


class SrunSampler:
    """In place of a look at processes that may be on other machines: what they tell."""

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
    """A step of this very job: it becomes an argument of scancel."""
    if not isinstance(given, str) or not re.fullmatch(r"[0-9]+\.[0-9]+", given):
        return False
    return given.partition(".")[0] == os.environ.get("SLURM_JOB_ID", given.partition(".")[0])


def _count(value: Any) -> float:
    """What a file says, which may say anything."""
    sensible = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 2**60
    return value if sensible else 0.0

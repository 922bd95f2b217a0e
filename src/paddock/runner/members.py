"""A task of several processes, maybe on several nodes: how it is started, signalled and ended.

On several nodes srun starts it, and srun has its own mind about signals: on SIGTERM it kills the processes at once,
and when it is killed itself they go on without it. So they are signalled by the step that they are, with scancel.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from typing import List, Mapping, Optional

from . import layout, scheduler
from .manifest import SRUN, Members

# So long a scheduler that does not answer may hold up the runner.
TERM_SECONDS = 5.0
KILL_SECONDS = 10.0


class Unsupported(ValueError):
    """Such a task cannot be started here."""


def through_srun(members: Members) -> bool:
    return members.nodes > 1 or (members.launcher == SRUN and scheduler.in_slurm())


def command(members: Members, folder: str, argv: List[bytes], environ: Mapping[str, str]) -> List[bytes]:
    """What is started in place of argv."""
    before = [sys.executable, "-I", "-S", os.path.abspath(sys.argv[0]), "--member", folder]
    before += [members.launcher, str(members.nodes), str(members.processes), "--"]
    if through_srun(members):
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


class Crew:
    """The members of an attempt that runs through srun."""

    def __init__(self, members: Members, folder: str) -> None:
        self._count = members.total
        self._folder = folder
        self._step: Optional[str] = None
        self._killed = False

    @property
    def step(self) -> Optional[str]:
        """JOB.STEP, once a member has told it."""
        if self._step is None:
            told = (_told(layout.member(self._folder, rank)) for rank in range(self._count))
            self._step = next((step for step in told if step), None)
        return self._step

    def terminate(self) -> bool:
        """Whether the members get SIGTERM; if not, srun has to be told to end."""
        # A scheduler that refuses is ending the job already, and has told the members so.
        return self.step is not None and self._scancel("TERM", TERM_SECONDS)

    def kill(self) -> None:
        """Once: when srun is killed, or was."""
        if self._killed:
            return
        self._killed = True
        # Before the look: a member that tells of itself later than that sees this, and does not begin.
        with contextlib.suppress(OSError):
            os.close(os.open(layout.over(self._folder), os.O_CREAT | os.O_WRONLY, 0o666))
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


def _told(path: str) -> Optional[str]:
    try:
        with open(path, encoding="utf-8") as file:
            step = json.load(file).get("step")
    except (OSError, ValueError, AttributeError):
        return None
    return step if isinstance(step, str) else None

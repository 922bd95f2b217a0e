"""How this machine reaches the node of a task: the command that attaches to it, with the person's own rights.

The server only says where the task is. What runs there is `runner/beside.py` of this installation: as a file here, and
as a text on the command line of srun or ssh elsewhere, as there may be no Paddock.
"""

import ast
import base64
import getpass
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from paddock.errors import Conflict
from paddock.models import AttachPoint
from paddock.runner import beside
from paddock.settings import Settings

SQUEUE_SECONDS = 30
# A step beside the others of its job: with all memory and GPUs of the job, bound to no core.
_STEP = ("--overlap", "--nodes=1", "--ntasks=1", "--mem=0", "--cpu-bind=none", "--quiet")


@dataclass(frozen=True)
class AttachCommand:
    argv: list[str]
    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))


def command(point: AttachPoint, mode: str, argv: Sequence[str], settings: Settings | None) -> AttachCommand:
    """Return the command that attaches to a task. Raise Conflict if this machine cannot reach it."""
    given = [mode, point.task, str(point.attempt), str(point.pid), *argv]
    try:
        beside.find(point.task, point.attempt, point.pid)
        return AttachCommand([sys.executable, "-I", "-S", beside.__file__, *given])
    except beside.CannotAttach as error:
        problem = str(error)
    far = [point.python, "-I", "-S", "-c", _program(given)]
    if point.kind == "slurm" and point.scheduler_id and shutil.which("srun"):
        env = _outside_of_slurm(point, settings)
        return AttachCommand([*_srun(point, _job_number(point, env)), *far], env)
    if point.kind == "hosts":
        return AttachCommand([*_ssh(point, settings), shlex.join(["exec", *far])])
    if point.pod is not None:
        shell = f"kubectl exec -it {point.pod} -- sh"
        raise Conflict(f"{point.task} runs in a pod of Kubernetes, where Paddock cannot attach: {shell}")
    if point.node in (socket.gethostname(), socket.getfqdn()):
        raise Conflict(f"{problem[0].upper()}{problem[1:]}.")
    raise Conflict(f"{_where(point)}: this machine cannot reach it. Run there: paddock attach {point.task}")


def _where(point: AttachPoint) -> str:
    if point.kind == "slurm":
        return f"{point.task} runs on {point.node}, in job {point.scheduler_id} of Slurm, and there is no srun here"
    return f"{point.task} runs on {point.node}, as {point.account}"


def _job_number(point: AttachPoint, env: Mapping[str, str]) -> str:
    """Return the number of the job: srun does not know the ids of elements of arrays, such as 12_3."""
    asked = ["squeue", "-h", "-o", "%A", "-j", str(point.scheduler_id)]
    try:
        found = subprocess.run(asked, env=env, capture_output=True, text=True, check=False, timeout=SQUEUE_SECONDS)
    except subprocess.TimeoutExpired:
        raise Conflict(f"Slurm does not answer: squeue has taken {SQUEUE_SECONDS} s. Try again later.") from None
    number = found.stdout.strip()
    if not number.isdigit():
        why = found.stderr.strip() or f"it is not in the queue that {getpass.getuser()} sees"
        raise Conflict(f"Job {point.scheduler_id} of Slurm, in which {point.task} runs, cannot be found: {why}")
    return number


def _srun(point: AttachPoint, number: str) -> list[str]:
    options = [f"--jobid={number}", f"--nodelist={point.node}", *_STEP]
    return ["srun", *options, *(["--pty"] if _has_terminal() else [])]


def _outside_of_slurm(point: AttachPoint, settings: Settings | None) -> dict[str, str]:
    """Return the environment for srun, without the job of Slurm in which the person may be."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SRUN_"))}
    cluster = settings.clusters.get(point.backend) if settings else None
    conf = os.environ.get("SLURM_CONF") or (cluster and cluster.conf)
    return env | ({"SLURM_CONF": conf} if conf else {})


def _ssh(point: AttachPoint, settings: Settings | None) -> list[str]:
    """Return the beginning of the command line of ssh.

    Its options come from the settings on this machine, never from the server: an option of ssh can run any program.
    """
    fleet = settings.fleets.get(point.backend) if settings else None
    place = f"{point.account}@{point.node}" if point.sign_in else point.node
    return [*(fleet.ssh if fleet else ["ssh"]), *(["-t"] if _has_terminal() else []), "--", place]


def _has_terminal() -> bool:
    return os.isatty(0)


def _program(given: Sequence[str]) -> str:
    """Return the program and its arguments as one line that every shell leaves as it is; people have other shells."""
    coded = [base64.b64encode(text.encode(errors="surrogateescape")).decode() for text in (json.dumps(given), _text())]
    arguments, text = (f'base64.b64decode("{one}")' for one in coded)
    return f"import base64,json,sys;sys.argv[1:]=json.loads({arguments});exec({text})"


@cache
def _text() -> str:
    """Return the program without its docstrings and comments, which a command line does not need."""
    tree = ast.parse(Path(beside.__file__).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            node.body[:1] = [] if len(node.body) > 1 else [ast.Pass()]
    return ast.unparse(tree)

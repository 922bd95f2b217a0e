"""Run Slurm's commands, with a time limit and without secrets, and classify their errors."""

import logging
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from paddock.agents.links import Links
from paddock.backends.slurm import parse
from paddock.backends.slurm.complaints import Trouble, diagnose, message
from paddock.backends.slurm.owners import Owners
from paddock.common.variables import SECRET
from paddock.errors import BackendBusy, BackendClosed, BackendError, BackendUnavailable
from paddock.settings import SlurmSettings

log = logging.getLogger("paddock.slurm")

# Not passed on, besides secrets: Slurm stores the environment of a submission in files and databases.
# Variables of a server that itself runs in an allocation: its submissions must not use them.
_OURS = re.compile(
    r"^(PADDOCK_|SLURM_|SBATCH_|SLURMD_|CUDA_VISIBLE_DEVICES$|ROCR_VISIBLE_DEVICES$|GPU_DEVICE_ORDINAL$)"
)
_KEPT = ("SLURM_CONF",)
_ERRORS: Mapping[Trouble, type[BackendError]] = {
    Trouble.UNREACHABLE: BackendUnavailable,
    Trouble.LIMIT: BackendBusy,
    Trouble.CLOSED: BackendClosed,
}


@dataclass(frozen=True)
class Result:
    out: str
    err: str
    code: int


class Commands:
    """The commands of one cluster. `calls` counts them, for benchmarks."""

    def __init__(self, settings: SlurmSettings, links: Links | None = None) -> None:
        self._settings = settings
        self.owners = Owners(links)
        self.calls = 0

    def run(self, *argv: str, text: str | None = None) -> str:
        """Run a command and return its output. Raises BackendError with the command's message."""
        result = self.try_run(*argv, text=text)
        if result.code:
            raise complaint(argv[0], result)
        return result.out

    def try_run(self, *argv: str, text: str | None = None, user: str | None = None) -> Result:
        """Run a command and return its result, also after an error. Raises BackendUnavailable if it takes too long.

        `user`: as this person, through their agent; BackendClosed if that does not answer.
        """
        self.calls += 1
        if user is not None:
            done = self.owners.run(user, argv, text, self._settings.command_seconds, _of_settings(self._settings))
            return Result(done.out.decode(errors="replace"), done.err.decode(errors="replace"), done.code or 0)
        return self._run(self._whole(argv), argv[0], text)

    def operate(self, *argv: str) -> Result:
        """Run scontrol with the rights of an operator.

        Nothing but scontrol follows the prefix: a rule of sudo can then name the command with its arguments.
        """
        self.calls += 1
        prefix = self._settings.operator_prefix
        whole = ["scontrol", *argv]
        if not prefix:
            return self._run(self._whole(whole), "scontrol", None)
        if shutil.which(prefix[0]) is None:
            return Result("", f"{prefix[0]}, of `operator_prefix` in the settings of the backend, is not found", 127)
        return self._run([*prefix, *([shlex.join(whole)] if _is_ssh(prefix) else whole)], "scontrol", None)

    def _run(self, whole: Sequence[str], command: str, text: str | None) -> Result:
        log.debug("%s", shlex.join(whole))
        try:
            ran = subprocess.run(
                whole,
                input=text,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                env=environment(os.environ, self._settings),
                timeout=self._settings.command_seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            waited = f"{self._settings.command_seconds:g} s"
            raise BackendUnavailable(f"`{command}` did not answer within {waited}") from None
        except OSError as error:
            raise BackendUnavailable(
                f"`{whole[0]}` cannot be run ({error.strerror}): are Slurm's commands installed on this node?"
            ) from None
        return Result(ran.stdout, ran.stderr, ran.returncode)

    def _whole(self, argv: Sequence[str]) -> list[str]:
        prefix = self._settings.prefix
        if not prefix:
            return [*_mortal(), *argv] if argv[0] == "sbatch" else list(argv)
        whole = ["env", *(f"{name}={value}" for name, value in _of_settings(self._settings).items()), *argv]
        # On the other side of ssh is a shell.
        return [*prefix, *([shlex.join(whole)] if _is_ssh(prefix) else whole)]


def _is_ssh(prefix: Sequence[str]) -> bool:
    return os.path.basename(prefix[0]) == "ssh"  # noqa: PTH119


def environment(given: Mapping[str, str], settings: SlurmSettings) -> dict[str, str]:
    """Return the environment of the commands; that of sbatch is also the allocation's."""
    kept = {
        name: value for name, value in given.items() if name in _KEPT or not (_OURS.match(name) or SECRET.search(name))
    }
    return kept | _of_settings(settings)


def _of_settings(settings: SlurmSettings) -> dict[str, str]:
    return parse.ENVIRONMENT | ({"SLURM_CONF": settings.conf} if settings.conf else {})


def complaint(command: str, result: Result) -> BackendError:
    """Return the error for a failed command."""
    text = message(result.err).replace("\n", "; ") or f"`{command}` ended with code {result.code}"
    return _ERRORS.get(diagnose(result.err), BackendError)(text)


@cache
def _mortal() -> list[str]:
    """Return a prefix that ends a command with the server, if the system has such a program.

    A submission that outlives a killed server could succeed after the next server has looked for it. Without the
    prefix, such a double is cancelled later.
    """
    argv = ["setpriv", "--pdeathsig", "KILL"]
    try:
        known = subprocess.run([*argv, "true"], capture_output=True, timeout=10, check=False).returncode == 0
    except (OSError, subprocess.SubprocessError):
        known = False
    return argv if known else []

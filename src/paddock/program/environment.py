"""Find the Python of a job, and try it before the job is queued."""

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import IO, Any, Protocol

from paddock.common import containers, interpreters, processes, variables
from paddock.errors import UnusableEnvironment
from paddock.models import Container, Environment, Interpreter
from paddock.program.commands import Command, wrap_setup

# Looks for modules as an import would, without importing any. The current folder is no part of the environment.
_PROBE = """
import json, sys, importlib.util as u
sys.path[:] = [one for one in sys.path if one]
def absent(name):
    try:
        return u.find_spec(name) is None
    except Exception:
        return name not in sys.modules
missing = [name for name in sys.argv[1:] if absent(name)]
print('\\nPADDOCK ' + json.dumps(['.'.join(map(str, sys.version_info[:3])), not absent('paddock'), missing]))
"""
MARK = "PADDOCK_CHECK"
MEMORY, SAID = 4 * 1024**3, 64 * 1024**2  # bytes: of each process, and of all that one file takes
# Limits are set by a process that then becomes the command: between fork and exec of one with threads that is not safe.
_LIMITED = """
import json, os, resource, sys
kinds = (resource.RLIMIT_CPU, resource.RLIMIT_DATA, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE)
for kind, wanted in zip(kinds, json.loads(sys.argv[1])):
    highest = resource.getrlimit(kind)[1]
    wanted = wanted if highest == resource.RLIM_INFINITY else min(wanted, highest)
    resource.setrlimit(kind, (wanted, wanted))
try:
    os.execvp(sys.argv[2], sys.argv[2:])
except OSError as error:
    sys.exit(error.strerror)
"""


class NotLookedInto(Exception):
    """An image cannot be looked into on this machine; the text says why."""


class Workbench(Protocol):
    """Where the Python of a job is looked for and tried: as the user of the server, or as somebody else."""

    def locate(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what `common.interpreters.locate` finds there."""
        ...

    def run(self, command: Command, seconds: float) -> tuple[int, str, str]:
        """Return the exit code, stdout and stderr. Processes that the command leaves behind are killed.

        Raises TimeoutError, or OSError if it cannot be started.
        """
        ...


def find(
    environment: Environment, default: str | None, on: Workbench | None = None, container: Container | None = None
) -> Interpreter:
    """Find the interpreter without starting it. Raises UnusableEnvironment with the field at fault.

    An image brings its own.
    """
    if container is not None:
        return Interpreter(argv=[container.python])
    asked = environment.model_dump(include={"venv", "conda", "python"}) | {"default": default or sys.executable}
    found = (on or OWN).locate(asked)
    if "fault" in found:
        field, message, beginning = found["fault"]
        raise UnusableEnvironment.at(field, message, beginning)
    return Interpreter.model_validate({"argv": found.get("argv"), "env": found.get("env")})


def check(
    environment: Environment,
    interpreter: Interpreter,
    seconds: float,
    *,
    python: bool = True,
    modules: Sequence[str] = (),
    on: Workbench | None = None,
    container: Container | None = None,
) -> Interpreter:
    """Start the interpreter once, after the set-up lines, and look for `modules` without importing them.

    `python` false: run only the set-up lines.
    """
    argv = [*interpreter.argv, "-c", _PROBE, *modules] if python else ["/bin/echo", "PADDOCK [null, false, []]"]
    if not python and not environment.setup:
        return interpreter
    command = Command(argv=argv, env=interpreter.env | environment.variables)
    if environment.setup:
        command = wrap_setup(command, environment.setup)
    what = "set-up lines" if environment.setup else command.argv[0]
    if container is not None:
        command, what = _inside(container, command), f"{what} in {container.image}"
    try:
        code, out, err = (on or OWN).run(command, seconds)
    except TimeoutError:
        raise _unusable(f"{what} did not answer within {seconds:g} s") from None
    except OSError as error:
        raise _unusable(f"{what}: {error.strerror}") from None
    answers = [line.removeprefix("PADDOCK ") for line in out.splitlines() if line.startswith("PADDOCK ")]
    answer = _answer(answers[-1]) if answers else None
    if code or answer is None:
        lines = err.strip().splitlines()
        raise _unusable(f"{what} ended with code {code}" + (f": {lines[-1][:300]}" if lines else ""))
    return interpreter.model_copy(update=answer)


def _inside(container: Container, command: Command) -> Command:
    """Return a command that runs in an image. Raise NotLookedInto if that is not possible on this machine."""
    env = dict(command.env)
    try:
        before = containers.wrapped(container.to_run, [], "/", env, command.env)
    except containers.Unavailable as why:
        raise NotLookedInto(str(why)) from None
    unset = [f"--unset={name}" for name in containers.OF_THE_NODE if name not in env]
    return replace(command, argv=["/usr/bin/env", *unset, *before, *command.argv], env=env)


def _answer(text: str) -> dict[str, Any] | None:
    """Read the answer of the probe; None: the line is something else."""
    try:
        version, has_paddock, missing = json.loads(text)
    except (ValueError, TypeError):
        return None
    known = version is None or (isinstance(version, str) and version.replace(".", "").isalnum())
    known = known and isinstance(missing, list) and all(isinstance(name, str) for name in missing)
    return {"version": version, "has_paddock": has_paddock is True, "missing": missing} if known else None


def limited(python: str, command: Command, seconds: float) -> list[str]:
    """Return a command line that runs a command with limits. `python` sets them."""
    limits = [int(seconds) + 1, MEMORY, SAID, 0]  # seconds on a processor, memory, size of files, of core dumps
    return [python, "-I", "-S", "-c", _LIMITED, json.dumps(limits), *command.argv]


class OwnWorkbench:
    """As the user of the server."""

    def locate(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        return interpreters.locate(asked)

    def run(self, command: Command, seconds: float) -> tuple[int, str, str]:
        mark = secrets.token_hex(8)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(
                limited(sys.executable, command, seconds),
                env={**variables.harmless(os.environ), **command.env, MARK: mark},
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
            try:
                code = process.wait(seconds)
            except subprocess.TimeoutExpired:
                raise TimeoutError from None
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                _end_marked(mark)
            return code, _last(out), _last(err)


OWN = OwnWorkbench()


def _end_marked(mark: str) -> None:
    """Kill all processes with this mark, also those that have left the process group."""
    for _ in range(20):
        left = [pid for pid in processes.all_pids() if processes.variable(pid, MARK) == mark]
        if not left:
            return
        for pid in left:
            processes.signal_process(pid, signal.SIGKILL)


def _last(file: IO[bytes]) -> str:
    """Return the end of the output, which contains the answer."""
    file.seek(max(file.seek(0, os.SEEK_END) - 64 * 1024, 0))
    return file.read().decode(errors="replace")


def _unusable(message: str) -> UnusableEnvironment:
    return UnusableEnvironment.at("environment", message, "The job's environment does not work")

"""Find the Python of a job, and try it before the job is queued."""

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from paddock.common import processes, variables
from paddock.errors import UnusableEnvironment
from paddock.models import Environment, Interpreter
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
_MARK = "PADDOCK_CHECK"
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
CONDA_ROOTS = (
    "~/miniconda3", "~/anaconda3", "~/miniforge3", "~/mambaforge", "~/.conda", "/opt/conda", "/opt/miniconda3",
)  # fmt: skip


def find(environment: Environment, default: str | None) -> Interpreter:
    """Find the interpreter without starting it. Raises UnusableEnvironment with the field at fault."""
    if environment.venv:
        return _in_folder(Path(environment.venv).expanduser(), "venv", "VIRTUAL_ENV")
    if environment.conda:
        return _in_folder(_conda_folder(environment.conda), "conda", "CONDA_PREFIX")
    wanted = environment.python or default or sys.executable
    found = shutil.which(Path(wanted).expanduser() if "/" in wanted else wanted)
    if found is None:
        message = f"there is no executable {wanted!r} on the node of the server"
        raise UnusableEnvironment.at("environment.python", message, "The interpreter was not found")
    return _alone(Path(found).absolute())


def _in_folder(folder: Path, field: str, variable: str) -> Interpreter:
    python = folder / "bin" / "python"
    if not os.access(python, os.X_OK):
        message = f"{folder} has no bin/python"
        raise UnusableEnvironment.at(f"environment.{field}", message, "The environment was not found")
    return Interpreter(argv=[str(python.absolute())], env={variable: str(folder)} | _first_in_path(folder / "bin"))


def _alone(python: Path) -> Interpreter:
    """Return an interpreter that was named itself. What a command calls `python` is then this one, too."""
    folder = python.parent.parent
    if python.parent.name == "bin":
        for mark, variable in (("pyvenv.cfg", "VIRTUAL_ENV"), ("conda-meta", "CONDA_PREFIX")):
            if (folder / mark).exists():
                return Interpreter(argv=[str(python)], env=_first_in_path(folder / "bin") | {variable: str(folder)})
    called = shutil.which(python.name)
    same = called is not None and Path(called).samefile(python)
    return Interpreter(argv=[str(python)], env={} if same else _first_in_path(python.parent))


def _first_in_path(folder: Path) -> dict[str, str]:
    return {"PATH": os.pathsep.join([str(folder), os.environ.get("PATH", os.defpath)])}


def _conda_folder(given: str) -> Path:
    if os.sep in given:
        return Path(given).expanduser()
    roots = [os.environ.get("CONDA_PREFIX"), os.environ.get("MAMBA_ROOT_PREFIX"), *CONDA_ROOTS]
    bases = [Path(root).expanduser() for root in roots if root]
    candidates = [folder for base in bases for folder in (base / "envs" / given, base.parent / given)]
    for folder in candidates:
        if (folder / "conda-meta").is_dir():
            return folder
    message = (
        f"no conda environment {given!r} in {', '.join(sorted({str(b / 'envs') for b in bases}))}: give its folder"
    )
    raise UnusableEnvironment.at("environment.conda", message, "The environment was not found")


def check(
    environment: Environment,
    interpreter: Interpreter,
    seconds: float,
    *,
    python: bool = True,
    modules: Sequence[str] = (),
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
    try:
        code, out, err = _run(command, seconds)
    except subprocess.TimeoutExpired:
        raise _unusable(f"{what} did not answer within {seconds:g} s") from None
    except OSError as error:
        raise _unusable(f"{what}: {error.strerror}") from None
    answers = [line.removeprefix("PADDOCK ") for line in out.splitlines() if line.startswith("PADDOCK ")]
    answer = _answer(answers[-1]) if answers else None
    if code or answer is None:
        lines = err.strip().splitlines()
        raise _unusable(f"{what} ended with code {code}" + (f": {lines[-1][:300]}" if lines else ""))
    return interpreter.model_copy(update=answer)


def _answer(text: str) -> dict[str, Any] | None:
    """Read the answer of the probe; None: the line is something else."""
    try:
        version, has_paddock, missing = json.loads(text)
    except (ValueError, TypeError):
        return None
    known = version is None or (isinstance(version, str) and version.replace(".", "").isalnum())
    known = known and isinstance(missing, list) and all(isinstance(name, str) for name in missing)
    return {"version": version, "has_paddock": has_paddock is True, "missing": missing} if known else None


def _run(command: Command, seconds: float) -> tuple[int, str, str]:
    """Return the exit code, stdout and stderr. Processes that the command leaves behind are killed."""
    mark = secrets.token_hex(8)
    limits = [int(seconds) + 1, MEMORY, SAID, 0]  # seconds on a processor, memory, size of files, of core dumps
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _LIMITED, json.dumps(limits), *command.argv],
            env={**variables.harmless(os.environ), **command.env, _MARK: mark},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        try:
            code = process.wait(seconds)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            _end_marked(mark)
        return code, _last(out), _last(err)


def _end_marked(mark: str) -> None:
    """Kill all processes with this mark, also those that have left the process group."""
    for _ in range(20):
        left = [pid for pid in processes.all_pids() if processes.variable(pid, _MARK) == mark]
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

"""The Python that a job runs with: found, and tried before anything is queued."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from paddock.commands import Command, wrap_setup
from paddock.errors import InvalidInput, UnusableEnvironment
from paddock.models import Environment, Interpreter

_PROBE = (
    "import json, sys, importlib.util as u; "
    "print('\\nPADDOCK ' + json.dumps(['.'.join(map(str, sys.version_info[:3])), u.find_spec('paddock') is not None]))"
)
_CONDA_ROOTS = (
    "~/miniconda3",
    "~/anaconda3",
    "~/miniforge3",
    "~/mambaforge",
    "~/.conda",
    "/opt/conda",
    "/opt/miniconda3",
)


def find(environment: Environment, default: str | None) -> Interpreter:
    """Where the interpreter is. Raises with the field at fault; does not start it."""
    chosen = [name for name in ("python", "venv", "conda") if getattr(environment, name)]
    if len(chosen) > 1:
        message = f"give one of {' and '.join(chosen)}, not both"
        raise InvalidInput(f"The environment is ambiguous: {message}.", fields={"environment": message})
    if environment.venv:
        return _in_folder(Path(environment.venv).expanduser(), "venv", "VIRTUAL_ENV")
    if environment.conda:
        return _in_folder(_conda_folder(environment.conda), "conda", "CONDA_PREFIX")
    wanted = environment.python or default or sys.executable
    found = shutil.which(Path(wanted).expanduser() if "/" in wanted else wanted)
    if found is None:
        message = f"there is no executable {wanted!r} on the server's machine"
        raise UnusableEnvironment(f"The interpreter was not found: {message}.", fields={"environment.python": message})
    return Interpreter(argv=[str(Path(found).absolute())])


def _in_folder(folder: Path, field: str, variable: str) -> Interpreter:
    python = folder / "bin" / "python"
    if not os.access(python, os.X_OK):
        message = f"{folder} has no bin/python"
        raise UnusableEnvironment(
            f"The environment was not found: {message}.", fields={f"environment.{field}": message}
        )
    path = os.pathsep.join([str(folder / "bin"), os.environ.get("PATH", os.defpath)])
    return Interpreter(argv=[str(python.absolute())], env={variable: str(folder), "PATH": path})


def _conda_folder(given: str) -> Path:
    if os.sep in given:
        return Path(given).expanduser()
    roots = [os.environ.get("CONDA_PREFIX"), os.environ.get("MAMBA_ROOT_PREFIX"), *_CONDA_ROOTS]
    bases = [Path(root).expanduser() for root in roots if root]
    candidates = [folder for base in bases for folder in (base / "envs" / given, base.parent / given)]
    for folder in candidates:
        if (folder / "conda-meta").is_dir():
            return folder
    message = (
        f"no conda environment {given!r} in {', '.join(sorted({str(b / 'envs') for b in bases}))}: give its folder"
    )
    raise UnusableEnvironment(f"The environment was not found: {message}.", fields={"environment.conda": message})


def check(environment: Environment, interpreter: Interpreter, seconds: float, *, python: bool = True) -> Interpreter:
    """Start it once, with its set-up lines. `python` false: only the set-up lines, for commands that need none."""
    argv = [*interpreter.argv, "-c", _PROBE] if python else ["/bin/echo", "PADDOCK [null, false]"]
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
    answer = [line for line in out.splitlines() if line.startswith("PADDOCK ")]
    if code or not answer:
        said = err.strip().splitlines()
        raise _unusable(f"{what} ended with code {code}" + (f": {said[-1][:300]}" if said else ""))
    version, has_paddock = json.loads(answer[-1].removeprefix("PADDOCK "))
    return interpreter.model_copy(update={"version": version, "has_paddock": has_paddock})


def _run(command: Command, seconds: float) -> tuple[int, str, str]:
    """Its code and what it said. What it has left behind is ended with it, and not waited for."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            command.argv,
            env={**os.environ, **command.env},
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
        out.seek(0)
        err.seek(0)
        return code, out.read().decode(errors="replace"), err.read().decode(errors="replace")


def _unusable(message: str) -> UnusableEnvironment:
    return UnusableEnvironment(f"The job's environment does not work: {message}.", fields={"environment": message})

"""The Python that a job runs with: found, and tried before anything is queued."""

import json
import os
import shutil
import subprocess
import sys
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
        done = subprocess.run(
            command.argv,
            check=False,
            env={**os.environ, **command.env},
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        raise _unusable(f"{what} did not answer within {seconds:g} s") from None
    except OSError as error:
        raise _unusable(f"{what}: {error.strerror}") from None
    answer = [line for line in done.stdout.decode(errors="replace").splitlines() if line.startswith("PADDOCK ")]
    if done.returncode or not answer:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise _unusable(f"{what} ended with code {done.returncode}" + (f": {said[-1][:300]}" if said else ""))
    version, has_paddock = json.loads(answer[-1].removeprefix("PADDOCK "))
    return interpreter.model_copy(update={"version": version, "has_paddock": has_paddock})


def _unusable(message: str) -> UnusableEnvironment:
    return UnusableEnvironment(f"The job's environment does not work: {message}.", fields={"environment": message})

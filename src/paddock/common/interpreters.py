"""Find the Python of a job without starting it."""

from __future__ import annotations

import os
import platform
import shutil
from typing import Any, Dict, Mapping

CONDA_ROOTS = (
    "~/miniconda3", "~/anaconda3", "~/miniforge3", "~/mambaforge", "~/.conda", "/opt/conda", "/opt/miniconda3",
)  # fmt: skip


class Unusable(Exception):
    """There is none. Its arguments: the field at fault, a message, and how the message begins."""


def locate(asked: Mapping[str, Any]) -> Dict[str, Any]:
    """Return `argv` and `env` of an interpreter, or `fault`: the arguments of Unusable.

    `asked` has venv, conda and python, each of which may be None, and `default`.
    """
    try:
        return _locate(asked)
    except Unusable as fault:
        return {"fault": list(fault.args)}


def _locate(asked: Mapping[str, Any]) -> Dict[str, Any]:
    if asked["venv"]:
        return _in_folder(os.path.expanduser(asked["venv"]), "venv", "VIRTUAL_ENV")
    if asked["conda"]:
        return _in_folder(_conda_folder(asked["conda"]), "conda", "CONDA_PREFIX")
    wanted = asked["python"] or asked["default"]
    found = shutil.which(os.path.expanduser(wanted) if "/" in wanted else wanted)
    if found is None:
        message = "there is no executable %r on %s" % (wanted, platform.node())
        raise Unusable("environment.python", message, "The interpreter was not found")
    return _alone(os.path.abspath(found))


def _in_folder(folder: str, field: str, variable: str) -> Dict[str, Any]:
    python = os.path.join(folder, "bin", "python")
    if not os.access(python, os.X_OK):
        raise Unusable("environment." + field, folder + " has no bin/python", "The environment was not found")
    return {"argv": [os.path.abspath(python)], "env": {variable: folder, **_first_in_path(os.path.dirname(python))}}


def _alone(python: str) -> Dict[str, Any]:
    """Return an interpreter that was named itself. What a command calls `python` is then this one, too."""
    above = os.path.dirname(python)
    folder = os.path.dirname(above)
    if os.path.basename(above) == "bin":
        for mark, variable in (("pyvenv.cfg", "VIRTUAL_ENV"), ("conda-meta", "CONDA_PREFIX")):
            if os.path.exists(os.path.join(folder, mark)):
                return {"argv": [python], "env": {**_first_in_path(above), variable: folder}}
    called = shutil.which(os.path.basename(python))
    same = called is not None and os.path.samefile(called, python)
    return {"argv": [python], "env": {} if same else _first_in_path(above)}


def _first_in_path(folder: str) -> Dict[str, str]:
    return {"PATH": os.pathsep.join([folder, os.environ.get("PATH", os.defpath)])}


def _conda_folder(given: str) -> str:
    if os.sep in given:
        return os.path.expanduser(given)
    roots = [os.environ.get("CONDA_PREFIX"), os.environ.get("MAMBA_ROOT_PREFIX"), *CONDA_ROOTS]
    bases = [os.path.expanduser(root) for root in roots if root]
    for base in bases:
        for folder in (os.path.join(base, "envs", given), os.path.join(os.path.dirname(base), given)):
            if os.path.isdir(os.path.join(folder, "conda-meta")):
                return folder
    looked = ", ".join(sorted({os.path.join(base, "envs") for base in bases}))
    message = "no conda environment %r in %s: give its folder" % (given, looked)
    raise Unusable("environment.conda", message, "The environment was not found")

"""Find the Python environments of this node: by their files, without starting any."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from paddock.common import variables
from paddock.common.interpreters import CONDA_ROOTS
from paddock.models import FoundEnvironment

MOST = 200
MODULE_SECONDS = 10.0
KEPT_SECONDS = 600.0
_BESIDE = (".venv", "venv", "env", ".env")
_VENV_FOLDERS = ("~/.virtualenvs", "~/.venvs", "~/venvs", "~/envs", "~/.pyenv/versions", "~/.local/share/virtualenvs")
_KNOWN = ("torch", "tensorflow", "keras", "jax", "lightning", "transformers", "scikit_learn", "numpy")
_MODULE = re.compile(r"[\w./+-]+")
_USEFUL = re.compile(r"python|conda|mamba|forge|torch|tensorflow|jax|cuda", re.IGNORECASE)
_MODULE_FILES = ("/etc/profile.d/modules.sh", "/etc/profile.d/lmod.sh", "/etc/profile.d/z00_lmod.sh")
_modules: tuple[float, list[str]] | None = None


def find(near: Path | None = None) -> list[FoundEnvironment]:
    """Return the environments beside the folder `near` and above it first, then those of the user, then modules."""
    found: dict[str, FoundEnvironment] = {}
    for folder in _folders(near):
        one = read(folder)
        if one is not None and len(found) < MOST:
            found.setdefault(one.place, one)
    for name in ("python3", "python"):
        if path := shutil.which(name):
            one = FoundEnvironment(kind="python", name=f"{name} of the server", place=path)
            found.setdefault(path, one)
    made = [FoundEnvironment(kind="module", name=name, place=name) for name in modules()]
    return [*found.values(), *made]


def read(folder: Path) -> FoundEnvironment | None:
    """Return the environment in a folder; None if there is none."""
    if not os.access(folder / "bin" / "python", os.X_OK):
        return None
    conda = (folder / "conda-meta").is_dir()
    if not conda and not (folder / "pyvenv.cfg").is_file() and folder.parent.name != "versions":
        return None
    name = folder.name if folder.name not in _BESIDE else f"{folder.parent.name}/{folder.name}"
    version, known = None, []
    for packages in site_packages(folder):
        version = packages.parent.name.removeprefix("python")
        known = _packages(packages)
    return FoundEnvironment(
        kind="conda" if conda else "venv", name=name, place=str(folder), python=version, packages=known
    )


def has(environment: FoundEnvironment, modules: Iterable[str]) -> bool:
    """Return True if an environment has all these modules, as far as the names of its files show."""
    folders = [] if environment.kind in ("module", "python") else list(site_packages(Path(environment.place)))
    return bool(folders) and all(
        any((folder / name).is_dir() or (folder / f"{name}.py").is_file() for folder in folders) for name in modules
    )


def site_packages(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from sorted(folder.glob("lib/python3*/site-packages"))[:1]


def _folders(near: Path | None) -> Iterator[Path]:
    if near is not None and near.is_absolute():
        yield from (above / name for above in [near, *near.parents][:4] for name in _BESIDE)
    yield from (Path(os.environ[name]) for name in ("VIRTUAL_ENV", "CONDA_PREFIX") if os.environ.get(name))
    with suppress(OSError, UnicodeError):
        lines = (Path.home() / ".conda" / "environments.txt").read_text().splitlines()
        yield from (Path(line.strip()) for line in lines[:MOST] if line.strip())
    for root in CONDA_ROOTS:
        yield Path(root).expanduser()
        yield from _inside(Path(root).expanduser() / "envs")
    for group in _VENV_FOLDERS:
        yield from _inside(Path(group).expanduser())


def _inside(folder: Path, most: int = MOST) -> list[Path]:
    try:
        return sorted(folder.iterdir())[:most]
    except OSError:
        return []


def _packages(folder: Path) -> list[str]:
    versions = {}
    for one in (path.name for path in _inside(folder, 10_000)):
        name, _, rest = one.partition("-")
        if name.lower() in _KNOWN and rest.endswith(".dist-info"):
            versions[name.lower()] = f"{name} {rest.removesuffix('.dist-info')}"
    return [versions[name] for name in _KNOWN if name in versions]


def modules() -> list[str]:
    """Return the modules of the cluster that are about Python or GPUs. They are asked for every ten minutes."""
    global _modules
    if _modules is not None and time.monotonic() - _modules[0] < KEPT_SECONDS:
        return _modules[1]
    found: list[str] = []
    if any(os.environ.get(name) for name in ("LMOD_CMD", "MODULESHOME")) or any(map(os.path.exists, _MODULE_FILES)):
        with suppress(OSError, subprocess.SubprocessError):
            done = subprocess.run(
                ["/bin/bash", "-lc", "module -t avail 2>&1"],
                env=variables.harmless(os.environ),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=MODULE_SECONDS,
                check=False,
            )
            lines = [line.strip().removesuffix("(default)") for line in done.stdout.decode(errors="replace").split()]
            found = [one for one in lines if _MODULE.fullmatch(one) and _USEFUL.search(one) and not one.endswith("/")]
    _modules = time.monotonic(), found[:MOST]
    return _modules[1]

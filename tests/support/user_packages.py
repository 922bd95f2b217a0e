"""Paddock and an interpreter where every user of this machine may use them: the checkout may be closed to them."""

import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import paddock


def python_for(how: Mapping[str, Any]) -> str:
    """Return an interpreter of our version that a user may run. `how`: arguments of Popen for a process of theirs."""
    version = ".".join(map(str, sys.version_info[:2]))
    say = "import sqlite3, ssl, sys; print('.'.join(map(str, sys.version_info[:2])))"
    for found in (str(Path(sys.executable).resolve()), "/usr/bin/python3", f"/usr/bin/python{version}"):
        try:
            done = subprocess.run([found, "-Ic", say], capture_output=True, check=True, text=True, **how)
        except (OSError, subprocess.CalledProcessError):
            continue
        if done.stdout.strip() == version:
            return found
    pytest.skip(f"there is no Python {version} here that ordinary users may run: please install one in /usr/bin")


def copy_packages(folder: Path) -> None:
    """Copy Paddock and what it imports into a folder, for PYTHONPATH."""
    for file in (file for one in _needed("paddock", {}).values() for file in one.files or []):
        if set(file.parts) & {"..", "tests"} or file.suffix == ".pth" or not Path(str(file.locate())).exists():
            continue
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(str(file.locate()), folder / file)  # with its time: what is compiled stays valid
    source = Path(str(paddock.__file__)).parent
    shutil.copytree(source, folder / "paddock", ignore=shutil.ignore_patterns("web_dist"), dirs_exist_ok=True)
    # Who may not write here would compile all modules anew at each start: that takes longer than the rest of it.
    subprocess.run(
        [sys.executable, "-c", "import paddock.server.serve, paddock.cli as cli; cli.load_all()"],
        env={"PYTHONPATH": str(folder)},
        cwd="/",
        check=True,
    )
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def _needed(
    name: str, found: dict[str, metadata.Distribution], extras: tuple[str, ...] = ()
) -> dict[str, metadata.Distribution]:
    """A distribution and all that it requires."""
    if name.lower() not in found or extras:
        found[name.lower()] = metadata.distribution(name)
        for text in found[name.lower()].requires or []:
            one = Requirement(text)
            if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
                _needed(one.name, found, tuple(one.extras))
    return found

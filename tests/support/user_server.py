"""A server that runs as another user than this process. Root only."""

import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import paddock
from tests.support.server import ServerProcess, wait_for


def as_user(user: str) -> dict[str, Any]:
    """Arguments of `subprocess.Popen` for a process of this user."""
    entry = pwd.getpwnam(user)
    groups = os.getgrouplist(user, entry.pw_gid)
    environment = {"HOME": entry.pw_dir, "USER": user, "LOGNAME": user, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": groups, "env": environment, "cwd": "/"}


def python_for(user: str) -> str:
    """An interpreter of our version that every user may run."""
    version = ".".join(map(str, sys.version_info[:2]))
    say = "import sqlite3, ssl, sys; print('.'.join(map(str, sys.version_info[:2])))"
    for found in (str(Path(sys.executable).resolve()), "/usr/bin/python3", f"/usr/bin/python{version}"):
        try:
            done = subprocess.run([found, "-Ic", say], capture_output=True, check=True, text=True, **as_user(user))
        except (OSError, subprocess.CalledProcessError):
            continue
        if done.stdout.strip() == version:
            return found
    pytest.skip(f"there is no Python {version} here that ordinary users may run: please install one in /usr/bin")


@contextmanager
def packages_in(place: Path) -> Iterator[Path]:
    """Paddock and what it imports, in a folder that every user may read: the checkout may be closed to them."""
    with tempfile.TemporaryDirectory(prefix="packages-", dir=place, ignore_cleanup_errors=True) as made:
        folder = Path(made)
        for file in (file for one in _needed("paddock", {}).values() for file in one.files or []):
            if set(file.parts) & {"..", "tests"} or file.suffix == ".pth" or not Path(str(file.locate())).exists():
                continue
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(str(file.locate()), folder / file)  # with its time: what is compiled stays valid
        source = Path(str(paddock.__file__)).parent
        shutil.copytree(source, folder / "paddock", ignore=shutil.ignore_patterns("web_dist"), dirs_exist_ok=True)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        yield folder


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


class UserServer(ServerProcess):
    """A server that is not ours: it runs as another user, from files that this one may read."""

    def __init__(self, user: str, home: Path, python: str, packages: Path, **settings: Any) -> None:
        super().__init__(home, environment={"PYTHONPATH": str(packages)}, **settings)
        self.user, self._python = user, python

    def start(self, port: int = 0) -> "UserServer":
        how = as_user(self.user)
        how["env"] |= self._environment
        self.home.root.mkdir(mode=0o700, exist_ok=True)
        shutil.chown(self.home.root, self.user, self.user)
        self.home.server.unlink(missing_ok=True)
        self.log = open(self.home.root / "server.log", "ab")  # noqa: SIM115
        self.process = subprocess.Popen(
            [self._python, "-m", "paddock", "--home", str(self.home.root), "up", "--port", str(port)],
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            **how,
        )
        self.url = json.loads(wait_for(self._announced, what="the server's address"))["url"]
        self.token = self.home.read_token() or ""
        self.client.base_url = f"{self.url}/api/v1"
        self.client.headers["Authorization"] = f"Bearer {self.token}"
        self.client.timeout = 30
        return self

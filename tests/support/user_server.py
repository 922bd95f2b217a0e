"""A server that runs as another user than this process. Root only."""

import json
import os
import pwd
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tests.support.server import ServerProcess, wait_for
from tests.support.warm import WAITS

WITH_WAITS = f"""
import importlib, json, os
for name, seconds in json.loads(os.environ.pop("{WAITS}")).items():
    module, _, constant = name.rpartition(".")
    found = importlib.import_module(module)
    assert constant in vars(found), f"there is no {{name}}"
    setattr(found, constant, seconds)
from paddock.cli import main
main()
"""
"""The program `paddock` with the constants that `waits` names: see ServerProcess."""


def as_user(user: str) -> dict[str, Any]:
    """Arguments of `subprocess.Popen` for a process of this user."""
    entry = pwd.getpwnam(user)
    groups = os.getgrouplist(user, entry.pw_gid)
    environment = {"HOME": entry.pw_dir, "USER": user, "LOGNAME": user, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": groups, "env": environment, "cwd": "/"}


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
        program = ["-c", WITH_WAITS] if WAITS in self._environment else ["-m", "paddock"]
        self.process = subprocess.Popen(
            [self._python, *program, "--home", str(self.home.root), "up", "--port", str(port)],
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

"""A real server of an ordinary service account, in which the jobs of two people run as themselves. Root only."""

import json
import os
import pwd
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from paddock.common import processes
from tests.support.server import PATIENCE, wait_for
from tests.support.team import ADMIN, ALICE, BOB, Team
from tests.support.user_packages import copy_packages, python_for
from tests.support.user_server import UserServer, as_user
from tests.team.unix_users import UnixUsers, unix_users

FOLDER = ".paddock-jobs"


@dataclass
class MemberServer:
    """The server, its accounts, and the Unix accounts behind two of them."""

    users: UnixUsers
    server: UserServer
    team: Team

    def unix(self, name: str) -> str:
        return {ALICE: self.users.alice, BOB: self.users.bob}[name]

    def uid(self, name: str) -> int:
        return pwd.getpwnam(self.unix(name)).pw_uid

    def root(self, name: str) -> Path:
        """The agent's folder in the home of a person."""
        return self.users.home(self.unix(name)) / FOLDER

    def folder(self, name: str, job: str) -> Path:
        return self.root(name) / "jobs" / job

    def folders(self, name: str, job: str) -> list[Path]:
        """All folders of a job: one, or one per host."""
        return [*self.root(name).glob(f"jobs/{job}"), *self.root(name).glob(f"*/jobs/{job}")]

    def restart(self) -> None:
        """Kill the server as a power cut would, and start it again at the same address."""
        port = int(self.server.url.rpartition(":")[2])
        self.server.kill()
        self.server.start(port)

    # --- the API as a person ------------------------------------------------------------------------------------------

    def client(self, name: str) -> httpx2.Client:
        return self.team.clients[name]

    def submit(self, name: str, source: str, params: dict[str, Any] | None = None, **spec: Any) -> str:
        whole = {"script": "train.py", "params": params or {}, "convention": "env", **spec}
        whole["environment"] = {"python": "/usr/bin/python3", **spec.get("environment", {})}
        answer = self.client(name).post("/jobs", json={"spec": whole, "files": {"train.py": source}})
        assert answer.status_code == 201, answer.text
        job: str = answer.json()["id"]
        return job

    def get(self, name: str, path: str) -> Any:
        answer = self.client(name).get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, name: str, path: str, body: Any = None) -> Any:
        answer = self.client(name).post(path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def log(self, name: str, task: str) -> str:
        answer = self.client(name).get(f"/tasks/{task}/log")
        assert answer.status_code == 200, answer.text
        return answer.text

    def tasks(self, name: str, job: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.get(name, f"/jobs/{job}/tasks?limit=500")["items"]
        return found

    def states(self, name: str, job: str) -> list[str]:
        return [task["state"] for task in self.tasks(name, job)]

    def wait(self, name: str, job: str, seconds: float = PATIENCE) -> list[dict[str, Any]]:
        wait_for(lambda: self.get(name, f"/jobs/{job}")["ended"], seconds, f"the end of {job}")
        return self.tasks(name, job)


Prepare = Callable[[UnixUsers, ExitStack], Mapping[str, Any]]


@contextmanager
def member_server(local__slots: int = 4, prepare: Prepare | None = None, **settings: Any) -> Iterator[MemberServer]:
    """`prepare` returns further settings, after the accounts are there."""
    with (
        unix_users() as users,
        tempfile.TemporaryDirectory(prefix="packages-", dir=users.folder) as packages,
        ExitStack() as before,
    ):
        copy_packages(Path(packages))
        settings |= prepare(users, before) if prepare else {}
        server = UserServer(
            users.service,
            users.home(users.service) / "paddock",
            python_for(as_user(users.service)),
            Path(packages),
            owner=ADMIN,
            team__run_as="user",
            team__agent=json.dumps(users.agent),
            team__folder=f"~/{FOLDER}",
            local__python="/usr/bin/python3",
            local__slots=local__slots,
            runner__grace_seconds=1,
            **settings,
        )
        with ExitStack() as stack:
            stack.callback(server.stop)
            server.start()
            made = Team(server)
            stack.callback(made.close)
            for name, unix in ((ALICE, users.alice), (BOB, users.bob)):
                answer = server.client.patch(f"/accounts/{name}", json={"unix_name": unix})
                assert answer.status_code == 200, answer.text
            yield MemberServer(users, server, made)


def owners(folder: Path) -> set[tuple[int, int]]:
    """The owners and the rights of others of everything in a folder."""
    found = [folder, *(Path(place, name) for place, inner, names in os.walk(folder) for name in (*inner, *names))]
    return {(one.lstat().st_uid, 0 if one.is_symlink() else one.lstat().st_mode & 0o077) for one in found}


def agents_of(lab: MemberServer, name: str) -> list[int]:
    """The processes of a person's agents, without those of sudo."""
    uid = lab.uid(name)
    found = []
    for pid in processes.all_pids():
        with suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if os.stat(f"/proc/{pid}").st_uid == uid and b"--agent" in words:
                found.append(pid)
    return found

"""Two members, a stranger and a service account of this machine, behind a real sudo. Root only; removed after.

    with unix_users() as users:
        Links(users.through, "~/.paddock-jobs").get(users.alice)

The service account may start the agent as the members, and nothing else. A server of a test that runs as that account
has `users.agent` as its setting; this process, which is root, goes through the service account (`users.through`).
"""

import contextlib
import grp
import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from paddock.agents import loader
from paddock.common import processes

ROOT = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("sudo") or not Path("/usr/bin/python3").exists(),
    reason="only root can make accounts and rules for sudo: please run as root, with sudo and /usr/bin/python3",
)
RULES = """\
Defaults!{agent} !requiretty, umask=0077, umask_override
{service} ALL=(%{group}) NOPASSWD: {agent} ""
"""
PATIENCE = 60.0
FOLDERS = "paddock-users-"
_MADE = re.compile(r"pdk(\d+)x\d+")
_numbers = count(1)


@dataclass(frozen=True)
class UnixUsers:
    """The accounts, and how an agent is started."""

    folder: Path  # belongs to root; everybody may read it
    service: str
    group: str
    alice: str  # a member
    bob: str  # a member
    stranger: str  # an ordinary account, not a member
    loader: Path

    @property
    def agent(self) -> list[str]:
        """The setting `team.agent` of a server that runs as the service account."""
        return ["sudo", "-n", "-u", "{user}", str(self.loader)]

    @property
    def through(self) -> list[str]:
        """The same for this process: root becomes the service account first."""
        return ["sudo", "-n", "-u", self.service, *self.agent]

    def home(self, user: str) -> Path:
        return Path(pwd.getpwnam(user).pw_dir)

    def as_user(self, user: str) -> dict[str, Any]:
        """Arguments of `subprocess.Popen` for a process of this user."""
        entry = pwd.getpwnam(user)
        environment = {"HOME": entry.pw_dir, "USER": user, "LOGNAME": user, "LANG": "C.UTF-8"}
        environment["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        groups = os.getgrouplist(user, entry.pw_gid)
        return {
            "user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": groups, "env": environment, "cwd": "/",
        }  # fmt: skip


@contextmanager
def unix_users() -> Iterator[UnixUsers]:
    """Make the accounts, install the loader and the rule for sudo, and remove all of it at the end."""
    _remove_leftovers()
    mark = f"pdk{os.getpid()}x{next(_numbers)}"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=FOLDERS, dir="/tmp")))
        folder.chmod(0o755)
        program = folder / "libexec" / "paddock-agent"
        program.parent.mkdir(mode=0o755)
        shutil.copyfile(str(loader.__file__), program)
        program.chmod(0o755)
        group = stack.enter_context(_group(f"{mark}g"))
        names = [f"{mark}{one}" for one in ("s", "alice", "bob", "carol")]
        service, alice, bob, stranger = (stack.enter_context(_user(name, folder)) for name in names)
        for member in (alice, bob):
            _change("usermod", "--append", "--groups", group, member)
        stack.enter_context(sudo_rules(mark, RULES.format(agent=program, service=service, group=group)))
        yield UnixUsers(folder, service, group, alice, bob, stranger, program)


def _remove_leftovers() -> None:
    """Remove what tests have left that were killed before they could remove it: their process is gone."""

    def is_left(name: str) -> bool:
        found = _MADE.match(name)
        return found is not None and processes.started(int(found[1])) is None

    for path in Path("/etc/sudoers.d").iterdir():
        if is_left(path.name):
            path.unlink(missing_ok=True)
    for entry in [one for one in pwd.getpwall() if is_left(one.pw_name)]:
        _end_processes(entry.pw_uid)
        subprocess.run(["userdel", "--force", entry.pw_name], capture_output=True, check=False)
        folder = Path(entry.pw_dir).parent
        if folder.name.startswith(FOLDERS):
            shutil.rmtree(folder, ignore_errors=True)
    for group in [one.gr_name for one in grp.getgrall() if is_left(one.gr_name)]:
        subprocess.run(["groupdel", group], capture_output=True, check=False)


@contextmanager
def _group(name: str) -> Iterator[str]:
    _change("groupadd", name)
    try:
        yield name
    finally:
        _change("groupdel", name)


@contextmanager
def _user(name: str, folder: Path) -> Iterator[str]:
    _change("useradd", "--create-home", "--home-dir", str(folder / name), "--password", "*", "--shell", "/bin/sh", name)
    (folder / name).chmod(0o700)
    try:
        yield name
    finally:
        _end_processes(pwd.getpwnam(name).pw_uid)
        _change("userdel", "--force", name)
        with contextlib.suppress(KeyError):  # its own group, unless userdel has deleted it
            grp.getgrnam(name)
            _change("groupdel", name)


@contextmanager
def sudo_rules(name: str, text: str) -> Iterator[None]:
    """Add rules for sudo. They are checked first, and appear at once: others use sudo meanwhile."""
    path = Path("/etc/sudoers.d") / name
    temporary = path.with_name(f"{name}.new")  # sudo reads no file with a dot in its name
    try:
        temporary.touch(0o440)
        temporary.write_text(text)
        subprocess.run(["visudo", "-cqf", str(temporary)], check=True)
        temporary.rename(path)
        yield
    finally:
        temporary.unlink(missing_ok=True)
        path.unlink(missing_ok=True)


def _end_processes(uid: int) -> None:
    """Kill what still runs as a user of this test."""

    def running() -> list[int]:
        found = []
        for pid in processes.all_pids():
            with contextlib.suppress(OSError):
                if os.stat(f"/proc/{pid}").st_uid == uid and processes.started(pid) is not None:
                    found.append(pid)
        return found

    until = time.monotonic() + PATIENCE
    while left := running():
        assert time.monotonic() < until, f"processes of user {uid} do not end: {left}"
        for pid in left:
            processes.signal_process(pid, signal.SIGKILL)
        time.sleep(0.05)


def _change(*argv: str) -> None:
    """Change accounts. Tries for a while: another process may be changing them as well."""
    until = time.monotonic() + PATIENCE
    while True:
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return
        assert "try again later" in done.stderr and time.monotonic() < until, f"{argv}: {done.stderr}"
        time.sleep(0.1)

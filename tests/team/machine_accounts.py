"""Accounts of this machine for a test, and the warden behind a real sudo; everything is removed after. Root only."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from paddock.agents import warden

ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make accounts: please run as root")
SERVICE_FILE = "auth required pam_unix.so\naccount required pam_unix.so\n"


@contextmanager
def account(name: str, password: str = "", *options: str) -> Iterator[str]:
    """Make an account of this machine, with a password if one is given."""
    _run("useradd", "--no-create-home", "--shell", "/bin/sh", *options, name)
    try:
        if password:
            _run("chpasswd", given=f"{name}:{password}\n")
        yield name
    finally:
        _run("userdel", "--force", name)


@contextmanager
def warden_by_sudo(service: str) -> Iterator[list[str]]:
    """Install the warden and a PAM service; yield the command line that a server without any rights has for it."""
    with ExitStack() as stack:
        name = stack.enter_context(account(f"{service}-srv", "", "--system"))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="paddock-libexec-", dir="/tmp")))
        folder.chmod(0o755)
        program = folder / "paddock-warden"
        shutil.copyfile(str(warden.__file__), program)
        program.chmod(0o755)
        stack.enter_context(_file(Path("/etc/pam.d") / service, SERVICE_FILE, 0o644))
        rule = f'{name} ALL=(root) NOPASSWD: {program} ""\n'
        stack.enter_context(_file(Path("/etc/sudoers.d") / service, rule, 0o440))
        yield ["sudo", "-n", "-u", name, "sudo", "-n", str(program)]


@contextmanager
def _file(path: Path, text: str, mode: int) -> Iterator[None]:
    path.touch(mode, exist_ok=False)
    try:
        path.write_text(text)
        yield
    finally:
        path.unlink()


def _run(*argv: str, given: str = "") -> None:
    done = subprocess.run(argv, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

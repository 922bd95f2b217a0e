"""Accounts of this machine for a test, and the warden behind a real sudo; everything is removed after. Root only."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from paddock.agents import warden
from tests.team.unix_users import _change, sudo_rules

SERVICE_FILE = "auth required pam_unix.so\naccount required pam_unix.so\n"


@contextmanager
def account(name: str, password: str = "", *options: str) -> Iterator[str]:
    """Make an account of this machine, with a password if one is given."""
    given = ["--password", _hashed(password)] if password else []
    _change("useradd", "--no-create-home", "--shell", "/bin/sh", *given, *options, name)
    try:
        yield name
    finally:
        _change("userdel", "--force", name)


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
        stack.enter_context(_pam_service(service))
        rule = f'{name} ALL=(root) NOPASSWD: {program} ""\n'
        stack.enter_context(sudo_rules(service, rule))
        yield ["sudo", "-n", "-u", name, "sudo", "-n", str(program)]


def _hashed(password: str) -> str:
    made = subprocess.run(
        ["openssl", "passwd", "-6", "-stdin"], input=password.encode(), capture_output=True, check=True
    )
    return made.stdout.decode().strip()


@contextmanager
def _pam_service(name: str) -> Iterator[None]:
    path = Path("/etc/pam.d") / name
    path.touch(0o644, exist_ok=False)
    try:
        path.write_text(SERVICE_FILE)
        yield
    finally:
        path.unlink()

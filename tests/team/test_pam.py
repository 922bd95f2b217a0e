"""Test signing in with the accounts of this machine, by a real PAM."""

import getpass
import json
import os
import pwd
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from paddock.agents import warden
from paddock.errors import SignInUnavailable
from paddock.login.pam import PamLogin, here
from paddock.models import SignInSource
from paddock.settings import PamSettings
from tests.team.machine_accounts import account, warden_by_sudo
from tests.team.unix_users import ROOT, _change

# An account that is no one of the system's: who runs the tests, or with root the one that everybody has.
SOMEBODY = getpass.getuser() if os.geteuid() >= warden.FIRST_UID else "nobody"
PASSWORD = "pässwörd ✓ 'quoted' $(x)"

CHECK = """#!{python}
import os, sys
given = sys.stdin.buffer.read().rstrip(b"\\0").decode()
print("noise of a module", flush=True)
sys.exit(given != {password!r} or os.environ["PAM_USER"] != {name!r})
"""


@pytest.fixture
def confdir(tmp_path: Path) -> Path:
    """A folder in place of /etc/pam.d, whose services ask a script. Nothing of the machine is touched."""
    script = tmp_path / "check"
    script.write_text(CHECK.format(python=sys.executable, password=PASSWORD, name=SOMEBODY))
    script.chmod(0o755)
    auth = f"auth [success=done default=ignore] pam_exec.so expose_authtok stdout {script}\nauth required pam_deny.so\n"
    folder = tmp_path / "pam.d"
    folder.mkdir()
    (folder / "paddock").write_text(auth + "account required pam_permit.so\n")
    (folder / "expired").write_text(auth + "account required pam_deny.so\n")
    (folder / "broken").write_text("auth required pam_that_is_not_there.so\n")
    return folder


@pytest.fixture
def login(confdir: Path) -> Callable[..., PamLogin]:
    return lambda service="paddock": PamLogin(PamSettings(service=service), here("--confdir", str(confdir)))


def test_the_right_password_returns_who_it_is(login: Callable[..., PamLogin]) -> None:
    found = login().check(SOMEBODY, PASSWORD)
    assert found is not None
    assert (found.source, found.subject, found.name, found.unix_name) == (SignInSource.PAM, *[SOMEBODY] * 3)
    assert found.full_name == pwd.getpwnam(SOMEBODY).pw_gecos.split(",")[0]


@pytest.mark.parametrize(
    ("name", "password"),
    [
        (SOMEBODY, "wrong"),
        (SOMEBODY, ""),
        (SOMEBODY, PASSWORD + "\0"),
        (SOMEBODY, PASSWORD + "\0more"),
        (SOMEBODY, PASSWORD + "\n"),
        (SOMEBODY + "\0", PASSWORD),
        (SOMEBODY + "\n", PASSWORD),
        (SOMEBODY.upper(), PASSWORD),
        ("nobody-of-that-name", PASSWORD),
        ("root", PASSWORD),
        ("daemon", PASSWORD),
        ("../" + SOMEBODY, PASSWORD),
        ("nоbody", PASSWORD),  # with a Cyrillic letter
        ("", PASSWORD),
        ("-h", PASSWORD),
        ("x" * 100_000, PASSWORD),
        (SOMEBODY, "x" * 12_000),
    ],
)
def test_everybody_else_is_nobody(login: Callable[..., PamLogin], name: str, password: str) -> None:
    assert login().check(name, password) is None


def test_an_account_that_may_not_be_used_is_nobody(login: Callable[..., PamLogin]) -> None:
    assert login("expired").check(SOMEBODY, PASSWORD) is None


def test_a_service_that_cannot_check_is_neither_yes_nor_no(login: Callable[..., PamLogin]) -> None:
    with pytest.raises(SignInUnavailable) as error:
        login("broken").check(SOMEBODY, PASSWORD)
    assert "cannot check passwords" in error.value.detail


def test_without_its_own_service_nobody_signs_in(confdir: Path) -> None:
    (confdir / "other").write_text("auth required pam_deny.so\naccount required pam_deny.so\n")
    assert PamLogin(PamSettings(service="none"), here("--confdir", str(confdir))).check(SOMEBODY, PASSWORD) is None


def test_a_warden_that_does_not_start_or_answers_nonsense_is_not_a_yes(tmp_path: Path) -> None:
    for script, said in (
        ("echo no sudo >&2; exit 1", "no sudo"),
        ("echo nonsense", "no answer"),
        ('echo "[1]"', "cannot check"),
        ('echo \'{"ok": true, "who": {"name": "somebody-else"}}\'', "another account"),
        ("yes", "too much"),
    ):
        with pytest.raises(SignInUnavailable) as error:
            PamLogin(PamSettings(), ["sh", "-c", script]).check(SOMEBODY, PASSWORD)
        assert said in error.value.detail
    for script in ('{"ok": true}', '{"ok": true, "who": true}', '{"ok": true, "who": "nobody"}'):
        assert PamLogin(PamSettings(), ["echo", script]).check(SOMEBODY, PASSWORD) is None
    with pytest.raises(SignInUnavailable, match="does not answer"):
        PamLogin(PamSettings(), [str(tmp_path / "none")]).check(SOMEBODY, PASSWORD)


def test_a_module_that_hangs_is_given_up(tmp_path: Path) -> None:
    """The server could not end a process of root: the warden ends itself."""
    script, pid = tmp_path / "hang", tmp_path / "pid"
    script.write_text(f"#!/bin/sh\necho $$ > {pid}\nexec sleep 1000\n")
    script.chmod(0o755)
    (tmp_path / "paddock").write_text(f"auth required pam_exec.so {script}\n")
    impatient = (
        "import importlib.util, sys\n"
        f"spec = importlib.util.spec_from_file_location('warden', {str(warden.__file__)!r})\n"
        "made = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(made)\n"
        f"made.SECONDS, sys.argv[1:] = 1, ['--confdir', {str(tmp_path)!r}]\nmade.main()\n"
    )
    command = [sys.executable, "-I", "-S", "-c", impatient]
    try:
        with pytest.raises(SignInUnavailable) as error:
            PamLogin(PamSettings(), command).check(SOMEBODY, PASSWORD)
    finally:
        os.kill(int(pid.read_text()), signal.SIGKILL)
    assert f"code {-signal.SIGALRM}" in error.value.detail


# --- the warden alone -------------------------------------------------------------------------------------------------


def ask(line: bytes, *arguments: str) -> dict[str, Any]:
    done = subprocess.run(here(*arguments), input=line, capture_output=True, check=True)
    assert done.stdout.count(b"\n") == 1
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_the_warden_says_who_it_is() -> None:
    assert ask(b'{"op": "hello"}\n') == {
        "ok": True, "protocol": warden.PROTOCOL, "uid": os.geteuid(), "python": sys.version.split()[0],
    }  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"nonsense\n",
        b"\xff\n",
        b"[]\n",
        b"{}\n",
        b'{"op": "shell"}\n',
        b'{"op": ["check"]}\n',
        b'{"op": {}}\n',
        b'{"op": "check"}\n',
        b'{"op": "check", "service": "paddock", "name": 0, "password": "x"}\n',
        b'{"op": "check", "service": "../shadow", "name": "nobody", "password": "x"}\n',
        b'{"op": "check", "service": "paddock", "name": "nobody", "password": "a\\u0000b"}\n',
        b'{"op": "check", "service": "paddock", "name": "nobody\\u0000", "password": "x"}\n',
        b'{"op": "check", "service": "paddock\\u0000", "name": "nobody", "password": "x"}\n',
        b"[" * 10_000 + b"\n",
        b'{"op": "hello", "more": "' + b"x" * 20_000 + b'"}\n',
    ],
)
def test_the_warden_refuses_what_it_does_not_know(line: bytes) -> None:
    answer = ask(line)
    assert answer["ok"] is False
    assert answer["error"]


def test_the_warden_does_not_refuse_a_lone_surrogate_with_a_crash(confdir: Path) -> None:
    line = json.dumps({"op": "check", "service": "paddock", "name": SOMEBODY, "password": "\ud800"}).encode()
    assert ask(line + b"\n", "--confdir", str(confdir))["ok"] is False


def test_the_warden_imports_nothing_but_the_standard_library() -> None:
    code = f"import runpy, sys; runpy.run_path({str(warden.__file__)!r}); print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert loaded <= {*sys.stdlib_module_names, "__main__"}
    assert Path(str(warden.__file__)).read_text().startswith("#!/usr/bin/python3 -IS\n")


# --- with root: real passwords, through sudo ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def by_sudo() -> Iterator[tuple[str, list[str]]]:
    service = f"pdk-pam-{os.getpid()}"
    with warden_by_sudo(service) as command:
        yield service, command


@ROOT
def test_a_real_account_through_sudo_and_the_warden(by_sudo: tuple[str, list[str]]) -> None:
    service, command = by_sudo
    login = PamLogin(PamSettings(service=service), command)
    with account(f"pdkp{os.getpid()}", "right password", "--comment", "Pam Ela,room 1", "--groups", "users") as name:
        found = login.check(name, "right password")
        assert found is not None
        assert (found.name, found.full_name) == (name, "Pam Ela")
        assert {name, "users"} <= set(found.groups)
        begun = time.monotonic()
        assert login.check(name, "wrong password") is None
        assert time.monotonic() - begun < 2, "pam_unix waits 2 s after a wrong password, and so tells names apart"
        for options, why in (
            (["usermod", "--lock", name], "locked"),
            (["usermod", "--unlock", name], ""),
            (["usermod", "--expiredate", "2020-01-01", name], "account expired"),
            (["usermod", "--expiredate", "", name], ""),
            (["chage", "--lastday", "2020-01-01", "--maxdays", "10", name], "password expired"),
            (["chage", "--lastday", "0", "--maxdays", "-1", name], "must be changed"),
        ):
            _change(*options)
            assert (login.check(name, "right password") is None) == bool(why), why


@ROOT
def test_an_account_without_a_password_is_nobody(by_sudo: tuple[str, list[str]]) -> None:
    service, command = by_sudo
    login = PamLogin(PamSettings(service=service), command)
    with account(f"pdke{os.getpid()}") as name:
        _change("passwd", "--delete", name)
        assert login.check(name, "anything") is None
        assert login.check(name, "") is None


@ROOT
def test_sudo_allows_the_warden_and_nothing_else(by_sudo: tuple[str, list[str]]) -> None:
    _, command = by_sudo
    *prefix, program = command
    hello = b'{"op": "hello"}\n'
    assert json.loads(subprocess.run(command, input=hello, capture_output=True, check=True).stdout)["uid"] == 0
    for argv in (
        [*command, "--confdir", "/tmp"],
        [*prefix, "/bin/sh", "-c", "id"],
        [*prefix, "-u", "daemon", program],
        [*prefix, "PYTHONPATH=/tmp", program],
    ):
        done = subprocess.run(argv, input=hello, capture_output=True, check=False)
        assert done.returncode != 0, argv
        assert b'"ok"' not in done.stdout


@ROOT
def test_without_root_the_passwords_of_others_cannot_be_checked(by_sudo: tuple[str, list[str]]) -> None:
    service, command = by_sudo
    unprivileged = [*command[:4], "/usr/bin/python3", "-IS", command[-1]]
    with account(f"pdku{os.getpid()}", "right password") as name, pytest.raises(SignInUnavailable) as error:
        PamLogin(PamSettings(service=service), unprivileged).check(name, "right password")
    assert "code 9" in error.value.detail

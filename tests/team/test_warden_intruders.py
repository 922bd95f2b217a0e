"""The warden writes to terminals of real users on real ptys, and ends exactly the process that was meant."""

import fcntl
import json
import os
import pwd
import signal
import struct
import subprocess
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from paddock.agents import warden
from paddock.common import processes
from paddock.login.pam import here
from tests.support.server import wait_for
from tests.team.unix_users import ROOT, UnixUsers, unix_users

pytestmark = ROOT
TIOCGPTN = 0x80045430
SLEEP = ["/bin/sleep", "600"]


@pytest.fixture(scope="module")
def users() -> Iterator[UnixUsers]:
    with unix_users() as made:
        yield made


def ask(request: dict[str, Any], *before: str) -> dict[str, Any]:
    """Ask the warden in a process of its own, as root or as whom `before` makes of it."""
    command = [*before, "/usr/bin/python3", "-IS", "-c", Path(str(warden.__file__)).read_text()] if before else here()
    done = subprocess.run(command, input=json.dumps(request).encode() + b"\n", capture_output=True, check=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@contextmanager
def terminal(user: str, mode: int = 0o620) -> Iterator[int]:
    """Yield what shows a terminal of a user."""
    shown, inside = os.openpty()
    try:
        tty.setraw(inside)
        os.fchown(inside, pwd.getpwnam(user).pw_uid, -1)
        os.fchmod(inside, mode)
        os.set_blocking(shown, False)
        yield shown
    finally:
        os.close(inside)
        os.close(shown)


def read(shown: int) -> str:
    try:
        return os.read(shown, 65_536).decode()
    except BlockingIOError:
        return ""


@contextmanager
def running(users: UnixUsers, user: str, argv: list[str] = SLEEP) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    process = subprocess.Popen(argv, **users.as_user(user))
    try:
        start = processes.started(process.pid)
        assert start is not None
        yield process, start
    finally:
        process.kill()
        process.wait()


def end(user: str, pid: int, start: int, name: str = "TERM") -> dict[str, Any]:
    return {"op": "end", "name": user, "pid": pid, "start": start, "signal": name}


def _inside(shown: int) -> str:
    """Return the terminal that this end belongs to."""
    number = struct.unpack("I", fcntl.ioctl(shown, TIOCGPTN, b"\0\0\0\0"))[0]
    return f"/dev/pts/{number}"


def test_all_terminals_of_a_person_show_the_message_and_nobody_elses(users: UnixUsers) -> None:
    with terminal(users.alice) as first, terminal(users.alice) as second, terminal(users.bob) as other:
        text = "gpu1:0 is reserved.\x1b[2J\r\nrm -rf ~\u202e " + "long " * 400
        assert ask({"op": "write", "name": users.alice, "text": text}) == {"ok": True, "written": 2, "refused": 0}
        assert read(other) == ""
        for shown in (first, second):
            told = read(shown)
            assert "*** gpu1:0 is reserved." in told
            assert "\x1b" not in told and "\u202e" not in told
            assert len(told) < 1300 and all(line.startswith("*** ") for line in told.split("\r\n\a")[1].splitlines())


def test_a_terminal_that_takes_no_messages_gets_none_and_others_do(users: UnixUsers) -> None:
    with terminal(users.alice, 0o600) as closed, terminal(users.alice) as open_one:
        assert ask({"op": "write", "name": users.alice, "text": "hello"}) == {"ok": True, "written": 1, "refused": 1}
        assert read(closed) == "" and "hello" in read(open_one)


def test_who_has_no_terminal_is_told_nothing(users: UnixUsers) -> None:
    assert ask({"op": "write", "name": users.stranger, "text": "x"}) == {"ok": True, "written": 0, "refused": 0}


def test_a_terminal_whose_output_is_stopped_holds_up_nothing(users: UnixUsers) -> None:
    with terminal(users.bob) as shown:
        inside = os.open(_inside(shown), os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY)
        termios.tcflow(inside, termios.TCOOFF)  # as Ctrl-S does
        os.close(inside)
        assert ask({"op": "write", "name": users.bob, "text": "hello"}) == {"ok": True, "written": 0, "refused": 1}


def test_exactly_the_process_that_was_meant_is_ended(users: UnixUsers) -> None:
    with running(users, users.bob) as (meant, start), running(users, users.bob) as (beside, _):
        assert ask(end(users.bob, meant.pid, start)) == {"ok": True, "sent": True}
        assert meant.wait(120) == -signal.SIGTERM
        assert beside.poll() is None
        assert ask(end(users.bob, meant.pid, start)) == {"ok": True, "sent": False}  # it has ended


def _ignores(pid: int, number: int) -> bool:
    lines = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return bool(int(lines["SigIgn"], 16) >> (number - 1) & 1)


def test_one_that_ignores_sigterm_is_killed(users: UnixUsers) -> None:
    program = "import signal,time; signal.signal(15, signal.SIG_IGN); time.sleep(600)"
    stubborn = ["/usr/bin/python3", "-c", program]
    with running(users, users.bob, stubborn) as (process, start):
        wait_for(lambda: _ignores(process.pid, signal.SIGTERM))
        assert ask(end(users.bob, process.pid, start))["sent"]
        assert process.poll() is None
        assert ask(end(users.bob, process.pid, start, "KILL"))["sent"]
        assert process.wait(120) == -signal.SIGKILL


def test_never_another_process(users: UnixUsers) -> None:
    own = processes.started(os.getpid()) or 0
    with running(users, users.bob) as (process, start):
        # Its number was given to another process since: the start is different.
        assert ask(end(users.bob, process.pid, start - 1)) == {"ok": True, "sent": False}
        assert ask(end(users.bob, process.pid, start + 1)) == {"ok": True, "sent": False}
        refused = [
            end(users.alice, process.pid, start),  # of somebody else
            end(users.bob, os.getpid(), own),  # of root
            end(users.bob, 1, processes.started(1) or 0),
            end("root", os.getpid(), own),
            end("root", 1, processes.started(1) or 0),
            end("daemon", process.pid, start),  # an account of the system
            end("nobody-of-that-name", process.pid, start),
            end("../" + users.bob, process.pid, start),
            end(users.bob, process.pid, start, "STOP"),
            end(users.bob, -1, start),
            end(users.bob, 0, start),
            end(users.bob, process.pid, start) | {"pid": True},
            end(users.bob, process.pid, start) | {"pid": str(process.pid)},
            end(users.bob, process.pid, start) | {"start": None},
            {"op": "end", "name": users.bob},
            {"op": "write", "name": "root", "text": "x"},
            {"op": "write", "name": users.bob, "text": "x\0"},
        ]
        for request in refused:
            assert ask(request)["ok"] is False, request
        assert process.poll() is None


def test_as_a_person_it_reaches_only_what_is_theirs(users: UnixUsers) -> None:
    as_bob = ("sudo", "-n", "-u", users.bob)
    with running(users, users.bob) as (own, start), running(users, users.alice) as (other, other_start):
        with terminal(users.bob) as shown, terminal(users.alice) as foreign:
            assert ask({"op": "write", "name": users.bob, "text": "hello"}, *as_bob)["written"] == 1
            assert ask({"op": "write", "name": users.alice, "text": "hello"}, *as_bob)["written"] == 0
            assert "hello" in read(shown) and read(foreign) == ""
        assert ask(end(users.alice, other.pid, other_start), *as_bob)["ok"] is False
        assert ask(end(users.bob, own.pid, start), *as_bob) == {"ok": True, "sent": True}
        assert own.wait(120) == -signal.SIGTERM and other.poll() is None


def test_the_file_needs_nothing_but_the_standard_library() -> None:
    assert "paddock" not in [name.partition(".")[0] for name in vars(warden)] and sys.version_info >= (3, 11)

"""Test the terminal of a task, with real pseudo-terminals: who attaches, what is logged, how it ends."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from paddock.runner import beside
from tests.runner.folder import Folder, ended, is_running, wait_for
from tests.support.person import LEAVE, PersonAtTerminal

BREAKPOINT = """
weights = [1, 2, 3]
print("ready", flush=True)
breakpoint()
print("after", sum(weights))
"""
TALKS = """
import os, shutil, signal, sys
print(sys.stdin.isatty(), shutil.get_terminal_size().columns)
def resized(*_): print("columns", os.get_terminal_size().columns, flush=True)
signal.signal(signal.SIGWINCH, resized)
print("ready", flush=True)
while True:
    try:
        line = input()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        continue
    if line == "end":
        sys.exit(7)
    print("heard", line, flush=True)
"""
SAVES = """
import signal, sys, time
def leave(*_):
    print("saving"); time.sleep(0.5); print("saved"); sys.exit(3)
signal.signal(signal.SIGTERM, leave)
print("ready"); time.sleep(60)
"""


def begin(folder: Folder, text: str, **fields: object) -> int:
    """Start a task with a terminal; the process that the runner reports."""
    folder.python_task("t-1", text, **fields)
    folder.end()
    folder.allocate(terminal=True)
    folder.start()
    pid: int = folder.await_record("started", "t-1")["pid"]
    wait_for(lambda: "ready" in folder.log("t-1"))
    return pid


def attach(folder: Folder, pid: int, mode: str = beside.TERMINAL, *argv: str) -> PersonAtTerminal:
    return PersonAtTerminal([folder.python, "-I", "-S", beside.__file__, mode, "t-1", "1", str(pid), *argv])


def end_of(folder: Folder) -> dict[str, object]:
    folder.await_record("ended", "t-1")
    return ended(folder.records(), "t-1")


def test_breakpoint_is_answered_through_the_terminal(folder: Folder, python: str) -> None:
    folder.python = python
    pid = begin(folder, BREAKPOINT)
    with attach(folder, pid) as me:
        me.sees("ready")  # printed before
        me.sees("(Pdb)")
        me.type("weights\r")
        me.sees("[1, 2, 3]")
        me.type("weights.append(4)\rc\r")
        me.sees("after 10")
        me.sees("[t-1 has ended: exit code 0]")
        assert me.ends() == 0
    end = end_of(folder)
    assert (end["exit"], end["by"], end["cause"]) == (0, None, None)
    log = folder.log("t-1")
    assert "after 10\n" in log and "\r\n" not in log


def test_who_leaves_comes_back_and_the_task_goes_on(folder: Folder) -> None:
    pid = begin(folder, TALKS)
    with attach(folder, pid) as me:
        me.sees("True 120")
        me.sees("columns 100")  # of my terminal
        me.resize(50, 77)
        me.sees("columns 77")
        me.type("one\r")
        me.sees("heard one")
        me.type("\x03")
        me.sees("interrupted")
        me.type(LEAVE)
        me.sees("[left t-1, which goes on]")
        assert me.ends() == 0
    with attach(folder, pid) as me, attach(folder, pid) as other:
        me.sees("heard one")
        other.sees("heard one")
        me.type("two\r")
        other.sees("heard two")
        other.type("end\r")
        me.sees("exit code 7")
        assert me.ends() == other.ends() == 7
    assert end_of(folder)["exit"] == 7


def test_a_script_can_talk_to_it_without_a_terminal(folder: Folder) -> None:
    pid = begin(folder, TALKS)
    argv = [sys.executable, beside.__file__, "terminal", "t-1", "1", str(pid)]
    said = subprocess.run(argv, input=b"from a pipe\n", check=False, capture_output=True, timeout=120)
    assert said.returncode == 0 and b"heard from a pipe" in said.stdout, said
    assert b"left t-1" in said.stderr


def test_stop_reaches_the_program_and_gives_it_time(folder: Folder) -> None:
    begin(folder, SAVES)
    folder.order("stop", task="t-1", attempt=1)
    end = end_of(folder)
    assert (end["exit"], end["by"]) == (3, "stop")
    assert folder.log("t-1").endswith("saved\n")


def test_stop_gives_time_to_what_a_shell_started(folder: Folder) -> None:
    script = folder.code("saves.py", SAVES)
    folder.add("t-1", "sh", "-c", f"'{sys.executable}' '{script}'; true")
    folder.end()
    folder.allocate(terminal=True)
    folder.start()
    folder.await_record("started", "t-1")
    wait_for(lambda: "ready" in folder.log("t-1"))
    folder.order("stop", task="t-1", attempt=1)
    assert end_of(folder)["by"] == "stop"
    assert folder.log("t-1").endswith("saved\n")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_signal_is_reported_as_of_the_program(folder: Folder, number: signal.Signals) -> None:
    pid = begin(folder, f"import os; print('ready', flush=True); input(); os.kill(os.getpid(), {int(number)})")
    with attach(folder, pid) as me:
        me.type("\r")
        me.sees(f"[t-1 has ended: {number.name}]")
        assert me.ends() == 128 + number
    end = end_of(folder)
    assert (end["exit"], end["signal"], end["cause"]) == (None, int(number), "user_error")


def test_a_command_that_does_not_exist_is_reported(folder: Folder) -> None:
    folder.add("t-1", "/no/such/program")
    folder.end()
    folder.allocate(terminal=True)
    end = ended(folder.run(), "t-1")
    assert end["exit"] == 127
    assert folder.log("t-1") == "cannot start /no/such/program: No such file or directory\n"


def test_nothing_is_left_when_the_runner_is_killed(folder: Folder) -> None:
    folder.python_task(
        "t-1", "import os, time; open('pid', 'w').write(str(os.getpid())); print('ready'); time.sleep(60)"
    )
    folder.allocate(terminal=True)
    runner = folder.start()
    keeper = folder.await_record("started", "t-1")["pid"]
    wait_for(lambda: "ready" in folder.log("t-1"))
    path = Path(beside.find("t-1", 1, keeper).socket or "")
    assert path.is_socket() and path.parent.stat().st_mode & 0o777 == 0o700
    program = int((folder.results("t-1") / "work" / "pid").read_text())
    runner.kill()
    wait_for(lambda: not is_running(keeper) and not is_running(program) and not path.parent.exists())


def test_the_keeper_dies_and_the_program_with_it(folder: Folder) -> None:
    pid = begin(folder, "import time; print('ready'); time.sleep(60)")
    program = beside.find("t-1", 1, pid).program
    assert program != pid
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not is_running(program))
    assert end_of(folder)["signal"] == signal.SIGKILL


def test_one_who_does_not_read_holds_up_nothing(folder: Folder) -> None:
    text = "print('ready', flush=True); input()\nfor n in range(60000): print('x' * 99)\nprint('done')"
    pid = begin(folder, text)
    path = beside.find("t-1", 1, pid).socket
    with socket.socket(socket.AF_UNIX) as silent:
        silent.connect(str(path))
        silent.sendall(beside.HEADER.pack(beside.INPUT, 1) + b"\r")
        assert end_of(folder)["exit"] == 0
    assert folder.log("t-1").endswith("x\ndone\n")


def test_nonsense_from_a_client_ends_only_that_client(folder: Folder) -> None:
    pid = begin(folder, TALKS)
    path = str(beside.find("t-1", 1, pid).socket)
    for nonsense in (b"\xff" * 5000, beside.HEADER.pack(b"w", 1) + b"!", b"i\xff"):
        with socket.socket(socket.AF_UNIX) as stranger:
            stranger.connect(path)
            stranger.sendall(nonsense)
    with attach(folder, pid) as me:
        me.type("still here\r")
        me.sees("heard still here")


# --- a shell beside a task ------------------------------------------------------------------------------------------


def test_a_shell_has_the_environment_and_the_folder_of_the_task(folder: Folder, python: str) -> None:
    folder.python = python
    secret = {"MY_TOKEN": "s3cret", "CUDA_VISIBLE_DEVICES": "GPU-7", "SHELL": "/bin/bash"}
    folder.python_task("t-1", "import time; print('ready', flush=True); time.sleep(60)", env=secret)
    folder.end()
    folder.allocate()
    folder.start()
    pid = folder.await_record("started", "t-1")["pid"]
    with attach(folder, pid, beside.SHELL) as me:
        me.sees("(t-1)")
        me.type("echo $CUDA_VISIBLE_DEVICES:$PADDOCK_TASK:${MY_TOKEN}:$TERM; pwd\r")
        me.sees("GPU-7:t-1:s3cret:xterm")
        me.sees(str(folder.results("t-1") / "work"))
        listed = subprocess.run(["ps", "-eo", "args"], check=False, capture_output=True, text=True).stdout
        assert "s3cret" not in listed
        me.type("exit 9\r")
        assert me.ends() == 9
        assert is_running(pid)
    assert attach(folder, pid, beside.SHELL, "sh", "-c", "exit $PADDOCK_ATTEMPT").ends() == 1


def test_a_shell_ends_with_its_task_and_leaves_the_terminal_in_order(folder: Folder) -> None:
    pid = begin(folder, TALKS, env={"SHELL": "/bin/bash"})
    with attach(folder, pid, beside.SHELL) as me:
        me.sees("(t-1)")
        me.type("stty -echo; sleep 600 & echo $! > sleeper; echo asleep; read line\r")
        me.sees("asleep\r\n")
        sleeper = int((folder.results("t-1") / "work" / "sleeper").read_text())
        assert not me.echoes
        folder.order("stop", task="t-1", attempt=1)
        me.sees("[t-1 has ended, and this shell with it]")
        wait_for(lambda: not is_running(sleeper))
        assert me.ends() == 128 + signal.SIGHUP


def test_what_is_not_there_is_refused_in_words(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    pid = begin(folder, "import time; print('ready'); time.sleep(60)")
    assert beside.main(["terminal", "t-1", "2", str(pid)]) == beside.REFUSED
    assert "t-1 is not among the processes of" in capsys.readouterr().err
    assert beside.main(["shell", "t-2", "1", str(pid)]) == beside.REFUSED
    program = beside.find("t-1", 1, pid).program
    assert beside.main(["terminal", "t-1", "1", str(program)]) == beside.REFUSED
    assert "it was not submitted with --terminal" in capsys.readouterr().err
    assert beside.main(["shell", "t-1", "1", "999999999"]) == beside.REFUSED


@pytest.mark.skipif(os.getuid() != 0, reason="needs root, to be somebody else")
def test_another_account_is_refused(folder: Folder, tmp_path: Path) -> None:
    pid = begin(folder, TALKS)
    path = str(beside.find("t-1", 1, pid).socket)
    os.chmod(os.path.dirname(path), 0o755)  # as if the folder kept nobody out
    os.chmod(path, 0o777)
    theirs = (
        f"import os, pwd, socket, sys; sys.argv[1:] = ['terminal', 't-1', '1', '{pid}']\n"
        f"from paddock.runner import beside\n"
        f"os.setgid(65534); os.setuid(65534)\n"
        f"s = socket.socket(socket.AF_UNIX); s.connect({path!r}); s.settimeout(60); print('got', s.recv(9))\n"
        f"sys.exit(beside.main(sys.argv[1:]))"
    )
    said = subprocess.run([sys.executable, "-c", theirs], check=False, capture_output=True, timeout=120)
    assert b"got b''" in said.stdout, said
    assert said.returncode == beside.REFUSED
    assert b"of the account root, and you are nobody here: attach as root" in said.stderr

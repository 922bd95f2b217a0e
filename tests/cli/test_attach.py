"""Test the commands attach and shell with a real server, real tasks and a real terminal."""

import os
import signal
import socket
import sys
from pathlib import Path

import pytest

from paddock.client import attach
from paddock.client.client import Client
from paddock.errors import Conflict
from paddock.models import AttachPoint
from paddock.settings import Settings
from tests.runner.folder import is_running
from tests.support.person import LEAVE, PersonAtTerminal
from tests.support.server import wait_for
from tests.support.up import Cli

ASKS = """
import os, signal, sys
print("ready", os.getpid(), flush=True)
answer = input("lr? ")
print("got", answer, flush=True)
"""
POINT = {
    "task": "k3v-1", "attempt": 1, "pid": 2**22 + 1, "node": "gpu3", "backend": "lab", "kind": "hosts",
    "account": "alice", "python": "python3", "terminal": False,
}  # fmt: skip


def person(cli: Cli, *arguments: str, **env: str) -> PersonAtTerminal:
    program = [sys.executable, "-m", "paddock", *arguments]
    return PersonAtTerminal(
        program, {**cli.environment(**env), "PYTHONPATH": os.environ.get("PYTHONPATH", "")}, cwd=cli.folder
    )


def begin(cli: Cli, text: str, *options: str) -> str:
    """Submit a script, and wait until it runs and has printed something; the task."""
    script = cli.script(text)
    job = cli.quick("submit", script, "--gpus", "0", "--json", *options).json["id"]
    with Client(home=cli.home) as client:
        wait_for(lambda: client.task(f"{job}-1").state == "running" and "ready" in cli.quick("logs", f"{job}-1").out)
    return f"{job}-1"


def test_a_task_with_a_terminal_is_answered_and_left(cli: Cli) -> None:
    task = begin(cli, ASKS, "--terminal")
    with person(cli, "attach", task) as me:
        me.sees("Ctrl-] leaves")
        me.sees("lr? ")
        me.type(LEAVE)
        me.sees(f"[left {task}, which goes on]")
        assert me.ends() == 0
    with person(cli, "attach", task, "--shell") as me:
        me.sees("a shell beside it")
        me.type("echo $PADDOCK_TASK-; exit 5\r")
        me.sees(f"{task}-\r")
        assert me.ends() == 5
    with person(cli, "attach", task.rpartition("-")[0]) as me:  # the only task of its job
        me.sees("lr? ")
        me.type("0.25\r")
        me.sees("got 0.25")
        me.sees("exit code 0")
        assert me.ends() == 0
    cli.wait(task.rpartition("-")[0])
    assert "does not run: it is finished" in cli.quick("attach", task, code=5).err


def test_a_task_without_one_gets_a_shell_or_a_command(cli: Cli) -> None:
    task = begin(cli, "import time; print('ready', flush=True); time.sleep(600)")
    done = cli("attach", task, "--", "sh", "-c", "echo $PADDOCK_TASK; exit 3", code=3)
    assert done.out == f"{task}\n"
    assert f"{task} has no terminal" in cli.quick("attach", task, "--terminal", code=2).err
    assert "leave it out" in cli.quick("attach", task, "--terminal", "--shell", code=2).err
    with person(cli, "attach", task) as me:
        me.sees("a shell beside it")
        me.type("echo be''gun\r")
        me.sees("begun")
        me.type("\x03")  # it is for the shell, which may discard what is typed next
        wait_for(lambda: me.says("echo $PADDOCK_ATTEMPT$PADDOCK_TASK", f"1{task}"))
        cli.quick("stop", task)
        me.sees(f"[{task} has ended, and this shell with it]")
        assert me.ends() > 0


def test_what_cannot_have_a_terminal_is_refused(cli: Cli) -> None:
    script = cli.script("print()")
    refused = cli.quick("submit", script, "--terminal", "--launcher", "torchrun", code=2)
    assert "A terminal is for tasks of one process" in refused.err
    job = cli.quick("submit", script, "--terminal", "--gpus", "0")
    assert "paddock attach" in job.err


def test_a_shell_is_held_left_and_given_back(cli: Cli) -> None:
    with person(cli, "shell", "--gpus", "0", "--for", "10m") as me:
        me.sees("its terminal")
        me.type("stty size; echo in=$(pwd)=; sleep 600 & echo $! > sleeper; echo as''leep\r")
        me.sees("24 100")
        me.sees(f"in={cli.folder}=")
        me.sees("asleep")
        me.type(LEAVE)
        me.sees("which goes on]")
        me.sees("gives it back")
        assert me.ends() == 0
    job = next(one["id"] for one in cli.quick("ls", "--json").json["items"] if one["tags"] == ["shell"])
    sleeper = int((cli.folder / "sleeper").read_text())
    assert is_running(sleeper)
    with person(cli, "attach", f"{job}-1") as me:
        me.sees("asleep")
        me.type("exit 4\r")
        me.sees(f"[{job}-1 has ended: exit code 0]")
        assert me.ends() == 0
    cli.wait(job)
    wait_for(lambda: not is_running(sleeper))
    assert cli.quick("show", f"{job}-1", "--json").json["state"] == "finished"


def test_a_terminal_that_is_closed_keeps_the_shell(cli: Cli) -> None:
    with person(cli, "shell", "--gpus", "0", "--for", "10m", "--name", "kept") as me:
        me.sees("its terminal")
        me.type("echo job=$PADDOCK_JOB=as''leep\r")
        me.sees("=asleep")
    job = next(one["id"] for one in cli.quick("ls", "--json").json["items"] if one["name"] == "kept")
    with person(cli, "attach", job) as me:
        me.sees("=asleep")
        me.type("exit\r")
        assert me.ends() == 0


def test_the_time_of_a_shell_ends(cli: Cli) -> None:
    with person(cli, "shell", "--gpus", "0", "--for", "2s") as me:
        me.sees("has ended: exit code 0]")
        assert me.ends() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_who_gives_up_waiting_holds_nothing(cli: Cli, number: signal.Signals) -> None:
    blocker = cli.submit("--slots", "1", "-p", "sleep=600,601,602,603")
    with Client(home=cli.home) as client:
        wait_for(lambda: client.detail(blocker).counts.running == 4)
    with person(cli, "shell", "--gpus", "0") as me:
        me.sees("-1: ")
        os.kill(me.pid, number)
        me.sees("was given back")
        assert me.ends() == 130
    assert not any("shell" in one["tags"] and not one["ended"] for one in cli.quick("ls", "--json").json["items"])
    cli.quick("stop", blocker)
    cli.wait(blocker)


def test_a_script_holds_a_shell_and_talks_to_it_later(cli: Cli) -> None:
    point = cli("shell", "--gpus", "0", "--json").json
    assert point == cli.quick("attach", point["task"], "--json").json
    assert point["terminal"] and point["node"] == socket.gethostname() and point["kind"] == "local"
    done = cli("attach", point["task"], "--", "sh", "-c", "echo $PADDOCK_TASK")
    assert done.out.split() == [point["task"]]
    cli.quick("stop", point["task"])
    cli.wait(point["task"].rpartition("-")[0])


def test_bad_durations_are_refused(cli: Cli) -> None:
    assert "--for" in cli.quick("shell", "--for", "soon", code=2).err
    assert "no terminal for a shell here" in cli("shell", code=2).err


# --- how a node is reached --------------------------------------------------------------------------------------------


def test_hosts_are_reached_by_the_ssh_of_these_settings_as_that_account(tmp_path: Path) -> None:
    fleet = {"lab": {"kind": "hosts", "hosts": ["gpu3"], "ssh": ["ssh", "-p", "2222"]}}
    settings = Settings(home=tmp_path, backends=fleet)
    made = attach.command(AttachPoint(**POINT, sign_in=True), "shell", ["echo", "a b"], settings)
    assert made.argv[:-1] == ["ssh", "-p", "2222", "--", "alice@gpu3"]
    assert "\n" not in made.argv[-1] and not set("!$`\\*?~#&|<>{}") & set(made.argv[-1])
    assert attach.command(AttachPoint(**POINT), "shell", [], None).argv[:3] == ["ssh", "--", "gpu3"]


def test_what_this_machine_cannot_reach_is_said_with_where_to_go(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        Conflict, match=r"k3v-1 runs on gpu3, as alice: this machine .* Run there: paddock attach k3v-1"
    ):
        attach.command(AttachPoint(**{**POINT, "kind": "local"}), "shell", [], None)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(Conflict, match=r"job 7_1 of Slurm, and there is no srun here"):
        attach.command(AttachPoint(**{**POINT, "kind": "slurm", "scheduler_id": "7_1"}), "shell", [], None)
    here = {**POINT, "kind": "local", "node": socket.gethostname()}
    with pytest.raises(Conflict, match="it has just ended"):
        attach.command(AttachPoint(**here), "shell", [], None)


@pytest.mark.parametrize(
    "bad",
    [
        {"node": "-oProxyCommand=x"}, {"account": "-l"}, {"scheduler_id": "1; x"}, {"python": "-c"}, {"pid": 0},
        {"task": "k3v-1 x"}, {"node": "a b"},
    ],
    ids=str,
)  # fmt: skip
def test_a_server_cannot_smuggle_in_options(bad: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(bad))):
        AttachPoint(**{**POINT, **bad})


def test_the_program_that_is_sent_is_short_and_compiles() -> None:
    text = attach._text()
    compile(text, "beside", "exec")
    assert len(text) < 20_000 and '"""' not in text

"""Test `submit --follow` with terminals and pipes."""

import os
import pty
import select
import signal
import subprocess
import sys
import time

from paddock.cli import follow
from paddock.client.client import Client
from paddock.models import JobDetail, Objective
from tests.support.server import PATIENCE
from tests.support.up import Cli
from tests.support.warm import Warm


def test_follow_line_by_line(cli: Cli) -> None:
    done = cli("submit", cli.script(), "--gpus", "0", "-p", "lr=0.4,0.2", "--follow")
    job = done.out.split()[0]
    assert f"{job}-1  finished  val_loss=0.2 at " in done.out
    assert done.out.splitlines()[-1].startswith(f"{job}  2 finished  best val_loss 0.1 ({job}-2)")
    assert "\x1b" not in done.out


def test_an_objective_that_is_chosen_between_two_requests(cli: Cli) -> None:
    class Early(Client):
        asked = 0

        def detail(self, job: str) -> JobDetail:
            self.asked += 1
            found = super().detail(job)
            return found if self.asked > 1 else found.model_copy(update={"objective": Objective(metric="")})

    job = cli.submit("-p", "lr=0.4")
    cli.wait(job)
    with Early(home=cli.home) as client:
        detail, tasks = follow._state(client, job)
    assert (detail.objective.metric, tasks[0].best_value) == ("val_loss", 0.2)


def test_follow_is_1_when_a_task_fails(cli: Cli) -> None:
    done = cli("submit", cli.script(), "--gpus", "0", "-p", "fail=0,3", "-f", code=1)
    assert "error  val_loss" in done.out
    assert "user_error" in done.out


def test_follow_as_json_lines(cli: Cli) -> None:
    done = cli("submit", cli.script(), "--gpus", "0", "-p", "fail=3", "-f", "--json", code=1)
    first, *tasks, last = done.lines
    assert first["id"] == last["id"]
    assert (tasks[-1]["state"], tasks[-1]["exit_code"]) == ("error", 3)
    assert (first["ended"], last["ended"]) == (False, True)


def test_ctrl_c_leaves_the_job_running(cli: Cli) -> None:
    process = Warm(
        ["submit", cli.script(), "--gpus", "0", "-p", "sleep=60", "-f"],
        env=cli.environment(PYTHONUNBUFFERED="1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        assert process.stdout is not None
        job = process.stdout.readline().split()[0].decode()
        process.stdout.readline()  # it runs
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert b"The job goes on" in err
    assert b"Traceback" not in err
    assert cli("show", job, "--json").json["counts"]["running"] == 1
    cli("stop", job)


def test_on_a_terminal(cli: Cli) -> None:
    """The live display, the tables and the question, with a terminal of 80 columns."""
    arguments = ["submit", cli.script(), "--gpus", "0", "-p", "lr=0.4,0.2", "-p", "epochs=2", "-f"]
    code, shown = on_terminal(cli, arguments)
    assert code == 0
    assert "2 finished" in shown
    job = shown.split()[0]
    assert "val_loss" in on_terminal(cli, ["metrics", f"{job}-1"])[1]
    assert on_terminal(cli, ["rm", job], answer="n\n")[0] == 1
    assert cli.quick("show", job, "--json").json["id"] == job
    assert on_terminal(cli, ["rm", job], answer="y\n")[0] == 0
    cli.quick("show", job, code=3)


def on_terminal(cli: Cli, arguments: list[str], answer: str = "") -> tuple[int, str]:
    main, child = pty.openpty()
    process = Warm(
        arguments,
        env=cli.environment(TERM="xterm"),
        stdin=child,
        stdout=child,
        stderr=child,
        start_new_session=True,
    )
    os.close(child)
    os.write(main, answer.encode())
    seen = b""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if not select.select([main], [], [], 0.5)[0]:
            continue
        try:
            part = os.read(main, 65536)
        except OSError:  # the other side has closed it
            break
        if not part:
            break
        seen += part
    os.close(main)
    return process.wait(120), seen.decode()


def test_a_reader_that_leaves_early_is_no_error(cli: Cli) -> None:
    job = cli.submit("-p", "epochs=5000")
    cli.wait(job)
    done = subprocess.run(
        ["bash", "-c", f"'{sys.executable}' -m paddock logs {job} | head -1; exit ${{PIPESTATUS[0]}}"],
        env=cli.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "note ''\n", "")

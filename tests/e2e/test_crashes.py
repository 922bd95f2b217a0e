"""Test that nothing is lost and nothing runs twice when the server, a runner or a task dies at a bad moment."""

import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.server.store import postgres
from tests.support.server import ServerProcess, running, wait_for

EPOCHS = 10

# Tells a witness outside of Paddock of every start, waits for the file `--go`, and writes a CSV as Keras does.
WITNESSED = """
import argparse, os, time
parser = argparse.ArgumentParser()
parser.add_argument("--number", type=int)
parser.add_argument("--epochs", type=int)
parser.add_argument("--witness")
parser.add_argument("--seconds", type=float, default=0.05)
parser.add_argument("--go", default="")
args = parser.parse_args()
with open(args.witness, "a") as file:
    file.write(os.environ["PADDOCK_TASK"] + "\\n")
while args.go and not os.path.exists(args.go):
    time.sleep(0.05)
with open("log.csv", "w") as file:
    file.write("epoch,loss,val_loss\\n")
    for epoch in range(args.epochs):
        time.sleep(args.seconds)
        file.write(f"{epoch},{args.number + 0.5},{args.number * 1000 + args.epochs - epoch}\\n")
        file.flush()
"""

# Goes on from its checkpoint behind what it has told, on standard output or in a CSV: without an end at first, and for
# a few epochs in the attempt after that.
RESUMING = """
import argparse, os, time
from pathlib import Path
parser = argparse.ArgumentParser()
parser.add_argument("--where")
args = parser.parse_args()
state = Path(os.environ["PADDOCK_CHECKPOINT_DIR"], "epoch")
first = int(state.read_text()) if state.exists() else 0
last = first + 5 if os.environ["PADDOCK_ATTEMPT"] == "2" else 100_000
for epoch in range(first + 1, last + 1):
    time.sleep(0.05)
    if args.where == "stdout":
        print(f"epoch: {epoch} val_loss: {1 / epoch!r}", flush=True)
    else:
        with open("log.csv", "a") as file:
            file.write("" if file.tell() else "epoch,val_loss\\n")
            file.write(f"{epoch},{1 / epoch!r}\\n")
    new = state.with_suffix(".new")
    new.write_text(str(epoch))
    new.rename(state)
"""

SLEEPER = """
import os, sys, time
print("ready", os.getpid(), flush=True)
time.sleep(600)
"""


def test_server_killed_ten_times(tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    dice = random.Random(7)
    params = {"number": list(range(1, 25)), "epochs": EPOCHS, "witness": str(witness)}
    with running(tmp_path / "home", local__slots=3) as server:
        job = server.submit(WITNESSED, params=params)
        for _ in range(10):
            time.sleep(dice.uniform(0.05, 0.6))
            server.kill()
            time.sleep(dice.uniform(0, 0.2))
            server.start()
        tasks = server.wait(job)
        _assert_all_there(server, job, tasks, witness)


def _assert_all_there(server: ServerProcess, job: str, tasks: list[dict[str, Any]], witness: Path) -> None:
    assert [(task["state"], task["attempt"]) for task in tasks] == [("finished", 1)] * 24
    assert sorted(witness.read_text().split()) == sorted(task["id"] for task in tasks)
    curves = {curve["task"]: curve for curve in server.get(f"/jobs/{job}/metrics", metric="val_loss")}
    for task in tasks:
        number = task["params"]["number"]
        assert curves[task["id"]]["steps"] == list(range(EPOCHS))
        assert curves[task["id"]]["values"] == [number * 1000 + EPOCHS - epoch for epoch in range(EPOCHS)]
        assert task["best_value"] == number * 1000 + 1


def test_sweep_finishes_while_the_server_is_down(tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    params = {"number": "1,2,3,4,5,6", "epochs": 3, "witness": str(witness), "go": str(tmp_path / "go")}
    with running(tmp_path / "home", local__slots=2) as server:
        job = server.submit(WITNESSED, params=params)
        wait_for(witness.exists, what="the first task to start")
        server.kill()
        assert len(witness.read_text().split()) <= 2
        (tmp_path / "go").touch()
        wait_for(lambda: len(witness.read_text().split()) == 6, what="all tasks to start without a server")
        claims = server.home.job(job).claims
        assert len(list(claims.iterdir())) == 6
        wait_for(lambda: _runners_gone(server), what="the runners to leave")
        server.start()
        assert [task["state"] for task in server.wait(job)] == ["finished"] * 6


def _runners_gone(server: ServerProcess) -> bool:
    home = str(server.home.root).encode()
    return not any(home in _command(pid) and b".pyz" in _command(pid) for pid in os.listdir("/proc") if pid.isdigit())


def _command(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _runner_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def test_runner_killed_task_is_lost_and_its_process_ended(tmp_path: Path) -> None:
    with running(tmp_path / "home", local__slots=1) as server:
        job = server.submit(SLEEPER, retries={"lost": 0})
        pid = _pid_of(server, job)
        os.kill(_runner_of(pid), signal.SIGKILL)
        task = server.wait(job)[0]
        assert (task["state"], task["cause"]) == ("error", "lost")
        assert "stopped reporting" in task["reason"]
        assert not _alive(pid)


def test_runner_killed_task_is_retried_by_policy(tmp_path: Path) -> None:
    with running(tmp_path / "home", local__slots=1) as server:
        job = server.submit(SLEEPER, retries={"lost": 1})
        pid = _pid_of(server, job)
        os.kill(_runner_of(pid), signal.SIGKILL)
        wait_for(lambda: server.task(job)["attempt"] == 2 and server.task(job)["state"] == "running")
        assert not _alive(pid)
        first, second = server.task(job)["attempts"]
        assert (first["state"], first["cause"], first["resumed"]) == ("error", "lost", False)
        assert (second["state"], second["resumed"]) == ("running", True)
        os.kill(_runner_of(_pid_of(server, job)), signal.SIGKILL)
        assert server.wait(job)[0]["state"] == "error"


@pytest.mark.parametrize("where", ["stdout", "csv"])
def test_what_a_killed_runner_had_not_read_is_not_lost(where: str, tmp_path: Path) -> None:
    with running(tmp_path / "home", local__slots=1) as server:
        job = server.submit(RESUMING, params={"where": where})
        wait_for(lambda: server.task(job)["epoch"], what="the first epoch")
        runner = _runner_of(server.task(job)["attempts"][0]["pid"])
        os.kill(runner, signal.SIGSTOP)
        known = server.task(job)["epoch"]
        reached = server.home.job(job).root / "results" / job / f"{job}-1" / "checkpoint" / "epoch"
        wait_for(lambda: int(reached.read_text() or 0) > known + 8, what="epochs that nobody reports")
        os.kill(runner, signal.SIGKILL)
        [task] = server.wait(job)
        assert (task["state"], task["attempt"]) == ("finished", 2)
        [curve] = server.get(f"/jobs/{job}/metrics", metric="val_loss")
        epochs = range(1, int(task["epoch"]) + 1)
        assert curve["steps"] == list(epochs), "each once, before the crash and after it"
        assert curve["values"] == [1 / epoch for epoch in epochs]
        first, second = (server.get(f"/tasks/{job}-1/metrics", metric="val_loss", attempt=n)[0] for n in (1, 2))
        assert len(first["steps"]) > known + 8
        assert first["steps"] + second["steps"] == curve["steps"]
        assert len(second["steps"]) == 5


def test_a_stopped_runner_keeps_no_slot(tmp_path: Path) -> None:
    with running(tmp_path / "home", local__slots=1, runner__grace_seconds=1, runner__stuck_seconds=1) as server:
        job = server.submit(SLEEPER)
        pid = _pid_of(server, job)
        runner = _runner_of(pid)
        os.kill(runner, signal.SIGSTOP)
        server.post(f"/jobs/{job}/stop")
        assert [task["state"] for task in server.wait(job)] == ["stopped"]
        wait_for(lambda: not _alive(pid) and not _alive(runner), what="the end of its processes")

        removed = server.submit(SLEEPER)
        pid = _pid_of(server, removed)
        os.kill(_runner_of(pid), signal.SIGSTOP)
        assert server.client.delete(f"/jobs/{removed}").status_code == 204
        wait_for(lambda: not server.home.job(removed).root.exists(), what="the job to be gone")
        assert not _alive(pid)

        assert [task["state"] for task in server.wait(server.submit("print(1)"))] == ["finished"]


def _pid_of(server: ServerProcess, job: str) -> int:
    def ready() -> int | None:
        task = server.task(job)
        attempt = task["attempts"][-1]
        return attempt["pid"] if task["state"] == "running" and "ready" in server.log_of(job) else None

    pid: int = wait_for(ready, what="the task to run")
    return pid


def test_task_killed_from_outside(server: ServerProcess) -> None:
    job = server.submit(SLEEPER)
    os.kill(_pid_of(server, job), signal.SIGKILL)
    task = server.wait(job)[0]
    assert (task["state"], task["cause"]) == ("error", "user_error")
    assert "SIGKILL" in task["reason"]
    assert server.task(job)["attempts"][0]["signal"] == 9


def test_runner_that_cannot_start_is_an_error_not_a_loop(tmp_path: Path) -> None:
    with running(tmp_path / "home", local__slots=1, local__python="/bin/false") as server:
        job = server.submit("print(1)")
        task = server.wait(job)[0]
        assert (task["state"], task["cause"]) == ("error", "launch_failed")
        assert "runner does not start" in task["reason"]


def test_a_runner_that_could_not_start_mended_and_restarted_runs_each_task_once(tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    server = ServerProcess(tmp_path / "home", local__slots=2, local__python="/bin/false").start()
    job = server.submit(WITNESSED, params={"number": [1, 2, 3], "epochs": 2, "witness": str(witness)})
    assert {task["cause"] for task in server.wait(job)} == {"launch_failed"}
    server.stop()
    mended = ServerProcess(tmp_path / "home", local__slots=2).start()
    assert len(mended.post(f"/jobs/{job}/restart", {"failed": True})["tasks"]) == 3
    tasks = mended.wait(job)
    assert [(task["state"], task["attempt"]) for task in tasks] == [("finished", 2)] * 3
    assert sorted(witness.read_text().split()) == sorted(task["id"] for task in tasks)
    mended.stop()


def test_claim_without_a_word_becomes_a_new_attempt(tmp_path: Path) -> None:
    """A runner that died between mkdir and its first word about the task."""
    server = ServerProcess(tmp_path / "home", local__slots=1).start()
    blocker = server.submit(SLEEPER)
    server.wait_state(blocker, "running")
    job = server.submit("print('here')")
    wait_for(server.home.job(job).tasks.exists)
    server.home.job(job).claim(f"{job}-1", 1).mkdir()
    server.post(f"/jobs/{blocker}/stop")
    task = server.wait(job)[0]
    assert (task["state"], task["attempt"]) == ("finished", 2)
    assert server.task(job)["attempts"][0]["cause"] == "lost"
    server.stop()


def test_server_on_postgresql_killed_again_and_again(tmp_path: Path) -> None:
    programs = postgres.binaries()
    if programs is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(postgres.MISSING)
        raise AssertionError
    witness = tmp_path / "witness"
    dice = random.Random(11)
    with postgres.cluster(programs) as cluster, cluster.database() as name:
        server = ServerProcess(tmp_path / "home", local__slots=3, database=cluster.url(name)).start()
        params = {"number": list(range(1, 10)), "epochs": EPOCHS, "witness": str(witness)}
        job = server.submit(WITNESSED, params=params)
        for _ in range(4):
            time.sleep(dice.uniform(0.1, 0.6))
            server.kill()
            server.start()
        tasks = server.wait(job)
        assert server.get("/health")["database"] == "postgresql"
        assert [(task["state"], task["attempt"]) for task in tasks] == [("finished", 1)] * 9
        assert sorted(witness.read_text().split()) == sorted(task["id"] for task in tasks)
        curves = server.get(f"/jobs/{job}/metrics", metric="val_loss")
        assert [curve["steps"] for curve in curves] == [list(range(EPOCHS))] * 9
        server.stop()

"""Test hold and time limits with real runners, restarts of the server and checkpoints."""

import sys
import time
from pathlib import Path

from tests.support.server import ServerProcess, running, wait_for

# Ends when it may.
SHORT = """
import os, time
marks = os.environ["PADDOCK_PARAM_MARKS"]
open(marks + "/" + os.environ["PADDOCK_TASK"], "w").close()
while not os.path.exists(marks + ".go"):
    time.sleep(0.05)
"""

MANY = 16

# Trains until it is cut off; the attempt after that goes on where it was, for a few epochs.
LONG = """
import os, time
path = os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "epoch")
first = int(open(path).read()) if os.path.exists(path) else 0
last = first + 3 if os.environ["PADDOCK_ATTEMPT"] == "2" else 10_000
for epoch in range(first, last):
    time.sleep(0.5)
    print(f"epoch: {epoch} val_loss: {20_000 - epoch}", flush=True)
    with open(path + ".new", "w") as file:
        file.write(str(epoch + 1))
    os.replace(path + ".new", path)
"""

# The shortest limit is a minute, but the first allocation ends earlier, as Slurm's do before a reservation.
FIRST_IS_SHORT = """#!/bin/sh
mkdir {begun} && export SLURM_JOB_END_TIME=$(($(date +%s) + 25))
exec {python} "$@"
"""


def test_a_hold_outlives_the_server(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    server = ServerProcess(tmp_path / "home", local__slots=2).start()
    job = server.submit(SHORT, params={"marks": str(marks), "n": list(range(MANY))})
    wait_for(lambda: len(list(marks.iterdir())) >= 2, what="two to begin")
    server.post(f"/jobs/{job}/hold")
    server.kill()
    server.start()
    control = server.home.job(job).control
    wait_for(lambda: control.exists() and '"hold"' in control.read_text(), what="that its runners are told")
    time.sleep(1)  # they read it several times per second
    (tmp_path / "marks.go").touch()
    wait_for(
        lambda: server.get(f"/jobs/{job}")["counts"]["finished"] == len(list(marks.iterdir())),
        what="those that ran to end",
    )
    begun = len(list(marks.iterdir()))
    assert begun < MANY, "all of them began though they were held"
    time.sleep(1)
    shown = server.get(f"/jobs/{job}")
    assert (shown["held"], len(list(marks.iterdir()))) == (True, begun)
    assert shown["counts"]["submitted"] == MANY - begun
    server.post(f"/jobs/{job}/release")
    assert [(task["state"], task["attempt"]) for task in server.wait(job)] == [("finished", 1)] * MANY
    assert server.stop() == 0


def test_cut_off_by_the_time_limit_a_task_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    runner = tmp_path / "runner.sh"
    runner.write_text(FIRST_IS_SHORT.format(begun=tmp_path / "begun", python=sys.executable))
    runner.chmod(0o755)
    settings = {"local__slots": 1, "runner__grace_seconds": 1, "runner__warn_seconds": 1}
    with running(tmp_path / "home", local__python=runner, **settings) as server:
        job = server.submit(LONG, resources={"time_limit": "1m"})
        task = server.wait(job, 300)[0]
        assert (task["state"], task["attempt"]) == ("finished", 2)
        first, second = server.task(job)["attempts"]
        assert (first["state"], first["cause"], second["state"], second["resumed"]) == (
            "error",
            "time_limit",
            "finished",
            True,
        )
        assert "time limit" in first["reason"]
        assert first["allocation"] != second["allocation"]
        [curve] = server.get(f"/tasks/{job}-1/metrics", metric="val_loss")
        reached = int(task["epoch"])
        assert (curve["steps"], task["best_value"]) == (list(range(reached + 1)), 20_000 - reached)
        [after] = server.get(f"/tasks/{job}-1/metrics", metric="val_loss", attempt=2)
        assert after["steps"] == [reached - 2, reached - 1, reached]
        assert reached > 2, "it began again"

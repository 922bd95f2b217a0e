"""Test hold and time limits with real runners, restarts of the server and checkpoints."""

import time
from pathlib import Path

from tests.support.server import ServerProcess, running, wait_for

# Ends half a second after it may.
SHORT = """
import os, time
marks = os.environ["PADDOCK_PARAM_MARKS"]
open(marks + "/" + os.environ["PADDOCK_TASK"], "w").close()
while not os.path.exists(marks + ".go"):
    time.sleep(0.05)
time.sleep(0.5)
"""

MANY = 16

# Trains for a little longer than its allocation may last, and goes on where it was.
LONG = """
import os, time
path = os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "epoch")
first = int(open(path).read()) if os.path.exists(path) else 0
for epoch in range(first, 62):
    time.sleep(1)
    print(f"epoch: {epoch} val_loss: {100 - epoch}", flush=True)
    with open(path + ".new", "w") as file:
        file.write(str(epoch + 1))
    os.replace(path + ".new", path)
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
    (tmp_path / "marks.go").touch()
    wait_for(lambda: server.get(f"/jobs/{job}")["counts"]["running"] == 0, what="those that ran to end")
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
    with running(tmp_path / "home", local__slots=1, runner__grace_seconds=1, runner__warn_seconds=5) as server:
        job = server.submit(LONG, resources={"time_limit": "1m"})
        task = server.wait(job, 180)[0]
        assert (task["state"], task["attempt"], task["epoch"], task["best_value"]) == ("finished", 2, 61, 39)
        first, second = server.task(job)["attempts"]
        assert (first["state"], first["cause"], second["state"], second["resumed"]) == (
            "error",
            "time_limit",
            "finished",
            True,
        )
        assert "time limit" in first["reason"]
        assert first["allocation"] != second["allocation"]
        curve = server.get(f"/tasks/{job}-1/metrics", metric="val_loss")[0]
        assert curve["steps"] == list(range(62))

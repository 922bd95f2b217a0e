"""Test a number that is marked in a log: a metric of ended, running and later tasks."""

from pathlib import Path

from tests.support.server import ServerProcess, running, wait_for

# The first task ends at once, the others when they may.
SCRIPT = """
import os, time
go = os.environ["PADDOCK_PARAM_GO"]
for turn in range(3):
    print(f"turn {turn} gave {turn + 0.5} points", flush=True)
while os.environ["PADDOCK_TASK"].endswith("-2") and not os.path.exists(go):
    time.sleep(0.05)
print("turn 3 gave 3.5 points", flush=True)
"""
LINE = "turn 1 gave 1.5 points"
POINTS = [0.5, 1.5, 2.5, 3.5]


def curve(server: ServerProcess, task: str) -> list[float]:
    found = server.get(f"/tasks/{task}/metrics", metric="score")
    return found[0]["values"] if found else []


def test_a_marked_number_is_a_metric_everywhere(tmp_path: Path) -> None:
    with running(tmp_path / "home", local__slots=2) as server:
        go = tmp_path / "go"
        job = server.submit(SCRIPT, params={"go": str(go), "n": [1, 2]})
        wait_for(lambda: server.get(f"/tasks/{job}-1")["state"] == "finished", what="the first task to end")
        wait_for(lambda: server.get(f"/tasks/{job}-2")["log_bytes"] > 60, what="the second task to print")
        warnings = [text for attempt in server.get(f"/tasks/{job}-1")["attempts"] for text in attempt["warnings"]]
        assert any("select one in the log" in text for text in warnings)
        mark = {"line": LINE, "start": 12, "end": 15, "name": "score"}
        tried = server.post(f"/jobs/{job}/metric-patterns", mark | {"task": f"{job}-1"})
        assert tried["matches"] == 4
        assert server.get(f"/jobs/{job}")["spec"]["metrics"]["patterns"] == []
        server.post(f"/jobs/{job}/metric-patterns", mark)
        wait_for(lambda: curve(server, f"{job}-1") == POINTS, what="the log of the ended task to be searched")
        wait_for(lambda: curve(server, f"{job}-2") == POINTS[:3], what="the log of the running task to be searched")
        go.touch()
        wait_for(lambda: curve(server, f"{job}-2") == POINTS, what="its last point")
        wait_for(lambda: server.get(f"/tasks/{job}-2")["state"] == "finished", what="its end")
        assert server.get(f"/jobs/{job}")["spec"]["metrics"]["patterns"] == [tried["pattern"]]


def test_the_job_shows_that_its_logs_contain_numbers_and_no_metric(tmp_path: Path) -> None:
    with running(tmp_path / "home", local__slots=2) as server:
        job = server.submit(SCRIPT, params={"go": str(tmp_path), "n": [1, 2]})

        def noticed() -> bool:
            return any("logs contain numbers: select one" in text for text in server.get(f"/jobs/{job}")["warnings"])

        wait_for(noticed, what="the notice on the job")
        server.post(f"/jobs/{job}/metric-patterns", {"line": LINE, "start": 12, "end": 15, "name": "score"})
        wait_for(lambda: not noticed(), what="the notice to go")

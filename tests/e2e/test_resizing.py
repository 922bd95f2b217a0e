"""A training goes on with another number of GPUs while it runs."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.server import ServerProcess, running, wait_for

# Counts its steps, and saves when it has to end. Each step says how many GPUs it has.
TRAINS = """
import json, os, signal, sys, time
state = os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "state")
stop = os.path.join(os.environ["PADDOCK_RESULTS_DIR"], "stop")
step = int(open(state).read()) if os.path.exists(state) else 0
def end(*_):
    with open(state + ".new", "w") as file:
        file.write(str(step))
    os.replace(state + ".new", state)
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
seen = os.environ["CUDA_VISIBLE_DEVICES"].split(",")
assert len(seen) == int(os.environ["PADDOCK_GPUS"]), os.environ
while not os.path.exists(stop):
    step += 1
    print(json.dumps({"step": step, "gpus": len(seen), "loss": 1 / step}), flush=True)
    time.sleep(0.05)
"""
RANGE = {"gpus": "1..2"}


class Lab:
    def __init__(self, server: ServerProcess) -> None:
        self.server = server

    def submit(self, **spec: Any) -> str:
        return self.server.submit(TRAINS, **({"resources": RANGE} | spec))

    def resize(self, job: str, gpus: int, number: int = 1) -> list[str]:
        found: list[str] = self.server.post(f"/tasks/{job}-{number}/resize", {"gpus": gpus})["tasks"]
        return found

    def trains(self, job: str, gpus: int, number: int = 1) -> dict[str, Any]:
        """Wait until the task trains with this many GPUs."""

        def last() -> dict[str, Any] | None:
            task = self.server.task(job, number)
            lines = self.server.log_of(job, number).splitlines() if task["state"] == "running" else []
            steps = [json.loads(line) for line in lines if line.startswith("{")]
            return task if steps and steps[-1]["gpus"] == gpus else None

        found: dict[str, Any] = wait_for(last, what=f"{job}-{number} to train on {gpus} GPUs")
        return found

    def finish(self, job: str, number: int = 1) -> dict[str, Any]:
        Path(self.server.task(job, number)["folder"], "stop").touch()
        return self.server.wait_state(job, "finished", number)

    def steps(self, job: str, number: int = 1) -> list[float]:
        [curve] = self.server.get(f"/tasks/{job}-{number}/metrics", metric="loss")
        found: list[float] = curve["steps"]
        return found


@contextmanager
def lab_of(tmp_path: Path, gpus: int) -> Iterator[Lab]:
    named = json.dumps([str(number) for number in range(gpus)])
    with running(tmp_path / "home", local__gpus=named, local__slots=4, runner__grace_seconds=5) as server:
        yield Lab(server)


@pytest.fixture
def wide(tmp_path: Path) -> Iterator[Lab]:
    """Three GPUs: there is room for the next size beside the present one."""
    with lab_of(tmp_path, 3) as lab:
        yield lab


@pytest.fixture
def narrow(tmp_path: Path) -> Iterator[Lab]:
    """Two GPUs: a task that has one has to end before it can have two."""
    with lab_of(tmp_path, 2) as lab:
        yield lab


def check_sizes(task: dict[str, Any], sizes: list[int]) -> None:
    assert [one["size"] for one in task["attempts"]] == sizes
    *resized, last = task["attempts"]
    assert {(one["state"], one["cause"]) for one in resized} <= {("stopped", "resized")}
    assert last["cause"] is None and last["state"] == "finished"
    assert all(one["resumed"] for one in task["attempts"][1:])
    assert all(one["pause_seconds"] is not None for one in task["attempts"][1:])
    assert task["size_wanted"] is None and task["resize_by"] is None


def test_a_training_grows_and_shrinks_where_nothing_else_is_free(narrow: Lab) -> None:
    job = narrow.submit()
    narrow.trains(job, 1)
    assert narrow.resize(job, 2) == [f"{job}-1"]
    narrow.trains(job, 2)
    assert narrow.resize(job, 2) == []  # it has them
    narrow.resize(job, 1)
    narrow.trains(job, 1)
    check_sizes(narrow.finish(job), [1, 2, 1])
    steps = narrow.steps(job)
    assert steps == sorted(set(steps)) and steps[0] == 1 and len(steps) == steps[-1], "the curve goes on, without gaps"
    first = narrow.server.task(job)["attempts"][0]
    assert "resized from 1 to 2 GPUs by " in first["reason"]
    points = narrow.server.get(f"/jobs/{job}/gpus")["points"]
    assert points[0]["gpus"] == 1 and f"{job}-1 began" in points[0]["why"]
    assert points[-1]["gpus"] == 0 and f"{job}-1 ended" in points[-1]["why"]
    assert {0, 1, 2} >= {one["gpus"] for one in points} >= {0, 1, 2}
    assert any("resized from 2 to 1 GPUs by " in one["why"] for one in points)


def test_where_there_is_room_the_next_place_is_taken_first(wide: Lab) -> None:
    job = wide.submit()
    wide.trains(job, 1)
    wide.resize(job, 2)
    task = wide.trains(job, 2)
    first, second = task["attempts"]
    assert first["allocation"] != second["allocation"]
    journals = wide.server.home.job(job)
    # The runner of the next allocation had reported itself before the first attempt ended.
    said = [json.loads(line) for line in journals.journal(second["allocation"], 1).read_text().splitlines()]
    ended = [json.loads(line) for line in journals.journal(first["allocation"], 1).read_text().splitlines()]
    hello = next(one["at"] for one in said if one["e"] == "runner")
    end = next(one["at"] for one in ended if one["e"] == "ended")
    assert hello < end
    check_sizes(wide.finish(job), [1, 2])


@pytest.mark.parametrize("gpus", [2, 3])
def test_a_server_that_is_killed_between_order_and_end_changes_nothing(tmp_path: Path, gpus: int) -> None:
    with lab_of(tmp_path, gpus) as lab:
        job = lab.submit()
        lab.trains(job, 1)
        lab.resize(job, 2)
        lab.server.kill()
        lab.server.start()
        lab.trains(job, 2)
        check_sizes(lab.finish(job), [1, 2])


def test_a_training_trains_on_until_others_have_left_enough(wide: Lab) -> None:
    job = wide.submit(params={"lr": [0.1, 0.2, 0.3, 0.4]})
    for number in (1, 2, 3):
        wide.trains(job, 1, number)
    wide.resize(job, 2, number=2)
    orders = wide.server.home.job(job).control
    wait_for(lambda: orders.exists() and orders.read_text().count("drain") == 2, what="two tasks to give way")
    assert wide.trains(job, 1, number=2)["size_wanted"] == 2
    wide.finish(job, 1)  # the fourth waits: what is free now is for the second
    wide.trains(job, 2, number=2)
    for number in (3, 4, 2):
        wide.trains(job, 2 if number == 2 else 1, number)
        wide.finish(job, number)
    check_sizes(wide.server.task(job, 2), [1, 2])


def test_all_running_tasks_of_a_job_are_resized(wide: Lab) -> None:
    job = wide.submit(params={"lr": [0.1, 0.2, 0.3, 0.4]}, parallel=1)
    wide.trains(job, 1)
    assert wide.server.post(f"/jobs/{job}/resize", {"gpus": 2})["tasks"] == [f"{job}-1"]
    wide.trains(job, 2)
    assert wide.server.post(f"/jobs/{job}/resize", {"gpus": 2})["tasks"] == []
    assert "the job allows 1 to 2" in str(wide.server.post(f"/jobs/{job}/resize", {"gpus": 3}, 422)["error"]["message"])


def test_what_cannot_be_resized_is_refused_with_a_reason(narrow: Lab) -> None:
    job = narrow.submit()
    narrow.trains(job, 1)
    server = narrow.server

    def refused(job: str, gpus: int, status: int = 422) -> str:
        return str(server.post(f"/tasks/{job}-1/resize", {"gpus": gpus}, status)["error"]["message"])

    assert "the job allows 1 to 2" in refused(job, 3)
    narrow.finish(job)
    assert "has ended" in refused(job, 2, 409)
    fixed = server.submit("import time; time.sleep(600)", resources={"gpus": 1})
    assert "submit the job with a range" in refused(fixed, 2)
    forgetful = server.submit("import time; time.sleep(600)", resources=RANGE)
    assert "PADDOCK_CHECKPOINT_DIR" in refused(forgetful, 2)
    too_wide = {"spec": {"script": "train.py", "resources": {"gpus": "1..3"}}, "files": {"train.py": TRAINS}}
    answer = server.post("/jobs", too_wide, 422)["error"]["message"]
    assert "asks for 3 GPUs" in answer

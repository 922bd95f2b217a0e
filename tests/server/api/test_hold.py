"""Test hold, release and limits over REST, and where tasks run or wait."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.support.server import ServerProcess, wait_for

# Runs until it may end.
PATIENT = """
import os, time
print("ready", flush=True)
while not os.path.exists(os.environ["PADDOCK_PARAM_GO"]):
    time.sleep(0.05)
"""


@pytest.fixture
def go(tmp_path: Path) -> Iterator[Path]:
    """The file that lets all of them end; at the latest when the test is over."""
    path = tmp_path / "go"
    yield path
    path.touch()


def submit(server: ServerProcess, go: Path, tasks: int, **spec: Any) -> str:
    params = {"go": str(go), "n": list(range(tasks))}
    return server.submit(PATIENT, params=params, **spec)


def counts(server: ServerProcess, job: str) -> tuple[int, int, int]:
    found = server.get(f"/jobs/{job}")["counts"]
    return found["submitted"], found["running"], found["finished"]


def control(server: ServerProcess, job: str) -> list[dict[str, Any]]:
    path = server.home.job(job).control
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


class TestHold:
    def test_a_held_job_begins_no_further_task_until_it_is_released(self, server: ServerProcess, go: Path) -> None:
        job = submit(server, go, 5)
        wait_for(lambda: counts(server, job) == (3, 2, 0), what="two to run")
        held = server.post(f"/jobs/{job}/hold")
        assert (held["id"], held["held"]) == (job, True)
        assert held["waits"]["reason"].startswith("held")
        wait_for(lambda: control(server, job), what="the runners to be told")
        go.touch()
        wait_for(lambda: counts(server, job) == (3, 0, 2), what="those that ran to finish")
        # The runners leave when they have nothing to do: the place is free for others.
        other = server.submit("print(1)")
        assert server.wait(other)[0]["state"] == "finished"
        assert counts(server, job) == (3, 0, 2)
        assert server.get("/jobs", q=job)["items"][0]["held"]
        released = server.post(f"/jobs/{job}/release")
        assert (released["held"], released["waits"]) == (False, None)
        assert [task["state"] for task in server.wait(job)] == ["finished"] * 5
        assert control(server, job) == [{"op": "hold"}, {"op": "release"}]

    def test_twice_is_the_same_as_once(self, server: ServerProcess, go: Path) -> None:
        job = submit(server, go, 1)
        for _ in range(2):
            assert server.post(f"/jobs/{job}/hold")["held"]
        for _ in range(2):
            assert not server.post(f"/jobs/{job}/release")["held"]
        go.touch()
        assert server.wait(job)[0]["state"] == "finished"

    def test_what_is_held_can_be_stopped(self, server: ServerProcess, go: Path) -> None:
        job = submit(server, go, 4)
        server.post(f"/jobs/{job}/hold")
        server.post(f"/jobs/{job}/stop")
        assert {task["state"] for task in server.wait(job)} == {"stopped"}
        assert server.get(f"/jobs/{job}")["waits"] is None

    def test_one_that_waits_for_others_can_be_held(self, server: ServerProcess, go: Path) -> None:
        first = submit(server, go, 2)
        wait_for(lambda: counts(server, first) == (0, 2, 0), what="the machine to be full")
        job = server.submit("print(1)")
        wait_for(lambda: server.get(f"/jobs/{job}")["waits"], what="why it waits")
        assert server.get(f"/jobs/{job}")["waits"]["reason"].endswith("when tasks that run there have ended")
        assert server.task(job)["allocation"] is None
        server.post(f"/jobs/{job}/hold")
        wait_for(lambda: control(server, job), what="the order")
        go.touch()
        server.wait(first)
        third = server.submit("print(1)")
        server.wait(third)  # came later, and has been
        assert server.task(job)["state"] == "submitted"
        server.post(f"/jobs/{job}/release")
        assert server.wait(job)[0]["state"] == "finished"

    def test_an_ended_job(self, server: ServerProcess) -> None:
        job = server.submit("print(1)")
        server.wait(job)
        assert server.post(f"/jobs/{job}/hold")["ended"]
        server.post(f"/jobs/{job}/restart")
        assert server.get(f"/jobs/{job}")["waits"]["reason"].startswith("held")
        server.post(f"/jobs/{job}/release")
        assert server.wait(job)[0]["state"] == "finished"

    def test_is_told_to_those_who_follow(self, server: ServerProcess, go: Path) -> None:
        job = submit(server, go, 1)
        server.post(f"/jobs/{job}/hold")
        server.post(f"/jobs/{job}/release")
        server.post(f"/jobs/{job}/limits", {"nice": 1})
        headers = {"Last-Event-ID": "0"}
        changes: list[str] = []
        with server.client.stream("GET", "/events", params={"job": job}, headers=headers) as answer:
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    changes.append(json.loads(line[6:]).get("data", {}).get("change", ""))
                if "limits" in changes:
                    break
        assert [one for one in changes if one in ("held", "released", "limits")] == ["held", "released", "limits"]

    @pytest.mark.parametrize("action", ["hold", "release"])
    def test_an_unknown_job(self, server: ServerProcess, action: str) -> None:
        assert server.client.post(f"/jobs/nope/{action}").status_code == 404


class TestLimits:
    def test_are_those_of_the_job_from_then_on(self, server: ServerProcess) -> None:
        job = server.submit("print(1)", resources={"time_limit": "1h"})
        assert server.get(f"/jobs/{job}")["spec"]["resources"]["time_limit"] == 3600
        changed = server.post(f"/jobs/{job}/limits", {"time_limit": "2h"})["spec"]["resources"]
        assert (changed["time_limit"], changed["slurm"]["nice"]) == (7200, None)
        changed = server.post(f"/jobs/{job}/limits", {"nice": 10})["spec"]["resources"]
        assert (changed["time_limit"], changed["slurm"]["nice"]) == (7200, 10)
        assert server.wait(job)[0]["state"] == "finished"

    def test_a_priority_is_given_and_changed(self, server: ServerProcess) -> None:
        job = server.submit("print(1)", priority=3)
        found = server.get(f"/jobs/{job}")
        assert (found["priority"], found["spec"]["priority"]) == (3, 3)
        changed = server.post(f"/jobs/{job}/limits", {"priority": -7})
        assert (changed["priority"], changed["spec"]["priority"]) == (-7, -7)
        assert server.get("/jobs", q=job)["items"][0]["priority"] == -7
        assert server.wait(job)[0]["state"] == "finished"

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({}, "time_limit"),
            ({"time_limit": None}, "time_limit"),
            ({"time_limit": "60"}, "time_limit"),
            ({"time_limit": 59}, "time_limit"),
            ({"time_limit": "9" * 400 + "h"}, "time_limit"),
            ({"nice": -1}, "nice"),
            ({"priority": 101}, "priority"),
            ({"gpus": 1}, "gpus"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, server: ServerProcess, body: dict[str, Any], field: str) -> None:
        job = server.submit("print(1)")
        answer = server.client.post(f"/jobs/{job}/limits", json=body)
        assert answer.status_code == 422
        assert field in answer.json()["error"]["fields"]
        assert server.client.post("/jobs/nope/limits", json={"nice": 1}).status_code == 404
        server.wait(job)


class TestPreview:
    BODY: ClassVar[dict[str, Any]] = {
        "spec": {"params": {"n": list(range(7))}, "convention": "env"},
        "files": {"train.py": "print(1)"},
    }

    def test_says_where_and_how_many_allocations(self, server: ServerProcess) -> None:
        preview = server.post("/jobs/preview", self.BODY)
        assert (preview["count"], preview["allocations"]) == (7, 2)  # as many as the machine has slots
        assert (preview["backend"], preview["batch_script"], preview["check"]) == ("local", None, None)
        assert preview["spec"]["resources"]["backend"] == "local"
        one = {**self.BODY, "spec": {"params": {"n": 1}, "convention": "env"}}
        assert server.post("/jobs/preview", one)["allocations"] == 1
        narrow = {**self.BODY, "spec": {"params": {"n": [1, 2, 3]}, "parallel": 1, "convention": "env"}}
        assert server.post("/jobs/preview", narrow)["allocations"] == 1

    def test_asks_the_backend_when_it_is_told_to(self, server: ServerProcess) -> None:
        before = server.get("/jobs")["total"]
        check = server.post("/jobs/preview?check=true", self.BODY)["check"]
        assert check["accepted"]
        assert "this node" in check["message"]
        assert server.get("/jobs")["total"] == before


class TestAllocation:
    def test_where_a_task_runs_and_ran(self, server: ServerProcess, go: Path) -> None:
        job = submit(server, go, 1)
        server.wait_state(job, "running")
        shown = wait_for(lambda: _running(server, job), what="the allocation to run")
        assert (shown["backend"], shown["key"], shown["backend_id"]) == ("local", f"{job}-a1.0", f"{job}-a1.0")
        assert shown["node"] == server.task(job)["node"]
        assert (shown["script"], shown["ended_at"], shown["cause"]) == (None, None, None)
        assert server.task(job)["attempts"][0]["allocation"] == f"{job}-a1.0"
        go.touch()
        server.wait(job)
        wait_for(lambda: server.task(job)["allocation"]["state"] == "ended", what="its end")
        assert server.task(job)["allocation"]["ended_at"] is not None

    def test_one_that_never_started_has_none(self, server: ServerProcess, go: Path) -> None:
        job = submit(server, go, 3, parallel=1)
        server.post(f"/jobs/{job}/stop", {"tasks": ["3"]})
        assert server.wait_state(job, "stopped", 3)["allocation"] is None
        go.touch()
        server.wait(job)

    def test_nodes_tell_their_cpu_slots(self, server: ServerProcess) -> None:
        [node] = server.get("/nodes")
        assert (node["cpu_slots"], node["usable"], node["partitions"]) == (2, True, [])


def _running(server: ServerProcess, job: str) -> dict[str, Any] | None:
    shown: dict[str, Any] | None = server.task(job)["allocation"]
    return shown if shown and shown["state"] == "running" else None

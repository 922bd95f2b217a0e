"""Test plans by the API: what is known of tasks, what is refused, and that nothing is stored."""

from typing import Any

import pytest

from tests.support.server import ServerProcess


def job(**spec: Any) -> dict[str, Any]:
    more: dict[str, Any] = {name: spec.pop(name) for name in ("task_seconds", "after", "files") if name in spec}
    return {"spec": {"command": "sleep {lr}", "params": {"lr": [1, 2]}, "resources": {"gpus": 1}, **spec}, **more}


def test_made_nodes(server: ServerProcess) -> None:
    before = server.client.get("/jobs").json()
    asked = {
        "jobs": [job(task_seconds=600, name="a"), job(task_seconds=60, name="b")],
        "nodes": {"count": 1, "gpus": 2},
    }
    found = server.client.post("/plan", json=asked).json()
    assert [(one["name"], one["tasks"], one["ended"], one["known"]) for one in found["jobs"]] == [
        ("a", 2, 2, 0),
        ("b", 2, 2, 0),
    ]
    assert (found["complete"], found["kind"], found["slots"]) == (True, "gpu", 2)
    assert any("empty cluster" in text for text in found["warnings"])
    assert server.client.get("/jobs").json() == before


def test_what_is_not_known_must_be_given(server: ServerProcess) -> None:
    answer = server.client.post("/plan", json={"jobs": [job()], "nodes": {"count": 1, "gpus": 2}})
    assert answer.status_code == 422
    assert "jobs.0.task_seconds" in answer.json()["error"]["fields"]


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"jobs": [job(task_seconds=1, resources={"gpus": 3})], "nodes": {"count": 9, "gpus": 2}}, "resources.gpus"),
        ({"jobs": [job(task_seconds=1)], "backend": "elsewhere"}, "backend"),
        ({"jobs": []}, "jobs"),
        ({"jobs": [job(task_seconds=1)], "nodes": {"count": 100_000, "gpus": 2}}, "nodes.count"),
    ],
)
def test_what_is_refused(server: ServerProcess, asked: dict[str, Any], field: str) -> None:
    answer = server.client.post("/plan", json=asked)
    assert answer.status_code == 422
    assert field in answer.json()["error"]["fields"]


def test_too_many_tasks(server: ServerProcess) -> None:
    asked = {"jobs": [job(task_seconds=1, params={"lr": list(range(3000))})] * 2, "nodes": {"count": 1, "gpus": 2}}
    answer = server.client.post("/plan", json=asked)
    assert answer.status_code == 422
    assert "5,000" in answer.json()["error"]["message"]

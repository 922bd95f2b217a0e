"""Test the load of the server's machine over REST."""

from typing import Any

from paddock.server.api.replies import SMALL
from tests.support.server import ServerProcess, wait_for

BUSY = """
import time
until = time.time() + 300
print("epoch 1 val_loss: 1", flush=True)
while time.time() < until:
    sum(range(10_000))
"""


def test_a_task_and_its_node(server: ServerProcess) -> None:
    job = server.submit(BUSY, name="busy", resources={"gpus": 0})
    task = f"{job}-1"
    server.wait_state(job, "running")

    def measured() -> dict[str, Any] | None:
        found = [one for one in server.get("/load")["jobs"] if one["job"] == job and one["memory"]]
        return found[0] if found else None

    mine = wait_for(measured, what="its measurements")
    assert (mine["name"], mine["tasks"], mine["gpus"], mine["advice"]) == ("busy", 1, 0, [])
    assert mine["cores"] > 0

    def placed() -> dict[str, Any] | None:
        """Machines are looked at every few seconds: until then a slot is still another's, who has just left it."""
        report: dict[str, Any] = server.get("/load")
        on = [device["tasks"] for node in report["nodes"] for device in node["devices"] if task in device["tasks"]]
        return report if on == [[task]] else None

    report = wait_for(placed, what="the task on its device")
    [node] = report["nodes"]
    assert 0 <= node["cpus_busy"] <= node["cpus"]
    assert node["cpus_busy"] == node["cpus_used"]
    assert 0 < node["memory_used"] < node["memory"]
    assert task in node["tasks"]
    assert [user["user"] for user in report["users"]] == [server.get(f"/jobs/{job}")["owner"]]
    assert [one["name"] for one in server.get("/nodes")] == [node["name"]]
    server.post(f"/jobs/{job}/stop")
    server.wait(job)
    assert job not in [one["job"] for one in server.get("/load")["jobs"]]


def test_how_it_was_before(server: ServerProcess) -> None:
    name = server.get("/nodes")[0]["name"]
    series, *_ = wait_for(lambda: server.get("/load/history", node=name, minutes=5), what="the first row")
    assert (series["node"], series["backend"], series["device"]) == (name, "local", None)
    assert len(series["times"]) == len(series["load"]) == len(series["memory"]) >= 1
    assert series["memory"][-1] > 0
    assert (series["temperature"], series["power"]) == ([], []), "not those of a node"
    assert server.get("/load/history", node="nowhere") == []
    assert server.get("/load/history", backend="nowhere") == []
    assert server.client.get("/load/history", params={"minutes": 0}).status_code == 422


def test_what_may_be_large_is_compressed_for_those_who_take_it(server: ServerProcess) -> None:
    wait_for(lambda: server.get("/nodes"), what="the first look")
    for accepted in ("gzip", "identity"):
        found = server.client.get("/load", headers={"Accept-Encoding": accepted})
        large = accepted == "gzip" and len(found.content) > SMALL
        assert found.headers.get("content-encoding") == ("gzip" if large else None)
        assert found.headers["vary"] == "Accept-Encoding"
        assert found.json()["nodes"]
    assert "content-encoding" not in server.client.get("/jobs").headers


def test_without_accounts_layouts_are_the_owners(server: ServerProcess) -> None:
    tiles = [{"kind": "cores", "backend": None, "node": None, "device": None, "x": 0, "y": 0, "w": 2, "h": 2}]
    assert server.client.put("/me/layouts/hosts", json={"tiles": tiles}).json() == {"tiles": tiles}
    assert server.get("/me/layouts/hosts") == {"tiles": tiles}

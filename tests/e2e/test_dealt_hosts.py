"""Hosts over ssh without a common file system, through a real server and real sshd: tasks are dealt to them."""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.server import ServerProcess, running, wait_for
from tests.support.sshd import NEEDS_SSHD, SshRig, ssh_hosts

pytestmark = NEEDS_SSHD
SETTINGS = """\
backend = "lab"
[backends.lab]
kind = "hosts"
hosts = ["gpu1", "gpu2"]
ssh = {ssh}
folder = {folder}
slots = 2
look_seconds = 0.5
python = {python}
"""
SCRIPT = """\
import os, time
open(os.environ["ran"], "a").write(os.environ["PADDOCK_TASK"] + " " + os.environ["PADDOCK_ATTEMPT"] + "\\n")
state = os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "epoch")
first = int(open(state).read()) if os.path.exists(state) else 0
for epoch in range(first, int(os.environ.get("epochs", 3))):
    print(f"epoch {epoch} loss {1 / (epoch + 1)}", flush=True)
    open(state, "w").write(str(epoch + 1))
    time.sleep(float(os.environ["pause"]))
print("began at", first)
"""


@pytest.fixture(scope="module")
def ssh() -> Iterator[SshRig]:
    with ssh_hosts(2) as made:
        yield made


@pytest.fixture(scope="module")
def shared(ssh: SshRig, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    home = tmp_path_factory.mktemp("hosts") / "home"
    home.mkdir(mode=0o700)
    folder = json.dumps(str(home.parent / "{host}"))
    text = SETTINGS.format(ssh=json.dumps(ssh.ssh), python=json.dumps(sys.executable), folder=folder)
    (home / "settings.toml").write_text(text)
    waits = {"backends.hosts.machine.SILENT_SECONDS": 2.0}
    with running(home, runner__grace_seconds=1, runner__silence_seconds=3, waits=waits) as server:
        wait_for(lambda: {"gpu1", "gpu2"} <= {node["name"] for node in server.get("/nodes") if node["usable"]})
        yield server


@pytest.fixture
def server(shared: ServerProcess, ssh: SshRig) -> Iterator[ServerProcess]:
    with ExitStack() as stack:
        for host in ssh.hosts.values():
            stack.callback(host.resume)
        yield shared
    shared.remove_jobs()


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    return tmp_path / "ran"


def submit(server: ServerProcess, ran: Path, *pauses: float, **more: Any) -> str:
    environment = {"variables": {"ran": str(ran), "epochs": str(more.pop("epochs", 3))}}
    return server.submit(SCRIPT, params={"pause": {"values": list(pauses)}}, environment=environment, **more)


def attempts(server: ServerProcess, task: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = server.get(f"/tasks/{task}/attempts")
    return found


def states(server: ServerProcess, job: str) -> list[str]:
    return [task["state"] for task in server.tasks(job)]


def once(ran: Path) -> Counter[str]:
    """Return what was begun; nothing may have been begun twice."""
    found = Counter(ran.read_text().splitlines())
    assert set(found.values()) == {1}, found
    return found


def test_a_sweep_with_the_server_killed_in_the_middle(server: ServerProcess, ran: Path) -> None:
    job = submit(server, ran, *(0.1 + number / 1000 for number in range(20)))
    wait_for(lambda: states(server, job).count("finished") >= 3)
    server.kill()
    server.start()
    done = server.wait(job)
    assert {task["state"] for task in done} == {"finished"}
    assert len(once(ran)) == 20
    nodes = Counter(attempts(server, task["id"])[0]["node"] for task in done)
    assert set(nodes) == {"gpu1", "gpu2"}
    assert min(nodes.values()) >= 5, "both have had their share"
    log = server.client.get(f"/tasks/{job}-1/log").text
    assert "began at 0" in log
    assert all(task["best_value"] == pytest.approx(1 / 3) for task in done), "all of each curve has come back"


def test_stopped_before_and_while_it_runs(server: ServerProcess, ran: Path) -> None:
    job = submit(server, ran, *(60 + number for number in range(8)))
    wait_for(lambda: states(server, job).count("running") == 4)
    server.post(f"/jobs/{job}/stop")
    assert {task["state"] for task in server.wait(job)} == {"stopped"}
    assert len(once(ran)) <= 6


def test_a_resumed_task_goes_on_where_its_checkpoint_is(server: ServerProcess, ran: Path) -> None:
    job = submit(server, ran, 30, 31)
    wait_for(lambda: states(server, job) == ["running"] * 2)
    wait_for(lambda: len(ran.read_text().splitlines()) == 2)
    nodes = {task: attempts(server, f"{job}-{task}")[0]["node"] for task in (1, 2)}
    wait_for(lambda: all("epoch 0" in server.client.get(f"/tasks/{job}-{task}/log").text for task in (1, 2)))
    server.post(f"/jobs/{job}/stop")
    server.wait(job)
    server.post(f"/jobs/{job}/restart", {"resume": True})
    wait_for(lambda: states(server, job) == ["running"] * 2)
    for task, node in nodes.items():
        assert [one["node"] for one in attempts(server, f"{job}-{task}")] == [node, node]
        wait_for(lambda task=task: "epoch 1" in server.client.get(f"/tasks/{job}-{task}/log").text)  # type: ignore[misc]
        assert "epoch 0" not in server.client.get(f"/tasks/{job}-{task}/log").text
    server.post(f"/jobs/{job}/stop")
    server.wait(job)


def test_a_search(server: ServerProcess, ran: Path) -> None:
    job = server.submit(
        SCRIPT,
        params={"pause": {"low": 0.01, "high": 0.1}},
        environment={"variables": {"ran": str(ran)}},
        search={"method": "tpe", "trials": 8},
        objective={"metric": "loss", "goal": "min"},
        parallel=3,
    )
    done = server.wait(job)
    assert [task["state"] for task in done] == ["finished"] * 8
    assert len(once(ran)) == 8


def test_a_silent_host_keeps_what_it_was_dealt_and_a_lost_one_does_not(
    server: ServerProcess, ssh: SshRig, ran: Path
) -> None:
    job = submit(server, ran, *(3 + number / 1000 for number in range(8)), retries={"node_failure": 2})
    wait_for(lambda: states(server, job).count("running") == 4)
    ssh["gpu1"].stop()
    wait_for(lambda: {one["name"]: one["state"] for one in server.get("/hosts")}["gpu1"] == "silent")
    ssh["gpu1"].resume()
    done = server.wait(job)
    assert {task["state"] for task in done} == {"finished"}
    assert len(once(ran)) == 8, "silence is no reason to begin anything again"

    ran.unlink()
    job = submit(server, ran, *(5 + number / 1000 for number in range(6)), retries={"node_failure": 2})
    wait_for(lambda: states(server, job).count("running") == 4)
    on_gpu1 = {task["id"] for task in server.tasks(job) if attempts(server, task["id"])[-1]["node"] == "gpu1"}
    assert on_gpu1
    ssh["gpu1"].stop()
    wait_for(lambda: {one["name"]: one["state"] for one in server.get("/hosts")}["gpu1"] == "silent")
    server.post("/hosts/gpu1/lost")
    done = server.wait(job)
    ssh["gpu1"].resume()
    assert {task["state"] for task in done} == {"finished"}
    once(ran)
    for task in on_gpu1:
        found = attempts(server, task)
        assert [one["node"] for one in found] == ["gpu1", "gpu2"]
        assert found[0]["cause"] == "node_failure"
    wait_for(lambda: {one["name"]: one["state"] for one in server.get("/hosts")}["gpu1"] == "up")


def test_what_needs_one_host_says_so(server: ServerProcess, ran: Path) -> None:
    given: dict[str, Any] = {"params": {"pause": {"values": [0.01]}}, "environment": {"variables": {"ran": str(ran)}}}
    with pytest.raises(
        AssertionError, match="needs hosts with a shared home, or one host: name it, such as --host gpu1"
    ):
        server.submit(SCRIPT, reduce="ls", **given)
    job = server.submit(SCRIPT, reduce="ls", resources={"hosts": {"only": ["gpu2"]}}, **given)
    done = server.wait(job)
    assert [task["state"] for task in done] == ["finished"] * 2
    assert {attempts(server, task["id"])[0]["node"] for task in done} == {"gpu2"}


def test_a_population_on_one_host(server: ServerProcess, ran: Path) -> None:
    job = server.submit(
        SCRIPT,
        params={"pause": {"low": 0.05, "high": 0.1}},
        environment={"variables": {"ran": str(ran), "epochs": "6"}},
        search={"method": "pbt", "trials": 4, "interval": 2},
        objective={"metric": "loss", "goal": "min"},
        resources={"hosts": {"only": ["gpu1"]}},
    )
    done = server.wait(job)
    assert {task["state"] for task in done} == {"finished"}
    once(ran)
    assert {one["node"] for task in done for one in attempts(server, task["id"])} == {"gpu1"}

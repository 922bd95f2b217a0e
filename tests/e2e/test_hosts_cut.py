"""Hosts without a common file system in trouble: ssh that is cut, a silent host, a lost one, a killed server."""

import json
import sys
from collections.abc import Iterator
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
hosts = ["gpu[1-3]"]
ssh = {ssh}
slots = 2
look_seconds = 0.5
python = {python}
folder = {folder}
"""
SCRIPT = """\
import os, time
for epoch in range(3):
    print(f"epoch {epoch} loss {1 / (epoch + 1)}", flush=True)
    time.sleep(float(os.environ["pause"]))
open("result.txt", "w").write(os.environ["pause"])
"""


@pytest.fixture(scope="module")
def ssh() -> Iterator[SshRig]:
    with ssh_hosts(3) as made:
        yield made


@pytest.fixture(scope="module")
def shared(ssh: SshRig, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("apart")
    home = folder / "home"
    home.mkdir(mode=0o700)
    given = {"ssh": ssh.ssh, "python": sys.executable, "folder": f"{folder}/far/{{host}}"}
    (home / "settings.toml").write_text(SETTINGS.format(**{name: json.dumps(one) for name, one in given.items()}))
    waits = {"backends.hosts.machine.SILENT_SECONDS": 2.0}
    with running(home, runner__grace_seconds=1, runner__silence_seconds=3, waits=waits) as server:
        wait_for(lambda: {node["name"] for node in server.get("/nodes") if node["usable"]} >= set(ssh.names))
        yield server


@pytest.fixture
def server(shared: ServerProcess, ssh: SshRig) -> Iterator[ServerProcess]:
    yield shared
    for host in ssh.hosts.values():
        host.resume()
    shared.remove_jobs()


def attempts(server: ServerProcess, task: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = server.get(f"/tasks/{task}/attempts")
    return found


def nodes(server: ServerProcess, job: str) -> list[str]:
    return [attempts(server, task["id"])[-1]["node"] for task in server.tasks(job)]


def test_a_sweep_runs_on_all_hosts_and_its_files_stay_there(server: ServerProcess) -> None:
    values = [round(0.1 + number / 100, 2) for number in range(12)]
    job = server.submit(SCRIPT, params={"pause": {"values": values}})
    done = server.wait(job)
    assert [task["state"] for task in done] == ["finished"] * 12
    assert set(nodes(server, job)) == {"gpu1", "gpu2", "gpu3"}
    far = server.home.root.parent / "far"
    for task in done:
        [attempt] = attempts(server, task["id"])
        assert "epoch 2" in server.client.get(f"/tasks/{task['id']}/log").text
        there = {
            path.relative_to(far).parts[0] for path in far.glob(f"*/jobs/{job}/tasks/{task['number']}*/**/out.log")
        }
        assert there <= {attempt["node"]}
    assert {path.relative_to(far).parts[0] for path in far.rglob("result.txt")} == {"gpu1", "gpu2", "gpu3"}
    assert not list(server.home.job(job).root.rglob("result.txt"))


def test_ssh_that_is_cut_in_the_middle_loses_nothing_and_doubles_nothing(server: ServerProcess, ssh: SshRig) -> None:
    job = server.submit(SCRIPT, params={"pause": {"values": [round(0.5 + number / 100, 2) for number in range(12)]}})
    wait_for(lambda: sum(task["state"] == "running" for task in server.tasks(job)) >= 4)
    for host in ssh.hosts.values():
        host.cut()
    ssh["gpu2"].stop()
    wait_for(lambda: [one["state"] for one in server.get("/hosts")] == ["up", "silent", "up"])
    ssh["gpu2"].resume()
    done = server.wait(job)
    assert [task["state"] for task in done] == ["finished"] * 12
    assert [len(attempts(server, task["id"])) for task in done] == [1] * 12


def test_what_a_lost_host_had_runs_elsewhere(server: ServerProcess, ssh: SshRig) -> None:
    job = server.submit(SCRIPT, params={"pause": {"values": [15.0]}}, retries={"node_failure": 1})
    wait_for(lambda: server.task(job)["state"] == "running")
    [host] = wait_for(lambda: [name for name in nodes(server, job) if name])
    ssh[host].stop()
    wait_for(lambda: {one["name"]: one["state"] for one in server.get("/hosts")}[host] == "silent")
    server.post(f"/hosts/{host}/lost")
    wait_for(lambda: nodes(server, job)[0] not in (None, host))
    first, _ = attempts(server, f"{job}-1")
    assert first["cause"] == "node_failure"
    ssh[host].resume()
    wait_for(lambda: {one["name"]: one["state"] for one in server.get("/hosts")}[host] == "up")
    server.post(f"/jobs/{job}/stop")
    server.wait(job)


def test_a_restarted_server_finds_what_was_dealt(server: ServerProcess, tmp_path: Path) -> None:
    job = server.submit(SCRIPT, params={"pause": {"values": [round(0.6 + number / 100, 2) for number in range(10)]}})
    wait_for(lambda: sum(task["state"] == "running" for task in server.tasks(job)) >= 4)
    server.kill()
    server.start()
    done = server.wait(job)
    assert [task["state"] for task in done] == ["finished"] * 10
    assert [len(attempts(server, task["id"])) for task in done] == [1] * 10

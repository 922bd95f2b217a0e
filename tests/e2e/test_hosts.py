"""Hosts over ssh, through a real server and real sshd: sweeps with a shared home, hosts that come and go."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
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
shared_home = true
slots = 2
look_seconds = 0.5
python = {python}
"""
SCRIPT = """\
import os, time
for epoch in range(3):
    print(f"epoch {epoch} loss {1 / (epoch + 1)}", flush=True)
    time.sleep(float(os.environ["pause"]))
"""


@pytest.fixture(scope="module")
def ssh() -> Iterator[SshRig]:
    with ssh_hosts(3, gpus=1) as made:
        yield made


@pytest.fixture(scope="module")
def shared(ssh: SshRig, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    home = tmp_path_factory.mktemp("hosts") / "home"
    home.mkdir(mode=0o700)
    text = SETTINGS.format(ssh=json.dumps(ssh.ssh), python=json.dumps(sys.executable))
    (home / "settings.toml").write_text(text)
    waits = {"backends.hosts.machine.SILENT_SECONDS": 2.0}
    with running(home, runner__grace_seconds=1, runner__silence_seconds=3, waits=waits) as server:
        wait_for(lambda: states(server) == {"gpu1": "up", "gpu2": "up"})
        wait_for(lambda: {"gpu1", "gpu2"} <= {node["name"] for node in server.get("/nodes") if node["usable"]})
        yield server


@pytest.fixture
def server(shared: ServerProcess, ssh: SshRig) -> Iterator[ServerProcess]:
    with ExitStack() as stack:
        for host in ssh.hosts.values():
            stack.callback(host.resume)
        yield shared
    shared.remove_jobs()


def states(server: ServerProcess) -> dict[str, str]:
    return {one["name"]: one["state"] for one in server.get("/hosts")}


def paddock(server: ServerProcess, *words: str) -> Any:
    """Run a command; its code, standard output and standard error."""
    argv = [sys.executable, "-m", "paddock", "--home", str(server.home.root), *words]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def attempts(server: ServerProcess, task: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = server.get(f"/tasks/{task}/attempts")
    return found


def test_a_sweep_runs_on_all_hosts_on_devices_that_were_found(server: ServerProcess) -> None:
    nodes = {node["name"]: node for node in server.get("/nodes")}
    assert [len(nodes[name]["devices"]) for name in ("gpu1", "gpu2")] == [3, 3]
    job = server.submit(SCRIPT, params={"pause": {"values": [0.1, 0.2, 0.3, 0.4]}})
    done = server.wait(job)
    assert [task["state"] for task in done] == ["finished"] * 4
    assert {attempts(server, task["id"])[0]["node"] for task in done} == {"gpu1", "gpu2"}
    slots = server.submit(SCRIPT, params={"pause": {"values": [0.1, 0.2]}}, resources={"gpus": 0})
    assert [task["state"] for task in server.wait(slots)] == ["finished"] * 2


def test_a_silent_host_keeps_its_task_until_it_is_declared_lost(server: ServerProcess, ssh: SshRig) -> None:
    job = server.submit(SCRIPT, params={"pause": {"values": [30]}}, retries={"node_failure": 1})
    wait_for(lambda: server.task(job)["state"] == "running")
    host = wait_for(lambda: attempts(server, f"{job}-1")[0]["node"])
    code, _, error = paddock(server, "hosts", "lost", host, "--yes")
    assert code and f"{host} answers, so nothing on it is lost" in error
    ssh[host].stop()
    wait_for(lambda: states(server)[host] == "silent")
    assert server.task(job)["state"] == "running"
    [reason] = [one["reason"] for one in server.get("/hosts") if one["name"] == host]
    assert reason.startswith(f"{host} has not answered since ")
    code, output, _ = paddock(server, "hosts", "lost", host, "--yes")
    assert (code, output) == (0, f"{host}: lost\n")

    def elsewhere() -> bool:
        found = attempts(server, f"{job}-1")
        return len(found) == 2 and found[-1]["node"] not in (None, host)

    wait_for(elsewhere)
    assert attempts(server, f"{job}-1")[0]["cause"] == "node_failure"
    ssh[host].resume()
    wait_for(lambda: states(server)[host] == "up")
    server.post(f"/jobs/{job}/stop")
    server.wait(job)


def test_a_host_is_added_with_its_fingerprint_and_forgotten(server: ServerProcess, ssh: SshRig) -> None:
    code, _, error = paddock(server, "hosts", "add", "gpu3", "--fingerprint", "SHA256:nope")
    assert code and "gpu3 answers with other keys" in error
    [key] = server.post("/hosts/keys", {"name": "gpu3"})
    printed = subprocess.run(
        ["ssh-keygen", "-lf", str(ssh.folder / "host_key.pub")], capture_output=True, text=True, check=True
    ).stdout
    assert key["fingerprint"] in printed
    assert key["known"] == "yes", "the rig's own known_hosts has it"
    code, output, _ = paddock(server, "hosts", "add", "gpu3", "--fingerprint", key["fingerprint"])
    assert (code, output) == (0, "added: gpu3\n")
    assert (server.home.root / "known_hosts").read_text() == key["line"] + "\n"
    wait_for(lambda: states(server).get("gpu3") == "up")
    assert "already" in paddock(server, "hosts", "add", "gpu3")[2]
    code, output, _ = paddock(server, "hosts", "ls")
    assert "gpu3" in output and "0 of 1 in use" in output
    assert paddock(server, "hosts", "forget", "gpu3")[:2] == (0, "gpu3: forgotten\n")
    assert "gpu3" not in states(server)
    assert "gpu1 is in the settings (backends.lab.hosts)" in paddock(server, "hosts", "forget", "gpu1")[2]
    assert paddock(server, "hosts", "forget", "gpu7")[0] == 3


def test_doctor_asks_each_host(server: ServerProcess, ssh: SshRig) -> None:
    ssh["gpu2"].kill()
    try:
        _, output, _ = paddock(server, "doctor", "--backend", "lab", "--json")
    finally:
        ssh["gpu2"].start()
    found = {one["name"]: one for one in json.loads(output)}
    assert found["host gpu1"]["status"] == "ok", found["host gpu1"]
    assert "GPUs: 1 (" in found["host gpu1"]["detail"]
    assert found["host gpu2"]["status"] == "error"
    assert "gpu2" in found["host gpu2"]["detail"]
    assert "gpu2 " in found["host gpu2"]["fix"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"name": "gpu3; id"}, "is not the name of a host"),
        ({"name": "-oProxyCommand=id"}, "is not the name of a host"),
        ({"name": "gpu3", "backend": "nope"}, "there is no backend 'nope' of kind hosts; there are: lab"),
        ({"name": "gpu3", "keys": ["@cert-authority * ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA=="]}, "is not a key of"),
        ({"name": "gpu3", "keys": ["* ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA=="]}, "is not a key of gpu3"),
        ({"name": "gpu[1-999]"}, "up to 32 hosts"),
    ],
)
def test_what_is_wrong_is_refused(server: ServerProcess, body: dict[str, Any], message: str) -> None:
    answer = server.client.post("/hosts", json=body)
    assert answer.status_code == 422
    assert message in answer.text
    assert not (server.home.root / "known_hosts").exists() or "*" not in (server.home.root / "known_hosts").read_text()


def test_a_restarted_server_finds_what_runs_on_hosts(server: ServerProcess) -> None:
    job = server.submit(SCRIPT, params={"pause": {"values": [3.0, 3.1]}})
    wait_for(lambda: "running" in [task["state"] for task in server.tasks(job)])
    server.kill()
    server.start()
    done = server.wait(job)
    assert [task["state"] for task in done] == ["finished"] * 2
    assert [len(attempts(server, task["id"])) for task in done] == [1, 1]

"""Hosts without a common file system, through a real server and real sshd: what tasks write there is read from here."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.test_hosts import attempts, paddock, states
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
import os
print(f"epoch 0 loss {os.environ['lr']}", flush=True)
with open("result.txt", "w") as file:
    file.write(os.environ["lr"])
"""


@pytest.fixture(scope="module")
def ssh() -> Iterator[SshRig]:
    with ssh_hosts(2) as made:
        yield made


@pytest.fixture(scope="module")
def server(ssh: SshRig, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    place = tmp_path_factory.mktemp("apart")
    home = place / "home"
    home.mkdir(mode=0o700)
    given = {"ssh": ssh.ssh, "folder": f"{place}/{{host}}", "python": sys.executable}
    (home / "settings.toml").write_text(SETTINGS.format(**{name: json.dumps(one) for name, one in given.items()}))
    with running(home, runner__grace_seconds=1, runner__silence_seconds=3) as made:
        wait_for(lambda: states(made) == {"gpu1": "up", "gpu2": "up"})
        wait_for(lambda: {"gpu1", "gpu2"} <= {node["name"] for node in made.get("/nodes") if node["usable"]})
        yield made
        made.remove_jobs()


def test_results_are_read_and_fetched_from_where_they_are(server: ServerProcess, tmp_path: Path) -> None:
    rates = [0.5, 0.25, 0.125, 0.0625]
    job = server.submit(SCRIPT, params={"lr": {"values": rates}}, resources={"gpus": 0})
    done = server.wait(job)
    assert [task["state"] for task in done] == ["finished"] * 4, done
    assert {attempts(server, task["id"])[0]["node"] for task in done} <= {"gpu1", "gpu2"}
    tasks = {task["id"]: float(task["params"]["lr"]) for task in done}
    code, _, error = paddock(server, "fetch", *tasks, "--to", str(tmp_path))
    assert code == 0, error
    for task, rate in tasks.items():
        assert (tmp_path / task / "work" / "result.txt").read_text() == str(rate)
        assert f"loss {rate}" in (tmp_path / task / "attempts" / "1" / "out.log").read_text()
        assert f"loss {rate}" in paddock(server, "logs", task)[1]
        assert server.get(f"/tasks/{task}/files", path="attempts")["total"] == 1
        where = Path(server.get(f"/tasks/{task}")["folder"])
        assert where.parts[-5] == "jobs" and where.parts[-6] == attempts(server, task)[0]["node"]
    folders = [where.parents[2].parent / job, *server.home.root.parent.glob(f"gpu*/jobs/{job}")]
    assert any(one.exists() for one in folders)
    assert paddock(server, "rm", job, "--yes")[0] == 0
    wait_for(lambda: not any(one.exists() for one in folders))

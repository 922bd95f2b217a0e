"""Work makes way for what is reserved: it is warned, saves, and goes on elsewhere or later."""

import json
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.gpu_server import GpuServer, gpu_server
from tests.support.server import running, wait_for
from tests.support.sshd import NEEDS_SSHD, ssh_hosts

# Saves when it is warned, and does the rest when it goes on.
TRAINS = """
import os, signal, sys, time
state = os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "state")
if os.path.exists(state):
    print("went on from", open(state).read())
    sys.exit()
def save(*_):
    with open(state, "w") as file:
        file.write("epoch 7")
    print("saved", flush=True)
signal.signal(signal.SIGUSR1, save)
print("until", os.environ.get("PADDOCK_ENDS_AT"), flush=True)
while True:
    time.sleep(0.05)
"""
ONE_GPU = {"gpus": 1}
SECONDS = 8.0  # of notice
SETTINGS = {"reservations__notice_minutes": SECONDS / 60, "runner__warn_seconds": 2, "runner__grace_seconds": 2}
HOST = """\
backend = "lab"
[backends.lab]
kind = "hosts"
hosts = ["gpu1"]
ssh = {ssh}
folder = {folder}
look_seconds = 0.5
python = {python}
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GpuServer]:
    with gpu_server(tmp_path_factory.mktemp("making-way"), 2, **SETTINGS) as made:
        yield made


@pytest.fixture
def host(tmp_path: Path) -> Iterator[GpuServer]:
    """A host over ssh with a file system of its own."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    with ssh_hosts(1, gpus=2) as ssh:
        given = {"ssh": ssh.ssh, "folder": f"{tmp_path}/{{host}}", "python": sys.executable}
        (home / "settings.toml").write_text(HOST.format(**{name: json.dumps(one) for name, one in given.items()}))
        with running(home, **SETTINGS) as server:
            made = GpuServer(server, ssh["gpu1"].gpus, "")
            wait_for(lambda: len([one for one in server.get("/devices") if one["backend"] == "lab"]) == 2)
            yield made
            server.remove_jobs()


def maintenance(lab: GpuServer, number: int, hours: float = 2.0, **more: Any) -> dict[str, Any]:
    """Take a GPU away from everybody, from now on."""
    end = datetime.now(UTC) + timedelta(hours=hours)
    what = {"devices": [lab.devices[number]["id"]], "ends_at": end.isoformat(), "kind": "maintenance"} | more
    [made] = lab.server.post("/reservations", what, 201)["reservations"]
    return dict(made)


def release(lab: GpuServer, *made: dict[str, Any]) -> None:
    for one in made:
        lab.server.post(f"/reservations/{one['id']}/release")


def device(lab: GpuServer, job: str) -> int:
    """The number of the GPU on which its last attempt runs."""
    said: str = lab.server.get(f"/tasks/{job}-1")["device"]
    return int(said.split()[-1])


def test_it_is_warned_saves_and_goes_on_elsewhere(lab: GpuServer) -> None:
    moves(lab)


@NEEDS_SSHD
def test_also_on_a_host_over_ssh(host: GpuServer) -> None:
    moves(host)


def moves(lab: GpuServer) -> None:
    """A reservation is made over running work: it goes on on the other GPU."""
    job = lab.server.submit(TRAINS, resources=ONE_GPU)
    lab.server.wait_state(job, "running")
    first = device(lab, job)
    wait_for(lambda: "until" in lab.server.log_of(job), what="its handler")
    assert lab.server.log_of(job) == "until None\n", "nothing was reserved when it began"
    made = maintenance(lab, first)
    begun = time.time()
    try:
        [task] = lab.server.wait(job)
    finally:
        release(lab, made)
    one, two = lab.server.get(f"/tasks/{job}-1/attempts")
    assert (one["state"], one["cause"]) == ("error", "preempted")
    assert one["reason"].startswith("it made way: ") and "is under maintenance since" in one["reason"]
    assert "saved" in lab.server.log_of(job, attempt=1)
    assert datetime.fromisoformat(one["ended_at"]).timestamp() - begun > SECONDS / 3, "it had its notice"
    assert (task["state"], two["resumed"]) == ("finished", True)
    assert lab.server.log_of(job, attempt=2) == "went on from epoch 7\n"
    assert device(lab, job) == 1 - first


def test_it_waits_and_says_why_and_goes_on_when_the_rest_is_released(lab: GpuServer) -> None:
    both = [maintenance(lab, number) for number in (0, 1)]
    job = lab.server.submit(TRAINS, resources=ONE_GPU)
    waits = wait_for(lambda: lab.server.get(f"/jobs/{job}")["waits"], what="why it waits")
    assert "is under maintenance until" in waits["reason"]
    release(lab, both[0])
    lab.server.wait_state(job, "running")
    assert device(lab, job) == 0
    # One that is made and taken back before the work has to leave changes nothing.
    later = maintenance(lab, 0, starts_at=(datetime.now(UTC) + timedelta(hours=1)).isoformat())
    told = lab.server.home.job(job).control
    wait_for(lambda: told.exists() and "yield" in told.read_text(), what="the runner to be told")
    lab.server.post(f"/reservations/{later['id']}/cancel", {})
    wait_for(lambda: told.read_text().count('"yield"') == 2, what="it to be taken back")
    assert lab.server.task(job)["state"] == "running"
    lab.server.post(f"/jobs/{job}/stop")
    lab.server.wait(job)
    release(lab, both[1])


def test_it_takes_the_time_before_a_reservation_and_knows_when_it_ends(lab: GpuServer) -> None:
    starts = datetime.now(UTC) + timedelta(hours=1)
    both = [maintenance(lab, number, starts_at=starts.isoformat()) for number in (0, 1)]
    job = lab.server.submit(TRAINS, resources=ONE_GPU)
    long = lab.server.submit("print(1)", resources=ONE_GPU | {"time_limit": 3 * 3600})
    lab.server.wait_state(job, "running")
    wait_for(lambda: "until" in lab.server.log_of(job), what="its first line")
    assert abs(int(lab.server.log_of(job).split()[1]) - starts.timestamp()) < 2
    leaves = datetime.fromisoformat(lab.server.get(f"/tasks/{job}-1")["allocation"]["leaves_at"])
    assert abs(leaves - starts) < timedelta(seconds=2)
    waits = wait_for(lambda: lab.server.get(f"/jobs/{long}")["waits"], what="why it waits")
    assert "is free until" in waits["reason"] and "this needs 3 h" in waits["reason"]
    for one in both:
        lab.server.post(f"/reservations/{one['id']}/cancel", {})
    assert [task["state"] for task in lab.server.wait(long)] == ["finished"]
    lab.server.post(f"/jobs/{job}/stop")
    lab.server.wait(job)

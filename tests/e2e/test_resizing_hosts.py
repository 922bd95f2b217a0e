"""On hosts without a common file system a training changes its size where its checkpoint is."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.e2e import test_sizes
from tests.e2e.test_dealt_hosts import SETTINGS
from tests.e2e.test_resizing import Lab
from tests.support.nvidia_smi import install_nvidia_smi
from tests.support.server import running, wait_for
from tests.support.sshd import NEEDS_SSHD, ssh_hosts

pytestmark = NEEDS_SSHD
GPUS = {"gpu1": 2, "gpu2": 4}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Two GPUs on gpu1, four on gpu2."""
    with ssh_hosts(2, gpus=2) as ssh:
        install_nvidia_smi(ssh["gpu2"].folder / "gpu2" / "bin", 4, mark="gpu2-")
        home = tmp_path_factory.mktemp("hosts") / "home"
        home.mkdir(mode=0o700)
        folder = json.dumps(str(home.parent / "{host}"))
        text = SETTINGS.format(ssh=json.dumps(ssh.ssh), python=json.dumps(sys.executable), folder=folder)
        (home / "settings.toml").write_text(text)
        often = {"elastic__sizes_seconds": 1.0, "runner__usage_seconds": 0.3}
        with running(home, runner__grace_seconds=3, runner__silence_seconds=60, **often) as server:
            wait_for(lambda: {"gpu1", "gpu2"} <= {node["name"] for node in server.get("/nodes") if node["usable"]})
            yield Lab(server)
            server.remove_jobs()


def begin(lab: Lab, host: str) -> str:
    """Begin a training on a host, which only people resize."""
    with full(lab, "gpu2" if host == "gpu1" else "gpu1"):
        job = lab.submit(resources={"gpus": "1..4"}, elastic={"keep_size": True})
        lab.trains(job, 1)
    return job


@contextmanager
def full(lab: Lab, host: str) -> Iterator[None]:
    """A host on which nothing is free."""
    gpus = GPUS[host]
    blocker = lab.submit(resources={"gpus": gpus, "hosts": {"only": [host]}})
    lab.trains(blocker, gpus)
    yield
    lab.server.post(f"/jobs/{blocker}/stop")
    lab.server.wait(blocker)


def went_on(lab: Lab, job: str, host: str, *sizes: int) -> None:
    attempts = lab.server.task(job)["attempts"]
    assert [one["size"] for one in attempts] == list(sizes)
    assert {one["node"] for one in attempts} == {host}
    assert all(one["resumed"] for one in attempts[1:])
    lab.server.post(f"/jobs/{job}/stop")
    lab.server.wait(job)
    steps = lab.steps(job)
    assert steps == [float(number) for number in range(1, len(steps) + 1)], "no step is missing or twice"


def test_on_its_own_gpus_and_never_beyond_its_host(lab: Lab) -> None:
    job = begin(lab, "gpu1")
    for gpus in (2, 1):
        lab.resize(job, gpus)
        lab.trains(job, gpus)
    refused = lab.server.post(f"/tasks/{job}-1/resize", {"gpus": 4}, 422)
    assert "its checkpoint is on gpu1, which has 2" in str(refused)
    assert lab.server.post(f"/jobs/{job}/resize", {"gpus": 4})["tasks"] == []
    went_on(lab, job, "gpu1", 1, 2, 1)


def test_beside_what_it_has(lab: Lab) -> None:
    job = begin(lab, "gpu2")
    lab.resize(job, 2)
    lab.trains(job, 2)
    lab.server.kill()
    lab.server.start()
    lab.resize(job, 4)
    lab.trains(job, 4)
    assert len({one["allocation"] for one in lab.server.task(job)["attempts"]}) == 3
    went_on(lab, job, "gpu2", 1, 2, 4)


def test_the_policy_lets_it_grow_and_shrink_on_its_host(lab: Lab) -> None:
    """Four GPUs of the other host are free all the time."""
    server = lab.server
    with full(lab, "gpu2"):
        job = server.submit(test_sizes.TRAINS, resources={"gpus": "1..4"})
        server.wait_state(job, "running")
    test_sizes.has(server, job, 2)
    late = server.submit(test_sizes.FIXED, resources={"gpus": 1, "hosts": {"only": ["gpu1"]}})
    test_sizes.has(server, job, 1)
    server.wait_state(late, "running")
    attempts = server.task(job)["attempts"]
    assert [one["size"] for one in attempts] == [1, 2, 1]
    assert {one["node"] for one in attempts} == {"gpu1"}
    assert all("by the policy: " in one["reason"] for one in attempts[:-1])
    for one in (late, job):
        server.post(f"/jobs/{one}/stop")
        server.wait(one)
    steps = test_sizes.epochs(server, job)
    assert steps == [float(number) for number in range(1, len(steps) + 1)], "no epoch is missing or twice"

"""Test jobs that run on Slurm as who submitted them: one server, two people, the agent behind a real sudo."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.slurm.cluster import Cluster
from tests.support.server import wait_for
from tests.support.team import ALICE, BOB
from tests.team.member_server import MemberServer, agents_of, member_server, owners

PATIENCE = 240.0
WHO = """
import getpass, os, time
print("who", os.getuid(), getpass.getuser(), os.path.expanduser("~"), flush=True)
print("epoch: 1 val_loss:", float(os.environ["n"]), flush=True)
while os.environ["n"] == "9" and not os.path.exists(os.path.expanduser("~/go")):
    time.sleep(0.1)
print("epoch: 2 val_loss:", float(os.environ["n"]) / 2, flush=True)
"""


@pytest.fixture(scope="module")
def lab(cluster: Cluster) -> Iterator[MemberServer]:
    slurm = {"conf": str(cluster.conf), "poll_seconds": 0.5, "rest_seconds": 2, "python": "/usr/bin/python3"}
    slurm["reservations"] = "nodes"
    with member_server(backend="lab", backends=json.dumps({"lab": slurm})) as made:
        for name in (ALICE, BOB):
            cluster.run("sacctmgr", "-i", "-Q", "add", "user", made.unix(name), "account=lab")
        operator = (made.users.service, "account=lab", "AdminLevel=Operator")
        cluster.run("sacctmgr", "-i", "-Q", "add", "user", *operator)
        yield made


@pytest.fixture
def go(lab: MemberServer) -> Iterator[Path]:
    """A file in alice's home for which her tasks with n = 9 wait."""
    path = lab.users.home(lab.unix(ALICE)) / "go"
    yield path
    path.unlink(missing_ok=True)


def queued(cluster: Cluster, user: str) -> list[str]:
    return cluster.run("squeue", "-h", "-r", "-t", "all", "-u", user, "-o", "%u").split()


def test_a_sweep_each_is_each_persons_own(cluster: Cluster, lab: MemberServer) -> None:
    jobs = {name: lab.submit(name, WHO, {"n": [0, 1]}) for name in (ALICE, BOB)}
    for name, job in jobs.items():
        assert [task["state"] for task in lab.wait(name, job, PATIENCE)] == ["finished", "finished"]
        assert f"who {lab.uid(name)} {lab.unix(name)} {lab.users.home(lab.unix(name))}" in lab.log(name, f"{job}-1")
        assert owners(lab.folder(name, job)) == {(lab.uid(name), 0)}
        assert set(queued(cluster, lab.unix(name))) == {lab.unix(name)}
        one = lab.get(name, f"/tasks/{job}-1")["allocation"]["backend_id"]
        assert "@" not in one
        wait_for(lambda: lab.unix(name) in cluster.run("sacct", "-X", "-n", "-P", "-j", one, "-o", "user"), PATIENCE)  # noqa: B023


def test_it_is_stopped_and_cancelled_as_the_person(cluster: Cluster, lab: MemberServer, go: Path) -> None:
    job = lab.submit(ALICE, WHO, {"n": [9]})
    wait_for(lambda: "val_loss" in lab.log(ALICE, f"{job}-1"), PATIENCE)
    lab.post(ALICE, f"/jobs/{job}/stop")
    assert [task["state"] for task in lab.wait(ALICE, job, PATIENCE)] == ["stopped"]
    again = lab.submit(ALICE, WHO, {"n": [9]})
    wait_for(lambda: "val_loss" in lab.log(ALICE, f"{again}-1"), PATIENCE)
    assert lab.client(ALICE).delete(f"/jobs/{again}").status_code == 204
    wait_for(lambda: not lab.folder(ALICE, again).exists(), PATIENCE, "its folder to go")
    running = ("squeue", "-h", "-t", "PD,R", "-u", lab.unix(ALICE), "-o", "%i")
    wait_for(lambda: not cluster.run(*running).split(), PATIENCE, "nothing of it to run")


def test_agent_and_server_die_and_nothing_is_lost_or_doubled(lab: MemberServer, go: Path) -> None:
    job = lab.submit(ALICE, WHO, {"n": [1, 9, 2]})
    wait_for(lambda: "val_loss" in lab.log(ALICE, f"{job}-2"), PATIENCE)
    for pid in agents_of(lab, ALICE):
        os.kill(pid, signal.SIGKILL)
    lab.restart()
    go.touch()
    tasks = lab.wait(ALICE, job, PATIENCE)
    found = [(task["state"], task["attempt"], task["best_value"]) for task in tasks]
    assert found == [("finished", 1, 0.5), ("finished", 1, 4.5), ("finished", 1, 1.0)]


def test_a_reservation_is_for_that_person_and_made_by_an_operator(
    cluster: Cluster, lab: MemberServer, go: Path
) -> None:
    wait_for(lambda: len(lab.get(ALICE, "/devices")) == 3, PATIENCE, "the nodes in the calendar")
    [node] = [one for one in lab.get(ALICE, "/devices") if one["name"] == cluster.nodes[1]]
    answer = lab.client(ALICE).post("/reservations", json={"devices": [node["id"]], "seconds": 3600})
    assert answer.status_code == 201, answer.text
    id = answer.json()["reservations"][0]["id"]
    wait_for(lambda: lab.get(BOB, f"/reservations/{id}")["enforced"] != "pending", PATIENCE, "an answer of Slurm")
    assert lab.get(BOB, f"/reservations/{id}")["enforced"] == "yes", lab.get(BOB, f"/reservations/{id}")
    assert f" Users={lab.unix(ALICE)} " in cluster.run("scontrol", "show", "reservations", "-o")
    with pytest.raises(subprocess.CalledProcessError, match="sbatch") as refused:
        cluster.submit("true", f"--reservation=paddock-{id}", user=lab.unix(BOB))
    assert "Access denied" in refused.value.stderr
    job = lab.submit(ALICE, WHO, {"n": [9]}, resources={"gpus": 1})
    wait_for(lambda: "val_loss" in lab.log(ALICE, f"{job}-1"), PATIENCE)
    running = cluster.run("squeue", "-h", "-t", "RUNNING", "-u", lab.unix(ALICE), "-o", "%v %N").splitlines()
    assert running == [f"paddock-{id} {cluster.nodes[1]}"]
    lab.post(ALICE, f"/reservations/{id}/release")
    wait_for(lambda: "paddock-" not in cluster.run("scontrol", "show", "reservations", "-o"), PATIENCE, "its end")
    go.touch()
    lab.wait(ALICE, job, PATIENCE)
    attempts = lab.get(ALICE, f"/tasks/{job}-1")["attempts"]
    assert [one["state"] for one in attempts] == ["finished"], attempts

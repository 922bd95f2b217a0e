"""Test servers of ordinary users on one cluster: each works as itself, and none disturbs another."""

import pwd
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paddock.backends.slurm.backend import SlurmBackend
from paddock.models import FOLDER, AllocationBatch, AllocationState, Resources
from paddock.settings import SlurmSettings
from tests.slurm.cluster import Cluster
from tests.slurm.users import PATIENCE, end_jobs, serving
from tests.support.server import ServerProcess, wait_for
from tests.support.user_server import UserServer

WHO = """
import argparse, getpass, os, time
parser = argparse.ArgumentParser()
parser.add_argument("--number", type=float)
number = parser.parse_args().number
print("who", os.getuid(), getpass.getuser(), os.path.expanduser("~"), flush=True)
print("val_loss:", number, flush=True)
time.sleep(number)
"""
AS_ALICE = ["setpriv", "--reuid=alice", "--regid=alice", "--init-groups"]


@pytest.fixture(scope="module")
def of_alice(cluster: Cluster, user_folder: Path, python: str, packages: Path) -> Iterator[UserServer]:
    with serving("alice", user_folder, cluster, python, packages) as server:
        yield server


@pytest.fixture
def alice(of_alice: UserServer) -> Iterator[UserServer]:
    yield of_alice
    end_jobs(of_alice)


@pytest.fixture
def bob(cluster: Cluster, user_folder: Path, python: str, packages: Path) -> Iterator[UserServer]:
    with serving("bob", user_folder, cluster, python, packages) as server:
        yield server


def allocation_of(server: ServerProcess, job: str) -> str:
    found: str = server.task(job)["allocation"]["backend_id"]
    return found


def owner_in_queue(cluster: Cluster, one: str) -> str:
    return cluster.run("squeue", "-h", "-t", "all", "-j", one, "-o", "%u")


# --- tests ------------------------------------------------------------------------------------------------------------


def test_a_sweep_runs_as_who_asked_for_it(cluster: Cluster, alice: UserServer) -> None:
    job = alice.submit(WHO, params={"number": [0.1, 0.2, 0.3]})
    tasks = alice.wait(job, PATIENCE)
    assert [task["state"] for task in tasks] == ["finished"] * 3, tasks
    assert alice.get(f"/jobs/{job}")["owner"] == "alice"
    entry = pwd.getpwnam("alice")
    assert f"who {entry.pw_uid} alice {entry.pw_dir}" in alice.log_of(job)
    assert owner_in_queue(cluster, allocation_of(alice, job)) == "alice"
    files = [path for path in alice.home.job(job).root.rglob("*") if not path.is_symlink()]
    assert len(files) > 20
    assert {path.owner() for path in files} == {"alice"}
    assert not [path for path in files if stat.S_IMODE(path.stat().st_mode) & 0o022]


def test_nobody_else_can_read_or_end_it(cluster: Cluster, alice: UserServer) -> None:
    job = alice.submit(WHO, params={"number": 300})
    alice.wait_state(job, "running", seconds=PATIENCE)
    home, one = alice.home, allocation_of(alice, job)
    assert stat.S_IMODE(home.job(job).root.stat().st_mode) == 0o700
    for path in (home.root, home.job(job).root, home.job(job).log(f"{job}-1", 1), home.token):
        assert "Permission denied" in refused(cluster, "bob", "ls", str(path))
    assert "denied" in refused(cluster, "bob", "scancel", one)
    assert "invalid user" in refused(cluster, "bob", "scontrol", "update", f"JobId={one}", "TimeLimit=1")
    assert cluster.job_state(one) == "RUNNING"
    assert alice.task(job)["state"] == "running"
    alice.post(f"/jobs/{job}/stop")
    assert alice.wait(job, PATIENCE)[0]["state"] == "stopped"


def refused(cluster: Cluster, user: str, *argv: str) -> str:
    with pytest.raises(subprocess.CalledProcessError) as error:
        cluster.run(*argv, user=user)
    said: str = error.value.stderr
    return said.lower() if "scancel" in argv or "scontrol" in argv else said


def test_a_longer_time_is_not_for_ordinary_users(cluster: Cluster, alice: UserServer) -> None:
    """Slurm lets them lower it; what it refuses is told where the job is."""
    job = alice.submit(WHO, params={"number": 300}, resources={"time_limit": "1h"})
    alice.wait_state(job, "running", seconds=PATIENCE)
    shown = ("squeue", "-h", "-j", allocation_of(alice, job), "-o", "%l")
    alice.post(f"/jobs/{job}/limits", {"time_limit": "40m"})
    wait_for(lambda: cluster.run(*shown) == "40:00", PATIENCE, "a shorter time limit")
    alice.post(f"/jobs/{job}/limits", {"time_limit": "3h"})
    [warning] = wait_for(lambda: alice.get(f"/jobs/{job}")["warnings"], PATIENCE, "the refusal")
    assert "refused to set TimeLimit to 3:00:00" in warning
    assert "denied" in warning
    assert cluster.run(*shown) == "40:00"
    assert alice.task(job)["state"] == "running"


def test_two_servers_side_by_side(cluster: Cluster, alice: UserServer, bob: UserServer) -> None:
    jobs = {server: server.submit(WHO, params={"number": [2, 3]}) for server in (alice, bob)}
    for server, job in jobs.items():
        server.wait_state(job, "running", seconds=PATIENCE)
    one, other = (allocation_of(server, job) for server, job in jobs.items())
    assert (owner_in_queue(cluster, one), owner_in_queue(cluster, other)) == ("alice", "bob")
    backend = SlurmBackend("lab", SlurmSettings(conf=str(cluster.conf), prefix=AS_ALICE))
    assert set(backend.poll([one, other])) == {one}
    for server, job in jobs.items():
        assert [task["state"] for task in server.wait(job, PATIENCE)] == ["finished"] * 2
        listed = [found["id"] for found in server.get("/jobs")["items"]]
        assert job in listed
        assert not set(listed) & (set(jobs.values()) - {job})
        assert all(len(server.task(job, number)["attempts"]) == 1 for number in (1, 2))
    answer = alice.client.get("/jobs", headers={"Authorization": f"Bearer {bob.token}"})
    assert answer.status_code == 401


def test_the_order_of_a_servers_jobs_is_slurms(
    cluster: Cluster, user_folder: Path, python: str, packages: Path
) -> None:
    """An ordinary user may raise Nice and lower it again: by priorities that change, then by what is left."""
    (user_folder / "order").mkdir()
    with serving("alice", user_folder / "order", cluster, python, packages, elastic__order="short") as alice:
        blocker = block(cluster)
        one, other = (alice.submit(WHO, params={"number": 0.5}, resources=WHOLE) for _ in range(2))
        for job in (one, other):
            wait_for(lambda job=job: nices(cluster, job) != set(), PATIENCE, f"{job} in the queue")  # type: ignore[misc]
        for first, second, priority in ((other, one, 10), (one, other, 20), (other, one, 30)):
            alice.post(f"/jobs/{first}/limits", {"priority": priority})
            in_order(cluster, first, second)
        cluster.run("scancel", blocker)
        for job in (one, other):
            alice.wait(job, PATIENCE)
        assert started(alice, other) < started(alice, one), "the one that was submitted later, with the higher priority"

        gate = user_folder / "order" / "gate"
        long, short = (partly_done(alice, cluster, tasks, gate) for tasks in (8, 3))
        blocker = block(cluster)
        for job in (long, short):
            alice.post(f"/jobs/{job}/release")
            wait_for(lambda job=job: nices(cluster, job) != set(), PATIENCE, f"{job} in the queue")  # type: ignore[misc]
        in_order(cluster, short, long)
        cluster.run("scancel", blocker)
        for job in (long, short):
            alice.wait(job, PATIENCE)
        assert started(alice, short, 3) < started(alice, long, 8), "the one with less left, although it asked later"
        assert not alice.get(f"/jobs/{long}")["warnings"]


WHOLE = {"gpus": 2, "cpus": 1, "slurm": {"partition": "one", "qos": "high"}}
"""The only node of this partition, with priorities far above 0, below which Nice does not lower them."""


def block(cluster: Cluster) -> str:
    job = cluster.submit("sleep 1000", "--exclusive", "--partition=one")
    cluster.wait_job(job, "RUNNING")
    return job


def nices(cluster: Cluster, job: str) -> set[int]:
    """Return the Nice of what waits for a job."""
    rows = cluster.run("squeue", "-h", "-r", "-t", "PENDING", "-o", "%j %y").splitlines()
    return {int(row.split()[1]) for row in rows if row.startswith(f"paddock-{job}-")}


def in_order(cluster: Cluster, first: str, second: str) -> None:
    def ordered() -> bool:
        return (nices(cluster, first), nices(cluster, second)) == ({0}, {50})

    wait_for(ordered, PATIENCE, f"{first} before {second}")


def partly_done(server: UserServer, cluster: Cluster, tasks: int, gate: Path) -> str:
    """Return a sweep of which a task has ended, and that is held and has nothing in the queue."""
    gate.unlink(missing_ok=True)
    wait = f'while number > 0.5 and not os.path.exists("{gate}"): time.sleep(0.1)'  # all but the first
    numbers = [0.5 + number / 1000 for number in range(tasks)]
    job: str = server.submit(f"{WHO}{wait}\n", params={"number": numbers}, resources=WHOLE, parallel=1)
    wait_for(lambda: server.get(f"/jobs/{job}")["counts"]["finished"], PATIENCE, "a finished task")
    server.post(f"/jobs/{job}/hold")
    gate.touch(0o644)
    rows = ("squeue", "-h", "-u", "alice", "-o", "%j")
    wait_for(lambda: f"paddock-{job}-" not in cluster.run(*rows), PATIENCE, f"{job} to leave")
    return job


def started(server: UserServer, job: str, number: int = 1) -> str:
    at: str = server.task(job, number)["started_at"]
    return at


def test_behind_a_prefix_it_is_submitted_as_another(cluster: Cluster, user_folder: Path) -> None:
    backend = SlurmBackend("lab", SlurmSettings(conf=str(cluster.conf), prefix=AS_ALICE, poll_seconds=0.3))
    place = user_folder / "prefix"
    place.mkdir()
    batch = AllocationBatch(
        key="prefixed",
        count=2,
        name="paddock-prefixed",
        folder=str(place / "prefixed"),
        runner=["/bin/sh", "-c", 'id -un > "$1/who"; sleep 2', "sh", FOLDER],
        resources=Resources(gpus=0, cpus=1),
    )
    for number in range(2):
        Path(batch.folder_of(number)).mkdir()
        shutil.chown(batch.folder_of(number), "alice", "alice")
    assert backend.check(batch).accepted
    ids = backend.submit(batch)
    assert backend.submit(batch) == ids
    assert {owner_in_queue(cluster, one) for one in ids} == {"alice"}
    wait_for(lambda: states(backend, ids) == {AllocationState.RUNNING}, PATIENCE, "both to run")
    backend.cancel(ids[1:])
    wait_for(lambda: states(backend, ids) == {AllocationState.ENDED}, PATIENCE, "their end")
    who = Path(batch.folder_of(0), "who")
    assert (who.read_text().strip(), who.owner()) == ("alice", "alice")


def states(backend: SlurmBackend, ids: Any) -> set[AllocationState]:
    return {status.state for status in backend.poll(ids).values()}

"""Test that two servers of two users share a cluster: each gets half of it, and nothing moves to and fro.

Oscillation is any allocation that is given up although the other server does not take its place, or that comes back.
Slurm remembers every allocation that has begun, so each test counts all of them, from the first to the last.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.slurm.cluster import Cluster
from tests.slurm.conftest import started_cluster
from tests.slurm.users import PATIENCE, Began, Sweep, begun, end_jobs, history, observe, serving, wait_shares
from tests.support.server import wait_for
from tests.support.user_server import UserServer

SOON = {"rules.giving_way.AFTER_SECONDS": 3.0}
HALF = {"alice": 3, "bob": 3}


@pytest.fixture(scope="module")
def servers(
    cluster: Cluster, user_folder: Path, python: str, packages: Path
) -> Iterator[tuple[UserServer, UserServer]]:
    how: dict[str, Any] = {"waits": SOON, "elastic__others_seconds": 1}
    with (
        serving("alice", user_folder, cluster, python, packages, **how) as alice,
        serving("bob", user_folder, cluster, python, packages, **how) as bob,
    ):
        yield alice, bob


@pytest.fixture
def since(cluster: Cluster, servers: tuple[UserServer, UserServer]) -> Iterator[float]:
    """When a test began: what was earlier is not its own."""
    wait_shares(cluster)
    time.sleep(1)  # Slurm remembers full seconds
    yield time.time()
    for server in servers:
        if server.process is not None and server.process.poll() is not None:
            server.start()
        end_jobs(server)


def own(cluster: Cluster, since: float) -> list[Began]:
    return [one for one in history(cluster) if one.began >= since - 1]


def given_once(cluster: Cluster, since: float) -> None:
    """Alice had all six and gave three, bob got three: nothing else has ever begun or ended."""
    past = own(cluster, since)
    assert begun(past) == {"alice": 6, "bob": 3}, past
    assert [one.user for one in past if one.ended] == ["alice"] * 3, past


def test_each_has_half_and_rests_there(
    cluster: Cluster, servers: tuple[UserServer, UserServer], user_folder: Path, since: float
) -> None:
    alice = Sweep(servers[0], user_folder, tasks=40, seconds=4, hold=True)
    wait_shares(cluster, alice=6)
    bob = Sweep(servers[1], user_folder, tasks=40, seconds=4)
    wait_for(lambda: len(alice.orders) == 3, PATIENCE, "three to leave")
    alice.go_on()
    wait_shares(cluster, **HALF)
    assert observe(cluster, 15) == {}
    given_once(cluster, since)
    alice.hold()  # her sweep is not to end before his
    bob.hurry()
    assert bob.lost() == 0
    wait_shares(cluster, alice=6)
    over = max(one.ended or 0.0 for one in own(cluster, since) if one.user == "bob")
    print(f"alice has the whole cluster {time.time() - over:.0f} s after bob's last allocation")
    assert (len(alice.orders), len(bob.orders)) == (3, 0)
    alice.hurry()
    assert alice.lost() == 0


@pytest.mark.parametrize("ends", ["before the restart", "after the restart"])
def test_a_promise_to_another_server_outlives_the_one_that_gave_it(
    cluster: Cluster, servers: tuple[UserServer, UserServer], user_folder: Path, since: float, ends: str
) -> None:
    alice = Sweep(servers[0], user_folder, tasks=30, seconds=2, hold=True)
    wait_shares(cluster, alice=6)
    bob = Sweep(servers[1], user_folder, tasks=30, seconds=2, hold=True)
    wait_for(lambda: len(alice.orders) == 3, PATIENCE, "three to leave")
    asked = alice.requests
    alice.server.kill()
    if ends == "before the restart":
        alice.go_on()
        wait_shares(cluster, **HALF)
        alice.hold()  # the sweep is not to end meanwhile
    alice.server.start()
    assert observe(cluster, 5) == {}
    for sweep in (alice, bob):
        sweep.go_on()
    wait_shares(cluster, **HALF)
    assert observe(cluster, 5) == {}
    given_once(cluster, since)
    assert (len(alice.orders), len(bob.orders)) == (3, 0), "it is promised once"
    assert alice.requests == asked, "and nothing was asked for in between, which might have taken what was promised"
    for sweep in (alice, bob):
        sweep.hurry()
        assert sweep.lost() == 0


def test_where_others_cannot_be_seen_they_take_turns(user_folder: Path, python: str, packages: Path) -> None:
    place = user_folder / "turns"
    place.mkdir()
    with (
        started_cluster(nodes=1, accounting=False, extra="PrivateData=jobs") as cluster,
        serving("alice", place, cluster, python, packages, elastic__turn_seconds=2) as one,
        serving("bob", place, cluster, python, packages, elastic__turn_seconds=2) as other,
    ):
        alice = Sweep(one, place, tasks=24, seconds=1, hold=True)
        wait_shares(cluster, alice=2)
        bob = Sweep(other, place, tasks=24, seconds=1)
        wait_for(lambda: len(waiting(cluster, "bob")) == 2, PATIENCE, "bob's allocations to wait")
        alice.go_on()
        turn(cluster, "bob")
        turn(cluster, "alice")
        turn(cluster, "bob")
        assert [word for word in one.get(f"/jobs/{alice.job}")["warnings"] if "have their turn" in word]
        for sweep in (alice, bob):
            assert sweep.orders == []
            sweep.hurry()
            assert sweep.lost() == 0


def waiting(cluster: Cluster, user: str) -> list[str]:
    return cluster.run("squeue", "-h", "-r", "-t", "PENDING", "-u", user, "-o", "%i").splitlines()


def turn(cluster: Cluster, user: str) -> None:
    had = begun(history(cluster))[user]
    wait_for(lambda: begun(history(cluster))[user] > had, PATIENCE, f"{user}'s turn")

"""Test reservations on a real Slurm: as desired state, in its own words, and with the owner's jobs inside."""

import os
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from paddock.backends.base import Enforcement, WantedReservation
from paddock.backends.slurm import parse
from paddock.backends.slurm.backend import SlurmBackend
from paddock.settings import SlurmSettings
from tests.slurm.cluster import Cluster
from tests.slurm.support import PATIENCE, STEPS, Lab, lab
from tests.support.server import wait_for
from tests.support.up import Cli
from tests.team.unix_users import sudo_rules

HOUR = 3600.0
AS_BOB = ["setpriv", "--reuid=bob", "--regid=bob", "--init-groups"]
YES = Enforcement("yes")


class Desk:
    """A backend, and what it was asked for before."""

    def __init__(self, cluster: Cluster, **settings: Any) -> None:
        self.cluster = cluster
        self.backend = SlurmBackend("lab", SlurmSettings(conf=str(cluster.conf), reservations="nodes", **settings))
        self.known: set[str] = set()

    def want(self, *them: WantedReservation) -> Mapping[str, Enforcement]:
        self.known |= {one.id for one in them}
        return self.backend.reserve(them, self.known)

    def listed(self) -> dict[str, parse.ReservationRow]:
        out = self.backend.commands.run("scontrol", "show", "reservations", "-o")
        return {row.name: row for row in parse.reservations(out)}

    def one(self, id: str, node: int, start: float = 0.0, end: float = 2 * HOUR, **given: Any) -> WantedReservation:
        nodes = {self.cluster.nodes[node]: None}
        now = time.time()
        return WantedReservation(id, nodes, given.pop("users", ["alice"]), now + start, now + end, **given)


@pytest.fixture
def desk(bare_cluster: Cluster) -> Desk:
    return Desk(bare_cluster)


def test_made_changed_and_deleted(desk: Desk) -> None:
    now, later = desk.one("now", 0), desk.one("later", 1, HOUR, 2 * HOUR, users=["alice", "bob"])
    assert desk.want(now, later) == {"now": YES, "later": YES}
    rows = desk.listed()
    assert (rows["paddock-now"].active, rows["paddock-later"].active) == (True, False)
    assert rows["paddock-later"].users == {"alice", "bob"}
    asked = desk.backend.commands.calls
    assert desk.want(now, later) == {"now": YES, "later": YES}
    assert desk.backend.commands.calls == asked + 1, "nothing but a look"
    moved = desk.one("later", 2, 2 * HOUR, 3 * HOUR, users=["bob"])
    longer = desk.one("now", 0, 0, 4 * HOUR)
    assert desk.want(longer, moved) == {"now": YES, "later": YES}
    rows = desk.listed()
    assert rows["paddock-later"].nodes == {desk.cluster.nodes[2]}
    assert rows["paddock-later"].users == {"bob"}
    assert abs(rows["paddock-later"].starts_at - moved.starts_at) <= 1
    assert abs(rows["paddock-now"].ends_at - longer.ends_at) <= 1
    desk.cluster.run("scontrol", "delete", "ReservationName=paddock-now")
    assert desk.want(longer) == {"now": YES}, "what somebody deleted is made again"
    assert desk.listed().keys() == {"paddock-now"}
    other = Desk(desk.cluster)
    other.want(other.one("other", 1, HOUR))
    assert desk.listed().keys() == {"paddock-now", "paddock-other"}, "another server's are left alone"
    desk.want()
    assert desk.listed().keys() == {"paddock-other"}


def test_two_exchange_their_nodes(desk: Desk) -> None:
    desk.want(desk.one("a", 0, HOUR), desk.one("b", 1, HOUR))
    assert desk.want(desk.one("a", 1, HOUR), desk.one("b", 0, HOUR)) == {"a": YES, "b": YES}
    assert {name: row.nodes for name, row in desk.listed().items()} == {
        "paddock-a": {desk.cluster.nodes[1]},
        "paddock-b": {desk.cluster.nodes[0]},
    }


def test_refusals_name_who_is_in_the_way(desk: Desk) -> None:
    cluster = desk.cluster
    job = cluster.submit("sleep 600", "-w", cluster.nodes[0], "-t", "120", user="bob")
    cluster.wait_job(job, "RUNNING")
    found = desk.want(desk.one("a", 0, HOUR, 2 * HOUR), desk.one("b", 1))
    assert found["b"] == YES
    assert (found["a"].why or "").startswith("Requested nodes are busy: ")
    assert f"with job {job} of bob" in (found["a"].why or "")
    found = desk.want(desk.one("b", 1), desk.one("c", 1, HOUR), desk.one("d", 2, users=["nobody-here"]))
    assert found["c"] == Enforcement("no", "Requested reservation overlaps with another reservation")
    assert "nobody-here" in (found["d"].why or "")
    upkeep = desk.one("upkeep", 0, maintenance=True)
    assert desk.want(upkeep) == {"upkeep": YES}, "maintenance does not wait for what runs"
    assert desk.want(upkeep) == {"upkeep": YES}
    assert cluster.job_state(job) == "RUNNING"


def test_who_may_not_reserve_is_told_so(desk: Desk) -> None:
    bob = Desk(desk.cluster, operator_prefix=AS_BOB)
    assert bob.want(bob.one("a", 0))["a"].why == (
        "Invalid user id: it does not know one of alice, or this server may not reserve"
    )
    root = Desk(desk.cluster, prefix=AS_BOB, operator_prefix=["env"])
    assert root.want(root.one("a", 0)) == {"a": YES}
    assert root.want() == {}
    assert desk.listed() == {}


def test_the_rules_for_sudo_in_the_documentation_are_enough(desk: Desk) -> None:
    text = Path("docs/reservations.md").read_text()
    lines = re.findall(r"^paddock (ALL=)\(slurm\)( NOPASSWD: .*)$", text, re.MULTILINE)
    rules = ["Defaults:bob env_keep += SLURM_CONF", *(f"bob {all}(root){rest}" for all, rest in lines)]
    with sudo_rules(f"pdk{os.getpid()}x0slurm", "\n".join(rules) + "\n"):
        bob = Desk(desk.cluster, operator_prefix=[*AS_BOB, "sudo", "-n"])
        assert bob.want(bob.one("a", 0)) == {"a": YES}
        assert bob.want(bob.one("a", 0, 0, HOUR)) == {"a": YES}
        job = desk.cluster.submit("sleep 600", "--reservation=paddock-a", user="alice")
        desk.cluster.wait_job(job, "RUNNING")
        bob.want()
        assert desk.listed() == {}
        assert desk.cluster.job_state(job) == "RUNNING"
        assert "password is required" in bob.backend.commands.operate("shutdown").err


def test_jobs_inside_go_on_when_it_is_deleted_and_those_that_wait_are_not_held(desk: Desk) -> None:
    cluster = desk.cluster
    desk.want(desk.one("a", 0))
    inside = ("--reservation=paddock-a", "-c", str(cluster.cpus))
    running = cluster.submit("sleep 600", *inside, user="alice")
    cluster.wait_job(running, "RUNNING")
    waiting = cluster.submit("sleep 600", "-a", "0-1", *inside, user="alice")
    wait_for(lambda: cluster.job_state(waiting).split() == ["PENDING"], 60, "an array that waits")
    desk.want()
    assert desk.listed() == {}
    cluster.wait_job(f"{waiting}_0", "RUNNING")
    assert cluster.job_state(running) == "RUNNING"


# --- with a server ----------------------------------------------------------------------------------------------------


class Calendar:
    """A server whose calendar has the nodes of a cluster."""

    def __init__(self, lab: Lab) -> None:
        self.lab, self.server, self.cluster = lab, lab.server, lab.cluster
        self.devices: dict[str, str] = {}

    def reserve(self, node: int, seconds: float = HOUR) -> str:
        """Reserve a node from now on, and return the id of the reservation."""
        if not self.devices:
            wait_for(lambda: len(self.server.get("/devices")) == 3, 60, "the nodes in the calendar")
            self.devices = {one["name"]: one["id"] for one in self.server.get("/devices")}
        wanted = {"devices": [self.devices[self.cluster.nodes[node]]], "seconds": seconds, "title": "thesis"}
        found: str = self.server.post("/reservations", wanted, 201)["reservations"][0]["id"]
        return found

    def get(self, id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.server.get(f"/reservations/{id}")
        return found

    def enforced(self, id: str) -> str:
        """Wait for Slurm's answer."""
        wait_for(lambda: self.get(id)["enforced"] != "pending", 60, "an answer of Slurm")
        found: str = self.get(id)["enforced"]
        return found

    def end_at(self, id: str, ends_at: float) -> None:
        change = {"version": self.get(id)["version"], "ends_at": datetime.fromtimestamp(ends_at, UTC).isoformat()}
        answer = self.server.client.patch(f"/reservations/{id}", json=change)
        assert answer.status_code == 200, answer.text

    def inside(self, job: str) -> Counter[str]:
        """The reservations, or none, of the job's running allocations."""
        rows = self.cluster.run("squeue", "-h", "-r", "-t", "RUNNING", "-o", "%j|%v|%N").splitlines()
        return Counter(row.split("|", 1)[1] for row in rows if row.startswith(f"paddock-{job}-"))


@pytest.fixture(scope="module")
def calendar(bare_cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Calendar]:
    waits = {"server.engine.enforcing.AGAIN_SECONDS": 1.0}
    folder = tmp_path_factory.mktemp("calendar")
    with lab(folder, bare_cluster, slurm={"reservations": "nodes"}, waits=waits) as made:
        yield Calendar(made)


def test_jobs_enter_leave_before_its_end_and_go_on_elsewhere(calendar: Calendar) -> None:
    cluster, at = calendar.cluster, calendar.lab
    id = calendar.reserve(1)
    assert calendar.enforced(id) == "yes"
    name = f"paddock-{id}"
    job = at.submit({"gpus": 1}, number=[1, 2], hangs=-1, handles=1)
    wait_for(lambda: calendar.inside(job) == {f"{name}|{cluster.nodes[1]}": 2}, PATIENCE, "both to run inside")
    other = at.submit({"gpus": 1})
    wait_for(lambda: "(null)" in "".join(calendar.inside(other)), PATIENCE, "what has no room to run outside")
    for number in (1, 2):
        at.wait_steps(job, 4, number)
    calendar.end_at(id, time.time() + 3)
    at.assert_finished(job, 2)
    at.assert_finished(other)
    assert at.ends(other) == ["finished"]
    for number in (1, 2):
        assert at.ends(job, number) == ["preempted", "finished"]
        assert "reservation" in at.attempts(job, number)[0]["reason"]
    assert len(at.witness.said("warned", f"{job}-?")) >= 2


def test_what_runs_in_a_released_one_goes_on_and_a_refusal_is_shown(calendar: Calendar) -> None:
    cluster, at = calendar.cluster, calendar.lab
    foreign = cluster.submit("sleep 600", "-w", cluster.nodes[0], "-t", "120", user="bob")
    cluster.wait_job(foreign, "RUNNING")
    refused, id = calendar.reserve(0), calendar.reserve(1)
    assert calendar.enforced(refused) == "no"
    assert f"with job {foreign} of bob" in calendar.get(refused)["enforced_why"]
    shown = Cli(at.server.home.root, at.server.home.root)("reservations", code=0)
    assert f"{refused} is not enforced: Requested nodes are busy" in shown.err
    titles = [one["title"] for one in at.server.get("/me/notices")["items"]]
    assert titles.count("thesis: others are not kept away") == 1
    assert calendar.enforced(id) == "yes"
    job = at.submit({"gpus": 2}, seconds=0.5, steps=STEPS)
    wait_for(lambda: calendar.inside(job) == {f"paddock-{id}|{cluster.nodes[1]}": 1}, PATIENCE, "it to run inside")
    at.server.post(f"/reservations/{id}/release")
    wait_for(lambda: f"paddock-{id}" not in cluster.run("scontrol", "show", "reservations", "-o"), 60, "its end")
    at.assert_finished(job)
    assert at.ends(job) == ["finished"]
    cluster.run("scancel", foreign)
    wait_for(lambda: calendar.get(refused)["enforced"] == "yes", 60, "the node to be free")
    at.server.post(f"/reservations/{refused}/release")

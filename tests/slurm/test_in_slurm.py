"""Test `paddock up --in-slurm` on a real cluster: start, reach, hand over, end."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paddock.home import server_file
from paddock.home.server_file import ServerAddress
from paddock.paths import Home
from tests.slurm.cluster import PATH, Cluster
from tests.support.server import wait_for
from tests.support.up import Cli, Done
from tests.support.warm import WAITS


class Site:
    """The command line on a login node of a cluster."""

    def __init__(self, cluster: Cluster, cli: Cli) -> None:
        self.cluster = cluster
        self.cli = cli
        self.home = Home(cli.home)

    def __call__(self, *arguments: str, code: int | None = 0) -> Done:
        hurried = {WAITS: json.dumps({"paddock.cli.in_slurm.POLL_SECONDS": 0.2})}
        return self.cli(*arguments, code=code, PATH=PATH, **hurried, **self.cluster.environment)

    def up(self, *arguments: str) -> dict[str, Any]:
        found: dict[str, Any] = self("up", "--in-slurm", "--port", "0", "--memory", "1G", *arguments, "--json").json
        return found

    def jobs(self) -> list[str]:
        return self.cluster.run("squeue", "-h", "-n", "paddock-server", "-o", "%i").split()

    def signal(self, job: str) -> None:
        self.cluster.run("scancel", "--batch", "--signal=USR1", job)

    def served_by_another_than(self, job: str) -> ServerAddress:
        def found() -> ServerAddress | None:
            there = server_file.read(self.home)
            return there if there and there.slurm != job else None

        about: ServerAddress = wait_for(found, what="a successor")
        return about

    @property
    def log(self) -> str:
        return (self.home.root / "server.log").read_text()


@pytest.fixture
def site(cluster: Cluster, tmp_path: Path) -> Iterator[Site]:
    made = Site(cluster, Cli(tmp_path / "home", tmp_path))
    yield made
    made("down", code=None)


def test_a_server_its_successors_and_its_end(site: Site) -> None:
    facts = site.up("--partition", "cpu", "--time", "30m")
    first = facts["slurm"]
    assert site.jobs() == [first]
    assert facts["node"] in site.cluster.nodes
    token = site.home.read_token()
    assert token
    assert facts["page"] == f"http://localhost:{facts['port']}/?token={token}"

    # It can be reached, by this command line and through a tunnel, and is not started twice.
    assert site("tunnel").out == facts["tunnel"] + "\n"
    assert facts["tunnel"].startswith(f"ssh -N -L {facts['port']}:{facts['host']}:{facts['port']} ")
    again = site("up", "--in-slurm", "--json")
    assert again.json == facts
    assert "already" in again.err
    assert site.jobs() == [first]
    assert "already runs" in site("up", code=5).err

    # Nothing secret is where others could read it.
    shown = [site.cluster.run("scontrol", *words) for words in (("show", "job", first), ("write", "batch", first, "-"))]
    assert "up --host 0.0.0.0" in "".join(shown)
    assert token not in "".join(shown)
    assert token not in site.log
    assert (site.home.root / "server.log").stat().st_mode & 0o077 == 0

    # From its node it submits to Slurm: that is the backend for jobs that name none.
    sent = site("submit", site.cli.script(), "-p", "lr=1,2", "--gpus", "0", "--follow")
    name = sent.out.split()[0]
    assert site("show", name, "--json").json["counts"]["finished"] == 2
    assert "Allocation  slurm " in site("show", f"{name}-1").out

    # A successor takes over at the warning, and another one from that; a job goes on meanwhile.
    job = site("submit", site.cli.script(), "-p", "sleep=5", "--gpus", "0", "--json").json["id"]
    site.signal(first)
    second = site.served_by_another_than(first).slurm
    assert second
    assert "will take over" in site.log
    wait_for(lambda: site.jobs() == [second], what="the end of the first")
    assert site.cluster.wait_job(first, "COMPLETED") == "COMPLETED"
    assert site("show", job, "--json").json["id"] == job
    site.signal(second)
    third = site.served_by_another_than(second).slurm
    assert third not in (first, None)
    wait_for(lambda: site("show", job, "--json").json["counts"]["finished"] == 1, what="the end of the job")
    wait_for(lambda: site.jobs() == [third], what="the end of the second")

    # With the server, a successor that waits is ended, too.
    site.cluster.run("scontrol", "update", "PartitionName=cpu", "State=DOWN")
    site.signal(third)
    wait_for(lambda: len(site.jobs()) == 2, what="a successor in the queue")
    site.signal(third)  # a second warning makes no second successor
    fourth = next(job for job in site.jobs() if job != third)
    assert site("down", "--json").json == {"ended": [f"Slurm job {third}", f"Slurm job {fourth}"]}
    assert site.jobs() == []
    assert not site.home.server.exists()
    assert "No Paddock server" in site("down", code=4).err
    assert "No Paddock server" in site("tunnel", code=4).err


def test_one_that_waits_can_be_waited_for_again(site: Site) -> None:
    hog = site.cluster.submit("sleep 60", "-p", "one", "--exclusive")
    site.cluster.wait_job(hog, "RUNNING")
    heeds = ["env", "--default-signal=INT"]  # tests that were started in the background have it ignored
    argv = [sys.executable, "-m", "paddock", "up", "--in-slurm", "--port", "0", "--memory", "1G", "--partition", "one"]
    environment = site.cli.environment(PATH=PATH, **site.cluster.environment)
    with subprocess.Popen(
        [*heeds, *argv], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as waiting:
        wait_for(site.jobs, what="the server in the queue")
        assert waiting.stderr is not None
        line = next(line for line in waiting.stderr if "free place" in line)
        assert "waits for a free place in partition one" in line
        waiting.send_signal(signal.SIGINT)
        said = waiting.stderr.read()
        assert waiting.wait(120) == 130
    assert "stays in the queue" in said
    (job,) = site.jobs()
    site.cluster.run("scancel", hog)
    facts = site("up", "--in-slurm", "--json")
    assert facts.json["slurm"] == job
    # It may have begun before it was asked for.
    assert f"already in the queue, as Slurm job {job}" in facts.err or "A server already runs on" in facts.err


def test_what_slurm_does_not_give(site: Site) -> None:
    assert "allows at most 1 min" in site("up", "--in-slurm", "--partition", "tiny", "--time", "2h", code=2).err
    assert "nope" in site("up", "--in-slurm", "--partition", "nope", code=5).err
    assert "account" in site("up", "--in-slurm", "--account", "nope", code=5).err
    assert site.jobs() == []


def test_one_that_cannot_start_says_why(site: Site) -> None:
    site.home.root.mkdir()
    (site.home.root / "paddock.db").write_text("this is no database, and far too short for one" * 100)
    done = site("up", "--in-slurm", "--partition", "cpu", "--time", "30m", code=5)
    assert "has ended, and no server answers" in done.err
    assert "database" in done.err

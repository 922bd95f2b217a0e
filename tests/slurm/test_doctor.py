"""Test `paddock doctor` on a real cluster."""

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.slurm.cluster import Cluster
from tests.support.up import Cli


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path / "home", tmp_path)


def doctor(cli: Cli, cluster: Cluster, *arguments: str, code: int = 0) -> dict[str, Any]:
    """What is said of the cluster, by its name."""
    done = cli("doctor", "--json", *arguments, code=code, **cluster.environment)
    return {one["name"].partition(": ")[2]: one for one in done.json if ": " in one["name"]}


def bad(found: dict[str, Any]) -> dict[str, str]:
    return {name: one["status"] for name, one in found.items() if one["status"] != "ok"}


def settings(cli: Cli, text: str) -> None:
    cli.home.mkdir(mode=0o700)
    (cli.home / "settings.toml").write_text(text)


def test_all_is_well(cli: Cli, cluster: Cluster) -> None:
    found = doctor(cli, cluster, "--backend", "slurm", "--python", sys.executable)
    assert bad(found) == {}, found
    assert list(found) == [
        "commands", "controller", "partitions", "accounting", "job", "home", "clock", "runner", "environment",
    ]  # fmt: skip
    assert "gpu (default, 3 nodes, no time limit)" in found["partitions"]["detail"]
    assert "tiny (3 nodes, at most 60 s)" in found["partitions"]["detail"]
    assert "its database answers; user root is in " in found["accounting"]["detail"]
    assert cluster.nodes[0] in found["home"]["detail"]
    assert not cli.home.exists()


def test_the_gpus_that_a_job_gets(cli: Cli, cluster: Cluster) -> None:
    """They only pretend to be there: Slurm hands them out, and no driver answers."""
    found = doctor(cli, cluster, "--backend", "slurm", "--python", sys.executable, "--gpus", "2", "--partition", "one")
    assert "CUDA_VISIBLE_DEVICES is 0,1" in found["environment"]["detail"]
    assert cluster.nodes[0] in found["job"]["detail"]


def test_quick_leaves_no_trace_in_the_queue(cli: Cli, cluster: Cluster) -> None:
    found = doctor(cli, cluster, "--backend", "slurm", "--quick")
    assert bad(found) == {}
    assert "would take" in found["submission"]["detail"]
    assert cluster.run("squeue", "-h", "-t", "all", "-o", "%j %T").count("paddock-doctor") <= 2  # those of other tests


def test_a_full_cluster(cli: Cli, cluster: Cluster) -> None:
    for node in cluster.nodes:
        cluster.wait_job(cluster.submit("sleep 100", "-w", node, "--exclusive"), "RUNNING")
    done = cli("doctor", "--json", "--backend", "slurm", "--wait", "4", code=0, **cluster.environment)
    job = next(one for one in done.json if one["name"] == "slurm: job")
    assert job["status"] == "warn"
    assert "was cancelled: waits for a free place in partition gpu" in job["detail"]
    assert "a tiny job waits in the queue: waits for a free place in partition gpu" in done.err
    assert cluster.run("squeue", "-h", "-t", "PENDING") == ""


def test_without_accounting(cli: Cli, bare_cluster: Cluster) -> None:
    found = doctor(cli, bare_cluster, "--backend", "slurm", "--python", sys.executable)
    assert bad(found) == {"accounting": "warn"}
    assert "MinJobAge" in found["accounting"]["detail"] and "cannot be known" in found["accounting"]["detail"]
    assert "rest_seconds" in found["accounting"]["fix"]


def test_a_controller_that_is_gone(cli: Cli, cluster: Cluster) -> None:
    cluster.kill("slurmctld")
    found = doctor(cli, cluster, "--backend", "slurm", code=1)
    assert bad(found) == {"controller": "error"}
    assert "DOWN" in found["controller"]["detail"]
    cluster.start_daemon("slurmctld")
    cluster.wait_ready()


def test_wrong_partitions_accounts_and_types_in_the_settings(cli: Cli, cluster: Cluster) -> None:
    settings(
        cli,
        "[backends.lab.resources]\npartition = 'gone'\n"
        "[profiles.large]\nbackend = 'lab'\ngpu_type = 'h100'\naccount = 'nobodys'\n"
        "[profiles.long]\nbackend = 'lab'\npartition = 'tiny'\ntime_limit = '2h'\n",
    )
    found = doctor(cli, cluster, code=1)
    assert bad(found) == {"partitions": "error", "accounting": "error", "job": "error"}
    assert "there is no partition gone" in found["partitions"]["detail"]
    assert "partition tiny allows at most 1 min" in found["partitions"]["detail"]
    assert "choose one of " in found["partitions"]["fix"]
    assert "not in account nobodys" in found["accounting"]["detail"]
    assert "invalid partition" in found["job"]["detail"].lower()


def test_reservations(cli: Cli, bare_cluster: Cluster) -> None:
    """The right to make them is tried, without a trace."""
    bare_cluster.wait_job(bare_cluster.submit("sleep 100", "-w", bare_cluster.nodes[0], "-t", "UNLIMITED"), "RUNNING")
    settings(cli, "[backends.lab]\nreservations = 'nodes'\n")
    found = doctor(cli, bare_cluster, "--quick")
    assert "lets this server reserve nodes" in found["reservations"]["detail"]
    as_bob = "['setpriv', '--reuid=bob', '--regid=bob', '--init-groups']"
    (cli.home / "settings.toml").write_text(f"[backends.lab]\nreservations = 'nodes'\noperator_prefix = {as_bob}\n")
    found = doctor(cli, bare_cluster, "--quick", code=1)
    assert bad(found)["reservations"] == "error"
    assert "or this server may not reserve" in found["reservations"]["detail"]
    (cli.home / "settings.toml").write_text("[backends.lab]\nreservations = 'gpus'\n")
    found = doctor(cli, bare_cluster, "--quick", code=1)
    assert "24.11" in found["reservations"]["fix"]
    assert "No reservations" in bare_cluster.run("scontrol", "show", "reservations", "-o")

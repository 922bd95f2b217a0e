"""Test that the cluster of the tests is a real one: it runs, limits, preempts and fails as Slurm does."""

import os
import pwd
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.slurm.cluster import Cluster
from tests.slurm.support import text_of
from tests.support.server import wait_for

HOG = "python3 -c \"block = b'x' * (400 << 20); import time; time.sleep(20)\""


@pytest.fixture
def folder(cluster: Cluster) -> Path:
    """Where the jobs of every user may write."""
    made = cluster.folder / f"out{time.monotonic_ns()}"
    made.mkdir()
    made.chmod(0o777)
    return made


@pytest.mark.parametrize("user", ["root", "alice"])
def test_a_job_runs_on_each_node(cluster: Cluster, folder: Path, user: str) -> None:
    script = f"(id -un; echo $SLURMD_NODENAME; pwd) > {folder}/$SLURMD_NODENAME"
    jobs = [cluster.submit(script, "-w", node, f"--chdir={folder}", user=user) for node in cluster.nodes]
    for job, node in zip(jobs, cluster.nodes, strict=True):
        cluster.wait_job(job, "COMPLETED")
        assert (folder / node).read_text().split() == [user, node, str(folder)]
        assert (folder / node).stat().st_uid == pwd.getpwnam(user).pw_uid


def test_accounting_remembers(cluster: Cluster) -> None:
    job = cluster.submit("exit 7", user="bob")
    cluster.wait_job(job, "FAILED")
    row = ("sacct", "-X", "-n", "-P", "-j", job, "-o", "User,Account,State,ExitCode")
    wait_for(lambda: cluster.run(*row) == "bob|lab|FAILED|7:0", what="accounting")


def test_a_job_gets_no_more_memory_than_it_asked_for(cluster: Cluster) -> None:
    if not cluster.cgroups:
        pytest.skip("cgroups cannot be written here: Slurm cannot limit memory")
    assert cluster.wait_job(cluster.submit(HOG, "--mem=100M"), "OUT_OF_MEMORY", "FAILED") == "OUT_OF_MEMORY"


def test_a_job_sees_only_its_gpus(cluster: Cluster, folder: Path) -> None:
    script = f"echo $CUDA_VISIBLE_DEVICES/$SLURM_JOB_GPUS > {folder}/$SLURM_JOB_ID; sleep 30"
    jobs = [cluster.submit(script, "-w", cluster.nodes[0], "--gres=gpu:1") for _ in range(2)]
    third = cluster.submit("true", "-w", cluster.nodes[0], "--gres=gpu:1")
    wait_for(lambda: all(text_of(folder / job).strip() for job in jobs), what="the GPUs of both jobs")
    said = sorted(text_of(folder / job).strip() for job in jobs)
    assert said == (["0/0", "0/1"] if cluster.cgroups else ["0/0", "1/1"])
    assert cluster.job_state(third) == "PENDING"
    big = cluster.submit(f"echo $SLURMD_NODENAME > {folder}/big", "--gres=gpu:big:2")
    cluster.wait_job(big, "COMPLETED")
    assert (folder / "big").read_text().strip() == cluster.nodes[-1]


def test_a_qos_preempts(cluster: Cluster) -> None:
    everything = ("-w", cluster.nodes[0], "--exclusive")
    low = cluster.submit("sleep 60", *everything, "--qos=low", user="alice")
    again = cluster.submit("sleep 60", "-w", cluster.nodes[1], "--exclusive", "--qos=low-requeue", user="alice")
    cluster.wait_job(low, "RUNNING")
    cluster.wait_job(again, "RUNNING")
    high = cluster.submit("sleep 60", *everything, "--qos=high", user="bob")
    other = cluster.submit("sleep 60", "-w", cluster.nodes[1], "--exclusive", "--qos=high", user="bob")
    assert cluster.wait_job(low, "PREEMPTED", "CANCELLED") == "PREEMPTED"
    cluster.wait_job(again, "PENDING")
    cluster.wait_job(high, "RUNNING")
    cluster.wait_job(other, "RUNNING")


def test_a_qos_limits_how_many_jobs_a_user_has(cluster: Cluster) -> None:
    for _ in range(5):
        cluster.submit("sleep 60", "--qos=few", "--hold", user="alice")
    with pytest.raises(subprocess.CalledProcessError) as refused:
        cluster.submit("sleep 60", "--qos=few", user="alice")
    assert "QOSMaxSubmitJobPerUserLimit" in refused.value.stderr


def test_slurmctld_keeps_its_queue_through_a_crash_and_forgets_what_has_ended(bare_cluster: Cluster) -> None:
    ended = bare_cluster.submit("true")
    running = bare_cluster.submit("sleep 60")
    held = bare_cluster.submit("sleep 60", "--hold", user="alice")
    bare_cluster.wait_job(ended, "COMPLETED")
    bare_cluster.wait_job(running, "RUNNING")
    bare_cluster.wait_saved()
    bare_cluster.kill("slurmctld")
    assert not bare_cluster.ping()
    bare_cluster.start_daemon("slurmctld")
    bare_cluster.wait_ready()
    assert (bare_cluster.job_state(running), bare_cluster.job_state(held)) == ("RUNNING", "PENDING")
    bare_cluster.wait_job(ended, "")


def test_two_clusters_never_share_a_node(cluster: Cluster) -> None:
    with pytest.raises(AssertionError, match="take another prefix"):
        Cluster(Path("/tmp/slurm-twice"), prefix=cluster.nodes[0][:-1], port=cluster.port + 20).start()
    assert not Path("/tmp/slurm-twice").exists()


def test_without_accounting_a_partition_preempts(bare_cluster: Cluster) -> None:
    everything = ("-w", bare_cluster.nodes[0], "--exclusive")
    low = bare_cluster.submit("sleep 60", *everything, "-p", "low", user="alice")
    bare_cluster.wait_job(low, "RUNNING")
    high = bare_cluster.submit("sleep 60", *everything, "-p", "high", user="bob")
    assert bare_cluster.wait_job(low, "PREEMPTED", "CANCELLED") == "PREEMPTED"
    bare_cluster.wait_job(high, "RUNNING")


def test_a_cluster_ends_with_the_process_that_started_it(bare_cluster: Cluster) -> None:
    """Also when that one is killed: what it leaves would be in the way of the next run."""
    folder = Path(f"/tmp/slurm-killed-{os.getpid()}")
    program = (
        "import sys; from pathlib import Path; from tests.slurm.cluster import Cluster\n"
        f"cluster = Cluster(Path('{folder}'), prefix='k{bare_cluster.nodes[0]}x', port={bare_cluster.port + 20},"
        " nodes=1, accounting=False).start()\n"
        "cluster.wait_job(cluster.submit('sleep 300'), 'RUNNING'); print('up', flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"up\n"
        process.kill()
    wait_for(lambda: not folder.exists(), what="the end of the cluster")
    everything = "[0-9]*/cmdline"
    wait_for(
        lambda: not any(str(folder) in text_of(file) for file in Path("/proc").glob(everything)), what="no process"
    )

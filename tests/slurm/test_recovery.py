"""Test that no allocation is lost or doubled and no task runs twice when the server or Slurm dies or forgets."""

import os
import shutil
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.slurm.cluster import PATH, Cluster
from tests.slurm.support import PATIENCE, Lab, end_jobs, freeze, lab
from tests.support.server import wait_for

TASKS = 4

# Stands before the real one. What it does when it is called the first time stands in a file beside it.
SBATCH = """#!/bin/sh
case "$*" in *--test-only*) exec REAL "$@";; esac
mode=$(cat FOLDER/mode 2>/dev/null); rm -f FOLDER/mode
cat > FOLDER/script.$$
case $mode in
before) kill -9 $PPID;;
after) REAL "$@" < FOLDER/script.$$; kill -9 $PPID;;
late) (while [ ! -e FOLDER/go ]; do sleep 0.05; done; REAL "$@" < FOLDER/script.$$) > /dev/null 2>&1 & kill -9 $PPID;;
wait) touch FOLDER/called; while [ ! -e FOLDER/go ]; do sleep 0.05; done; exec REAL "$@" < FOLDER/script.$$;;
*) exec REAL "$@" < FOLDER/script.$$;;
esac
"""


class Gate:
    """An `sbatch` that lets a test strike at the right moment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._mode, self._called, self._go = (folder / name for name in ("mode", "called", "go"))
        folder.mkdir()
        real = shutil.which("sbatch", path=PATH)
        program = folder / "sbatch"
        program.write_text(SBATCH.replace("REAL", str(real)).replace("FOLDER", str(folder)))
        program.chmod(0o755)

    def arm(self, mode: str) -> None:
        for file in (self._called, self._go):
            file.unlink(missing_ok=True)
        self._mode.write_text(mode)

    def wait_called(self) -> None:
        wait_for(self._called.exists, PATIENCE, "sbatch to be called")

    def open(self) -> None:
        self._go.touch()


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Gate:
    return Gate(tmp_path_factory.mktemp("recovery") / "gate")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, cluster: Cluster, gate: Gate) -> Iterator[Lab]:
    with lab(tmp_path_factory.mktemp("recovery"), cluster, path=f"{gate.folder}:") as made:
        yield made


@pytest.fixture
def at(shared: Lab) -> Iterator[Lab]:
    yield shared
    shared.revive()
    end_jobs(shared)


def _wait_killed(at: Lab) -> None:
    assert at.server.process is not None
    at.server.process.wait(PATIENCE)
    at.server.kill()


def _assert_once(at: Lab, job: str, tasks: int = TASKS) -> None:
    """All finished in their first attempt, in one array."""
    _assert_each_once(at, job, tasks)
    assert len(at.arrays(job)) == 1


def _assert_each_once(at: Lab, job: str, tasks: int = TASKS) -> None:
    """All finished in their first attempt. On a busy machine runners may have left before the last tasks came."""
    at.assert_finished(job, tasks)
    assert [at.ends(job, number) for number in range(1, tasks + 1)] == [["finished"]] * tasks
    assert at.witness.said("began", f"{job}-*") == ["1"] * tasks


@pytest.mark.parametrize("moment", ["before", "after"])
def test_the_server_is_killed_around_a_submission(at: Lab, gate: Gate, moment: str) -> None:
    gate.arm(moment)
    job = at.submit(number=list(range(1, TASKS + 1)))
    _wait_killed(at)
    assert len(at.arrays(job)) == (moment == "after")
    at.server.start()
    _assert_once(at, job)


def test_the_server_is_killed_before_it_has_written_down_what_it_submitted(at: Lab, gate: Gate) -> None:
    gate.arm("wait")
    job = at.submit(number=list(range(1, TASKS + 1)))
    gate.wait_called()
    with sqlite3.connect(at.server.home.root / "paddock.db", isolation_level=None) as busy:
        busy.execute("BEGIN IMMEDIATE")
        gate.open()
        folder = at.server.home.job(job).root / "allocations"
        wait_for(lambda: list(folder.glob("*.id")), PATIENCE, "the id in its file")
        at.server.kill()
        busy.execute("ROLLBACK")
    at.server.start()
    _assert_once(at, job)


def test_a_submission_comes_through_after_it_was_given_up(at: Lab, gate: Gate) -> None:
    gate.arm("late")
    job = at.submit(number=[1, 2], steps=20, seconds=0.3)
    _wait_killed(at)
    at.server.start()
    at.wait_attempt(job, 1)
    gate.open()
    wait_for(lambda: len(at.arrays(job)) == 2, PATIENCE, "the late one")
    at.assert_finished(job, 2, steps=20)
    at.wait_gone(job)


def test_slurmctld_is_down_for_a_while(at: Lab) -> None:
    # Without GPUs: a slurmctld that has just started may give away those of running jobs, and counts them as used then.
    running = at.submit({"gpus": 0}, number=list(range(1, 7)), steps=40, seconds=0.5)
    for number in range(1, 7):
        at.wait_attempt(running, 1, number)
    at.save_queue()
    at.cluster.kill("slurmctld")
    wait_for(lambda: at.server.get("/health")["backends"]["slurm"] != "ok", PATIENCE, "Slurm's silence to be noticed")
    meanwhile = at.submit({"gpus": 0}, number=[1, 2])
    seen = len(at.steps(running))
    at.wait_steps(running, min(seen + 3, 40))  # on a busy machine they may have come to their end
    assert {task["state"] for task in at.server.tasks(running)} <= {"running", "finished"}
    wait_for(lambda: "slurm" in (at.server.get(f"/jobs/{meanwhile}")["waits"] or {}).get("reason", ""), PATIENCE)
    at.cluster.start_daemon("slurmctld")
    at.cluster.wait_ready()
    _assert_once(at, meanwhile, 2)
    at.assert_finished(running, 6, steps=40)
    assert at.witness.said("began", f"{running}-*") == ["1"] * 6
    assert at.server.get("/health")["backends"]["slurm"] == "ok"


def test_slurmctld_forgets_what_it_has_just_accepted(at: Lab, tmp_path: Path) -> None:
    """As when it dies before it has written its queue down."""
    rival = at.cluster.submit("sleep 300", "-w", at.cluster.nodes[0], "--exclusive")
    at.cluster.wait_job(rival, "RUNNING")
    at.save_queue()
    state = at.cluster.folder / "state"
    shutil.copytree(state, tmp_path / "state", ignore=shutil.ignore_patterns("*.new"))  # these are being written
    job = at.submit({"partition": "one"}, number=[1, 2])
    wait_for(lambda: at.server.task(job)["allocation"] and at.allocation(job), PATIENCE, "an allocation")
    at.cluster.kill("slurmctld")
    for name in ("job_state", "job_state.old"):
        shutil.copy2(tmp_path / "state" / "job_state", state / name)
    at.cluster.start_daemon("slurmctld")
    at.cluster.wait_ready()
    assert at.cluster.job_state(rival) == "RUNNING"
    wait_for(lambda: f"paddock-{job}-a2" in at.cluster.run("squeue", "-h", "-o", "%j"), PATIENCE, "a new allocation")
    at.cluster.run("scancel", rival)
    _assert_once(at, job, 2)
    assert at.attempts(job)[0]["allocation"].startswith(f"{job}-a2.")


def test_slurmctld_forgets_a_release(at: Lab, tmp_path: Path) -> None:
    """It would hold the allocation for ever, once that is put back into the queue."""
    job = at.submit({"options": ["--requeue"]}, hangs=1)
    at.wait_steps(job, 4)
    one = at.allocation(job)
    at.server.post(f"/jobs/{job}/hold")
    wait_for(lambda: at.cluster.run("squeue", "-h", "-j", one, "-o", "%r") == "JobHeldUser", PATIENCE, "the hold")
    at.save_queue()
    state = at.cluster.folder / "state"
    shutil.copytree(state, tmp_path / "state", ignore=shutil.ignore_patterns("*.new"))  # these are being written
    at.server.post(f"/jobs/{job}/release")
    wait_for(lambda: at.cluster.run("squeue", "-h", "-j", one, "-o", "%r") != "JobHeldUser", PATIENCE, "the release")
    at.cluster.kill("slurmctld")
    for name in ("job_state", "job_state.old"):
        shutil.copy2(tmp_path / "state" / "job_state", state / name)
    at.cluster.start_daemon("slurmctld")
    at.cluster.wait_ready()
    at.cluster.run("scontrol", "requeue", one)
    at.assert_finished(job)
    assert at.ends(job) == ["preempted", "finished"]


def test_slurmdbd_is_down(at: Lab) -> None:
    at.cluster.kill("slurmdbd")
    job = at.submit(number=list(range(1, TASKS + 1)))
    _assert_each_once(at, job)
    assert at.server.get("/health")["backends"]["slurm"] == "ok"
    at.cluster.start_daemon("slurmdbd")


def test_an_allocation_is_requeued(at: Lab) -> None:
    job = at.submit({"options": ["--requeue"]}, hangs=1)
    at.wait_steps(job, 4)
    at.cluster.run("scontrol", "requeue", at.allocation(job))
    at.assert_finished(job)
    first, second = at.attempts(job)
    assert (at.ends(job), second["resumed"]) == (["preempted", "finished"], True)
    assert first["allocation"] == second["allocation"]
    assert at.witness.said("began", f"{job}-1") == ["1", "2"]


def test_an_allocation_is_requeued_while_the_server_is_down(at: Lab) -> None:
    job = at.submit({"options": ["--requeue"]}, hangs=1)
    at.wait_steps(job, 4)
    allocation = at.allocation(job)
    at.server.kill()
    at.cluster.run("scontrol", "requeue", allocation)
    journals = at.server.home.job(job).root / "allocations"
    wait_for(lambda: list(journals.glob("*/journal.2.jsonl")), PATIENCE, "the second start")
    at.server.start()
    at.assert_finished(job)
    assert at.ends(job) == ["preempted", "finished"]
    assert at.witness.said("began", f"{job}-1") == ["1", "2"]


def test_without_accounting(tmp_path: Path, bare_cluster: Cluster, gate: Gate) -> None:
    """The server is down until Slurm has forgotten what happened meanwhile: the journals have not.

    Of the second job it does not even know that it was submitted.
    """
    with lab(tmp_path / "lab", bare_cluster, path=f"{gate.folder}:") as at:
        known = at.submit(number=[1, 2, 3, 4], seconds=1)
        pids = [at.wait_attempt(known, 1, number)["pid"] for number in (1, 2, 3, 4)]
        gate.arm("after")
        unknown = at.submit(seconds=[0.1, 0.2, 3, 3.1])
        _wait_killed(at)
        os.kill(at.runner(pids[-1]), signal.SIGKILL)
        wait_for(lambda: not at.queue(known, "-t", "all"), PATIENCE, "Slurm to forget one job")
        # Not more than that: Slurm remembers the last element of an array for as long as another one runs.
        wait_for(lambda: len(at.queue(unknown, "-t", "all")) <= 3, PATIENCE, "Slurm to forget a part of the other")
        at.server.start()
        for job in (known, unknown):
            at.assert_finished(job, 4)
        assert [at.ends(known, number) for number in (1, 2, 3)] == [["finished"]] * 3
        assert at.ends(known, 4) == ["lost", "finished"]
        assert at.witness.said("began", f"{known}-*") == ["1", "1", "1", "1", "2"]
        assert at.witness.said("began", f"{unknown}-*") == ["1"] * 4


@pytest.fixture
def forgetful(at: Lab) -> Iterator[Lab]:
    """On a cluster where what has ended soon leaves the queue, but not the accounting."""
    before = at.cluster.min_job_age
    at.cluster.remember(2)
    yield at
    at.cluster.remember(before)


def test_the_records_tell_what_happened_while_the_server_was_down(forgetful: Lab) -> None:
    at, (one, two, three) = forgetful, forgetful.cluster.nodes
    wanted: list[dict[str, Any]] = [{"nodelist": one}, {"nodelist": two}, {"nodelist": two}, {"nodelist": three}]
    wanted[1]["time_limit"], wanted[3]["qos"] = 600, "low"
    failed, late, cancelled, preempted = jobs = [at.submit(resources, hangs=1) for resources in wanted]
    for job in jobs:
        at.wait_steps(job, 4)
        freeze(at.runner(at.attempts(job)[0]["pid"]))
    ids = {job: at.allocation(job) for job in jobs}
    at.server.kill()
    at.cluster.run("scontrol", "update", f"NodeName={one}", "State=DOWN", "Reason=test")
    at.cluster.run("scontrol", "update", f"JobId={ids[late]}", "EndTime=now+1")
    at.cluster.run("scancel", ids[cancelled])
    at.cluster.submit("true", "-w", three, "--exclusive", "--qos=high")
    wait_for(lambda: not any(at.queue(job, "-t", "all") for job in jobs), PATIENCE, "Slurm to forget")
    at.cluster.run("scontrol", "update", f"NodeName={one}", "State=RESUME", check=False)
    at.server.start()
    for job, cause in ((failed, "node_failure"), (late, "time_limit"), (preempted, "preempted")):
        at.assert_finished(job)
        assert at.ends(job) == [cause, "finished"]
    task = at.server.wait(cancelled, PATIENCE)[0]
    assert (task["state"], at.server.get(f"/jobs/{cancelled}")["held"]) == ("stopped", True)
    assert "cancelled on the cluster by user 0" in task["reason"]

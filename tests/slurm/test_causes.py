"""Test everything that can end a task on a cluster, really caused: what is reported, and what follows."""

import os
import re
import signal
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest

from tests.slurm.support import PATIENCE, Lab, freeze, text_of
from tests.support.server import wait_for


def test_a_sweep(at: Lab) -> None:
    job = at.submit(number=list(range(1, 9)))
    at.assert_finished(job, tasks=8)
    assert len(at.arrays(job)) == 1
    assert {one["node"] for number in range(1, 9) for one in at.attempts(job, number)} <= set(at.cluster.nodes)
    at.wait_gone(job)


def test_the_time_limit(at: Lab) -> None:
    """Three at a time: with a handler, without one, and with a runner that does not react.

    An administrator brings their ends nearer: Slurm gives nobody less than a minute.
    """
    handles, plain, frozen = jobs = [at.submit({"time_limit": 600}, hangs=1, handles=one) for one in (1, 0, 0)]
    for job in jobs:
        at.wait_steps(job, 4)
        end = _at(at.cluster.run("squeue", "-h", "-j", at.allocation(job), "-o", "%e")).timestamp()
        told = int(at.server.log_of(job).removeprefix("ready at 0 until "))
        assert 0 <= told - end < PATIENCE  # this Slurm does not tell the end: it is counted from the runner's start
    freeze(at.runner(at.attempts(frozen)[0]["pid"]))
    for job, seconds in ((handles, 45), (plain, 45), (frozen, 1)):
        # Every 30 s Slurm ends what is over, and warns what has less than 30 s and its warn_seconds (15) left.
        at.cluster.run("scontrol", "update", f"JobId={at.allocation(job)}", f"EndTime=now+{seconds}")
    for job in jobs:
        at.assert_finished(job)
        cut, last = at.attempts(job)
        assert (cut["cause"], last["state"], last["resumed"]) == ("time_limit", "finished", True)
        assert cut["allocation"] != last["allocation"]
        assert at.witness.said("began", f"{job}-1") == ["1", "2"]
    for job in (handles, plain):
        assert at.attempts(job)[0]["reason"] == "ended by the time limit of its allocation (0:10:00)"
    assert at.attempts(frozen)[0]["reason"] == "its allocation reached its time limit"
    assert at.witness.said("warned", f"{handles}-1") == ["1"]
    assert not at.witness.said("warned", f"{plain}-1")


def test_one_task_needs_too_much_memory_and_its_neighbours_go_on(at: Lab) -> None:
    """It is tried again with the allocation to itself; as that is too small, too, it is an error."""
    _need_limits(at)
    side_by_side = {"memory": "60M", "gpus": 0, "slots": 3}
    job = at.submit(side_by_side, parallel=3, number=[1, 2, 3, 4, 5, 6], hog=2)
    tasks = at.server.wait(job, PATIENCE)
    assert [task["state"] for task in tasks] == ["finished", "error", *["finished"] * 4]
    assert at.ends(job, 2) == ["host_oom", "host_oom"]
    first, second = at.attempts(job, 2)
    assert "out of memory" in first["reason"]
    assert second["room"]["alone"]
    assert re.search(r"no other task was beside it, and it held [\d.]+ MiB of [\d.]+ MiB", tasks[1]["reason"])
    others = [one for number in (1, 3, 4, 5, 6) for one in at.attempts(job, number)]
    assert [one["cause"] for one in others] == [None] * 5
    assert _at(second["started_at"]) >= max(_at(one["ended_at"]) for one in others)
    assert len(at.arrays(job)) <= 2, "the runner waits for room, or another one does"


def test_memory_that_is_there_once_the_neighbours_have_left(at: Lab) -> None:
    _need_limits(at)
    side_by_side = {"memory": "120M", "gpus": 0, "slots": 3, "partition": "one"}
    job = at.submit(side_by_side, parallel=3, number=[1, 2, 3], hog=2, megabytes=250, holds=40, steps=5, seconds=0.5)
    at.assert_finished(job, tasks=3, steps=5)
    assert at.ends(job, 2) == ["host_oom", "finished"]
    assert [at.ends(job, number) for number in (1, 3)] == [["finished"]] * 2
    (before,), (_, again), (beside,) = (at.attempts(job, number) for number in (1, 2, 3))
    assert again["resumed"]
    assert again["room"]["host"] > 200 << 20
    assert _at(again["started_at"]) >= max(_at(before["ended_at"]), _at(beside["ended_at"]))
    assert len(at.arrays(job)) <= 2


def test_a_whole_allocation_needs_too_much_memory(at: Lab) -> None:
    _need_limits(at)
    job = at.submit({"memory": "100M"}, number=2, hog=2, seconds=2)
    runner = at.runner(at.wait_attempt(job, 1)["pid"])
    Path(f"/proc/{runner}/oom_score_adj").write_text("1000")  # the kernel takes this one first
    task = at.server.wait(job, PATIENCE)[0]
    assert (task["state"], at.ends(job)) == ("error", ["host_oom"])
    assert task["reason"] == "its allocation needed more memory than it had asked for"


_at = datetime.fromisoformat


def _usable(at: Lab) -> list[str]:
    return [node["name"] for node in at.server.get("/nodes") if node["usable"]]


def _need_limits(at: Lab) -> None:
    if not at.cluster.cgroups:
        pytest.skip("cgroups cannot be written here: Slurm cannot limit memory")


def test_a_power_cut(at: Lab, tmp_path: Path) -> None:
    job = at.submit(hangs=1)
    at.wait_steps(job, 4)
    first = at.attempts(job)[0]
    node = first["node"]
    script = f"env -i sleep 300 & echo $! > {tmp_path}/number; wait"
    other = at.cluster.submit(script, "-w", node, "--no-requeue", "--export=NONE")
    number = wait_for(lambda: text_of(tmp_path / "number").strip(), PATIENCE, "a process without Slurm's variables")
    freeze(at.runner(first["pid"]))  # a power cut takes all at once: it cannot see its task die
    at.cluster.kill(f"slurmd:{node}", with_jobs=True)
    assert "sleep" not in text_of(Path(f"/proc/{number}/cmdline"))
    at.cluster.wait_job(other, "NODE_FAIL")
    assert at.cluster.node_states()[node] == "down*"
    at.assert_finished(job)
    first, second = at.attempts(job)
    assert (first["state"], first["cause"], second["state"]) == ("error", "node_failure", "finished")
    assert (first["node"], second["resumed"]) == (node, True)
    assert second["node"] in set(at.cluster.nodes) - {node}
    assert "ready at 0" not in at.server.log_of(job)


def test_a_node_is_given_up_whose_runner_lives(at: Lab) -> None:
    """The next attempt begins when the first has ended, not when Slurm says that it has."""
    job = at.submit(number=[1, 2, 3], parallel=1, hangs=1)
    at.wait_steps(job, 4)
    first = at.attempts(job)[0]
    at.cluster.run("scontrol", "update", f"NodeName={first['node']}", "State=DOWN", "Reason=test")
    try:
        at.assert_finished(job, tasks=3)
    finally:
        at.cluster.run("scontrol", "update", f"NodeName={first['node']}", "State=RESUME", check=False)
    assert at.ends(job) == ["node_failure", "finished"]
    assert [at.ends(job, number) for number in (2, 3)] == [["finished"]] * 2
    assert at.witness.said("began", f"{job}-1") == ["1", "2"]
    first, second = at.attempts(job)
    assert _at(second["started_at"]) >= _at(first["ended_at"])


def test_preemption(at: Lab) -> None:
    """A node for each way of it: at once, with grace, and with the allocation put back into the queue."""
    ways = dict(zip(("low", "low-grace", "low-requeue"), at.cluster.nodes, strict=True))
    jobs = {}
    for qos, node in ways.items():
        options = ["--requeue"] if qos == "low-requeue" else []
        jobs[qos] = at.submit({"qos": qos, "nodelist": node, "options": options}, hangs=1)
    for job in jobs.values():
        at.wait_steps(job, 4)
    rivals = [at.cluster.submit("sleep 600", "-w", node, "--exclusive", "--qos=high") for node in ways.values()]
    for rival in rivals:
        at.cluster.wait_job(rival, "RUNNING")
    for job in jobs.values():
        at.wait_ends(job, "preempted", "submitted")
    assert at.queue(jobs["low-requeue"])
    assert len(at.arrays(jobs["low-requeue"])) == 1
    at.cluster.run("scancel", *rivals)
    for qos, job in jobs.items():
        at.assert_finished(job)
        assert (qos, at.ends(job)) == (qos, ["preempted", "finished"])
        assert at.witness.said("began", f"{job}-1") == ["1", "2"]
    first, second = at.attempts(jobs["low-requeue"])
    assert first["allocation"] == second["allocation"]


def test_a_running_allocation_is_cancelled_by_hand(at: Lab) -> None:
    job = at.submit(parallel=1, number=[1, 2, 3], hangs=1)
    at.wait_steps(job, 4)
    at.cluster.run("scancel", at.allocation(job))
    task = at.server.wait_state(job, "stopped", seconds=PATIENCE)
    assert "cancelled on the cluster" in task["reason"]
    about = at.server.get(f"/jobs/{job}")
    assert about["held"]
    assert any("ended by hand" in warning for warning in about["warnings"])
    assert [task["state"] for task in at.server.tasks(job)] == ["stopped", "submitted", "submitted"]
    at.wait_gone(job)
    at.server.post(f"/jobs/{job}/release")
    assert [task["state"] for task in at.server.wait(job, PATIENCE)] == ["stopped", "finished", "finished"]
    at.server.post(f"/tasks/{job}-1/restart", {"resume": True})
    at.assert_finished(job, tasks=3)
    assert at.ends(job) == ["stopped", "finished"]


def test_a_waiting_array_is_cancelled_by_hand(at: Lab) -> None:
    rival = at.cluster.submit("sleep 300", "-w", at.cluster.nodes[0], "--exclusive")
    at.cluster.wait_job(rival, "RUNNING")
    # An earlier test may have ended this node: the server has to know that it is back, or it asks for more later.
    wait_for(lambda: at.cluster.nodes[0] in _usable(at), PATIENCE, "the node to be usable")
    job = at.submit({"partition": "one"}, number=[1, 2, 3])
    arrays = wait_for(lambda: at.arrays(job), PATIENCE, "an array in the queue")
    wait_for(lambda: at.server.get(f"/jobs/{job}")["waits"], PATIENCE, "a reason to wait")
    at.cluster.run("scancel", *arrays)
    wait_for(lambda: at.server.get(f"/jobs/{job}")["held"], PATIENCE, "the job to be held")
    assert any("ended by hand" in warning for warning in at.server.get(f"/jobs/{job}")["warnings"])
    assert [task["state"] for task in at.server.tasks(job)] == ["submitted"] * 3
    assert at.arrays(job) == arrays
    at.cluster.run("scancel", rival)
    at.server.post(f"/jobs/{job}/release")
    at.assert_finished(job, tasks=3)
    assert [at.ends(job, number) for number in (1, 2, 3)] == [["finished"]] * 3


def test_an_error_of_the_script_and_a_kill_from_outside(at: Lab) -> None:
    wrong, killed = at.submit(fails=1), at.submit(seconds=10)
    os.kill(at.wait_attempt(killed, 1)["pid"], signal.SIGKILL)
    for job, reason in ((wrong, "ValueError: as asked for"), (killed, "SIGKILL")):
        task = at.server.wait(job, PATIENCE)[0]
        assert (task["state"], at.ends(job)) == ("error", ["user_error"])
        assert reason in task["reason"]


def test_stop_restart_resume_and_remove(at: Lab) -> None:
    rival = at.cluster.submit("sleep 300", "-w", at.cluster.nodes[0], "--exclusive")
    at.cluster.wait_job(rival, "RUNNING")
    waiting = at.submit({"partition": "one"}, number=[1, 2])
    running = at.submit({"exclude": at.cluster.nodes[0]}, steps=20, seconds=0.3)
    wait_for(lambda: at.queue(waiting), PATIENCE, "an array in the queue")
    at.wait_steps(running, 3)
    for job in (waiting, running):
        at.server.post(f"/jobs/{job}/stop")
        assert {task["state"] for task in at.server.wait(job, PATIENCE)} == {"stopped"}
        at.wait_gone(job)
        assert not at.server.get(f"/jobs/{job}")["held"]
    at.server.post(f"/jobs/{running}/restart", {"resume": True})
    at.assert_finished(running, steps=20)
    assert "ready at 0" not in at.server.log_of(running)
    at.server.post(f"/jobs/{running}/restart")
    at.wait_attempt(running, 3)
    assert "ready at 0" in at.server.log_of(running)
    at.cluster.run("scancel", rival)
    at.server.post(f"/jobs/{waiting}/restart")
    at.wait_attempt(waiting, 2)
    for job in (waiting, running):
        assert at.server.client.delete(f"/jobs/{job}").status_code == 204
    for job in (waiting, running):
        at.wait_gone(job)
        folder = at.server.home.job(job).root
        wait_for(partial(_gone, folder), PATIENCE, "the folder to be deleted")
    assert not at.witness.said("doubled")


def _gone(folder: Path) -> bool:
    return not folder.exists()

"""Test tasks that share an allocation: GPUs, cores, threads, and how many at a time."""

import json
import os
import re
import sys
from collections import defaultdict
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from tests.runner import scripted
from tests.runner.scripted import GB, ScriptedGpus
from tests.slurm.cluster import Cluster
from tests.slurm.support import PATIENCE, Lab, lab
from tests.support.server import wait_for

NAMES = (
    "CUDA_VISIBLE_DEVICES",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "TF_NUM_INTRAOP_THREADS",
    "SLURM_CPUS_PER_TASK",
    "TF_FORCE_GPU_ALLOW_GROWTH",
)

# Says what it got, and stays for a while.
SEATED = f"""
import argparse, json, os, sys, time
parser = argparse.ArgumentParser()
parser.add_argument("--number", type=int)
parser.add_argument("--seconds", type=float, default=0.7)
parser.add_argument("--fails", type=int, default=0)
given = parser.parse_args()
said = {{name: os.environ.get(name) for name in {NAMES!r}}}
print(json.dumps({{**said, "cores": sorted(os.sched_getaffinity(0))}}), flush=True)
time.sleep(given.seconds + 0.1 * (given.number % 3))
sys.exit(7 if given.number == given.fails else 0)
"""

# Takes memory of its GPU, and later more of it.
GREEDY = """
import argparse, os, sys, time
sys.path.insert(0, {here!r})
from scripted import ScriptedGpus
parser = argparse.ArgumentParser()
parser.add_argument("--later", type=float)
given = parser.parse_args()
gpus, tried = ScriptedGpus({gpus!r}), {gpus!r} + ".tried"
try:
    gpus.take(2 * 10**9, 0.03)
    for epoch in range(1, 16):
        gpus.step(0.1)
        print("epoch: %d val_loss: %f" % (epoch, 1 / epoch), flush=True)
        if epoch == 3:
            # The greedy one waits for company the first time, and the others until it has been too greedy.
            if given.later > 1 and not os.path.exists(tried):
                gpus.company(120)
                open(tried, "w").close()
            until = time.monotonic() + 120
            while not os.path.exists(tried) and time.monotonic() < until:
                time.sleep(0.02)
            gpus.take(int(given.later * 1e9), 0.03)
except MemoryError as error:
    sys.exit("Traceback (most recent call last):\\n" + str(error))
"""


class Seated(NamedTuple):
    """A task that has run: what it said, and what is told of it."""

    said: dict[str, Any]
    seat: dict[str, Any]
    device: str
    exit_code: int
    allocation: str
    node: str
    began: datetime
    ended: datetime


def run(at: Lab, count: int, resources: dict[str, Any], **params: Any) -> tuple[str, list[Seated]]:
    """A job of so many tasks, when all have ended."""
    job = at.server.submit(SEATED, params={"number": list(range(1, count + 1)), **params}, resources=resources)
    at.server.wait(job, PATIENCE)
    return job, [seated(at, job, number) for number in range(1, count + 1)]


def seated(at: Lab, job: str, number: int) -> Seated:
    [one] = at.attempts(job, number)
    return Seated(
        json.loads(at.server.log_of(job, number)),
        one["seat"],
        one["device"],
        one["exit_code"],
        one["allocation"],
        one["node"],
        datetime.fromisoformat(one["started_at"]),
        datetime.fromisoformat(one["ended_at"]),
    )


def by_allocation(tasks: list[Seated]) -> list[list[Seated]]:
    found = defaultdict(list)
    for task in sorted(tasks, key=lambda one: one.began):
        found[task.allocation].append(task)
    return list(found.values())


def at_once(tasks: list[Seated]) -> int:
    """How many of them ran at the same time, at most."""
    return max(sum(one.began <= task.began < one.ended for one in tasks) for task in tasks)


def asked(at: Lab, job: str) -> tuple[str, ...]:
    """What Slurm was asked for: nodes, processes, cores, memory, GPUs."""
    told = at.cluster.run("scontrol", "show", "job", "-o", at.allocation(job))
    found = dict(re.findall(r"(\S+?)=(\S+)", told))
    names = ("NumNodes", "NumTasks", "CPUs/Task", "MinMemoryNode", "TresPerNode")
    return tuple(found[name].removeprefix("gres").strip("/:") for name in names)


def test_three_tasks_on_a_gpu(at: Lab) -> None:
    wanted = {"per_gpu": 3, "cpus": 2, "memory": "100M", "partition": "one", "time_limit": "10m"}
    job, tasks = run(at, 7, wanted, fails=2)
    assert asked(at, job) == ("1", "1", "6", "300M", "gpu:1")
    [together] = by_allocation(tasks)
    assert at_once(together) == 3
    assert all(later.began >= min(one.ended for one in together) for later in together[3:])
    assert [task.exit_code for task in tasks] == [0, 7, 0, 0, 0, 0, 0]
    for task in tasks:
        assert task.said["CUDA_VISIBLE_DEVICES"] == task.seat["gpus"][0]
        assert {task.said[name] for name in NAMES if "THREADS" in name or "CPUS" in name} == {"2"}
        assert task.said["TF_FORCE_GPU_ALLOW_GROWTH"] == "true"
        assert (task.seat["threads"], task.seat["sharing"]) == (2, "turns")
        assert "NVIDIA driver does not answer" in task.seat["why"]
        assert_cores(task, 6, 3)


def assert_cores(task: Seated, given: int, seats: int) -> None:
    """Those of a node that only pretends to have so many: Slurm binds nobody to them, and neither do we."""
    allowed = sorted(os.sched_getaffinity(0))
    assert task.said["cores"] == (task.seat["cores"] or allowed)
    if given < len(allowed) or seats > len(allowed):
        assert task.seat["cores"] == []


def test_a_triple(at: Lab) -> None:
    """Two nodes, four tasks on each, one thread for each; ten tasks would keep a third node busy."""
    job, tasks = run(at, 10, {"triple": "2,4,1", "memory": "50M", "time_limit": "10m"}, seconds=2)
    assert asked(at, job) == ("1", "1", "4", "200M", "gpu:2")
    together = by_allocation(tasks)
    assert len({task.node for task in tasks}) == len(together) == 2
    for group in together:
        assert at_once(group) == 4
        assert [task.said["CUDA_VISIBLE_DEVICES"] for task in group[:4]] == ["0", "1", "0", "1"]
        assert [task.device for task in group[:4]] == ["gpu 0", "gpu 1", "gpu 0", "gpu 1"]
        assert all(later.began >= min(one.ended for one in group) for later in group[4:])
        for task in group:
            assert task.seat["gpus"] == [task.said["CUDA_VISIBLE_DEVICES"]]
            assert (task.said["OMP_NUM_THREADS"], task.said["SLURM_CPUS_PER_TASK"]) == ("1", "1")
            assert task.seat["sharing"] == "turns"
            assert_cores(task, 4, 4)


def test_each_task_its_own_gpu_of_one_allocation(at: Lab) -> None:
    job, tasks = run(at, 5, {"slots": 2, "gpus": 1, "memory": "50M", "partition": "one", "time_limit": "10m"})
    assert asked(at, job) == ("1", "1", "2", "100M", "gpu:2")
    [together] = by_allocation(tasks)
    assert at_once(together) == 2
    for task in together:
        beside = [one for one in together if one is not task and one.began <= task.began < one.ended]
        assert all(one.seat["gpus"] != task.seat["gpus"] for one in beside)
        assert task.seat["gpus"] == [task.said["CUDA_VISIBLE_DEVICES"]]
        assert task.device == f"gpu {task.said['CUDA_VISIBLE_DEVICES']}"
        assert (task.seat["sharing"], task.said["TF_FORCE_GPU_ALLOW_GROWTH"]) == (None, None)
    assert {task.device for task in together} == {"gpu 0", "gpu 1"}


def test_the_gpu_that_slurm_gave_whatever_its_number(at: Lab) -> None:
    """With cgroups it is the first that is seen, without them the second of the node; it is Slurm's number 1."""
    rival = at.cluster.submit("sleep 60", "-p", "one", "--gres=gpu:1", "-c1", "--mem=50")
    at.cluster.wait_job(rival, "RUNNING")
    _, tasks = run(at, 2, {"per_gpu": 2, "memory": "50M", "partition": "one", "time_limit": "10m"})
    at.cluster.run("scancel", rival)
    assert {task.device for task in tasks} == {"gpu 1"}
    seen = "0" if at.cluster.cgroups else "1"
    assert {task.said["CUDA_VISIBLE_DEVICES"] for task in tasks} == {seen}
    assert [task.seat["gpus"] for task in tasks] == [["1"]] * 2  # as the node counts


def test_where_slurm_binds_each_has_cores_of_its_own(binding_cluster: Cluster, tmp_path: Path) -> None:
    there = binding_cluster.cpus
    with lab(tmp_path, binding_cluster) as at:
        _, tasks = run(at, 3, {"slots": 2, "cpus": 1, "gpus": 0, "memory": "50M", "time_limit": "10m"})
        first, second, _ = tasks
        assert first.seat["cores"] != second.seat["cores"]
        assert all(task.said["cores"] == task.seat["cores"] and len(task.seat["cores"]) == 1 for task in tasks)
        # A node for itself: all its cores and GPUs, whatever was asked for, and all of them are dealt.
        whole = {"per_gpu": 2, "memory": "50M", "time_limit": "10m", "options": ["--exclusive"]}
        _, (one, other) = run(at, 2, whole)
    assert {one.device, other.device} == {"gpu 0", "gpu 1"}
    assert not set(one.seat["cores"]) & set(other.seat["cores"])
    assert len(one.said["cores"] + other.said["cores"]) == there
    assert one.seat["threads"] == other.seat["threads"] == there // 2


def test_out_of_memory_on_a_gpu_costs_nobody_anything(cluster: Cluster, tmp_path: Path) -> None:
    """On scripted GPUs, whose memory tasks can really exhaust."""
    path, runner = tmp_path / "gpus.json", tmp_path / "runner.sh"
    gpus = ScriptedGpus(path)
    gpus.make(2, 10 * GB)
    runner.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{scripted.__file__}" "{path}" "$4"\n')
    runner.chmod(0o755)
    script = GREEDY.format(here=str(Path(scripted.__file__).parent), gpus=str(path))
    wanted = {"per_gpu": 3, "memory": "100M", "partition": "one", "time_limit": "10m"}
    with lab(tmp_path, cluster, slurm={"python": str(runner)}) as at:
        job = at.server.submit(script, params={"later": [7.5, 0.001, 0.001]}, resources=wanted)
        tasks = at.server.wait(job, PATIENCE)
        assert [task["state"] for task in tasks] == ["finished"] * 3
        *before, last = at.attempts(job, 1)
        assert {one["cause"] for one in before} == {"gpu_oom"}
        assert last["room"]["alone"] or last["room"]["gpu"] >= 9 * GB
        assert [at.ends(job, number) for number in (2, 3)] == [["finished"]] * 2
        assert {task["seat"]["gpus"][0] for task in tasks} == {"GPU-00000000"}
        [packing] = at.server.get(f"/jobs/{job}")["packing"]
        assert packing["gpu"] == "Scripted 10G"
        wait_for(lambda: not at.queue(job), PATIENCE, "its allocation to leave")
    assert gpus.look()["cards"][0]["most"] <= 10 * GB

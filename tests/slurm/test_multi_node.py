"""Test tasks over several nodes, with the frameworks' own communication, and how they end."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.slurm.support import PATIENCE, Lab
from tests.support.server import wait_for

ROOT = Path(__file__).resolve().parents[2]
FRAMEWORK_SECONDS = 240.0  # importing one of them takes long on a busy machine

TORCH = """
import os
import torch
import torch.distributed as dist

dist.init_process_group("gloo")  # by the environment
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
data = torch.randn(32, 2, generator=torch.Generator().manual_seed(rank))
target = data.sum(1, keepdim=True)
for epoch in range(3):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(data), target)
    loss.backward()
    optimizer.step()
    total = loss.detach().clone()
    dist.all_reduce(total)
    if rank == 0:
        print(f"epoch {epoch} val_loss: {total.item() / world:.5f}", flush=True)
said = [None] * world
here = (rank, os.environ["SLURMD_NODENAME"], os.environ["LOCAL_RANK"], next(model.parameters()).sum().item())
dist.all_gather_object(said, here)
if rank == 0:
    print("ranks", [one[0] for one in said])
    print("nodes", " ".join(one[1] for one in said))
    print("local", " ".join(one[2] for one in said))
    print("same", len({one[3] for one in said}) == 1, flush=True)
dist.destroy_process_group()
os._exit(0)  # while an interpreter ends, threads of PyTorch that still run may abort it
"""

TENSORFLOW = """
import os
import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
me = strategy.cluster_resolver.task_id
print(f"worker {me} of {strategy.num_replicas_in_sync} on {os.environ['SLURMD_NODENAME']}", flush=True)
with strategy.scope():
    weights = tf.Variable([0.0, 0.0], aggregation=tf.VariableAggregation.MEAN)
features = tf.random.stateless_normal([64, 2], [me, 1])
target = tf.reduce_sum(features, 1)

def replica():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.linalg.matvec(features, weights) - target) ** 2)
    weights.assign_sub(0.1 * tape.gradient(loss, weights))
    return loss

@tf.function
def step():
    return strategy.reduce(tf.distribute.ReduceOp.MEAN, strategy.run(replica), axis=None)

for epoch in range(3):
    loss = float(step())
    if me == 0:
        print(f"epoch {epoch} val_loss: {loss:.5f}", flush=True)
print(f"weights of {me}: {weights.numpy().tolist()}", flush=True)
"""

# Ignores what it is told, with a child that has left its group.
STUBBORN = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
path = os.path.join(os.environ["PADDOCK_RESULTS_DIR"], "rank" + os.environ["RANK"])
with open(path + ".new", "w") as file:
    print(os.environ["SLURMD_NODENAME"], os.getpid(), child.pid, file=file)
os.rename(path + ".new", path)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def train_python() -> str:
    """The python that has TensorFlow and PyTorch. The first call on a machine takes minutes."""
    program = [sys.executable, str(ROOT / "tools" / "train_env.py")]
    return subprocess.run(program, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def trained(at: Lab, python: str, source: str, **resources: Any) -> str:
    """What a task of two nodes printed, when it has finished with three points of its curve."""
    asked = {"nodes": 2, "memory": "5G", "cpus": 2, "time_limit": "20m", **resources}
    job = at.server.submit(
        source, environment={"python": python, "variables": {"OMP_NUM_THREADS": "1"}}, resources=asked
    )
    [task] = at.server.wait(job, FRAMEWORK_SECONDS)
    log = at.server.log_of(job)
    assert task["state"] == "finished", (task["reason"], log)
    [curve] = at.server.get(f"/tasks/{job}-1/metrics", metric="val_loss")
    assert curve["steps"] == [0, 1, 2]
    assert curve["values"][0] > curve["values"][-1]
    return log


def line(log: str, word: str) -> str:
    [found] = [line for line in log.splitlines() if line.startswith(f"{word} ")]
    return found.removeprefix(f"{word} ")


@pytest.mark.frameworks
def test_torchrun_on_two_nodes(at: Lab, train_python: str) -> None:
    log = trained(at, train_python, TORCH, launcher="torchrun", gpus=2)
    assert line(log, "ranks") == "[0, 1, 2, 3]"
    first, _, second, _ = nodes = line(log, "nodes").split()
    assert nodes == [first, first, second, second]
    assert first != second
    assert {first, second} <= set(at.cluster.nodes)
    assert line(log, "local") == "0 1 0 1"
    assert line(log, "same") == "True"


@pytest.mark.frameworks
def test_srun_on_two_nodes_with_what_pytorch_reads_from_the_environment(at: Lab, train_python: str) -> None:
    log = trained(at, train_python, TORCH, launcher="srun", gpus=1)
    assert line(log, "ranks") == "[0, 1]"
    assert len(set(line(log, "nodes").split())) == 2
    assert line(log, "local") == "0 0"
    assert line(log, "same") == "True"


@pytest.mark.frameworks
def test_tensorflow_on_two_nodes(at: Lab, train_python: str) -> None:
    log = trained(at, train_python, TENSORFLOW, launcher="tensorflow", gpus=1)
    workers = {line(log, f"worker {number} of 2 on") for number in (0, 1)}
    assert len(workers) == 2
    assert workers <= set(at.cluster.nodes)
    assert line(log, "weights of 0:") == line(log, "weights of 1:")


@pytest.mark.parametrize("how", ["stop", "cancel", "kill"])
def test_nothing_is_left_on_either_node(at: Lab, how: str) -> None:
    """Whether the task is stopped, its allocation is cancelled, or srun dies."""
    asked = {"nodes": 2, "gpus": 2, "launcher": "srun", "time_limit": "10m"}
    job = at.server.submit(STUBBORN, resources=asked, retries={"user_error": 0, "lost": 0})
    folder = at.server.home.job(job).task(f"{job}-1")
    wait_for(lambda: len(list(folder.glob("rank?"))) == 4, PATIENCE, "four processes")
    said = [path.read_text().split() for path in sorted(folder.glob("rank?"))]
    assert len({node for node, _, _ in said}) == 2
    processes = [int(pid) for _, *pids in said for pid in pids]
    assert all(alive(pid) for pid in processes)
    if how == "stop":
        at.server.post(f"/jobs/{job}/stop")
    elif how == "cancel":
        at.cluster.run("scancel", at.allocation(job))
    else:
        os.kill(at.attempts(job)[-1]["pid"], 9)
    wait_for(lambda: not any(map(alive, processes)), PATIENCE, "the end of all processes")
    [task] = at.server.wait(job, PATIENCE)
    assert task["state"] == ("error" if how == "kill" else "stopped")
    wait_for(lambda: not at.queue(job), PATIENCE, "an empty queue")


BUSY = """
import os, time
held = b"x" * (100 << 20)
path = os.path.join(os.environ["PADDOCK_RESULTS_DIR"], "rank" + os.environ["RANK"])
with open(path + ".new", "w") as file:
    print(os.environ["SLURMD_NODENAME"], os.getpid(), os.environ["OMP_NUM_THREADS"], file=file)
os.rename(path + ".new", path)
while True:
    time.sleep(0.1)
"""


def test_usage_of_the_ranks_and_which_of_them_was_killed(at: Lab) -> None:
    asked = {"nodes": 2, "gpus": 2, "cpus": 4, "memory": "2G", "launcher": "srun", "time_limit": "10m"}
    job = at.server.submit(BUSY, resources=asked, retries={"user_error": 0, "lost": 0})
    folder = at.server.home.job(job).task(f"{job}-1")
    wait_for(lambda: len(list(folder.glob("rank?"))) == 4, PATIENCE, "four processes")
    said = [path.read_text().split() for path in sorted(folder.glob("rank?"))]
    assert {threads for _, _, threads in said} == {"2"}

    def told() -> bool:
        return (at.server.task(job).get("peak_memory") or 0) > 4 * (100 << 20)

    wait_for(told, PATIENCE, "the memory of all ranks")
    os.kill(int(said[2][1]), 9)
    [task] = at.server.wait(job, PATIENCE)
    assert task["reason"] == f"rank 2 on {said[2][0]}: killed by signal 9 (SIGKILL), not by Paddock"
    wait_for(lambda: not at.queue(job), PATIENCE, "an empty queue")


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False

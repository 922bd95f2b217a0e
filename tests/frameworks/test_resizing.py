"""A plain DDP training, which knows nothing of Paddock but the folder of its checkpoints, changes its size."""

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.test_sizes import FIXED, finish
from tests.frameworks.conftest import run_warm
from tests.support.server import ServerProcess, running, wait_for

SECONDS = 400.0  # importing torch in two processes takes long on a busy machine

# Saves after each epoch. The batch of all processes together stays the same.
TRAIN = """
import os, time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1, dtype=torch.float64))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
path = os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "state.pt")
first = 1
if os.path.exists(path):
    saved = torch.load(path)
    model.module.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    first = saved["epoch"] + 1
data = torch.randn(16, 4, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
target = data.sum(1, keepdim=True)
stop = os.path.join(os.environ["PADDOCK_RESULTS_DIR"], "last")
done = torch.zeros(1)
for epoch in range(first, 100_000):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(data[rank::world]), target[rank::world])
    loss.backward()
    optimizer.step()
    total = loss.detach().clone()
    dist.all_reduce(total)
    if rank == 0:
        state = {"model": model.module.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
        torch.save(state, path + ".new")
        os.replace(path + ".new", path)
        print(f"epoch {epoch} val_loss: {total.item() / world:.12f} world: {world}", flush=True)
        done[0] = os.path.exists(stop)
    dist.broadcast(done, 0)
    if done.item():
        break
    time.sleep(0.2)
dist.destroy_process_group()
os._exit(0)  # while an interpreter ends, threads of PyTorch that still run may abort it
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    named = json.dumps(["0", "1"])
    with running(tmp_path / "home", local__gpus=named, runner__grace_seconds=20, elastic__sizes=False) as made:
        yield made


def trains(server: ServerProcess, job: str, world: int) -> None:
    def there() -> bool:
        task = server.task(job)
        sized = task["state"] == "running" and task["attempts"][-1]["size"] == world
        return sized and f"world: {world}" in server.log_of(job)

    wait_for(there, SECONDS, f"a training in {world} processes")


def test_a_plain_ddp_script_goes_on_with_two_processes_and_then_with_one(
    server: ServerProcess, train_python: str
) -> None:
    environment = {"python": train_python, "variables": {"OMP_NUM_THREADS": "1"}}
    resources = {"gpus": "1..2", "launcher": "torchrun"}
    job = server.submit(TRAIN, environment=environment, resources=resources)
    trains(server, job, 1)
    for gpus in (2, 1):
        server.post(f"/tasks/{job}-1/resize", {"gpus": gpus})
        trains(server, job, gpus)
    Path(server.task(job)["folder"], "last").touch()
    server.wait_state(job, "finished", seconds=SECONDS)
    task = server.task(job)
    assert [(one["size"], one["cause"]) for one in task["attempts"]] == [(1, "resized"), (2, "resized"), (1, None)]
    [curve] = server.get(f"/tasks/{job}-1/metrics", metric="val_loss")
    epochs, values = curve["steps"], curve["values"]
    assert epochs == [float(number) for number in range(1, len(epochs) + 1)], "no epoch is missing or twice"
    again = server.submit(TRAIN, environment=environment, resources={"gpus": 1, "launcher": "torchrun"})
    wait_for(lambda: (server.task(again)["epoch"] or 0) >= len(epochs), SECONDS, "the same training in one size")
    server.post(f"/tasks/{again}-1/stop")
    [plain] = server.get(f"/tasks/{again}-1/metrics", metric="val_loss")
    assert values == pytest.approx(plain["values"][: len(values)], abs=1e-5)


@pytest.fixture
def choosing(tmp_path: Path) -> Iterator[ServerProcess]:
    """A server whose policy resizes trainings, on two pretended GPUs."""
    often = {"elastic__sizes_seconds": 1.0, "runner__usage_seconds": 0.3, "runner__grace_seconds": 20}
    with running(tmp_path / "home", local__gpus=json.dumps(["0", "1"]), **often) as made:
        yield made


def never_resized(python: str, environ: dict[str, str], folder: Path, epochs: int) -> list[float]:
    """The curve of the same script in one process, without Paddock."""
    folder.mkdir()
    script = folder / "train.py"
    script.write_text(TRAIN.replace("100_000", str(epochs + 1)).replace("time.sleep(0.2)", ""))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    one = {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    environ = environ | one | {"PADDOCK_CHECKPOINT_DIR": str(folder), "PADDOCK_RESULTS_DIR": str(folder)}
    ended = run_warm(python, [str(script)], folder, environ)
    assert ended.returncode == 0, ended.stderr
    return [float(found) for found in re.findall(r"val_loss: (\S+)", ended.stdout)]


def test_the_policy_resizes_a_plain_ddp_script_and_its_curve_is_the_one_never_resized(
    choosing: ServerProcess, train_python: str, train_environ: dict[str, str], tmp_path: Path
) -> None:
    other = choosing.submit(FIXED, resources={"gpus": 1})
    choosing.wait_state(other, "running")
    environment = {"python": train_python, "variables": {"OMP_NUM_THREADS": "1"}}
    script = TRAIN.replace("epoch {epoch} ", "epoch {epoch}/100000 ")  # much is left: it is worth a start of PyTorch
    job = choosing.submit(script, environment=environment, resources={"gpus": "1..2", "launcher": "torchrun"})
    trains(choosing, job, 1)
    finish(choosing, other)
    trains(choosing, job, 2)
    late = choosing.submit(FIXED, resources={"gpus": 1})
    trains(choosing, job, 1)
    choosing.wait_state(late, "running")
    Path(choosing.task(job)["folder"], "last").touch()
    choosing.wait_state(job, "finished", seconds=SECONDS)
    *resized, last = choosing.task(job)["attempts"]
    assert [(one["size"], one["cause"]) for one in (*resized, last)] == [(1, "resized"), (2, "resized"), (1, None)]
    assert all("by the policy: " in one["reason"] for one in resized)
    [curve] = choosing.get(f"/tasks/{job}-1/metrics", metric="val_loss")
    epochs = len(curve["steps"])
    assert curve["steps"] == [float(number) for number in range(1, epochs + 1)], "no epoch is missing or twice"
    assert curve["values"] == pytest.approx(
        never_resized(train_python, train_environ, tmp_path / "plain", epochs), abs=1e-5
    )
    finish(choosing, late)

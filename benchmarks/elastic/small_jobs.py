"""Jobs of real PyTorch that take a minute at most, and are known exactly: an epoch takes as long as was made up for it.

The epochs are steps of a real net, and a wait: so eight of them run side by side on a few cores, as on GPUs of their
own. What they take besides (starting Python, importing PyTorch, forming a group) is real.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

JOBS, EPOCHS = 30, 8
ARRIVE_IN = 60.0  # seconds in which all jobs arrive
LARGE, LARGE_TASKS = 2, 20  # the first sweeps to arrive, and their tasks: the others are small ones beside them
TRAININGS, TRAINING_EPOCHS = 3, 48  # the first jobs of the other set
SPEED = {1: 1.0, 2: 1.8, 4: 3.0}  # of trainings on so many GPUs; made up

BEGIN = """
import argparse, os, time
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--number", type=int)
parser.add_argument("--epochs", type=int)
parser.add_argument("--seconds", type=float)
args = parser.parse_args()
torch.set_num_threads(1)
torch.manual_seed(args.number)
"""

SWEEP = (
    BEGIN
    + """model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
data = torch.randn(256, 8)
target = data.sum(1, keepdim=True)
began = time.monotonic()
for epoch in range(1, args.epochs + 1):
    for _ in range(10):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(data), target)
        loss.backward()
        optimizer.step()
    time.sleep(max(0.0, began + epoch * args.seconds - time.monotonic()))
    print(f"epoch {epoch}/{args.epochs} val_loss: {loss.item():.5f}", flush=True)
"""
)

TRAINING = (
    BEGIN
    + f"""import torch.distributed as dist

SPEED = {SPEED}
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
model = torch.nn.parallel.DistributedDataParallel(net)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
data = torch.randn(256, 8)
target = data.sum(1, keepdim=True)
saved = os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "state.pt")
done = 0
if os.path.exists(saved):
    state = torch.load(saved)
    net.load_state_dict(state["net"])
    optimizer.load_state_dict(state["optimizer"])
    done = state["epoch"]
began = time.monotonic()
for epoch in range(done + 1, args.epochs + 1):
    for _ in range(10):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(data[rank::world]), target[rank::world])
        loss.backward()
        optimizer.step()
    time.sleep(max(0.0, began + (epoch - done) * args.seconds / SPEED[world] - time.monotonic()))
    if rank == 0:
        whole = dict(net=net.state_dict(), optimizer=optimizer.state_dict(), epoch=epoch)
        torch.save(whole, saved + ".new")
        os.replace(saved + ".new", saved)
        print(f"epoch {{epoch}}/{{args.epochs}} val_loss: {{loss.item():.5f}}", flush=True)
dist.destroy_process_group()
"""
)


@dataclass(frozen=True)
class SmallJob:
    """A job of this many tasks, each with so many epochs, which take these seconds on the fewest GPUs.

    `most`: a training that can have any number of GPUs up to that; None: a sweep.
    """

    name: str
    arrives: float
    tasks: int
    epochs: int
    seconds: float
    gpus: int = 1
    most: int | None = None

    @property
    def resources(self) -> dict[str, Any]:
        if self.most is None:
            return {"gpus": self.gpus, "cpus": 1}
        gpus = f"{self.gpus}..{self.most}" if self.most > self.gpus else self.gpus
        return {"gpus": gpus, "cpus": 1, "launcher": "torchrun"}

    @property
    def params(self) -> dict[str, Any]:
        return {"number": list(range(self.tasks)), "epochs": self.epochs, "seconds": self.seconds}

    def epoch_seconds(self, gpus: int) -> float:
        return self.seconds if self.most is None else self.seconds / SPEED[gpus]


def sweeps(seed: int) -> list[SmallJob]:
    """Return two sweeps of 20 tasks, and 28 of one or two that arrive after them."""
    random = np.random.default_rng([seed, 30])
    times = np.sort(random.uniform(0.0, ARRIVE_IN, JOBS))
    counts = random.choice([1, 2], JOBS)
    counts[:LARGE] = LARGE_TASKS
    seconds = np.clip(random.lognormal(np.log(1.4), 0.7, JOBS), 0.4, 5.0)
    gpus = random.choice([1, 2], JOBS, p=[0.85, 0.15])
    seconds[:LARGE], gpus[:LARGE] = 1.5, 1
    return [
        SmallJob(f"j{number:02}", float(at), int(count), EPOCHS, round(float(each), 2), int(size))
        for number, (at, count, each, size) in enumerate(zip(times, counts, seconds, gpus, strict=True))
    ]


def trainings(seed: int, most: int) -> list[SmallJob]:
    """Return three trainings of one GPU or up to `most`, and 27 single short tasks that arrive after them."""
    random = np.random.default_rng([seed, 31])
    times = np.sort(random.uniform(0.0, ARRIVE_IN, JOBS))
    seconds = np.clip(random.lognormal(np.log(0.6), 0.7, JOBS), 0.3, 2.0)
    seconds[:TRAININGS] = random.uniform(4.5, 5.5, TRAININGS)
    return [
        SmallJob(f"j{number:02}", float(at), 1, TRAINING_EPOCHS, round(float(each), 2), 1, most)
        if number < TRAININGS
        else SmallJob(f"j{number:02}", float(at), 1, EPOCHS, round(float(each), 2))
        for number, (at, each) in enumerate(zip(times, seconds, strict=True))
    ]

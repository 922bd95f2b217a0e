"""Thirty small sweeps of real PyTorch on a real Slurm of two nodes with four slots each, and the same ones simulated.

The epochs of a training are steps of a real net, and a wait until as long has passed as was made up for it: so eight
of them run side by side on a few cores, as they would on GPUs of their own. The simulation is the same engine on a
pretended cluster (`backends/simulated.py`). It is told one thing that was measured: how long a process needs to begin.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from tests.slurm.conftest import started_cluster
from tests.slurm.support import Lab, lab

from paddock.backends.simulated import QUEUED
from paddock.backends.simulated_runners import Course
from paddock.models import Device, JobSpec, Node, Resources
from paddock.models.choices import JobOrder
from paddock.runner.mailbox import QueuedAttempt
from paddock.server.intake import submission
from paddock.server.simulation.drive import ClusterSize, Simulation
from paddock.server.store import tasks
from paddock.settings import ElasticSettings, Settings, SlurmSettings

ROOT = Path(__file__).resolve().parents[2]
NODES, SLOTS, CORES = 2, 4, 8
JOBS, EPOCHS = 30, 8
ARRIVE_IN = 60.0  # seconds in which all jobs arrive
BEGAN = 1_800_000_000.0
LARGE, LARGE_TASKS = 2, 20  # the first jobs to arrive, and their tasks: the others are small sweeps beside them
PATIENCE = 1200.0
ORDERS = (JobOrder.FIRST, JobOrder.FAIR, JobOrder.SHORT)

TRAIN = """
import argparse, time
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--number", type=int)
parser.add_argument("--epochs", type=int)
parser.add_argument("--seconds", type=float)
args = parser.parse_args()
torch.set_num_threads(1)
torch.manual_seed(args.number)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
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


@dataclass(frozen=True)
class Sweep:
    """A job: so many tasks, each with EPOCHS epochs of so many seconds."""

    name: str
    arrives: float
    tasks: int
    seconds: float
    gpus: int


def sweeps(seed: int) -> list[Sweep]:
    random = np.random.default_rng([seed, 30])
    times = np.sort(random.uniform(0.0, ARRIVE_IN, JOBS))
    counts = random.choice([1, 2], JOBS)
    counts[:LARGE] = LARGE_TASKS
    seconds = np.clip(random.lognormal(np.log(1.4), 0.7, JOBS), 0.4, 5.0)
    gpus = random.choice([1, 2], JOBS, p=[0.85, 0.15])
    seconds[:LARGE], gpus[:LARGE] = 1.5, 1
    return [
        Sweep(f"j{number:02}", float(at), int(count), round(float(each), 2), int(size))
        for number, (at, count, each, size) in enumerate(zip(times, counts, seconds, gpus, strict=True))
    ]


def spec_of(sweep: Sweep) -> dict[str, Any]:
    resources = {"gpus": sweep.gpus, "cpus": 1}
    return {"name": sweep.name, "resources": resources}


@dataclass(frozen=True)
class Took:
    """Seconds from arrival to the end of each job, and how long processes took until they trained."""

    seconds: dict[str, float]
    starts: list[float]


def really(plans: Sequence[Sweep], order: JobOrder, python: str) -> Took:
    """Run them on a real Slurm."""
    usual = SlurmSettings()
    paces = {"poll_seconds": usual.poll_seconds, "rest_seconds": usual.rest_seconds}
    with (
        tempfile.TemporaryDirectory() as folder,
        started_cluster(nodes=NODES, gpus=SLOTS, cpus=CORES, accounting=False) as cluster,
        lab(Path(folder, "lab"), cluster, slurm=paces, elastic__order=order.value) as at,
    ):
        began, jobs = time.time(), dict[str, tuple[str, float]]()
        for plan in plans:
            time.sleep(max(0.0, began + plan.arrives - time.time()))
            jobs[plan.name] = _submitted(at, plan, python), time.time()
        ended, starts = {}, []
        for plan in plans:
            job, arrived = jobs[plan.name]
            found = at.server.wait(job, PATIENCE)
            assert {task["state"] for task in found} == {"finished"}, found
            last = [at.server.task(job, number)["attempts"][-1] for number in range(1, plan.tasks + 1)]
            ended[plan.name] = max(_moment(one["ended_at"]) for one in last) - arrived
            starts += [_moment(one["ended_at"]) - _moment(one["started_at"]) - EPOCHS * plan.seconds for one in last]
    return Took(ended, starts)


def _submitted(at: Lab, plan: Sweep, python: str) -> str:
    params = {"number": list(range(plan.tasks)), "epochs": EPOCHS, "seconds": plan.seconds}
    environment = {"python": python, "variables": {"OMP_NUM_THREADS": "1"}}
    return at.server.submit(TRAIN, params=params, environment=environment, objective="val_loss", **spec_of(plan))


def _moment(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def simulated(plans: Sequence[Sweep], order: JobOrder, start: float) -> dict[str, float]:
    """Return what the same engine makes of them on a pretended cluster. `start`: until a process trains."""
    by_job: dict[str, Sweep] = {}

    def course(job: str, _attempt: QueuedAttempt, _gpus: int) -> Course:
        return Course(start, [by_job[job].seconds] * EPOCHS)

    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder, "home"), backend="simulated", elastic=ElasticSettings(order=order))
        gpus = [Device(id=str(number), kind="gpu", name="made") for number in range(SLOTS)]
        nodes = [
            Node(name=f"n{number}", backend="", cpus=CORES, slots=SLOTS, cpu_slots=CORES, devices=gpus)
            for number in range(NODES)
        ]
        sizes = {"simulated": ClusterSize(nodes, QUEUED)}
        with Simulation(Path(folder, "home"), sizes, course, settings, BEGAN) as simulation:
            for plan in plans:
                simulation.at(BEGAN + plan.arrives, _submission(simulation, plan, by_job))
            assert simulation.run(), "not all jobs have ended"
            return {plan.name: _ended(simulation, job, plan) - BEGAN for job, plan in by_job.items()}


def _submission(simulation: Simulation, plan: Sweep, by_job: dict[str, Sweep]) -> Callable[[], None]:
    resources = Resources(gpus=plan.gpus, cpus=1)
    params = {"number": list(range(plan.tasks))}
    spec = JobSpec.model_validate(
        {"command": "train {number}", "name": plan.name, "params": params, "resources": resources.model_dump()}
    )

    def submit() -> None:
        made = submission.plan(spec, {}, simulation.settings, simulation.engine.nodes("simulated"), QUEUED)
        by_job[simulation.submit(made, "somebody")] = plan

    return submit


def _ended(simulation: Simulation, job: str, plan: Sweep) -> float:
    with simulation.db.read() as c:
        last = [tasks.attempts_of(c, f"{job}-{number}")[-1] for number in range(1, plan.tasks + 1)]
    return max(one.ended_at.timestamp() for one in last if one.ended_at) - plan.arrives


def compare(seed: int, orders: Sequence[JobOrder] = ORDERS) -> None:
    """Print the mean completion of each order, real and simulated."""
    program = [sys.executable, str(ROOT / "tools" / "train_env.py")]
    python = subprocess.run(program, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    plans = sweeps(seed)
    work = sum(plan.tasks * plan.seconds * EPOCHS * plan.gpus for plan in plans)
    count = sum(plan.tasks for plan in plans)
    print(f"seed {seed}: {JOBS} jobs, {count} tasks, {work:.0f} slot-seconds on {NODES} x {SLOTS} slots", flush=True)
    means: dict[str, tuple[float, float]] = {}
    for order in orders:
        began = time.time()
        real = really(plans, order, python)
        start = float(np.mean(real.starts))
        made = simulated(plans, order, start)
        mine, theirs = float(np.mean(list(real.seconds.values()))), float(np.mean(list(made.values())))
        means[order.value] = mine, theirs
        apart = np.corrcoef([real.seconds[one.name] for one in plans], [made[one.name] for one in plans])[0, 1]
        print(
            f"{order.value:<6} real {mine:.1f} s, simulated {theirs:.1f} s: {mine / theirs - 1:+.1%}; correlation of "
            f"jobs {apart:.2f}; a process trains after {start:.1f} s (p90 {np.percentile(real.starts, 90):.1f}); "
            f"took {time.time() - began:.0f} s",
            flush=True,
        )
    for place, what in enumerate(("real", "simulated")):
        print(f"{what}: {' < '.join(sorted(means, key=lambda name: means[name][place]))}")

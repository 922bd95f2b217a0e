"""Thirty jobs of real PyTorch on a real Slurm of two nodes with four slots each, and the same ones simulated.

The simulation is the same engine on a pretended cluster. It is told what was measured: what tasks take besides their
epochs, which is drawn anew for each attempt, and how long a place stays empty between two allocations.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from tests.slurm.conftest import started_cluster
from tests.slurm.support import Lab, lab
from tests.support.server import wait_for

from benchmarks.elastic.same_simulated import nodes, simulated
from benchmarks.elastic.small_jobs import SWEEP, TRAINING, SmallJob, sweeps, trainings
from paddock.models.choices import JobOrder
from paddock.settings import ElasticSettings, SlurmSettings

ROOT = Path(__file__).resolve().parents[2]
NODES, SLOTS, CORES = 2, 4, 8
PATIENCE = 1200.0
SIZES_SECONDS = 5.0  # between two decisions on sizes: a minute in a workload of hours
DRAWS = 5  # simulations, which differ in which task begins slowly
PROBES, PROBE_SECONDS = 4, 2  # jobs for each slot
PROBE = """
import os, time
while not os.path.exists({go!r}):
    time.sleep(0.05)
time.sleep({seconds})
"""


@dataclass(frozen=True)
class Policy:
    """What is compared: an order of jobs, and how many GPUs a training may have at most."""

    name: str
    order: JobOrder = JobOrder.FAIR
    most: int | None = None

    def jobs(self, seed: int) -> list[SmallJob]:
        return sweeps(seed) if self.most is None else trainings(seed, self.most)

    @property
    def elastic(self) -> ElasticSettings:
        return ElasticSettings(order=self.order, sizes_seconds=SIZES_SECONDS)


ORDERS = [Policy(order.value, order) for order in (JobOrder.FIRST, JobOrder.FAIR, JobOrder.SHORT)]
SIZES = [Policy("fixed", most=1), Policy("sizes", most=4)]
NAMES = [one.name for one in (*ORDERS, *SIZES)]


@dataclass(frozen=True)
class Attempt:
    """An attempt of a task as it really was. `place`: its node and GPUs; `epochs`: those of it that it ended."""

    job: str
    place: str
    gpus: int
    began: float
    ended: float
    epochs: int
    finished: bool


@dataclass(frozen=True)
class Took:
    """Seconds from arrival to the end of each job, its attempts, and how long a place stays empty in between."""

    seconds: dict[str, float]
    attempts: list[Attempt]
    gaps: list[float]

    def starts(self, jobs: Sequence[SmallJob]) -> dict[int, list[float]]:
        """Return what tasks took besides their epochs, by GPUs."""
        by_name, found = {one.name: one for one in jobs}, defaultdict[int, list[float]](list)
        for one in self.attempts:
            if one.finished:
                found[one.gpus].append(one.ended - one.began - one.epochs * by_name[one.job].epoch_seconds(one.gpus))
        return dict(found)


def really(jobs: Sequence[SmallJob], policy: Policy, python: str, probes: int = PROBES) -> Took:
    """Run them on a real Slurm. `probes`: jobs per slot that show how long places stay empty in between."""
    usual = SlurmSettings()
    paces = {"poll_seconds": usual.poll_seconds, "rest_seconds": usual.rest_seconds}
    elastic: dict[str, Any] = {"elastic__order": policy.order.value, "elastic__sizes_seconds": SIZES_SECONDS}
    with (
        tempfile.TemporaryDirectory() as folder,
        started_cluster(nodes=NODES, gpus=SLOTS, cpus=CORES, accounting=False) as cluster,
        lab(Path(folder, "lab"), cluster, slurm=paces, **elastic) as at,
    ):
        gaps = _gaps(at, probes)
        began, ids = time.time(), dict[str, tuple[str, float]]()
        for one in jobs:
            time.sleep(max(0.0, began + one.arrives - time.time()))
            arrived = time.time()
            ids[one.name] = _submitted(at, one, python), arrived
        ended, attempts = {}, []
        for one in jobs:
            job, arrived = ids[one.name]
            found = at.server.wait(job, PATIENCE)
            assert {task["state"] for task in found} == {"finished"}, found
            own = [each for number in range(1, one.tasks + 1) for each in _attempts(at, job, number, one)]
            ended[one.name] = max(each.ended for each in own) - arrived
            attempts += own
    return Took(ended, attempts, gaps)


def _gaps(at: Lab, probes: int) -> list[float]:
    """Return how long places stay empty between two jobs while others wait, in seconds."""
    go, slots = at.witness.folder / "go", NODES * SLOTS
    source = PROBE.format(go=str(go), seconds=PROBE_SECONDS)
    ids = [at.server.submit(source, resources={"gpus": 1, "cpus": 1}) for _ in range(probes * slots)]
    waiting = (probes - 1) * slots
    wait_for(lambda: at.cluster.run("squeue", "-h", "-r", "-t", "PENDING").count("\n") + 1 >= waiting, PATIENCE)
    go.touch()
    for job in ids:
        at.server.wait(job, PATIENCE)
    by_place = defaultdict[str, list[tuple[float, float]]](list)
    for job in ids:
        one = at.attempts(job)[0]
        by_place[_place(one)].append((_moment(one["started_at"]), _moment(one["ended_at"])))
    return [after[0] - before[1] for some in by_place.values() for before, after in pairwise(sorted(some))]


def _submitted(at: Lab, one: SmallJob, python: str) -> str:
    environment = {"python": python, "variables": {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}}
    source = SWEEP if one.most is None else TRAINING
    given: dict[str, Any] = {"name": one.name, "resources": one.resources, "environment": environment}
    return at.server.submit(source, params=one.params, objective="val_loss", **given)


def _attempts(at: Lab, job: str, number: int, one: SmallJob) -> list[Attempt]:
    made = []
    for each in at.attempts(job, number):
        log = at.server.log_of(job, number, each["number"])
        gpus = len((each["seat"] or {}).get("gpus", [])) or each["size"] or one.gpus
        times = _moment(each["started_at"]), _moment(each["ended_at"])
        finished = each["state"] == "finished"
        made.append(Attempt(one.name, _place(each), gpus, *times, log.count("val_loss:"), finished))
    return made


def _place(attempt: Mapping[str, Any]) -> str:
    return f"{attempt['node']}: {attempt['device']}"


def _moment(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


@dataclass(frozen=True)
class Means:
    """Mean seconds to completion."""

    real: float
    simulated: float


def compare(names: Sequence[str], seed: int, python: str | None) -> None:
    """Print the mean completion of each policy, real and simulated. `python`: one that has PyTorch."""
    if python is None:
        program = [sys.executable, str(ROOT / "tools" / "train_env.py")]
        python = subprocess.run(program, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    for some in (ORDERS, SIZES):
        chosen = [one for one in some if one.name in names]
        means = {one.name: measure(one, one.jobs(seed), python) for one in chosen}
        for what in ("real", "simulated") if len(means) > 1 else ():
            print(f"{what}: {' < '.join(sorted(means, key=lambda name: getattr(means[name], what)))}", flush=True)


def measure(policy: Policy, jobs: Sequence[SmallJob], python: str) -> Means:
    """Run the jobs, really and simulated, and print what came of it."""
    began, load = time.time(), os.getloadavg()[0]
    real = really(jobs, policy, python)
    starts = real.starts(jobs)
    usual = [each for some in starts.values() for each in some]
    told = {gpus: starts.get(gpus, usual) for gpus in range(1, SLOTS + 1)}
    turnaround = float(np.mean(real.gaps))
    cluster = nodes(NODES, SLOTS, CORES)
    made = [simulated(jobs, policy.elastic, cluster, told, turnaround, draw) for draw in range(DRAWS)]
    mine = float(np.mean(list(real.seconds.values())))
    means = [float(np.mean(list(one.values()))) for one in made]
    theirs = float(np.mean(means))
    each = [float(np.mean([one[job.name] for one in made])) for job in jobs]
    together = np.corrcoef([real.seconds[one.name] for one in jobs], each)[0, 1]
    costs = [f"{np.mean(some):.1f} (p90 {np.percentile(some, 90):.1f}) on {n}" for n, some in sorted(starts.items())]
    gaps = f"{turnaround:.2f} s (p90 {np.percentile(real.gaps, 90):.2f})"
    resizes = sum(not one.finished for one in real.attempts)
    print(
        f"{policy.name:<6} real {mine:.1f} s, simulated {theirs:.1f} s ({min(means):.1f} to {max(means):.1f}): "
        f"{mine / theirs - 1:+.1%}; correlation of jobs {together:.2f}; {resizes} resizes; seconds of a task besides "
        f"its epochs, by GPUs: {', '.join(costs)}; between two allocations {gaps}; load before {load:.1f}, now "
        f"{os.getloadavg()[0]:.1f}; took {time.time() - began:.0f} s",
        flush=True,
    )
    return Means(mine, theirs)

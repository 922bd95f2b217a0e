"""The workloads on the real engine, its store and its intake: a pretended cluster, and a clock that jumps.

Sizes are those that were asked for, and the queue is in order: nothing overtakes. The policy simulator runs the same
(`in order`), so that both can be compared: `python -m benchmarks.elastic --level 2`. With `--sizes` trainings have one
to four GPUs, as the engine chooses, and the policy simulator's are limited to that (`on one node`).
"""

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.elastic.tables import NODE, NODES
from benchmarks.elastic.workload import JobPlan
from paddock.backends.simulated import QUEUED
from paddock.backends.simulated_runners import Course
from paddock.models import Device, JobSpec, Node, Resources
from paddock.runner.mailbox import QueuedAttempt
from paddock.server.intake import submission
from paddock.server.simulation.drive import ClusterSize, Simulation
from paddock.server.store import tasks
from paddock.settings import Settings

BEGAN = 1_800_000_000.0
CORES = 64


@dataclass(frozen=True)
class EngineRun:
    """What became of a workload: seconds from arrival to end by plan, and what it took."""

    seconds: dict[str, float]
    rounds: int
    simulated: float
    wall: float
    cpu: float


def cluster() -> list[Node]:
    """Return the nodes of the policy simulator."""
    gpus = [Device(id=str(number), kind="gpu", name="made") for number in range(NODE)]
    return [
        Node(name=f"n{number:02}", backend="", cpus=CORES, slots=NODE, cpu_slots=CORES, devices=gpus)
        for number in range(NODES)
    ]


def course_of(plan: JobPlan, gpus: int) -> Course:
    """Return how a training goes with the batch asked for: an epoch for each entry of its noise."""
    parts = len(plan.kind.noise)
    rates = [plan.kind.goodput(gpus, plan.batch, float(noise)) for noise in plan.kind.noise]
    return Course(plan.kind.restart, [plan.work / parts / rate for rate in rates])


def resources_of(plan: JobPlan, sizes: bool) -> Resources:
    if sizes:
        return Resources(gpus=1, most_gpus=NODE if plan.elastic else None, cpus=1)
    nodes = max(plan.gpus // NODE, 1)
    several = {"nodes": nodes, "launcher": "torchrun"} if nodes > 1 else {}
    return Resources(gpus=min(plan.gpus, NODE), cpus=1, **several)


def run(plans: Sequence[JobPlan], sizes: bool = False, look_seconds: float = 1800.0) -> EngineRun:
    """Return what the engine makes of a workload. `sizes`: it chooses them, of one to four GPUs."""
    by_job: dict[str, JobPlan] = {}

    def course(job: str, _attempt: QueuedAttempt, gpus: int) -> Course:
        assert sizes or gpus == by_job[job].gpus
        return course_of(by_job[job], gpus)

    wall, cpu = time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder, "home"), backend="simulated")
        clusters = {"simulated": ClusterSize(cluster(), QUEUED)}
        with Simulation(Path(folder, "home"), clusters, course, settings, BEGAN, look_seconds) as simulation:
            for plan in plans:
                simulation.at(BEGAN + plan.arrives, _submission(simulation, plan, by_job, sizes))
            assert simulation.run(), "not all jobs have ended"
            seconds = {plan.id: _ended(simulation, job) - plan.arrives - BEGAN for job, plan in by_job.items()}
            took = simulation.clock.at - BEGAN
            rounds = simulation.rounds
    return EngineRun(seconds, rounds, took, time.perf_counter() - wall, time.process_time() - cpu)


def _submission(simulation: Simulation, plan: JobPlan, by_job: dict[str, JobPlan], sizes: bool) -> Callable[[], None]:
    command = f"train {plan.kind.name} {plan.batch:.0f}"
    spec = JobSpec(command=command, name=plan.id, resources=resources_of(plan, sizes), yields=sizes)

    def submit() -> None:
        nodes = simulation.engine.nodes("simulated")
        made = submission.plan(spec, {}, simulation.settings, nodes, QUEUED)
        by_job[simulation.submit(made, "somebody")] = plan

    return submit


def _ended(simulation: Simulation, job: str) -> float:
    with simulation.db.read() as c:
        last = tasks.attempts_of(c, f"{job}-1")[-1]
    assert last.ended_at is not None
    return last.ended_at.timestamp()


def compare(ours: EngineRun, others: dict[str, float]) -> str:
    """Describe how far the engine is from the policy simulator on the same workload."""
    mine, theirs = np.mean(list(ours.seconds.values())), np.mean([others[plan] for plan in ours.seconds])
    apart = max(abs(ours.seconds[plan] - others[plan]) for plan in ours.seconds)
    return (
        f"engine {mine:.1f} s, simulator {theirs:.1f} s: {mine / theirs - 1:+.2%}; "
        f"one job at most {apart:.0f} s apart; "
        f"{ours.simulated / 3600:.1f} h in {ours.wall:.1f} s ({ours.cpu:.1f} s of CPU, {ours.rounds} rounds)"
    )

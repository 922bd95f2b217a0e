"""The small jobs on a pretended cluster (`backends/simulated.py`), with the same engine and policy as on a real one."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.elastic.small_jobs import SmallJob
from paddock.backends.simulated import QUEUED
from paddock.backends.simulated_runners import Course
from paddock.models import Device, JobSpec, Node
from paddock.runner.mailbox import QueuedAttempt
from paddock.server.intake import submission
from paddock.server.simulation.drive import ClusterSize, Simulation
from paddock.server.store import tasks
from paddock.settings import ElasticSettings, Settings, SlurmSettings

BACKEND = "slurm"
BEGAN = 1_800_000_000.0
PERIOD = 5.0  # seconds; as often the engine decides anew although nothing has changed


def nodes(count: int, slots: int, cores: int) -> list[Node]:
    gpus = [Device(id=str(number), kind="gpu", name="made") for number in range(slots)]
    return [
        Node(name=f"n{number}", backend="", cpus=cores, slots=slots, cpu_slots=cores, devices=gpus)
        for number in range(count)
    ]


def simulated(
    jobs: Sequence[SmallJob],
    elastic: ElasticSettings,
    cluster: Sequence[Node],
    starts: Mapping[int, Sequence[float]],
    turnaround: float,
    draw: int = 0,
) -> dict[str, float]:
    """Return the seconds from arrival to end by job.

    `starts`: what tasks took besides their epochs, by GPUs, of which each attempt gets one at random; `turnaround`:
    from the end of an allocation until the next one works. Simulations of several `draw` also differ in when the jobs
    arrive, compared to what the engine does every few seconds.
    """
    by_job: dict[str, SmallJob] = {}
    random = np.random.default_rng(draw)
    began = BEGAN + float(random.uniform(0.0, PERIOD))

    def course(job: str, _attempt: QueuedAttempt, gpus: int) -> Course:
        one = by_job[job]
        return Course(float(random.choice(starts[gpus])), [one.epoch_seconds(gpus)] * one.epochs)

    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            home=Path(folder, "home"), backend=BACKEND, backends={BACKEND: SlurmSettings()}, elastic=elastic
        )
        sizes = {BACKEND: ClusterSize(cluster, QUEUED, turnaround)}
        with Simulation(Path(folder, "home"), sizes, course, settings, BEGAN) as simulation:
            for one in jobs:
                simulation.at(began + one.arrives, _submission(simulation, one, by_job))
            assert simulation.run(), "not all jobs have ended"
            return {one.name: _ended(simulation, job, one) - began for job, one in by_job.items()}


def _submission(simulation: Simulation, one: SmallJob, by_job: dict[str, SmallJob]) -> Callable[[], None]:
    program = "sweep" if one.most is None else "training"
    given = {"params": one.params, "resources": one.resources, "yields": one.most is not None}
    spec = JobSpec.model_validate(
        {"command": f"{program} {{number}} {{epochs}} {{seconds}}", "name": one.name, **given}
    )

    def submit() -> None:
        made = submission.plan(spec, {}, simulation.settings, simulation.engine.nodes(BACKEND), QUEUED)
        by_job[simulation.submit(made, "somebody")] = one

    return submit


def _ended(simulation: Simulation, job: str, one: SmallJob) -> float:
    with simulation.db.read() as c:
        last = [tasks.attempts_of(c, f"{job}-{number}")[-1] for number in range(1, one.tasks + 1)]
    return max(each.ended_at.timestamp() for each in last if each.ended_at) - one.arrives

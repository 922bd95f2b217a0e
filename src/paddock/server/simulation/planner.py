"""What a cluster would do with some jobs: the engine on pretended nodes, in a limited process of its own.

The process gets the jobs, the nodes and the settings, and works in a folder that is deleted: it knows neither the
server's home nor its database.
"""

import shutil
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paddock.backends.simulated import SimulatedAllocation
from paddock.backends.simulated_runners import Course
from paddock.errors import Busy
from paddock.models import Device, Environment, JobSpec, Node, Params, Search, TaskState, Traits
from paddock.models.plan import JobsPlan, PlannedJob, SlotUse
from paddock.models.spec import StopEarly
from paddock.runner.mailbox import QueuedAttempt
from paddock.server.engine.bookings import goes_on
from paddock.server.intake import apart
from paddock.server.intake.submission import Plan
from paddock.server.simulation.drive import ClusterSize, Simulation, inward
from paddock.server.store import jobs, tasks
from paddock.server.store.rows import moment
from paddock.settings import Settings

SECONDS, BYTES = 120.0, 1024**3
ENOUGH_SECONDS, ENOUGH_CPU = 90.0, 45.0  # after this, what was found so far is the answer
GRAIN = 200  # the engine looks this often in the time that all will take
FARTHEST = 90 * 86400.0  # simulated
PARTS = 10  # of a task, after each of which it has a checkpoint
EFFICIENCY = 0.8  # of the exponent of the speed-up, where a task has more GPUs than the fewest
START_SECONDS = 5.0
STEPS = 200
COMMAND = "planned"
_place = threading.BoundedSemaphore(1)  # so that plans never have all processes of their own that there may be


@dataclass(frozen=True)
class PlannedWork:
    """A job of a plan. `seconds`: of each of its tasks, with the fewest GPUs; `known`: from how many earlier tasks."""

    made: Plan
    owner: str
    seconds: Sequence[float]
    known: int
    after: float = 0.0


@dataclass(frozen=True)
class PlanWork:
    jobs: Sequence[PlannedWork]
    clusters: Mapping[str, ClusterSize]
    settings: Settings
    at: float
    root: Path = Path()


def plan(work: PlanWork) -> JobsPlan:
    """Return what would become of the jobs; in a process with limits of time and memory."""
    if not _place.acquire(blocking=False):
        raise Busy("The server is working out another plan: try again in a minute.")
    try:
        return _plan(work)
    finally:
        _place.release()


def _plan(work: PlanWork) -> JobsPlan:
    root = Path(tempfile.mkdtemp(prefix="paddock-plan-"))
    try:
        settings = inward(work.settings, root, work.clusters)
        bare = [PlannedWork(stripped(one), one.owner, one.seconds, one.known, one.after) for one in work.jobs]
        asked = PlanWork(bare, work.clusters, settings, work.at, root)
        found: JobsPlan = apart.run(
            "paddock.server.simulation.planner:planned",
            asked,
            "Working out this plan",
            SECONDS,
            BYTES,
            "plan fewer jobs or tasks",
        )
        return found
    finally:
        shutil.rmtree(root, ignore_errors=True)


def stripped(one: PlannedWork) -> Plan:
    """Return a plan with as many tasks that only take their time: no files, no environment, and no search."""
    given = one.made.spec
    at_once = min(given.parallel or one.made.at_once, one.made.at_once)
    spec = JobSpec(
        name=given.name,
        command=COMMAND,
        resources=given.resources.model_copy(update={"container": None}),
        priority=given.priority,
        elastic=given.elastic,
        yields=goes_on(given, one.made.script),
        parallel=at_once if one.made.adaptive else given.parallel,
        search=Search(),
        stop_early=StopEarly(),
        environment=Environment(),
    )
    configurations: list[Params] = [{"number": number} for number in range(len(one.seconds))]
    return Plan(spec, {}, None, one.made.interpreter, configurations, [])


def clean(node: Node) -> Node:
    """Return a node as if nothing ran there."""
    devices = [Device(id=one.id, kind=one.kind, name=one.name, memory=one.memory) for one in node.devices]
    shown = {"partitions": node.partitions, "features": node.features, "memory": node.memory, "usable": node.usable}
    return Node(
        name=node.name,
        backend=node.backend,
        cpus=node.cpus,
        slots=node.slots,
        cpu_slots=node.cpu_slots,
        devices=devices,
        **shown,
    )


def made_nodes(count: int, gpus: int) -> list[Node]:
    """Return equal nodes with eight cores for each GPU."""
    cores = 8 * gpus
    devices = [
        *(Device(id=str(number), kind="gpu", name="made") for number in range(gpus)),
        *(Device(id=str(number), kind="cpu", name="CPU slot") for number in range(cores)),
    ]
    names = [f"node{number:0{len(str(count))}}" for number in range(1, count + 1)]
    return [Node(name=name, backend="", cpus=cores, slots=gpus, cpu_slots=cores, devices=devices) for name in names]


def like(traits: Traits) -> Traits:
    """Return the traits of a pretended backend of the same kind: its nodes have a common file system."""
    return Traits(
        queued=traits.queued,
        multi_node=traits.multi_node,
        counts_memory=traits.counts_memory,
        counts_cores_of_gpu_tasks=traits.counts_cores_of_gpu_tasks,
    )


# --- in a process of its own ------------------------------------------------------------------------------------------


def planned(work: PlanWork) -> JobsPlan:
    """Return what would become of the jobs, as far as there is time to find out."""
    ends, most = time.monotonic() + ENOUGH_SECONDS, time.process_time() + ENOUGH_CPU

    def going_on() -> bool:
        return time.monotonic() < ends and time.process_time() < most

    of_job: dict[str, PlannedWork] = {}

    def course(job: str, attempt: QueuedAttempt, gpus: int) -> Course:
        one = of_job[job]
        number = int(attempt.task.rpartition("-")[2]) - 1
        resources = one.made.spec.resources
        fewest = max((resources.gpus or 0) * (resources.nodes or 1), 1)
        seconds = one.seconds[number] / max(gpus / fewest, 1.0) ** EFFICIENCY
        return Course(START_SECONDS, [seconds / PARTS] * PARTS)

    grain = _supposed(work) / GRAIN
    with Simulation(work.root, work.clusters, course, work.settings, work.at, grain_seconds=grain) as simulation:

        def submit(one: PlannedWork) -> None:
            of_job[simulation.submit(one.made, one.owner)] = one

        for one in work.jobs:
            simulation.at(work.at + one.after, lambda one=one: submit(one))  # type: ignore[misc]
        complete = simulation.run(FARTHEST, going_on)
        return _outcome(simulation, work, of_job, complete=complete)


def _supposed(work: PlanWork) -> float:
    """Return how long it takes at least, if everything fits well."""
    nodes = [node for size in work.clusters.values() for node in size.nodes]
    slots = sum(node.slots for node in nodes)
    used = 0.0
    for one in work.jobs:
        asked = one.made.spec.resources
        used += sum(one.seconds) * max((asked.gpus or 1) * (asked.nodes or 1), 1)
    longest = max(one.after + max(one.seconds) for one in work.jobs)
    return max(used / max(slots, 1), longest)


def _outcome(simulation: Simulation, work: PlanWork, of_job: Mapping[str, PlannedWork], *, complete: bool) -> JobsPlan:
    until = simulation.clock.at
    nodes = [node for size in work.clusters.values() for node in size.nodes if node.usable]
    gpus = sum(device.kind == "gpu" for node in nodes for device in node.devices)
    held: dict[str, list[tuple[float, int]]] = defaultdict(list)  # job -> changes of the number of its slots
    for cluster in simulation.clusters.values():
        for key, one in cluster.allocations.items():
            held[key.rpartition("-a")[0]] += _span(one, until, gpus=gpus > 0)
    found = [_job(simulation, job, one, held[job]) for job, one in of_job.items()]
    last = max((one.ends_at.timestamp() for one in found if one.ends_at), default=until) if complete else until
    steps = _levels([change for some in held.values() for change in some])
    slots = gpus or sum(node.cpu_slots for node in nodes)
    hours = sum(one.slot_hours for one in found)
    every = -(-len(steps) // STEPS) or 1
    return JobsPlan(
        at=moment(work.at),
        jobs=found,
        complete=complete,
        ends_at=moment(last),
        nodes=len(nodes),
        kind="gpu" if gpus else "cpu",
        slots=slots,
        slot_hours=hours,
        full=min(hours * 3600 / max((last - work.at) * slots, 1.0), 1.0),
        use=[SlotUse(at=moment(at), slots=level) for at, level in steps[::every]],
    )


def _span(one: SimulatedAllocation, until: float, *, gpus: bool) -> list[tuple[float, int]]:
    """Return when an allocation takes how many slots, and gives them back."""
    slots = sum(len(has.gpus if gpus else has.slots) for has in one.places.values())
    ended = until if one.ended_at is None else one.ended_at
    return [(one.started_at, slots), (ended, -slots)] if slots else []


def _levels(changes: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
    """Return how many there are from when on."""
    at: Counter[float] = Counter()
    for when, change in changes:
        at[when] += change
    level, found = 0, []
    for when in sorted(at):
        level += at[when]
        found.append((when, level))
    return found


def _job(simulation: Simulation, job: str, one: PlannedWork, changes: Sequence[tuple[float, int]]) -> PlannedJob:
    with simulation.db.read() as c:
        detail = jobs.detail(c, job, "")
        begun, ended, number = [], [], 0
        while some := tasks.page(c, job, offset=number, limit=500).items:
            number += len(some)
            begun += [task.started_at for task in some if task.started_at]
            ended += [task.ended_at for task in some if TaskState(task.state).ended and task.ended_at]
    waits = simulation.engine.context.waits.get(job)
    return PlannedJob(
        name=one.made.spec.name,
        tasks=len(one.seconds),
        ended=len(ended),
        task_seconds=sum(one.seconds) / len(one.seconds),
        known=one.known,
        starts_at=min(begun, default=None),
        ends_at=max(ended) if ended and len(ended) == len(one.seconds) else None,
        most_slots=max((level for _, level in _levels(changes)), default=0),
        slot_hours=-sum(at * slots for at, slots in changes) / 3600,
        waits=waits.reason if waits and detail.counts.submitted else None,
    )

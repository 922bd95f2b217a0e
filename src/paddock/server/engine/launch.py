"""Allocations for what waits."""

import json
import math
import os
import sys
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from paddock.common import files, layout
from paddock.models import FOLDER, AllocationBatch, AllocationState, JobSpec, Launcher, Method, Node
from paddock.models.events import JobChange
from paddock.paths import JobFolder, append_lines, write_once
from paddock.rules import placement
from paddock.runner import build
from paddock.search import adaptive
from paddock.server.engine.backend_worker import BackendWorker
from paddock.server.engine.context import Context, JobFacts
from paddock.server.engine.ending import end
from paddock.server.engine.linger import left_well
from paddock.server.engine.observe import SUBMITTING, settle_orphans
from paddock.server.store import allocations, attempts, events, packings
from paddock.server.store.allocations import AllocationRow

IDLE_SECONDS = 5.0
SEARCH_IDLE_SECONDS = 20.0  # while the next configuration is chosen
WORDS = 4  # so often, at least, a runner speaks in the time after which it counts as silent
LAUNCHING = "ask for allocations for it"
DISMISSING = "tell its runners that there is no more"


def launch(context: Context, rows: list[AllocationRow], now: float) -> bool:
    """As many allocations as can be of use: one for each task that waits or runs, as far as the backend is wide.

    Whether any were planned.
    """
    planned = False
    with context.db.read() as c:
        demands = attempts.demands(c)
        facts = context.facts(c, [demand.job for demand in demands])
    open_rows: dict[str, list[AllocationRow]] = defaultdict(list)
    for row in rows:  # also those that have ended and are not settled yet: what they leave behind is not known before
        if row.key not in context.lingering and row.key not in context.stuck:
            open_rows[row.job_id].append(row)
    unclosed = {row.job_id for row in rows}
    unused = _unused(context, rows, now)
    wanted: dict[str, int] = {}
    for demand in demands:
        one = facts.get(demand.job)
        if one is None:  # its description cannot be read at the moment: what it has stays
            wanted[demand.job] = len(open_rows[demand.job])
            continue
        worker = context.worker(one)
        if worker is None:
            continue
        if demand.held or not worker.nodes:
            # What waits is held on the backend, too; without its nodes it is not known what a task gets.
            wanted[demand.job] = len(open_rows[demand.job])
            continue
        # Machines that are down for a while cost none that waits its place in the queue.
        learned = known(context, one)
        tasks = demand.waiting + demand.running
        wanted[demand.job] = occupied(one.spec, worker.nodes, tasks if demand.waiting else demand.running, learned)
        # One that Paddock asked to end, and that runs all the same, is there.
        there = sum(not (row.ending and row.key in unused) for row in open_rows[demand.job])
        missing = useful(one.spec, worker.nodes, tasks, learned) - there
        if demand.waiting and not context.boundary.rests(demand.job, LAUNCHING):
            with context.boundary.job(demand.job, LAUNCHING):
                if demand.job not in unclosed:
                    settle_orphans(context, demand.job, now)
                asked = any(row.state == AllocationState.PLANNED for row in open_rows[demand.job])
                if missing > 0 and not (worker.full and asked):
                    _plan(context, one, worker, missing)
                    planned = True
    for job in context.searching & open_rows.keys():
        wanted[job] = len(open_rows[job])  # another task will come for what has none at the moment
    _dismiss(context, open_rows.keys() - {demand.job for demand in demands} - context.searching)
    _end_surplus(context, open_rows, wanted, unused)
    _submit_planned(context)
    return planned


def _dismiss(context: Context, idle: set[str]) -> None:
    """Runners that wait for more of a job that has no more may go: others have use for their GPUs."""
    context.dismissed &= idle
    if not idle - context.dismissed:
        return
    with context.db.read() as c:
        facts = context.facts(c, list(idle - context.dismissed))
    for job, one in facts.items():
        if context.boundary.rests(job, DISMISSING):
            continue
        with context.boundary.job(job, DISMISSING):
            if one.spec.search.method is Method.PBT or one.spec.reduce is not None:  # of others it is said before
                append_lines(context.home.job(job).tasks, [{"end": True}], mode=0o600)
            context.dismissed.add(job)


def known(context: Context, facts: JobFacts) -> dict[str, dict[str, Any]]:
    """Kind of GPU -> what earlier jobs have learned of this program."""
    if facts.spec.resources.per_gpu is None and facts.spec.resources.triple is None:
        return {}
    with context.db.read() as c:
        return packings.known(c, facts.owner, facts.program)


def abreast(spec: JobSpec, nodes: Sequence[Node], known: Mapping[str, Mapping[str, Any]]) -> int:
    """How many tasks run at a time in one allocation, as far as that is known."""
    found = [one["tasks"] for one in known.values()]
    return placement.shape(spec.resources, nodes).abreast(min(found) if found else None)


def useful(spec: JobSpec, nodes: Sequence[Node], tasks: int, known: Mapping[str, Mapping[str, Any]]) -> int:
    """How many allocations have something to do, as far as backend and job are wide."""
    return min(occupied(spec, nodes, tasks, known), max(placement.width(spec.resources, nodes), 1))


def occupied(spec: JobSpec, nodes: Sequence[Node], tasks: int, known: Mapping[str, Mapping[str, Any]]) -> int:
    """How many allocations these tasks can keep busy, however wide the backend is."""
    each = abreast(spec, nodes, known)
    return min(math.ceil(tasks / each), max((spec.parallel or tasks) // each, 1))


def _plan(context: Context, facts: JobFacts, worker: BackendWorker, count: int) -> None:
    """Folders and manifest first, then the rows: what stands in the database can be submitted."""
    with context.db.read() as c:
        number = allocations.next_number(c, facts.id)
    batch = batch_for(context, facts.id, facts.spec, worker, f"{facts.id}-a{number}", count)
    _make_folders(context.home.job(facts.id), [Path(batch.folder_of(number)).name for number in range(count)])
    manifest = _manifest(context, facts, worker)
    write_once(Path(layout.manifest(batch.folder_of(0))), json.dumps(manifest, indent=1))
    with context.db.write() as c:
        allocations.plan(c, facts.id, worker.backend.name, batch)
        if worker.full and worker.full_reason:  # it is not asked for yet, and says why it waits
            allocations.waits(c, batch.key, worker.full_reason)
            events.write(c, facts.id, JobChange(change="waits"))


def _make_folders(folder: JobFolder, names: list[str]) -> None:
    """In the job's own folder, and not in what somebody has put in place of it."""
    folder.allocations.mkdir(exist_ok=True)
    inside = files.open_folder(str(folder.allocations), below=str(folder.root))
    try:
        for name in names:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=inside)
    finally:
        os.close(inside)


def batch_for(
    context: Context, job: str, spec: JobSpec, worker: BackendWorker, key: str, count: int
) -> AllocationBatch:
    """What is asked of the backend for a job."""
    settings = context.settings
    cluster = settings.cluster(worker.backend.name)
    python = (cluster.python if cluster else settings.local.python) or sys.executable
    return AllocationBatch(
        key=key,
        count=count,
        name=f"paddock-{key}",
        folder=str(context.home.job(job).allocation(key)),
        runner=[python, "-I", "-S", str(runner_file(context)), FOLDER],
        resources=placement.settled(spec.resources, worker.nodes),
        grace_seconds=_grace(context, spec),
    )


def _grace(context: Context, spec: JobSpec) -> float:
    return context.settings.runner.grace_seconds if spec.grace_seconds is None else spec.grace_seconds


def _manifest(context: Context, facts: JobFacts, worker: BackendWorker) -> dict[str, Any]:
    settings, spec = context.settings, facts.spec
    resources = spec.resources
    cluster = settings.cluster(worker.backend.name)
    shape = placement.shape(resources, worker.nodes)
    several = (resources.nodes or 1) > 1
    members = {
        "nodes": resources.nodes or 1,
        "processes": max(resources.gpus or 1, 1),
        "launcher": (resources.launcher or Launcher.SRUN).value,
    }
    return {
        "job": facts.id,
        "job_dir": str(context.home.job(facts.id).root),
        "slots": min(shape.slots, spec.parallel or 1024),
        "threads": shape.threads,
        "gpus": {
            "task": shape.task_gpus,
            "per": shape.per_gpu,
            "mps": settings.runner.mps,
            "known": known(context, facts),
        },
        "poll_seconds": settings.runner.poll_seconds,
        "usage_seconds": settings.runner.usage_seconds,
        "word_seconds": settings.runner.silence_seconds / WORDS,
        "log_bytes": settings.runner.log_bytes,
        "grace_seconds": _grace(context, spec),
        "idle_seconds": SEARCH_IDLE_SECONDS if _to_come(spec) else IDLE_SECONDS,
        "time_limit": resources.time_limit,
        "warn_seconds": cluster.warn_seconds if cluster else settings.runner.warn_seconds,
        "umask": 0o027 if settings.group else 0o077,
        "members": members if several or resources.launcher else None,
        "tasks": 1 if several else None,  # what a killed srun leaves on other nodes ends with the allocation
        "metrics": spec.metrics.model_dump(mode="json"),
    }


def _to_come(spec: JobSpec) -> bool:
    return adaptive(spec.search) or spec.search.method is Method.PBT


def runner_file(context: Context) -> Path:
    """The runner of this version, made when it is not there yet."""
    path = context.home.runners / f"{build.digest()}.pyz"
    if not path.exists():
        build.build(path)
    return path


def _unused(context: Context, rows: list[AllocationRow], now: float) -> set[str]:
    """Allocations that wait, and have no runner. What was last seen of them may be old: what has spoken may run."""
    waiting = [row for row in rows if row.state == AllocationState.PENDING]
    again = [row for row in waiting if row.offsets]
    with context.db.read() as c:
        busy = {one.allocation for one in attempts.running_in(c, [row.key for row in again])}
    silence = context.settings.runner.silence_seconds
    silent = [row for row in again if now - (row.heard_at or 0.0) > silence or left_well(context, row)]
    return {row.key for row in waiting if not row.offsets} | {row.key for row in silent} - busy


def _end_surplus(
    context: Context, open_rows: dict[str, list[AllocationRow]], wanted: dict[str, int], unused: Collection[str]
) -> None:
    """End what still waits for a place and is not needed any more. Running allocations leave by themselves."""
    for job, rows in open_rows.items():
        surplus = sum(row.state != AllocationState.ENDED for row in rows) - wanted.get(job, 0)
        waiting = sorted((row for row in rows if row.key in unused), key=lambda row: row.ending)
        end(context, waiting[-surplus:] if surplus > 0 else [], waiting_only=True)


def _submit_planned(context: Context) -> None:
    """Those just planned, and those that a crash or a silent backend left so."""
    with context.db.read() as c:
        planned = allocations.planned(c)
    for job, backend, batch in planned:
        worker = context.workers.get(backend)
        if worker is not None and not context.boundary.rests(job, SUBMITTING):
            worker.submit(batch)

"""Requests allocations for the tasks that wait."""

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
WORDS = 4  # reports of a runner within the time after which it counts as silent
Measured = Mapping[str, Mapping[str, Any]]  # kind of GPU -> how an earlier job shared it
LAUNCHING = "ask for allocations for it"
WRITING_END = "report to its runners that no more tasks come"


def launch(context: Context, rows: list[AllocationRow], now: float) -> bool:
    """Plan and submit as many allocations as have work, as far as the backend can run them; end those without.

    Returns whether any were planned.
    """
    planned = False
    with context.db.read() as c:
        demands = attempts.demands(c)
        facts = context.facts(c, [demand.job for demand in demands])
    open_rows: dict[str, list[AllocationRow]] = defaultdict(list)
    for row in rows:  # also those that have ended and are not closed: it is not known yet what they leave behind
        note = context.notes[row.key]
        if note.lingers_since is None and not note.stuck:
            open_rows[row.job_id].append(row)
    unclosed = {row.job_id for row in rows}
    unused = _unused(context, rows, now)
    wanted: dict[str, int] = {}
    for demand in demands:
        one = facts.get(demand.job)
        worker = context.worker(one) if one is not None else None
        if one is None or worker is None or not worker.nodes or demand.held:
            # It keeps what it has: its description cannot be read, it is not known what a task gets on its backend, or
            # the backend holds what waits.
            wanted[demand.job] = len(open_rows[demand.job])
            continue
        # However few nodes are up: no allocation loses its place in the queue because nodes are down for a while.
        measured = measured_packing(context, one)
        tasks = demand.waiting + demand.running
        wanted[demand.job] = allocations_needed(
            one.spec, worker.nodes, tasks if demand.waiting else demand.running, measured
        )
        # An allocation that runs although it was to end counts: see `ending`.
        there = sum(not (row.ending and row.key in unused) for row in open_rows[demand.job])
        missing = allocations_to_request(one.spec, worker.nodes, tasks, measured) - there
        if demand.waiting and not context.boundary.rests(demand.job, LAUNCHING):
            with context.boundary.job(demand.job, LAUNCHING):
                if demand.job not in unclosed:
                    settle_orphans(context, demand.job, now)
                asked = any(row.state == AllocationState.PLANNED for row in open_rows[demand.job])
                if missing > 0 and not (worker.full and asked):
                    _plan(context, one, worker, missing)
                    planned = True
    for job in context.searching & open_rows.keys():
        wanted[job] = len(open_rows[job])  # the search will have a task for each of them
    _write_end(context, open_rows.keys() - {demand.job for demand in demands} - context.searching)
    _end_surplus(context, open_rows, wanted, unused)
    _submit_planned(context)
    return planned


def _write_end(context: Context, idle: set[str]) -> None:
    """Report to the runners of these jobs that no more tasks come: others can use their GPUs."""
    context.end_written &= idle
    if not idle - context.end_written:
        return
    with context.db.read() as c:
        facts = context.facts(c, list(idle - context.end_written))
    for job, one in facts.items():
        if not context.boundary.rests(job, WRITING_END):
            with context.boundary.job(job, WRITING_END):
                if one.spec.search.method is Method.PBT or one.spec.reduce is not None:  # others: see `mailbox`
                    append_lines(context.home.job(job).tasks, [{"end": True}], mode=0o600)
                context.end_written.add(job)


def measured_packing(context: Context, facts: JobFacts) -> dict[str, dict[str, Any]]:
    """Return what earlier jobs have measured of this program, by kind of GPU."""
    if facts.spec.resources.per_gpu is None and facts.spec.resources.triple is None:
        return {}
    with context.db.read() as c:
        return packings.measured(c, facts.owner, facts.program)


def tasks_per_allocation(spec: JobSpec, nodes: Sequence[Node], measured: Measured) -> int:
    """Return how many tasks run at a time in one allocation, as far as it is known."""
    found = [one["tasks"] for one in measured.values()]
    return placement.shape(spec.resources, nodes).tasks_at_once(min(found) if found else None)


def allocations_to_request(spec: JobSpec, nodes: Sequence[Node], tasks: int, measured: Measured) -> int:
    """Return how many allocations have work, as far as the backend can run them at a time."""
    return min(allocations_needed(spec, nodes, tasks, measured), max(placement.width(spec.resources, nodes), 1))


def allocations_needed(spec: JobSpec, nodes: Sequence[Node], tasks: int, measured: Measured) -> int:
    """Return how many allocations have work, whatever the backend can run at a time."""
    each = tasks_per_allocation(spec, nodes, measured)
    return min(math.ceil(tasks / each), max((spec.parallel or tasks) // each, 1))


def _plan(context: Context, facts: JobFacts, worker: BackendWorker, count: int) -> None:
    """Write the folders and the manifest, then the rows, so that every allocation in the database can be submitted."""
    with context.db.read() as c:
        number = allocations.next_number(c, facts.id)
    batch = batch_for(context, facts.id, facts.spec, worker, f"{facts.id}-a{number}", count)
    _make_folders(context.home.job(facts.id), [Path(batch.folder_of(number)).name for number in range(count)])
    manifest = _manifest(context, facts, worker)
    write_once(Path(layout.manifest(batch.folder_of(0))), json.dumps(manifest, indent=1))
    with context.db.write() as c:
        allocations.plan(c, facts.id, worker.backend.name, batch)
        if worker.full and worker.full_reason:  # it is not submitted yet, and this is why
            allocations.waits(c, batch.key, worker.full_reason)
            events.write(c, facts.id, JobChange(change="waits"))


def _make_folders(folder: JobFolder, names: list[str]) -> None:
    """Make folders in the job's own folder, not where a link in place of it points."""
    folder.allocations.mkdir(exist_ok=True)
    with files.in_folder(str(folder.allocations), below=str(folder.root)) as inside:
        for name in names:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=inside)


def batch_for(
    context: Context, job: str, spec: JobSpec, worker: BackendWorker, key: str, count: int
) -> AllocationBatch:
    """Return the request to the backend for a job."""
    settings = context.settings
    cluster = settings.cluster(worker.backend.name)
    python = (cluster.python if cluster else settings.local.python) or sys.executable
    return AllocationBatch(
        key=key,
        count=count,
        name=f"paddock-{key}",
        folder=str(context.home.job(job).allocation(key)),
        runner=[python, "-I", "-S", str(runner_file(context)), FOLDER],
        resources=placement.resolved(spec.resources, worker.nodes),
        grace_seconds=context.grace_seconds(spec),
    )


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
            "known": measured_packing(context, facts),
        },
        "poll_seconds": settings.runner.poll_seconds,
        "usage_seconds": settings.runner.usage_seconds,
        "word_seconds": settings.runner.silence_seconds / WORDS,
        "log_bytes": settings.runner.log_bytes,
        "grace_seconds": context.grace_seconds(spec),
        "idle_seconds": SEARCH_IDLE_SECONDS if _to_come(spec) else IDLE_SECONDS,
        "time_limit": resources.time_limit,
        "warn_seconds": cluster.warn_seconds if cluster else settings.runner.warn_seconds,
        "umask": 0o027 if settings.group else 0o077,
        "members": members if several or resources.launcher else None,
        "tasks": 1 if several else None,  # processes that a killed srun leaves on other nodes end with the allocation
        "metrics": spec.metrics.model_dump(mode="json"),
    }


def _to_come(spec: JobSpec) -> bool:
    return adaptive(spec.search) or spec.search.method is Method.PBT


def runner_file(context: Context) -> Path:
    """Return the runner of this version; the first call makes it."""
    path = context.home.runners / f"{build.digest()}.pyz"
    if not path.exists():
        build.build(path)
    return path


def _unused(context: Context, rows: list[AllocationRow], now: float) -> set[str]:
    """Return the allocations that wait and have no runner. One that has reported something may run by now."""
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
    """End allocations that wait and are not needed any more. Running ones end by themselves."""
    for job, rows in open_rows.items():
        surplus = sum(row.state != AllocationState.ENDED for row in rows) - wanted.get(job, 0)
        waiting = sorted((row for row in rows if row.key in unused), key=lambda row: row.ending)
        end(context, waiting[-surplus:] if surplus > 0 else [], waiting_only=True)


def _submit_planned(context: Context) -> None:
    """Submit what is planned, also what a crash or an unreachable backend left so."""
    with context.db.read() as c:
        planned = allocations.planned(c)
    for job, backend, batch in planned:
        worker = context.workers.get(backend)
        if worker is not None and not context.boundary.rests(job, SUBMITTING):
            worker.submit(batch)

"""Allocations for what waits."""

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from paddock import placement
from paddock.engine.context import Context, JobFacts
from paddock.engine.courier import Courier
from paddock.engine.observe import settle_orphans
from paddock.models import AllocationSpec, AllocationState
from paddock.paths import write_once
from paddock.runner import build, layout
from paddock.store import allocations, attempts

IDLE_SECONDS = 5.0


def launch(context: Context, rows: list[sa.Row[Any]], now: float) -> bool:
    """As many allocations as can be of use: one for each task that waits or runs, as far as the backend is wide.

    Whether any were planned.
    """
    planned = False
    with context.db.read() as c:
        demands = attempts.demands(c)
        facts = context.facts(c, [demand.job for demand in demands])
    open_rows: dict[str, list[sa.Row[Any]]] = defaultdict(list)
    for row in rows:  # also those that have ended and are not settled yet: what they leave behind is not known before
        if not row.cancelled:
            open_rows[row.job_id].append(row)
    unclosed = {row.job_id for row in rows}
    wanted: dict[str, int] = {}
    for demand in demands:
        one = facts[demand.job]
        courier = context.courier(one)
        if courier is None:
            continue
        wanted[demand.job] = (
            _useful(one, courier, demand.waiting + demand.running) if demand.waiting else demand.running
        )
        missing = wanted[demand.job] - len(open_rows[demand.job])
        if demand.waiting and demand.job not in unclosed:
            settle_orphans(context, demand.job, now)
        if demand.waiting and missing > 0:
            _plan(context, one, courier, missing)
            planned = True
    _cancel_surplus(context, open_rows, wanted)
    _submit_planned(context)
    return planned


def _useful(facts: JobFacts, courier: Courier, tasks: int) -> int:
    resources = facts.spec.resources
    gpus = placement.gpus_of(resources, courier.nodes)
    width = max(placement.width(courier.nodes, gpus, resources.cpus), 1)
    return min(tasks, width, facts.spec.parallel or tasks)


def _plan(context: Context, facts: JobFacts, courier: Courier, count: int) -> None:
    """Folder and manifest first, then the row: what stands in the database can be submitted."""
    with context.db.read() as c:
        first = allocations.next_number(c, facts.id)
    specs = [_allocation(context, facts, courier, f"{facts.id}-a{first + i}") for i in range(count)]
    with context.db.write() as c:
        for spec in specs:
            allocations.plan(c, facts.id, courier.backend.name, spec)


def _allocation(context: Context, facts: JobFacts, courier: Courier, key: str) -> AllocationSpec:
    job = context.home.job(facts.id)
    folder = job.allocation(key)
    folder.mkdir(parents=True, exist_ok=True)
    runner = context.settings.runner
    grace = facts.spec.grace_seconds
    manifest = {
        "job": facts.id,
        "key": key,
        "job_dir": str(job.root),
        "slots": 1,
        "poll_seconds": runner.poll_seconds,
        "usage_seconds": runner.usage_seconds,
        "grace_seconds": runner.grace_seconds if grace is None else grace,
        "idle_seconds": IDLE_SECONDS,
        "metrics": facts.spec.metrics.model_dump(mode="json"),
    }
    write_once(Path(layout.manifest(str(folder))), json.dumps(manifest, indent=1))
    python = context.settings.local.python or sys.executable
    return AllocationSpec(
        key=key,
        name=f"paddock-{key}",
        folder=str(folder),
        runner=[python, "-I", "-S", str(runner_file(context)), str(folder)],
        gpus=placement.gpus_of(facts.spec.resources, courier.nodes),
        cpus=facts.spec.resources.cpus,
    )


def runner_file(context: Context) -> Path:
    """The runner of this version, made when it is not there yet."""
    path = context.home.runners / f"{build.digest()}.pyz"
    if not path.exists():
        build.build(path)
    return path


def _cancel_surplus(context: Context, open_rows: dict[str, list[sa.Row[Any]]], wanted: dict[str, int]) -> None:
    """What still waits for a place and is no longer of use. Running allocations leave by themselves."""
    for job, rows in open_rows.items():
        surplus = sum(row.state != AllocationState.ENDED for row in rows) - wanted.get(job, 0)
        waiting = [row for row in rows if row.state == AllocationState.PENDING]
        chosen = waiting[-surplus:] if surplus > 0 else []
        for name in {row.backend for row in chosen} & set(context.couriers):
            mine = [row for row in chosen if row.backend == name]
            context.couriers[name].cancel([row.backend_id for row in mine])
            with context.db.write() as c:
                allocations.cancelled(c, [row.key for row in mine])


def _submit_planned(context: Context) -> None:
    """Those just planned, and those that a crash or a silent backend left so."""
    with context.db.read() as c:
        planned = allocations.planned(c)
    for backend, spec in planned:
        courier = context.couriers.get(backend)
        if courier is not None:
            courier.submit(spec)

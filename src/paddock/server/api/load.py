"""The routes of nodes: how busy they are and were, and advice."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Annotated

import numpy as np
from fastapi import APIRouter, Query
from pydantic_core import to_json
from starlette.responses import Response

from paddock.models import Node
from paddock.models.load import LoadReport, LoadSeries
from paddock.rules import load as monitoring
from paddock.rules.load_history import Sample, series
from paddock.rules.running import Gpu, Running, gpus_of, jobs_on, place, without_jobs
from paddock.server.api.caller import By
from paddock.server.api.replies import Reply
from paddock.server.api.server import At
from paddock.server.store import jobs, loads, metrics
from paddock.server.store.loads import Key
from paddock.server.store.metrics import Points
from paddock.server.store.rows import moment

router = APIRouter(tags=["server"])

POINTS = 300
HOLDS = 0.25  # of the time between two points: an answer is given again for so long
MOST_MINUTES = 366 * 1440
RECENT_SECONDS = 180.0
FEW = 2
BEGIN_SECONDS = 30.0  # ignored at the start of a task, while it imports modules and reads data
_MEANS = {"cores": "sys/cpu", "gpu_load": "sys/gpu_load"}
_LAST = {"memory": "sys/memory", "gpu_memory": "sys/gpu_memory"}


@router.get("/nodes", response_model=list[Node])
def list_nodes(at: At, by: By, reply: Reply) -> Response:
    """Return the nodes of all backends as last seen, with the tasks on their devices."""
    with at.db.read() as c:
        running = loads.running(c, time.time())
        nodes = place(at.engine.nodes_now(), list(running.values()))
        hidden = jobs.unseen(c, jobs_on(nodes), by.sight)
    return reply(without_jobs(nodes, hidden))


@router.get("/load", response_model=LoadReport)
def load(at: At, by: By, reply: Reply) -> Response:
    """Return nodes with their GPUs and processes, what each user and each job uses, and advice for running jobs.

    What a job uses that the caller may not see counts for its owner; nothing else of it is shown.
    """
    now = time.time()
    with at.db.read() as c:
        running = loads.running(c, now)
        points = metrics.recent(c, list(running), [*_MEANS.values(), *_LAST.values()])
        history = loads.since(c, now - RECENT_SECONDS) if running else {}
        nodes = place(at.engine.nodes_now(), list(running.values()))
        hidden = jobs.unseen(c, jobs_on(nodes) | {one.job for one in running.values()}, by.sight)
    gpus = gpus_of(nodes)
    measured = [_measured(one, points.get(attempt, {}), now) for attempt, one in running.items()]
    known = [_with_gpus(one, gpus.get(one.task, []), history, now) for one in measured]
    of_jobs = monitoring.jobs(known, nodes, gpus, at.engine.traits)
    report = LoadReport(
        at=moment(now),
        nodes=without_jobs(nodes, hidden),
        users=monitoring.users(known, gpus),
        jobs=[one for one in of_jobs if one.job not in hidden],
    )
    return reply(report)


@router.get("/load/history", response_model=list[LoadSeries])
def load_history(
    at: At,
    reply: Reply,
    node: Annotated[str | None, Query(max_length=255, description="only this node")] = None,
    backend: Annotated[str | None, Query(max_length=200, description="only nodes of this backend")] = None,
    minutes: Annotated[float, Query(gt=0, le=MOST_MINUTES, description="how far back")] = 60.0,
) -> Response:
    """Return how busy each node and each of its GPUs was, as about 300 points each."""

    def answer() -> bytes:
        with at.db.read() as c:
            found = loads.since(c, time.time() - 60 * minutes, node, backend)
        return to_json([one for (of, name), some in found.items() for one in series(of, name, some, POINTS)])

    holds = min(max(HOLDS * minutes * 60 / POINTS, 1.0), 30.0)
    return reply(at.histories.get((node, backend, minutes), holds, answer))


def _measured(one: Running, points: Mapping[str, Points], now: float) -> Running:
    """Return a task with what its runner measured in the last minutes."""
    found: dict[str, float] = {}
    for field, metric in (*_MEANS.items(), *_LAST.items()):
        known = points.get(metric, metrics.NOTHING)
        late = known[(known["time"] > now - RECENT_SECONDS) & np.isfinite(known["value"])]
        steady = late[late["step"] > BEGIN_SECONDS]
        if len(late):
            values = (steady if len(steady) else late)["value"]
            found[field] = float(values.mean() if field in _MEANS else values[-1])
    return replace(one, **found)  # type: ignore[arg-type]


def _with_gpus(
    one: Running, on: Sequence[Gpu], history: Mapping[Key, Sequence[tuple[float, Sample]]], now: float
) -> Running:
    """Return a task with the use of its GPUs as the nodes report it, where its runner does not measure it."""
    if not on:
        return one
    if one.gpu_memory is None:
        own = [process.memory for gpu in on for process in gpu.device.processes if process.task == one.task]
        one = replace(one, gpu_memory=sum(size or 0 for size in own) if own else None)
    if one.gpu_load is None:
        began = now - one.seconds + BEGIN_SECONDS
        seen = [
            load
            for gpu in on
            for at, kept in history.get((gpu.node.backend, gpu.node.name), ())
            if at > began and (load := kept.get("gpus", {}).get(gpu.device.id, [None])[0]) is not None
        ]
        one = replace(one, gpu_load=fmean(seen) if len(seen) >= FEW else None)
    return one

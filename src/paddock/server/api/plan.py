"""The route of plans: what the cluster would do with some jobs. Nothing is stored."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fastapi import APIRouter, Request
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool

from paddock.errors import InvalidInput
from paddock.models import Node, Traits
from paddock.models.plan import MOST_TASKS, JobsPlan, PlannedSubmission, PlanRequest
from paddock.rules.durations import Lengths, TaskWork
from paddock.search.tasks import epochs_of
from paddock.server.api.caller import By, Caller
from paddock.server.api.error_responses import invalid
from paddock.server.api.server import At, Server
from paddock.server.intake import submission
from paddock.server.simulation import planner
from paddock.server.simulation.drive import ClusterSize
from paddock.server.simulation.planner import PlannedWork, PlanWork
from paddock.server.store import estimates

router = APIRouter(tags=["jobs"])

LEAST_RUNS = 3
BODY = {"schema": {"$ref": "#/components/schemas/PlanRequest"}}  # a spec in it is read as it is in a submission
EMPTY = (
    "The plan is for an empty cluster: what runs and waits now, reservations and other users do not count.",
    "Parameter searches run all tasks that they may, and none is stopped early.",
)


@router.post("/plan", openapi_extra={"requestBody": {"required": True, "content": {"application/json": BODY}}})
async def plan_jobs(request: Request, at: At, by: By) -> JobsPlan:
    """Return what the cluster would do with these jobs if nothing else ran there. Nothing is submitted or changed.

    The real engine runs on pretended nodes, in a process with limits. How long tasks take is known from earlier jobs of
    the same program, or given.
    """
    try:
        asked = await run_in_threadpool(PlanRequest.model_validate_json, await request.body())
    except ValidationError as error:
        raise invalid(error) from None
    return await run_in_threadpool(_planned, asked, at, by)


def _planned(asked: PlanRequest, at: Server, by: Caller) -> JobsPlan:
    backends = _backends(asked, at)
    known = {name: (size.nodes, size.traits) for name, size in backends.items()}
    works, warnings = [], list(EMPTY)
    for number, job in enumerate(asked.jobs):
        work, texts = _work(job, f"jobs.{number}", at, by, known, asked.backend)
        works.append(work)
        warnings += [f"{work.made.spec.name}: {text}" for text in texts]
    if sum(len(one.seconds) for one in works) > MOST_TASKS:
        raise InvalidInput(f"The jobs have more than {MOST_TASKS:,} tasks together: plan fewer at a time.")
    used = {one.made.spec.resources.backend or at.settings.backend for one in works}
    clusters = {name: size for name, size in backends.items() if name in used}
    found = planner.plan(PlanWork(works, clusters, at.settings, at.db.clock.now()))
    return found.model_copy(update={"warnings": [*warnings, *found.warnings]})


def _backends(asked: PlanRequest, at: Server) -> dict[str, ClusterSize]:
    """Return the backends as they would be without any work, or one with made nodes."""
    traits = {name: planner.like(one) for name, one in at.engine.traits.items()}
    name = asked.backend or at.settings.backend
    if name not in traits:
        raise InvalidInput.at("backend", f"there is no backend {name!r}; there are: {', '.join(traits)}")
    if asked.nodes is not None:
        return {name: ClusterSize(planner.made_nodes(asked.nodes.count, asked.nodes.gpus), traits[name])}
    nodes = {name: [planner.clean(node) for node in at.engine.nodes(name)] for name in traits}
    if not nodes[name]:
        raise InvalidInput(f"The nodes of {name} are not known yet: try again in a moment, or give nodes.")
    return {name: ClusterSize(nodes[name], traits[name]) for name in traits if nodes[name]}


def _work(
    job: PlannedSubmission,
    field: str,
    at: Server,
    by: Caller,
    backends: Mapping[str, tuple[Sequence[Node], Traits]],
    backend: str | None,
) -> tuple[PlannedWork, list[str]]:
    """Return a job of the plan with what its tasks take, and what is to be said about it."""
    spec, resources = job.spec, job.spec.resources
    if resources.backend is None and backend is not None:
        spec = spec.model_copy(update={"resources": resources.model_copy(update={"backend": backend})})
    files = {name: text.encode() for name, text in job.files.items()}
    whose = submission.Submitter(by.name, by.sight, alone=not by.team)
    made = submission.check(spec, files, at.settings, at.db, backends, whose)
    works = [TaskWork(one, epochs_of(one, made.script)) for one in made.configurations]
    texts = []
    count = made.count
    if count is None:
        count = made.at_once
        texts.append(f"its search has no number of tasks: {count} are planned, as many as it runs at a time")
    if count > MOST_TASKS:
        raise InvalidInput.at(field, f"it has {count:,} tasks: at most {MOST_TASKS:,} can be planned")
    with at.db.read() as c:
        lengths = Lengths(estimates.runs_of(c, by.name, submission.program_of(made)))
    if lengths.count >= LEAST_RUNS:
        each, known = lengths.likely(works or [TaskWork({})]), lengths.count
    elif job.task_seconds is not None:
        each, known = [job.task_seconds], 0
    else:
        text = "how long its tasks take is not known, as no job of this program has run: give its task_seconds"
        raise InvalidInput.at(f"{field}.task_seconds", text)
    repeat = made.spec.search.repeat if len(each) > 1 else 1
    seconds = [each[number // repeat % len(each)] for number in range(count)]
    return PlannedWork(replace(made, files={}), by.name, seconds, known, job.after), texts

"""The routes of jobs."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool

from paddock.errors import InvalidInput
from paddock.models import (
    Changed,
    Curve,
    Facets,
    FolderNames,
    JobDetail,
    JobPage,
    JobPatch,
    LeftOut,
    LimitsRequest,
    MapPart,
    Preview,
    RestartRequest,
    StopRequest,
    TaskPage,
    TaskState,
)
from paddock.program import ignore
from paddock.server import map_parts
from paddock.server.api import export, search, uploads
from paddock.server.api.server import At, JobId, Server
from paddock.server.intake import masks, snapshot, submission
from paddock.server.store import jobs, metrics, tasks, trials

router = APIRouter(prefix="/jobs", tags=["jobs"])

Offset = Annotated[int, Query(ge=0, le=2**31)]
Points = Annotated[int | None, Query(ge=2, le=100_000, description="return up to this many points per curve")]
MAX_CURVES = 5000
MAX_TEXT = 1_000_000


@router.get("")
def list_jobs(
    at: At,
    q: Annotated[str | None, Query(max_length=200, description="a part of the name, the description or the id")] = None,
    state: Annotated[TaskState | None, Query(description="only jobs that have a task in this state")] = None,
    tag: Annotated[str | None, Query(max_length=200)] = None,
    owner: Annotated[str | None, Query(max_length=200)] = None,
    sort: jobs.SortKey = "-created",
    offset: Offset = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> JobPage:
    """Return jobs, the newest first unless `sort` asks for another order."""
    with at.db.read() as c:
        silent = at.engine.context.silent
        return jobs.page(
            c, q=q, state=state, tag=tag, owner=owner, sort=sort, offset=offset, limit=limit, silent=silent
        )


@router.get("/facets")
def job_facets(at: At) -> Facets:
    """Return the owners and tags that jobs can be filtered by."""
    with at.db.read() as c:
        return jobs.facets(c)


@router.post("/preview", openapi_extra=uploads.openapi_body())
async def preview_job(
    request: Request,
    at: At,
    check: Annotated[
        bool, Query(description="also ask the backend whether it would accept the job, and when it would start")
    ] = False,
) -> Preview:
    """Return what a submission would do: its tasks, their exact commands, warnings. Nothing is changed."""
    upload = await uploads.read(request, at.settings.upload)
    return await run_in_threadpool(_preview, upload, at, check)


@router.post("/preview/files")
def preview_files(folder: FolderNames) -> LeftOut:
    """Return what a submission of a folder leaves out: what its ignore files name, caches, environments.

    The contents of other files are not needed: a client asks before it sends them.
    """
    return LeftOut(names=ignore.left_out(folder.names, folder.ignore_files))


def _preview(upload: uploads.Upload, at: Server, check: bool) -> Preview:
    made = _plan(upload, at)
    asked = at.engine.request(made.spec, made.at_once, check=check)
    spec = masks.with_variables(made.spec, upload.spec.environment.variables)  # with its masks, as they were sent
    told = {"allocations": asked.count, "slots": asked.slots, "batch_script": asked.script, "check": asked.check}
    return made.preview(at.home).model_copy(update={**told, "spec": spec})


@router.post("", status_code=201, openapi_extra=uploads.openapi_body())
async def submit_job(request: Request, at: At) -> JobDetail:
    """Submit a job. Its tasks are queued at once."""
    upload = await uploads.read(request, at.settings.upload)
    return await run_in_threadpool(_submit, upload, at)


def _plan(upload: uploads.Upload, at: Server) -> submission.Plan:
    nodes = {name: at.engine.nodes(name) for name in at.engine.backends}
    return submission.check(upload.spec, upload.files, at.settings, at.db, nodes)


def _submit(upload: uploads.Upload, at: Server) -> JobDetail:
    made = _plan(upload, at)
    job = submission.accept(made, upload.code, at.settings.owner, at.home, at.db, at.settings)
    at.changed()
    return _detail(at, job)


def _detail(at: Server, text: str) -> JobDetail:
    with at.db.read() as c:
        return search.detail(at, c, jobs.resolve(c, text))


@router.get("/{job}")
def show_job(job: JobId, at: At) -> JobDetail:
    """Return a job with its spec, its counts and how it stands."""
    return _detail(at, job)


@router.patch("/{job}")
def edit_job(job: JobId, change: JobPatch, at: At) -> JobDetail:
    """Change the name, the description or the tags of a job."""
    with at.change() as c:
        found = jobs.resolve(c, job)
        jobs.patch(c, found, change)
    return _detail(at, found)


@router.delete("/{job}", status_code=204)
def remove_job(job: JobId, at: At) -> None:
    """Stop what runs, and delete the job with its results, logs and checkpoints."""
    with at.change() as c:
        jobs.mark_removing(c, jobs.resolve(c, job))


@router.post("/{job}/stop")
def stop_job(job: JobId, at: At, what: StopRequest | None = None) -> Changed:
    """Stop the named tasks; without names, all that have not ended, and the search that would add more.

    The answer contains the tasks that will stop.
    """
    with at.change() as c:
        found = jobs.resolve(c, job)
        if what is None or what.tasks is None:
            trials.end(c, found, "it was stopped")
        stopped = tasks.request_stop(c, found, tasks.resolve_many(c, found, what.tasks if what else None))
    return Changed(tasks=stopped)


@router.post("/{job}/restart")
def restart_job(job: JobId, at: At, what: RestartRequest | None = None) -> Changed:
    """Run ended tasks again: all of them, those that failed, or those named."""
    what = what or RestartRequest()
    with at.change() as c:
        found = jobs.resolve(c, job)
        ids = tasks.resolve_many(c, found, what.tasks)
        restarted = tasks.restart(c, found, ids, failed=what.failed, resume=what.resume)
    return Changed(tasks=restarted)


@router.post("/{job}/hold")
def hold_job(job: JobId, at: At) -> JobDetail:
    """Start no further task until the job is released. Tasks that run go on."""
    return _held(at, job, True)


@router.post("/{job}/release")
def release_job(job: JobId, at: At) -> JobDetail:
    """Let a held job start tasks again."""
    return _held(at, job, False)


def _held(at: Server, job: str, held: bool) -> JobDetail:
    with at.change() as c:
        found = jobs.resolve(c, job)
        jobs.hold(c, found, held=held)
    return _detail(at, found)


@router.post("/{job}/limits")
def limit_job(job: JobId, change: LimitsRequest, at: At) -> JobDetail:
    """Change the time limit or the priority of all allocations of a job, present and future."""
    if change.time_limit is None and change.nice is None:
        raise InvalidInput(
            "Nothing is changed: give a time limit or a nice value.", fields={"time_limit": "nothing is given"}
        )
    with at.change() as c:
        found = jobs.resolve(c, job)
        jobs.limit(c, found, change)
    return _detail(at, found)


@router.get("/{job}/files")
def job_files(job: JobId, at: At) -> dict[str, str]:
    """Return the text files that the job was submitted with; none of them if they exceed 1 MB in all."""
    with at.db.read() as c:
        found = jobs.resolve(c, job)
    return snapshot.read_texts(at.home.job(found).code, MAX_TEXT)


@router.get("/{job}/parts")
def job_parts(job: JobId, at: At) -> list[MapPart]:
    """Return the files of each task of a map; of other jobs, an empty list."""
    with at.db.read() as c:
        found = jobs.resolve(c, job)
    return map_parts.parts_of(at.home.job(found).code)


@router.get("/{job}/tasks")
def list_tasks(
    job: JobId,
    at: At,
    state: TaskState | None = None,
    sort: tasks.SortKey = "number",
    offset: Offset = 0,
    limit: Annotated[int, Query(ge=1, le=20_000)] = 1000,
) -> TaskPage:
    """Return the tasks of a job."""
    with at.db.read() as c:
        found, silent = jobs.resolve(c, job), at.engine.context.silent
        return tasks.page(c, found, state=state, sort=sort, offset=offset, limit=limit, silent=silent)


@router.get("/{job}/metrics")
def job_curves(
    job: JobId,
    at: At,
    metric: Annotated[list[str] | None, Query(description="without one: the objective")] = None,
    points: Points = 300,
    offset: Offset = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_CURVES, description="the curves of up to this many tasks")] = 1000,
) -> list[Curve]:
    """Return the curves of many tasks of a job."""
    with at.db.read() as c:
        found = jobs.resolve(c, job)
        wanted = metric or [jobs.get(c, found).metric]
        return metrics.curves(c, tasks.ids(c, found, offset, limit), wanted, points)


@router.get("/{job}/metrics/names")
def job_metric_names(job: JobId, at: At) -> list[str]:
    """Return the names of the metrics that tasks of this job have reported."""
    with at.db.read() as c:
        found = jobs.resolve(c, job)
        return metrics.names_of_job(c, found)


router.include_router(export.router)
router.include_router(search.router)

"""The routes of jobs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from paddock.errors import InvalidInput
from paddock.models.base import TaskState
from paddock.models.jobs import (
    Facets,
    FolderNames,
    JobDetail,
    JobPage,
    JobPatch,
    LeftOut,
    LimitsRequest,
    MapPart,
    Preview,
)
from paddock.models.preflight import Preflight
from paddock.models.spec import CodeInfo, Environment
from paddock.models.tasks import Changed, ResizeRequest, RestartRequest, StopRequest
from paddock.program import ignore
from paddock.program.environment import Workbench
from paddock.server import map_parts
from paddock.server.api import code, export, job_tasks, marks, search, uploads
from paddock.server.api.caller import By, Caller
from paddock.server.api.job_tasks import Offset
from paddock.server.api.permissions import JobId, Right, find, may
from paddock.server.api.replies import Reply
from paddock.server.api.runs_as import site_of
from paddock.server.api.server import At, Server
from paddock.server.api.tasks import resized
from paddock.server.intake import masks, preflight, snapshot, submission
from paddock.server.store import jobs, tasks, trials

router = APIRouter(prefix="/jobs", tags=["jobs"])

MAX_TEXT = 1_000_000


@router.get("")
def list_jobs(
    at: At,
    by: By,
    q: Annotated[str | None, Query(max_length=200, description="a part of the name, the description or the id")] = None,
    state: Annotated[TaskState | None, Query(description="only jobs that have a task in this state")] = None,
    tag: Annotated[str | None, Query(max_length=200)] = None,
    owner: Annotated[str | None, Query(max_length=200)] = None,
    mine: Annotated[bool, Query(description="only the caller's own jobs")] = False,
    sort: jobs.SortKey = "-created",
    offset: Offset = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> JobPage:
    """Return jobs: pinned ones first, then the newest, unless `sort` asks for another order."""
    with at.db.read() as c:
        known = at.engine.context
        where: dict[str, Any] = {"q": q, "tag": tag, "state": state, "owner": by.name if mine else owner}
        page = jobs.page(c, by.sight, **where, sort=sort, offset=offset, limit=limit, **known.seen)
    return page.model_copy(update={"team": by.team})


@router.get("/facets")
def job_facets(at: At, by: By) -> Facets:
    """Return the owners and tags that jobs can be filtered by."""
    with at.db.read() as c:
        return jobs.facets(c, by.sight)


@router.post("/preview", openapi_extra=uploads.openapi_body())
async def preview_job(
    request: Request,
    at: At,
    by: By,
    check: Annotated[
        bool,
        Query(
            description="also ask the backend whether it would accept the job, and when it would start; and look for "
            "modules and files that are missing"
        ),
    ] = False,
) -> Preview:
    """Return what a submission would do: its tasks, their exact commands, warnings. Nothing is changed."""
    upload = await uploads.read(request, at.settings.upload)
    return await run_in_threadpool(_preview, upload, at, by, check)


@router.post("/preflight", openapi_extra=uploads.openapi_body())
async def preflight_job(
    request: Request,
    at: At,
    by: By,
    setup: Annotated[bool, Query(description="run the set-up lines of the job, if it has some")] = True,
) -> Preflight:
    """Return which modules the environment lacks, and which files the program names and does not bring.

    The program is read, not run. The environment's Python is started to look for the modules.
    """
    upload = await uploads.read(request, at.settings.upload)
    return await run_in_threadpool(_preflight, upload, at, by, setup)


def _preflight(upload: uploads.Upload, at: Server, by: Caller, setup: bool) -> Preflight:
    upload = _with_files(upload, at, by)
    on = site_of(at, by, upload.spec.resources).workbench
    made = preflight.sketch(upload.spec, upload.files, at.settings, on)
    return preflight.look(made, upload.code.source, at.settings.check_seconds, setup=setup, on=on)


@router.post("/preview/files")
def preview_files(folder: FolderNames) -> LeftOut:
    """Return what a submission of a folder leaves out: what its ignore files name, caches, environments.

    The contents of other files are not needed: a client asks before it sends them.
    """
    return LeftOut(names=ignore.left_out(folder.names, folder.ignore_files))


def _preview(upload: uploads.Upload, at: Server, by: Caller, check: bool) -> Preview:
    upload = _with_files(upload, at, by)
    site = site_of(at, by, upload.spec.resources)
    on = site.workbench
    made = _plan(upload, at, by, on)
    asked = at.engine.request(made.spec, made.at_once, check=check, user=site.user)
    spec = masks.with_variables(made.spec, upload.spec.environment.variables)  # with its masks, as they were sent
    seconds = at.settings.check_seconds
    look = preflight.look(made, upload.code.source, seconds, setup=True, on=on) if check else None
    found = {"allocations": asked.count, "slots": asked.slots, "batch_script": asked.script, "check": asked.check}
    return made.preview(at.home).model_copy(update={**found, "spec": spec, "preflight": look})


@router.post("", status_code=201, openapi_extra=uploads.openapi_body())
async def submit_job(
    request: Request,
    at: At,
    by: By,
    force: Annotated[
        bool, Query(description="accept the job even if its environment lacks modules that its program imports")
    ] = False,
) -> JobDetail:
    """Submit a job. Its tasks are queued at once."""
    upload = await uploads.read(request, at.settings.upload)
    return await run_in_threadpool(_submit, upload, at, by, force)


def _with_files(upload: uploads.Upload, at: Server, by: Caller) -> uploads.Upload:
    """Add the files of the job that a submission names, and where they came from."""
    if upload.code.job is None:
        return upload
    job = find(at, by, upload.code.job, Right.READ)
    with at.db.read() as c:
        code = jobs.code_of(c, job).model_copy(update={"job": job})
    files = snapshot.read_files(at.home.job(job).code, at.settings.upload)
    return replace(upload, files=files | upload.files, code=code)


def _plan(upload: uploads.Upload, at: Server, by: Caller, on: Workbench | None) -> submission.Plan:
    backends = {name: (at.engine.nodes(name), traits) for name, traits in at.engine.traits.items()}
    whose = submission.Submitter(by.name, by.sight, alone=not by.team, workbench=on)
    return submission.check(upload.spec, upload.files, at.settings, at.db, backends, whose)


def _submit(upload: uploads.Upload, at: Server, by: Caller, force: bool) -> JobDetail:
    upload = _with_files(upload, at, by)
    site = site_of(at, by, upload.spec.resources)
    made = _plan(upload, at, by, site.workbench)
    job = submission.accept(
        made, upload.code, by.name, at.home, at.db, at.settings, force=force, outposts=at.outposts, site=site
    )
    at.did(by, "job.submit", job)
    return _detail(at, job)


def _detail(at: Server, job: str) -> JobDetail:
    with at.db.read() as c:
        return search.detail(at, c, jobs.existing(c, job))


@router.get("/{job}")
def show_job(job: JobId, at: At, by: By) -> JobDetail:
    """Return a job with its spec, its counts and how it stands.

    Who may not read its files gets it without its commands, its environment and where its code comes from.
    """
    found = _detail(at, job)
    if not may(at, by, Right.READ, found.owner):
        return _outside(found)
    at.reads.record(by, found.id, found.owner)
    return found


def _outside(job: JobDetail) -> JobDetail:
    """Return what is shown of a job to those who may not read its files."""
    hidden = {"command": None, "reduce": None, "workdir": None, "environment": Environment()}
    code = CodeInfo(files=job.code.files, bytes=job.code.bytes)
    return job.model_copy(
        update={"spec": job.spec.model_copy(update=hidden), "script": None, "code": code, "folder": ""}
    )


@router.patch("/{job}")
def edit_job(job: JobId, change: JobPatch, at: At, by: By) -> JobDetail:
    """Change the name, the description, the tags or the visibility of a job, or pin it."""
    with at.change(by, "job.edit", job, change.model_dump(mode="json", exclude_none=True)) as c:
        found = jobs.existing(c, job)
        jobs.patch(c, found, change)
    return _detail(at, found)


@router.delete("/{job}", status_code=204)
def remove_job(job: JobId, at: At, by: By) -> None:
    """Stop what runs, and delete the job with its results, logs and checkpoints."""
    with at.change(by, "job.remove", job) as c:
        jobs.mark_removing(c, jobs.existing(c, job))


@router.post("/{job}/stop")
def stop_job(job: JobId, at: At, by: By, what: StopRequest | None = None) -> Changed:
    """Stop the named tasks; without names, all that have not ended, and the search that would add more.

    The answer contains the tasks that will stop.
    """
    found, ids = _named(at, by, job, what.tasks if what else None)
    with at.change(by, "job.stop", found, {"tasks": len(ids)} if ids is not None else None) as c:
        if ids is None:
            trials.end(c, found, "it was stopped")
        stopped = tasks.request_stop(c, found, ids)
    return Changed(tasks=stopped)


@router.post("/{job}/restart")
def restart_job(job: JobId, at: At, by: By, what: RestartRequest | None = None) -> Changed:
    """Run ended tasks again: all of them, those that failed, or those named."""
    what = what or RestartRequest()
    found, ids = _named(at, by, job, what.tasks)
    with at.change(by, "job.restart", found) as c:
        restarted = tasks.restart(c, found, ids, failed=what.failed, resume=what.resume)
    return Changed(tasks=restarted)


@router.post("/{job}/resize")
def resize_job(job: JobId, request: ResizeRequest, at: At, by: By) -> Changed:
    """Let all running tasks of a job go on with another number of GPUs: see `POST /tasks/{task}/resize`."""
    with at.change(by, "job.resize", job, {"gpus": request.gpus}) as c:
        found = jobs.existing(c, job)
        return resized(at, by, c, tasks.resizable(c, found), request)


def _named(at: Server, by: Caller, job: str, given: Sequence[str] | None) -> tuple[str, list[str] | None]:
    """Return the ids of a job and of tasks of it. Outside of a transaction that writes: they may be thousands."""
    with at.db.read() as c:
        found = jobs.existing(c, job)
        return found, tasks.resolve_many(c, found, given, by.sight)


@router.post("/{job}/hold")
def hold_job(job: JobId, at: At, by: By) -> JobDetail:
    """Start no further task until the job is released. Tasks that run go on."""
    return _held(at, by, job, True)


@router.post("/{job}/release")
def release_job(job: JobId, at: At, by: By) -> JobDetail:
    """Let a held job start tasks again."""
    return _held(at, by, job, False)


def _held(at: Server, by: Caller, job: str, held: bool) -> JobDetail:
    with at.change(by, "job.hold" if held else "job.release", job) as c:
        found = jobs.existing(c, job)
        jobs.hold(c, found, held=held)
    return _detail(at, found)


@router.post("/{job}/limits")
def limit_job(job: JobId, change: LimitsRequest, at: At, by: By) -> JobDetail:
    """Change the priority of a job, or the time limit and the nice value of its allocations, present and future."""
    if change.time_limit is None and change.nice is None and change.priority is None:
        raise InvalidInput(
            "Nothing is changed: give a time limit, a nice value or a priority.",
            fields={"time_limit": "nothing is given"},
        )
    with at.change(by, "job.limits", job, change.model_dump(mode="json", exclude_none=True)) as c:
        found = jobs.existing(c, job)
        jobs.limit(c, found, change)
    return _detail(at, found)


@router.get("/{job}/files")
def job_files(job: JobId, at: At) -> dict[str, str]:
    """Return the text files that the job was submitted with; none of them if they exceed 1 MB in all."""
    with at.db.read() as c:
        found = jobs.existing(c, job)
    return snapshot.read_texts(at.home.job(found).code, MAX_TEXT)


@router.get("/{job}/parts", response_model=list[MapPart])
def job_parts(job: JobId, at: At, reply: Reply) -> Response:
    """Return the files of each task of a map; of other jobs, an empty list."""
    with at.db.read() as c:
        found = jobs.existing(c, job)
    return reply(map_parts.parts_of(at.home.job(found).code))


router.include_router(job_tasks.router)
router.include_router(export.router)
router.include_router(search.router)
router.include_router(code.router)
router.include_router(marks.router)

"""The routes of a job's code: its files, and what differs from another job."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from paddock.models.files import FilePage, FilePreview, JobDiff
from paddock.server.api import comparison, folders
from paddock.server.api.files import BYTES, Path, Start, download, guarded, previewed
from paddock.server.api.folders import FilePlace
from paddock.server.api.permissions import JobId, OtherJobId
from paddock.server.api.replies import Reply
from paddock.server.api.search import detail
from paddock.server.api.server import At, Server
from paddock.server.store import jobs

router = APIRouter()

MOST_ENTRIES = 20_000


async def _asked(job: JobId, at: At, path: Path = "") -> FilePlace:
    """Return what a request for a file of a snapshot means."""
    return await run_in_threadpool(_place, at, job, path)


def _place(at: Server, job: str, path: str = "") -> FilePlace:
    with at.db.read() as c:
        folder = at.home.job(jobs.existing(c, job))
    return FilePlace.of(str(folder.root), str(folder.code), path)


Asked = Annotated[FilePlace, Depends(_asked)]


@router.get("/{job}/code", response_model=FilePage)
async def list_code(
    at: At, place: Asked, reply: Reply, limit: Annotated[int, Query(ge=1, le=MOST_ENTRIES)] = 2000
) -> Response:
    """Return the files of the job's snapshot, of all folders, by path."""
    return guarded(await at.files.run(lambda: reply(_listed(place, limit))))


def _listed(place: FilePlace, limit: int) -> FilePage:
    found, more = folders.all_files(place, MOST_ENTRIES)
    return FilePage(path=place.text, total=len(found), offset=0, items=found[:limit], more=more)


@router.get("/{job}/code/preview", response_model=FilePreview)
async def preview_code(at: At, place: Asked, reply: Reply, offset: Start = 0) -> Response:
    """Return a part of a file of the snapshot, as `GET /tasks/{task}/files/preview` does."""
    return guarded(await at.files.run(lambda: reply(previewed(place, offset))))


@router.get("/{job}/code/download", response_class=Response, responses=BYTES)
async def download_code(job: JobId, at: At, place: Asked) -> Response:
    """Return a file of the snapshot, or a folder of it as a tar.gz file."""
    return await download(at, place, f"{_job(place)}-code")


def _job(place: FilePlace) -> str:
    return place.trusted.rpartition("/")[2]


@router.get("/{job}/diff/{other}", response_model=JobDiff)
async def diff_jobs(job: JobId, other: OtherJobId, at: At, reply: Reply) -> Response:
    """Return what differs from a job to another: files as unified diffs, and fields of the spec."""
    before, after = [await run_in_threadpool(_known, at, one) for one in (job, other)]
    return guarded(await at.files.run(lambda: reply(comparison.compared(before, after))))


def _known(at: Server, job: str) -> comparison.Side:
    place = _place(at, job)
    with at.db.read() as c:
        found = detail(at, c, _job(place))
    return comparison.Side(found.id, place, found.spec, found.code)

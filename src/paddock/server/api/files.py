"""The routes of the files of a task.

Files are written by strangers. So nothing that is served is active in a browser: all is an attachment, except images of
four kinds, known by their content, and a policy forbids scripts even if somebody opens one of these as a page.
"""

import logging
import re
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, Protocol
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse
from starlette.types import Send

from paddock.errors import NotFound, PaddockError
from paddock.models.files import FilePage, FilePreview, ImageList
from paddock.server.api import folders, images, previews
from paddock.server.api.folders import Archive, FilePlace, OpenFile
from paddock.server.api.permissions import TaskId
from paddock.server.api.replies import Reply
from paddock.server.api.server import At, Server
from paddock.server.store import tasks

router = APIRouter()
log = logging.getLogger("paddock.api")

GUARD = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
Path = Annotated[str, Query(max_length=4096, description="relative to the folder; without it: the folder itself")]
Start = Annotated[
    int, Query(ge=-(2**53), le=2**53, description="the first byte; a negative number counts from the end")
]
BYTES: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/octet-stream": {}}, "description": "the file; a folder as a tar.gz file"}
}


class Readable(Protocol):
    """What a download reads from."""

    def read(self) -> bytes | None: ...

    def close(self) -> None: ...


async def place_of(task: TaskId, at: At, path: Path = "") -> FilePlace:
    """Return what a request for a file of a task means."""
    return await run_in_threadpool(_place, at, task, path)


def _place(at: Server, task: str, path: str) -> FilePlace:
    with at.db.read() as c:
        found = tasks.existing(c, task)
    job = found.rpartition("-")[0]
    folder = at.outposts.of(job).folder
    return FilePlace.of(str(folder.root), str(folder.task(found)), path, at.outposts.away(job))


Asked = Annotated[FilePlace, Depends(place_of)]


@router.get("/{task}/files", response_model=FilePage)
async def list_files(
    at: At,
    place: Asked,
    reply: Reply,
    offset: Annotated[int, Query(ge=0, le=2**31)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 500,
) -> Response:
    """Return what is in the results folder of a task, or in a folder in it: `work`, `checkpoint`, `attempts/1`."""
    return guarded(await at.files.run(lambda: reply(folders.listed(place, offset, limit))))


@router.get("/{task}/files/preview", response_model=FilePreview)
async def preview_file(at: At, place: Asked, reply: Reply, offset: Start = 0) -> Response:
    """Return a part of a file as text, as a table (CSV) or as indented JSON, up to 256 kB of it."""
    return guarded(await at.files.run(lambda: reply(previewed(place, offset))))


def previewed(place: FilePlace, offset: int) -> FilePreview:
    file = OpenFile(place)
    try:
        return previews.preview(file, offset)
    finally:
        file.close()


@router.get("/{task}/files/images", response_model=ImageList)
async def list_images(
    at: At, place: Asked, reply: Reply, limit: Annotated[int, Query(ge=2, le=5000)] = 2000
) -> Response:
    """Return the images that a task has written, by series and step (`sample_0010.png`, `epoch3/plot.png`)."""
    return guarded(await at.files.run(lambda: reply(images.found_in(place, limit))))


@router.get("/{task}/files/image", response_class=Response, responses={200: {"content": {"image/*": {}}}})
async def show_image(at: At, place: Asked) -> Response:
    """Return an image for a browser: PNG, JPEG, GIF or WebP by its content, up to 30 MB and 64 megapixels."""
    file, kind = await at.files.run(lambda: _image(place), _close)
    headers = {"Cache-Control": "private, max-age=300", "Content-Disposition": _disposition("inline", place.path)}
    return Download(at, file, file.size, headers, kind)


def _image(place: FilePlace) -> tuple[OpenFile, str]:
    file = OpenFile(place)
    try:
        found = images.recognised(file.head(images.HEAD), file.size)
        if found is None:
            raise NotFound(f"{place.text} is not shown as an image: download it.")
    except BaseException:
        file.close()
        raise
    return file, found.media_type


@router.get("/{task}/files/download", response_class=Response, responses=BYTES)
async def download_file(task: TaskId, at: At, place: Asked) -> Response:
    """Return a file; or a folder, as a tar.gz file that is made while it is sent, without links."""
    return await download(at, place, _root_name(place))


def _root_name(place: FilePlace) -> str:
    return place.folder.rpartition("/")[2]


async def download(at: Server, place: FilePlace, name: str) -> Response:
    """Return an answer that sends a file or folder; `name` begins the name of the archive of a folder."""
    source, size = await at.files.run(lambda: _opened(place, name), _close)
    filename = place.path if size is not None else f"{_archive_name(place, name)}.tar.gz"
    headers = {"Cache-Control": "no-store", "Content-Disposition": _disposition("attachment", filename)}
    return Download(at, source, size, headers, "application/octet-stream" if size is not None else "application/gzip")


def _archive_name(place: FilePlace, name: str) -> str:
    return "-".join([name, *place.path.split("/")]) if place.path else name


def _opened(place: FilePlace, name: str) -> tuple[Readable, int | None]:
    if place.path:
        try:
            file = OpenFile(place)
            return file, file.size
        except NotFound:
            pass  # it may be a folder
    return Archive(place, _archive_name(place, name)), None


def _close(found: tuple[Readable, object] | None) -> None:
    if found is not None:
        found[0].close()


def _disposition(kind: str, path: str) -> str:
    """Return a header that names a file: in ASCII for old browsers, and as it is."""
    name = folders.shown(path.rpartition("/")[2])
    plain = _UNSAFE.sub("_", name).lstrip(".") or "file"
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def guarded(response: Response) -> Response:
    response.headers.update(GUARD)
    return response


class Download(StreamingResponse):
    """Sends what a source reads, part by part. If the source ends too early, the connection is closed.

    So a client never takes a part of a file for all of it.
    """

    def __init__(
        self, at: Server, source: Readable, size: int | None, headers: dict[str, str], media_type: str
    ) -> None:
        given = GUARD | headers | ({} if size is None else {"Content-Length": str(size)})
        super().__init__(_parts(at.files.run, source), headers=given, media_type=media_type)
        self._left = size

    async def stream_response(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        try:
            async for part in self.body_iterator:
                await send({"type": "http.response.body", "body": part, "more_body": True})
                self._left = None if self._left is None else self._left - len(part)
        except (PaddockError, OSError) as error:
            log.warning("a download was broken off: %s", error)
            return
        if self._left:
            log.warning("a download was broken off: the file became shorter")
            return
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _parts(run: Callable[..., Any], source: Readable) -> AsyncIterator[bytes]:
    """Yield what a source reads, and close it at the end, but never while a thread reads from it."""
    reading = False
    try:
        while True:
            reading = True
            part = await run(source.read, lambda _: source.close())
            reading = False
            if part is None:
                return
            if part:
                yield part
    finally:
        if not reading:
            source.close()

"""Reads submissions: JSON, or multipart with the spec as a field and the files as parts."""

from dataclasses import dataclass
from typing import Any

from fastapi import Request
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from paddock.errors import InvalidInput, TooLarge
from paddock.models import CodeInfo, JobSpec, Submission
from paddock.server.api.error_responses import invalid
from paddock.settings import UploadSettings

_TOO_LARGE = "The request is larger than the setting upload.max_bytes allows: leave out files, or raise it."
_FRAMING = 2_000_000  # for the spec and the framing, in addition to the files


@dataclass(frozen=True)
class Upload:
    spec: JobSpec
    files: dict[str, bytes]
    code: CodeInfo


def largest(limits: UploadSettings, *, as_json: bool = False) -> int:
    """Return how many bytes a request may have. Text is longer in JSON than by itself."""
    return limits.max_bytes * (2 if as_json else 1) + _FRAMING


async def read(request: Request, limits: UploadSettings) -> Upload:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > largest(limits, as_json=kind == "application/json"):
        raise TooLarge(_TOO_LARGE)  # before it is sent; `BodyLimit` counts what is sent
    try:
        if kind == "multipart/form-data":
            return await _multipart(request, limits)
        submission = await run_in_threadpool(Submission.model_validate_json, await request.body())
    except ValidationError as error:
        raise invalid(error) from None
    return Upload(submission.spec, {n: t.encode() for n, t in submission.files.items()}, submission.code)


async def _multipart(request: Request, limits: UploadSettings) -> Upload:
    try:
        form = await request.form(max_files=limits.max_files + 1, max_fields=10, max_part_size=_FRAMING)
    except HTTPException as error:
        if error.status_code == TooLarge.status:
            raise
        raise InvalidInput(f"The multipart body cannot be read: {error.detail}") from None
    try:
        spec, code = form.get("spec"), form.get("code", "{}")
        if not isinstance(spec, str) or not isinstance(code, str):
            raise InvalidInput(
                "The multipart request has no field `spec`: send the job as JSON in it.", fields={"spec": "missing"}
            )
        files: dict[str, bytes] = {}
        for name, part in form.multi_items():
            if isinstance(part, UploadFile) and name == "files":
                if not part.filename or part.filename in files:
                    raise InvalidInput(
                        "Two files have the same name, or one has none: give each file its own name.",
                        fields={"files": part.filename or ""},
                    )
                files[part.filename] = await part.read()
        read = await run_in_threadpool(JobSpec.model_validate_json, spec)
        return Upload(read, files, CodeInfo.model_validate_json(code))
    finally:
        await form.close()


def openapi_body() -> dict[str, Any]:
    """Return the two forms of the body. app.py adds the schemas of the models to the document."""
    multipart = {
        "type": "object",
        "required": ["spec"],
        "properties": {
            "spec": {"type": "string", "contentMediaType": "application/json", "description": "a JobSpec as JSON"},
            "code": {"type": "string", "contentMediaType": "application/json", "description": "a CodeInfo as JSON"},
            "files": {
                "type": "array",
                "items": {"type": "string", "contentMediaType": "application/octet-stream"},
                "description": "the file names are paths relative to the job's folder",
            },
        },
    }
    return {
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/Submission"}},
                "multipart/form-data": {"schema": multipart},
            },
        }
    }

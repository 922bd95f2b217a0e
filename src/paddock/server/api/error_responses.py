"""Errors, all in one shape: a stable code, a message, the fields at fault."""

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from paddock.errors import InvalidInput, PaddockError, Refused, in_words
from paddock.models import ErrorBody, ErrorReply
from paddock.server.store.db import FAULTS, away

log = logging.getLogger("paddock.api")
UNEXPECTED = "The server could not answer this request because of an error: see its log."

# The errors that every route may answer, for the OpenAPI document.
RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorReply, "description": text}
    for status, text in {
        400: "The request is not well-formed",
        401: "No valid token",
        403: "The account may not do this; or a browser sent it, but not from a page of this server",
        404: "It does not exist",
        409: "Not possible in the present state, or an ambiguous id",
        413: "The request is too large",
        422: "The request cannot be carried out as it stands",
        429: "Too many tries (`Retry-After`)",
        503: "The server cannot do this now: try again later (`Retry-After`)",
    }.items()
}
_CODES = {400: "bad_request", 404: "not_found", 405: "method_not_allowed", 413: "too_large"}
_SKIPPED = {"body", "query", "path", "Choices", "Range"}


def install(app: FastAPI) -> None:
    app.add_exception_handler(PaddockError, _paddock)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(HTTPException, _http)
    for fault in FAULTS:
        app.add_exception_handler(fault, _database)
    app.add_exception_handler(Exception, _unexpected)


def invalid(error: ValidationError | RequestValidationError) -> InvalidInput:
    """Return a validation error with its fields named as in the request."""
    fields: dict[str, str] = {}
    for detail in error.errors():
        name = ".".join(str(part) for part in detail["loc"] if part not in _SKIPPED)
        fields.setdefault(name or "body", in_words(detail))
    listed = "; ".join(f"{name}: {message}" for name, message in list(fields.items())[:5])
    return InvalidInput(f"The request is not valid: {listed}.", fields=fields)


def _reply(status: int, code: str, message: str, fields: dict[str, str] | None = None) -> JSONResponse:
    """Return an error. Its texts may quote the request, even what is not valid Unicode."""
    clean = {_clean(name): _clean(text) for name, text in (fields or {}).items()}
    body = ErrorReply(error=ErrorBody(code=code, message=_clean(message), fields=clean))
    return JSONResponse(body.model_dump(exclude={"error": {"booking"}}), status_code=status)


def _clean(text: str) -> str:
    return text.encode(errors="replace").decode()


def reply(error: PaddockError) -> JSONResponse:
    made = _refusal(error) if isinstance(error, Refused) else None
    made = made or _reply(error.status, error.code, error.message, error.fields)
    if error.retry_seconds is not None:
        made.headers["Retry-After"] = str(error.retry_seconds)
    return made


def _refusal(error: Refused) -> JSONResponse:
    body = ErrorReply(error=ErrorBody(code=error.code, message=_clean(error.message), booking=error.booking))
    return JSONResponse(body.model_dump(mode="json"), status_code=error.status)


async def _paddock(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, PaddockError)  # noqa: S101
    return reply(error)


async def _validation(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101
    return await _paddock(request, invalid(error))


async def _http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101
    reply = _reply(error.status_code, _CODES.get(error.status_code, "error"), str(error.detail))
    reply.headers.update(error.headers or {})
    return reply


async def _database(request: Request, error: Exception) -> JSONResponse:
    known = away(error)
    return reply(known) if known is not None else await _unexpected(request, error)


async def _unexpected(_: Request, error: Exception) -> JSONResponse:
    log.error("unexpected error", exc_info=error)
    return _reply(500, "error", UNEXPECTED)

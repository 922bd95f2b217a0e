"""Answers that may be large. They are encoded and compressed in the thread of the route, never in the event loop.

Only routes that ask for it are compressed: compression would delay event streams and logs that are followed.
"""

import gzip
from typing import Annotated, Any

from fastapi import Depends, Request
from pydantic import BaseModel
from pydantic_core import to_json
from starlette.responses import Response

SMALL = 4096  # bytes that are sent as they are


class Replier:
    """Makes the answers to one request."""

    def __init__(self, gzipped: bool) -> None:
        self._gzipped = gzipped

    def __call__(self, answer: Any, *, slim: bool = False, media_type: str = "application/json") -> Response:
        """Return the answer as JSON; `slim`: a model without the fields that have their default. Bytes stay as is."""
        if isinstance(answer, BaseModel):
            data = answer.__pydantic_serializer__.to_json(answer, exclude_defaults=slim)
        else:
            data = answer if isinstance(answer, bytes) else to_json(answer, inf_nan_mode="null")
        headers = {"Vary": "Accept-Encoding"}
        if self._gzipped and len(data) > SMALL:
            data = gzip.compress(data, compresslevel=1, mtime=0)
            headers["Content-Encoding"] = "gzip"
        return Response(data, headers=headers, media_type=media_type)


async def _replier(request: Request) -> Replier:  # async: needs no worker thread
    return Replier("gzip" in request.headers.get("Accept-Encoding", ""))


Reply = Annotated[Replier, Depends(_replier)]

"""Limits the size of request bodies, whatever their headers claim."""

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from paddock.server.api.caller import CALLER
from paddock.server.api.uploads import largest
from paddock.settings import UploadSettings

STRANGERS = 10_000  # who is about to sign in
OTHERS = 20_000_000  # scripts to inspect, lists of tasks or of file names
_UPLOADS = ("/jobs", "/jobs/preview")


class BodyLimit:
    """Count the bytes that arrive: `Content-Length` means nothing beside `Transfer-Encoding: chunked`."""

    def __init__(self, app: ASGIApp, limits: UploadSettings) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._most(scope)
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > most:
                raise HTTPException(
                    413, "The request is larger than this server accepts: leave out files, or raise upload.max_bytes."
                )
            return message

        await self._app(scope, counted, send)

    def _most(self, scope: Scope) -> int:
        if CALLER not in scope:
            return STRANGERS
        if not scope["path"].endswith(_UPLOADS):
            return OTHERS
        return largest(self._limits, as_json=b"json" in dict(scope["headers"]).get(b"content-type", b""))

"""The built page, served from the package."""

import gzip
import mimetypes
from functools import cache
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import FileResponse, HTMLResponse, Response

DIST = Path(__file__).parents[2] / "web_dist"
POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}
_NOT_BUILT = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>Paddock</title><h1>Paddock</h1>"
    "<p>The server runs, but its page was not built in this installation. Install Paddock again with npm on the path, "
    "or use the command line (<code>paddock --help</code>) and the REST API, which work.</p></html>"
)


def without_token(path: str, headers: Headers) -> Response | None:
    """Return what needs no sign-in: the files of the page, and the page that asks for the token."""
    if path.startswith("/api/") or path == "/openapi.json":
        return None
    asset = _asset(path, headers)
    if asset is not None:
        return asset
    return page(status=401) if "text/html" in headers.get("accept", "") else None


def page(status: int = 200) -> Response:
    """Return the page. It is the same for every address, and shows what the path names."""
    index = DIST / "index.html"
    content = index.read_bytes() if index.is_file() else _NOT_BUILT
    return HTMLResponse(content, status_code=status, headers=HEADERS | {"Cache-Control": "no-cache"})


def serve(path: str, headers: Headers) -> Response | None:
    """Return a file of the page, or the page itself; None for addresses of the API."""
    if path.startswith("/api/"):
        return None
    return _asset(path, headers) or page()


def _asset(path: str, headers: Headers) -> Response | None:
    name = path.lstrip("/")
    if not name or ".." in name or "\0" in name or name == "index.html":
        return None
    file = DIST / name
    try:
        if not file.is_file():
            return None
    except (OSError, ValueError):  # no file can have such a name
        return None
    if not name.startswith("assets/"):
        return FileResponse(file, headers=HEADERS | {"Cache-Control": "no-cache"})
    gzipped = "gzip" in headers.get("accept-encoding", "")
    encoding = {"Content-Encoding": "gzip"} if gzipped else {}
    kept = HEADERS | encoding | {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
    media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return Response(_content(file, gzipped), headers=kept, media_type=media_type)


@cache
def _content(file: Path, gzipped: bool) -> bytes:
    """Return what a file under assets/ contains: its name has a digest of it, so it never changes."""
    content = file.read_bytes()
    return gzip.compress(content, compresslevel=5, mtime=0) if gzipped else content

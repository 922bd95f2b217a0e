"""The page: the built browser app, as it lies in the package."""

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
    "<p>The server runs. Its page is not built in this installation: <code>pip install</code> it anew with npm on the "
    "path. The command line (<code>paddock --help</code>) and the REST API work.</p></html>"
)


def without_token(path: str, headers: Headers) -> Response | None:
    """What somebody who has not signed in may have: the files of the app, and the app that asks for the token."""
    if path.startswith("/api/") or path == "/openapi.json":
        return None
    asset = _asset(path)
    if asset is not None:
        return asset
    return page(status=401) if "text/html" in headers.get("accept", "") else None


def page(status: int = 200) -> Response:
    """The app, whatever its address: it finds its way by the path."""
    index = DIST / "index.html"
    headers = HEADERS | {"Cache-Control": "no-cache"}
    if not index.is_file():
        return HTMLResponse(_NOT_BUILT, status_code=status, headers=headers)
    return HTMLResponse(index.read_bytes(), status_code=status, headers=headers)


def serve(path: str) -> Response | None:
    """A file of the app, or the app itself; None for addresses that are the API's."""
    if path.startswith("/api/"):
        return None
    return _asset(path) or page()


def _asset(path: str) -> Response | None:
    name = path.lstrip("/")
    if not name or ".." in name or "\0" in name or name == "index.html":
        return None
    file = DIST / name
    try:
        if not file.is_file():
            return None
    except (OSError, ValueError):  # a name that no file can have
        return None
    # File names under assets/ hold a digest of their content.
    cache = "public, max-age=31536000, immutable" if name.startswith("assets/") else "no-cache"
    return FileResponse(file, headers=HEADERS | {"Cache-Control": cache})
